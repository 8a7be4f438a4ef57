import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
const ask = (query: string, more: Row = {}, ws = crm.ws) => ws.post('/ai-knowledge/search', { query, ...more })
const ofType = (hits: Row[], type: string) => hits.filter((hit) => hit.type === type)

async function fill(ws: typeof crm.ws) {
  const contact = created(await ws.post('/contacts', { first_name: 'Zara', last_name: 'Quill', email: 'zara@example.com' }))
  const base = created(await ws.post('/knowledge-bases', { name: 'Help' }))
  const text = '# Returns\n\n## Within 30 days\n\nSend the parcel back unopened, with form R-17.'
  const entry = created(await ws.post(`/knowledge-bases/${base.id}/ingest-text`, { title: 'Returns', text }))
  const memory = created(
    await ws.post('/memory', { topic: 'Time for calls', text: 'Zara prefers calls before noon', contact_id: contact.id }),
  )
  await crm.app.drain()
  return { contact, entry, memory }
}

test('one question finds passages, memories and records, each with its source', async () => {
  const { contact, entry, memory } = await fill(crm.ws)
  const answer = await ask('When does Zara Quill prefer to be called about form R-17?')
  expect(answer.body._warnings).toBeUndefined()
  const hits = found(answer)
  expect(ofType(hits, 'passage')).toMatchObject([
    { title: 'Returns', source: { type: 'knowledge_entry', id: entry.id, heading_path: ['Returns', 'Within 30 days'], url: null } },
  ])
  expect(ofType(hits, 'memory')).toMatchObject([
    { id: memory.id, title: 'Time for calls', text: memory.text, source: { type: 'member', id: crm.ws.userId, as_of: memory.valid_from } },
  ])
  expect(ofType(hits, 'contact')).toMatchObject([
    { id: contact.id, title: 'Zara Quill', text: 'zara@example.com', source: { type: 'contact', id: contact.id } },
  ])
  expect(found(await ask('When does Zara Quill prefer to be called?', { types: ['memory'] }))).toMatchObject([{ id: memory.id }])
  expect(found(await ask('zara quill', { types: ['contact'], limit: 1 }))).toMatchObject([{ id: contact.id }])
})

test('what the key may not read is left out with a warning, and nothing of another workspace is found', async () => {
  const { contact } = await fill(crm.ws)
  const reader = await crm.ws.key({ scopes: ['contacts:read'], level: 'read_only' })
  const answer = await ask('Zara Quill', {}, reader)
  expect(found(answer)).toMatchObject([{ type: 'contact', id: contact.id }])
  const missing = answer.body._warnings.flatMap(({ details }: Row) => details.required_scopes)
  expect(missing.sort()).toEqual(['companies:read', 'documents:read', 'knowledge:read', 'memory:read', 'opportunities:read'])
  const stranger = await crm.app.workspace()
  expect(found(await ask('Zara Quill prefers calls before noon, with form R-17', {}, stranger))).toEqual([])
})

test('while the provider of embeddings is down passages and memories are found by words', async () => {
  const { memory } = await fill(crm.ws)
  crm.app.embeddings.fail('503', 2)
  const answer = await ask('calls before noon', { types: ['passage', 'memory'] })
  expect(answer.body._warnings).toMatchObject([{ code: 'SEARCHED_BY_WORDS' }])
  expect(found(answer)).toMatchObject([{ id: memory.id }])
  expect(await ask(' ')).toMatchObject(refused('query'))
  expect(await ask('x', { types: ['invoice'] })).toMatchObject(refused('types.0'))
})
