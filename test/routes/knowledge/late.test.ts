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

test('more products than a base takes are refused', async () => {
  const base = await baseOf()
  await app.owner.query(
    `begin; set local session_replication_role = replica;
    insert into products (workspace_id, name) select '${crm.ws.id}', 'Part ' || n from generate_series(0, ${MAX_PRODUCTS}) n; commit`,
  )
  expect(await crm.ws.post(`/knowledge-bases/${base.id}/sync-products`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.count('knowledge_entries')).toBe(0)
})
