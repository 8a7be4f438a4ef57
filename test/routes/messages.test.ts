import { expect, test, vi } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'
import { messaging } from './messaging.ts'

const crm = useCrm({ own: true })
const { claim, emailsTo, later, message, reserve, wake } = messaging(crm)
let people = 0
const person = (fields: Row = {}) => crm.contact({ email: `person-${++people}@example.com`, ...fields })

test('a message is sent once, however often the queue is woken, and appears in the lists, the feed and the timeline', async () => {
  const contact = await person()
  const id = await reserve(contact, { dedupe_key: 'once' })
  await reserve(contact, { dedupe_key: 'once' })
  expect(await message(id)).toMatchObject({ status: 'queued', attempts: 0, sent_at: null })
  await Promise.all([wake(), wake(), wake(), wake()])
  await later()
  const [email, ...others] = emailsTo(contact.email)
  expect(others).toEqual([])
  expect(email).toMatchObject({
    Subject: 'Offer',
    TextBody: 'Hello',
    Tag: 'automation',
    Metadata: { message_id: id, workspace_id: crm.ws.id },
  })
  expect(await message(id)).toMatchObject({
    status: 'sent',
    attempts: 1,
    provider_message_id: email!.MessageID,
    sent_at: expect.any(String),
    body_text: 'Hello',
    error: null,
    contact_id: contact.id,
    recipient: contact.email,
  })
  expect((await crm.events(id)).map(({ type }) => type)).toEqual([
    ...['message.created', 'message.queued', 'message.updated', 'message.updated', 'message.sent'],
  ])
  const [activity] = found(await crm.ws.get(`/contacts/${contact.id}/timeline?limit=1`))
  expect(activity).toMatchObject({ kind: 'activity', data: { activity_type: 'email', direction: 'outbound', subject: 'Offer' } })
  const other = await reserve(await person(), { purpose: 'birthday' })
  for (const filter of [`contact_id=${contact.id}`, 'status=sent', 'purpose=automation'])
    expect(ids(found(await crm.ws.get(`/messages?${filter}`))), filter).toEqual([id])
  expect(ids(found(await crm.ws.get('/messages?channel=email')))).toEqual([other, id])
  expect(await crm.ws.get('/messages?status=lost')).toMatchObject(refused('status'))
})

test('no custom field of activities keeps a message that was sent from being noted', async () => {
  found(await crm.ws.patch('/custom-field-settings', { strict: true }))
  const field = { object: 'activity', type: 'text', label: 'Mood', required: true }
  created(await crm.ws.post('/custom-fields', field))
  const contact = await person()
  const id = await reserve(contact)
  await wake()
  expect(await message(id)).toMatchObject({ status: 'sent', attempts: 1 })
  expect(found(await crm.ws.get(`/contacts/${contact.id}/activities`))).toMatchObject([
    { activity_type: 'email', metadata: { message_id: id } },
  ])
})

test.each(['401', '429', '500', '503', 'drop'] as const)('after a failure (%s) a message is sent later, once', async (mode) => {
  const contact = await person()
  const id = await reserve(contact)
  crm.app.email.fail(mode)
  await wake()
  const isClear = mode === '401' || mode === '429'
  expect(await message(id)).toMatchObject({ status: isClear ? 'queued' : 'unclear', error: expect.any(String) })
  await later()
  await later()
  expect(await message(id)).toMatchObject({ status: 'sent', error: null, attempts: 2 })
  expect(emailsTo(contact.email)).toHaveLength(1)
})

test.each(['500', 'drop'] as const)(
  'a message that was accepted although the answer was lost (%s) is looked up, and not sent again',
  async (mode) => {
    const contact = await person()
    const id = await reserve(contact)
    crm.app.email.fail(mode, 1, true)
    await wake()
    await wake()
    expect(await message(id)).toMatchObject({ status: 'unclear' })
    // The provider does not answer the question either, at first.
    crm.app.email.failSearch('503')
    await later()
    expect(await message(id)).toMatchObject({ status: 'unclear', attempts: 1 })
    await later()
    expect(await message(id)).toMatchObject({ status: 'sent', attempts: 1, provider_message_id: emailsTo(contact.email)[0]!.MessageID })
    expect(emailsTo(contact.email)).toHaveLength(1)
  },
)

