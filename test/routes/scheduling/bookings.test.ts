import { expect, test } from 'vitest'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { created, failed, found, type Row, refused, tripsOf, useCrm, uuid } from '../crm.ts'
import { audit, book, deadlocks, eventType, members, monday, sydney } from './scheduling.ts'

const crm = useCrm()
/** How many clients race for one slot, and how many of them at the same time. */
const CLIENTS = proving ? 10_000 : 40
const AT_ONCE = 500
const MONDAY = monday()
const at = (time: string, date = MONDAY) => `${date} ${time}`
const slot = (time: string, date = MONDAY) => expect.objectContaining({ starts_at: sydney(date, time), key: `${date} ${time}` })
const cancel = (id: string) => crm.ws.post(`/scheduling-bookings/${id}/cancel`, {})
const keysOf = (days: Row[]): string[] => days.flatMap(({ slots }) => slots.map(({ key }: Row) => key.slice(11)))
const slots = async (fields: Row = {}) =>
  found(await crm.ws.post('/scheduling-bookings/available-slots', { event_type: 'first-meeting', from: MONDAY, to: MONDAY, ...fields }))

test('a booking claims its time, creates the contact and an opportunity, and shows its token only to who reads bookings', async () => {
  const { ws, app } = crm
  const type = await eventType(ws, { location: 'Bridge Street', meeting_link: 'https://meet.example.com/first' })
  let answer: Awaited<ReturnType<typeof book>> | undefined
  // The first trip reads what decides; the second confirms it and books. A new contact also confirms the workspace's zone.
  expect(
    await tripsOf(app, async () => {
      answer = await book(ws, { starts_at: at('09:30'), phone: '0412 345 678', attendees: ['Ben@Example.com'] })
    }),
  ).toBe(2)
  const booking = created(answer!)
  expect(booking).toMatchObject({
    event_type_id: type.id,
    status: 'confirmed',
    starts_at: sydney(MONDAY, '09:30'),
    ends_at: sydney(MONDAY, '10:00'),
    timezone: 'Australia/Sydney',
    wall_start: at('09:30'),
    host_id: ws.userId,
    host_ids: [ws.userId],
    email: 'ana@example.com',
    phone: '+61412345678',
    attendees: ['ben@example.com'],
    video_meet_link: 'https://meet.example.com/first',
    sequence: 0,
    source: 'api',
    management_token_expires_at: new Date(Date.parse(sydney(MONDAY, '10:00')) + 86_400_000).toISOString(),
  })
  expect(booking).not.toHaveProperty('management_token')
  const contact = found(await ws.get(`/contacts/${booking.contact_id}`))
  expect(contact).toMatchObject({ first_name: 'Ana', last_name: 'Lee', email: 'ana@example.com', phone: '+61412345678', source: 'api' })
  const deal = found(await ws.get(`/opportunities/${booking.deal_id}`))
  expect(deal).toMatchObject({ name: 'First meeting: Ana Lee', assigned_to: ws.userId })
  expect(found(await ws.get(`/opportunities/${deal.id}/contacts`))).toMatchObject([{ contact_id: contact.id, is_primary: true }])

  const detail = found(await ws.get(`/scheduling-bookings/${booking.id}`))
  const { rows } = await app.owner.query('select slug from workspaces where id = $1', [ws.id])
  expect(detail).toMatchObject({
    event_type_name: 'First meeting',
    management_token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    management_url: `http://127.0.0.1:8787/book/${rows[0].slug}/manage/${detail.management_token}`,
  })
  const list = await ws.get(`/scheduling-bookings?contact_id=${contact.id}`)
  expect(found(list)).toMatchObject([{ id: booking.id, management_token: detail.management_token }])
  await app.drain()
  const stored = await app.owner.query(
    `select (select count(*) from changes c where c.fields::text like '%' || $1 || '%') + (select count(*) from outbox o
      where o.payload::text like '%' || $1 || '%')
      + (select count(*) from idempotency i where i.outcome::text like '%' || $1 || '%') as n`,
    [detail.management_token],
  )
  expect([Number(stored.rows[0].n), app.logs.join('').includes(detail.management_token)]).toEqual([0, false])
  expect((await crm.events(booking.id)).map(({ type }) => type)).toEqual(['booking.created', 'booking.confirmed'])
  await audit(crm)
})

