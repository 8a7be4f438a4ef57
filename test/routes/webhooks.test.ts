import { afterAll, beforeEach, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, failed, found, type Row, useCrm } from './crm.ts'

const receiver = await startWebhookReceiver()
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
afterAll(async () => {
  receiver.release()
  await receiver.close()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.secrets.length = 0
  receiver.behaviours.clear()
})

const MINUTES = '* * * * *'
/** A webhook at a path of the receiver, which knows its secret. */
async function subscribed(fields: Row = {}, ws: TestWorkspace = crm.ws): Promise<Row> {
  const { path = '/', ...others } = fields
  const webhook = created(await ws.post('/webhooks', { url: `${receiver.url}${path}`, event_types: ['contact.*'], ...others }))
  receiver.secrets.push(webhook.secret)
  return webhook
}
const settle = () => crm.app.drain()
const deliveries = async (id: string, query = '') => found(await crm.ws.get(`/webhooks/${id}/deliveries${query}`)) as Row[]
const arrived = (path = '/') => receiver.received.filter((one) => one.path === path)

/** Lets time pass: moves all times of webhooks back, and lets the cron job run. */
async function pass(interval: string): Promise<void> {
  const back = (table: string, ...names: string[]) =>
    crm.app.owner.query(
      `update ${table} set ${names.map((name) => `${name} = ${name} - interval '${interval}'`)} where workspace_id = $1`,
      [crm.ws.id],
    )
  await back('webhook_deliveries', 'due_at')
  await back('webhook_states', 'due_at', 'leased_until', 'failing_since')
  await crm.app.cron(MINUTES)
  await settle()
}

test('an event arrives once, signed, as GET /events shows it, with a cursor that proves completeness', async () => {
  const webhook = await subscribed({ event_types: ['contact.created', 'contact.updated'] })
  expect(webhook.secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`))).not.toHaveProperty('secret')
  const contact = await crm.contact({ email: 'ana@example.com' })
  await settle()
  await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' })
  await settle()
  expect(receiver.received.map(({ body, verified }) => [body.type, verified])).toEqual([
    ['contact.created', 1],
    ['contact.updated', 1],
  ])
  const [first, second] = receiver.received as Row[] as [Row, Row]
  const { body: event } = await crm.ws.get(`/events/${first.body.data.id}`)
  expect(first.body.data).toEqual(event.data)
  expect(first.id).toBe(event.data.id)
  expect(second.body.data.changes).toMatchObject({ city: { after: 'Perth' } })
  const after = await crm.ws.get(`/events?order=asc&type=contact.*&after=${first.body.cursor}`)
  expect(after.body.data.map(({ id }: Row) => id)).toEqual([second.body.data.id])
  const [newest] = await deliveries(webhook.id)
  expect(newest).toMatchObject({ state: 'delivered', attempts: 1, event_type: 'contact.updated', record_id: contact.id, is_replay: false })
  const shown = found(await crm.ws.get(`/webhooks/${webhook.id}/deliveries/${newest?.id}`))
  expect(shown).toMatchObject({ log: [{ status: 204 }], response: { status: 204 }, request: { body: second.text } })
  expect(JSON.stringify(shown)).not.toMatch(/session=secret|webhook-signature/)
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`))).toMatchObject({ failing_since: null, last_delivered_at: expect.any(String) })
})

