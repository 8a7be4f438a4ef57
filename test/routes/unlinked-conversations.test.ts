import { expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'
import { texting } from './texting.ts'
import { whatsapping } from './whatsapping.ts'

/** Conversations that began before their person was a contact. */
const crm = useCrm({ own: true })
const sms = texting(crm)
const wa = whatsapping(crm)
const unreachable = (reason: string) => ({ status: 409, body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason } } } })
const allow = (contact: Row, fields: Row) => crm.ws.patch(`/contacts/${contact.id}`, fields)

test('a contact who was added later and has opted out gets no SMS in the conversation', async () => {
  await sms.grant()
  const number = await sms.number()
  await sms.inbound('+61455500001', number, 'Who are you?')
  await crm.app.drain()
  const [conversation] = (await sms.conversations()) as [Row]
  expect(conversation.contact_id).toBeNull()
  const contact = await crm.contact({ phone: '+61455500001', sms_unsubscribed: true })
  const reply = () => sms.send({ conversation_id: conversation.id })
  expect(await reply()).toMatchObject(unreachable('unsubscribed'))
  found(await allow(contact, { sms_unsubscribed: false, archived: true }))
  expect(await reply()).toMatchObject(unreachable('archived'))
  found(await allow(contact, { archived: false }))
  expect((await reply()).status).toBe(201)
  await crm.app.drain()
  expect(sms.sentTo('+61455500001')).toHaveLength(1)
  expect(await sms.conversations()).toMatchObject([{ id: conversation.id, contact_id: contact.id }])
})

test('nor a message or a reaction by WhatsApp', async () => {
  await wa.paired()
  await wa.receive({ from: '+61455500002', text: 'Who are you?' })
  const [conversation] = (await wa.conversations()) as [Row]
  expect(conversation.contact_id).toBeNull()
  const [message] = (await wa.messages(conversation.id)) as [Row]
  const contact = await crm.contact({ phone: '+61455500002', whatsapp_unsubscribed: true })
  const reply = () => crm.ws.post('/whatsapp/send', { conversation_id: conversation.id, text: 'Hello' })
  const react = () => crm.ws.post(`/whatsapp/messages/${message.id}/reaction`, { emoji: '👍' })
  for (const one of [reply, react]) expect(await one()).toMatchObject(unreachable('unsubscribed'))
  found(await allow(contact, { whatsapp_unsubscribed: false }))
  expect((await reply()).status).toBe(201)
  found((await react()) as never)
  await crm.app.drain()
  expect(wa.world().sent).toHaveLength(1)
  expect(await wa.conversations()).toMatchObject([{ id: conversation.id, contact_id: contact.id }])
})