test('a Worker that dies before it sends, or after, leaves a message that is sent once', async () => {
  const [before, after] = [await person(), await person()]
  const first = await reserve(before)
  await claim()
  await wake()
  expect(emailsTo(before.email)).toEqual([])
  const second = await reserve(after)
  crm.app.email.fail('timeout', 1, true)
  void wake().catch(() => {})
  await vi.waitFor(() => expect(emailsTo(after.email)).toHaveLength(1))
  await crm.app.restart()
  for (const id of [first, second]) expect(await message(id)).toMatchObject({ status: 'sending' })
  await later()
  await later()
  for (const id of [first, second]) expect(await message(id)).toMatchObject({ status: 'sent' })
  expect([emailsTo(before.email).length, emailsTo(after.email).length]).toEqual([1, 1])
})

test('one message that is refused harms none of the others, and a message is tried six times', async () => {
  const people = await Promise.all(Array.from({ length: 7 }, () => person()))
  crm.app.email.inactive.add(people[3]!.email)
  const all: string[] = []
  for (const contact of people) all.push(await reserve(contact))
  await wake()
  for (const [n, id] of all.entries())
    expect(await message(id)).toMatchObject(n === 3 ? { status: 'failed', error: expect.stringContaining('inactive') } : { status: 'sent' })
  expect((await crm.events(all[3]!)).at(-1)).toMatchObject({
    type: 'message.failed',
    payload: { error: expect.stringContaining('inactive') },
  })

  const id = await reserve(people[0]!)
  crm.app.email.fail('429', 6)
  for (let n = 0; n < 7; n++) await later()
  expect(await message(id)).toMatchObject({ status: 'failed', attempts: 6 })
  expect(emailsTo(people[0]!.email)).toHaveLength(1)
})

test('who opted out, was archived or suppressed after the reservation gets nothing, and a late message is not sent', async () => {
  const cases: [string, (contact: Row) => Promise<unknown>, Row?][] = [
    ['unsubscribed', ({ id }) => crm.ws.patch(`/contacts/${id}`, { email_unsubscribed: true })],
    ['archived', ({ id }) => crm.ws.patch(`/contacts/${id}`, { archived: true })],
    ['suppressed', ({ email }) => crm.ws.post('/suppressions', { channel: 'email', address: email })],
    ['expired', async () => {}, { expires_at: new Date(Date.now() - 1000).toISOString() }],
  ]
  for (const [reason, change, fields] of cases) {
    const contact = await person()
    const id = await reserve(contact, fields)
    await change(contact)
    await wake()
    expect(await message(id), reason).toMatchObject({ status: 'failed', error: reason, attempts: 1 })
    expect(emailsTo(contact.email)).toEqual([])
  }
  const contact = await person()
  const id = await reserve(contact)
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  await wake()
  expect([(await crm.ws.get(`/messages/${id}`)).status, emailsTo(contact.email)]).toEqual([404, []])
})

test('the suppression list has each address once for a channel, as contacts have it, and an opt-in lifts what it may', async () => {
  const body = { channel: 'email', address: ' Ana.Lee@Example.COM ', reason: 'unsubscribed', note: 'Asked by phone' }
  const suppression = created(await crm.ws.post('/suppressions', body))
  expect(suppression).toMatchObject({ address: 'ana.lee@example.com', reason: 'unsubscribed', note: 'Asked by phone' })
  expect(await crm.ws.post('/suppressions', body)).toMatchObject({
    ...failed(409, 'CONFLICT'),
    body: { error: { details: { id: suppression.id } } },
  })
  const sms = created(await crm.ws.post('/suppressions', { channel: 'sms', address: '0412 345 678' }))
  expect(sms).toMatchObject({ address: '+61412345678', reason: 'manual' })
  expect(await crm.ws.post('/suppressions', { channel: 'email', address: '0412 345 678' })).toMatchObject(refused('address'))
  expect(await crm.ws.post('/suppressions', { channel: 'pigeon', address: 'x' })).toMatchObject(refused('channel'))
  for (const filter of ['address=Ana.Lee@example.com', 'channel=email', 'reason=unsubscribed'])
    expect(ids(found(await crm.ws.get(`/suppressions?${filter}`))), filter).toEqual([suppression.id])
  expect((await crm.events(suppression.id)).map(({ type }) => type)).toEqual(['suppression.created'])

  const contact = await crm.contact({ email: 'ana.lee@example.com', phone: '+61412345678', email_unsubscribed: true })
  const reach = async (channel: string) => found(await crm.ws.get(`/contacts/${contact.id}/reachability?channel=${channel}`)).channels[0]
  expect(await reach('email')).toMatchObject({ reachable: false, reason: 'unsubscribed' })
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: false }))
  expect((await crm.ws.get(`/suppressions/${suppression.id}`)).status).toBe(404)
  found(await crm.ws.get(`/suppressions/${sms.id}`))
  const complaint = created(await crm.ws.post('/suppressions', { ...body, reason: 'complaint' }))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: true }))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email_unsubscribed: false }))
  expect(await reach('email')).toMatchObject({ reachable: false, reason: 'suppressed' })
  found(await crm.ws.delete(`/suppressions/${complaint.id}`))
  const { reason } = await reach('email')
  expect([null, 'quiet_hours']).toContain(reason)
})

