import { type Context, countKey, type Facts, type Host, PERIODS, type Period } from './facts.ts'
import { type Interval, overlaps, subtract, union } from './intervals.ts'
import { type Shift, weekdayOf } from './working-hours.ts'
import { DAY, dateOfDay, dayAt, MINUTE, wallAt } from './zone-table.ts'

export type SlotRequest = {
  now: number
  duration_minutes: number
  /** Only slots of this host. */
  host_id?: string | undefined
}
/** A free time: instants in milliseconds, the hosts who could take it, and the seats that are left. */
export type Slot = { start: number; end: number; hosts: Host[]; seats_left: number }

const weekStart = (day: number) => day - weekdayOf(day)
const monthStart = (day: number) => `${dateOfDay(day).slice(0, 7)}-01`

/** The day, week and month of a local day, each by the date on which it begins. */
export const periodsOf = (day: number): Record<Period, string> => ({
  day: dateOfDay(day),
  week: dateOfDay(weekStart(day)),
  month: monthStart(day),
})

export const capsOf = ({ rules }: Facts): Record<Period, number | null> => ({
  day: rules.max_per_day,
  week: rules.max_per_week,
  month: rules.max_per_month,
})

/** The period whose cap of the event type is reached at this time. */
export function cappedPeriod({ facts, table }: Context, start: number): Period | undefined {
  const caps = capsOf(facts)
  const periods = periodsOf(dayAt(table, start))
  return PERIODS.find((period) => {
    const cap = caps[period]
    return cap !== null && (facts.counts[countKey(facts.rules.id, period, periods[period])] ?? 0) >= cap
  })
}

/** Whether the host has the most bookings that they take on the day of this time. */
export const isHostCapped = ({ facts }: Context, host: Host, start: number): boolean =>
  host.max_per_day !== null && (facts.counts[countKey(host.user_id, 'day', dateOfDay(dayAt(host.table, start)))] ?? 0) >= host.max_per_day

/** The earliest and the latest start that notice and horizon allow. */
export const boundsOf = ({ facts: { rules } }: Context, now: number): Interval => [
  now + rules.minimum_notice_minutes * MINUTE,
  now + rules.horizon_days * DAY,
]

/** Whether an instant is a whole number of steps after midnight, on the wall clock of the event type. */
const isOnClock = ({ facts, table }: Context, instant: number): boolean =>
  (wallAt(table, instant) % DAY) % (facts.rules.step_minutes * MINUTE) === 0

/** Whether an instant is a whole number of steps after the beginning of working hours of the host, and in them. */
const isInStep = ({ facts: { rules } }: Context, { shifts }: Host, instant: number): boolean =>
  shifts.some(({ begin, from, to }) => from <= instant && instant < to && (instant - begin) % (rules.step_minutes * MINUTE) === 0)

/** Whether bookings can start at an instant: in step with a host, or with the clock. */
export const isOnGrid = (context: Context, instant: number): boolean =>
  context.facts.rules.align_to_clock ? isOnClock(context, instant) : context.hosts.some((host) => isInStep(context, host, instant))

/** The starts, from first to last inclusive, at which the host is free for the whole duration and its buffers. */
export function startsOf({ facts: { rules } }: Context, host: Host, duration: number): Interval[] {
  if (host.unread) return []
  const length = duration * MINUTE
  const [before, after] = [rules.buffer_before_minutes * MINUTE, rules.buffer_after_minutes * MINUTE]
  const fits = subtract(host.working, host.off).flatMap(([from, to]): Interval[] => (to - from >= length ? [[from, to - length + 1]] : []))
  const blocked = [...host.claimed, ...host.calendar].map(([from, to]): Interval => [from - length - after + 1, to + before])
  return subtract(fits, union(blocked))
}

/** The starts between two instants that are in step with a host. Hosts with the hours of the company share theirs. */
function startsInStep({ facts: { rules }, hosts }: Context, from: number, to: number): Map<Shift[], Set<number>> {
  const step = rules.step_minutes * MINUTE
  const found = new Map<Shift[], Set<number>>()
  if (rules.align_to_clock) return found
  for (const { shifts } of hosts) {
    if (found.has(shifts)) continue
    const starts = new Set<number>()
    for (const shift of shifts) {
      const last = Math.min(shift.to, to)
      const first = Math.max(shift.from, from)
      for (let at = shift.begin + Math.ceil((first - shift.begin) / step) * step; at < last; at += step) starts.add(at)
    }
    found.set(shifts, starts)
  }
  return found
}

