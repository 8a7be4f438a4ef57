import { type Interval, union } from './intervals.ts'
import { type Assignment, type EventHost, MOST_CLAIM_MINUTES } from './limits.ts'
import { type Holidays, type Shift, type StoredAvailability, scheduleOf, shiftsOf, workingTime } from './working-hours.ts'
import { MINUTE, type ZoneTable, zoneTable } from './zone-table.ts'

/** The rules of an event type, as they are stored. */
export type EventRules = {
  id: string
  hosts: EventHost[]
  assignment: Assignment
  duration_minutes: number
  other_durations: number[]
  step_minutes: number
  align_to_clock: boolean
  buffer_before_minutes: number
  buffer_after_minutes: number
  minimum_notice_minutes: number
  horizon_days: number
  seats: number
  max_per_day: number | null
  max_per_week: number | null
  max_per_month: number | null
  locked_timezone: string | null
  is_active: boolean
}

type HostAvailability = StoredAvailability & { max_per_day: number | null }
/** Why the calendars of a host are not known: the access to one has ended, or it was not read for 15 minutes. */
export type UnreadReason = 'error' | 'stale'
/** `booked` and `last_booked` are null for a host who has had no booking of this event type. */
export type HostFacts = {
  user_id: string
  /** The availability schedule of the host that the event type uses. */
  availability: HostAvailability | null
  /**
   * The time zone of the host's default schedule, in whose days all bookings of the host are counted; that of `availability` unless it is
   * known.
   */
  default_timezone?: string | null
  booked: number | null
  last_booked: number | null
  unread?: UnreadReason | null
}
export const BUSY_KINDS = ['claim', 'calendar', 'time_off'] as const
export type BusyKind = (typeof BUSY_KINDS)[number]

/** All that decides which times are free, as one statement reads it. Instants are milliseconds since 1970. */
export type Facts = {
  rules: EventRules
  workspace_zone: string
  company: HostAvailability | null
  /** Those of the hosts and of the company, by id. */
  holidays?: Holidays
  /** The active hosts. */
  hosts: HostFacts[]
  /** `host` is null for the whole company. */
  busy: [host: string | null, from: number, to: number, kind: BusyKind][]
  /** The times of which seats are taken; each claims its hosts until its end. */
  sessions: [start: number, taken: number, capacity: number, host_ids: string[], end: number][]
  /** How many bookings there are, by countKey. Those that a reschedule gives back are subtracted. */
  counts: Record<string, number>
}

export const PERIODS = ['day', 'week', 'month'] as const
export type Period = (typeof PERIODS)[number]
export const countKey = (subject: string, period: Period, startsOn: string) => `${subject} ${period} ${startsOn}`

/** A host with the time in which bookings may be made. */
export type Host = EventHost & {
  /** The zone in whose days the host's bookings are counted. */
  table: ZoneTable
  working: Interval[]
  /** The hours one by one; starts are counted from the beginning of each. */
  shifts: Shift[]
  off: Interval[]
  claimed: Interval[]
  calendar: Interval[]
  /** Nothing can be booked with a host whose calendars are not known. */
  unread: UnreadReason | null
  max_per_day: number | null
  booked: number | null
  last_booked: number | null
}

/** What all hosts share: the zone in which caps of the event type count, and steps that are aligned to the clock. */
export type Context = { facts: Facts; table: ZoneTable; hosts: Host[]; from: number; to: number }

/** The busy times by kind and host; those of the whole company by kind. */
function busyByHost({ busy }: Facts): Map<string, Interval[]> {
  const found = new Map<string, Interval[]>()
  for (const [host, from, to, kind] of busy) {
    const key = host === null ? kind : `${kind} ${host}`
    const known = found.get(key)
    if (known) known.push([from, to])
    else found.set(key, [[from, to]])
  }
  return found
}

/** Works out the times of every host for bookings that start in a window. Each zone's changes are read once. */
export function contextOf(facts: Facts, from: number, to: number): Context {
  const tables = new Map<string, ZoneTable>()
  const tableOf = (zone: string | null) => {
    const name = zone ?? facts.workspace_zone
    const known = tables.get(name) ?? zoneTable(name, from, to)
    tables.set(name, known)
    return known
  }
  const { rules, company } = facts
  const busyOf = busyByHost(facts)
  const end = to + MOST_CLAIM_MINUTES * MINUTE
  // Hosts without own hours share those of the company.
  let shared: Shift[] | undefined
  const hosts = facts.hosts.flatMap((host): Host[] => {
    const role = rules.hosts.find(({ user_id }) => user_id === host.user_id)
    if (!role) return []
    const schedule = scheduleOf(host.availability, company, tableOf, facts.holidays)
    const shifts = (host.availability === null && shared) || shiftsOf(schedule, from, end)
    if (host.availability === null) shared = shifts
    const dayZone = host.default_timezone === undefined ? host.availability?.timezone : host.default_timezone
    const busy = (kind: BusyKind) => union([...(busyOf.get(`${kind} ${host.user_id}`) ?? []), ...(busyOf.get(kind) ?? [])])
    return [
      {
        ...role,
        table: tableOf(dayZone ?? company?.timezone ?? null),
        working: workingTime(shifts, from, end),
        shifts,
        off: busy('time_off'),
        claimed: busy('claim'),
        calendar: busy('calendar'),
        unread: host.unread ?? null,
        max_per_day: host.availability?.max_per_day ?? null,
        booked: host.booked,
        last_booked: host.last_booked,
      },
    ]
  })
  return { facts, table: tableOf(rules.locked_timezone ?? company?.timezone ?? null), hosts, from, to }
}
