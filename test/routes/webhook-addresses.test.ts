import { afterAll, expect, test } from 'vitest'
import { startDnsEmulator } from '../../dev/dns-emulator.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { created, found, type Row, refused, useCrm } from './crm.ts'

const [receiver, dns] = await Promise.all([startWebhookReceiver(), startDnsEmulator()])
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host, DNS_RESOLVER_URL: dns.url } })
afterAll(() => Promise.all([receiver.close(), dns.close()]))

test('private addresses are refused, by name too', async () => {
  for (const url of [
    'http://169.254.169.254/',
    'http://2852039166/',
    'http://0x7f.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://localhost:80/',
    'http://127.0.0.1:1/',
    'https://a:b@example.com/',
  ])
    expect(await crm.ws.post('/webhooks', { url, event_types: ['contact.created'] }), url).toMatchObject(refused('url'))
  dns.names.set('inside.example.com', ['10.0.0.5'])
  const webhook = created(await crm.ws.post('/webhooks', { url: 'https://inside.example.com/', event_types: ['contact.created'] }))
  expect(await crm.ws.patch(`/webhooks/${webhook.id}`, { url: 'http://10.1/' })).toMatchObject(refused('url'))
  await crm.contact()
  await crm.app.drain()
  const [one] = found(await crm.ws.get(`/webhooks/${webhook.id}/deliveries`)) as Row[]
  const { log } = found(await crm.ws.get(`/webhooks/${webhook.id}/deliveries/${one?.id}`))
  expect(log).toMatchObject([{ status: null, error: expect.stringContaining('a private address') }])
})

test('bad input is refused with the remedy, and a workspace without webhooks follows nothing', async () => {
  const create = (fields: Row) => crm.ws.post('/webhooks', { url: receiver.url, event_types: ['contact.*'], ...fields })
  expect(await create({ event_types: ['contact.made'] })).toMatchObject(refused('event_types.0'))
  expect(await create({ event_types: [] })).toMatchObject(refused('event_types'))
  expect(await create({ filter: { field: 'payload.city', op: 'like', value: 'x' } })).toMatchObject(refused('filter'))
  const webhook = created(await create({}))
  await crm.ws.delete(`/webhooks/${webhook.id}`)
  await crm.contact()
  await crm.app.drain()
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  const { rows } = await crm.app.owner.query("select from feed_followers where workspace_id = $1 and follower = 'webhooks'", [crm.ws.id])
  expect(rows).toEqual([])
})

test('integration platforms subscribe and unsubscribe, and get samples', async () => {
  const hook = created(await crm.ws.post('/webhooks/subscribe', { target_url: `${receiver.url}/zap`, event: 'contact.created' }))
  expect(hook).toMatchObject({ source: 'rest_hook', event_types: ['contact.created'] })
  await crm.contact({ email: 'ana@example.com' })
  await crm.app.drain()
  const sample = found(await crm.ws.get('/webhooks/samples/contact.created'))
  const [real] = receiver.received as Row[] as [Row]
  expect(Object.keys(sample)).toEqual(Object.keys(real.body))
  expect(Object.keys(sample.data)).toEqual(Object.keys(real.body.data))
  expect(await crm.ws.get('/webhooks/samples/contact.made')).toMatchObject({ status: 400 })
  expect(await crm.ws.delete(`/webhooks/subscribe/${hook.id}`)).toMatchObject({ status: 200 })
  expect(await crm.ws.get(`/webhooks/${hook.id}`)).toMatchObject({ status: 404 })
})

test('a webhook gets the rights of a key that can read what it sends, and another secret leaves its rights alone', async () => {
  const { ws } = crm
  const webhook = created(await ws.post('/webhooks', { url: `${receiver.url}/rights`, event_types: ['contact.*'] }))
  const path = `/webhooks/${webhook.id}`
  const writes = await ws.key({ scopes: ['webhooks:write'] })
  const reads = await ws.key({ scopes: ['webhooks:write', 'events:read'] })
  for (const key of [writes, reads])
    expect(await key.post(`${path}/enable`)).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE' } } })
  expect(found(await writes.post(`${path}/rotate-secret`))).toMatchObject({ key_id: ws.keyId, secret: expect.any(String) })
  const contact = await crm.contact()
  await crm.app.drain()
  expect(found(await ws.get(path))).toMatchObject({ status: 'enabled', disabled_reason: null, key_id: ws.keyId })
  expect(found(await ws.get(`${path}/deliveries`))).toMatchObject([{ state: 'delivered', record_id: contact.id }])
})