test('reachability explains each channel in the zone of the contact', async () => {
  const contact = await crm.contact({ email: 'kim@example.com', phone: '+6421345678', country: 'New Zealand' })
  const at = async (time: string, query = '') => found(await crm.ws.get(`/contacts/${contact.id}/reachability?at=${time}${query}`))
  // Nine in the evening in Auckland, and seven in the evening in Sydney.
  expect(await at('2027-01-15T08:00:00Z')).toEqual({
    contact_id: contact.id,
    at: '2027-01-15T08:00:00.000Z',
    timezone: 'Pacific/Auckland',
    decided_by: 'phone',
    local_time: '2027-01-15T21:00:00',
    channels: [
      {
        channel: 'email',
        address: 'kim@example.com',
        reachable: false,
        reason: 'quiet_hours',
        next_allowed_at: '2027-01-15T19:00:00.000Z',
      },
      { channel: 'sms', address: '+6421345678', reachable: false, reason: 'channel_not_configured', next_allowed_at: null },
      { channel: 'whatsapp', address: '+6421345678', reachable: false, reason: 'channel_not_configured', next_allowed_at: null },
    ],
  })
  const email = async (time: string) => (await at(time, '&channel=email')).channels
  expect(await email('2027-01-15T19:00:00Z')).toMatchObject([{ reachable: true, reason: null }])
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '12:00', to: '13:30' } }))
  expect(await email('2027-01-15T00:00:00Z')).toMatchObject([{ reason: 'quiet_hours', next_allowed_at: '2027-01-15T00:30:00.000Z' }])
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  expect(await email('2027-01-15T13:00:00Z')).toMatchObject([{ reachable: true }])
  for (const [quiet_hours, path] of [
    [{ from: '8:00', to: '09:00' }, 'quiet_hours.from'],
    [{ from: '08:00', to: '24:00' }, 'quiet_hours.to'],
    [{ from: '08:00', to: '08:00' }, 'quiet_hours.to'],
  ] as const)
    expect(await crm.ws.patch('/company/crm-settings', { quiet_hours })).toMatchObject(refused(path))
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email: null }))
  expect(await email('2027-01-15T13:00:00Z')).toMatchObject([{ reason: 'no_address' }])
  found(await crm.ws.patch(`/contacts/${contact.id}`, { archived: true }))
  expect(await email('2027-01-15T13:00:00Z')).toMatchObject([{ reason: 'archived' }])
  expect((await crm.ws.get(`/contacts/${crm.ws.id}/reachability`)).status).toBe(404)
})

test('an outcome that comes late does not end the next attempt, unless the message was sent after all', async () => {
  const settle = (id: string, status: string, attempts: number) =>
    crm.app.owner.query('select settle_messages($1, $2)', [crm.ws.id, JSON.stringify([{ id, status, attempts, error: 'late', wait: 60 }])])
  const statusOf = async (id: string) => found(await crm.ws.get(`/messages/${id}`)).status
  const id = await reserve(await crm.contact({ email: 'kim@example.com' }))
  await crm.app.owner.query("update messages set status = 'sending', attempts = 2, due_at = now() + interval '5 minutes' where id = $1", [
    id,
  ])
  for (const status of ['failed', 'queued', 'unclear']) {
    await settle(id, status, 1)
    expect([status, await statusOf(id)]).toEqual([status, 'sending'])
  }
  await settle(id, 'sent', 1)
  expect(await statusOf(id)).toBe('sent')
  await settle(id, 'failed', 2)
  expect(await statusOf(id)).toBe('sent')
})
