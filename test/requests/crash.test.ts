import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

/** For every contact: its versions are 1 to n, each with one change and one event, whatever the callers heard. */
async function books(workspaceId: string) {
  const { rows } = await app.owner.query(
    `select (select coalesce(sum(version), 0) from contacts where workspace_id = $1)::int as versions,
      (select count(*) from changes where workspace_id = $1 and entity = 'contact')::int as changes,
      (select count(*) from outbox where workspace_id = $1 and entity = 'contact')::int as events,
      (select count(*) from (select entity_id, version from changes where workspace_id = $1 and entity = 'contact' group by 1, 2
        having count(*) > 1) twice)::int as twice,
      (select count(*) from outbox where workspace_id = $1 and needs_delivery and delivered_at is null)::int as waiting`,
    [workspaceId],
  )
  return rows[0] as { versions: number; changes: number; events: number; twice: number; waiting: number }
}

/** A run with 10,000 takes some minutes. */
const MUTATIONS = Number(process.env.CRASH_MUTATIONS ?? (proving ? 400 : 60))
const AT_ONCE = 100

test('killed at any moment, there are as many changes and events as commits, and the sweep delivers them all', {
  timeout: limit(900_000),
}, async () => {
  const ws = await app.workspace()
  const ids: string[] = []
  let answered = 0
  for (let round = 0; round < MUTATIONS / AT_ONCE; round++) {
    const known = ids.length
    // As soon as some have answered, the runtime dies with the others under way.
    const enough = answered + ((round * 37) % AT_ONCE)
    await new Promise<void>((dies) => {
      const writes = Array.from({ length: AT_ONCE }, async (_, i) => {
        const { body } = await (i % 2 === 0 || known === 0
          ? ws.post('/contacts', { first_name: `R${round}-${i}` })
          : ws.patch(`/contacts/${ids[i % known]}`, { city: `C${round}-${i}` }))
        if (i % 2 === 0) ids.push(body.data.id)
        if (++answered > enough) dies()
      })
      Promise.allSettled(writes).then(() => dies())
    })
    await app.restart()
  }
  const before = await books(ws.id)
  expect(before).toMatchObject({ changes: before.versions, events: before.versions, twice: 0 })
  // What was answered was committed; of the rest, whatever had left.
  expect(before.versions).toBeGreaterThanOrEqual(answered)
  expect(answered).toBeLessThan(MUTATIONS)

  // As if a listener wanted them all.
  await app.owner.query("update outbox set needs_delivery = true, claimed_at = claimed_at - interval '2 minutes' where workspace_id = $1", [
    ws.id,
  ])
  await app.cron('* * * * *')
  await app.drain()
  expect(await books(ws.id)).toMatchObject({ versions: before.versions, events: before.versions, waiting: 0 })
})

test('a response lost after the commit: the same Idempotency-Key returns it', async () => {
  const ws = await app.workspace()
  await app.drain()
  app.proxy.outage = 'lose_answer'
  const lost = await ws.post('/contacts', { first_name: 'Once' }, { 'idempotency-key': 'k' })
  app.proxy.outage = 'none'
  expect(lost).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
  expect(lost.headers.get('retry-after')).toBeTruthy()
  const again = await ws.post('/contacts', { first_name: 'Once' }, { 'idempotency-key': 'k' })
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await ws.get('/contacts')).body.data).toHaveLength(1)
})

test('while the database is unreachable, every call returns 503 with Retry-After', async () => {
  const ws = await app.workspace()
  await app.drain()
  app.proxy.outage = 'refuse'
  const answers = [await ws.get('/contacts'), await ws.post('/contacts', { first_name: 'x' })]
  const health = await app.fetch('/healthz')
  app.proxy.outage = 'none'
  for (const answer of answers) {
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
    expect(answer.headers.get('retry-after')).toBeTruthy()
  }
  expect(health.status).toBe(503)
  expect((await app.fetch('/healthz')).status).toBe(200)
})
