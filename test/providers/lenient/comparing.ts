/** Ids and times that are new in each run, and the addresses of emulators and their proxies. */
const VOLATILE = [
  /3EB0[0-9A-F]{18}/g,
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g,
  /127\.0\.0\.1:\d+/g,
  /(?<=^|[_A-Z:])[0-9a-f]{7,}(?=$|@)/g,
  /(?<=^W\/")[0-9a-f]+/g,
  /(?<=^")\d{13,}(?="$)/g,
  /(?<=^0\.)[\w-]{70,}$/g,
]
/** The same within longer texts, such as addresses and bodies of requests. */
const VARYING = [
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
  /20\d\d-\d\d-\d\d(?:(?:T| |%20)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?(?:\.\d+)?Z?)?/g,
  /127\.0\.0\.1(?::|%3A)\d+/g,
  /(?<![\w.])1[6-9]\d{8}(?:\d{3})?(?!\w)|(?<=%3A)1[6-9]\d{8}(?!\w)/g,
  /(?<![\w.-])0\.[\w-]{70,}/g,
  /[0-9A-Fa-f]{16,}/g,
  /(?<=formdata-undici-)\d+/g,
]
/** Numbers above it are times, and lists longer than it are no lists of records. */
const LARGE = 1_000

/** A result without what is new in each run; lists are in one order, unless that is kept. */
function comparable(value: unknown, isOrdered = false): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) {
    if (value.length > LARGE) return JSON.stringify(value)
    const texts = value.map((one) => JSON.stringify(comparable(one, isOrdered) ?? null))
    return (isOrdered ? texts : texts.toSorted()).map((text) => JSON.parse(text))
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, comparable(field, isOrdered)]))
  return typeof value === 'string' ? VOLATILE.reduce((text, pattern) => text.replace(pattern, '#'), value) : value
}

/** What two results have different. With `mayMiss` the first one may lack what the other one has, in the order of both. */
export const differences = (result: unknown, expected: unknown, mayMiss: boolean): string[] =>
  mayMiss ? compare(result, expected, mayMiss, '') : compare(comparable(result), comparable(expected), mayMiss, '')

function compare(result: unknown, expected: unknown, mayMiss: boolean, path: string): string[] {
  if (mayMiss && (result === null || result === undefined || result === '' || result === false)) return []
  // A reason may quote the whole answer.
  if (path.endsWith('.reason') && String(result).split('{')[0] === String(expected).split('{')[0]) return []
  if (isFields(result) && isFields(expected)) {
    const names = Object.keys({ ...result, ...expected })
    if (!mayMiss || !Array.isArray(result) || result.length > 0)
      return names.flatMap((name) => compare(result[name], expected[name], mayMiss, `${path}.${name}`))
    return []
  }
  const [a, b] = [comparable(result), comparable(expected)]
  const isSame = mayMiss && typeof a === 'string' ? String(b).startsWith(a) : Object.is(a, b)
  return isSame ? [] : [`${path.slice(1)}: ${JSON.stringify(result)} instead of ${JSON.stringify(expected)}`.slice(0, 300)]
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** What a failed call means to who has made it. */
export function kindOf(result: unknown): string {
  const { outcome, thrown, reason } = (result ?? {}) as { outcome?: string; thrown?: string; reason?: string }
  if (thrown !== undefined) return `throws ${thrown} ${reason ?? ''}`.trim()
  return outcome ?? `returns ${JSON.stringify(result)}`
}

/** The calls that make something else of an error. One that is not in the provider's own form may be no decision of the provider. */
export const unlike = (kinds: Record<string, string>, expected: Record<string, string>): string[] =>
  Object.entries(expected)
    .filter(([step, kind]) => kinds[step] !== kind && !(kind === 'refused' && kinds[step] === 'unavailable'))
    .map(([step, kind]) => `${step}: ${kinds[step]} instead of ${kind}`)

/** What a call makes of an answer with a status: with the words of a failure, and the status wherever it is named. */
export function meaningOf(result: unknown, status: number): string {
  const { thrown, reason, message } = (result ?? {}) as { thrown?: string; reason?: string; message?: string }
  const text = thrown === undefined ? plainText(result) : `an error ${[thrown, reason, plainText(message ?? '')].filter(Boolean).join(' ')}`
  return text.replaceAll(new RegExp(`(?<!\\d)(20)?${status}(?!\\d)`, 'g'), 'N')
}

/** A result as one line, without what is new in each run. */
export function plainText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(comparable(value, true)) ?? 'nothing')
  return VARYING.reduce((line, pattern) => line.replaceAll(pattern, '#'), text)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
