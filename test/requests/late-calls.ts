import type { Harness } from '../harness.ts'
import { addNeighbours, lockedTables, type Neighbours, type Origin, reached, savepoint } from './neighbours.ts'
import { collectWrites, type RowWrite, textsOf } from './written-rows.ts'

/** Calls of SQL functions with what was true before, and with what is true now; whatever a call does is rolled back. */
export interface Called {
  /** The tables that it wrote to. */
  changed: string[]
  /** The code and the message of its refusal. */
  refused?: string
  /** When its transaction began. */
  now: string
  result?: unknown
  /** The tables with a row that it locked and did not change. */
  locked: string[]
  /** With neighbours: the tables with one that was reached, how many twins the row had, and why others could not be added. */
  touched?: string[] | undefined
  twins?: number | undefined
  refusals?: string[] | undefined
  /** What it wrote to rows, if the database reports it. */
  written?: RowWrite[]
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
  /** In what each twin of the row differs from it, besides its key: what the call takes to find rows that belong to it. */
  differs?: Record<string, Sql>[]
  /** The tables of which it changes or locks rows beside that of the case, too. */
  touches?: string[]
  /** Whether it is about all rows, and not the one of an id. */
  isAboutAll?: boolean
  /** Each makes the call late: other arguments, or a statement that changes what was read. */
  late: Record<string, Record<string, Sql> | Sql>
}

export const NOBODY = '00000000-0000-4000-8000-000000000001'

const COUNTS =
  'select relname, (n_tup_ins + n_tup_upd + n_tup_del)::int as n from pg_stat_xact_user_tables where n_tup_ins + n_tup_upd + n_tup_del > 0'

/** Prepares by statements without triggers, calls with them, and rolls everything back. `beside`: the row whose neighbours are added. */
export async function call(
  app: Harness,
  workspaceId: string,
  before: (string | Call)[],
  { text, values = [] }: Call,
  { afterwards, beside }: { afterwards?: string | undefined; beside?: Origin | 'nothing' | undefined } = {},
): Promise<Called> {
  const client = await app.owner.connect()
  const counts = async () =>
    new Map((await client.query<{ relname: string; n: number }>(COUNTS)).rows.map(({ relname, n }) => [relname, n]))
  const withoutTriggers = 'set local session_replication_role = replica'
  const withTriggers = 'set local session_replication_role = origin'
  try {
    await client.query(`begin; ${withoutTriggers}; select set_config('app.workspace_id', '${workspaceId}', true)`)
    for (const each of before) await (typeof each === 'string' ? client.query(each) : client.query(each.text, each.values))
    const now = (await client.query<{ now: string }>("select to_json(now()) #>> '{}' as now")).rows[0]?.now as string
    let neighbours: Neighbours | undefined
    if (beside) {
      await client.query(withTriggers)
      const before = await savepoint(client)
      await client.query(text, values)
      const places = await reached(client, before)
      await client.query(withoutTriggers)
      // In the order of ids, the first row is a twin.
      await client.query('set local enable_seqscan = off; set local enable_bitmapscan = off')
      neighbours = await addNeighbours(client, places, beside === 'nothing' ? undefined : beside)
    }
    await client.query(withTriggers)
    const since = await savepoint(client)
    const earlier = await counts()
    try {
      const written = collectWrites(client)
      const { rows } = await client.query<Values>(text, values)
      client.removeAllListeners('notice')
      const later = await counts()
      const changed = [...later].filter(([name, n]) => n !== (earlier.get(name) ?? 0)).map(([name]) => name)
      const last = afterwards === undefined ? rows : (await client.query<Values>(afterwards)).rows
      const result = Object.values(last[0] ?? {})[0]
      const { twins, refusals } = neighbours ?? {}
      return {
        changed,
        result,
        locked: await lockedTables(client, since),
        touched: await neighbours?.touched(),
        twins,
        refusals,
        written,
        now,
      }
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      // What the application refuses; any other error is one of the case.
      if (!code?.startsWith('WK')) throw new Error(`${message}: ${text}`, { cause: error })
      return { changed: [], locked: [], refused: `${code} ${message}`, now }
    }
  } finally {
    client.removeAllListeners('notice')
    await client.query('rollback')
    client.release()
  }
}

/** The texts of what a call wrote, and of the tables with rows that it locked and did not change. */
export const wroteAndLocked = ({ written = [], locked }: Called, names: ReadonlyMap<string, string>): string[] =>
  [...textsOf(written, names), ...locked.map((table) => `locks ${table}`)].sort()

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
  return (late: Record<string, Sql> | Sql = {}, isBeside = false) => {
    const [more, others] = typeof late === 'string' ? [[late], {}] : [[], late]
    const args = { ...(takesWorkspace ? { p_workspace: '$ws' } : {}), ...one.args, ...others }
    const invoked = `${name}(${Object.entries(args)
      .map(([parameter, value]) => `${parameter} => ${value}`)
      .join(', ')})`
    const text = `select ${(one.accepted ?? '%').replace('%', invoked)} from ${table} t where t.workspace_id = $ws and t.${key} = $row`
    const changes = more.map((each) =>
      each.startsWith('set ') ? `update ${table} ${each} where workspace_id = $ws and ${key} = $row` : each,
    )
    const statements = [...before, ...changes].map(filled)
    return call(
      app,
      workspaceId,
      statements,
      { text: filled(text) },
      {
        afterwards: one.afterwards && filled(one.afterwards),
        ...(isBeside && { beside: one.isAboutAll ? 'nothing' : { table, key, row: String(row), differs: one.differs } }),
      },
    )
  }
}
