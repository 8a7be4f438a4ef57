import type pg from 'pg'

/** A column, and which column of which table its foreign key names. */
type Column = { name: string; type: string; required: boolean; defaults: boolean; parent: string | null; of: string }
/** A table with the columns of each unique key, and the conditions (such as "where is_primary") that a key may have. */
type Table = { name: string; columns: Column[]; keys: { columns: string[]; flags: string[] }[] }

/** Every table with a workspace. A generated column of a key stands for those that it is computed from. */
const TABLES = `
  select c.oid::regclass::text as name,
    (select json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, null), 'defaults', a.atthasdef,
        'required', a.attnotnull, 'parent', f.parent, 'of', f.of) order by a.attnum)
      from pg_attribute a left join lateral (select k.confrelid::regclass::text as parent, p.attname as of from pg_constraint k
          join pg_attribute p on p.attrelid = k.confrelid and p.attnum = k.confkey[array_upper(k.confkey, 1)]
          where k.conrelid = c.oid and k.contype = 'f' and k.conkey[array_upper(k.conkey, 1)] = a.attnum limit 1) f on true
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select json_agg(json_build_object('columns', array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid
          and a.attnum > 0 and a.attgenerated = '' and keyed.definition ~ ('\\m' || a.attname || '\\M')),
        'flags', array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.atttypid = 'bool'::regtype
          and pg_get_expr(i.indpred, c.oid) ~ ('^.?\\m' || a.attname || '\\M'))))
      from pg_index i, lateral (select string_agg(pg_get_indexdef(i.indexrelid, k, false), ' ') as texts
        from generate_series(1, i.indnkeyatts) k),
        lateral (select concat_ws(' ', texts, (select string_agg(pg_get_expr(d.adbin, c.oid), ' ') from pg_attribute g
          join pg_attrdef d on d.adrelid = c.oid and d.adnum = g.attnum
          where g.attrelid = c.oid and g.attgenerated <> '' and texts ~ ('\\m' || g.attname || '\\M'))) as definition) keyed
      where i.indrelid = c.oid and (i.indisunique or i.indisexclusion)) as keys
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id')
  order by 1`

/** How many rows of a table are copied. */
const COPIED = 200
/** A transaction before all others. */
const EARLIER = '(3 + k)::text::xid8'
/**
 * How copies differ in these columns where the catalogue does not say: `r` is the row, and `n` counts its copies, `k` those of all rows.
 */
const VARIED: Record<string, Record<string, string>> = {
  automation_triggers: { automation_id: nth('automations', '(select count(*) from automations where workspace_id = $1)'), starts: 'false' },
  // A member has few of them.
  availabilities: { user_id: '(array(select m.user_id from memberships m where m.workspace_id = $1 order by m.user_id))[k]' },
  busy_times: { starts_at: "r.starts_at - n * interval '1 hour'", ends_at: "r.ends_at - n * interval '1 hour'" },
  deleted_rows: { xid: EARLIER, id: '' },
  deletions: { xid: EARLIER, id: '' },
  host_claims: { starts_at: "r.starts_at - n * interval '1 day'", ends_at: "r.ends_at - n * interval '1 day'" },
  lead_tasks: { enrolment_id: nth('lead_enrolments') },
  lists: { name: "k || ' ' || r.name" },
  memberships: { user_id: `(array(select u.id from users u where u.email like 'grown%' || $1 order by u.email))[k]` },
  merge_entries: { merge_id: nth('merges'), id: '' },
  search_words: { word: 'md5(k || r.word)' },
  service_request_links: {
    request_id: `(array(select q.id from service_requests q where q.workspace_id = $1 and q.id < r.related_id order by q.id))[k]`,
  },
  time_off: { starts_at: "r.starts_at - n * interval '1 day'", ends_at: "r.ends_at - n * interval '1 day'" },
  // Each that is enabled gets every event.
  webhooks: { status: `'disabled'` },
  whiteboard_elements: { whiteboard_id: nth('whiteboards'), id: '' },
}
/** What the first row of a table has in these columns, where the catalogue does not say. */
const FIRST: Record<string, Record<string, string>> = {
  busy_times: { ends_at: "now() + interval '1 hour'" },
  custom_indexes: { status: "'ready'" },
  grant_requests: { sealed_verifier: "'sealed'" },
  list_members: { contact_id: first('contacts', 'id') },
  service_request_links: { related_id: first('service_requests', 'id').replace('min', 'max') },
  training_progress: { user_id: first('memberships', 'user_id') },
}
/** Tables of which a workspace, or one record, has a limited number of rows: what the copies leave room for. */
const BOUNDED: Record<string, number> = {
  approval_policies: 80,
  auto_queue_steps: 40,
  document_template_sections: 80,
  email_configs: 40,
  export_views: 80,
  followers: 80,
  import_files: 30,
  imports: 30,
  incoming_webhooks: 80,
  knowledge_agents: 15,
  lead_initiative_steps: 40,
  lists: 15,
  pipelines: 80,
  reputation_case_studies: 40,
  reputation_slugs: 80,
  service_request_links: 40,
  stages: 80,
  tracked_lists: 15,
  training_cards: 80,
  webhook_states: 80,
  webhooks: 80,
  whiteboard_elements: 80,
  work_order_statuses: 40,
}
/** Tables that have few rows in every workspace. */
const UNGROWN: Record<string, string> = {
  auto_responders: 'one for each of the workspace’s numbers and addresses',
  feed_followers: 'one for each kind of follower',
  feed_interests: 'one for each kind of follower',
  feed_wakes: 'what followers have not read yet',
  voice_providers: 'one for each provider',
}

