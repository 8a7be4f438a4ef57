import type { PoolClient } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWrite, uploadOf } from '../../src/http/endpoint.ts'
import { type Ids, idsFor, type Operation, probed } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

/**
 * A write about a record that another session is deleting waits for it, and is then answered as if the record had been deleted before.
 * Writes are tried as dry runs, and the record comes back.
 */
let app: Harness
let ws: TestWorkspace
let ids: Ids
let tables: Map<string, string>
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
  tables = await tablesOf(Object.values(ids))
}, 120_000)
afterAll(() => app.close())

/** Writes that need not wait, and why. */
const AT_ONCE: Record<string, RegExp> = {
  'the last part of the path names a member, a contact or an account, and the write is about its link':
    /:\w+\/.*:(user_id|contact_id)$|\/plans\/:user_id$|^PATCH \/mailboxes\/:mailbox_id$|\/list-enrolments$/,
  'what it makes is a copy, of what it read': /\/duplicate$|\/revert$|\/resend$|\/deliveries\/:delivery_id\/replay$|\/test-send$/,
  'a dry run ends before the call of the provider, and what follows is a request of its own': /\/sync-help-center$/,
}
const isAtOnce = ({ name }: Operation) => Object.values(AT_ONCE).some((names) => names.test(name))

const entriesOf = (part: unknown): string[] => Object.keys((part as { entries?: object } | undefined)?.entries ?? {})
const lastParameter = ({ endpoint }: Operation) => /^.*:(\w+)/.exec(endpoint.path)?.[1]
const writes = probed.filter(
  (one) => isWrite(one.endpoint) && !uploadOf(one.endpoint) && entriesOf(one.endpoint.query).includes('dry_run') && lastParameter(one),
)

/** The table that each record is in, by its id. */
async function tablesOf(known: string[]): Promise<Map<string, string>> {
  const uuids = known.filter((id) => /^[0-9a-f-]{36}$/.test(id))
  const { rows } = await app.owner.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and 2 = (select count(*) from pg_attribute a where a.attrelid = c.oid and a.attname in ('workspace_id', 'id'))`,
  )
  const union = rows.map(({ name }) => `select id::text, '${name}' as name from ${name} where workspace_id = $1 and id::text = any ($2)`)
  const found = await app.owner.query<{ id: string; name: string }>(union.join(' union all '), [ws.id, uuids])
  return new Map(found.rows.map(({ id, name }) => [id, name]))
}

/** Deletes the row alone, in a transaction that is left open. The function that is returned commits that, and the other brings it back. */
async function deleteRow(other: PoolClient, table: string, id: string) {
  await other.query('begin; set local session_replication_role = replica')
  const { rows } = await other.query(`delete from ${table} t where id = $1 returning to_jsonb(t) as row`, [id])
  const columns = await other.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
      where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
  )
  return async () => {
    const { names } = columns.rows[0] as { names: string }
    await other.query('begin; set local session_replication_role = replica')
    await other.query(`insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table}, $1)`, [rows[0]?.row])
    await other.query('commit')
  }
}

const summaryOf = ({ status, body }: ApiResponse) => `${status} ${body?.error?.code ?? ''}`
const WAITING = 'select from pg_stat_activity where datname = current_database() and $1 = any (pg_blocking_pids(pid))'

/** How the write is answered when the record has gone, and when it goes meanwhile. */
async function answers(other: PoolClient, operation: Operation, table: string, id: string) {
  const call = () => sendSample(app, ws, operation, ids, { query: { dry_run: 'true' } })
  const [{ pid }] = (await other.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }]
  const back = await deleteRow(other, table, id)
  let isDone = false
  const answer = call().finally(() => {
    isDone = true
  })
  let waits = false
  while (!isDone && !waits) waits = (await app.owner.query(WAITING, [pid])).rowCount !== 0
  await other.query('commit')
  const during = summaryOf(await answer)
  const after = summaryOf(await call())
  await back()
  return { during: waits ? during : `${during} at once`, after }
}

test('a write beside the deletion of its record is answered as after it', { timeout: 300_000 }, async () => {
  const other = await app.owner.connect()
  const faults: string[] = []
  let tried = 0
  try {
    for (const operation of writes) {
      const id = idsFor(operation, ids)[lastParameter(operation) as string] as string
      const table = tables.get(id)
      // A name, the row of a link, or a record that is deleted already.
      if (!table) continue
      const { during, after } = await answers(other, operation, table, id)
      tried += 1
      if (during !== after && !isAtOnce(operation)) faults.push(`${operation.name} (${table}): ${during}, and ${after} afterwards`)
    }
  } finally {
    other.release()
  }
  expect(faults).toEqual([])
  expect(tried).toBeGreaterThan(250)
})
