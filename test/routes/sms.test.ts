import { expect, test } from 'vitest'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { texting } from './texting.ts'

const crm = useCrm()
const { conversations, credits, grant, inbound, messages, number, post, report, send, sentTo } = texting(crm)

const ANA = '+61412345678'
const activities = async (contact: string) => found(await crm.ws.get(`/activities?contact_id=${contact}`)) as Row[]

test('an SMS to a contact is sent once, costs its segments, and its delivery is shown, in whatever order the reports come', async () => {
  const contact = await crm.contact({ phone: ANA })
  const to = { contact_id: contact.id }
  expect(await send(to)).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
  const from = await number()
  expect(await send(to)).toMatchObject({
    status: 402,
    body: { error: { code: 'INSUFFICIENT_CREDITS', details: { required: 1, balance: 0 } } },
  })
  expect(sentTo(ANA)).toEqual([])
  await grant(10)
  const text = `${'a'.repeat(160)}€`
  const sent = await send({ ...to, text })
  expect(sent).toMatchObject({ status: 201, body: { data: { direction: 'outbound', status: 'queued', segments: 2, credits: 2, text } } })
  await crm.app.drain()
  const [sms, ...others] = sentTo(ANA)
  expect(others).toEqual([])
  expect(sms).toMatchObject({ from, body: text })
  expect(await credits()).toMatchObject({ balance: 8, reserved: 0 })
  expect(await activities(contact.id)).toMatchObject([{ activity_type: 'sms', direction: 'outbound', body: text }])

  for (const status of ['delivered', 'sent', 'queued', 'delivered', 'undelivered']) expect((await report(sms!, status)).status).toBe(200)
  await crm.app.drain()
  const [conversation] = await conversations(`?contact_id=${contact.id}`)
  expect(conversation).toMatchObject({
    phone_number: from,
    external_phone_number: ANA,
    direction: 'outbound',
    unread: false,
    message_count: 1,
  })
  expect(await messages(conversation?.id)).toMatchObject([{ status: 'sent', delivery_status: 'delivered', text, segments: 2 }])
  const types = (await crm.events(sent.body.data.message_id)).map(({ type }) => type)
  expect(types.filter((type) => !type.endsWith('ed') || type.startsWith('message.'))).toEqual(
    expect.arrayContaining(['message.queued', 'message.sent']),
  )
  expect(types.filter((type) => type === 'message.delivered')).toHaveLength(1)
  expect(types).not.toContain('message.undelivered')
})

test('a received message belongs to the contact with the number as any of its numbers; each number has its conversation', async () => {
  await grant()
  const [first, second] = [await number(), await number()]
  const contact = await crm.contact({ phone: '+61411111111', alternate_phones: [ANA] })
  for (const [to, body] of [
    [first, 'Hello'],
    [first, 'Are you there?'],
    [second, 'Hi'],
  ] as const)
    expect((await inbound(ANA, to, body)).status).toBe(200)
  await inbound('+61499999999', first, 'Who am I?')
  await crm.app.drain()
  const listed = await conversations()
  expect(
    listed
      .map(({ phone_number, external_phone_number, contact_id, message_count, unread }) => [
        phone_number,
        external_phone_number,
        contact_id,
        message_count,
        unread,
      ])
      .toSorted(),
  ).toEqual(
    [
      [first, ANA, contact.id, 2, true],
      [first, '+61499999999', null, 1, true],
      [second, ANA, contact.id, 1, true],
    ].toSorted(),
  )
  expect((await activities(contact.id)).map(({ body }) => body).toSorted()).toEqual(['Are you there?', 'Hello', 'Hi'])
  const one = listed.find(({ phone_number, contact_id }) => phone_number === first && contact_id)!
  const events = (await crm.events(one.id)).filter(({ type }) => type.startsWith('sms.'))
  expect(events.map(({ type, payload }) => [type, payload.contact_id])).toEqual(Array(2).fill(['sms.received', contact.id]))

  expect(found(await crm.ws.get(`/sms/conversations/${one.id}`))).toMatchObject({ id: one.id })
  expect(await conversations(`?phone_number=${encodeURIComponent(second)}`)).toHaveLength(1)
  expect(await conversations(`?external_phone_number=${encodeURIComponent(ANA)}&unread=true`)).toHaveLength(2)
  expect(await crm.ws.post('/sms/conversations/mark-read', { conversation_ids: [one.id] })).toMatchObject({
    body: { data: { updated: 1, has_more: false } },
  })
  expect(await crm.ws.post('/sms/conversations/mark-read', { conversation_ids: [crypto.randomUUID()] })).toMatchObject(
    refused('conversation_ids.0'),
  )
  const { rows } = await crm.app.owner.query(
    "select set_config('app.workspace_id', $1, true), mark_conversations_read(null, 1) as marked",
    [crm.ws.id],
  )
  expect(rows[0].marked, 'of two one').toEqual({ updated: 1, has_more: true })
  expect(found(await crm.ws.post('/sms/conversations/mark-read', {}))).toEqual({ updated: 1, has_more: false })
  expect(await conversations('?unread=true')).toEqual([])

  expect((await send({ conversation_id: one.id, text: 'Yes' })).status).toBe(201)
  await crm.app.drain()
  expect(sentTo(ANA).at(-1)).toMatchObject({ from: first, body: 'Yes' })
  expect((await messages(one.id)).map(({ direction, text }) => [direction, text])).toEqual([
    ['inbound', 'Hello'],
    ['inbound', 'Are you there?'],
    ['outbound', 'Yes'],
  ])
})