test('only events of the types, the filter and the rights of the key arrive', async () => {
  const narrow = await crm.ws.key({ scopes: ['webhooks:*', 'events:read', 'contacts:read'] })
  await subscribed({ path: '/filtered', filter: { all: [{ field: 'payload.city', op: 'eq', value: 'perth' }] } })
  await subscribed({ path: '/narrow', event_types: ['*'], filter: { not: { field: 'entity', op: 'eq', value: 'webhook' } } }, narrow)
  await subscribed({ path: '/scoped', event_types: ['*'], scopes: ['companies:read'] })
  expect(await narrow.post('/webhooks', { url: receiver.url, event_types: ['company.created'] })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  await crm.ws.post('/companies', { name: 'Acme' })
  await crm.contact({ city: 'Perth' })
  await crm.contact({ city: 'Sydney' })
  await settle()
  expect(arrived('/filtered').map(({ body }) => body.data.payload.city)).toEqual(['Perth'])
  expect(arrived('/narrow').map(({ body }) => body.type)).toEqual(['contact.created', 'contact.created'])
  expect(arrived('/scoped').map(({ body }) => body.type)).toEqual(['company.created'])
})

test('a webhook whose key was revoked is disabled with an event, and the rights are checked again when an event is sent', async () => {
  const key = await crm.ws.key({ scopes: ['webhooks:*', 'events:read', 'contacts:read'] })
  receiver.behaviours.set('/', 500)
  const webhook = await subscribed({}, key)
  await crm.contact()
  await settle()
  expect(await deliveries(webhook.id)).toMatchObject([{ state: 'pending', attempts: 1 }])
  receiver.behaviours.clear()
  await crm.app.owner.query("update api_keys set scopes = '{webhooks:*,events:read}' where id = $1", [key.keyId])
  await pass('2 minutes')
  expect(await deliveries(webhook.id)).toMatchObject([{ state: 'skipped', attempts: 2 }])
  expect(receiver.received).toHaveLength(1)
  await crm.ws.post(`/api-keys/${key.keyId}/revoke`)
  await crm.contact()
  await settle()
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'key_invalid' })
  expect(await crm.events(webhook.id)).toContainEqual(
    expect.objectContaining({ type: 'webhook.disabled', payload: { reason: 'key_invalid' } }),
  )
  // So is one whose member may no longer read events.
  const role = created(
    await crm.ws.post('/roles', {
      name: 'Listener',
      key: 'listener',
      scopes: ['webhooks:*', 'events:read', 'contacts:read'],
      can_write: true,
    }),
  )
  const member = await crm.ws.key({ role: role.key, scopes: ['webhooks:*', 'events:read', 'contacts:read'] })
  const theirs = await subscribed({}, member)
  found(await crm.ws.patch(`/roles/${role.id}`, { scopes: ['webhooks:*', 'contacts:read'] }))
  await crm.contact()
  await settle()
  expect(found(await crm.ws.get(`/webhooks/${theirs.id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'key_invalid' })
})

test('ten attempts within three days, each with the same webhook-id; then the delivery has failed', async () => {
  receiver.behaviours.set('/', 503)
  const webhook = await subscribed()
  await crm.contact()
  await settle()
  for (const wait of ['1 minute', '5 minutes', '30 minutes', '2 hours', '5 hours', '10 hours', '14 hours', '20 hours', '20 hours'])
    await pass(wait)
  expect(await deliveries(webhook.id)).toMatchObject([{ state: 'failed', attempts: 10, next_attempt_at: null }])
  await pass('30 days')
  expect(receiver.received).toHaveLength(10)
  expect(new Set(receiver.received.map(({ id, text }) => id + text)).size).toBe(1)
  const shown = found(await crm.ws.get(`/webhooks/${webhook.id}/deliveries/${(await deliveries(webhook.id))[0]?.id}`))
  expect(shown.log).toHaveLength(10)
  expect(shown.response).toMatchObject({ status: 503, body: 'status 503', headers: { 'content-type': 'text/plain' } })
})

test('a receiver that has failed is tried with one delivery at a time, until it takes one', async () => {
  receiver.behaviours.set('/', 503)
  const webhook = await subscribed()
  for (let n = 0; n < 4; n++) await crm.contact()
  await settle()
  const round = async () => {
    for (const table of ['webhook_deliveries', 'webhook_states'])
      await crm.app.owner.query(`update ${table} set due_at = now() where workspace_id = $1 and due_at is not null`, [crm.ws.id])
    receiver.received.length = 0
    await crm.app.capture(true)
    await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'webhook.deliver', workspace_id: crm.ws.id, item_id: webhook.id }])
    await crm.app.capture(false)
    return receiver.received.length
  }
  expect(await round()).toBe(1)
  receiver.behaviours.delete('/')
  expect([await round(), await round()]).toEqual([1, 3])
})

test('a success ends the failing; five days of failure, or a 410, disable the webhook with an event', async () => {
  const [failing, gone] = [await subscribed({ path: '/failing' }), await subscribed({ path: '/gone' })]
  receiver.behaviours.set('/failing', 'drop').set('/gone', 410)
  await crm.contact()
  await settle()
  expect(found(await crm.ws.get(`/webhooks/${gone.id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  expect(found(await crm.ws.get(`/webhooks/${failing.id}`))).toMatchObject({ status: 'enabled', failing_since: expect.any(String) })
  receiver.behaviours.set('/failing', 204)
  await pass('1 day')
  expect(found(await crm.ws.get(`/webhooks/${failing.id}`))).toMatchObject({ failing_since: null })
  receiver.behaviours.set('/failing', 302)
  await crm.contact()
  await settle()
  await pass('4 days')
  expect(found(await crm.ws.get(`/webhooks/${failing.id}`))).toMatchObject({ status: 'enabled' })
  await pass('26 hours')
  expect(found(await crm.ws.get(`/webhooks/${failing.id}`))).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
  expect(await crm.events(failing.id)).toContainEqual(expect.objectContaining({ type: 'webhook.disabled', payload: { reason: 'failing' } }))
  expect(await crm.ws.post(`/webhooks/${failing.id}/test`)).toMatchObject(failed(409, 'INVALID_STATE'))
  receiver.behaviours.clear()
  await crm.ws.post(`/webhooks/${failing.id}/enable`)
  await pass('1 hour')
  expect(await deliveries(failing.id, '?state=pending')).toEqual([])
})

test('while a secret is rotated both sign', async () => {
  const webhook = await subscribed()
  const rotated = found(await crm.ws.post(`/webhooks/${webhook.id}/rotate-secret`))
  expect(rotated.secret).not.toBe(webhook.secret)
  receiver.secrets.push(rotated.secret)
  await crm.contact()
  await settle()
  expect(receiver.received).toMatchObject([{ verified: 2 }])
  await crm.app.owner.query('update webhooks set previous_expires_at = now() where id = $1', [webhook.id])
  await crm.contact()
  await settle()
  expect(receiver.received[1]?.verified).toBe(1)
  const headers = { 'idempotency-key': 'rotate-once' }
  const [first, again] = [
    await crm.ws.post(`/webhooks/${webhook.id}/rotate-secret`, {}, headers),
    await crm.ws.post(`/webhooks/${webhook.id}/rotate-secret`, {}, headers),
  ]
  expect([typeof first.body.data.secret, again.body.data.secret]).toEqual(['string', null])
  const { rows } = await crm.app.owner.query(
    `select coalesce(string_agg(t, ' '), '') as text
      from (select changes::text as t from changes union all select outbox::text from outbox
        union all select idempotency::text from idempotency) x`,
  )
  for (const text of [webhook.secret, rotated.secret, 's1.test.']) expect(rows[0].text).not.toContain(text)
})

test('doubled and concurrent messages, and a crash after sending, never lose or add a delivery', async () => {
  const webhook = await subscribed()
  const message = { type: 'work.run', kind: 'events.deliver', workspace_id: crm.ws.id }
  for (let n = 0; n < 5; n++) await crm.contact({ first_name: `Ana ${n}` })
  await Promise.all([0, 1, 2].map(() => crm.app.deliver('events', [message, message])))
  await settle()
  expect(await deliveries(webhook.id)).toHaveLength(5)
  const waking = { type: 'work.run', kind: 'webhook.deliver', workspace_id: crm.ws.id, item_id: webhook.id }
  await Promise.all([0, 1, 2].map(() => crm.app.deliver('webhooks', [waking])))
  await settle()
  expect(receiver.received).toHaveLength(5)
  // The transaction after the request is lost.
  crm.app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries.some(({ query }) => query.includes('settle_webhook'))) throw new Error('lost')
  }
  await crm.ws.post(`/webhooks/${webhook.id}/test`)
  await settle()
  crm.app.proxy.onRequest = undefined
  const attempts = receiver.received.length - 5
  expect(attempts).toBeGreaterThan(0)
  await pass('2 minutes')
  const tests = receiver.received.slice(5)
  expect(tests).toHaveLength(attempts + 1)
  expect(new Set(tests.map(({ id }) => id)).size).toBe(1)
  expect(await deliveries(webhook.id, '?state=pending')).toEqual([])
})

test('a receiver that hangs delays no other', async () => {
  const [slow, quick] = [await subscribed({ path: '/slow' }), await subscribed({ path: '/quick' })]
  receiver.behaviours.set('/slow', 'hang')
  await crm.contact()
  await expect.poll(() => arrived('/slow').length, { timeout: 5000 }).toBe(1)
  const waking = (webhook: Row) => ({ type: 'work.run', kind: 'webhook.deliver', workspace_id: crm.ws.id, item_id: webhook.id })
  await crm.app.deliver('webhooks', [waking(quick)])
  expect(arrived('/quick')).toHaveLength(1)
  // Nothing else is sent to the slow one meanwhile.
  await crm.app.deliver('webhooks', [waking(slow)])
  expect(arrived('/slow')).toHaveLength(1)
  receiver.behaviours.clear()
  receiver.release()
  await settle()
  expect(await deliveries(slow.id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('an ordered webhook sends the events of a record one after the other', async () => {
  const webhook = await subscribed({ ordered: true })
  receiver.behaviours.set('/', 500)
  const contact = await crm.contact()
  await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' })
  await settle()
  // The tick finds an event that could not be read yet, because an earlier transaction was open.
  await crm.app.cron(MINUTES)
  await settle()
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['contact.created'])
  expect(await deliveries(webhook.id, '?state=pending')).toMatchObject([
    { event_type: 'contact.updated', next_attempt_at: null },
    { event_type: 'contact.created' },
  ])
  receiver.behaviours.clear()
  await pass('1 minute')
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['contact.created', 'contact.created', 'contact.updated'])
})

test('a delivery and a range can be sent again, with what happened while the webhook was disabled', async () => {
  const webhook = await subscribed()
  const start = new Date(Date.now() - 1000).toISOString()
  await crm.contact({ first_name: 'First' })
  await settle()
  const { cursor } = (receiver.received[0] as Row).body
  const [one] = await deliveries(webhook.id)
  await crm.ws.post(`/webhooks/${webhook.id}/deliveries/${one?.id}/replay`)
  await settle()
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1)
  await crm.ws.post(`/webhooks/${webhook.id}/disable`)
  await crm.contact({ first_name: 'Missed' })
  await settle()
  expect(await crm.ws.post(`/webhooks/${webhook.id}/replay`, { from: start })).toMatchObject(failed(409, 'INVALID_STATE'))
  await crm.ws.post(`/webhooks/${webhook.id}/enable`)
  await settle()
  expect(receiver.received).toHaveLength(2)
  found(await crm.ws.post(`/webhooks/${webhook.id}/replay`, { after: cursor }))
  await settle()
  expect(receiver.received.slice(2).map(({ body }) => body.data.payload.first_name)).toEqual(['Missed'])
  found(await crm.ws.post(`/webhooks/${webhook.id}/replay`, { from: start }))
  await settle()
  expect(receiver.received.slice(3).map(({ body }) => body.data.payload.first_name)).toEqual(['First', 'Missed'])
  expect(found(await crm.ws.get(`/webhooks/${webhook.id}`)).replay_id).toBeNull()
  expect(await crm.ws.post(`/webhooks/${webhook.id}/replay`, {})).toMatchObject({ status: 400 })
})
