/** A cron expression of five fields as the values that each allows, in ascending order. */
export type Cron = {
  minutes: number[]
  hours: number[]
  days: number[]
  months: number[]
  /** 0 is Sunday. */
  weekdays: number[]
  /** A day must meet both fields of days, rather than either: at least one of them contains `*`. */
  needsBoth: boolean
  /** The hour contains `*`: it fires at intervals, and not at fixed times of the day. */
  isInterval: boolean
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
const LONGEST = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

type Field = { name: string; min: number; max: number; names?: string[]; first?: number }
const FIELDS: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS, first: 1 },
  { name: 'day of week', min: 0, max: 7, names: WEEKDAYS, first: 0 },
]

class Fault extends Error {}

/**
 * Parses an expression of five fields (crontab(5) of cron): minute, hour, day of month, month, day of week. A field is `*`, a value, a
 * range
 * `a-b`, either with a step `/n`, or several of these separated by commas. Months and days of the week also have their English names of
 * three letters; Sunday is 0 or 7. If neither field of days contains `*`, a day that meets one of them is enough; otherwise it must meet
 * both. Returns the message of the first fault instead of throwing.
 */
export function parseCron(text: string): { cron: Cron; fault?: undefined } | { cron?: undefined; fault: string } {
  try {
    return { cron: parsed(text.trim().split(/\s+/)) }
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message }
    throw error
  }
}

function parsed(fields: string[]): Cron {
  if (fields.length !== 5 || fields[0] === '')
    throw new Fault('must have five fields: minute, hour, day of month, month and day of week, such as 0 9 * * 1-5')
  const [minutes, hours, days, months, sent] = FIELDS.map((field, at) => valuesOf(field, fields[at] as string)) as [
    number[],
    number[],
    number[],
    number[],
    number[],
  ]
  const weekdays = [...new Set(sent.map((day) => day % 7))].toSorted((a, b) => a - b)
  const needsBoth = [fields[2], fields[4]].some((field) => field?.includes('*'))
  const [first] = days
  if (needsBoth && months.every((month) => (first as number) > (LONGEST[month - 1] as number)))
    throw new Fault(`never fires: no month of the expression has a day ${first}`)
  return { minutes, hours, days, months, weekdays, needsBoth, isInterval: (fields[1] as string).includes('*') }
}

function valuesOf(field: Field, text: string): number[] {
  const values = text.split(',').flatMap((part) => partOf(field, part))
  return [...new Set(values)].toSorted((a, b) => a - b)
}

function partOf(field: Field, part: string): number[] {
  const { name, min, max } = field
  const [, range, , step] = /^([^/]*)(\/(.*))?$/.exec(part) as RegExpExecArray
  const [low, high] = range === '*' ? [min, max] : endsOf(field, range as string)
  if (step === undefined) return between(low, high, 1)
  if (range !== '*' && !range?.includes('-'))
    throw new Fault(`has the step ${part} after a single ${name}: a step needs * or a range, such as ${low}-${max}/${step || 2}`)
  const by = /^\d{1,3}$/.test(step) ? Number(step) : 0
  if (by < 1 || by > max) throw new Fault(`has the step /${step} in the ${name}: a step is a whole number from 1 to ${max}`)
  return between(low, high, by)
}

function endsOf(field: Field, range: string): [number, number] {
  const ends = range.split('-')
  if (ends.length > 2) throw new Fault(`has the ${field.name} ${range}: a range has two ends, such as ${field.min}-${field.max}`)
  const [low, high = low] = ends.map((end) => parseValue(field, end)) as [number, number?]
  if (high < low) throw new Fault(`has the ${field.name} ${range}: a range must not run backwards, so send two of them with a comma`)
  return [low, high]
}

function parseValue({ name, min, max, names, first = 0 }: Field, text: string): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + first
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const also = names ? `, or a name such as ${names[1]?.toUpperCase()}` : ''
  throw new Fault(`has ${text === '' ? 'an empty' : `the`} ${name}${text === '' ? '' : ` ${text}`}: it must be ${min} to ${max}${also}`)
}

function between(low: number, high: number, step: number): number[] {
  return Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, n) => low + n * step)
}

/** The cron expression of a time of day (`HH:MM`) on some days of the week (0 is Sunday; null for every day). */
export function toCron(time: string, days: number[] | null): string {
  const [hour, minute] = time.split(':').map(Number)
  return `${minute} ${hour} * * ${days && days.length > 0 ? [...new Set(days)].toSorted((a, b) => a - b).join(',') : '*'}`
}

/** The time of day and the days of an expression of that form; both are null for any other. */
export function fromCron(text: string): { time_of_day: string | null; days_of_week: number[] | null } {
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6](?:,[0-6])*)$/.exec(text) ?? []
  if (minute === undefined || hour === undefined || days === undefined) return { time_of_day: null, days_of_week: null }
  return {
    time_of_day: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`,
    days_of_week: days === '*' ? null : days.split(',').map(Number),
  }
}
