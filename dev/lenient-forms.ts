/** Whether the fields that may be missing are given, left out, or null. */
export type Missing = 'given' | 'absent' | 'null'

/** What the documentation of a provider leaves open about its answers. */
export type Open = Rules & {
  /** The body of an error, as the provider sends it. */
  error(status: number): string
  /** Statuses of which the provider may send either: those of answers in which `text` occurs. */
  statuses?: readonly { from: number; to: number; text?: RegExp }[]
  /** How lists have pages: the field and the parameter with the token of the next page. The first page may be empty. */
  pages?: { field: string; parameter: string; lists: readonly string[] }
  /** Events of streams that nobody knows yet. */
  events?: readonly string[]
}

/**
 * What may be different in a document of a provider. A pattern is the end of a path of fields, such as `recordings.id`, or with `$` before
 * it a whole one; `$` is the document itself.
 */
type Rules = {
  /** Fields that may be absent or null. */
  optional?: readonly string[]
  /** Fields that may be absent or null if they would be false. */
  whenFalse?: readonly string[]
  /** Lists whose order the provider documents. */
  ordered?: readonly string[]
  /** Objects whose fields have names that are data. */
  maps?: readonly string[]
  /** Items of a kind that is not known yet, by their list. */
  items?: Readonly<Record<string, unknown>>
  /** Values of a kind that is not known yet, by their field. */
  values?: Readonly<Record<string, unknown>>
}

const UNKNOWN_FIELD = 'x_added_later'
const UNKNOWN_VALUE = { nested: [{ a: 1 }, null, 'ü'], flag: true }

/** The document in another form that means the same, apart from the fields that are missing. */
function lenientForm(value: unknown, rules: Rules, missing: Missing, path: readonly string[] = []): unknown {
  const matches = (patterns: readonly string[] = [], at = path) => patterns.some((pattern) => isEnd(at, pattern))
  if (Array.isArray(value)) {
    const items = value.map((one) => lenientForm(one, rules, missing, path))
    if (missing !== 'given') return items
    const added = Object.entries(rules.items ?? {}).flatMap(([pattern, item]) => (isEnd(path, pattern) ? [item] : []))
    return matches(rules.ordered) ? [...items, ...added] : [...items, ...added].toReversed()
  }
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
    .toReversed()
    .flatMap(([name, field]): [string, unknown][] => {
      const at = [...path, name]
      const [, other] = Object.entries(rules.values ?? {}).find(([pattern]) => isEnd(at, pattern)) ?? []
      if (other !== undefined) return [[name, other]]
      const mayMiss = matches(rules.optional, at) || (field === false && matches(rules.whenFalse, at))
      if (missing === 'given' || !mayMiss) return [[name, lenientForm(field, rules, missing, at)]]
      return missing === 'null' ? [[name, null]] : []
    })
  return Object.fromEntries(matches(rules.maps) ? fields : [[UNKNOWN_FIELD, UNKNOWN_VALUE], ...fields])
}

const isEnd = (path: readonly string[], pattern: string) =>
  pattern.startsWith('$') ? ['$', ...path].join('.') === pattern : `.${path.join('.')}`.endsWith(`.${pattern}`)

/** A stream of events in another form: with comments, pings and events of unknown types, and lines that end in CRLF. */
function lenientStream(text: string, rules: Rules, missing: Missing, unknown: readonly string[]): string {
  const more = [': keep-alive', ...unknown].map((line) => `${line}\r\n\r\n`)
  const events = text.split('\n\n').filter((event) => event !== '')
  return events.map((event, n) => `${more[n % more.length]}${changedEvent(event, rules, missing)}\r\n\r\n`).join('')
}

function changedEvent(event: string, rules: Rules, missing: Missing): string {
  const lines = event.split('\n').map((line) => {
    const data = /^data: ?(\{.*)$/s.exec(line)?.[1]
    return data === undefined ? line : `data:${JSON.stringify(lenientForm(JSON.parse(data), rules, missing))}`
  })
  return lines.join('\r\n')
}

const EMPTY = 'an-empty-page'
/** The address that is really asked: an empty page is none of the provider's. */
export function addressOf(url: URL, { pages }: Open): URL {
  if (pages && url.searchParams.get(pages.parameter) === EMPTY) url.searchParams.delete(pages.parameter)
  return url
}

/** The first page of a list without its records, which are on the next one; undefined for anything else. */
export function emptyPage(url: URL, text: string, { pages }: Open): string | undefined {
  if (!pages || url.searchParams.has(pages.parameter)) return undefined
  const body = JSON.parse(text || 'null') as Record<string, unknown> | null
  const list = pages.lists.find((name) => Array.isArray(body?.[name]))
  if (list === undefined) return undefined
  const { [list]: _, nextSyncToken: __, ...rest } = body as Record<string, unknown>
  return JSON.stringify({ ...rest, [pages.field]: EMPTY })
}

/** The text of an answer in another form; one that is neither JSON nor a stream of events stays as it is. */
export function lenientText(text: string, type: string, open: Open, missing: Missing): string {
  if (type.includes('event-stream')) return lenientStream(text, open, missing, open.events ?? [])
  if (!type.includes('json') || text === '') return text
  return `\n${JSON.stringify(lenientForm(JSON.parse(text), open, missing), null, 1)}\n`
}

/** Another status that means the same. */
export const statusOf = (status: number, text: string, { statuses = [] }: Open): number =>
  statuses.find((one) => one.from === status && (one.text?.test(text) ?? true))?.to ?? status
