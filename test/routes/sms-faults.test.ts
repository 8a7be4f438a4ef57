import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { registerAddress, texting } from './texting.ts'

const crm = useCrm({ own: true })
const { credits, grant, messages, number, report, send, sentTo } = texting(crm)

const ANA = '+61412345678'
let last = 0
/** A number that no other test writes to. */
const someone = () => `+6142${String(Date.now()).slice(-4)}${String(last++).padStart(3, '0')}`
const messageOf = async (id: string) => found(await crm.ws.get(`/messages/${id}`))

/** Lets what waits be due, and the cron job and the queue do it. */
async function later() {
  await crm.app.owner.query("update messages set due_at = now() - interval '1 second' where workspace_id = $1 and due_at is not null", [
    crm.ws.id,
  ])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}

async function sendTo(phone: string): Promise<string> {
  const id = created(await send({ to_phone: phone })).message_id
  await crm.app.drain()
  return id
}

test.each(['drop', '500', '503', '429', '401', 'slow'] as const)(
  'after %s a message is sent exactly once, and charged once',
  async (mode) => {
    await number()
    await grant(5)
    for (const accept of [true, false]) {
      if (accept && (mode === '429' || mode === '401')) continue
      const phone = someone()
      crm.app.sms.fail(mode, 1, accept)
      const id = await sendTo(phone)
      const before = (await messageOf(id)).status
      expect(before).toBe(mode === 'slow' ? 'sent' : ['429', '401'].includes(mode) ? 'queued' : 'unclear')
      await later()
      await later()
      expect([mode, accept, (await messageOf(id)).status, sentTo(phone).length]).toEqual([mode, accept, 'sent', 1])
    }
    const { balance, reserved } = await credits()
    expect([balance, reserved]).toEqual([mode === '429' || mode === '401' ? 4 : 3, 0])
  },
)

test('an unclear message is not taken for an earlier one with the same text, and waits while the provider cannot be asked', async () => {
  await number()
  await grant()
  const phone = someone()
  await sendTo(phone)
  crm.app.sms.fail('drop')
  const id = await sendTo(phone)
  crm.app.sms.failSearch('500', 3)
  await later()
  expect(await messageOf(id)).toMatchObject({ status: 'unclear' })
  expect(sentTo(phone)).toHaveLength(1)
  await later()
  await later()
  expect(await messageOf(id)).toMatchObject({ status: 'sent' })
  expect(sentTo(phone)).toHaveLength(2)
  const ids = (await crm.app.owner.query('select provider_message_id as sid from messages where workspace_id = $1', [crm.ws.id])).rows
  expect(ids.map(({ sid }) => sid).toSorted()).toEqual(
    sentTo(phone)
      .map(({ sid }) => sid)
      .toSorted(),
  )
})

test('a report shows that an unclear message was accepted, before anybody asks', async () => {
  await number()
  await grant()
  const phone = someone()
  crm.app.sms.fail('drop', 1, true)
  const id = await sendTo(phone)
  await report(sentTo(phone)[0]!, 'delivered')
  await crm.app.drain()
  expect(await messageOf(id)).toMatchObject({ status: 'sent', delivery_status: 'delivered' })
  await later()
  expect(sentTo(phone)).toHaveLength(1)
})

