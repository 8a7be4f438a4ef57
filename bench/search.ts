import { parseArgs } from 'node:util'
import type pg from 'pg'
import { createWorkspace } from '../dev/workspace.ts'
import { compile } from '../src/data/db.ts'
import { DEFAULT_ZONE } from '../src/domain/default-zone.ts'
import { placeDays } from '../src/domain/filters/local-days.ts'
import { parseFilter } from '../src/domain/filters/parse.ts'
import type { Filter } from '../src/domain/filters/types.ts'
import { SEARCHED, searchIn } from '../src/features/search/plans/record-search.ts'
import { type Stack, startStack } from './stack.ts'

/**
 * Measures the blocks that searches read among a million contacts, as the Worker's role. Names consist of syllables, some frequent and
 * most of them rare, as real names do; a few known names are added to be found.
 */

const { values } = parseArgs({ options: { contacts: { type: 'string', default: '1000000' }, limit: { type: 'string', default: '3000' } } })
const SIZE = Number(values.contacts)
const LIMIT = Number(values.limit)

const SEARCHES = [
  'cancity',
  'cancty',
  'kanciti',
  'jonathan smith',
  'jonathon smyth',
  'kansingten witlam',
  'jose obrien',
  'ca',
  's',
  'j smi',
  'breda',
  'bredo jedal',
  'renovations',
  'pty ltd',
  'a b c d e f',
  'the most unlikely name of all people',
  'xyzzyx',
  'jonathan.smith@example.com',
  'com',
  'gmail.com',
  '@gmail.com',
  '0412 345 678',
  '0412 345',
  '6141',
]

const FILTERS: [string, unknown, string][] = [
  ['number above', { field: 'metadata.score', op: 'gt', value: 999_990 }, '-created_at'],
  ['number between, sorted by it', { field: 'metadata.score', op: 'between', value: [500_000, 500_100] }, 'metadata.score'],
  ['all, sorted by a number', undefined, '-metadata.score'],
  ['date before', { field: 'metadata.since', op: 'before', value: '2000-01-15' }, '-created_at'],
  ['all, sorted by a date that a third have', undefined, 'metadata.since'],
  ['option', { field: 'metadata.tier', op: 'eq', value: 'Gold' }, '-created_at'],
  ['rare text', { field: 'metadata.code', op: 'eq', value: 'code 77' }, '-created_at'],
  ['start of a text', { field: 'metadata.code', op: 'starts_with', value: 'code 7777' }, 'name'],
  [
    'two custom fields',
    {
      all: [
        { field: 'metadata.tier', op: 'eq', value: 'Gold' },
        { field: 'metadata.score', op: 'lt', value: 100 },
      ],
    },
    '-created_at',
  ],
  ['name contains', { field: 'name', op: 'contains', value: 'whitla' }, '-created_at'],
  ['has an opportunity above', { has: 'opportunities', where: { field: 'value', op: 'gt', value: 99_990 } }, '-created_at'],
]

/** Search words of lists, from frequent ones (every second record) to words without a match. */
const WORDS = ['com', 'example', 'jonathan', 'an', 'tha', 'brun', 'smith', 'lar', 'ken wit', '0412', 'zz', 'xyzzyx', '&&']
const LISTS: [string, object][] = [
  ['', { sort: '-created_at' }],
  ['by name', { sort: 'name' }],
  ['archived, by name', { sort: 'name', archived: 'true' }],
  ['of one company', { sort: '-created_at', filter: { field: 'customer_id', op: 'eq', value: '01900000-0000-7000-8000-000000000000' } }],
]

const SYLLABLES = `select c || v || e as s
  from unnest(array['b','c','d','f','g','h','j','k','l','m','n','p','r','s','t','v','w','th','st','br','gr','ch']) c,
  unnest(array['a','e','i','o','u','ee','ou']) v, unnest(array['','n','r','l','s','m']) e`
const ENDINGS = `array['','son','man','er','ton','field','ley','s']`
const KNOWN = [
  `insert into companies (name, email) values ('Cancity', 'office@cancity.com'), ('Cancity Pty Ltd', null), ('Harbour Renovations', null)`,
  `insert into contacts (first_name, last_name, email, phone)
    values ('Jonathan', 'Smith', 'jonathan.smith@example.com', '+61412345678'), ('Jonathan', 'Smith III', null, null),
    ('Kensington', 'Whitlam', null, null), ('José', 'O''Brien', null, null), ('Breda', 'Jedalley', null, null)`,
]

