import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { failed, found, ids, type Row, refused, useCrm, uuid } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ own: true })
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const ANA = '+61400000002'

test('a message goes out for a credit, is answered, and both are on the timeline of the contact', async () => {
  await wa.paired()
  const contact = await crm.contact({ phone: '+61400000003', alternate_phones: [ANA] })
  const sent = await wa.send({ to_phone: '0400 000 002' })
  expect(sent).toMatchObject({ id: uuid, conversation_id: uuid, group_id: null, status: 'queued', recipient: ANA, credits: 1 })
  expect(wa.world().sent).toMatchObject([{ to: '61400000002@s.whatsapp.net', text: 'Hello Ana' }])
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'sent', channel: 'whatsapp', contact_id: contact.id })
  expect(await wa.balance()).toMatchObject({ balance: 99, reserved: 0 })
  await wa.flush({ twice: true })
  await wa.receive({ from: ANA, text: 'Thank you\nsee you', quotes: wa.world().sent[0]!.id })
  const [conversation, ...others] = await wa.conversations()
  expect(others).toEqual([])
  expect(conversation).toMatchObject({
    id: sent.conversation_id,
    external_phone_number: ANA,
    contact_id: contact.id,
    name: 'Ana',
    unread: true,
    unread_count: 1,
    direction: 'inbound',
    snippet: 'Thank you see you',
    message_count: 2,
    status: 'active',
  })
  const [first, second] = await wa.messages(sent.conversation_id)
  expect(first).toMatchObject({ id: sent.whatsapp_message_id, direction: 'outbound', message_id: sent.id, status: 'sent' })
  expect(second).toMatchObject({
    direction: 'inbound',
    sender_phone: ANA,
    contact_id: contact.id,
    replies_to: first!.id,
    body_text: 'Thank you\nsee you',
  })
  expect(found(await crm.ws.get(`/contacts/${contact.id}/activities`))).toMatchObject([
    { activity_type: 'whatsapp', direction: 'inbound', body: 'Thank you\nsee you' },
    { activity_type: 'whatsapp', direction: 'outbound', metadata: { message_id: sent.id } },
  ])
  expect((await crm.events(sent.conversation_id)).map(({ type }) => type)).toContain('whatsapp.received')
  await wa.send({ conversation_id: conversation!.id, text: 'Great' })
  expect(wa.world().sent.map(({ text }) => text)).toEqual(['Hello Ana', 'Great'])
})

test('messages and receipts may come twice and in reverse: each is stored once, and a status only rises', async () => {
  await wa.paired()
  const sent = await wa.send({ to_phone: ANA })
  const key = wa.world().sent[0]!.id
  for (const status of ['READ', 'DELIVERY_ACK', 'SERVER_ACK']) wa.world().receipt(wa.connection(), key, status)
  wa.world().receive(wa.connection(), {
    ...(await import('../../dev/whatsapp-messages.ts')).messageOf({ from: ANA, text: 'One', id: 'A1' }),
  })
  wa.world().receive(wa.connection(), {
    ...(await import('../../dev/whatsapp-messages.ts')).messageOf({ from: ANA, text: 'Two', id: 'A2' }),
  })
  expect(new Set(await wa.flush({ twice: true, reversed: true }))).toEqual(new Set([200]))
  const messages = await wa.messages(sent.conversation_id)
  expect(messages.map(({ body_text, status }) => [body_text, status]).toSorted()).toEqual([
    ['Hello Ana', 'read'],
    ['One', 'delivered'],
    ['Two', 'delivered'],
  ])
  expect(await wa.conversations()).toMatchObject([{ message_count: 3, unread_count: 2 }])
})