/**
 * Copies the rows that a workspace has in each table until it has some `size` of them; an empty table gets a first row. Copies keep what
 * the row refers to, so that one record has them all, unless a key is unique. Triggers are off. Returns the tables that have fewer than
 * half of `size`.
 */
export async function grow(database: pg.Pool, workspaceId: string, size: number): Promise<string[]> {
  const client = await database.connect()
  const count = async (name: string): Promise<number> =>
    (await client.query(`select count(*)::int as count from ${name} where workspace_id = $1`, [workspaceId])).rows[0].count
  try {
    const { rows: tables } = await client.query<Table>(TABLES)
    await client.query(`select set_config('app.workspace_id', $1, false), set_config('session_replication_role', 'replica', false)`, [
      workspaceId,
    ])
    await client.query(
      `insert into users (email, full_name) select 'grown' || n || '@' || $1, 'Grown' from generate_series(1, $2::int) n
        on conflict do nothing`,
      [workspaceId, size],
    )
    const small: string[] = []
    for (const table of parentsFirst(tables.filter((table) => !(isSingle(table) || table.name in UNGROWN)))) {
      if ((await count(table.name)) === 0) await client.query(firstRow(table), [workspaceId])
      const rows = await count(table.name)
      const target = BOUNDED[table.name] ?? size
      if (rows < target) await client.query(copies(table, rows, target - rows), [workspaceId])
      if ((await count(table.name)) < target / 2) small.push(table.name)
    }
    await client.query('reset session_replication_role')
    await client.query('select order_links($1), recount_opportunities($1), recount_records($1)', [workspaceId])
    return small
  } finally {
    client.release(true)
  }
}

/** Whether a workspace has only one row of a table. */
const isSingle = ({ keys }: Table) => keys.some(({ columns, flags }) => columns.join() === 'workspace_id' && flags.length === 0)

function parentsFirst(tables: Table[]): Table[] {
  const left = new Set(tables)
  const names = ({ name, columns }: Table, other: Table) =>
    columns.some(({ parent }) => parent === other.name) ||
    Object.values(VARIED[name] ?? {}).some((text) => text.includes(`from ${other.name} `))
  const waits = (table: Table) => [...left].some((other) => other !== table && names(table, other))
  const ordered: Table[] = []
  while (left.size > 0) {
    // Tables may refer to each other.
    const next = [...left].find((table) => !waits(table)) ?? ([...left][0] as Table)
    ordered.push(next)
    left.delete(next)
  }
  return ordered
}

