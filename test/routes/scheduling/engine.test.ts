import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, tripsOf, useCrm } from '../crm.ts'
import { audit, book, eventType, members, monday, sydney } from './scheduling.ts'
import { links, openPage, visitor } from './visitor.ts'

const crm = useCrm()
const MONDAY = monday()
const at = (time: string, date = MONDAY) => `${date} ${time}`
const detail = async (id: string) => found(await crm.ws.get(`/scheduling-bookings/${id}`))
const proofOf = async (id: string) => found(await crm.ws.get(`/scheduling-bookings/${id}/proof`))
const days = async () =>
  found(await crm.ws.post('/scheduling-bookings/available-slots', { event_type: 'first-meeting', from: MONDAY, to: monday(3) })).days.map(
    ({ date }: Row) => date,
  )

test('a booking is given to another free host at its time, with its opportunity; a busy one is refused', async () => {
  const { ws, app } = crm
  const pool = await members(ws, 3)
  await eventType(ws, { minimum_notice_minutes: 60, max_per_day: 2 }, pool)
  const booking = created(await book(ws, { starts_at: at('10:00') }))
  const [other, busy] = pool.filter((id) => id !== booking.host_id) as [string, string]
  created(await ws.post('/scheduling/time-off', { user_id: busy, starts_at: sydney(MONDAY, '09:00'), ends_at: sydney(MONDAY, '11:00') }))
  const reassign = (host_id: string, id = booking.id) => ws.post(`/scheduling-bookings/${id}/reassign`, { host_id })
  expect(await reassign(busy)).toMatchObject({
    status: 409,
    body: { error: { code: 'SLOT_UNAVAILABLE', details: { failed: ['time_off'] } } },
  })
  expect(await reassign(ws.userId)).toMatchObject(refused('host_id'))

  let answer: Awaited<ReturnType<typeof reassign>> | undefined
  expect(
    await tripsOf(app, async () => {
      answer = await reassign(other)
    }),
  ).toBe(2)
  expect(found(answer!)).toMatchObject({
    id: booking.id,
    host_id: other,
    host_ids: [other],
    starts_at: booking.starts_at,
    uid: booking.uid,
  })
  expect(found(await ws.get(`/opportunities/${booking.deal_id}`))).toMatchObject({ assigned_to: other })
  expect((await crm.events(booking.id)).map(({ type }) => type)).toContain('booking.reassigned')
  const shares = await app.owner.query('select host_id, booked from host_shares where workspace_id = $1 and booked > 0', [ws.id])
  expect(shares.rows).toEqual([{ host_id: other, booked: 1 }])
  await audit(crm)
  // The former host is free again, and of two changes at once one comes after the other.
  const second = created(await book(ws, { starts_at: at('10:00'), email: 'ben@example.com' }))
  expect(second.host_id).toBe(booking.host_id)
  expect(await reassign(other, second.id)).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  const race = await Promise.all([reassign(busy), ws.post(`/scheduling-bookings/${booking.id}/cancel`, {}), reassign(other)])
  expect(race.map(({ status }) => status)).toSatisfy(
    (all: number[]) => all.every((status) => [200, 409].includes(status)) && all[1] === 200,
  )
  expect(await reassign(other)).toMatchObject(failed(409, 'INVALID_STATE'))
  await audit(crm)

  await eventType(ws, { name: 'Seats', seats: 3 }, pool)
  const seat = created(await book(ws, { event_type: 'seats', starts_at: at('14:00') }))
  expect(await reassign(pool.find((id) => id !== seat.host_id) as string, seat.id)).toMatchObject(refused('host_id'))
  await eventType(ws, { name: 'Together', assignment: 'collective' }, pool)
  const all = created(await book(ws, { event_type: 'together', starts_at: at('15:00') }))
  expect(await reassign(all.host_ids[1], all.id)).toMatchObject(refused('host_id'))
})

