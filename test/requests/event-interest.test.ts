import { afterAll, expect, test } from 'vitest'
import type { NeonRequest } from '../../dev/neon-proxy.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { costNow, startCounting } from '../contract/blocks.ts'
import { settled } from '../database.ts'
import type { Message } from '../harness.ts'
import { proving } from '../proof.ts'
import { created, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

/**
 * A write whose type of event nobody wants sends no message and has no follower read the feed, and an idle tick does not ask each of them.
 */
const receiver = await startWebhookReceiver()
const crm = useCrm({ ownServer: true, sessions: 1, vars: { LOCAL_RECEIVERS: receiver.host } })
afterAll(() => receiver.close())

const MINUTES = '* * * * *'
const READS = /read_feed|automation_batch|list_tracking_batch|enabled_webhooks|followers_of/

const subscribed = async (event_types: string[]) => created(await crm.ws.post('/webhooks', { url: receiver.url, event_types }))
const types = () => receiver.received.splice(0).map(({ body }) => body.type)
/** Lets everything be read that is under way, so that what follows is the work's own. */
async function rest(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    await crm.app.drain()
    await settled(crm.app.owner)
    await crm.app.cron(MINUTES)
  }
  await crm.app.drain()
  receiver.received.length = 0
}

/** What the work, and a tick after it, send to the queue of events, and which statements read the feed. */
async function effectsOf(work: () => Promise<unknown>): Promise<{ messages: Message[]; reads: string[] }> {
  const reads: string[] = []
  crm.app.proxy.onRequest = (request: NeonRequest) => {
    for (const { query } of 'queries' in request ? request.queries : [request]) if (READS.test(query)) reads.push(query)
  }
  await work()
  await crm.app.drain()
  crm.app.proxy.onRequest = undefined
  await crm.app.capture(true)
  await work()
  await settled(crm.app.owner)
  await crm.app.cron(MINUTES)
  const messages = (await crm.app.capture(false)).filter(({ queue }) => queue === 'events')
  return { messages, reads }
}
const NOTHING = { messages: [], reads: [] }
const company = (name: string) => crm.ws.post('/companies', { name })

test('50 writes of a type that no webhook wants do nothing in the background, and the next one that one wants is delivered', async () => {
  const webhook = await subscribed(['contact.created'])
  await rest()
  const writes = async () => {
    for (let n = 0; n < 25; n++) expect((await company(`Company ${crypto.randomUUID()}`)).status).toBe(201)
  }
  expect(await effectsOf(writes)).toEqual(NOTHING)
  await crm.contact()
  await crm.app.drain()
  expect(types()).toEqual(['contact.created'])
  expect((await crm.ws.patch(`/webhooks/${webhook.id}`, { event_types: ['company.*'] })).status).toBe(200)
  await company('Wanted')
  await crm.app.drain()
  expect(types()).toEqual(['company.created'])
  await rest()
  expect(await effectsOf(() => crm.contact())).toEqual(NOTHING)
  await crm.ws.patch(`/webhooks/${webhook.id}`, { event_types: ['*'] })
  await rest()
  await crm.ws.post('/tasks', { title: 'Any type' })
  await crm.app.drain()
  expect(types()).toContain('task.created')
  expect((await crm.ws.post(`/webhooks/${webhook.id}/disable`)).status).toBe(200)
  await rest()
  expect(await effectsOf(() => company(`After ${crypto.randomUUID()}`))).toEqual(NOTHING)
  expect((await crm.app.owner.query('select from feed_followers where workspace_id = $1', [crm.ws.id])).rowCount).toBe(0)
})

test('what was not wanted is not read later either, and its number delays nothing', async () => {
  const webhook = await subscribed(['contact.created'])
  await rest()
  await crm.app.owner.query(
    `insert into outbox (workspace_id, type, entity, entity_id, payload)
      select $1, 'product.updated', 'product', $1, '{}' from generate_series(1, 5000)`,
    [crm.ws.id],
  )
  const reads: string[] = []
  crm.app.proxy.onRequest = (request: NeonRequest) => {
    for (const { query } of 'queries' in request ? request.queries : [request]) if (query.includes('read_feed')) reads.push(query)
  }
  await crm.contact()
  await crm.app.drain()
  crm.app.proxy.onRequest = undefined
  expect(types()).toEqual(['contact.created'])
  expect(reads.length).toBeLessThanOrEqual(2)
  await crm.ws.delete(`/webhooks/${webhook.id}`)
})

