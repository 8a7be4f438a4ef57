import { beforeEach, expect, test } from 'vitest'
import { failed, found, useCrm } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ own: true })
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const QR = /^data:image\/png;base64,/

test('a phone is paired by scanning the QR code; two requests share one pairing, and scanning twice changes nothing', async () => {
  expect(await wa.pairing()).toMatchObject({ status: 'disconnected', phone_number: null })
  const both = await Promise.all([crm.ws.post('/whatsapp/pair'), crm.ws.post('/whatsapp/pair')])
  const [one, other] = both.map(found)
  expect(one).toMatchObject({ status: 'awaiting_qr', qr_code: expect.stringMatching(QR), qr_number: 1, qr_expires_at: expect.any(String) })
  expect(other!.qr_code).toBe(one!.qr_code)
  expect(wa.world().connections.size).toBe(1)
  await wa.flush()
  wa.world().scan(wa.connection(), '61400000001', 'Harbour Renovations')
  wa.world().scan(wa.connection(), '61400000009', 'Somebody else')
  expect(await wa.flush({ twice: true, reversed: true })).not.toContain(500)
  const { webhook, name } = wa.connection()
  const second = { state: 'open', statusReason: 200, wuid: '61400000009@s.whatsapp.net', profileName: 'Somebody else' }
  const claim = { event: 'connection.update', instance: name, data: { instance: name, ...second } }
  expect((await wa.post(claim, new URL(webhook!.url).pathname)).status).toBe(200)
  await crm.app.drain()
  const paired = await wa.pairing()
  expect(paired).toMatchObject({ status: 'connected', phone_number: '+61400000001', display_name: 'Harbour Renovations', error: null })
  expect(paired).not.toHaveProperty('qr_code')
  expect(await wa.pair()).toMatchObject({ status: 'connected', qr_code: null, phone_number: '+61400000001' })
  const { rows } = await crm.app.owner.query(
    "select type, payload::text as text from outbox where workspace_id = $1 and type like 'whatsapp_pairing.%' order by id",
    [crm.ws.id],
  )
  expect(rows.map(({ type }) => type)).toContain('whatsapp_pairing.updated')
  expect(rows.map(({ text }) => text).join()).not.toContain('data:image')
})

test('a QR code is replaced when it expires, a bounded number of times, and pairing can begin again', async () => {
  const first = await wa.pair()
  wa.world().newQr(wa.connection())
  await wa.flush()
  const second = await wa.pair()
  expect(second).toMatchObject({ status: 'awaiting_qr', qr_number: 2 })
  expect(second.qr_code).not.toBe(first.qr_code)
  wa.fault('restless_qr')
  for (let look = 0; look < 12; look++) await wa.look()
  expect(await wa.pairing()).toMatchObject({ status: 'qr_expired', error: expect.stringContaining('pair again') })
  expect(wa.world().connections.size, 'the provider makes no more QR codes').toBe(0)
  wa.fault('restless_qr', false)
  expect(await wa.pair()).toMatchObject({ status: 'awaiting_qr', qr_number: 1, error: null })
})

test('a QR code that never comes ends the pairing, and one that comes late is shown', async () => {
  wa.fault('no_qr')
  expect(await wa.pair()).toMatchObject({ status: 'connecting', qr_code: null })
  wa.fault('no_qr', false)
  wa.world().newQr(wa.connection())
  await wa.flush()
  expect(await wa.pair()).toMatchObject({ status: 'awaiting_qr', qr_code: expect.stringMatching(QR) })
  found(await crm.ws.post('/whatsapp/disconnect'))
  wa.fault('no_qr')
  await wa.pair()
  for (let look = 0; look < 6; look++) await wa.look()
  expect(await wa.pairing()).toMatchObject({ status: 'qr_expired' })
  expect(wa.world().connections.size).toBe(0)
})

