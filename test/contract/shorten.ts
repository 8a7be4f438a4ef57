const SAMPLE_ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const SAMPLE_TIME = '2026-03-31T09:30:00.000Z'
/** The number of items, characters and keys that examples show of a list, a text and an open map. */
const ITEMS = 2
const LENGTH = 400
const ENTRIES = 60

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const RANDOM = '[0-9a-f]{8}\\b(?!-)'
/** Values that differ from run to run, with their replacement in examples. */
const STEADY: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, SAMPLE_TIME],
  [/wck_[\w-]+/g, 'wck_a1b2c3d4_secret'],
  [new RegExp(`\\b${RANDOM}@`, 'g'), 'ana@'],
  [new RegExp(` ${RANDOM}`, 'g'), ''],
  [new RegExp(`([-_])${RANDOM}`, 'g'), '$11001'],
  [/\?[\w%=&.+-]*signature=[\w%=&.+-]*/g, '?expires=1774949400&signature=example'],
]
const BY_FIELD: Record<string, string> = { public_id: 'a1b2c3d4', next: 'WyJjcmVhdGVkX2F0Il0', isolate: SAMPLE_ID }

/** A response as the documentation shows it: shortened, without secrets, and equal in every run. */
export function shortened(body: unknown): unknown {
  const ids = new Map<string, string>()
  const idFor = (id: string) => {
    const known = ids.get(id) ?? SAMPLE_ID.slice(0, -3) + (0xc3d + ids.size).toString(16).padStart(3, '0')
    ids.set(id, known)
    return known
  }
  const steady = (text: string) => {
    const withIds = text.replace(UUID, idFor)
    return STEADY.reduce((changed, [pattern, instead]) => (ids.has(text) ? changed : changed.replace(pattern, instead)), withIds)
  }
  const shorten = (value: unknown, field = ''): unknown => {
    if (Array.isArray(value)) return value.slice(0, ITEMS).map((item) => shorten(item))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .slice(0, ENTRIES)
          .map(([name, part]) => [steady(name), shorten(part, name)]),
      )
    if (typeof value !== 'string') return value
    const text = BY_FIELD[field] ?? steady(value)
    return text.length > LENGTH ? text.slice(0, LENGTH).toWellFormed() : text
  }
  return shorten(body)
}
