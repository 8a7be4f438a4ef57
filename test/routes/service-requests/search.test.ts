import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
const path = '/service-requests'
const make = async (title: string, description?: string): Promise<Row> => created(await crm.ws.post(path, { title, description }))
const search = (query: string, limit?: number) => crm.ws.post(`${path}/search`, { query, ...(limit && { limit }) })
async function tick() {
  await crm.app.owner.query('update service_request_vectors set due_at = now() where due_at is not null')
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}

test('requests are found by similarity, the nearest first, and a new one is answered with those that are similar', async () => {
  const exports = await make('The export of contacts stops', 'It ends after 500 rows with a timeout')
  const logo = await make('Invoices have no logo')
  expect(exports.similar).toEqual([])
  const answer = await search('export of contacts ends with a timeout')
  expect(answer.body._warnings).toBeUndefined()
  expect(ids(found(answer))).toEqual([exports.id, logo.id])
  const [nearest, other] = found(answer)
  expect(nearest).toMatchObject({ title: exports.title, notes: [], found_by: 'similarity' })
  expect(Number(nearest?.similarity)).toBeGreaterThan(Number(other?.similarity))
  expect(ids(found(await search('logo', 1)))).toEqual([logo.id])

  const again = await make('The export of contacts stops again', 'It ends after 500 rows with a timeout')
  expect(again.similar).toEqual([{ id: exports.id, title: exports.title, status: 'open', similarity: expect.closeTo(0.95, 1) }])
  const texts = crm.app.embeddings.calls.flat().filter((text) => text.startsWith('The export of contacts'))
  await tick()
  expect(crm.app.embeddings.calls.flat().filter((text) => text.startsWith('The export of contacts'))).toEqual(texts)
})

test('nothing of another workspace is found, and nothing is shown to a key that may not read', async () => {
  const other = await crm.app.workspace()
  const fields = { title: 'The calendar shows the wrong zone' }
  const { id } = created(await other.post(path, fields))
  expect(ids(found(await search(fields.title)))).not.toContain(id)
  expect((await make(fields.title)).similar).toEqual([])
  const writer = await other.key({ scopes: ['service-requests:write'] })
  expect(created(await writer.post(path, fields)).similar).toEqual([])
  expect(await writer.post(`${path}/search`, { query: 'zone' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  for (const level of ['approval', 'read_only'] as const) {
    const reader = await other.key({ scopes: ['service-requests:read'], level })
    expect(ids(found(await reader.post(`${path}/search`, { query: fields.title })))).toContain(id)
  }
})

test('what has no vector yet is found by words with a warning, until the background has made it', async () => {
  const ws = await crm.app.workspace()
  crm.app.embeddings.fail('503', 2)
  const late = created(await ws.post(path, { title: 'Reminders (SMS) arrive twice' }))
  expect(late.similar).toEqual([])
  const near = created(await ws.post(path, { title: 'The portal asks for a PIN' }))
  const before = await ws.post(`${path}/search`, { query: 'sms reminders' })
  expect(before.body._warnings).toMatchObject([{ code: 'SEARCHED_BY_WORDS', details: { requests: 1 } }])
  expect(found(before)).toMatchObject([
    { id: near.id, found_by: 'similarity' },
    { id: late.id, found_by: 'words', similarity: null },
  ])
  await tick()
  const after = await ws.post(`${path}/search`, { query: 'sms reminders' })
  expect(after.body._warnings).toBeUndefined()
  expect(found(after)).toMatchObject([{ id: late.id, found_by: 'similarity' }, { id: near.id }])
})

test('while the provider is down requests are found by words', async () => {
  const ws = await crm.app.workspace()
  const { id } = created(await ws.post(path, { title: 'Campaigns are sent at night' }))
  created(await ws.post(path, { title: 'The dashboard is empty' }))
  crm.app.embeddings.fail('503', 2)
  const answer = await ws.post(`${path}/search`, { query: 'campaigns at night' })
  expect(answer.body._warnings).toMatchObject([{ code: 'SEARCHED_BY_WORDS' }])
  expect(found(answer)).toMatchObject([{ id, found_by: 'words', similarity: null }])
})

test('after a change of the model, or when the provider is there again, every request of a workspace gets a vector', async () => {
  const ws = await crm.app.workspace()
  const first = created(await ws.post(path, { title: 'Tasks lose their due date' }))
  await crm.app.owner.query("update service_request_vectors set model = 'former' where id = $1", [first.id])
  expect(found(await ws.post(`${path}/search`, { query: 'due date' }))).toMatchObject([{ id: first.id, found_by: 'words' }])
  const given = created(await ws.post(path, { title: 'Tasks lose their date and time' }))
  await tick()
  await crm.app.owner.query('update service_request_vectors set model = null, embedding = null, due_at = null where id = $1', [given.id])
  created(await ws.post(path, { title: 'Tasks lose their owner' }))
  await tick()
  expect(found(await ws.post(`${path}/search`, { query: 'due date' }))).toMatchObject([
    { id: first.id, found_by: 'similarity' },
    { id: given.id, found_by: 'similarity' },
    { found_by: 'similarity' },
  ])
})

test('what was given up is not begun again by a request for which the provider fails too', async () => {
  const ws = await crm.app.workspace()
  crm.app.embeddings.fail('nan', 100)
  const first = created(await ws.post(path, { title: 'Emails lose their pictures' }))
  await crm.app.owner.query('update service_request_vectors set due_at = null where id = $1', [first.id])
  created(await ws.post(path, { title: 'Emails lose their signature' }))
  crm.app.embeddings.calls.length = 0
  for (let n = 0; n < 2; n++) await tick()
  const texts = crm.app.embeddings.calls.flat()
  crm.app.embeddings.clear()
  expect(texts).toEqual(texts.filter((text) => text.startsWith('Emails lose their signature')))
  expect(texts.length).toBeGreaterThan(1)
  await tick()
  expect(found(await ws.post(`${path}/search`, { query: 'pictures' }))).toMatchObject([
    { found_by: 'similarity' },
    { found_by: 'similarity' },
  ])
})

test('a query that is empty or too long, and a limit without bounds, are refused', async () => {
  for (const [field, body] of Object.entries({
    query: { query: ' ' },
    limit: { query: 'logo', limit: 21 },
  }))
    expect(await crm.ws.post(`${path}/search`, body)).toMatchObject({
      status: 400,
      body: { error: { details: { issues: [{ path: field }] } } },
    })
  expect(await search('x'.repeat(1001))).toMatchObject(failed(400, 'VALIDATION_ERROR'))
})