/** Fills the workspace in sets, without triggers, and creates the indexes afterwards. */
async function load(client: pg.PoolClient, workspaceId: string): Promise<void> {
  await client.query(
    `select set_config('app.workspace_id', $1, false), set_config('session_replication_role', 'replica', false), setseed(0.5)`,
    [workspaceId],
  )
  const { rows: indexes } = await client.query<{
    name: string
    made: string
  }>(`select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
    from pg_index i where not i.indisunique
    and i.indrelid in ('contacts'::regclass, 'companies'::regclass, 'opportunities'::regclass, 'search_words'::regclass,
      'custom_values'::regclass)`)
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await client.query(`create temp table syllables as ${SYLLABLES} order by random();
    create temp table first_names as select row_number() over () as n, a.s || b.s as name from syllables a, syllables b
      where random() < 0.0035 limit 3000;
    create temp table last_names as select row_number() over () as n, a.s || b.s || case when random() < 0.4 then c.s else '' end
      || (${ENDINGS})[1 + floor(random() * 8)::int] as name
      from (select * from syllables limit 400) a, (select * from syllables order by s limit 400) b, (select * from syllables limit 1) c;
    create index on first_names (n); create index on last_names (n); analyze first_names; analyze last_names`)
  const first = `(select name from first_names where n = 1 + floor(power(r1, 2.5) * (select count(*) from first_names))::int)`
  const last = `(select name from last_names where n = 1 + floor(power(r2, 2) * (select count(*) from last_names))::int)`
  const numbers = (size: number) => `(select n, random() as r1, random() as r2 from generate_series(1, ${size}) n) r`
  await client.query(`insert into contacts (first_name, last_name, email, phone, metadata, created_at, archived)
    select initcap(f), initcap(l),
      f || '.' || l || n % 97 || '@' || (array['gmail.com','outlook.com','bigpond.com','example.com'])[1 + floor(random() * 4)::int],
      '+614' || 10000000 + floor(random() * 89999999)::int,
      jsonb_build_object('score', floor(random() * 1000000),
        'tier', (array['Gold','Silver','None'])[1 + floor(random() * 3)::int], 'code', 'code ' || n),
      now() - interval '1 second' * n, random() < 0.03 from (select n, ${first} as f, ${last} as l from ${numbers(SIZE)}) named`)
  await client.query(`insert into companies (name, email, phone, website_url)
    select initcap(l) || ' '
      || (array['Renovations','Building','Plumbing','Holdings','Consulting','Partners'])[1 + floor(random() * 6)::int]
      || (array[' Pty Ltd','',' Group',' & Sons'])[1 + floor(random() * 4)::int],
      'office@' || l || n || '.com.au', '+612' || 10000000 + floor(random() * 89999999)::int, 'https://' || l || n || '.com.au'
        from (select n, ${last} as l from ${numbers(SIZE / 10)}) named`)
  await client.query(`insert into opportunities (name, value)
    select initcap(l) || ' ' || (array['renewal','fit-out','supply','repair','project'])[1 + floor(random() * 5)::int] || ' ' || n,
    floor(random() * 100000)
    from (select n, ${last} as l from ${numbers(SIZE / 2)}) named`)
  await client.query(
    `insert into opportunity_contacts (opportunity_id, contact_id) select o.id, c.id
      from (select id, row_number() over () as n from opportunities) o
      join (select id, row_number() over () as n from contacts) c using (n)`,
  )
  for (const insert of KNOWN) await client.query(insert)
  await define(client)
  await client.query(`insert into search_words select w.workspace_id, w.word, typo_keys(w.workspace_id, w.word)
    from (select distinct workspace_id, word
    from (select workspace_id, name_norm from contacts union all select workspace_id, name_norm from companies
      union all select workspace_id, name_norm from opportunities) n, unnest(words_of(name_norm)) word
    where word ~ '^[[:alpha:]]{3,60}$') w order by 1, 2`)
  for (const { made } of indexes) await client.query(made)
  await client.query('reset session_replication_role')
  await client.query('vacuum analyze')
}

async function define(client: pg.PoolClient): Promise<void> {
  await client.query(`insert into custom_fields (object, field_key, label, type, options, indexed)
    values ('contact', 'score', 'Score', 'number', '{}', true), ('contact', 'since', 'Since', 'date', '{}', true),
    ('contact', 'tier', 'Tier', 'select', '{Gold,Silver,None}', true), ('contact', 'code', 'Code', 'text', '{}', true)`)
  await client.query(
    `insert into custom_indexes (field_id, status) select id, 'ready' from custom_fields where workspace_id = current_workspace()`,
  )
  await client.query(
    `update contacts set metadata = metadata || jsonb_build_object('since', (date '2000-01-01' + floor(random() * 9000)::int)::text)
      where random() < 0.33`,
  )
  await client.query(`insert into custom_values select r.* from contacts t, custom_rows(t.workspace_id, 'contact', t.id, t.metadata) r`)
}

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
type Cost = { blocks: number; time: number }