test('a receipt that comes before its message is applied to it', async () => {
  await wa.paired()
  const path = new URL(wa.connection().webhook!.url).pathname
  wa.world().send(wa.connection(), '61400000002@s.whatsapp.net', 'From the phone', false)
  const { key } = wa.connection().messages[0]!
  await wa.post({ event: 'messages.update', data: { keyId: key.id, fromMe: true, status: 'DELIVERY_ACK' } }, path)
  await crm.app.drain()
  await wa.flush()
  const [conversation] = await wa.conversations()
  expect(conversation).toMatchObject({ unread: false, direction: 'outbound' })
  expect(await wa.messages(conversation!.id)).toMatchObject([{ body_text: 'From the phone', message_id: null, status: 'delivered' }])
  // If a report has several states, the furthest one counts.
  await wa.post(
    { event: 'messages.update', data: ['READ', 'DELIVERY_ACK'].map((status) => ({ keyId: key.id, fromMe: true, status })) },
    path,
  )
  await crm.app.drain()
  expect(await wa.messages(conversation!.id)).toMatchObject([{ status: 'read' }])
})

test.each([
  ['dropped after it was accepted', 'drop', true],
  ['dropped before', 'drop', false],
  ['500 after it was accepted', '500', true],
] as const)('an unclear outcome, %s, is looked up before anything is sent again', async (_, mode, accept) => {
  await wa.paired()
  crm.app.whatsapp.fail('message/sendText', mode, 1, accept)
  const sent = await wa.send({ to_phone: ANA })
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'unclear' })
  wa.world().held.length = 0
  await wa.again()
  await wa.again()
  expect(wa.world().sent).toHaveLength(1)
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'sent' })
  expect(await wa.messages(sent.conversation_id)).toMatchObject([{ status: 'sent' }])
  expect(await wa.balance()).toMatchObject({ balance: 99, reserved: 0 })
})

test('an unclear outcome is settled by the report of the message; the same text twice is two messages', async () => {
  await wa.paired()
  const first = await wa.send({ to_phone: ANA })
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  const second = await wa.send({ to_phone: ANA })
  await wa.flush({ twice: true })
  expect(wa.world().sent).toHaveLength(2)
  for (const { id } of [first, second]) expect(await wa.ledger(id)).toMatchObject({ status: 'sent' })
  await wa.again()
  expect(wa.world().sent).toHaveLength(2)
  expect(await wa.messages(first.conversation_id)).toHaveLength(2)
})

test('a temporary refusal is repeated, an unknown number is refused for good, and its credit comes back', async () => {
  await wa.paired()
  crm.app.whatsapp.fail('message/sendText', '429')
  const later = await wa.send({ to_phone: ANA })
  expect(await wa.ledger(later.id)).toMatchObject({ status: 'queued' })
  expect(await wa.balance()).toMatchObject({ balance: 99, reserved: 1 })
  await wa.again()
  expect(await wa.ledger(later.id)).toMatchObject({ status: 'sent' })
  wa.world().unknownNumbers.add('+61400000077')
  const unknown = await wa.send({ to_phone: '+61400000077' })
  expect(await wa.ledger(unknown.id)).toMatchObject({ status: 'failed' })
  expect(await wa.messages(unknown.conversation_id)).toMatchObject([{ status: 'failed' }])
  expect(await wa.balance()).toMatchObject({ balance: 99, reserved: 0 })
})

