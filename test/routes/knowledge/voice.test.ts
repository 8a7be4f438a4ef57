import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { Harness } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
let app: Harness
beforeAll(() => {
  app = crm.app
})
beforeEach(() => app.clearEmulators())

const baseOf = async (ws: TestWorkspace, name = 'Help') => created(await ws.post('/knowledge-bases', { name }))
const textIn = async (ws: TestWorkspace, base: Row, title: string, text: string) =>
  created(await ws.post(`/knowledge-bases/${base.id}/ingest-text`, { title, text }))
const agentOf = async (ws: TestWorkspace, type: 'voice' | 'text' = 'voice') =>
  created(await ws.post('/agents', { type, name: 'Receptionist', prompt: 'Answer.', ...(type === 'voice' && { voice_id: 'retell-Cimo' }) }))
const attach = (ws: TestWorkspace, base: Row, agent: Row, agent_type = 'voice') =>
  ws.post(`/knowledge-bases/${base.id}/attach`, { agent_type, agent_id: agent.id })
const detach = (ws: TestWorkspace, base: Row, agent: Row) =>
  ws.post(`/knowledge-bases/${base.id}/detach`, { agent_type: 'voice', agent_id: agent.id })
async function due() {
  await app.drain()
  await app.owner.query('update knowledge_copies set due_at = now() where due_at is not null and claim_id is null')
  await app.cron('* * * * *')
  await app.drain()
}
const copyOf = async (ws: TestWorkspace, base: Row) => found(await ws.get(`/agent-knowledge-bases/${base.id}`))
const texts = (copy: Row) =>
  app.voice.knowledge
    .textsOf(copy.voice_provider_kb_id)
    .map(({ text }) => text)
    .toSorted()

test('a voice agent answers from a copy that follows the entries, once it is published', async () => {
  const ws = await app.workspace()
  const [base, agent] = [await baseOf(ws), await agentOf(ws)]
  const returns = await textIn(ws, base, 'Returns', 'Use form R-17.')
  await textIn(ws, base, 'Delivery', 'Islands take a week.')
  expect(created(await attach(ws, base, agent))).toMatchObject({
    agent_type: 'voice',
    agent_id: agent.id,
    name: 'Receptionist',
    is_live: false,
  })
  expect((await attach(ws, base, agent)).status).toBe(200)
  await due()
  const copy = await copyOf(ws, base)
  expect(copy).toMatchObject({ status: 'ready', error: null, is_kept: false })
  expect(texts(copy)).toEqual(['Islands take a week.', 'Use form R-17.'])

  found(await ws.post(`/agents/${agent.id}/publish`))
  const version = app.voice.agents.version(app.voice.agents.agents[0]!.agent_id)!
  expect(app.voice.agents.engineOf(version)).toMatchObject({ knowledge_base_ids: [copy.voice_provider_kb_id] })
  expect(found(await ws.get(`/knowledge-bases/${base.id}/agents`))).toMatchObject([{ agent_id: agent.id, is_live: true }])
  expect(found(await ws.get(`/knowledge-bases/${base.id}`)).agent_count).toBe(1)

  found(await ws.patch(`/knowledge-entries/${returns.id}`, { text: 'Use form R-99.' }))
  await due()
  expect(texts(copy)).toEqual(['Islands take a week.', 'Use form R-99.'])
  found(await ws.delete(`/knowledge-entries/${returns.id}`))
  await due()
  expect(texts(copy)).toEqual(['Islands take a week.'])
  expect(found(await detach(ws, base, agent))).toMatchObject({ detached: true })
  await due()
  expect(app.voice.knowledge.bases).toEqual([])
  expect((await ws.get(`/agent-knowledge-bases/${base.id}`)).status).toBe(404)
  expect(found(await ws.get(`/knowledge-bases/${base.id}`))).toMatchObject({ agent_count: 0, entry_count: 1 })
})

test('while the provider is unavailable the copy waits, and responses that are lost make nothing twice', async () => {
  const ws = await app.workspace()
  const [base, agent] = [await baseOf(ws), await agentOf(ws)]
  await textIn(ws, base, 'Returns', 'Use form R-17.')
  app.voice.fail('503', 4)
  created(await attach(ws, base, agent))
  await due()
  expect((await copyOf(ws, base)).status).toBe('pending')
  // It makes the base, but the response does not arrive; then the same with the texts.
  app.voice.calm()
  app.voice.fail('drop', 1, true, 1)
  await due()
  app.voice.fail('drop', 1, true, 1)
  await due()
  app.voice.calm()
  await due()
  expect(await copyOf(ws, base)).toMatchObject({ status: 'ready', error: null })
  expect(app.voice.knowledge.bases).toHaveLength(1)
  expect(app.voice.knowledge.bases[0]!.knowledge_base_sources).toHaveLength(1)
})

