import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { keyOfFile } from '../../src/domain/file-names.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'
import { messaging } from './messaging.ts'
import { texting } from './texting.ts'
import { PDF, useFiles } from './uploads.ts'
import { ANA, ANAS_CHAT, marking } from './whatsapp-marking.ts'
import { whatsapping } from './whatsapping.ts'

/** What has changed between the request for a message and the time at which it is sent, on every channel. */
const crm = useCrm({ own: true })
const wa = whatsapping(crm)
const { received, react, read, messageOf, later } = marking(crm, wa)
const sms = texting(crm)
const mail = mailing(crm)
const ledger = messaging(crm)
const files = useFiles(crm)
beforeEach(() => {
  crm.app.whatsapp.clear()
  crm.app.email.clear()
})

const remove = async (id: string) => (await crm.app.files()).delete(keyOfFile(crm.ws.id, id))
const SITE = '120363000000000002@g.us'

test('a file that was lost in storage ends the message that it is attached to, by email and by WhatsApp', async () => {
  await wa.paired()
  const [contact, deal] = [await crm.contact({ email: 'lost@example.com', phone: ANA }), await crm.opportunity()]
  const [first, second] = [await files.uploaded(deal.id, 'plan.pdf', PDF), await files.uploaded(deal.id, 'plan.pdf', PDF)]
  crm.app.email.fail('429')
  crm.app.whatsapp.fail('message/sendMedia', '429')
  const email = found(await crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Plan', text: 'Hi', attachment_ids: [first.id] }))
  const chat = await wa.send({ to_phone: ANA, text: 'The plan', attachment_id: second.id })
  expect([email.status, (await wa.ledger(chat.id)).status]).toEqual(['queued', 'queued'])
  await remove(first.id)
  await remove(second.id)
  await ledger.later()
  for (const id of [email.id, chat.id])
    expect(await ledger.message(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('plan.pdf was lost in storage') })
  expect([mail.emailsTo('lost@example.com'), wa.world().sent]).toEqual([[], []])
})

test('a reaction and a receipt wait for a phone that is paired, and end with the message that they are about', async () => {
  await wa.paired()
  const [one, other] = [await received({ text: 'One' }), await received({ text: 'Other' })]
  crm.app.whatsapp.fail('message/sendReaction', '503', 2)
  crm.app.whatsapp.fail('chat/markMessageAsRead', '503')
  found(await react(one.id, '👍'))
  found(await react(other.id, '👍'))
  found(await read(one.conversation_id))
  await crm.app.drain()
  wa.world().deleteMessage(wa.connection(), one.key)
  await wa.flush()
  await crm.app.owner.query("update whatsapp_pairings set status = 'connecting' where workspace_id = $1", [crm.ws.id])
  await crm.app.owner.query('update whatsapp_reactions set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.owner.query('update whatsapp_reads set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  const wake = (kind: string) => crm.app.deliver('messages', [{ type: 'work.run', kind, workspace_id: crm.ws.id }])
  await wake('whatsapp.react')
  await wake('whatsapp.read')
  expect(wa.world().reacted).toEqual([])
  expect(await messageOf(one)).toMatchObject({ reactions: [{ status: 'failed', error: 'The message was deleted in its chat' }] })
  expect(await messageOf(other)).toMatchObject({ reactions: [{ status: 'queued', error: 'No phone is paired with WhatsApp' }] })
  await crm.app.owner.query("update whatsapp_pairings set status = 'connected' where workspace_id = $1", [crm.ws.id])
  await later()
  expect(wa.world().reacted).toMatchObject([{ key: { id: other.key }, emoji: '👍' }])
  expect(wa.world().read.length).toBeGreaterThan(0)
})

test('a reaction whose workers have died too often has failed, and is not sent again', async () => {
  await wa.paired()
  const message = await received()
  await crm.app.capture(true)
  found(await react(message.id, '👍'))
  await crm.app.owner.query('update whatsapp_reactions set attempts = 6 where workspace_id = $1', [crm.ws.id])
  await crm.app.capture(false)
  await later()
  expect(wa.world().reacted).toEqual([])
  expect(await messageOf(message)).toMatchObject({
    reactions: [{ status: 'failed', error: 'WhatsApp did not accept it in several attempts' }],
  })
})

test('a reaction, and a message of a group that the phone has left, cannot be reacted to', async () => {
  await wa.paired()
  const message = await received()
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '🎉', key: { id: message.key } } }, id: 'THEIRS' })
  const theirs = (await wa.messages(message.conversation_id)).find(({ type }) => type === 'reaction') as Row
  const state = (state: string) => ({ status: 409, body: { error: { code: 'INVALID_STATE', details: { state } } } })
  expect(await react(theirs.id, '👍')).toMatchObject(state('reaction'))
  wa.world().setGroup(wa.connection(), SITE, 'Site', [{ id: '61400000001@s.whatsapp.net', admin: 'admin' }, { id: ANAS_CHAT }])
  await wa.flush()
  const inGroup = await received({ group: SITE })
  await crm.app.owner.query('update whatsapp_groups set is_left = true where id = $1', [inGroup.group_id])
  expect(await react(inGroup.id, '👍')).toMatchObject(state('left'))
  expect(wa.world().reacted).toEqual([])
})