test('bad addresses are refused before anything about the slot: first the booker’s, then the attendees’', async () => {
  const { ws } = crm
  await eventType(ws)
  for (const email of ['ana@', 'ana@example', 'ana example.com', '@example.com'])
    expect(await book(ws, { starts_at: at('03:00'), email, attendees: ['bad'] })).toMatchObject(failed(400, 'INVALID_EMAIL'))
  const refusal = await book(ws, { starts_at: at('03:00'), attendees: ['ben@example.com', 'bad'] })
  expect(refusal).toMatchObject({ status: 400, body: { error: { code: 'INVALID_ATTENDEE_EMAIL', details: { index: 1 } } } })
  expect(await book(ws, { starts_at: at('09:00'), email: undefined })).toMatchObject(refused('email'))
  expect(await book(ws, { starts_at: at('09:00'), phone: '12' })).toMatchObject(refused('phone'))
  expect(await book(ws, { starts_at: at('09:00'), attendees: Array.from({ length: 51 }, (_, n) => `a${n}@example.com`) })).toMatchObject(
    refused('attendees'),
  )
  expect(await book(ws, { starts_at: at('09:00'), name: 'Ana\r\nBcc: x' })).toMatchObject(refused('name'))
  expect(await book(ws, { event_type: 'unknown', starts_at: at('09:00') })).toMatchObject(refused('event_type'))
  for (const starts_at of ['2026-02-30 09:00', `${MONDAY} 24:00`, 'tomorrow'])
    expect(await book(ws, { starts_at })).toMatchObject(refused('starts_at'))
  expect(await book(ws, { starts_at: at('09:00'), duration_minutes: 45 })).toMatchObject(refused('duration_minutes'))
  expect(await book(ws, { starts_at: at('09:00'), timezone: 'EST' })).toMatchObject(refused('timezone'))
  // 2027-10-03: the clocks of Sydney skip from 02:00 to 03:00.
  expect(await book(ws, { starts_at: '2027-10-03 02:30' })).toMatchObject(refused('starts_at'))
  expect(await crm.count('contacts')).toBe(0)
})

test('a long name is cut between characters for the contact and the opportunity', async () => {
  await eventType(crm.ws)
  const [first, last] = [`${'a'.repeat(119)}\u{1F600}b`, `${'c'.repeat(61)}\u{1F600}d`]
  const booking = created(await book(crm.ws, { starts_at: at('09:00'), name: `${first} ${last}`, email: 'long@example.com' }))
  expect(booking).toMatchObject({ name: `${first} ${last}` })
  expect(found(await crm.ws.get(`/contacts/${booking.contact_id}`))).toMatchObject({ first_name: 'a'.repeat(119), last_name: last })
  const deal = found(await crm.ws.get(`/opportunities/${booking.deal_id}`))
  expect(deal.name).toBe(`First meeting: ${first} ${'c'.repeat(61)}`)
})

test('an event type is found by id, slug or name; a taken, early or odd time is SLOT_UNAVAILABLE with its neighbours', async () => {
  const { ws } = crm
  const type = await eventType(ws, { buffer_after_minutes: 15 })
  created(await book(ws, { event_type: type.id, starts_at: at('11:00') }))
  created(await book(ws, { event_type: 'FIRST  meeting', starts_at: at('14:00') }))
  const taken = await book(ws, { starts_at: sydney(MONDAY, '11:00'), email: 'cy@example.com' })
  expect(taken).toMatchObject({
    status: 409,
    body: { error: { code: 'SLOT_UNAVAILABLE', details: { nearest_before: slot('10:00'), nearest_after: slot('12:00') } } },
  })
  for (const starts_at of [at('08:30'), at('16:45'), at('17:00'), at('10:15'), '2020-01-06 10:00', at('10:30')])
    expect(await book(ws, { starts_at }), starts_at).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  expect(await crm.count('contacts'), 'nobody is created by a refusal').toBe(1)

  const check = (fields: Row) => ws.post('/scheduling-bookings/check-availability', { event_type: 'first-meeting', ...fields })
  expect(found(await check({ starts_at: at('09:00') }))).toMatchObject({
    available: true,
    slot: slot('09:00'),
    nearest_after: slot('09:30'),
  })
  const explained = found(await check({ starts_at: at('11:00'), explain: true }))
  expect(explained).toMatchObject({ available: false, slot: null, nearest_before: slot('10:00'), nearest_after: slot('12:00') })
  expect(explained.checks.filter(({ passed }: Row) => !passed).map(({ check }: Row) => check)).toEqual(['bookings', 'hosts'])
  found(await ws.post(`/scheduled-event-types/${type.id}/disable`, {}))
  expect(await book(ws, { starts_at: at('09:00') })).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
})

