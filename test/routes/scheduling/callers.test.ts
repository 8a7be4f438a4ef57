import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { audit, book, eventType, hourIn, monday, sydney } from './scheduling.ts'

const crm = useCrm()
const MONDAY = monday()
const PHONE = '+61412345678'
const SECRET = 'key_of_the_webhook'
const at = (time: string) => `${MONDAY} ${time}`

const call = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  crm.app.fetch(`/v1/scheduling/voice${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
async function say(path: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const response = await call(path, body, headers)
  expect(response.status).toBe(200)
  return response.text()
}
async function refusal(path: string, body: unknown, headers: Record<string, string>) {
  const response = await call(path, body, headers)
  return { status: response.status, body: await response.json() }
}
const retell = (args: Row, from_number = PHONE) => ({ name: 'tool', call: { call_id: 'call_1', direction: 'inbound', from_number }, args })
const signed = (body: string, ms = Date.now(), secret = SECRET) => ({
  'x-retell-signature': `v=${ms},d=${createHmac('sha256', secret).update(`${body}${ms}`).digest('hex')}`,
})
const make = async (time: string, name: string, phone = PHONE) =>
  created(await book(crm.ws, { starts_at: at(time), name, phone, email: `${name.toLowerCase().replace(' ', '.')}@example.com` }))

test('a number that the provider has signed is trusted: who gives another one must give the name', async () => {
  const { ws } = crm
  await eventType(ws)
  await make('09:00', 'Ana Lee')
  const put = (provider: string, secret = SECRET) => ws.put(`/scheduling/voice-providers/${provider}`, { secret })
  expect(found(await put('retell'))).toEqual({ provider: 'retell', updated_at: expect.any(String) })
  found(await put('vapi', 'vapi-secret'))
  expect(await put('other')).toMatchObject(refused('provider'))
  expect(found(await ws.get('/scheduling/voice-providers')).map(({ provider }: Row) => provider)).toEqual(['retell', 'vapi'])
  const stored = await crm.app.owner.query('select sealed_secret from voice_providers where workspace_id = $1', [ws.id])
  expect(JSON.stringify(stored.rows)).not.toContain(SECRET)

  // Spaces and the order of the fields are those of the sender: the signature is over the bytes, not over JSON written again.
  const raw = (args: Row) => JSON.stringify(retell(args, '+61499000111'), null, 2)
  const other = raw({ phone: PHONE })
  const ASKED = /^BOOKING SEARCH FAILED: The name cannot be used: it is missing, and this call comes from another phone number\./
  expect(await say('/find-booking', other, signed(other))).toMatch(ASKED)
  expect(await say('/find-booking', other), 'without a signature the number that is given suffices').toMatch(/^1\. "First meeting"/)
  const forged = [
    signed(other, Date.now() - 600_000),
    signed(other, Date.now(), 'another'),
    signed(`${other} `),
    { 'x-retell-signature': 'x' },
  ]
  for (const wrong of forged) expect(await refusal('/find-booking', other, wrong)).toMatchObject(failed(401, 'INVALID_SIGNATURE'))
  const named = raw({ phone: PHONE, name: 'ana lee' })
  expect(await say('/find-booking', named, signed(named))).toMatch(/^1\. /)
  const wrongName = raw({ phone: PHONE, name: 'Ben Ito' })
  const unknown = raw({ phone: '+61499888777', name: 'Ana Lee' })
  const NOBODY = await say('/find-booking', unknown, signed(unknown))
  expect(NOBODY).toMatch(/^BOOKING SEARCH FAILED: There is no upcoming booking/)
  expect(await say('/find-booking', wrongName, signed(wrongName)), 'one text for unknown and not yours').toBe(NOBODY)

  const vapi = {
    message: { call: { id: 'vc_1' }, customer: { number: '+61499000111' }, toolCallList: [{ id: 't', parameters: { phone: PHONE } }] },
  }
  expect(JSON.parse(await say('/find-booking', vapi, { 'x-vapi-secret': 'vapi-secret' })).results[0].result).toMatch(ASKED)
  const wrongSecret = { 'x-vapi-secret': 'vapi-secreT' }
  expect(await refusal('/find-booking', vapi, wrongSecret)).toMatchObject(failed(401, 'INVALID_SIGNATURE'))
  expect((await ws.delete('/scheduling/voice-providers/vapi')).status).toBe(200)
  const unverified = JSON.parse(await say('/find-booking', vapi, wrongSecret)).results[0].result
  expect(unverified, 'without a stored secret nothing can be forged').toMatch(/^1\. /)
  expect(await ws.delete('/scheduling/voice-providers/vapi')).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('every tool refuses a forged signature, whatever the shape of its body, and does nothing', async () => {
  const { ws } = crm
  const type = await eventType(ws)
  await make('09:00', 'Ana Lee')
  found(await ws.put('/scheduling/voice-providers/retell', { secret: SECRET }))
  const tools: [string, Row][] = [
    [`/${type.id}/slots`, { date: MONDAY }],
    [`/${type.id}/book`, { slot: at('10:00'), name: 'Cy Ng', phone: PHONE }],
    ['/reschedule-booking', { slot: at('11:00'), phone: PHONE }],
    ['/cancel-booking', { phone: PHONE }],
    ['/find-booking', {}],
  ]
  const before = found(await ws.get('/scheduling-bookings'))
  for (const [path, args] of tools)
    for (const body of [JSON.stringify(retell(args)), JSON.stringify(args)]) {
      expect(await refusal(path, body, signed(body, Date.now(), 'another')), path).toMatchObject(failed(401, 'INVALID_SIGNATURE'))
    }
  expect(found(await ws.get('/scheduling-bookings'))).toEqual(before)
  for (const [path, args] of tools) {
    const body = JSON.stringify(retell(args))
    expect(await say(path, body, signed(body)), path).not.toBe('')
  }
  await audit(crm)
})

test('the last digits of a number find a booking only together with the name', async () => {
  const { ws } = crm
  await eventType(ws)
  await make('09:00', 'Ana Lee')
  await make('10:00', 'Ben Ito', '+61499005678')
  const cancel = (args: Row) => say('/cancel-booking', args)
  expect(await cancel({ phone: '5678' })).toMatch(
    /it is not complete\. Nothing has been changed\. Ask .* or for its last four digits and the name\./,
  )
  expect(await cancel({ phone: '678', name: 'Ana Lee' })).toMatch(/it is not complete/)
  for (const args of [
    { phone: '5678', name: 'Cy Ng' },
    { phone: '9999', name: 'Ana Lee' },
    { phone: '5678', name: 'A' },
  ])
    expect(await cancel(args)).toMatch(/^BOOKING CANCELLATION FAILED: There is no upcoming booking for this phone number\./)
  expect(await cancel({ phone: 'five six seven eight', name: 'Ben' })).toMatch(/^Cancelled: .*ten o’clock/)
  expect(await cancel({ phone: 'three four, five six seven eight', name: 'lee' })).toMatch(/^Cancelled: .*nine o’clock/)
  await audit(crm)
})

test('both time zones are said where they differ, and with several in the caller’s country the agent must ask for the city', async () => {
  const { ws } = crm
  const type = await eventType(ws)
  const perth = await say(`/${type.id}/slots`, { date: MONDAY, timezone: 'Australia/Perth' })
  // Perth has no summer time.
  const [hour, key] = hourIn('Australia/Perth', at('09:00'), 'Australia/Sydney') === 6 ? ['six', '06:00'] : ['seven', '07:00']
  expect(perth).toContain(
    `${hour} o’clock in the morning, Perth time, which is nine o’clock in the morning, Sydney time [${MONDAY} ${key}]`,
  )
  const ask = /^The country of the caller has several time zones\. Ask which city the caller is in\./m
  expect(await say(`/${type.id}/slots`, retell({ date: MONDAY }))).toMatch(ask)
  expect(await say(`/${type.id}/slots`, retell({ date: MONDAY, timezone: 'NSW' }))).not.toMatch(ask)
  expect(await say(`/${type.id}/slots`, retell({ date: MONDAY }, '+6421345678'))).not.toMatch(ask)
  // The zone of a contact who calls: what was stored for them, or what follows from where they live.
  for (const [n, fields] of [{ state: 'WA' }, { state: 'NSW', timezone: 'Australia/Perth' }].entries()) {
    const phone = `+6141200007${n}`
    await crm.contact({ phone, ...fields })
    expect(await say(`/${type.id}/slots`, retell({ date: MONDAY }, phone))).toContain('Perth time, which is nine')
  }
  const booked = await say(`/${type.id}/book`, retell({ slot: at('20:00'), timezone: 'America/New_York', name: 'Cy Ng' }, '+12125550123'))
  const there = { 10: 'ten o’clock in the morning', 11: 'eleven o’clock in the morning', 12: 'noon' }
  const spoken = there[hourIn('Australia/Sydney', at('20:00'), 'America/New_York') as keyof typeof there]
  expect(booked).toMatch(
    new RegExp(`Monday .* eight o’clock in the evening, New York time, which is Tuesday .* ${spoken}, Sydney time \\[`),
  )
  expect(await say(`/${type.id}/slots`, retell({ date: MONDAY }))).not.toContain('which is')
})

test('a simulated tool call has the exact text and writes nothing, also for failures and keys that wait for approval', async () => {
  const { ws } = crm
  const type = await eventType(ws, { questions: [{ key: 'budget', label: 'What is your budget?', type: 'number', required: true }] })
  const simulate = (tool: string, envelope: Row, fields: Row = {}, by = ws) =>
    by.post('/scheduling/voice/simulate', { tool, event_type_id: type.id, envelope, ...fields })
  const slots = found(await simulate('slots', { date: MONDAY }))
  expect(slots).toEqual({
    result: 'success',
    content_type: 'text/plain; charset=utf-8',
    text: await say(`/${type.id}/slots`, { date: MONDAY }),
  })
  expect(slots.text).toContain('- budget (number, required): "What is your budget?"')
  const args = { slot: at('09:00'), name: 'Ana Lee', budget: 5000 }
  const trial = found(await simulate('book', retell(args)))
  expect(trial).toMatchObject({ result: 'success', text: expect.stringMatching(/^Booked: /) })
  expect([
    await crm.count('bookings'),
    await crm.count('contacts'),
    await crm.count('voice_results'),
    await crm.count('host_claims'),
  ]).toEqual([...[0, 0, 0, 0]])
  const unanswered = found(await simulate('book', retell({ ...args, budget: undefined })))
  expect(unanswered).toMatchObject({ result: 'failure', text: await say(`/${type.id}/book`, retell({ ...args, budget: undefined })) })
  expect(unanswered.text).toMatch(/^BOOKING FAILED - NOTHING WAS BOOKED: .*What is your budget\?.*Ask the caller this question/)
  const careful = await ws.key({ level: 'approval' })
  expect(
    found(await careful.post('/scheduling/voice/simulate', { tool: 'book', event_type_id: type.id, envelope: retell(args) })),
  ).toMatchObject({
    result: 'pending_approval',
    text: expect.stringMatching(/^REQUESTED, NOT BOOKED: /),
  })
  expect(await simulate('book', {}, { event_type_id: undefined })).toMatchObject(refused('event_type_id'))
  const real = await say(`/${type.id}/book`, retell(args))
  expect(real.replace(/Booking id: .*/, '')).toBe(trial.text.replace(/Booking id: .*/, ''))
  const [booking] = found(await ws.get('/scheduling-bookings'))
  expect(booking).toMatchObject({ starts_at: sydney(MONDAY, '09:00'), answers: [{ key: 'budget', answer: '5000' }] })
  await audit(crm)
})

test('a booking is found by the number with which it was made, whichever number its contact has', async () => {
  const { ws } = crm
  const type = await eventType(ws)
  const known = await crm.contact({ first_name: 'Ana', email: 'ana.lee@example.com', phone: '+61499000111' })
  const args = { slot: at('09:00'), name: 'Ana Lee', email: 'ana.lee@example.com' }
  expect(await say(`/${type.id}/book`, retell(args))).toMatch(/^Booked: /)
  const [booking] = found(await ws.get('/scheduling-bookings'))
  expect(booking).toMatchObject({ contact_id: known.id, phone: PHONE })
  await make('10:00', 'Ben Ito', '+61499005678')
  const later = (body: Row) => ({ ...body, call: { ...body.call, call_id: 'call_2' } })
  expect(await say('/find-booking', later(retell({})))).toMatch(/^1\. [^\n]*nine o’clock[^\n]*$/)
  expect(await say('/find-booking', later(retell({}, '+61499000111')))).toMatch(/^1\. [^\n]*nine o’clock[^\n]*$/)
  expect(await say('/reschedule-booking', later(retell({ slot: at('11:00') })))).toMatch(/^Moved: .*eleven o’clock/)
  expect(await say('/cancel-booking', later(retell({})))).toMatch(/^Cancelled: .*eleven o’clock/)
  await audit(crm)
})

test('a booking is moved to the time that the caller was offered, also if it was made in another time zone', async () => {
  const { ws } = crm
  const type = await eventType(ws)
  created(await book(ws, { starts_at: at('07:00'), timezone: 'Australia/Perth', phone: PHONE }))
  const offered = await say(`/${type.id}/slots`, retell({ date: MONDAY, after: '14:00' }))
  expect(offered).toContain(`two o’clock in the afternoon, Sydney time [${at('14:00')}]`)
  const text = await say('/reschedule-booking', retell({ slot: at('14:00') }))
  expect(text).toMatch(/^Moved: .*Perth time, which is two o’clock in the afternoon, Sydney time/)
  const [booking] = found(await ws.get('/scheduling-bookings?status=confirmed'))
  // Its emails go on to show the time of its own zone.
  expect(booking).toMatchObject({ starts_at: sydney(MONDAY, '14:00'), timezone: 'Australia/Perth' })
  const taken = await say('/reschedule-booking', retell({ slot: at('18:00') }))
  expect(taken, 'what it offers instead is read in the same zone').toMatch(/nearest free times are .*Sydney time \[.* 16:30\]/)
  const perth = await say('/reschedule-booking', retell({ slot: at('08:00'), timezone: 'WA' }))
  expect(perth).toMatch(/^Moved: .*eight o’clock in the morning, Perth time/)
  await audit(crm)
})