/** The starts between two instants, in order, at which somebody could be booked. */
function startsBetween(context: Context, inStep: Map<Shift[], Set<number>>, from: number, to: number): number[] {
  const { rules, sessions } = context.facts
  if (rules.align_to_clock) return [...clockStarts(context, from, to)]
  const starts = new Set(sessions.flatMap(([start]) => (start >= from && start < to ? [start] : [])))
  for (const own of inStep.values()) for (const start of own) starts.add(start)
  return [...starts].sort((a, b) => a - b)
}

/** The multiples of the step since midnight on the wall clock of the event type. */
function* clockStarts({ facts, table }: Context, from: number, to: number): Generator<number> {
  const step = facts.rules.step_minutes * MINUTE
  for (const { from: begin, to: end, offset } of table.periods) {
    const [first, last] = [Math.max(begin, from) + offset, Math.min(end, to) + offset]
    for (let midnight = Math.floor(first / DAY) * DAY; midnight < last; midnight += DAY)
      for (let wall = midnight; wall < Math.min(last, midnight + DAY); wall += step) if (wall >= first) yield wall - offset
  }
}

/** Reads ascending instants, and says of each whether one of the sorted intervals has it. */
function sweep(intervals: Interval[]): (instant: number) => boolean {
  let at = 0
  return (instant) => {
    while (at < intervals.length && (intervals[at] as Interval)[1] <= instant) at++
    return at < intervals.length && (intervals[at] as Interval)[0] <= instant
  }
}

/** Those of the free hosts who could take the time, or none: all fixed ones, and for a round robin one of the others. */
export function quorum({ facts: { rules }, hosts }: Pick<Context, 'facts' | 'hosts'>, free: Host[], hostId?: string): Host[] {
  const { assignment } = rules
  if (hosts.length === 0 || (hostId !== undefined && !free.some(({ user_id }) => user_id === hostId))) return []
  if (assignment === 'collective') return free.length === rules.hosts.length ? free : []
  const fixed = rules.hosts.filter(({ is_fixed }) => is_fixed)
  if (fixed.some(({ user_id }) => !free.some((host) => host.user_id === user_id))) return []
  const others = free.filter(({ is_fixed }) => !is_fixed)
  return fixed.length < rules.hosts.length && others.length === 0 ? [] : free
}

/**
 * The free hosts who could take a time, or none. A host who is not needed for every booking can only start in step with the own hours,
 * which a booking in between would cut up.
 */
function attending(context: Context, free: Host[], inStep: (host: Host) => boolean, hostId?: string): Host[] {
  const { rules } = context.facts
  if (rules.align_to_clock) return quorum(context, free, hostId)
  const isNeeded = ({ is_fixed }: Host) => is_fixed || rules.assignment === 'collective'
  const able = free.filter((host) => isNeeded(host) || inStep(host))
  return able.some(inStep) ? quorum(context, able, hostId) : []
}

type Session = Facts['sessions'][number]
/** The hosts of seats who can be booked at present. */
const hostsOf = ({ hosts }: Context, [, , , ids]: Session): Host[] => hosts.filter(({ user_id }) => ids.includes(user_id))
/** Whether a booking until an instant gets a seat: its hosts are claimed no longer than for those who have one. */
const hasSeat = ([, taken, capacity, , until]: Session, end: number): boolean => taken < capacity && end <= until