test('a number that has opted out, does not exist or is a landline is suppressed, and what was not sent is refunded', async () => {
  await number()
  await grant(10)
  const contact = await crm.contact({ phone: ANA })
  const [invalid, landline] = [someone(), someone()]
  for (const [phone, code] of [
    [ANA, '21610'],
    [invalid, '21211'],
  ] as const) {
    crm.app.sms.fail(code)
    const id = await sendTo(phone)
    expect(await messageOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining(code) })
    expect(await send({ to_phone: phone })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  }
  expect(await credits()).toMatchObject({ balance: 10, reserved: 0 })
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ sms_unsubscribed: true })

  // Who opts out at the provider does not lift what a member has decided.
  const blocked = someone()
  const sent = await sendTo(blocked)
  created(await crm.ws.post('/suppressions', { channel: 'sms', address: blocked, reason: 'manual' }))
  await report(sentTo((await messageOf(sent)).recipient)[0]!, 'undelivered', 21610)
  await crm.app.drain()

  const [off, unreachable] = [await sendTo(landline), await sendTo(someone())]
  const smsOf = async (id: string) => sentTo((await messageOf(id)).recipient)[0]!
  await report(await smsOf(off), 'undelivered', 30006)
  await report(await smsOf(unreachable), 'undelivered', 30003)
  await crm.app.drain()
  expect(await messageOf(unreachable)).toMatchObject({ status: 'sent', delivery_status: 'undelivered', error: '30003' })
  const listed = found(await crm.ws.get('/suppressions?channel=sms')) as Row[]
  expect(listed.map(({ address, reason }) => [address, reason]).toSorted()).toEqual(
    [
      [ANA, 'unsubscribed'],
      [invalid, 'hard_bounce'],
      [landline, 'hard_bounce'],
      [blocked, 'manual'],
    ].toSorted(),
  )
})

test('numbers are bought once, whatever the outcome, belong to one workspace, and are released', async () => {
  const available = found(await crm.ws.get('/phone/numbers/search?country=AU&contains=157')).numbers as Row[]
  expect(available[0]).toMatchObject({ capabilities: { sms: true }, iso_country: 'AU' })
  const owned = (phone: string) => crm.app.sms.numbers.filter(({ phone_number }) => phone_number === phone)
  const [first, second, third] = [someone(), someone(), someone()]
  await registerAddress(crm.ws)
  const buy = (phone_number: string, workspace = crm.ws) => workspace.post('/phone/numbers/buy', { phone_number })

  crm.app.sms.fail('drop', 1, true)
  expect(created(await buy(first))).toMatchObject({ phone_number: first, status: 'active', sms_enabled: true })
  crm.app.sms.fail('drop', 1, true)
  crm.app.sms.failSearch('500', 3)
  expect(await buy(second)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(found(await crm.ws.get('/phone/numbers')).map(({ status }: Row) => status)).toEqual(['buying', 'active'])
  expect(created(await buy(second))).toMatchObject({ status: 'active' })
  expect([owned(first).length, owned(second).length]).toEqual([1, 1])
  crm.app.sms.fail('21211')
  expect(await buy(third)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(found(await crm.ws.get('/phone/numbers'))).toHaveLength(2)

  expect(await buy(first)).toMatchObject(failed(409, 'CONFLICT'))
  const other = await crm.app.workspace()
  const theirs = await buy(first, other)
  expect(theirs).toMatchObject(failed(409, 'CONFLICT'))
  expect(theirs.body.error, 'of another workspace nothing is learnt').not.toHaveProperty('details.id')
  const [latest, oldest] = found(await crm.ws.get('/phone/numbers')) as Row[]
  await grant()
  const recipient = someone()
  await sendTo(recipient)
  crm.app.sms.fail('500')
  expect(await crm.ws.delete(`/phone/numbers/${oldest?.id}`)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  // What is being given back sends nothing more, also where a conversation has begun with it.
  await sendTo(recipient)
  expect(sentTo(recipient).map(({ from }) => from)).toEqual([first, second])
  expect(await crm.ws.delete(`/phone/numbers/${oldest?.id}`)).toMatchObject({ status: 200, body: { data: { deleted: true } } })
  expect(await crm.ws.post(`/phone/numbers/${latest?.id}/release`, {})).toMatchObject({ status: 200 })
  expect([owned(first).length, owned(second).length]).toEqual([0, 0])
  expect(await send({ to_phone: ANA })).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
})

test('of 100 messages that are sent at once, as many are sent as there are credits for', async () => {
  await number()
  await grant(30)
  const results = await Promise.all(Array.from({ length: 100 }, () => send({ to_phone: ANA })))
  await crm.app.drain()
  await later()
  expect(results.map(({ status }) => status).toSorted()).toEqual([...Array(30).fill(201), ...Array(70).fill(402)])
  expect(await credits()).toMatchObject({ balance: 0, reserved: 0 })
  const conversation = results.find(({ status }) => status === 201)?.body.data.conversation_id
  expect(await messages(conversation)).toHaveLength(30)
})
