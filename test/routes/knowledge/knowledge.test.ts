import { beforeAll, expect, test } from 'vitest'
import type { Harness } from '../../harness.ts'
import { created, found, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
let app: Harness
beforeAll(() => {
  app = crm.app
})

const RETURNS =
  '# Returns\n\nGoods can be sent back.\n\n## Within 30 days\n\nSend the parcel back unopened, with form R-17.\n\n## Later\n\nThe ' +
  'workshop repairs it under warranty.'

async function baseWith(ws: typeof crm.ws, ...texts: [title: string, text: string][]) {
  const base = created(await ws.post('/knowledge-bases', { name: 'Help' }))
  // biome-ignore lint/suspicious/noExplicitAny: the records as they come
  const entries: any[] = []
  for (const [title, text] of texts) entries.push(created(await ws.post(`/knowledge-bases/${base.id}/ingest-text`, { title, text })))
  return { base, entries }
}
// biome-ignore lint/suspicious/noExplicitAny: the hits as they come
const ask = async (ws: typeof crm.ws, query: string, others = {}): Promise<any[]> =>
  found(await ws.post('/knowledge-bases/query', { query, ...others })) as never

test('a text is found by its words and by a part number, with its headings, and no more once it is deleted', async () => {
  const ws = await app.workspace()
  const { base, entries } = await baseWith(
    ws,
    ['How to return an order', RETURNS],
    ['Spare parts', 'The pump is part AX-9931/B.\n\nThe seal is part AX-9932/B.'],
  )
  expect(entries[0]).toMatchObject({ status: 'ready', chunk_count: 3, source: 'text', knowledge_base_id: base.id, error: null })
  const [best] = await ask(ws, 'Which form must the parcel have?')
  expect(best).toMatchObject({ entry_id: entries[0].id, heading_path: ['Returns', 'Within 30 days'], title: 'How to return an order' })
  expect(best.quote).toBe('Send the parcel back unopened, with form R-17.')
  expect(best.words_score).toBeGreaterThan(0)
  expect(best.vector_score).toBeGreaterThan(0)
  expect((await ask(ws, 'AX-9931/B'))[0].entry_id).toBe(entries[1].id)
  const code = '# Set-up\n\n```sh\n# Install QZ-55\nnpm install\n```\n\n## Start QZ-77\n\nRun it.'
  created(await ws.post(`/knowledge-bases/${base.id}/ingest-text`, { title: 'Program', text: code }))
  expect((await ask(ws, 'Install QZ-55'))[0], 'a comment in code is no heading').toMatchObject({
    heading_path: ['Set-up'],
    quote: expect.stringContaining('npm install'),
  })
  expect((await ask(ws, 'Start QZ-77'))[0].heading_path).toEqual(['Set-up', 'Start QZ-77'])
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(3)

  await ws.delete(`/knowledge-entries/${entries[1].id}`)
  expect((await ask(ws, 'AX-9931/B')).map((hit: { entry_id: string }) => hit.entry_id)).not.toContain(entries[1].id)
})

test('an entry that is restored is found again at once', async () => {
  const ws = await app.workspace()
  const { entries } = await baseWith(ws, ['Returns', RETURNS])
  const before = await ask(ws, 'form R-17')
  found(await ws.delete(`/knowledge-entries/${entries[0].id}`))
  expect(await ask(ws, 'form R-17')).toEqual([])
  app.embeddings.clear()
  expect(found(await ws.post(`/knowledge-entries/${entries[0].id}/restore`))).toMatchObject({ status: 'ready', chunk_count: 3 })
  expect(app.embeddings.calls).toEqual([])
  const scores = (hits: Record<string, unknown>[]) => hits.map(({ chunk_id, score, vector_score }) => [chunk_id, score, vector_score])
  expect(scores(await ask(ws, 'form R-17'))).toEqual(scores(before))
})

test('an edit replaces what is found, and embeds only the parts that changed', async () => {
  const ws = await app.workspace()
  const { entries } = await baseWith(ws, ['Returns', RETURNS])
  app.embeddings.clear()
  const edited = found(await ws.patch(`/knowledge-entries/${entries[0].id}`, { text: RETURNS.replace('R-17', 'R-99') }))
  expect(edited).toMatchObject({ status: 'ready', chunk_count: 3 })
  expect(app.embeddings.calls.flat()).toEqual(['Returns\nReturns\nWithin 30 days\nSend the parcel back unopened, with form R-99.'])
  const hits = await ask(ws, 'parcel form')
  expect(JSON.stringify(hits)).toContain('R-99')
  expect(JSON.stringify(hits)).not.toContain('R-17')
})

test('a repeated request returns the entry that the first one added', async () => {
  const ws = await app.workspace()
  const { base } = await baseWith(ws)
  const add = () =>
    ws.post(`/knowledge-bases/${base.id}/ingest-text`, { title: 'Returns', text: RETURNS }, { 'idempotency-key': 'returns' })
  const [first, again] = [created(await add()), created(await add())]
  expect(again).toEqual(first)
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).entry_count).toBe(1)
})

