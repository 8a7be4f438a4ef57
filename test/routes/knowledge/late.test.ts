import { beforeAll, beforeEach, expect, test } from 'vitest'
import { MAX_ENTRIES } from '../../../src/features/knowledge/rules/entries.ts'
import { MAX_PRODUCTS } from '../../../src/features/knowledge/rules/syncs.ts'
import type { Harness } from '../../harness.ts'
import { created, failed, found, type Row, useCrm } from '../crm.ts'

/** What a knowledge base takes at most, and what comes back to it. */
const crm = useCrm({ own: true })
let app: Harness
beforeAll(() => {
  app = crm.app
})
beforeEach(() => {
  app.site.clear()
  app.embeddings.clear()
})
const baseOf = async () => created(await crm.ws.post('/knowledge-bases', { name: 'Help' }))
const page = (form: string) => ({ body: `<html><body><main><h1>Returns</h1><p>Use form ${form}.</p></main></body></html>` })
const ask = async (query: string) => found(await crm.ws.post('/knowledge-bases/query', { query })) as never as Row[]

test('a page that is restored is read again, because it may have changed meanwhile', async () => {
  const base = await baseOf()
  app.site.pages.set('/returns', page('R-17'))
  const { id } = created(await crm.ws.post(`/knowledge-bases/${base.id}/ingest-url`, { url: `${app.site.url}/returns` }))
  found(await crm.ws.delete(`/knowledge-entries/${id}`))
  app.site.pages.set('/returns', page('R-99'))
  expect(found(await crm.ws.post(`/knowledge-entries/${id}/restore`))).toMatchObject({ status: 'ready' })
  expect((await ask('form'))[0]?.quote).toContain('R-17')
  await app.cron('* * * * *')
  await app.drain()
  expect((await ask('form'))[0]?.quote).toContain('R-99')
})

test('a source that would make a base too large changes nothing of it', async () => {
  const base = await baseOf()
  created(await crm.ws.post('/products', { name: 'Pump', sku: 'P-77', price: 120, currency: 'AUD' }))
  await app.owner.query(
    `begin; set local session_replication_role = replica;
    insert into knowledge_entries (workspace_id, knowledge_base_id, source, title, text, status)
      select '${crm.ws.id}', '${base.id}', 'text', 'Entry ' || n, 'x', 'ready' from generate_series(1, ${MAX_ENTRIES}) n; commit`,
  )
  const sync = () => crm.ws.post(`/knowledge-bases/${base.id}/sync-products`)
  expect(await sync()).toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await crm.ws.get(`/knowledge-bases/${base.id}`)).last_syncs).toEqual({})
  await app.owner.query("delete from knowledge_entries where workspace_id = $1 and title = 'Entry 1'", [crm.ws.id])
  expect(found(await sync())).toMatchObject({ added: 1 })
})

test('a full base takes no other text and no other page, and a page that it has is read again', async () => {
  const base = await baseOf()
  const add = (way: 'text' | 'url', body: object) => crm.ws.post(`/knowledge-bases/${base.id}/ingest-${way}`, body)
  app.site.pages.set('/returns', page('R-17'))
  app.site.pages.set('/other', page('R-18'))
  const [known, other] = [{ url: `${app.site.url}/returns` }, { url: `${app.site.url}/other` }]
  created(await add('url', known))
  await app.owner.query(
    `begin; set local session_replication_role = replica;
    insert into knowledge_entries (workspace_id, knowledge_base_id, source, title, text, status)
      select '${crm.ws.id}', '${base.id}', 'text', 'Entry ' || n, 'x', 'ready' from generate_series(2, ${MAX_ENTRIES}) n; commit`,
  )
  const text = { title: 'One more', text: 'One more' }
  expect(await add('text', text)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await add('url', other)).toMatchObject(failed(409, 'CONFLICT'))
  app.site.pages.set('/returns', page('R-99'))
  expect(found(await add('url', known)).text).toContain('R-99')
  await app.owner.query("delete from knowledge_entries where workspace_id = $1 and title in ('Entry 2', 'Entry 3')", [crm.ws.id])
  created(await add('url', other))
  created(await add('text', text))
  expect(await add('text', text)).toMatchObject(failed(409, 'CONFLICT'))
})

test.each([
  ['100 agents', 100, 'knowledge_base_id'],
  ['20 bases of an agent', 20, 'agent_id'],
] as const)('at most %s are attached', async (_, most, of) => {
  const [base, agent] = [await baseOf(), created(await crm.ws.post('/agents', { type: 'text', name: 'Writer', prompt: 'You write.' }))]
  const attach = () => crm.ws.post(`/knowledge-bases/${base.id}/attach`, { agent_type: 'workflow', agent_id: agent.id })
  const pairs = { knowledge_base_id: [`'${base.id}'`, 'uuidv7()'], agent_id: ['uuidv7()', `'${agent.id}'`] }[of]
  await app.owner.query(
    `begin; set local session_replication_role = replica; insert into knowledge_agents (workspace_id, knowledge_base_id, agent_id)
      select '${crm.ws.id}', ${pairs.join(', ')} from generate_series(1, ${most}) n; commit`,
  )
  expect(await attach()).toMatchObject(failed(409, 'CONFLICT'))
  await app.owner.query(
    'delete from knowledge_agents where id = (select min(id::text)::uuid from knowledge_agents where workspace_id = $1)',
    [crm.ws.id],
  )
  created(await attach())
  expect((await attach()).status).toBe(200)
})

test('more products than a base takes are refused', async () => {
  const base = await baseOf()
  await app.owner.query(
    `begin; set local session_replication_role = replica;
    insert into products (workspace_id, name) select '${crm.ws.id}', 'Part ' || n from generate_series(0, ${MAX_PRODUCTS}) n; commit`,
  )
  expect(await crm.ws.post(`/knowledge-bases/${base.id}/sync-products`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.count('knowledge_entries')).toBe(0)
})
