import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limitDependants } from '../deleting.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, idFor, type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/** Dependants of each record, more than a request deletes itself. */
const [MANY, MOST] = proving ? [20_000, 2_000] : [12, 8]

let app: Harness
let ws: TestWorkspace
let ids: Ids

beforeAll(async () => {
  app = await start({ own: true, seldomLogs: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
  await limitDependants(app, MOST)
}, 300_000)
afterAll(() => app.close())

type Cascade = { parent: string; child: string; col: string }
const rowsOf = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> => (await app.owner.query(text, values)).rows

/** The table of the records that an endpoint deletes, if its path says so. */
const tableOf = ({ endpoint: { path } }: Operation) => (/\/([\w-]+)\/:\w+$/.exec(path)?.[1] ?? '').replaceAll('-', '_')
const deletions = operations.filter(
  ({ endpoint: { method, path, successor } }) => method === 'DELETE' && !successor && /^[^:]+\/:\w+$/.test(path),
)

/** Rows like one of the workspace, with other ids and unique values, written behind the back of triggers and foreign keys. */
async function copies(table: string, like: string, patch: Record<string, string>, count: number): Promise<string[]> {
  const columns = await rowsOf<{ name: string; type: string; is_unique: boolean }>(
    `select a.attname as name, a.atttypid::regtype::text as type, exists (select from pg_index i where i.indrelid = a.attrelid and i.indisunique
        and a.attnum = any (i.indkey::int2[])) as is_unique from pg_attribute a
      where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`,
    [table],
  )
  const fresh: Record<string, string> = {
    uuid: 'uuidv7()',
    text: 'md5(n::text || random()::text)',
    integer: '1000000 + n',
    bytea: 'sha256((n::text || random()::text)::bytea)',
  }
  const values = columns.map(({ name, type, is_unique }) => {
    if (name === 'id') return 'uuidv7()'
    if (patch[name] !== undefined) return `'${patch[name]}'`
    return is_unique && name !== 'workspace_id' && fresh[type] ? `case when t."${name}" is not null then ${fresh[type]} end` : `t."${name}"`
  })
  const client = await app.owner.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    const { rows } = await client.query(
      `insert into ${table} (${columns.map(({ name }) => `"${name}"`)}) select ${values} from ${table} t, generate_series(1, ${count}) n
        where t.workspace_id = $1 and ${like} on conflict do nothing returning to_jsonb(${table}) ->> 'id' as id`,
      [ws.id],
    )
    await client.query('commit')
    return rows.map((row) => row.id)
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** The columns that link a row to a record. An activity lists its contacts, too. */
const linkedTo = (child: string, col: string, id: string): Record<string, string> => ({
  [col]: id,
  ...(child === 'activities' && col === 'contact_id' && { contact_ids: `{${id}}` }),
})

describe('every cascade', () => {
  test('is done, or goes on as a job, however many dependants there are', async () => {
    const cascades = await rowsOf<Cascade>(
      `select parent::text, child::text, col from foreign_keys() where on_delete in ('c', 'n') and parent <> child order by 1, 2, 3`,
    )
    const [failed, untried]: [string[], string[]] = [[], []]
    let tried = 0
    for (const operation of deletions) {
      const [table, parameter] = [tableOf(operation), /:(\w+)$/.exec(operation.endpoint.path)?.[1] as string]
      const template = idFor(parameter, ids)
      for (const { child, col } of cascades.filter(({ parent }) => parent === table)) {
        const name = `${operation.name}: ${child}.${col}`
        const [of] = await rowsOf<{ place: string }>(
          `select ctid::text as place from ${child} where workspace_id = $1 order by ${col} is null, ctid limit 1`,
          [ws.id],
        )
        if (!template || !of) {
          untried.push(name)
          continue
        }
        const made = await copies(table, `t.id = '${template}'`, {}, 1)
          .then(async ([parent]) => ({
            parent,
            children: parent ? await copies(child, `t.ctid = '${of.place}'`, linkedTo(child, col, parent), MANY) : [],
          }))
          .catch((error: Error) => ({ parent: undefined, children: [], error }))
        if (!made.parent || made.children.length === 0) {
          untried.push(`${name} ${'error' in made ? made.error.message : ''}`)
          continue
        }
        tried++
        const { status, body } = await sendSample(app, ws, operation, { ...ids, [parameter]: made.parent }, {})
        if (status === 202) await app.cron('* * * * *')
        if (status === 202) await app.drain()
        // Of a record whose row stays, such as a connection that ends in the background, nothing goes.
        const [left] = await rowsOf<{ count: number }>(
          `select count(*)::int from ${child} where workspace_id = $1 and ${col} = $2
            and (not exists (select from ${table} where id = $2) or exists (select from deletions where record_id = $2))`,
          [ws.id, made.parent],
        )
        if (status >= 500 || (status < 300 && left?.count !== 0))
          failed.push(`${name}: ${status} ${JSON.stringify(body)}, ${left?.count} left`)
      }
    }
    expect(failed).toEqual([])
    // The others have no row of the sample data to copy, or rules that a copy breaks.
    expect(tried).toBeGreaterThan(95)
    expect(untried.length).toBeLessThan(50)
  }, 3_600_000)
})

describe('the deletion of a contact without dependants', () => {
  test('keeps one row and writes one change, in a bounded number of statements', async () => {
    const client = await app.owner.connect()
    try {
      await client.query(`select set_config('app.workspace_id', $1, false)`, [ws.id])
      const { rows: made } = await client.query(`insert into contacts (first_name) select 'Ana' from generate_series(1, 3) returning id`)
      await client.query('delete from contacts where id = $1', [made[0].id])
      await client.query(
        `create extension if not exists pg_stat_statements; set pg_stat_statements.track = 'all'; select pg_stat_statements_reset()`,
      )
      await client.query('delete from contacts where id = $1', [made[1].id])
      await client.query(`set pg_stat_statements.track = 'none'`)
      const { rows } = await client.query(
        `select sum(calls)::int as all, sum(calls) filter (where query like 'insert into deleted_rows%')::int as kept,
          sum(calls) filter (where query like '%record_version(%')::int as recorded
          from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())`,
      )
      expect(rows[0]).toMatchObject({ kept: 1, recorded: 1 })
      expect(rows[0].all).toBeLessThan(140)
    } finally {
      client.release()
    }
  })
})
