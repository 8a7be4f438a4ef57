import { afterAll, beforeEach, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { settled } from '../database.ts'
import { created, found, type Row, useCrm } from './crm.ts'

/** What workers claim of webhooks and of requests to other services, and what they give back. */
const receiver = await startWebhookReceiver()
const crm = useCrm({ own: true, vars: { LOCAL_RECEIVERS: receiver.host } })
afterAll(async () => {
  receiver.release()
  await receiver.close()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.secrets.length = 0
  receiver.behaviours.clear()
})

const subscribed = async (path: string, ws = crm.ws): Promise<Row> =>
  created(await ws.post('/webhooks', { url: receiver.url + path, event_types: ['contact.*'] }))
const arrived = (path: string) => receiver.received.filter((one) => one.path === path)
const deliveries = async (id: string, query = '?limit=100') => found(await crm.ws.get(`/webhooks/${id}/deliveries${query}`)) as Row[]
/** Matches what was written, once no transaction of another test keeps it back. */
async function follow(): Promise<void> {
  await settled(crm.app.owner)
  await crm.app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id: crm.ws.id }])
}
const deliver = ({ id }: Row) =>
  crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'webhook.deliver', workspace_id: crm.ws.id, item_id: id }])

/** Lets minutes go by, and the cron job come. */
async function pass(minutes: number): Promise<void> {
  for (const [table, ...names] of [
    ['webhook_deliveries', 'due_at'],
    ['webhook_states', 'due_at', 'leased_until'],
  ])
    await crm.app.owner.query(
      `update ${table} set ${names.map((name) => `${name} = ${name} - $2 * interval '1 minute'`)} where workspace_id = $1`,
      [crm.ws.id, minutes],
    )
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
/** Contacts that are written at once, each with an event. */
const people = (count: number) =>
  crm.app.owner.query("insert into contacts (workspace_id, first_name) select $1, 'Person ' || n from generate_series(1, $2::int) n", [
    crm.ws.id,
    count,
  ])

test('a receiver that fails gets the rest of a claim later, and nothing of it counts as an attempt', async () => {
  await crm.app.capture(true)
  const webhook = await subscribed('/fails')
  receiver.behaviours.set('/fails', 503)
  await people(10)
  await follow()
  await deliver(webhook)
  const first = await deliveries(webhook.id)
  expect(arrived('/fails')).toHaveLength(6)
  expect(first.map(({ state, attempts }) => [state, attempts]).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => ['pending', 0]),
    ...Array.from({ length: 6 }, () => ['pending', 1]),
  ])
  const [untried] = first.filter(({ attempts }) => attempts === 0) as [Row]
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}/deliveries/${untried.id}`))).toMatchObject({ log: [], response: null })
  receiver.behaviours.clear()
  await crm.app.capture(false)
  await pass(3)
  expect((await deliveries(webhook.id)).map(({ state, attempts }) => [state, attempts]).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => ['delivered', 1]),
    ...Array.from({ length: 6 }, () => ['delivered', 2]),
  ])
  expect(new Set(arrived('/fails').map(({ id }) => id)).size).toBe(10)
})

test('nothing more is sent to a webhook whose key was revoked after its events had been matched', async () => {
  const key = await crm.ws.key({ scopes: ['webhooks:*', 'events:read', 'contacts:read'] })
  await crm.app.capture(true)
  const webhook = await subscribed('/revoked', key)
  await people(1)
  await follow()
  await crm.ws.post(`/api-keys/${key.keyId}/revoke`)
  await deliver(webhook)
  expect(arrived('/revoked')).toEqual([])
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'key_invalid' })
  expect(await deliveries(webhook.id)).toMatchObject([{ attempts: 0 }])
  await crm.app.capture(false)
  await pass(10)
  expect(arrived('/revoked')).toEqual([])
})

test('three webhooks of a workspace are sent to at a time, and the fourth when one of them is done', async () => {
  await crm.app.capture(true)
  const busy = [await subscribed('/1'), await subscribed('/2'), await subscribed('/3')]
  const fourth = await subscribed('/4')
  for (const path of ['/1', '/2', '/3']) receiver.behaviours.set(path, 'hang')
  await people(1)
  await follow()
  const hanging = busy.map(deliver)
  await expect.poll(() => receiver.received.length, { timeout: 5000 }).toBe(3)
  await deliver(fourth)
  expect([arrived('/4').length, (await deliveries(fourth.id)).map(({ attempts }) => attempts)]).toEqual([0, [0]])
  receiver.release()
  await Promise.all(hanging)
  const sent = await crm.app.capture(false)
  expect(sent.map(({ body }) => (body as Row).item_id)).toContain(fourth.id)
  await deliver(fourth)
  expect(await deliveries(fourth.id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  for (const webhook of busy) expect(await deliveries(webhook.id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('all events are matched and replayed, however many there are, and a second replay waits for the first', async () => {
  const start = new Date(Date.now() - 1000).toISOString()
  await crm.app.capture(true)
  const webhook = await subscribed('/many')
  const other = await subscribed('/other')
  await people(450)
  await follow()
  const counts = async (is_replay: boolean) => {
    const { rows } = await crm.app.owner.query(
      `select webhook_id, count(*)::int, count(distinct event_id)::int as events from webhook_deliveries
        where workspace_id = $1 and (replay_id <> '00000000-0000-0000-0000-000000000000') = $2 group by 1`,
      [crm.ws.id, is_replay],
    )
    return Object.fromEntries(rows.map(({ webhook_id, count, events }) => [webhook_id, [count, events]]))
  }
  expect(await counts(false)).toEqual({ [webhook.id]: [450, 450], [other.id]: [450, 450] })
  found(await crm.ws.post(`/webhooks/${webhook.id}/replay`, { from: start }))
  expect(await crm.ws.post(`/webhooks/${webhook.id}/replay`, { from: start })).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'replaying' } } },
  })
  await follow()
  expect(await counts(true)).toEqual({ [webhook.id]: [450, 450] })
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`))).toMatchObject({ replay_id: null })
  await crm.app.owner.query('delete from webhook_deliveries where workspace_id = $1', [crm.ws.id])
  await crm.app.capture(false)
})

