import { Temporal } from 'temporal-polyfill'
import type { Cron } from './parse.ts'

/**
 * A time at which a schedule fires, in milliseconds since 1970, and its local time as `YYYY-MM-DDTHH:MM`. `dst_gap`: the clocks skip the
 * local time that the expression names, so it fires at the first minute after the gap. `dst_overlap`: the clocks repeat the local time.
 */
export type Fire = { at: number; local: string; dst: 'dst_gap' | 'dst_overlap' | null }

const MINUTE = 60_000
/** 29 February on one day of the week returns after at most 40 years. */
const MOST_YEARS = 41

type Day = Temporal.PlainDate

/**
 * The times after an instant at which an expression fires in an IANA zone, in ascending order and to the minute. With fixed hours each
 * local time fires once a day: at the first minute after a gap in which it lies, and only the first time when the clocks repeat it. If the
 * hour contains `*`, it fires at every matching minute that the clocks show: none in a gap, and those of a repeated hour twice.
 */
export function* firesAfter(cron: Cron, zone: string, after: number): Generator<Fire> {
  const start = zoned(after, zone).toPlainDate().subtract({ days: 1 })
  const end = start.add({ years: MOST_YEARS })
  let last = after
  let held: Fire[] = []
  for (let day = nextDay(cron, start, end); day; day = nextDay(cron, day.add({ days: 1 }), end)) {
    // Where the clocks go back over midnight, times of a day come after the first ones of the next.
    const times = [...held, ...timesOf(cron, zone, day)].toSorted((a, b) => a.at - b.at)
    const following = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds
    held = times.filter(({ at }) => at >= following)
    for (const fire of times) {
      if (fire.at >= following || fire.at <= last) continue
      last = fire.at
      yield fire
    }
  }
  yield* held.filter(({ at }) => at > last)
}

const zoned = (at: number, zone: string) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)

/** The first day from this one on that the expression matches; undefined without one before `end`. */
function nextDay(cron: Cron, from: Day, end: Day): Day | undefined {
  let day = from
  while (Temporal.PlainDate.compare(day, end) < 0) {
    if (!cron.months.includes(day.month)) {
      day = day.with({ day: 1 }).add({ months: 1 })
      continue
    }
    if (isDay(cron, day)) return day
    day = day.add({ days: 1 })
  }
  return undefined
}

function isDay({ days, weekdays, needsBoth }: Cron, day: Day): boolean {
  const [ofMonth, ofWeek] = [days.includes(day.day), weekdays.includes(day.dayOfWeek % 7)]
  return needsBoth ? ofMonth && ofWeek : ofMonth || ofWeek
}

function* timesOf(cron: Cron, zone: string, day: Day): Generator<Fire> {
  const [start, end] = [day.toZonedDateTime(zone), day.add({ days: 1 }).toZonedDateTime(zone)]
  const isRegular = start.offsetNanoseconds === end.offsetNanoseconds && start.hour + start.minute === 0
  const date = day.toString()
  for (const hour of cron.hours) {
    for (const minute of cron.minutes) {
      const local = `${date}T${two(hour)}:${two(minute)}`
      if (isRegular) yield { at: start.epochMilliseconds + (hour * 60 + minute) * MINUTE, local, dst: null }
      else yield* irregular(cron, zone, local)
    }
  }
}

const two = (value: number) => String(value).padStart(2, '0')

/** The instants of a local time on a day on which the clocks change. */
function irregular({ isInterval }: Cron, zone: string, local: string): Fire[] {
  const time = Temporal.PlainDateTime.from(local)
  const earlier = time.toZonedDateTime(zone, { disambiguation: 'earlier' })
  const later = time.toZonedDateTime(zone, { disambiguation: 'later' })
  if (earlier.epochMilliseconds === later.epochMilliseconds) return [{ at: earlier.epochMilliseconds, local, dst: null }]
  if (earlier.toPlainDateTime().equals(time)) {
    const first: Fire = { at: earlier.epochMilliseconds, local, dst: 'dst_overlap' }
    return isInterval ? [first, { ...first, at: later.epochMilliseconds }] : [first]
  }
  if (isInterval) return []
  const gap = earlier.getTimeZoneTransition('next') as Temporal.ZonedDateTime
  return [{ at: Math.ceil(gap.epochMilliseconds / MINUTE) * MINUTE, local: gap.toPlainDateTime().toString().slice(0, 16), dst: 'dst_gap' }]
}

/** The next instant at which the clocks of a zone show a time of day (`HH:MM`), at or after another; by the same rules as fixed hours. */
export function nextLocalTime(zone: string, time: string, from: number): number {
  const [hour, minute] = time.split(':').map(Number) as [number, number]
  const cron: Cron = {
    minutes: [minute],
    hours: [hour],
    days: Array.from({ length: 31 }, (_, n) => n + 1),
    months: Array.from({ length: 12 }, (_, n) => n + 1),
    weekdays: [0, 1, 2, 3, 4, 5, 6],
    needsBoth: true,
    isInterval: false,
  }
  return (firesAfter(cron, zone, from - 1).next().value as Fire).at
}