test('the event of a transaction that was open when a webhook began to want it is delivered', async () => {
  const contact = await crm.contact()
  const open = await crm.app.owner.connect()
  const change = (city: string) => open.query('update contacts set city = $2 where id = $1', [contact.id, city])
  await open.query(`begin; set local app.workspace_id = '${crm.ws.id}'`)
  await change('Perth')
  const webhook = await subscribed(['contact.updated'])
  await crm.app.drain()
  await change('Hobart')
  await open.query('commit')
  open.release()
  await settled(crm.app.owner)
  await crm.app.cron(MINUTES)
  await crm.app.drain()
  expect(types()).toEqual(['contact.updated', 'contact.updated'])
  await crm.ws.delete(`/webhooks/${webhook.id}`)
})

test('automations are woken for what starts them and what their runs await, tracked lists for records', async () => {
  const trigger = { type: 'contact_created' }
  const steps = [{ type: 'wait', key: 'reply', event: { type: 'task.created', timeout: { amount: 1, unit: 'hours' } } }]
  const automation = created(await crm.ws.post('/automations', { name: 'Greets', trigger, steps }))
  expect((await crm.ws.post(`/automations/${automation.id}/publish`)).status).toBe(200)
  await rest()
  expect(await effectsOf(() => company(`Of no automation ${crypto.randomUUID()}`))).toEqual(NOTHING)
  for (const write of [() => crm.contact(), () => crm.ws.post('/tasks', { title: 'Awaited' })]) {
    const { messages, reads } = await effectsOf(write)
    expect([messages.length > 0, reads.length > 0]).toEqual([true, true])
    await rest()
  }
  await crm.ws.delete(`/automations/${automation.id}`)
  const filter = { field: 'city', op: 'eq', value: 'Perth' }
  created(await crm.ws.post('/lists', { name: 'Perth', object: 'contacts', kind: 'live', filter, tracks_membership: true }))
  await rest()
  expect(await effectsOf(() => crm.ws.post('/products', { name: `Unlisted ${crypto.randomUUID()}` }))).toEqual(NOTHING)
  expect((await effectsOf(() => crm.contact())).messages.length).toBeGreaterThan(0)
})

test('an idle tick reads as many blocks with many workspaces that have listeners as with few', { timeout: limit(300_000) }, async () => {
  await startCounting(crm.app)
  const listening = async (from: number, to: number): Promise<void> => {
    await crm.app.owner.query(`begin; set local session_replication_role = replica;
      insert into feed_followers (workspace_id, follower, xid, event_id)
        select md5('w' || n)::uuid, f, '3', '00000000-0000-0000-0000-000000000000'
          from generate_series(${from + 1}, ${to}) n, unnest('{automations,lists,webhooks}'::text[]) f;
      insert into feed_interests (workspace_id, follower, types)
        select md5('w' || n)::uuid, f, '{contact.*}'
          from generate_series(${from + 1}, ${to}) n, unnest('{automations,lists,webhooks}'::text[]) f;
      insert into outbox (workspace_id, type, entity, entity_id, payload)
        select md5('w' || n)::uuid, 'company.created', 'company', gen_random_uuid(), '{}' from generate_series(${from + 1}, ${to}) n;
      commit`)
    await crm.app.owner.query('vacuum analyze feed_followers, feed_interests, feed_wakes, outbox')
  }
  const blocks: number[] = []
  const sizes = proving ? [10, 1_000, 5_000] : [10, 300]
  let workspaces = 0
  await rest()
  for (const size of sizes) {
    await listening(workspaces, size)
    workspaces = size
    // The first ticks of a session also read the catalogue.
    for (let warm = 0; warm < 3; warm++) await crm.app.cron(MINUTES)
    const cost = await costNow(crm.app.owner, () => crm.app.cron(MINUTES))
    blocks.push(cost.blocks)
  }
  if (proving) console.log(`blocks of an idle tick with ${sizes.join(', ')} workspaces that have three followers: ${blocks.join(', ')}`)
  for (const more of blocks.slice(1)) expect(more).toBeLessThanOrEqual((blocks[0] as number) + 20)
})
