import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

test('of many updates of the same version, one succeeds and the others get 412', async () => {
  const ws = await app.workspace()
  const made = await ws.post('/contacts', { first_name: 'A' })
  const { id } = made.body.data
  const headers = { 'if-match': made.headers.get('etag') as string }
  const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ws.patch(`/contacts/${id}`, { city: `C${i}` }, headers)))
  expect(statuses(answers)).toEqual([200, ...Array(11).fill(412)])
  expect(answers.find(({ status }) => status === 412)?.body.error).toMatchObject({ code: 'PRECONDITION_FAILED', details: { version: 2 } })
  expect((await ws.get(`/contacts/${id}`)).body.data.version).toBe(2)
})

test('without If-Match all apply, one after the other, and the history is a chain', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'A', city: 'C' })).body.data
  await Promise.all(Array.from({ length: 12 }, (_, i) => ws.patch(`/contacts/${id}`, { city: `C${i}` })))
  const history = (await ws.get(`/contacts/${id}/history`)).body.data.reverse()
  expect(history.map(({ version }: { version: number }) => version)).toEqual(Array.from({ length: 13 }, (_, i) => i + 1))
  const links = history.slice(1).map(({ fields }: { fields: { city: { before: string; after: string } } }) => fields.city)
  for (const [i, { before }] of links.slice(1).entries()) expect(before).toBe(links[i].after)
})

test('bulk updates of the same records in opposite orders both go through', async () => {
  const ws = await app.workspace()
  const { results } = (await ws.post('/contacts/bulk-create', { records: Array.from({ length: 50 }, (_, i) => ({ first_name: `C${i}` })) }))
    .body.data
  const ids = results.map(({ id }: { id: string }) => id)
  const update = (order: string[], city: string) => ws.post('/contacts/bulk-update', { records: order.map((id) => ({ id, city })) })
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => update(i % 2 ? ids : ids.toReversed(), `C${i}`)))
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body.data.results).toHaveLength(50)
  }
})

test('cards that are moved at once end on one stage, and their history leads there', async () => {
  const ws = await app.workspace()
  const { stages } = (await ws.get('/pipelines')).body.data[0]
  const { id } = (await ws.post('/opportunities', { name: 'Deal' })).body.data
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => ws.post(`/opportunities/${id}/move`, { stage_id: stages[i % stages.length].id })),
  )
  expect(statuses(answers)).toEqual(Array(12).fill(200))
  const moves = (await ws.get(`/opportunities/${id}/stage-history`)).body.data.reverse()
  for (const [i, move] of moves.slice(1).entries()) expect(move.from_stage_id).toBe(moves[i].to_stage_id)
  expect((await ws.get(`/opportunities/${id}`)).body.data.stage_id).toBe(moves.at(-1).to_stage_id)
})

test('a record deleted twice at once is deleted once', async () => {
  const ws = await app.workspace()
  const { id } = (await ws.post('/contacts', { first_name: 'A' })).body.data
  expect(statuses(await Promise.all(Array.from({ length: 6 }, () => ws.delete(`/contacts/${id}`))))).toEqual([200, ...Array(5).fill(404)])
})