test('nothing is sent without a paired phone, without credits, or to whom it must not go', async () => {
  const send = (body: Row) => crm.ws.post('/whatsapp/send', { text: 'Hello', ...body })
  expect(await send({ to_phone: ANA })).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
  await wa.pair()
  wa.world().scan(wa.connection())
  await wa.flush()
  expect(await send({ to_phone: ANA })).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  expect(await wa.conversations()).toEqual([])
  await wa.credits()
  // Otherwise a message to a contact waits at night.
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  const contact = await crm.contact({ phone: ANA, whatsapp_unsubscribed: true })
  expect(await send({ to_phone: ANA })).toMatchObject({ status: 409, body: { error: { details: { reason: 'unsubscribed' } } } })
  found(await crm.ws.patch(`/contacts/${contact.id}`, { whatsapp_unsubscribed: false }))
  found(await crm.ws.post('/suppressions', { channel: 'whatsapp', address: '+61400000008', reason: 'manual' }))
  expect(await send({ to_phone: '+61400000008' })).toMatchObject({ status: 409, body: { error: { details: { reason: 'suppressed' } } } })
  for (const [body, path] of [
    [{}, 'to_phone'],
    [{ to_phone: 'nobody' }, 'to_phone'],
    [{ to_phone: ANA, text: ' ' }, 'text'],
    [{ to_phone: ANA, text: 'x'.repeat(4097) }, 'text'],
    [{ to_phone: ANA, conversation_id: randomUUID() }, 'to_phone'],
    [{ conversation_id: randomUUID() }, 'conversation_id'],
  ] as const)
    expect(await send(body), JSON.stringify(body)).toMatchObject(refused(path))
  const through = await crm.ws.key({ scopes: ['email:*', 'contacts:read'] })
  expect(await through.post('/messages', { contact_id: contact.id, channel: 'whatsapp', text: 'Hi' })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  found(await crm.ws.post('/messages', { contact_id: contact.id, channel: 'whatsapp', text: 'Hi' }))
  await crm.app.drain()
  expect(wa.world().sent).toMatchObject([{ text: 'Hi' }])
})

test('a hidden number stays hidden until it is known, and never becomes a phone number', async () => {
  await wa.paired()
  await wa.receive({ from: ANA, lid: '98765432109876', hidden: true, text: 'Who am I?' })
  const [hidden] = await wa.conversations()
  expect(hidden).toMatchObject({ external_phone_number: null, contact_id: null, snippet: 'Who am I?' })
  expect(await wa.messages(hidden!.id)).toMatchObject([{ sender_phone: null }])
  await wa.send({ conversation_id: hidden!.id, text: 'Tell me' })
  expect(wa.world().sent).toMatchObject([{ to: '98765432109876@lid' }])
  await wa.receive({ from: ANA, lid: '98765432109876', text: 'I am Ana' })
  expect(await wa.conversations()).toMatchObject([{ id: hidden!.id, external_phone_number: ANA, message_count: 3 }])
  await wa.receive({ from: ANA, text: 'Again' })
  expect(ids(await wa.conversations(`external_phone_number=${encodeURIComponent(ANA)}`))).toEqual([hidden!.id])
})

test('files, reactions and deletions are shown; reports that are bad or about nothing hold up no other', async () => {
  await wa.paired()
  const photo = { imageMessage: { caption: 'The deck', mimetype: 'image/jpeg', fileLength: { low: 52_000 } } }
  const { key } = await wa.receive({ from: ANA, message: photo })
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '👍', key: { id: key.id } } } })
  const [conversation] = await wa.conversations()
  const [first, second] = await wa.messages(conversation!.id)
  expect(first).toMatchObject({ type: 'image', body_text: 'The deck', media_type: 'image/jpeg', media_size: 52_000 })
  expect(second).toMatchObject({ type: 'reaction', body_text: '👍', replies_to: first!.id })
  const path = new URL(wa.connection().webhook!.url).pathname
  const post = async (body: unknown) => (await wa.post(body, path)).status
  expect(await post('{')).toBe(400)
  expect(await post({ event: 'messages.upsert', data: { key: { remoteJid: 'status@broadcast', id: 'B1' }, message: {} } })).toBe(200)
  expect(await post({ event: 'chats.update', data: 'x' })).toBe(200)
  expect(await post([null, 1])).toBe(200)
  const large = JSON.stringify({ event: 'messages.upsert', data: 'x'.repeat(1_000_000) })
  const headers = { 'content-type': 'application/json' }
  expect((await crm.app.client(path, { method: 'POST', headers, body: large })).status).toBe(413)
  expect(await wa.post({}, `${path.slice(0, -1)}${path.endsWith('0') ? '1' : '0'}`)).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  wa.world().deleteMessage(wa.connection(), key.id)
  await wa.flush()
  expect(await wa.messages(conversation!.id)).toMatchObject([{ is_deleted: true, body_text: '', media: [] }, {}])
  expect(await wa.conversations()).toMatchObject([{ snippet: '👍' }])
})

