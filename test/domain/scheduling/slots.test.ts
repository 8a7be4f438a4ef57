import { DateTime } from 'luxon'
import { beforeEach, expect, test } from 'vitest'
import { candidatesOf } from '../../../src/features/scheduling/rules/assignment.ts'
import { contextOf, countKey, type Facts } from '../../../src/features/scheduling/rules/facts.ts'
import { WEEKDAYS, type WeeklyHours } from '../../../src/features/scheduling/rules/limits.ts'
import { checksOf, findSlots, nearestSlots, type SlotRequest, slotAt } from '../../../src/features/scheduling/rules/slots.ts'
import { proving, sampling } from '../../proof.ts'
import { forget, slowSlots } from './oracle.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE
const RUNS = proving ? 10_000 : sampling ? 10 : 100
const WINDOW = proving ? 14 : 2
const NAMED = ['Australia/Lord_Howe', 'Pacific/Chatham', 'Asia/Kathmandu', 'Australia/Sydney', 'America/New_York', 'Africa/Casablanca']
const ZONES = [...NAMED, ...Intl.supportedValuesOf('timeZone')]

/** A repeatable sequence of random numbers. */
function random(seed: number) {
  let state = seed
  const next = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
  const below = (n: number) => Math.floor(next() * n)
  return { below, one: <T>(list: readonly T[]) => list[below(list.length)] as T, often: (share: number) => next() < share }
}
type Random = ReturnType<typeof random>

const clock = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

function hours({ below }: Random) {
  return Array.from({ length: below(3) }, () => {
    const start = below(288) * 5
    return { start: clock(start), end: clock((start + 30 + below(180) * 5) % 1_440) }
  })
}
const weekly = (r: Random): WeeklyHours => Object.fromEntries(WEEKDAYS.map((day) => [day, hours(r)]))

/** An instant near a change of the clocks in the zone, if it has one in these years. */
function nearChange(zone: string, r: Random): number {
  const start = Date.UTC(2026, 0, 1) + r.below(600) * DAY
  for (let day = 0; day < 400; day++) {
    const at = start + day * DAY
    if (DateTime.fromMillis(at, { zone }).offset !== DateTime.fromMillis(at + DAY, { zone }).offset) return at - r.below(2) * DAY
  }
  return start
}

