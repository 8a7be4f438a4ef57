import type { ToolInput, ToolOperation } from '../../../domain/operations.ts'

/** What a run may do, and what it has read so far. */
export type Grant = {
  /** The operations of the version that runs. */
  operations: readonly string[]
  /** The records that the caller has named: the thread's. */
  records: ReadonlySet<string>
  /** Whether somebody other than the caller's workspace has written the instructions. */
  isForeign: boolean
  /** Whether a text that anybody may have written was read: the result of a tool, or a text of the input. */
  hasReadText: boolean
  /** Whether records were read that the caller has not named. */
  hasReadOthers: boolean
}

/** `run`: as the caller; `hold`: as a request that waits in /approvals; `refuse`: not at all. */
export type Decision = { kind: 'run' } | { kind: 'hold'; reason: string } | { kind: 'refuse'; reason: string }

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
const ADDRESS = /[^\s@]@[^\s@]+\.[^\s@]|(^|[^\w-])\+?\d[\d\s().-]{6,}\d/
/** An id, a date or a time, which contain digits as a phone number does. */
const NO_ADDRESS = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?/gi
const LINK = /\bhttps?:|\bwww\.|\b[\w-]+(\.[\w-]+)*\.[a-z]{2,}\b\/?/i
/** What cannot be taken back, or reaches beyond the records that it names. */
const SWEEPING = /^(delete|remove|purge|merge|bulk|undo|restore|import|export|revoke|rotate|connect|disconnect|publish|start|run)/i

const hold = (reason: string): Decision => ({ kind: 'hold', reason })

/**
 * Decides about one call of a tool, before it is made. That the caller's key has the scopes is decided by the database, for each call. What
 * a model wants after it has read a text may be what the author of that text wants, so it then changes only records that the caller has
 * named, and writes to nobody else; a person decides about everything else.
 */
export function decide(operation: ToolOperation | undefined, input: ToolInput, grant: Grant): Decision {
  if (!operation || !grant.operations.includes(operation.id)) return { kind: 'refuse', reason: 'This is no tool of the skill' }
  if (!operation.writes) return { kind: 'run' }
  if (grant.isForeign) return hold('The skill is of another workspace')
  if (!grant.hasReadText) return { kind: 'run' }
  if (SWEEPING.test(operation.id) || operation.scopes.some((scope) => scope.endsWith(':delete')))
    return hold('It cannot be taken back, or reaches beyond single records')
  const texts = textsOf([input.params, input.query, input.body])
  const named = texts.flatMap((text) => text.match(UUID) ?? []).map((id) => id.toLowerCase())
  if (named.length === 0) return hold('It is about no record that the caller has named')
  if (named.some((id) => !grant.records.has(id))) return hold('It is about a record that the caller has not named')
  if (texts.some((text) => ADDRESS.test(text.replace(NO_ADDRESS, '')))) return hold('It contains an address or a number')
  if (texts.some((text) => LINK.test(text))) return hold('It contains a link')
  if (operation.sends && grant.hasReadOthers) return hold('It sends something after records were read that the caller has not named')
  return { kind: 'run' }
}

/** What is known after a tool has returned something. */
export function afterReading(grant: Grant, input: ToolInput): Grant {
  const ids = textsOf([input.params, input.query, input.body]).flatMap((text) => text.match(UUID) ?? [])
  const isNamed = ids.length > 0 && ids.every((id) => grant.records.has(id.toLowerCase()))
  return { ...grant, hasReadText: true, hasReadOthers: grant.hasReadOthers || !isNamed }
}

/** The grant of a run at its beginning. Records are named by ids that stand alone in the input; any other text may be anybody's. */
export function grantOf(operations: readonly string[], input: unknown, isForeign: boolean): Grant {
  const texts = textsOf([input])
  const ids = texts.filter((text) => isId(text))
  return {
    operations,
    isForeign,
    hasReadOthers: false,
    records: new Set(ids.map((id) => id.toLowerCase())),
    hasReadText: texts.length > ids.length,
  }
}

const isId = (text: string) => text.replace(UUID, '') === '' && text.length === 36

/** Every text of a value, names of fields included, without what cannot be seen. */
function textsOf(values: unknown[]): string[] {
  return values.flatMap((value): string[] => {
    if (typeof value === 'string') return [value.normalize('NFKC').replace(/\p{Cf}/gu, '')]
    if (typeof value === 'number') return [String(value)]
    if (Array.isArray(value)) return textsOf(value)
    return typeof value === 'object' && value !== null ? textsOf(Object.values(value)) : []
  })
}