test('a base of the provider is adopted with its pages and agents; without the provider nothing is made', async () => {
  const ws = await app.workspace()
  const agent = await agentOf(ws)
  app.site.pages.set('/returns', { body: '<h1>Returns</h1><p>Use form R-17.</p>' })
  const there = app.voice.knowledge.add('Shop', [`${app.site.url}/returns`, 'http://10.0.0.1/x'])
  found(await ws.post(`/agents/${agent.id}/publish`))
  const [engine] = app.voice.agents.engines
  engine!.knowledge_base_ids = [there.knowledge_base_id]
  const adopt = (id: string) => ws.post('/knowledge-bases/adopt', { voice_provider_kb_id: id })
  app.voice.fail('503', 2)
  const refused = await adopt(there.knowledge_base_id)
  expect(refused).toMatchObject({ status: 500, body: { error: { code: 'KNOWLEDGE_PROVIDER_UNAVAILABLE' } } })
  app.voice.fail('503', 2)
  expect((await ws.post('/agent-knowledge-bases', { name: 'Voice' })).status).toBe(500)
  expect(found(await ws.get('/knowledge-bases'))).toEqual([])

  const base = created(await adopt(there.knowledge_base_id))
  expect(base).toMatchObject({ name: 'Shop', entry_count: 1, agent_count: 1 })
  await due()
  const entries = found(await ws.get(`/knowledge-bases/${base.id}/entries`)) as never as Row[]
  expect(entries).toMatchObject([{ source: 'url', title: 'Returns', status: 'ready' }])
  expect(there.knowledge_base_sources).toHaveLength(2)
  expect((await adopt(there.knowledge_base_id)).status).toBe(409)
  expect((await adopt('knowledge_base_missing')).body.error.details.issues[0].path).toBe('voice_provider_kb_id')
  found(await ws.delete(`/knowledge-entries/${entries[0]!.id}`))
  await due()
  expect(there.knowledge_base_sources.map(({ url }) => url)).toEqual(['http://10.0.0.1/x'])
})

test('bases are listed by their agent; agents of another kind or workspace are refused', async () => {
  const [ws, other] = [await app.workspace(), await app.workspace()]
  const [first, second] = [await baseOf(ws, 'First'), await baseOf(ws, 'Second')]
  const [voice, text] = [await agentOf(ws), await agentOf(ws, 'text')]
  created(await attach(ws, first, voice))
  expect(created(await attach(ws, second, text, 'workflow'))).toMatchObject({ agent_type: 'workflow', is_live: true })
  const listed = async (query: string) => (found(await ws.get(`/knowledge-bases?${query}`)) as never as Row[]).map(({ name }) => name)
  expect(await listed(`agent_type=voice&agent_id=${voice.id}`)).toEqual(['First'])
  expect(await listed(`agent_id=${text.id}`)).toEqual(['Second'])
  expect(await listed(`agent_type=voice&agent_id=${text.id}`)).toEqual([])
  expect((await attach(ws, first, text)).body.error.details.issues[0].path).toBe('agent_id')
  expect((await attach(ws, first, await agentOf(other))).status).toBe(400)
  expect((await attach(other, first, await agentOf(other))).status).toBe(404)
})

test('a base that the provider is to keep has a copy without agents, until it is deleted there or here', async () => {
  const ws = await app.workspace()
  const made = created(await ws.post('/agent-knowledge-bases', { name: 'Voice' }))
  await textIn(ws, made, 'Returns', 'Use form R-17.')
  await due()
  expect(texts(await copyOf(ws, made))).toEqual(['Use form R-17.'])
  found(await ws.delete(`/knowledge-bases/${made.id}`))
  await due()
  expect(app.voice.knowledge.bases).toEqual([])
  const again = created(await ws.post('/agent-knowledge-bases', { name: 'Voice' }))
  found(await ws.delete(`/agent-knowledge-bases/${again.id}`))
  await due()
  expect(app.voice.knowledge.bases).toEqual([])
  expect(found(await ws.get(`/knowledge-bases/${again.id}`)).name).toBe('Voice')
})

test('a base that is restored gets a copy again, also while that of another deleted base is still there', async () => {
  const ws = await app.workspace()
  const agent = await agentOf(ws)
  const [base, other] = [await baseOf(ws), await baseOf(ws, 'Other')]
  await textIn(ws, base, 'Returns', 'Use form R-17.')
  for (const one of [base, other]) created(await attach(ws, one, agent))
  await due()
  found(await ws.delete(`/knowledge-bases/${base.id}`))
  await due()
  app.voice.fail('503', 100)
  found(await ws.delete(`/knowledge-bases/${other.id}`))
  await due()
  expect(app.voice.knowledge.bases).toHaveLength(1)
  found(await ws.post(`/knowledge-bases/${base.id}/restore`))
  app.voice.calm()
  await due()
  const copy = await copyOf(ws, base)
  expect(copy).toMatchObject({ status: 'ready', error: null })
  expect(texts(copy)).toEqual(['Use form R-17.'])
  expect(app.voice.knowledge.bases).toHaveLength(1)
})
