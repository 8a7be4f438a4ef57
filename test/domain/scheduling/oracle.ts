import { DateTime, IANAZone } from 'luxon'
import { countKey, type Facts } from '../../../src/features/scheduling/rules/facts.ts'
import type { SlotRequest } from '../../../src/features/scheduling/rules/slots.ts'

/**
 * A slow, independent answer to "which times are free": it looks at every fifth minute by itself, and converts each with luxon. It shares
 * the shape of the facts with the implementation, and nothing else. All its input is in multiples of five minutes.
 */
const TICK = 300_000
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

type Local = { date: string; before: string; weekday: number; dayBefore: number; minute: number; first: boolean }
const locals = new Map<string, Map<number, Local>>()

function localOf(zone: string, at: number): Local {
  const known = locals.get(zone) ?? new Map<number, Local>()
  locals.set(zone, known)
  const found = known.get(at)
  if (found) return found
  const time = DateTime.fromMillis(at, { zone })
  const iana = IANAZone.create(zone)
  const offset = iana.offset(at)
  // Whether the clocks have shown this time before: an earlier instant had a later offset.
  const repeats =
    iana.offset(at - 240 * 60_000) !== offset &&
    Array.from({ length: 16 }, (_, n) => (n + 1) * 15).some((d) => iana.offset(at - d * 60_000) - offset === d)
  const local: Local = {
    date: time.toISODate() as string,
    before: time.minus({ days: 1 }).toISODate() as string,
    weekday: time.weekday - 1,
    dayBefore: (time.weekday + 5) % 7,
    minute: time.hour * 60 + time.minute,
    first: !repeats,
  }
  known.set(at, local)
  return local
}
export const forget = () => locals.clear()

const minutes = (text: string) => {
  const [hour, minute] = text.split(':').map(Number)
  return (hour as number) * 60 + (minute as number)
}