test('a keyword that the provider has answered has its effect, and no second answer', async () => {
  await sms.grant()
  const to = await sms.number()
  const contact = await crm.contact({ phone: '+61455555501' })
  const url = crm.app.sms.numbers.find(({ phone_number }) => phone_number === to)?.sms_url as string
  const says = async (body: string, optOut: string) => {
    expect((await sms.post(crm.app.sms.inbound({ from: contact.phone, to, body, url, optOut }))).status).toBe(200)
    await crm.app.drain()
    return found(await crm.ws.get(`/contacts/${contact.id}`)).sms_unsubscribed
  }
  expect([await says('Info please', 'HELP'), sms.sentTo(contact.phone)]).toEqual([false, []])
  expect([await says('Enough', 'STOP'), await says('Go on', 'START')]).toEqual([true, false])
  expect(sms.sentTo(contact.phone)).toEqual([])
  const [conversation] = await sms.conversations(`?contact_id=${contact.id}`)
  expect((await sms.messages(conversation?.id)).map(({ text }) => text).toSorted()).toEqual(['Enough', 'Go on', 'Info please'])
})

test('a message that the provider reports as failed because its recipient has opted out suppresses the number', async () => {
  await sms.grant()
  await sms.number()
  const contact = await crm.contact({ phone: '+61455555502' })
  created(await sms.send({ contact_id: contact.id }))
  await crm.app.drain()
  await sms.report(sms.sentTo(contact.phone)[0]!, 'failed', 21610)
  await crm.app.drain()
  expect(found(await crm.ws.get('/suppressions?channel=sms'))).toMatchObject([{ address: contact.phone, reason: 'unsubscribed' }])
  expect(await sms.send({ contact_id: contact.id })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
})

test('an archived contact gets no SMS, an SMS has a text, and nothing is sent without a number', async () => {
  const contact = await crm.contact({ phone: '+61455555503' })
  const message = { id: randomUUID(), channel: 'sms', purpose: 'sms', contact_id: contact.id, recipient: contact.phone, body_text: 'Hi' }
  const reserved = JSON.stringify([{ ...message, dedupe_key: 'test', segments: 1, credits: 0 }])
  const reserving = crm.app.owner.query(`do $$ begin perform set_config('app.workspace_id', '${crm.ws.id}', true);
    perform reserve_messages('${reserved}'); end $$`)
  await expect(reserving).rejects.toThrow('no phone number to send from')
  await sms.grant()
  await sms.number()
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  for (const text of [' ', '\n\t'])
    expect(await crm.ws.post('/messages', { contact_id: contact.id, channel: 'sms', text })).toMatchObject(refused('text'))
  const longest = 'x'.repeat(1600)
  expect(await crm.ws.post('/messages', { contact_id: contact.id, channel: 'sms', text: `${longest}x` })).toMatchObject(refused('text'))
  created(await crm.ws.post('/messages', { contact_id: contact.id, channel: 'sms', text: longest }))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { archived: true }))
  const archived = { status: 409, body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'archived' } } } }
  expect(await sms.send({ contact_id: contact.id })).toMatchObject(archived)
  expect(await crm.ws.post('/messages', { contact_id: contact.id, channel: 'sms', text: 'Hi' })).toMatchObject(archived)
  await crm.app.drain()
  expect(sms.sentTo(contact.phone)).toHaveLength(1)
})