test('what the provider posts counts only with its signature, once for each id, and only for numbers of the workspace', async () => {
  const to = await number()
  const other = await crm.app.workspace()
  const url = crm.app.sms.numbers.find(({ phone_number }) => phone_number === to)!.sms_url
  const good = crm.app.sms.inbound({ from: ANA, to, body: 'Hello', url })
  const signature = good.init.headers['x-twilio-signature']!
  const forged = [
    { ...good, init: { ...good.init, body: good.init.body.replace('Hello', 'Hellp') } },
    { ...good, url: good.url.replace(crm.ws.id, other.id) },
    ...['', 'x', signature.slice(0, -4), `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].map((bad) => ({
      ...good,
      init: { ...good.init, headers: { ...good.init.headers, 'x-twilio-signature': bad } },
    })),
  ]
  for (const one of forged) expect((await post(one)).status).toBe(401)
  // Signed, but for a number of another workspace.
  await post(crm.app.sms.inbound({ from: ANA, to, body: 'Hello', url: url.replace(crm.ws.id, other.id) }))
  for (const time of [1, 2, 3]) expect([time, (await post(good)).status]).toEqual([time, 200])
  await crm.app.drain()
  expect(await conversations()).toMatchObject([{ message_count: 1 }])
  expect(found(await other.get('/sms/conversations'))).toEqual([])
  await inbound('+61433333333', to, '😀'.repeat(5000))
  await crm.app.drain()
  const [long] = await conversations(`?external_phone_number=${encodeURIComponent('+61433333333')}`)
  expect((await messages(long?.id)).map(({ text }) => text === '😀'.repeat(800))).toEqual([true])
})

test('STOP and START in several languages decide whether a number gets messages, and HELP is replied to', async () => {
  await grant()
  const to = await number()
  const contact = await crm.contact({ phone: ANA })
  const flag = async () => found(await crm.ws.get(`/contacts/${contact.id}`)).sms_unsubscribed
  for (const stop of [
    'STOPP',
    'baja',
    'Sair',
    'ANNULLA',
    'afmelden',
    'Zatrzymaj!',
    'СТОП',
    'إلغاء',
    '수신거부',
    'रोकें',
    'Lopeta',
    'Avsluta',
  ]) {
    await inbound(ANA, to, stop)
    await crm.app.drain()
    expect([stop, await flag()]).toEqual([stop, true])
    await inbound(ANA, to, 'START')
    await crm.app.drain()
    expect([stop, await flag()]).toEqual([stop, false])
  }
  for (const [stop, start] of [
    ['STOP', 'START'],
    [' Stop. ', 'unstop'],
    ['ARRÊT', 'start'],
    ['停止', '开始'],
    ['Abmelden!', 'Ja bitte'],
  ] as const) {
    await inbound(ANA, to, stop)
    await crm.app.drain()
    expect([stop, await flag()]).toEqual([stop, true])
    expect(await send({ contact_id: contact.id })).toMatchObject({ status: 409, body: { error: { details: { reason: 'unsubscribed' } } } })
    expect(await send({ to_phone: ANA })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
    await inbound(ANA, to, start)
    await crm.app.drain()
    expect([start, await flag()]).toEqual([start, start === 'Ja bitte'])
  }
  await inbound('+61422222222', to, 'stop by tomorrow')
  await inbound('+61422222222', to, 'help')
  await crm.app.drain()
  expect(sentTo('+61422222222')).toMatchObject([{ from: to, body: expect.stringContaining('reply STOP') }])
  expect(found(await crm.ws.get('/suppressions?channel=sms'))).toMatchObject([{ address: ANA, reason: 'unsubscribed' }])
})

test('what cannot be sent is refused with the field and what to send instead', async () => {
  await grant()
  await number()
  for (const [body, path] of [
    [{}, 'contact_id'],
    [{ contact_id: crypto.randomUUID() }, 'contact_id'],
    [{ conversation_id: crypto.randomUUID() }, 'conversation_id'],
    [{ to_phone: ANA, phone_number_id: crypto.randomUUID() }, 'phone_number_id'],
    [{ to_phone: '12' }, 'to_phone'],
    [{ to_phone: ANA, text: '😀'.repeat(5000) }, 'text'],
    [{ to_phone: ANA, text: '' }, 'text'],
  ] as const)
    expect([path, await send(body)]).toMatchObject([path, refused(path)])
  const cannot = (reason: string) => ({ status: 409, body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason } } } })
  const { id } = await crm.contact()
  expect(await send({ contact_id: id })).toMatchObject(cannot('no_address'))
  expect(await send({ to_phone: '+61 1900 123 456' })).toMatchObject(cannot('premium_number'))
  const { id: premium } = await crm.contact({ phone: '+19005551234' })
  expect(found(await crm.ws.get(`/contacts/${premium}/reachability?channel=sms`)).channels).toMatchObject([{ reason: 'premium_number' }])
  const size = { encoding: 'gsm7', units: 5, segments: 1 }
  expect(found(await crm.ws.get('/sms/segments?text=Hello'))).toEqual({ ...size, credits: 1 })
  expect(found(await crm.ws.get('/sms/segments?text=Hello&with_files=true'))).toEqual({ ...size, credits: 3 })
})