test('slots are grouped by day in the zone asked for, without busy times, time off and what hours exclude', async () => {
  const { ws, app } = crm
  await eventType(ws)
  const free = await slots()
  expect(free).toMatchObject({
    timezone: 'Australia/Sydney',
    duration_minutes: 30,
    complete: true,
    days: [{ date: MONDAY, slots: { length: 16 } }],
  })
  expect(free.days[0].label).toMatch(/^Monday \d+ \w+ \d{4}$/)
  await app.owner.query("insert into busy_times (workspace_id, host_id, starts_at, ends_at, source) values ($1, $2, $3, $4, 'calendar')", [
    ...[ws.id, ws.userId, sydney(MONDAY, '09:15'), sydney(MONDAY, '10:00')],
  ])
  created(await ws.post('/scheduling/time-off', { starts_at: sydney(MONDAY, '12:00'), ends_at: sydney(MONDAY, '16:00') }))
  created(await book(ws, { starts_at: at('10:30') }))
  expect(keysOf((await slots()).days)).toEqual(['10:00', '11:00', '11:30', '16:00', '16:30'])
  const perth = await slots({ timezone: 'Australia/Perth' })
  expect(perth.days[0].slots[0]).toMatchObject({ timezone: 'Australia/Perth', utc_offset: '+08:00', starts_at: sydney(MONDAY, '10:00') })
  expect(
    await ws.post('/scheduling-bookings/available-slots', { event_type: 'first-meeting', from: MONDAY, to: monday(12) }),
  ).toMatchObject(refused(''))
})

test('a known contact is found by any address or number, and its open opportunity is used if the event type says so', async () => {
  const { ws } = crm
  await eventType(ws, { reuse_open_opportunity: true })
  const ana = await crm.contact({
    email: 'ana.lee@example.com',
    alternate_emails: ['ana@example.com'],
    phone: '+61412345678',
    timezone: 'Australia/Perth',
  })
  const first = created(await book(ws, { starts_at: sydney(MONDAY, '09:00') }))
  expect(first).toMatchObject({ contact_id: ana.id, timezone: 'Australia/Perth' })
  const second = created(await book(ws, { starts_at: sydney(MONDAY, '10:00'), email: 'other@example.com', phone: '0412 345 678' }))
  expect(second).toMatchObject({ contact_id: ana.id, deal_id: first.deal_id })
  expect(await crm.count('contacts')).toBe(1)
})

test('cancelling frees the time and keeps the next action; marks are possible from any status, log once, and claim nothing', async () => {
  const { ws } = crm
  await eventType(ws, { requires_confirmation: true })
  const booking = created(await book(ws, { starts_at: at('09:00') }))
  expect(booking.status).toBe('pending')
  expect(await book(ws, { starts_at: at('09:00') }), 'a pending booking blocks its time').toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  await ws.put(`/opportunities/${booking.deal_id}/next-action`, { type: 'call', note: 'Prepare', at: '2026-12-01T00:00:00Z' })
  expect(found(await cancel(booking.id))).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
  expect(await cancel(booking.id)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'cancelled', allowed: ['pending', 'confirmed'] } } },
  })
  expect(found(await ws.get(`/opportunities/${booking.deal_id}/next-action`))).toMatchObject({ type: 'call' })
  const again = created(await book(ws, { starts_at: at('09:00') }))

  const mark = async (id: string, as: string) => found(await ws.post(`/scheduling-bookings/${id}/mark-${as}`, {}))
  expect((await mark(booking.id, 'late')).status).toBe('late')
  expect((await mark(booking.id, 'no-show')).status).toBe('no_show')
  expect((await mark(booking.id, 'attended')).status).toBe('attended')
  await mark(booking.id, 'attended')
  expect(found(await ws.get(`/opportunities/${booking.deal_id}/next-action`))).toMatchObject({ type: null })
  const logged = found(await ws.get(`/activities?contact_id=${booking.contact_id}&activity_type=meeting&sort=created_at`))
  expect(logged.map(({ subject, outcome }: Row) => [subject, outcome])).toEqual([
    ['Was late for: First meeting', 'late'],
    ['Did not attend: First meeting', 'no_show'],
    ['Attended: First meeting', 'attended'],
  ])
  expect(found(await ws.get('/scheduling-bookings?status=pending')).map(({ id }: Row) => id)).toEqual([again.id])
  expect((await crm.events(booking.id)).map(({ type }) => type).filter((type) => type !== 'booking.updated')).toEqual([
    ...['booking.created', 'booking.requested', 'booking.cancelled', 'booking.late', 'booking.no_show', 'booking.attended'],
  ])
  await audit(crm)
})

