import { expect, test } from 'vitest'
import { created, found, useCrm } from './crm.ts'
import { messaging } from './messaging.ts'
import { texting } from './texting.ts'

const crm = useCrm({ own: true })
const { later, message } = messaging(crm)
const sms = texting(crm)

test('a message that waited when its contact was deleted is not sent when the contact comes back', async () => {
  await sms.grant(10)
  await sms.number()
  const contact = await crm.contact({ phone: '+61455500003' })
  crm.app.sms.fail('429', 1)
  const { message_id } = created(await sms.send({ contact_id: contact.id }))
  await crm.app.drain()
  expect(await message(message_id)).toMatchObject({ status: 'queued' })
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await sms.credits()).toMatchObject({ balance: 10, reserved: 0 })
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  await later()
  expect(sms.sentTo('+61455500003')).toEqual([])
  expect(await message(message_id)).toMatchObject({ status: 'failed', error: 'expired' })
  expect(await sms.credits()).toMatchObject({ balance: 10, reserved: 0 })
})