function configuration(seed: number): { facts: Facts; request: SlotRequest; from: number; to: number } {
  const r = random(seed)
  const zone = r.one(ZONES)
  const from = Math.floor((r.below(3) === 0 ? nearChange(zone, r) : Date.UTC(2026, 0, 1) + r.below(700) * DAY) / (5 * MINUTE)) * 5 * MINUTE
  const to = from + WINDOW * DAY
  const ids = Array.from({ length: 1 + r.below(3) }, (_, n) => `host-${n}`)
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const availability = (own: boolean) => ({
    timezone: r.often(0.5) ? r.one([zone, r.one(ZONES)]) : null,
    weekly_hours: own && r.often(0.3) ? null : weekly(r),
    date_overrides: Array.from({ length: r.below(3) }, () => ({
      date: day(from + r.below(WINDOW) * DAY),
      hours: r.often(0.4) ? [] : hours(r),
    })),
    max_per_day: own && r.often(0.2) ? 1 + r.below(2) : null,
  })
  const rules: Facts['rules'] = {
    id: 'type',
    hosts: ids.map((user_id) => ({ user_id, priority: 0, weight: 1, is_fixed: r.often(0.2) })),
    assignment: r.one(['round_robin', 'collective', 'single']),
    duration_minutes: 5 * (1 + r.below(24)),
    other_durations: [],
    step_minutes: r.one([5, 10, 15, 20, 25, 30, 35, 45, 50, 60, 90]),
    align_to_clock: r.often(0.3),
    buffer_before_minutes: r.often(0.4) ? 5 * r.below(12) : 0,
    buffer_after_minutes: r.often(0.4) ? 5 * r.below(12) : 0,
    minimum_notice_minutes: r.often(0.3) ? 5 * r.below(600) : 0,
    horizon_days: r.often(0.2) ? 1 + r.below(3) : 60,
    seats: r.often(0.2) ? 3 : 1,
    max_per_day: r.often(0.2) ? 1 : null,
    max_per_week: r.often(0.1) ? 2 : null,
    max_per_month: r.often(0.1) ? 3 : null,
    locked_timezone: r.often(0.2) ? r.one(ZONES) : null,
    is_active: true,
  }
  const at = () => from + r.below((WINDOW * 1_440) / 5) * 5 * MINUTE
  const busy = Array.from({ length: r.below(12) }, (): Facts['busy'][number] => {
    const start = at()
    return [r.often(0.1) ? null : r.one(ids), start, start + 5 * MINUTE * (1 + r.below(48)), r.one(['claim', 'calendar', 'time_off'])]
  }).filter(([who, , , kind]) => who !== null || kind === 'time_off')
  const session = (): Facts['sessions'][number] => {
    const start = at()
    return [start, r.below(4), 3, [r.one(ids)], start + rules.duration_minutes * MINUTE * r.one([0.5, 1, 2])]
  }
  const counts = Object.fromEntries(
    Array.from({ length: 30 }, () => {
      const period = r.one(['day', 'week', 'month'] as const)
      const begins = DateTime.fromMillis(at(), { zone: 'UTC' }).startOf(period).toISODate() as string
      return [countKey(r.one(['type', ...ids]), period, begins), 1 + r.below(3)]
    }),
  )
  const facts: Facts = {
    rules,
    workspace_zone: zone,
    company: r.often(0.7) ? availability(false) : null,
    hosts: ids.map((user_id) => ({
      user_id,
      availability: r.often(0.7) ? availability(true) : null,
      ...(r.often(0.2) && { default_timezone: r.one([null, r.one(ZONES)]) }),
      booked: null,
      last_booked: null,
    })),
    busy,
    sessions: rules.seats > 1 ? Array.from({ length: 4 }, session) : [],
    counts,
  }
  const unique = new Map(facts.sessions.map((session) => [session[0], session]))
  return {
    facts: { ...facts, sessions: [...unique.values()] },
    request: { now: from - r.below(3) * DAY, duration_minutes: rules.duration_minutes },
    from,
    to,
  }
}

beforeEach(forget)

const shown = (slots: { start: number; hosts: { user_id: string }[] }[]) =>
  slots.map(({ start, hosts }) => ({ start, hosts: hosts.map(({ user_id }) => user_id).toSorted() }))

test(`${RUNS} random configurations have the slots that the slow oracle finds`, { timeout: 7_200_000 }, () => {
  let found = 0
  for (let seed = 1; seed <= RUNS; seed++) {
    if (seed % 50 === 0) forget()
    const { facts, request, from, to } = configuration(seed)
    const fast = shown(findSlots(contextOf(facts, from, to), request))
    expect(fast, `configuration ${seed}`).toEqual(slowSlots(facts, request, from, to))
    found += fast.length
  }
  expect(found / RUNS).toBeGreaterThan(3)
})

const always: WeeklyHours = Object.fromEntries(WEEKDAYS.map((day) => [day, [{ start: '00:00', end: '00:00' }]]))
function roundTheClock(zone: string, hours: WeeklyHours = always): Facts {
  const { facts } = configuration(1)
  return {
    ...facts,
    workspace_zone: zone,
    company: { timezone: null, weekly_hours: hours, date_overrides: [], max_per_day: null },
    hosts: [{ user_id: 'host-0', availability: null, booked: null, last_booked: null }],
    rules: {
      ...facts.rules,
      hosts: [{ user_id: 'host-0', priority: 0, weight: 1, is_fixed: false }],
      assignment: 'single',
      step_minutes: 30,
      align_to_clock: true,
      duration_minutes: 30,
      buffer_before_minutes: 0,
      buffer_after_minutes: 0,
      minimum_notice_minutes: 0,
      horizon_days: 365,
      seats: 1,
      max_per_day: null,
      max_per_week: null,
      max_per_month: null,
      locked_timezone: null,
    },
    busy: [],
    sessions: [],
    counts: {},
  }
}