test('of many clients for one slot one wins, without a deadlock; several hosts, seats and caps are exact', {
  timeout: proving ? 3_600_000 : limit(60_000),
}, async () => {
  const { ws } = crm
  const before = await deadlocks(crm)
  const race = async (count: number, fields: (n: number) => Row) => {
    const answers = []
    for (let first = 0; first < count; first += AT_ONCE) {
      const clients = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, n) => first + n)
      answers.push(...(await Promise.all(clients.map((n) => book(ws, { email: `p${n}@example.com`, ...fields(n) })))))
    }
    return answers
  }
  const won = (answers: Awaited<ReturnType<typeof race>>) => answers.filter(({ status }) => status === 201).length
  await eventType(ws)
  const single = await race(CLIENTS, () => ({ starts_at: at('09:00') }))
  expect([won(single), single.filter(({ status }) => status === 409).length]).toEqual([1, CLIENTS - 1])

  const pool = await members(ws, 3)
  await eventType(ws, { name: 'Pool', assignment: 'round_robin' }, pool)
  expect(won(await race(20, () => ({ event_type: 'pool', starts_at: at('11:00') })))).toBe(3)
  await eventType(ws, { name: 'Together', assignment: 'collective' }, pool)
  await eventType(ws, { name: 'Seats', seats: 4, max_per_day: 6 }, [pool[0] as string])
  const mixed = await Promise.all([
    race(12, (n) => ({ event_type: 'seats', starts_at: at(n % 2 ? '13:00' : '14:00') })),
    race(8, () => ({ event_type: 'together', starts_at: at('15:00') })),
    race(8, () => ({ event_type: 'pool', starts_at: at('15:00') })),
  ])
  expect(won(mixed[0]), 'four seats at most each, and six a day').toBe(6)
  expect([won(mixed[1]), won(mixed[2])], 'either all together, or each for itself').toSatisfy(
    ([together, alone]) => together + alone <= 3 && together + alone >= 1,
  )
  await eventType(ws, { name: 'Capped', max_per_day: 3 }, pool)
  expect(
    won(await race(16, (n) => ({ event_type: 'capped', starts_at: at(`${10 + (n % 4) * 2}:${n % 2 ? '30' : '00'}`, monday(3)) }))),
  ).toBe(3)
  await audit(crm)
  expect(await deadlocks(crm)).toBe(before)

  // A returned seat reopens the slot.
  const [seat] = found(await ws.get('/scheduling-bookings?limit=100')).filter(
    ({ host_id, duration_minutes }: Row) => host_id === pool[0] && duration_minutes === 30,
  )
  found(await cancel((seat as Row).id))
  await audit(crm)
})

test('a taken time is SLOT_UNAVAILABLE to clients whose first request it is, in another time zone than the default one', async () => {
  await crm.app.owner.query(`update workspaces set timezone = 'Pacific/Guadalcanal' where id = $1`, [crm.ws.id])
  await eventType(crm.ws)
  const clients = Array.from({ length: 6 }, (_, n) => book(crm.ws, { email: `p${n}@example.com`, starts_at: at('09:00') }))
  const codes = (await Promise.all(clients)).map(({ status, body }) => body.error?.code ?? status)
  expect(codes.toSorted()).toEqual([201, ...Array.from({ length: 5 }, () => 'SLOT_UNAVAILABLE')])
})

test('a booking held for approval reserves nothing, and fails when it is late', async () => {
  const { ws } = crm
  await eventType(ws)
  const waiting = await book(ws, { starts_at: at('09:00'), require_approval: true })
  expect(waiting).toMatchObject({ status: 202, body: { approval_id: uuid } })
  expect(await crm.count('host_claims')).toBe(0)
  const preview = await ws.post('/scheduling-bookings?dry_run=true', {
    event_type: 'first-meeting',
    name: 'Ana',
    email: 'ana@example.com',
    starts_at: at('09:00'),
  })
  expect([preview.status, await crm.count('bookings')]).toEqual([200, 0])
  created(await book(ws, { starts_at: at('09:00'), email: 'ben@example.com' }))
  found(await ws.post(`/approvals/${waiting.body.approval_id}/approve`, {}))
  await crm.app.drain()
  expect(found(await ws.get(`/approvals/${waiting.body.approval_id}`))).toMatchObject({
    status: 'failed',
    response_body: { error: { code: 'SLOT_UNAVAILABLE' } },
  })
  await audit(crm)
})
