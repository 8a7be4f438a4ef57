import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

const READS = proving ? 5000 : 200
/** At 50 reads a second for the two seconds that entries wait, a hundred come together; here they come at once. */
const AT_ONCE = 50

let app: Harness
let ws: TestWorkspace
const messages: { entries: number; bytes: number }[] = []
beforeAll(async () => {
  app = await start({ vars: { REQUEST_LOG_MILLISECONDS: '800' } })
  app.proxy.onRequest = (request) => {
    const [statement] = 'queries' in request ? request.queries : [request]
    if (!statement?.query.includes('record_requests')) return
    for (const message of JSON.parse(statement.params?.[0] as string) as { entries: unknown[] }[])
      messages.push({ entries: message.entries.length, bytes: JSON.stringify(message).length })
  }
  ws = await app.workspace()
})
afterAll(() => app.close())

const idOf = ({ headers }: ApiResponse) => headers.get('x-request-id') as string
type Row = { id: string; isolate: string; sequence: number; path: string; duration_ms: number | null; key_id: string }
async function logged(query: string, reader = ws): Promise<Row[]> {
  const all: Row[] = []
  for (let after = ''; ; ) {
    const { body } = await reader.get(`/requests?limit=37&${query}${after}`)
    all.push(...body.data)
    if (!body.page.next) return all
    after = `&after=${body.page.next}`
  }
}
const walBytes = async () => Number((await app.owner.query("select pg_current_wal_insert_lsn() - '0/0' as n")).rows[0].n)
const rowCount = async () => Number((await app.owner.query('select count(*) as n from requests')).rows[0].n)

test('reads of an isolate are sent together, and cost little to store', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => ws.post('/contacts', { first_name: `C${n}` })))
  const ids = made.map(({ body }) => body.data.id as string)
  await app.drain()
  messages.length = 0
  const [before, rowsBefore] = [await walBytes(), await rowCount()]
  const answers: ApiResponse[] = []
  for (let n = 0; n < READS; n += AT_ONCE)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) => (i % 2 ? ws.get('/contacts?limit=1') : ws.get(`/contacts/${ids[(n + i) % 20]}`))),
      )),
    )
  await app.drain()
  const wal = (await walBytes()) - before
  expect(messages.reduce((sum, { entries }) => sum + entries, 0)).toBe(READS)
  expect(messages.length / READS).toBeLessThanOrEqual(0.05)
  expect(((await rowCount()) - rowsBefore) / READS).toBeLessThanOrEqual(0.1)
  // The server counts the WAL of every session, so this holds only while no other test writes.
  if (proving) expect(wal / READS).toBeLessThanOrEqual(400)
  console.log(`${READS} reads: ${messages.length} messages, ${Math.round(wal / READS)} bytes of WAL each`)

  // Each is there by itself, once, in the order of time, whichever row it shares.
  const wanted = answers.map(idOf)
  const all = await logged('method=GET&path=/contacts/:contact_id')
  expect(all.map(({ id }) => id)).toEqual([...all.map(({ id }) => id)].sort().reverse())
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(all.filter(({ id }) => wanted.includes(id))).toHaveLength(READS / 2)
  const one = answers[4]!
  const { body } = await ws.get(`/requests/${idOf(one)}`)
  expect(body.data).toMatchObject({
    id: idOf(one),
    path: `/contacts/${ids[4]}`,
    endpoint: '/contacts/:contact_id',
    status: 200,
    changes: [],
    events: [],
  })
  expect(Math.abs(Date.parse(body.data.at) - Date.now())).toBeLessThan(600_000)
  expect((await ws.get(`/requests/${idOf(one)}/changes`)).body.data).toEqual([])
  const own = await logged(`path=/contacts/${ids[4]}`)
  expect(own.every(({ path }) => path === `/contacts/${ids[4]}`)).toBe(true)
  expect(own.map(({ id }) => id)).toContain(idOf(one))
  const from = await logged(`from=${body.data.at}&path=/contacts/:contact_id`)
  expect(from.map(({ id }) => id)).toEqual(all.map(({ id }) => id).filter((id) => id >= idOf(one).slice(0, 13)))
})

test('an isolate numbers the requests of each key, so a lost one shows to its own workspace alone', async () => {
  const [key, other] = [await ws.key(), await app.workspace()]
  for (let n = 0; n < 3; n++) await Promise.all([key.get('/contacts'), other.get('/contacts'), key.get('/contacts/nothing')])
  await app.drain()
  const rows = (await logged(`key_id=${key.keyId}`)).sort((a, b) => a.sequence - b.sequence)
  expect(new Set(rows.map(({ isolate }) => isolate)).size).toBe(1)
  expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6])
  expect((await logged(`key_id=${other.keyId}`, other)).map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3])

  // Killed with entries on their way, or unable to send them, it leaves a gap and a new isolate.
  const lost = await key.get('/contacts')
  await app.restart()
  const after = await key.get('/contacts')
  await app.drain()
  expect((await ws.get(`/requests/${idOf(lost)}`)).status).toBe(404)
  const { body } = await ws.get(`/requests/${idOf(after)}`)
  expect(body.data.sequence).toBe(1)
  expect(body.data.isolate).not.toBe(rows[0]!.isolate)
})

test('what cannot be stored is cleaned before it is logged, and takes no neighbour along', async () => {
  const other = await app.workspace()
  const neighbour = await other.get('/contacts')
  const odd = await Promise.all(
    ['/anything%00', '/contacts/%ED%A0%80', '/contacts/%0A%1B', `/${'x'.repeat(5000)}`].map((path) => ws.get(path)),
  )
  expect(odd.map(({ status }) => status)).toEqual([404, expect.any(Number), expect.any(Number), 404])
  await app.drain()
  expect((await other.get(`/requests/${idOf(neighbour)}`)).status).toBe(200)
  for (const answer of odd) {
    const { status, body } = await ws.get(`/requests/${idOf(answer)}`)
    expect(status).toBe(200)
    expect(body.data.path.length).toBeLessThanOrEqual(500)
    expect(body.data.path).not.toMatch(/\p{Cc}/u)
  }
})

test('a message stays below the limit of the queue, however long its paths are', async () => {
  await app.drain()
  messages.length = 0
  for (let n = 0; n < 3; n++) await Promise.all(Array.from({ length: 60 }, () => ws.get(`/${'%E6%BC%A2'.repeat(400)}`)))
  await app.drain()
  expect(messages.reduce((sum, { entries }) => sum + entries, 0)).toBe(180)
  expect(messages.length).toBeGreaterThan(1)
  expect(Math.max(...messages.map(({ bytes }) => bytes * 3))).toBeLessThan(128_000)
})
