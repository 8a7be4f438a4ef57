import { beforeEach, expect, test } from 'vitest'
import { created, type Row, useCrm } from './crm.ts'
import { messaging } from './messaging.ts'
import { texting } from './texting.ts'
import { whatsapping } from './whatsapping.ts'

/** Messages that a provider keeps no id of ours for, and that are found by their text. */
const crm = useCrm({ own: true })
const sms = texting(crm)
const wa = whatsapping(crm)
const { later, message } = messaging(crm)
beforeEach(() => crm.app.whatsapp.clear())

const ANA = '+61455500004'

test('of two SMS with the same text whose outcome is unclear, the one that the provider does not have is sent', async () => {
  await sms.grant()
  await sms.number()
  crm.app.sms.fail('drop', 1, true)
  crm.app.sms.fail('drop', 1, false)
  const ids = []
  for (let n = 0; n < 2; n++) ids.push(created(await sms.send({ to_phone: ANA })).message_id as string)
  await crm.app.drain()
  for (let n = 0; n < 4; n++) await later()
  expect(sms.sentTo(ANA)).toHaveLength(2)
  const stored = await Promise.all(ids.map(message))
  expect(stored.map(({ status }) => status)).toEqual(['sent', 'sent'])
  expect(new Set(stored.map(({ provider_message_id }) => provider_message_id))).toEqual(new Set(sms.sentTo(ANA).map(({ sid }) => sid)))
})

test('nor is one of two messages by WhatsApp lost', async () => {
  await wa.paired()
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, false)
  const sent = [await wa.send({ to_phone: ANA }), await wa.send({ to_phone: ANA })] as [Row, Row]
  wa.world().held.length = 0
  for (let n = 0; n < 4; n++) await wa.again()
  expect(wa.world().sent).toHaveLength(2)
  const stored = await Promise.all(sent.map(({ id }) => wa.ledger(id)))
  expect(new Set(stored.map(({ provider_message_id }) => provider_message_id))).toEqual(new Set(wa.world().sent.map(({ id }) => id)))
})

test('a message with the link of a booking that is reported while its outcome is unclear is sent once, and shown once', async () => {
  await wa.paired()
  const contact = await crm.contact({ phone: ANA })
  const text = `Here it is: http://app.test/book/harbour/manage/${crypto.randomUUID()}`
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  const sent = await wa.send({ to_phone: ANA, text })
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'unclear' })
  await wa.flush()
  for (let n = 0; n < 2; n++) await wa.again()
  await wa.flush({ twice: true })
  expect(wa.world().sent).toHaveLength(1)
  expect(await wa.ledger(sent.id)).toMatchObject({ status: 'sent' })
  expect(await wa.messages(sent.conversation_id)).toMatchObject([{ message_id: sent.id, status: 'sent' }])
  expect(await wa.conversations()).toMatchObject([{ message_count: 1 }])
  const { body } = await crm.ws.get(`/contacts/${contact.id}/timeline?kinds=activity`)
  expect(body.data).toHaveLength(1)
})
