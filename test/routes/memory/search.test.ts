import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
const path = '/memory'
const remember = async (fields: Row, ws = crm.ws): Promise<Row> => created(await ws.post(path, fields))
const search = (query: string, more: Row = {}, ws = crm.ws) => ws.post(`${path}/search`, { query, ...more })

async function tick() {
  await crm.app.owner.query('update memory_vectors set due_at = now() where due_at is not null')
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}

test('memories are found by their words at once, and by meaning once they are embedded', async () => {
  crm.app.embeddings.fail('503', 4)
  const call = await remember({ text: 'Prefers to be called before noon' })
  const dog = await remember({ text: 'Her dog is called Rex-17' })
  await crm.app.drain()
  const early = await search('called noon')
  expect(found(early)).toMatchObject([{ id: call.id, vector_score: null }, { id: dog.id }])
  expect(found(await search('rex 17'))).toMatchObject([{ id: dog.id, words_score: expect.any(Number) }])
  expect(found(await search('telephone'))).toEqual([])
  await tick()
  const late = found(await search('to be called before noon'))
  expect(late[0]).toMatchObject({ id: call.id, vector_score: expect.any(Number), words_score: expect.any(Number) })
  expect(ids(found(await search('telephone')))).toEqual(expect.arrayContaining([call.id, dog.id]))
})

test('a corrected memory is found by what it says now, and one that holds no more only on request', async () => {
  const contact_id = (await crm.contact()).id
  const { id } = await remember({ contact_id, topic: 'Pet', text: 'Has a parrot' })
  await tick()
  found(await crm.ws.patch(`${path}/${id}`, { text: 'Has a hedgehog' }))
  expect(found(await search('parrot')).filter(({ words_score }) => words_score !== null)).toEqual([])
  expect(found(await search('hedgehog'))).toMatchObject([{ id }])
  await tick()
  expect(found(await search('hedgehog'))).toMatchObject([{ id, vector_score: expect.any(Number) }])
  const later = await remember({ contact_id, topic: 'Pet', text: 'Has a tortoise' })
  expect(ids(found(await search('hedgehog', { contact_id })))).not.toContain(id)
  expect(ids(found(await search('hedgehog', { contact_id, include_former: true })))).toContain(id)
  expect(ids(found(await search('tortoise', { contact_id: (await crm.contact()).id })))).toEqual([])
  expect(ids(found(await search('tortoise', { contact_id, limit: 1 })))).toEqual([later.id])
})

test('nothing of another workspace is found or moves a score, and nothing is shown to a key that may not read', async () => {
  const [one, other] = [await crm.app.workspace(), await crm.app.workspace()]
  const text = 'The alarm code is known to the caretaker'
  const { id } = await remember({ text }, one)
  await tick()
  const [before] = found(await search('alarm code', {}, one))
  for (const more of ['alarm', 'code', 'alarm code', 'caretaker']) await remember({ text: `${text} ${more}` }, other)
  await tick()
  expect(found(await search('alarm code', {}, one))).toEqual([before])
  expect(ids(found(await search('alarm code', {}, other)))).not.toContain(id)
  const writer = await one.key({ scopes: ['memory:write'] })
  expect(await search('alarm', {}, writer)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const reader = await one.key({ scopes: ['memory:read'], level: 'read_only' })
  expect(ids(found(await search('alarm', {}, reader)))).toEqual([id])
  expect(await reader.post(path, { text })).toMatchObject({ status: 403 })
  expect(await other.get(`${path}/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.delete(`${path}/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('while the provider is down memories are found by words, and one of another model is embedded again', async () => {
  const { id } = await remember({ text: 'Pays by the end of the month' })
  await tick()
  crm.app.embeddings.fail('503', 2)
  const answer = await search('end of the month')
  expect(answer.body._warnings).toMatchObject([{ code: 'SEARCHED_BY_WORDS' }])
  expect(found(answer)).toMatchObject([{ id }])
  await crm.app.owner.query("update memory_vectors set model = 'former' where id = $1", [id])
  await remember({ text: 'Pays in euros' })
  await tick()
  await tick()
  const hits = found(await search('month'))
  expect(hits.find((hit) => hit.id === id)).toMatchObject({ vector_score: expect.any(Number) })
  for (const [field, body] of Object.entries({ query: { query: ' ' }, limit: { query: 'x', limit: 21 } }))
    expect(await crm.ws.post(`${path}/search`, body)).toMatchObject(refused(field))
})