async function cost(app: pg.PoolClient, statement: string, params: unknown[]): Promise<Cost> {
  const { rows } = await app.query(`explain (analyze, buffers, format json) ${statement}`, params)
  const [{ Plan, 'Execution Time': time }] = rows[0]['QUERY PLAN'] as [{ Plan: Plan; 'Execution Time': number }]
  return { blocks: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'], time }
}

const line = (what: string, { blocks, time }: Cost, more: string) =>
  console.log(
    `${what.padEnd(44)} ${String(blocks).padStart(7)} blocks ${time.toFixed(0).padStart(6)} ms  ` +
      `${blocks > LIMIT ? `MORE THAN ${LIMIT}  ` : ''}${more}`,
  )

async function measureSearches(app: pg.PoolClient): Promise<void> {
  for (const q of SEARCHES) {
    const query = {
      q,
      sections: ['contacts', 'companies', 'opportunities'],
      limit: 10,
      ...(q.includes('@') && { email: q }),
      ...(q === '0412 345 678' && { phone: '+61412345678' }),
    }
    const found = await app.query('select * from search_records($1)', [query])
    const best = (section: string) => found.rows.find((row) => row.section === section)?.title ?? '-'
    line(
      q,
      await cost(app, 'select * from search_records($1)', [query]),
      `${best('contacts')} | ${best('companies')} | ${best('opportunities')}`,
    )
  }
}

const place = { now: new Date(), zone: DEFAULT_ZONE }

async function measureFilters(app: pg.PoolClient): Promise<void> {
  for (const [what, given, sort] of FILTERS) {
    const filter = given === undefined ? undefined : (parseFilter('contacts', given).filter as Filter)
    const { sql, params } = compile(
      searchIn(
        SEARCHED.contacts,
        'contacts',
        { filter, sort, limit: 50, archived: 'false' },
        { ready: filter && placeDays('contacts', filter, place) },
      ).result.query,
    )
    const { rows } = await app.query(sql, params)
    line(what, await cost(app, sql, params), `${rows.length} rows`)
  }
}

async function measureLists(app: pg.PoolClient): Promise<void> {
  for (const [what, { filter: given, ...query }] of LISTS as [string, { filter?: unknown }][]) {
    const filter = given === undefined ? undefined : (parseFilter('contacts', given).filter as Filter)
    for (const search of WORDS) {
      const { result: answer } = searchIn(
        SEARCHED.contacts,
        'contacts',
        { archived: 'false', sort: '', ...query, filter, search, limit: 50 },
        { ready: filter && placeDays('contacts', filter, place) },
      )
      const { sql, params } = compile(answer.query)
      const { rows } = await app.query(sql, params)
      line(`${search} ${what}`, await cost(app, sql, params), `${rows.length} rows`)
    }
  }
}

async function measure({ owner, app: pool }: Stack): Promise<void> {
  const client = await owner.connect()
  const workspace = await createWorkspace(client, { name: 'Measured', ownerEmail: 'measured@example.com', ownerName: 'Measured' })
  const start = Date.now()
  await load(client, workspace.workspace_id)
  const { rows } = await client.query(
    `select (select count(*) from contacts) as contacts, (select count(*) from search_words) as words,
      (select count(*) from custom_values) as custom_values`,
  )
  console.log(`Loaded in ${Math.round((Date.now() - start) / 1000)} s: ${JSON.stringify(rows[0])}`)
  const sizes = await client.query(
    `select relname as index, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
      where relname in ('contacts', 'contacts_by_words', 'contacts_by_lexeme', 'search_words', 'search_words_by_typo', 'custom_values',
        'custom_values_by_record') or relname like 'custom_values_workspace%'`,
  )
  console.table(sizes.rows)
  client.release()

  const app = await pool.connect()
  await app.query(
    `select set_config('app.workspace_id', $1, false), set_config('app.key_id', $2, false),
    set_config('app.authority',
      jsonb_build_object('workspace_id', $1::text, 'scopes', array['*:*'], 'role_scopes', array['*:*'])::text, false)`,
    [workspace.workspace_id, workspace.key_id],
  )
  console.log(`\nGET /search, over contacts, companies and opportunities; at most ${LIMIT} blocks`)
  await measureSearches(app)
  console.log('\nPOST /contacts/search, a page of 50')
  await measureFilters(app)
  console.log('\nA list with search, a page of 50')
  await measureLists(app)
  app.release()
}

const stack = await startStack()
// The server stops before idle clients disconnect.
for (const pool of [stack.owner, stack.app]) pool.on('connect', (client) => client.on('error', () => {}))
try {
  await measure(stack)
} finally {
  await stack.stop()
}