/** The local times of the slots of a day. */
function timesOn(zone: string, date: string, facts = roundTheClock(zone)): string[] {
  const start = DateTime.fromISO(date, { zone })
  const [from, to] = [start.toMillis(), start.plus({ days: 1 }).toMillis()]
  const slots = findSlots(contextOf(facts, from, to), { now: from - DAY, duration_minutes: 30 })
  return slots.map((slot) => DateTime.fromMillis(slot.start, { zone }).toFormat('HH:mm'))
}

test('Lord Howe moves its clocks by half an hour, Chatham by an hour at 02:45, and Kathmandu never', () => {
  // 2026-10-04: 02:00 becomes 02:30. 2027-04-04: 02:00 becomes 01:30.
  expect(timesOn('Australia/Lord_Howe', '2026-10-04')).not.toContain('02:00')
  expect(timesOn('Australia/Lord_Howe', '2026-10-04')).toHaveLength(47)
  const repeated = timesOn('Australia/Lord_Howe', '2027-04-04')
  expect(repeated.filter((time) => time === '01:30')).toHaveLength(1)
  expect(repeated).toHaveLength(48)
  // 2026-09-27: 02:45 becomes 03:45, so half an hour from 02:30 ends at 04:00.
  const chatham = timesOn('Pacific/Chatham', '2026-09-27')
  expect(chatham.filter((time) => time > '02:00' && time < '04:30')).toEqual(['02:30', '04:00'])
  expect(timesOn('Asia/Kathmandu', '2026-10-04')).toHaveLength(48)
  for (const zone of ['Australia/Lord_Howe', 'Pacific/Chatham', 'Asia/Kathmandu'])
    for (const date of ['2026-04-05', '2026-09-27', '2026-10-04', '2027-04-04']) {
      const facts = roundTheClock(zone)
      const from = DateTime.fromISO(date, { zone }).toMillis() - DAY
      const request = { now: from, duration_minutes: 30 }
      expect(shown(findSlots(contextOf(facts, from, from + 3 * DAY), request))).toEqual(slowSlots(facts, request, from, from + 3 * DAY))
    }
})

test('starts are counted from the beginning of the host’s hours, with any step; an event type may align them to the clock', () => {
  const day = { monday: [{ start: '09:00', end: '17:00' }], tuesday: [{ start: '09:15', end: '17:00' }] }
  const london = roundTheClock('Europe/London', day)
  const inKolkata = { timezone: 'Asia/Kolkata', weekly_hours: null, date_overrides: [], max_per_day: null }
  const facts = (step_minutes: number, align_to_clock: boolean): Facts => ({
    ...london,
    rules: { ...london.rules, step_minutes, align_to_clock, duration_minutes: step_minutes },
    hosts: [{ ...london.hosts[0]!, availability: inKolkata }],
  })
  const times = (date: string, step: number, isAligned = false) => {
    const start = DateTime.fromISO(date, { zone: 'Asia/Kolkata' })
    const [from, to] = [start.toMillis(), start.plus({ days: 1 }).toMillis()]
    const slots = findSlots(contextOf(facts(step, isAligned), from, to), { now: from - DAY, duration_minutes: step })
    return slots.map((slot) => DateTime.fromMillis(slot.start, { zone: 'Asia/Kolkata' }).toFormat('HH:mm'))
  }
  const hours = ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00', '15:00', '16:00']
  expect(times('2026-12-07', 60)).toEqual(hours)
  expect(times('2026-12-07', 60, true)).toEqual(hours.slice(0, 7).map((time) => time.replace(':00', ':30')))
  expect(times('2026-12-08', 60)).toEqual(hours.slice(0, 7).map((time) => time.replace(':00', ':15')))
  const every50 = ['09:00', '09:50', '10:40', '11:30', '12:20', '13:10', '14:00', '14:50', '15:40']
  expect(times('2026-12-07', 50)).toEqual(every50)
  expect(times('2026-12-14', 50), 'the same every week').toEqual(every50)
})

