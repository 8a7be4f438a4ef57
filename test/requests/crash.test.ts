import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

/** For every contact: its versions are 1 to n, each with one change and one event, whatever the callers heard. */
async function books(workspaceId: string) {
  const { rows } = await app.owner.query(
    `select (select coalesce(sum(version), 0) from contacts where workspace_id = $1)::int as versions,
      (select count(*) from changes where workspace_id = $1 and entity = 'contact')::int as changes,
      (select count(*) from outbox where workspace_id = $1 and entity = 'contact')::int as events,
      (select count(*) from (select entity_id, version from changes where workspace_id = $1 and entity = 'contact' group by 1, 2 having count(*) > 1) twice)::int as twice,
      (select count(*) from outbox where workspace_id = $1 and delivered_at is null)::int as waiting`,
    [workspaceId],
  )
  return rows[0] as { versions: number; changes: number; events: number; twice: number; waiting: number }
}

test('killed at any moment, there are as many changes and events as commits, and the sweep delivers them all', {
  timeout: 180_000,
}, async () => {
  const ws = await app.workspace()
  const ids: string[] = []
  for (let round = 0; round < 6; round++) {
    const writes = Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0 || ids.length === 0
        ? ws.post('/contacts', { first_name: `R${round}-${i}` }).then(({ body }) => void ids.push(body.data.id))
        : ws.patch(`/contacts/${ids[i % ids.length]}`, { city: `C${round}-${i}` }),
    )
    const settled = Promise.allSettled(writes)
    // As soon as some have answered, the runtime dies with the others under way.
    await Promise.race([Promise.any(writes.slice(round * 3, round * 3 + 3)), settled])
    await app.restart()
    await settled
  }
  const before = await books(ws.id)
  expect(before).toMatchObject({ changes: before.versions, events: before.versions, twice: 0 })
  expect(before.versions).toBeGreaterThan(0)

  await app.owner.query("update outbox set claimed_at = claimed_at - interval '2 minutes' where workspace_id = $1", [ws.id])
  await app.cron('* * * * *')
  await app.drain()
  expect(await books(ws.id)).toMatchObject({ versions: before.versions, events: before.versions, waiting: 0 })
})

test('an answer lost behind the commit: the same key finds what was done', async () => {
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

test('with the database out of reach, every call says so and when to try again', async () => {
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
