import type { Harness } from '../harness.ts'

/** Calls of SQL functions with what was true before, and with what is true now; whatever a call does is rolled back. */
export interface Called {
  /** The tables that it wrote to. */
  changed: string[]
  /** The code of its refusal. */
  refused?: string
  result?: unknown
}

type Values = Record<string, unknown>
/** A statement with its values. */
export type Call = { text: string; values?: unknown[] }
/** A statement that `$ws`, `$row` and `$other` are put into: the workspace, the row of the case, and an id that nothing has. */
type Sql = string

export interface Case {
  /** The table whose row has what is asked again. */
  table: string
  key?: string
  where?: Sql
  /** The columns of a row to add, if the sample data have none. */
  row?: Record<string, Sql>
  /** Statements that make the row what the present call expects, without triggers; `set` is an update of the row. */
  set?: Sql
  before?: Sql[]
  /** The arguments, in terms of the row `t`. */
  args: Record<string, Sql>
  /** The table that the present call changes, and a late one does not. */
  changes?: string
  /** What a late call may change all the same. */
  also?: string[]
  /** For a function that writes nothing itself: the condition for the call `%` to be accepted. */
  accepted?: Sql
  /** Or a statement after the call, which then returns true. */
  afterwards?: Sql
  /** Whether it is about all rows, and not the one of an id. */
  isAboutAll?: boolean
  /** Each makes the call late: other arguments, or a statement that changes what was read. */
  late: Record<string, Record<string, Sql> | Sql>
}

export const NOBODY = '00000000-0000-4000-8000-000000000001'
const TWIN = NOBODY.replace(/1$/, '3')

const COUNTS =
  'select relname, (n_tup_ins + n_tup_upd + n_tup_del)::int as n from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0'

/** Prepares by statements without triggers, calls with them, and rolls everything back. */
export async function call(
  app: Harness,
  workspaceId: string,
  before: (string | Call)[],
  { text, values = [] }: Call,
  afterwards?: string,
): Promise<Called> {
  const client = await app.owner.connect()
  const counts = async () =>
    new Map((await client.query<{ relname: string; n: number }>(COUNTS)).rows.map(({ relname, n }) => [relname, n]))
  try {
    await client.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${workspaceId}', true)`)
    for (const each of before) await (typeof each === 'string' ? client.query(each) : client.query(each.text, each.values))
    await client.query('set local session_replication_role = origin')
    const earlier = await counts()
    try {
      const { rows } = await client.query<Values>(text, values)
      const later = await counts()
      const changed = [...later].filter(([name, n]) => n !== (earlier.get(name) ?? 0)).map(([name]) => name)
      const last = afterwards === undefined ? rows : (await client.query<Values>(afterwards)).rows
      return { changed, result: Object.values(last[0] ?? {})[0] }
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      // What the application refuses; any other error is one of the case.
      if (!code?.startsWith('WK')) throw new Error(`${message}: ${text}`, { cause: error })
      return { changed: [], refused: message }
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** The row of a case, and how it is called with other arguments or after another statement. */
export async function callsOf(app: Harness, workspaceId: string, name: string, one: Case, takesWorkspace: boolean) {
  const { table, key = 'id' } = one
  let row: unknown
  const { rows } = one.row
    ? { rows: [{ [key]: key === 'workspace_id' ? workspaceId : NOBODY.replace(/1$/, '2') }] }
    : await app.owner.query<Values>(
        `select * from ${table} where workspace_id = $1 and ${filled(one.where ?? 'true')} order by ${key} limit 1`,
        [workspaceId],
      )
  row = rows[0]?.[key]
  if (row === undefined) throw new Error(`The sample data have no row of ${table}`)
  function filled(text: string): string {
    return text.replaceAll('$ws', `'${workspaceId}'`).replaceAll('$row', `'${row}'`).replaceAll('$other', `'${NOBODY}'`)
  }
  const columns = { workspace_id: '$ws', [key]: '$row', ...one.row }
  const before = [
    ...(one.row ? [`insert into ${table} (${Object.keys(columns).join(', ')}) values (${Object.values(columns).join(', ')})`] : []),
    ...(one.set ? [`update ${table} set ${one.set} where workspace_id = $ws and ${key} = $row`] : []),
    ...(one.before ?? []),
  ]
  /** A row that differs from that of the case in its key only, unless another is unique; and whether it is as it was. */
  const found = await app.owner.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  )
  const names = found.rows[0]?.names
  const twin = [
    `insert into ${table} (${names}) select ${names} from (select (jsonb_populate_record(t, '{"${key}": "${TWIN}"}')).* from ${table} t
      where t.workspace_id = $ws and t.${key} = $row) t on conflict do nothing`,
    `create temp table twin on commit drop as select to_jsonb(t) as stored from ${table} t where t.${key}::text = '${TWIN}'`,
  ]
  const isSame = `select (select to_jsonb(t) from ${table} t where t.${key}::text = '${TWIN}') is not distinct from (select stored from twin)`
  return (late: Record<string, Sql> | Sql = {}, isTwin = false) => {
    const [more, others] = typeof late === 'string' ? [[late], {}] : [[], late]
    const args = { ...(takesWorkspace ? { p_workspace: '$ws' } : {}), ...one.args, ...others }
    const invoked = `${name}(${Object.entries(args)
      .map(([parameter, value]) => `${parameter} => ${value}`)
      .join(', ')})`
    const text = `select ${(one.accepted ?? '%').replace('%', invoked)} from ${table} t where t.workspace_id = $ws and t.${key} = $row`
    const changes = more.map((each) =>
      each.startsWith('set ') ? `update ${table} ${each} where workspace_id = $ws and ${key} = $row` : each,
    )
    const statements = [...before, ...changes, ...(isTwin ? twin : [])].map(filled)
    const last = isTwin ? isSame : one.afterwards
    return call(app, workspaceId, statements, { text: filled(text) }, last && filled(last))
  }
}