test('while embeddings are unavailable an entry is pending, and the background makes up for it', async () => {
  const ws = await app.workspace()
  app.embeddings.fail('503', 2)
  const { entries } = await baseWith(ws, ['Returns', RETURNS])
  expect(entries[0]).toMatchObject({ status: 'pending', chunk_count: 0 })
  expect(entries[0].error).toContain('503')
  expect(await ask(ws, 'form R-17')).toEqual([])
  await app.owner.query('update knowledge_entries set due_at = now() where id = $1', [entries[0].id])
  await app.cron('* * * * *')
  await app.drain()
  expect(found(await ws.get(`/knowledge-entries/${entries[0].id}`))).toMatchObject({ status: 'ready', chunk_count: 3, error: null })
  expect((await ask(ws, 'form R-17'))[0].entry_id).toBe(entries[0].id)
})

test('a former text stays while its edit cannot be indexed', async () => {
  const ws = await app.workspace()
  const { entries } = await baseWith(ws, ['Returns', RETURNS])
  app.embeddings.fail('short')
  const failed = found(await ws.patch(`/knowledge-entries/${entries[0].id}`, { text: 'Everything is new.' }))
  expect(failed.error).toContain('1023 instead of 1024 dimensions')
  expect((await ask(ws, 'form R-17'))[0].quote).toContain('R-17')
})

test('a question that cannot be embedded is PROVIDER_ERROR, and bases of others do not exist', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  const { base } = await baseWith(other, ['Returns', RETURNS])
  app.embeddings.fail('500', 2)
  expect((await ws.post('/knowledge-bases/query', { query: 'form' })).body.error.code).toBe('PROVIDER_ERROR')
  const refused = await ws.post('/knowledge-bases/query', { query: 'form', knowledge_base_ids: [base.id] })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  expect(await ask(ws, 'form R-17')).toEqual([])
})

test('what another workspace knows does not move the scores of this one', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  await baseWith(ws, ['Returns', RETURNS], ['Delivery', 'Delivery to islands takes a week.'])
  const before = await ask(ws, 'parcel form')
  await baseWith(other, ['Returns', RETURNS], ['More parcels', 'Parcel parcel parcel form.'], ['Forms', 'Form form form.'])
  const scores = (hits: Record<string, unknown>[]) => hits.map(({ score, words_score, vector_score }) => [score, words_score, vector_score])
  expect(scores(await ask(ws, 'parcel form'))).toEqual(scores(before))
})

test('the entries of a deleted base stay without it, and are searched only where no base is named', async () => {
  const ws = await app.workspace()
  const { base, entries } = await baseWith(ws, ['Returns', RETURNS])
  const second = await baseWith(ws, ['Delivery', 'Delivery to islands takes a week.'])
  found(await ws.delete(`/knowledge-bases/${base.id}`))
  expect(found(await ws.get(`/knowledge-entries/${entries[0].id}`))).toMatchObject({ knowledge_base_id: null, text: RETURNS })
  expect((await ask(ws, 'form R-17'))[0].entry_id).toBe(entries[0].id)
  const within = await ask(ws, 'form R-17', { knowledge_base_ids: [second.base.id] })
  expect(within.map((hit: { entry_id: string }) => hit.entry_id)).toEqual([second.entries[0].id])
})