test('hours past midnight belong to the day on which they begin, and an override replaces only those', () => {
  const facts = roundTheClock('Australia/Sydney', { friday: [{ start: '22:00', end: '02:00' }] })
  expect(timesOn('Australia/Sydney', '2026-12-05', facts)).toEqual(['00:00', '00:30', '01:00', '01:30'])
  const company = { ...facts.company!, date_overrides: [{ date: '2026-12-05', hours: [] }] }
  expect(timesOn('Australia/Sydney', '2026-12-05', { ...facts, company })).toHaveLength(4)
  const closed = { ...facts.company!, date_overrides: [{ date: '2026-12-04', hours: [] }] }
  expect(timesOn('Australia/Sydney', '2026-12-05', { ...facts, company: closed })).toEqual([])
})

test('what is offered passes every check, and any other start fails one', () => {
  for (let seed = 5_000; seed < 5_040; seed++) {
    const { facts, request, from, to } = configuration(seed)
    const context = contextOf(facts, from, to)
    const offered = new Set(findSlots(context, request).map(({ start }) => start))
    for (let start = from; start < to; start += 15 * MINUTE) {
      expect(
        checksOf(context, request, start)
          .filter(({ host_id }) => host_id === null)
          .every(({ passed }) => passed),
        `${seed} ${start}`,
      ).toBe(offered.has(start))
      expect(slotAt(context, request, start) !== undefined).toBe(offered.has(start))
    }
    const middle = from + DAY
    const sorted = [...offered].sort((a, b) => a - b)
    expect(nearestSlots(context, request, middle).before?.start).toBe(sorted.findLast((start) => start < middle))
    expect(nearestSlots(context, request, middle).after?.start).toBe(sorted.find((start) => start > middle))
  }
})

test('a round robin is fair to within one booking by weight, a new host starts at the mean, and priority comes first', () => {
  const weights = [1, 2, 3]
  const hosts = weights.map((weight, n) => ({ user_id: `host-${n}`, priority: 0, weight, is_fixed: false }))
  const facts = roundTheClock('UTC')
  const state: Facts = {
    ...facts,
    rules: { ...facts.rules, hosts, assignment: 'round_robin' },
    hosts: hosts.map(({ user_id }) => ({ user_id, availability: null, booked: null, last_booked: null })),
  }
  const at = Date.UTC(2026, 11, 1)
  const bookOne = (now: number) => {
    const slot = slotAt(contextOf(state, at, at + DAY), { now: at - DAY, duration_minutes: 30 }, at)!
    const [[chosen] = []] = candidatesOf(state, slot)
    const host = state.hosts.find(({ user_id }) => user_id === chosen)!
    Object.assign(host, { booked: (host.booked ?? 0) + 1, last_booked: now })
    return host
  }
  for (let n = 1; n <= 120; n++) {
    bookOne(n)
    for (const [index, host] of state.hosts.entries())
      expect(Math.abs((host.booked ?? 0) - (n * (weights[index] as number)) / 6)).toBeLessThanOrEqual(1.01)
  }
  state.rules.hosts.push({ user_id: 'new', priority: 0, weight: 1, is_fixed: false })
  state.hosts.push({ user_id: 'new', availability: null, booked: null, last_booked: null })
  // The mean of 20, 40 and 60 by weight is 20, so the new host receives its share and no more.
  state.hosts.at(-1)!.booked = 20
  const received = Array.from({ length: 70 }, (_, n) => bookOne(1_000 + n).user_id).filter((id) => id === 'new').length
  expect(received).toBeGreaterThanOrEqual(9)
  expect(received).toBeLessThanOrEqual(11)
  state.rules.hosts[1]!.priority = 5
  expect(bookOne(9_999).user_id).toBe('host-1')
})