test('the proof of a booking has every check it passed, and the age of what decided; a move has its own', async () => {
  const { ws, app } = crm
  const type = await eventType(ws)
  await app.owner.query(
    `insert into busy_times (workspace_id, host_id, starts_at, ends_at, source, read_at)
      values ($1, $2, $3, $4, 'calendar', now() - interval '90 seconds')`,
    [ws.id, ws.userId, sydney(MONDAY, '12:00'), sydney(MONDAY, '13:00')],
  )
  const booking = created(await book(ws, { starts_at: at('09:00') }))
  const proof = await proofOf(booking.id)
  expect(proof.checks.every(({ passed }: Row) => passed)).toBe(true)
  expect(proof.checks.map(({ check, host_id }: Row) => (host_id ? `${check} of host` : check))).toEqual([
    ...['active', 'duration', 'notice', 'horizon', 'step', 'cap', 'seats'],
    ...['hours', 'time_off', 'bookings', 'calendar', 'calendar_read', 'host_cap'].map((check) => `${check} of host`),
    'hosts',
  ])
  const input = (name: string, from = proof): Row => from.inputs.find((each: Row) => each.input === name)
  expect(input('event_type')).toMatchObject({ id: type.id, version: 1, age_seconds: 0 })
  expect(input('host_hours')).toMatchObject({ host_id: ws.userId, id: null, age_seconds: 0 })
  expect(input('bookings')).toMatchObject({ host_id: ws.userId, age_seconds: 0 })
  expect(input('calendar').age_seconds).toBeGreaterThan(89)
  const moved = created(await ws.post(`/scheduling-bookings/${booking.id}/reschedule`, { starts_at: at('15:00', monday(4)) }))
  const later = await proofOf(moved.id)
  expect(input('calendar', later)).toMatchObject({ read_at: null, age_seconds: null })
  expect(Date.parse(later.decided_at)).toBeGreaterThan(Date.parse(proof.decided_at))
  expect(await ws.get(`/scheduling-bookings/${type.id}/proof`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the questions of an event type are answered as key=answer, checked, and kept as they were asked', async () => {
  const { ws } = crm
  const questions = [
    { key: 'budget', label: 'What is your budget?', type: 'number', required: true },
    { key: 'site', label: 'Which site?', type: 'choice', options: ['North', 'South'] },
    { key: 'first', label: 'Is this your first visit?', type: 'yes_no' },
  ]
  const type = await eventType(ws, { questions })
  const answers = (...lines: string[]) => book(ws, { starts_at: at('09:00'), answers: lines })
  expect(await answers()).toMatchObject(refused('answers'))
  expect(await answers('budget=much', 'site=West', 'colour=red', 'first')).toMatchObject(refused('answers.3'))
  expect(await answers('budget=much', 'site=West', 'colour=red')).toMatchObject(refused('answers.0', 'answers.1', 'answers.2'))
  const booking = created(await answers('budget= 5000 ', 'site=south', 'first=Y'))
  const kept = [
    { key: 'budget', label: 'What is your budget?', answer: '5000' },
    { key: 'site', label: 'Which site?', answer: 'South' },
    { key: 'first', label: 'Is this your first visit?', answer: 'yes' },
  ]
  expect(booking.answers).toEqual(kept)
  found(await ws.patch(`/scheduled-event-types/${type.id}`, { questions: [] }))
  expect((await detail(booking.id)).answers).toEqual(kept)
  expect(await ws.patch(`/scheduled-event-types/${type.id}`, { questions: [{ key: 'phone', label: 'Phone?' }] })).toMatchObject(
    refused('questions.0.key'),
  )
  expect(await ws.patch(`/scheduled-event-types/${type.id}`, { questions: [{ key: 'a', label: 'A?', type: 'choice' }] })).toMatchObject(
    refused('questions.0'),
  )
  expect((await ws.delete(`/contacts/${booking.contact_id}?purge=true`)).status).toBe(200)
  const { rows } = await crm.app.owner.query('select answers from bookings where id = $1', [booking.id])
  expect(rows).toEqual([{ answers: [] }])
})

test('the days of a holiday calendar are off for the schedules that refer to it, unless they have other hours', async () => {
  const { ws } = crm
  await eventType(ws)
  const tuesday = new Date(Date.parse(MONDAY) + 86_400_000).toISOString().slice(0, 10)
  const calendar = created(
    await ws.post('/scheduling/holiday-calendars', { name: 'NSW', holidays: [MONDAY, tuesday].map((date) => ({ date, name: 'Holiday' })) }),
  )
  const set = (fields: Row, whose = '') => ws.put(`/scheduling/availability${whose}`, fields)
  expect(await set({ holiday_calendar_id: ws.userId })).toMatchObject(refused('holiday_calendar_id'))
  expect(await days()).toContain(MONDAY)
  found(await set({ holiday_calendar_id: calendar.id }))
  expect(await days()).not.toContain(MONDAY)
  expect(await book(ws, { starts_at: at('09:00') })).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  found(await set({ date_overrides: [{ date: MONDAY, hours: [{ start: '10:00', end: '12:00' }] }] }, `/users/${ws.userId}`))
  expect([(await days()).includes(MONDAY), (await days()).includes(tuesday)]).toEqual([true, false])
  found(await ws.patch(`/scheduling/holiday-calendars/${calendar.id}`, { holidays: [] }))
  expect(await days()).toContain(tuesday)
  found(await ws.delete(`/scheduling/holiday-calendars/${calendar.id}`))
  expect(found(await ws.get('/scheduling/availability')).holiday_calendar_id).toBe(null)
})

test('each event type is booked in the schedule that it names for the host; bookings of one keep the time from the other', async () => {
  const { ws } = crm
  const { userId: colleague } = await ws.key()
  const monday = (start: string, end: string) => ({ monday: [{ start, end }] })
  const schedule = async (user_id: string, weekly_hours: Row, fields: Row = {}) =>
    created(await ws.post('/scheduling/availability-schedules', { user_id, name: 'Evenings', weekly_hours, ...fields }))
  found(await ws.put('/scheduling/availability', { timezone: 'Australia/Sydney', weekly_hours: monday('15:00', '18:00') }))
  const evenings = await schedule(ws.userId, monday('17:00', '19:00'))
  const named = { user_id: ws.userId, availability_schedule_id: evenings.id }
  const late = await eventType(ws, { name: 'Late', hosts: [named] })
  const usual = await eventType(ws)
  const keys = async (event_type: string) =>
    found(await ws.post('/scheduling-bookings/available-slots', { event_type, from: MONDAY, to: MONDAY }))
      .days.flatMap(({ slots }: Row) => slots)
      .map(({ key }: Row) => key.slice(-5))
  const check = async (event_type: string, time: string) =>
    found(await ws.post('/scheduling-bookings/check-availability', { event_type, starts_at: at(time), explain: true }))
      .checks.filter(({ passed, host_id }: Row) => !passed && host_id)
      .map(({ check: name }: Row) => name)
  const bookLate = (time: string, event_type = 'late') =>
    book(ws, { event_type, starts_at: at(time), email: `${time.slice(0, 2)}@example.com` })
  const EVENING = ['17:00', '17:30', '18:00', '18:30']
  const AFTERNOON = ['15:00', '15:30', '16:00', '16:30', '17:00', '17:30']
  expect([await keys('late'), await keys('first-meeting')]).toEqual([EVENING, AFTERNOON])
  expect([await check('late', '16:00'), await check('first-meeting', '18:00')]).toEqual([['hours'], ['hours']])
  expect(await bookLate('16:00')).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  expect(await bookLate('18:00', 'first-meeting')).toMatchObject(failed(409, 'SLOT_UNAVAILABLE'))
  const booking = created(await bookLate('17:00'))
  expect((await proofOf(booking.id)).inputs.find(({ input }: Row) => input === 'host_hours')).toMatchObject({ id: evenings.id, version: 1 })
  expect([await keys('late'), await keys('first-meeting')]).toEqual([EVENING.slice(1), AFTERNOON.filter((time) => time !== '17:00')])
  const voice = await ws.post(`/scheduling/voice/${late.id}/slots`, { date: MONDAY })
  expect(String(voice.body).match(/\d\d:\d\d(?=])/g)).toEqual(EVENING.slice(1))
  const page = await visitor(crm.app).get(`${await openPage(ws)}/late?tz=Australia/Sydney&from=${MONDAY}&day=${MONDAY}`)
  const offered = links(page)
    .flatMap((link) => new URL(link, 'https://example.com').searchParams.getAll('at'))
    .map((time) => new Date(time).toISOString())
  expect(offered).toEqual(EVENING.slice(1).map((time) => sydney(MONDAY, time)))
  expect(await ws.post(`/scheduling-bookings/${booking.id}/reschedule`, { starts_at: at('16:00') })).toMatchObject(
    failed(409, 'SLOT_UNAVAILABLE'),
  )

  // Every booking of the host counts, on the days of the default schedule.
  found(await ws.patch(`/scheduling/availability-schedules/${evenings.id}`, { max_per_day: 1 }))
  expect([await keys('late'), (await keys('first-meeting')).length]).toEqual([[], 5])
  expect(await check('late', '18:00')).toEqual(['host_cap'])
  found(await ws.patch(`/scheduling/availability-schedules/${evenings.id}`, { max_per_day: null, weekly_hours: monday('18:00', '18:30') }))
  expect(await keys('late')).toEqual(['18:00'])
  await audit(crm)

  // Hosts of one event type have schedules of their own, and a host who names none has the default one.
  await schedule(colleague, monday('16:00', '18:30'), { is_default: true })
  found(await ws.patch(`/scheduled-event-types/${late.id}`, { assignment: 'collective', hosts: [named, { user_id: colleague }] }))
  expect(await keys('late')).toEqual(['18:00'])
  found(await ws.patch(`/scheduled-event-types/${late.id}`, { assignment: 'round_robin' }))
  expect(await keys('late')).toEqual(['16:00', '16:30', '17:00', '17:30', '18:00'])
  expect(created(await bookLate('16:30')).host_id).toBe(colleague)

  // Another default schedule is that of the event types that name none.
  found(await ws.patch(`/scheduling/availability-schedules/${evenings.id}`, { is_default: true }))
  expect(await keys(usual.slug)).toEqual(['18:00'])
})

test('a series books every occurrence or none, or reports those it skipped; caps count within it', async () => {
  const { ws, app } = crm
  const pool = await members(ws, 2)
  const type = await eventType(ws, {}, pool)
  const week = (n: number) => at('10:00', monday(n))
  const series = (fields: Row, email = 'ana@example.com') =>
    ws.post('/scheduling-bookings/series', {
      event_type: 'first-meeting',
      starts_at: week(2),
      name: 'Ana Lee',
      email,
      frequency: 'weekly',
      count: 4,
      ...fields,
    })
  let answer: Awaited<ReturnType<typeof series>> | undefined
  expect(
    await tripsOf(app, async () => {
      answer = await series({})
    }),
  ).toBe(2)
  const first = created(answer!)
  expect(first.bookings.map(({ wall_start }: Row) => wall_start)).toEqual([2, 3, 4, 5].map(week))
  expect(new Set(first.bookings.map(({ host_id }: Row) => host_id)).size, 'one host for all').toBe(1)
  expect(new Set(first.bookings.map(({ deal_id, contact_id, series_id }: Row) => [deal_id, contact_id, series_id].join())).size).toBe(1)
  expect(found(await ws.get(`/scheduling-bookings?series_id=${first.series_id}`))).toHaveLength(4)
  expect((await proofOf(first.bookings[3].id)).checks.length).toBeGreaterThan(5)
  const host = first.bookings[0].host_id
  created(await book(ws, { starts_at: week(3), email: 'ben@example.com' }))
  const refusal = await series({}, 'cy@example.com')
  expect(refusal).toMatchObject({
    status: 409,
    body: { error: { code: 'SLOT_UNAVAILABLE', details: { unavailable: [{ key: week(3), failed: ['bookings', 'hosts'] }] } } },
  })
  expect(await crm.count('bookings'), 'nothing is booked').toBe(5)
  const partly = created(await series({ on_unavailable: 'skip' }, 'cy@example.com'))
  expect([partly.bookings.length, partly.skipped]).toMatchObject([3, [{ key: week(3), failed: ['bookings', 'hosts'] }]])
  expect(partly.bookings[0].host_id).not.toBe(host)
  await audit(crm)

  found(await ws.patch(`/scheduled-event-types/${type.id}`, { max_per_week: 2 }))
  const daily = { starts_at: at('14:00', monday(7)), frequency: 'daily', count: 5, on_unavailable: 'skip' }
  const capped = created(await series(daily))
  expect([capped.bookings.length, capped.skipped.map(({ failed: reasons }: Row) => reasons)]).toEqual([2, [['cap'], ['cap'], ['cap']]])
  const racers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => series({ starts_at: at('11:00', monday(8)), count: 3 }, `r${n}@example.com`)),
  )
  expect(racers.filter(({ status }) => status === 201)).toHaveLength(2)
  expect(racers.filter(({ status }) => status === 409)).toHaveLength(4)
  await audit(crm)
  expect(await series({ frequency: 'monthly', count: 52 })).toMatchObject(refused('count'))
  expect(await series({ frequency: 'yearly' })).toMatchObject(refused('frequency'))
})

test('bookings whose local time the rules of their zone have moved are listed', async () => {
  const { ws, app } = crm
  await eventType(ws)
  const [moved] = [created(await book(ws, { starts_at: at('09:00') })), created(await book(ws, { starts_at: at('10:00') }))]
  const list = async (query = '') => found(await ws.get(`/scheduling-bookings/moved-times${query}`))
  expect(await list()).toEqual({ bookings: [], compared: 2, next_starts_after: null })
  // As if the zone had been an hour behind when it was booked.
  await app.owner.query('update bookings set wall_start = $2 where id = $1', [moved.id, at('08:00')])
  expect(await list()).toMatchObject({ bookings: [{ id: moved.id, wall_start: at('08:00'), wall_now: at('09:00') }], compared: 2 })
  expect(await list(`?starts_after=${sydney(MONDAY, '09:30')}`)).toMatchObject({ bookings: [], compared: 1 })
})
