import { afterEach, expect, test } from 'vitest'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { created, found, held, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const task = async (fields: Row = {}) => created(await crm.ws.post('/tasks', { title: 'Call Ana', ...fields }))
const read = async (id: string) => found(await crm.ws.get(`/tasks/${id}`))
const types = async (id: string) => (await crm.events(id)).map(({ type }) => type)
const unknown = (...paths: string[]) => ({
  code: 'VALIDATION_ERROR',
  details: { issues: paths.map((path) => expect.objectContaining({ path })) },
})
const calls = ['create', 'update', 'complete', 'delete']

/** Statements of each trip to the database. */
let trips: number[] = []
afterEach(() => {
  crm.app.proxy.onRequest = undefined
})
async function counting<Out>(call: () => Promise<Out>): Promise<Out> {
  await crm.app.drain()
  trips = []
  crm.app.proxy.onRequest = (request) => {
    const queries: NeonQuery[] = 'queries' in request ? request.queries : [request]
    if (/begin_request/.test(queries[0]!.query)) trips.push(queries.length)
  }
  return call()
}

test('of a bulk-create the good records are made, and each bad one says why it is not', async () => {
  await task({ external_id: 'taken' })
  const former = await crm.formerMember()
  const { id: contact_id } = await crm.contact()
  const records = [
    { title: 'One', contact_id, status: 'completed', priority: 'high' },
    { title: '' },
    { title: 'Two', contact_id: nobody, customer_id: nobody },
    { title: 'Three', assigned_to: former },
    { title: 'Four', external_id: 'taken' },
    { title: 'Five', assigned_to: crm.ws.userId, due_at: '2026-03-31T09:30:00Z' },
    'six',
  ]
  const { results, skipped, errors } = found(await crm.ws.post('/tasks/bulk-create', { records }))
  expect(results).toMatchObject([
    { id: uuid, title: 'One', contact_id, status: 'completed', priority: 'high', created_by: crm.ws.userId, all_day: false, version: 1 },
    { id: uuid, title: 'Five', assigned_to: crm.ws.userId, due_at: '2026-03-31T09:30:00.000Z', status: 'open', priority: 'normal' },
  ])
  expect(skipped).toEqual([])
  expect(errors).toMatchObject([
    { index: 1, error: unknown('title') },
    { index: 2, error: unknown('contact_id', 'customer_id') },
    { index: 3, error: unknown('assigned_to') },
    { index: 4, error: { code: 'CONFLICT' } },
    { index: 6, error: { code: 'VALIDATION_ERROR' } },
  ])
  expect(await read(results[0].id)).toEqual(results[0])
  expect(await types(results[0].id)).toEqual(['task.created', 'task.completed'])
  expect(await types(results[1].id)).toEqual(['task.created'])
  expect(await crm.count('tasks')).toBe(3)
})

test('a bulk-update changes each record as its own patch says', async () => {
  const [one, two, three] = [await task({ priority: 'high' }), await task({ due_at: '2026-03-31T09:30:00Z' }), await task()]
  const foreign = created(await (await crm.app.workspace()).post('/tasks', { title: 'Theirs' }))
  const records = [
    { id: one.id, status: 'completed' },
    { id: two.id, due_at: null, title: 'Write to Ana' },
    { id: three.id, opportunity_id: nobody },
    { id: foreign.id, title: 'Mine now' },
    { id: one.id, title: 'Twice' },
    { title: 'No id' },
    { id: two.id.slice(1), title: 'Bad id' },
  ]
  const { results, errors } = found(await crm.ws.post('/tasks/bulk-update', { records }))
  expect(results).toMatchObject([
    { id: one.id, status: 'completed', priority: 'high', title: 'Call Ana', version: 2 },
    { id: two.id, due_at: null, title: 'Write to Ana', status: 'open', version: 2 },
  ])
  expect(errors).toMatchObject([
    { index: 2, id: three.id, error: unknown('opportunity_id') },
    { index: 3, id: foreign.id, error: { code: 'NOT_FOUND' } },
    { index: 4, id: one.id, error: unknown('id') },
    { index: 5, error: unknown('id') },
    { index: 6, error: unknown('id') },
  ])
  expect(await types(one.id)).toEqual(['task.created', 'task.updated', 'task.completed'])
  expect((await read(three.id)).version).toBe(1)
})

test('an external_id that another task has, or asks for first, is the fault of that record alone', async () => {
  const [one, two, three, four] = [await task({ external_id: 'a' }), await task({ external_id: 'b' }), await task(), await task()]
  const records = [
    { id: one.id, external_id: 'c' },
    { id: two.id, external_id: 'a' },
    { id: three.id, external_id: 'c' },
    { id: four.id, external_id: 'd', title: 'Fine' },
  ]
  const { results, errors } = found(await crm.ws.post('/tasks/bulk-update', { records }))
  expect(ids(results)).toEqual([one.id, four.id])
  expect(errors).toMatchObject([
    { index: 1, id: two.id, error: { code: 'CONFLICT' } },
    { index: 2, id: three.id, error: { code: 'CONFLICT' } },
  ])
  const kept = await Promise.all([one, two, three, four].map(async ({ id }) => (await read(id)).external_id))
  expect(kept).toEqual(['c', 'b', null, 'd'])
  expect(
    found(await crm.ws.post('/tasks/bulk-update', { records: [{ id: two.id, external_id: 'b', title: 'Own' }] })).results,
  ).toHaveLength(1)
})

test('a bulk-complete skips what is completed, so running it again is safe', async () => {
  const [one, two, done] = [await task(), await task({ status: 'in_progress' }), await task({ status: 'completed' })]
  const foreign = created(await (await crm.app.workspace()).post('/tasks', { title: 'Theirs' }))
  const body = { ids: [one.id, two.id, done.id, nobody, foreign.id, one.id] }
  const { results, skipped, errors } = found(await crm.ws.post('/tasks/bulk-complete', body))
  expect(results).toMatchObject([one, two].map(({ id }) => ({ id, status: 'completed', completed_at: expect.any(String), version: 2 })))
  expect(skipped).toEqual([
    { index: 2, id: done.id, reason: 'Already completed' },
    { index: 5, id: one.id, reason: 'Duplicate id in request' },
  ])
  expect(errors).toMatchObject([3, 4].map((index) => ({ index, id: body.ids[index], error: { code: 'NOT_FOUND' } })))
  expect(await read(done.id)).toEqual(done)
  expect(await read(one.id)).toEqual(results[0])
  const again = found(await crm.ws.post('/tasks/bulk-complete', { ids: [one.id, two.id] }))
  expect([again.results, again.skipped.length]).toEqual([[], 2])
})

test('of two bulk-completes at once each task is completed by one', async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => task()))
  const forth = ids(made)
  const answers = await Promise.all([forth, forth.toReversed(), forth].map((ids) => crm.ws.post('/tasks/bulk-complete', { ids })))
  const done = answers.flatMap((answer) => ids(found(answer).results))
  expect(done.toSorted()).toEqual(forth.toSorted())
  expect(answers.flatMap((answer) => found(answer).skipped)).toHaveLength(16)
  for (const id of forth) expect(await types(id)).toEqual(['task.created', 'task.updated', 'task.completed'])
})

