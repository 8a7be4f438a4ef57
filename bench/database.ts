import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createWorkspaces, fill } from './fill.ts'
import { runWorker, type Stack, startStack } from './stack.ts'

/**
 * Measures the CPU of PostgreSQL for a call of each kind, as the server's processes of the requests have used it, beside a bare insert into
 * a table with the same indexes. It leaves out the request log, which other sessions write.
 */

const { values } = parseArgs({ options: { rows: { type: 'string', default: '3000' }, calls: { type: 'string', default: '200' } } })
const [ROWS, CALLS] = [Number(values.rows), Number(values.calls)]
const ROUNDS = 5

/** Milliseconds on a CPU. */
const cpuOf = (pids: number[]) =>
  pids.reduce((sum, pid) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)

async function sessionsOf({ owner }: Stack): Promise<number[]> {
  const { rows } = await owner.query("select pid from pg_stat_activity where usename = 'app'")
  return rows.map(({ pid }) => pid)
}

/** The median of some rounds, in milliseconds for each call. */
async function measure(stack: Stack, call: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 20; n++) await call(n)
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const pids = await sessionsOf(stack)
    const before = cpuOf(pids)
    for (let n = 0; n < CALLS / ROUNDS; n++) await call(20 + round * CALLS + n)
    rounds.push((cpuOf(pids) - before) / (CALLS / ROUNDS))
  }
  return rounds.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
}

const stack = await startStack()
const client = await stack.owner.connect()
const worker = await runWorker('bench/bench-worker.ts', stack)
try {
  const [workspace] = await createWorkspaces(client)
  const { workspace_id: id, key } = workspace!
  await client.query(`select set_config('app.workspace_id', $1, false)`, [id])
  await fill(client, id, 0, ROWS)
  await client.query('vacuum analyze')
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(new URL(`/v1${path}`, worker.url), { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  }
  const contact: string = JSON.parse(await send('POST', '/contacts', { first_name: 'Busy', email: 'busy@example.com' })).data.id
  for (let n = 0; n < 30; n++) await send('POST', '/activities', { activity_type: 'note', subject: `Note ${n}`, contact_id: contact })
  const created: string[] = []
  const person = (n: number) => ({ first_name: 'Ana', last_name: `Lee${n}`, email: `ana${n}@example.com`, city: 'Perth' })
  const calls: [string, (n: number) => Promise<unknown>][] = [
    ['create a contact', async (n) => created.push(JSON.parse(await send('POST', '/contacts', person(n))).data.id)],
    ['update a contact', (n) => send('PATCH', `/contacts/${contact}`, { city: `Albany ${n}` })],
    ['get a contact', () => send('GET', `/contacts/${contact}`)],
    ['list 50 contacts', () => send('GET', '/contacts?limit=50')],
    ['timeline of a contact', () => send('GET', `/contacts/${contact}/timeline`)],
    ['email threads', () => send('GET', '/email/threads')],
    ['delete a contact', () => send('DELETE', `/contacts/${created.shift()}`)],
  ]
  for (const [name, call] of calls) console.log(`${name}: ${(await measure(stack, call)).toFixed(2)} ms of PostgreSQL`)

  await client.query('create table bare (like contacts including all)')
  const { rows } = await client.query(
    `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
      where attrelid = 'contacts'::regclass and attnum > 0 and attgenerated = ''`,
  )
  const insert = `insert into bare (${rows[0].columns}) select ${rows[0].columns} from contacts where id = $1`
  await client.query('grant insert on bare to app')
  const app = await stack.app.connect()
  await app.query(`select set_config('app.workspace_id', $1, false)`, [id])
  const { rows: people } = await client.query('select id from contacts where workspace_id = $1', [id])
  console.log(
    `bare insert: ${(await measure(stack, (n) => app.query(insert, [people[n % people.length].id]).catch(() => {}))).toFixed(2)} ms`,
  )
  app.release()
} finally {
  client.release()
  await worker.stop()
  await stack.stop()
}
