const TIMESTAMP = /^(\d{4}-\d\d-\d\d)T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/i

/** Whether Postgres can store the text: well-formed UTF-16 (no lone surrogate) and no NUL character. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The text as Postgres can store it: without NUL characters, and with a replacement for each lone surrogate. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

/** The first `most` UTF-16 units of a well-formed text, without the half of a character at their end. */
export function cutText(text: string, most: number): string {
  const part = text.slice(0, most)
  return part.isWellFormed() ? part : part.slice(0, -1).toWellFormed()
}

/** The deepest nesting of JSON of others that is stored. */
const MAX_LEVELS = 100

/** The value of a JSON text of others as Postgres can store it; undefined if it is no JSON, or is nested too deep. */
export function storableJson(text: string): unknown {
  try {
    return storable(JSON.parse(text), MAX_LEVELS)
  } catch {
    return undefined
  }
}

function storable(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) throw new RangeError('The value is nested too deep')
  if (Array.isArray(value)) return value.map((item) => storable(item, levels - 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [storableText(name), storable(item, levels - 1)]))
}

/** Prepares external text for a log: control characters and lone surrogates are replaced, and it is cut to `most` UTF-16 units. */
export function loggable(text: string, maxLength: number): string {
  // Made well-formed after cutting, which may split a character.
  return text
    .slice(0, maxLength)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\uFFFD')
}

/**
 * A form that any two names have in common if the database takes them for the same (see norm), and some others too. It decides only what
 * must wait for what; whether names are the same is decided by the database.
 */
export function looseForm(text: string): string {
  return text
    .normalize('NFKD')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}\p{Cc}\s]/gu, '')
    .replaceAll('ς', 'σ')
}

/** Whether the text is an existing calendar date as `YYYY-MM-DD`, years 0001 to 9999: 2026-02-31 does not exist. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && text >= '0001' && isInCalendar(text)
}

/** Date accepts the 31st of every month and turns it into a day of the next one if necessary. */
function isInCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}

/**
 * Converts an ISO 8601 timestamp (with Z or an offset; seconds are optional) to `YYYY-MM-DDTHH:mm:ss.sssZ`, truncated to milliseconds.
 * Undefined when it is invalid or outside the years 0001 to 9999 in UTC.
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
 * The path of the first invalid part of a parsed JSON value, such as `address.lines[2]`, or undefined when there is none. The root's path
 * is ''. Invalid are: text or keys that are not clean, the key `__proto__`, numbers that JSON cannot represent (1e999), and nesting
 * deeper than `maxDepth`, where a flat object has depth 1.
 */
export function findUncleanJson(value: unknown, maxDepth: number): string | undefined {
  return findFault(value, maxDepth, '')
}

function findFault(value: unknown, levels: number, path: string): string | undefined {
  if (typeof value === 'string') return isCleanText(value) ? undefined : path
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return path
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findFault(item, levels - 1, `${path}[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const [key, item] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (!isCleanText(key) || key === '__proto__') return here.toWellFormed().replaceAll('\0', '\uFFFD')
    const fault = findFault(item, levels - 1, here)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** The longest name that an email shows, in characters. */
const MAX_NAME = 100
/** What makes a word a web or email address. */
const ADDRESS = /:\/\/|\bwww\.|\.\p{L}{2,}[/:?#]|@/iu
/** A dot between letters or digits, from which mail programs make a link to a host: `acme.com`. */
const DOT = /(?<=[\p{L}\p{N}])\.(?=[\p{L}\p{N}])/gu
/** A character without width that separates words. */
const SEPARATOR = '\u200b'

/** Rewrites a name so that no mail program turns it into a link: addresses are removed, and dots are separated from what follows them. */
export const withoutLinks = (name: string): string =>
  name
    .replace(/\S+/g, (word) => (ADDRESS.test(word) ? ' ' : word))
    .replace(DOT, `.${SEPARATOR}`)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed()