export function slowSlots(facts: Facts, request: SlotRequest, from: number, to: number): { start: number; hosts: string[] }[] {
  const { rules } = facts
  const zoneOf = (host: Facts['hosts'][number] | undefined) =>
    host?.availability?.timezone ?? facts.company?.timezone ?? facts.workspace_zone
  const dayZoneOf = (host: Facts['hosts'][number]) =>
    host.default_timezone === undefined ? zoneOf(host) : (host.default_timezone ?? facts.company?.timezone ?? facts.workspace_zone)
  const typeZone = rules.locked_timezone ?? facts.company?.timezone ?? facts.workspace_zone

  const hoursOn = (host: Facts['hosts'][number], date: string, weekday: number) => {
    const own = host.availability?.date_overrides.findLast((day) => day.date === date)
    const shared = facts.company?.date_overrides.findLast((day) => day.date === date)
    const weekly = host.availability?.weekly_hours ?? facts.company?.weekly_hours
    const usual = weekly ? (weekly[DAYS[weekday] as 'monday'] ?? []) : weekday < 5 ? [{ start: '09:00', end: '17:00' }] : []
    return (own ?? shared)?.hours ?? usual
  }
  const works = (host: Facts['hosts'][number], at: number) => {
    const local = localOf(zoneOf(host), at)
    if (!local.first) return false
    const today = hoursOn(host, local.date, local.weekday).some(({ start, end }) => {
      const last = minutes(end) > minutes(start) ? minutes(end) : minutes(end) + 1440
      return minutes(start) <= local.minute && local.minute < last
    })
    const overnight = hoursOn(host, local.before, local.dayBefore).some(
      ({ start, end }) => minutes(end) <= minutes(start) && local.minute < minutes(end),
    )
    return today || overnight
  }
  const begins = new Map<string, number>()
  /** The first tick at which these clocks show this time, or a later one of the hours if they skip it. */
  const beginsAt = (zone: string, date: string, start: number, last: number) => {
    const key = `${zone} ${date} ${start} ${last}`
    const known = begins.get(key) ?? searchBegin(zone, date, start, last)
    begins.set(key, known)
    return known
  }
  const searchBegin = (zone: string, date: string, start: number, last: number) => {
    const midnight = DateTime.fromISO(date, { zone: 'UTC' }).toMillis()
    for (let at = midnight - 15 * 3_600_000; at < midnight + 64 * 3_600_000; at += TICK) {
      const local = localOf(zone, at)
      const minute = local.minute + (DateTime.fromISO(local.date, { zone: 'UTC' }).toMillis() - midnight) / 60_000
      if (local.first && minute >= start && minute < last) return at
    }
    return Number.NaN
  }
  const inStep = (host: Facts['hosts'][number], start: number) => {
    const zone = zoneOf(host)
    const local = localOf(zone, start)
    if (!local.first) return false
    const onDay = (date: string, weekday: number, minute: number) =>
      hoursOn(host, date, weekday).some(({ start: from, end }) => {
        const [first, last] = [minutes(from), minutes(end) > minutes(from) ? minutes(end) : minutes(end) + 1440]
        if (minute < first || minute >= last) return false
        return ((start - beginsAt(zone, date, first, last)) / 60_000) % rules.step_minutes === 0
      })
    return onDay(local.date, local.weekday, local.minute) || onDay(local.before, local.dayBefore, local.minute + 1440)
  }
  const isBusy = (host: string, at: number, kinds: string[]) =>
    facts.busy.some(([who, start, end, kind]) => kinds.includes(kind) && (who === null || who === host) && start < at + TICK && at < end)
  const hasRoom = (subject: string, zone: string, start: number, caps: [number | null, 'day' | 'week' | 'month'][]) =>
    caps.every(([cap, period]) => {
      const begins = DateTime.fromMillis(start, { zone }).startOf(period).toISODate() as string
      return cap === null || (facts.counts[countKey(subject, period, begins)] ?? 0) < cap
    })

  const found: { start: number; hosts: string[] }[] = []
  const length = request.duration_minutes * 60_000
  for (let start = from; start < to; start += TICK) {
    if (
      !rules.is_active ||
      start < request.now + rules.minimum_notice_minutes * 60_000 ||
      start > request.now + rules.horizon_days * 86_400_000
    )
      continue
    if (rules.align_to_clock && localOf(typeZone, start).minute % rules.step_minutes !== 0) continue
    const typeRoom = hasRoom(rules.id, typeZone, start, [
      [rules.max_per_day, 'day'],
      [rules.max_per_week, 'week'],
      [rules.max_per_month, 'month'],
    ])
    if (!typeRoom) continue
    const session = rules.seats > 1 ? facts.sessions.find(([at]) => at === start) : undefined
    if (session) {
      const isOpen = facts.hosts.every(
        (host) =>
          !session[3].includes(host.user_id) ||
          hasRoom(host.user_id, dayZoneOf(host), start, [[host.availability?.max_per_day ?? null, 'day']]),
      )
      if (session[1] < session[2] && start + length <= session[4] && isOpen) found.push({ start, hosts: session[3].toSorted() })
      continue
    }
    const stepping = facts.hosts.filter((host) => rules.align_to_clock || inStep(host, start)).map(({ user_id }) => user_id)
    if (stepping.length === 0) continue
    const isNeeded = (id: string) => rules.assignment === 'collective' || rules.hosts.some((host) => host.user_id === id && host.is_fixed)
    const free = facts.hosts.filter((host) => {
      if (!isNeeded(host.user_id) && !stepping.includes(host.user_id)) return false
      for (let at = start; at < start + length; at += TICK) if (!works(host, at) || isBusy(host.user_id, at, ['time_off'])) return false
      const [first, last] = [start - rules.buffer_before_minutes * 60_000, start + length + rules.buffer_after_minutes * 60_000]
      for (let at = first; at < last; at += TICK) if (isBusy(host.user_id, at, ['claim', 'calendar'])) return false
      return hasRoom(host.user_id, dayZoneOf(host), start, [[host.availability?.max_per_day ?? null, 'day']])
    })
    const isFree = (id: string) => free.some(({ user_id }) => user_id === id)
    const needed = rules.hosts.filter(({ is_fixed }) => is_fixed || rules.assignment === 'collective')
    const others = rules.hosts.filter((host) => !needed.includes(host))
    const enough = needed.every(({ user_id }) => isFree(user_id)) && (others.length === 0 || others.some(({ user_id }) => isFree(user_id)))
    if (enough && free.some(({ user_id }) => stepping.includes(user_id)))
      found.push({ start, hosts: free.map(({ user_id }) => user_id).toSorted() })
  }
  return found
}