test('connected but receiving nothing: what was missed is fetched once, and the subscription is made again', async () => {
  await wa.paired()
  wa.fault('deaf')
  const at = Math.floor(Date.now() / 1000) - 300
  await wa.receive({ from: '61400000002', text: 'Are you there?', at })
  expect(await wa.conversations()).toEqual([])
  expect(await wa.look()).toMatchObject({ status: 'degraded', error: expect.stringContaining('did not arrive') })
  expect(await wa.conversations()).toMatchObject([{ external_phone_number: '+61400000002', message_count: 1, snippet: 'Are you there?' }])
  wa.fault('deaf', false)
  expect(await wa.look()).toMatchObject({ status: 'connected', error: null })
  expect(await wa.conversations()).toMatchObject([{ message_count: 1 }])
})

test('a lost connection comes back by itself, and its lost subscription is made again', async () => {
  await wa.paired()
  wa.fault('reconnect_loses_subscription')
  wa.fault('stays_closed')
  wa.world().closeConnection(wa.connection(), 428)
  await wa.flush()
  expect(await wa.pairing()).toMatchObject({ status: 'degraded', phone_number: '+61400000001' })
  wa.fault('stays_closed', false)
  await wa.look()
  expect(await wa.pairing()).toMatchObject({ status: 'connected' })
  expect(wa.connection().webhook?.url).toContain('/v1/whatsapp/inbound/')
  await wa.receive({ text: 'Back again' })
  expect(await wa.conversations()).toMatchObject([{ snippet: 'Back again' }])
  wa.world().closeConnection(wa.connection(), 401)
  await wa.flush()
  expect(await wa.pairing()).toMatchObject({ status: 'logged_out', error: expect.stringContaining('pair again') })
  expect(await wa.pair()).toMatchObject({ status: 'awaiting_qr' })
})

test('a logout that reports success and does nothing is repeated until the connection is gone; nothing is received meanwhile', async () => {
  await wa.paired()
  const path = new URL(wa.connection().webhook!.url).pathname
  wa.fault('logout_does_nothing')
  expect(found(await crm.ws.post('/whatsapp/disconnect'))).toMatchObject({ status: 'disconnecting' })
  expect(await wa.post({ event: 'connection.update', data: {} }, path)).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  expect(await wa.look()).toMatchObject({ status: 'disconnecting' })
  expect(await crm.ws.post('/whatsapp/pair')).toMatchObject(failed(409, 'INVALID_STATE'))
  wa.fault('logout_does_nothing', false)
  expect(await wa.look()).toMatchObject({ status: 'disconnected', phone_number: null })
  expect(wa.world().connections.size).toBe(0)
  expect(found(await crm.ws.post('/whatsapp/disconnect'))).toMatchObject({ status: 'disconnected' })
})

test.each(['500', '429', 'drop'] as const)('a provider that fails with %s delays a pairing and ends none', async (mode) => {
  crm.app.whatsapp.fail('instance/create', mode, 1, mode === 'drop')
  expect(await wa.pair()).toMatchObject({ status: 'connecting', qr_code: null, error: expect.any(String) })
  expect(await wa.pair()).toMatchObject({ status: 'awaiting_qr', qr_code: expect.stringMatching(QR), error: null })
  expect(wa.world().connections.size).toBe(1)
  wa.world().scan(wa.connection())
  await wa.flush()
  crm.app.whatsapp.fail('instance/fetchInstances', mode, 1)
  expect(await wa.look()).toMatchObject({ status: 'degraded' })
  expect(await wa.look()).toMatchObject({ status: 'connected', error: null })
})

test('the object can be stopped at any time: the pairing resumes', async () => {
  const before = await wa.pair()
  await crm.app.restart()
  expect(await wa.pair()).toMatchObject({ qr_code: before.qr_code, qr_number: 1 })
  wa.world().scan(wa.connection())
  wa.world().held.length = 0
  expect(await wa.look()).toMatchObject({ status: 'connected' })
})