/** The free times between two instants, in order. */
export function findSlots(
  context: Context,
  request: SlotRequest,
  from = context.from,
  to = context.to,
  most = Number.POSITIVE_INFINITY,
): Slot[] {
  const { facts } = context
  const { rules } = facts
  if (!rules.is_active) return []
  const [earliest, latest] = boundsOf(context, request.now)
  const length = request.duration_minutes * MINUTE
  const sessions = new Map(facts.sessions.map((session) => [session[0], session]))
  const free = context.hosts.map((host) => ({ host, isFree: sweep(startsOf(context, host, request.duration_minutes)) }))
  const slots: Slot[] = []
  const [first, last] = [Math.max(from, earliest), Math.min(to, latest + 1)]
  const inStep = startsInStep(context, first, last)
  for (const start of startsBetween(context, inStep, first, last)) {
    if (slots.length >= most) break
    const slot = { start, end: start + length }
    const session = rules.seats > 1 ? sessions.get(start) : undefined
    if (session) {
      const [, taken, capacity, hostIds] = session
      const hosts = hostsOf(context, session)
      const isOpen =
        hasSeat(session, slot.end) &&
        (request.host_id === undefined || hostIds.includes(request.host_id)) &&
        !hosts.some((host) => isHostCapped(context, host, start)) &&
        !cappedPeriod(context, start)
      if (isOpen) slots.push({ ...slot, hosts, seats_left: capacity - taken })
      continue
    }
    const able = free.flatMap(({ host, isFree }) => (isFree(start) && !isHostCapped(context, host, start) ? [host] : []))
    const hosts = able.length > 0 ? attending(context, able, ({ shifts }) => inStep.get(shifts)?.has(start) ?? false, request.host_id) : []
    if (hosts.length > 0 && !cappedPeriod(context, start)) slots.push({ ...slot, hosts, seats_left: rules.seats })
  }
  return slots
}

/** The free time that begins at this instant. */
export const slotAt = (context: Context, request: SlotRequest, start: number): Slot | undefined =>
  findSlots(context, request, start, start + 1)[0]

/** The free times next to an instant. */
export function nearestSlots(context: Context, request: SlotRequest, start: number): { before: Slot | undefined; after: Slot | undefined } {
  return {
    before: findSlots(context, request, context.from, start).at(-1),
    after: findSlots(context, request, start + 1, context.to, 1)[0],
  }
}

export const CHECKS = [
  'active',
  'duration',
  'notice',
  'horizon',
  'step',
  'cap',
  'seats',
  'hours',
  'time_off',
  'bookings',
  'calendar',
  'calendar_read',
  'calendar_live',
  'calendar_cached',
  'host_cap',
  'hosts',
] as const
export type Check = { check: (typeof CHECKS)[number]; passed: boolean; host_id: string | null }

/** Each rule for one time, in the order in which they are applied, so that a refusal can be explained. */
export function checksOf(context: Context, request: SlotRequest, start: number): Check[] {
  const { facts } = context
  const { rules } = facts
  const [earliest, latest] = boundsOf(context, request.now)
  const of = (check: Check['check'], passed: boolean, host_id: string | null = null): Check => ({ check, passed, host_id })
  const session = rules.seats > 1 ? facts.sessions.find(([at]) => at === start) : undefined
  const general = [
    of('active', rules.is_active),
    of('duration', durationsOf(rules).includes(request.duration_minutes)),
    of('notice', start >= earliest),
    of('horizon', start <= latest),
    of('step', (session !== undefined && !rules.align_to_clock) || isOnGrid(context, start)),
    of('cap', cappedPeriod(context, start) === undefined),
    of('seats', !session || hasSeat(session, start + request.duration_minutes * MINUTE)),
  ]
  if (session)
    return [...general, ...hostsOf(context, session).map((host) => of('host_cap', !isHostCapped(context, host, start), host.user_id))]
  const own = hostChecksOf(context, request.duration_minutes, start)
  const free = context.hosts.filter(({ user_id }) => own.every(({ host_id, passed }) => host_id !== user_id || passed))
  return [...general, ...own, of('hosts', attending(context, free, (host) => isInStep(context, host, start), request.host_id).length > 0)]
}

/** The rules about each host for one time. They alone decide who can take over a booking. */
export function hostChecksOf(context: Context, duration: number, start: number): (Check & { host_id: string })[] {
  const { rules } = context.facts
  const end = start + duration * MINUTE
  const [claimFrom, claimTo] = [start - rules.buffer_before_minutes * MINUTE, end + rules.buffer_after_minutes * MINUTE]
  return context.hosts.flatMap((host) => {
    const of = (check: Check['check'], passed: boolean) => ({ check, passed, host_id: host.user_id })
    return [
      of(
        'hours',
        host.working.some(([from, to]) => from <= start && end <= to),
      ),
      of('time_off', !overlaps(host.off, start, end)),
      of('bookings', !overlaps(host.claimed, claimFrom, claimTo)),
      of('calendar', !overlaps(host.calendar, claimFrom, claimTo)),
      of('calendar_read', host.unread === null),
      of('host_cap', !isHostCapped(context, host, start)),
    ]
  })
}

export const durationsOf = ({ duration_minutes, other_durations }: Facts['rules']): number[] => [
  ...new Set([duration_minutes, ...other_durations]),
]