test('a bulk-delete reports the outcome of each id', async () => {
  const [one, two] = [await task(), await task()]
  const { results, skipped, errors } = found(await crm.ws.post('/tasks/bulk-delete', { ids: [one.id, nobody, one.id] }))
  expect(results).toEqual([{ id: one.id, deleted: true }])
  expect(skipped).toMatchObject([{ index: 2, id: one.id }])
  expect(errors).toMatchObject([{ index: 1, id: nobody, error: { code: 'NOT_FOUND' } }])
  expect(ids(found(await crm.ws.get('/tasks')))).toEqual([two.id])
})

test.each(calls)('a bulk-%s of none or of more than 100 is a 400', async (call) => {
  const field = ['create', 'update'].includes(call) ? 'records' : 'ids'
  const item = field === 'ids' ? nobody : { title: 'Call' }
  for (const length of [0, 101])
    expect(await crm.ws.post(`/tasks/bulk-${call}`, { [field]: Array.from({ length }, () => item) })).toMatchObject(refused(field))
  expect(await crm.ws.post(`/tasks/bulk-${call}`, { [field]: item })).toMatchObject(refused(field))
  expect(await crm.count('tasks')).toBe(0)
})

test('100 at once take one trip and at most five statements', async () => {
  const { id: contact_id } = await crm.contact()
  const about = (i: number) => ({ contact_id, assigned_to: crm.ws.userId, external_id: `a-${i}` })
  const records = Array.from({ length: 100 }, (_, i) => ({ title: `Task ${i}`, ...about(i) }))
  const made = found(await counting(() => crm.ws.post('/tasks/bulk-create', { records }))).results as Row[]
  const patches = made.map(({ id }, i) => ({ id, title: `Job ${i}`, ...about(i + 100) }))
  const rest: [string, unknown][] = [
    ['update', { records: patches }],
    ['complete', { ids: ids(made) }],
    ['delete', { ids: ids(made) }],
  ]
  expect([made.length, trips]).toEqual([100, [expect.toSatisfy((count) => count <= 5)]])
  for (const [call, body] of rest) {
    const { results } = found(await counting(() => crm.ws.post(`/tasks/bulk-${call}`, body)))
    expect([results.length, trips], call).toEqual([100, [expect.toSatisfy((count) => count <= 5)]])
  }
})

test('a bulk call that waits for approval has not happened', async () => {
  const { id } = await task()
  expect(await crm.ws.post('/tasks/bulk-complete', { ids: [id], require_approval: true })).toMatchObject(held)
  expect(await crm.ws.post('/tasks/bulk-create', { records: [{ title: 'Two' }], require_approval: true })).toMatchObject(held)
  expect(found(await crm.ws.get('/tasks'))).toMatchObject([{ id, status: 'open' }])
})