test('a message that was deleted in its chat is not readable in its conversation or group, the inbox or on the timeline', async () => {
  await wa.paired()
  const contact = await crm.contact({ phone: ANA })
  const company = await crm.company()
  const site = '120363000000000009@g.us'
  wa.world().setGroup(wa.connection(), site, 'Deck', [{ id: '61400000001@s.whatsapp.net', admin: 'superadmin' }])
  await wa.flush()
  await wa.receive({ from: ANA, text: 'Hello' })
  const { key } = await wa.receive({ from: ANA, text: 'My PIN is 1234' })
  const written = await wa.receive({ from: ANA, group: site, text: 'The code is 5678' })
  const [linked] = found(await crm.ws.get('/whatsapp/groups')) as [Row]
  found(await crm.ws.post(`/whatsapp/groups/${linked.id}/link`, { customer_id: company }))
  const shown = async () =>
    JSON.stringify(
      await Promise.all(
        [
          '/whatsapp/conversations',
          '/whatsapp/groups',
          '/conversations',
          `/contacts/${contact.id}/timeline?kinds=activity`,
          `/companies/${company}/timeline?kinds=activity`,
        ].map(async (path) => found(await crm.ws.get(path))),
      ),
    )
  expect(await shown()).toContain('1234')
  expect(await shown()).toContain('5678')
  wa.world().deleteMessage(wa.connection(), key.id)
  wa.world().deleteMessage(wa.connection(), written.key.id)
  await wa.flush({ twice: true })
  expect(await shown()).not.toMatch(/1234|5678/)
  expect(await shown()).toContain('Hello')
})

test('a conversation is marked and archived, comes back with a message, and follows its contact', async () => {
  await wa.paired()
  const [ana, ben] = [await crm.contact({ phone: ANA }), await crm.contact({ first_name: 'Ben', phone: '+61400000004' })]
  await wa.receive({ from: ANA })
  await wa.receive({ from: '+61400000004' })
  const [newest, oldest] = await wa.conversations('unread=true')
  expect([newest!.contact_id, oldest!.contact_id]).toEqual([ben.id, ana.id])
  const path = `/whatsapp/conversations/${oldest!.id}`
  expect(found(await crm.ws.patch(path, { unread: false, status: 'archived' }))).toMatchObject({
    unread: false,
    unread_count: 0,
    status: 'archived',
  })
  expect(ids(await wa.conversations('unread=true'))).toEqual([newest!.id])
  expect(ids(await wa.conversations('status=active'))).toEqual([newest!.id])
  await wa.receive({ from: ANA, text: 'Still there?' })
  expect(found(await crm.ws.get(path))).toMatchObject({ status: 'active', unread: true, unread_count: 1 })
  expect(await crm.ws.patch(path, { unread: 'no' })).toMatchObject(refused('unread'))
  expect(await crm.ws.get('/whatsapp/conversations?unread=perhaps')).toMatchObject(refused('unread'))
  found(await crm.ws.delete(`/contacts/${ana.id}`))
  expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
  found(await crm.ws.post(`/contacts/${ana.id}/restore`))
  expect(await wa.messages(oldest!.id)).toHaveLength(2)
  found(await crm.ws.post('/contacts/merge', { winner_id: ben.id, loser_ids: [ana.id] }))
  expect(ids(await wa.conversations(`contact_id=${ben.id}`)).toSorted()).toEqual(ids([newest, oldest] as Row[]).toSorted())
  expect((await crm.count('activities')) > 0).toBe(true)
})
