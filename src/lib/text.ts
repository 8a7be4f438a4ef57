const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/i

/** Whether Postgres can store the text: well-formed UTF-16 (no lone surrogate) and no NUL character. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Text from outside as a log stores it: control characters and lone surrogates replaced, at most `most` UTF-16 units. */
export function loggable(text: string, most: number): string {
  // Made well-formed after the cut, which may leave half a character.
  return text
    .slice(0, most)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD')
}

/** The form that text is compared and searched in: NFKC, lower case, trimmed, each run of white space one space. */
export function normalise(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/g, ' ').trim()
}

/** Whether the text is a date of the calendar as `YYYY-MM-DD`, years 0001 to 9999: 2026-02-31 is none. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && text >= '0001' && isInCalendar(text)
}

/** Date takes the 31st of any month for a day, of the next one if need be. */
function isInCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}

/**
 * An ISO 8601 timestamp (with Z or an offset; seconds may be left out) as `YYYY-MM-DDTHH:mm:ss.sssZ`, cut to the millisecond.
 * Undefined when it is none, or lies outside the years 0001 to 9999 in UTC.
 */
export function toUtcText(timestamp: string): string | undefined {
  const [, date = '', time, seconds = '00', fraction = '', sign, hours, minutes] = TIMESTAMP.exec(timestamp) ?? []
  if (!time || !isInCalendar(date)) return undefined
  const local = Date.parse(`${date}T${time}:${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}Z`)
  const offset = sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000 : 0
  const text = new Date(local - offset).toISOString()
  return /^\d{4}-/.test(text) && text >= '0001' ? text : undefined
}

/**
 * The first fault of a parsed JSON value, as a path such as `address.lines[2]`, or undefined when there is none. The root's own path is ''.
 * Faults: text or a key that is not clean, the key `__proto__`, a number JSON can't carry (1e999), objects or arrays nested deeper than
 * `maxDepth`, where a flat object has depth 1.
 */
export function findUncleanJson(value: unknown, maxDepth: number): string | undefined {
  return findFault(value, maxDepth, '')
}

function findFault(value: unknown, room: number, path: string): string | undefined {
  if (typeof value === 'string') return isCleanText(value) ? undefined : path
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  if (room === 0) return path
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findFault(item, room - 1, `${path}[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const [key, item] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (!isCleanText(key) || key === '__proto__') return here.toWellFormed().replaceAll('\0', '\uFFFD')
    const fault = findFault(item, room - 1, here)
    if (fault !== undefined) return fault
  }
  return undefined
}