function firstRow({ name, columns }: Table): string {
  const values = new Map([['workspace_id', '$1'], ...Object.entries(FIRST[name] ?? {})])
  for (const column of columns)
    if (column.required && !column.defaults && !values.has(column.name)) values.set(column.name, firstValue(column))
  return `insert into ${name} (${[...values.keys()].join(', ')}) values (${[...values.values()].join(', ')})`
}

function firstValue({ type, parent, of }: Column): string {
  if (parent) return first(parent, of)
  if (type === 'uuid') return 'gen_random_uuid()'
  if (type === 'boolean') return 'false'
  if (type === 'bytea') return 'sha256(gen_random_uuid()::text::bytea)'
  if (type === 'date' || type.startsWith('timestamp')) return 'now()'
  if (type.endsWith('[]')) return "'{}'"
  return /int|double|numeric/.test(type) ? '1' : "'first'"
}

/** One after the other of the latest rows of a table. */
function nth(table: string, most = '50'): string {
  return `(select p.id from ${table} p where p.workspace_id = $1 order by p.id desc offset k % ${most} limit 1)`
}

function first(table: string, column: string): string {
  return `(select min(p.${column}::text)::uuid from ${table} p where p.workspace_id = $1)`
}

/** Each row of a table so often. A column of each key differs, what is chosen by a flag is not chosen again, and times are earlier ones. */
function copies({ name, columns, keys }: Table, rows: number, most: number): string {
  const times = Math.ceil(most / Math.min(rows, COPIED))
  const varied = new Map(Object.entries(VARIED[name] ?? {}))
  const named = new Map(columns.map((column) => [column.name, column]))
  if (named.get('id')?.defaults) varied.set('id', '')
  for (const { columns: key, flags } of keys) {
    if (key.some((column) => varied.has(column))) continue
    const choices = key.flatMap((name) => (name === 'workspace_id' ? [] : (named.get(name) ?? []))).toSorted((a, b) => ease(a) - ease(b))
    const [easiest] = choices
    if (flags[0]) varied.set(flags[0], 'false')
    // A row has one parent, of one of several kinds.
    else if (easiest?.parent && !easiest.required) for (const one of choices) varied.set(one.name, variation(one))
    else if (easiest) varied.set(easiest.name, variation(easiest))
  }
  for (const time of ['created_at', 'updated_at']) if (named.has(time)) varied.set(time, `r.${time} - n * interval '1 minute'`)
  const kept = columns.filter(({ name }) => varied.get(name) !== '')
  const parents = kept.filter((column) => column.parent && varied.get(column.name) === variation(column))
  return `insert into ${name} (${kept.map((column) => column.name).join(', ')})
    select ${kept.map(({ name }) => varied.get(name) ?? `r.${name}`).join(', ')}
      from (select *, row_number() over () as nth from ${name} where workspace_id = $1 limit ${COPIED}) r, generate_series(1, ${times}) n,
        lateral (select (r.nth - 1) * ${times} + n as k) number${parents.map(parentsOf).join('')} limit ${most} on conflict do nothing`
}

const isText = (type: string) => /^(text|char|bytea)/.test(type)
/** Which column of a key had better differ: one that refers to nothing. */
const ease = ({ type, parent }: Column): number => (parent ? (parent in BOUNDED ? 4 : 3) : isText(type) ? 0 : type === 'uuid' ? 2 : 1)

const parentsOf = ({ name, parent, of }: Column) => `,
        (select array(select p.${of} from ${parent} p where p.workspace_id = $1 order by p.${of}) as all) ${name}s`

function variation({ name, type, parent }: Column): string {
  const differing = () => {
    if (parent) return `${name}s.all[k % cardinality(${name}s.all) + 1]`
    if (type === 'uuid') return 'gen_random_uuid()'
    if (type === 'bytea') return 'sha256(gen_random_uuid()::text::bytea)'
    if (type === 'date') return `r.${name} - 37 * k::int`
    if (type.startsWith('timestamp')) return `r.${name} - n * interval '1 minute'`
    return isText(type) ? `k || 'x' || r.${name}` : `r.${name} + 1000 + k`
  }
  return `case when r.${name} is not null then ${differing()} end`
}
