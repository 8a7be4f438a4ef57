import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

async function namesOf(sql: string): Promise<string[]> {
  const { rows } = await app.owner.query({ text: sql, rowMode: 'array' })
  return rows.map(([name]) => name)
}

/** Records that are never deleted, so their references need no index: members are removed, and keys revoked. */
const NEVER_DELETED = ['workspaces', 'memberships', 'api_keys']

test('whatever refers to a record is found through an index when the record is deleted', async () => {
  // References whose first columns identify few rows, such as the parts of one opportunity, need only these columns in an index.
  const without = await namesOf(`select c.conname from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace
    and c.confrelid::regclass::text <> all ('{${NEVER_DELETED}}')
    and not exists (select from pg_index i where i.indrelid = c.conrelid and i.indexprs is null
      and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\(?\\w+ IS NOT NULL\\)?$')
      and (i.indkey::int2[])[0:1] <@ c.conkey and (i.indkey::int2[])[0] = any (c.conkey))`)
  expect(without).toEqual([])
})

test('the planner expects a workspace to have all rows of a table, so that the number of small workspaces changes no plan', async () => {
  const without = await namesOf(`select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attoptions is distinct from '{n_distinct=1}'`)
  expect(without).toEqual([])
})

/** Functions of this schema that an index or a generated column calls. */
const INDEXED = `(select distinct p.* from pg_depend d join pg_proc p on p.oid = d.refobjid
  where d.refclassid = 'pg_proc'::regclass and p.pronamespace = 'public'::regnamespace
    and p.prolang in (select oid from pg_language where lanname in ('sql', 'plpgsql'))
    and (d.classid = 'pg_class'::regclass and exists (select from pg_index i where i.indexrelid = d.objid)
      or d.classid = 'pg_attrdef'::regclass and exists (select from pg_attrdef g
        join pg_attribute a on a.attrelid = g.adrelid and a.attnum = g.adnum where g.oid = d.objid and a.attgenerated <> '')))`

test('an index or a generated column calls no function whose body each statement that writes would have to read again', async () => {
  expect((await namesOf(`select p.proname from ${INDEXED} p`)).length).toBeGreaterThan(10)
  expect(await namesOf(`select p.proname from ${INDEXED} p join pg_language l on l.oid = p.prolang where l.lanname = 'sql'`)).toEqual([])
})

test('what an index or a generated column calls names its functions with their schema, as VACUUM needs it', async () => {
  const unqualified = await namesOf(`select p.proname || ' calls ' || f.proname from ${INDEXED} p
    join (select distinct proname from pg_proc where pronamespace = 'public'::regnamespace) f
      on p.prosrc ~ ('(^|[^.[:alnum:]_])' || f.proname || '\\(')`)
  expect(unqualified).toEqual([])
})

/** Values of the types of their arguments, in a column of this collation. */
const valuesUnder = (collation: string): Record<string, string> => ({
  text: `'ÜBER Straße ИВАНОВ ΣΊΣΥΦΟΣ Ana@Éxample.com +61 412 345 678'::text collate "${collation}"`,
  'text[]': `array['ÜBER Straße'] collate "${collation}"`,
  uuid: "'01a20000-1234-7abc-8def-0123456789ab'::uuid",
  jsonb: `'[{"name": "ÜBER", "level": "read", "role": "editor"}]'::jsonb`,
})

test('what an index or a generated column calls gives the same, whatever the collation of the column is', async () => {
  const { rows } = await app.owner.query<{ name: string; types: string[] }>(`select p.proname as name,
    array(select format_type(t, null) from unnest(p.proargtypes) with ordinality a(t, n) order by n) as types from ${INDEXED} p`)
  const called = rows.filter(({ name, types }) => types.some((type) => type.startsWith('text')) && name !== 'terms_of')
  expect(called.length).toBeGreaterThan(8)
  for (const { name, types } of called) {
    const callUnder = (collation: string) => `${name}(${types.map((type) => valuesUnder(collation)[type]).join(', ')})::text`
    const { rows: results } = await app.owner.query(`select ${callUnder('default')} as one, ${callUnder('C')} as other`)
    expect([name, results[0].other]).toEqual([name, results[0].one])
  }
})

test('a purge finds what the history says of rows that referred to the record through an index', async () => {
  const without = await namesOf(`select distinct l.col from links_to('{contacts,companies,opportunities}') l
    where not exists (select from pg_index i where i.indrelid = 'changes'::regclass
      and pg_get_indexdef(i.indexrelid) like format('%%(workspace_id, ((fields #>> ''{%s,after}''%%', l.col))`)
  expect(without).toEqual([])
})

test('what log tables say of records is found through an index of what they mention', async () => {
  // Merges name their records in known columns, which have indexes.
  expect(await namesOf('select name::text from log_tables() where not has_mentions')).toEqual(['merges'])
})

test('what the request log says of records is found through an index in each of its partitions', async () => {
  const without = await namesOf(`select p.inhrelid::regclass::text from pg_inherits p where p.inhparent = 'requests'::regclass
    and not exists (select from pg_index i where i.indrelid = p.inhrelid and i.indisvalid
      and pg_get_indexdef(i.indexrelid) like '%gin (mention_keys(request_text(path, more_paths, error_message)))%')`)
  expect(without).toEqual([])
})

test('the text of a log is found by each id, address and number in it, however it is written there', async () => {
  const id = '01a20000-1234-7abc-8def-0123456789ab'
  const text = JSON.stringify({
    note: `Call\nana.lee@example.com, or "${id.toUpperCase()}".`,
    to: 'mailto:Bo@example.com?x',
    phone: '+61412345678',
  })
  const isFound = async (known: string) => {
    const { rows } = await app.owner.query('select mention_keys($1) && keys_of($2, $3) as found', [
      text,
      known === id ? [known] : [],
      known === id ? [] : [known],
    ])
    return rows[0].found
  }
  // The last digits of a number are enough to find its spellings; whether it is the same number is decided afterwards.
  for (const known of [id, 'ana.lee@example.com', 'bo@example.com', '+61412345678', '0412 345 678', '(0412) 345-678'])
    expect([known, await isFound(known)]).toEqual([known, true])
  for (const other of ['lee@example.com', 'x@example.com', '412345670', '345678'])
    expect([other, await isFound(other)]).toEqual([other, false])
})