test('a request is sent at most five times, also if its workers die, and not without the webhook that signs it', async () => {
  const send = async () => {
    await crm.app.owner.query('update outgoing_requests set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
    await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'outgoing.send', workspace_id: crm.ws.id }])
  }
  const request = async (path: string, fields: Row = {}) =>
    created(await crm.ws.post('/outgoing-requests', { method: 'POST', url: receiver.url + path, body: { n: 1 }, ...fields })) as Row
  const shown = async ({ id }: Row) => found(await crm.ws.get(`/outgoing-requests/${id}`))
  await crm.app.capture(true)
  const webhook = await subscribed('/signs')
  const unsigned = await request('/unsigned', { webhook_id: webhook.id })
  await crm.ws.delete(`/webhooks/${webhook.id}`)
  await send()
  expect(await shown(unsigned)).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('was deleted') } })

  const dying = await request('/dying')
  crm.app.proxy.onRequest = (sent) => {
    if (JSON.stringify(sent).includes('settle_outgoing')) throw new Error('The worker dies')
  }
  for (let n = 0; n < 5; n++) await send()
  crm.app.proxy.onRequest = undefined
  expect(await shown(dying)).toMatchObject({ state: 'pending', attempts: 5 })
  await send()
  expect(await shown(dying)).toMatchObject({ state: 'failed', error: { message: 'It is not known whether the request arrived' } })
  await send()
  expect([arrived('/dying').length, new Set(arrived('/dying').map(({ id }) => id)).size, arrived('/unsigned').length]).toEqual([5, 1, 0])
  await crm.app.capture(false)
})
