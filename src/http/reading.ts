import * as v from 'valibot'
import type { listDeleted } from '../data/deletions.ts'
import { withParts } from '../data/parts.ts'
import type { Plan } from '../data/plan.ts'
import type { Relation } from '../data/relations.ts'
import { EVENT_DAYS } from '../domain/events.ts'
import { MOST_COUNTED } from '../domain/limits.ts'
import type { Issue } from '../errors.ts'
import { QueryBool, QueryInstant } from '../schemas/fields.ts'
import { MAX_LISTED, names, queryIds, queryNames } from '../schemas/reading.ts'
import type { Endpoint, Schema } from './endpoint.ts'

type Entries = Record<string, Schema>
const entriesOf = (schema: Schema | undefined): Entries => (schema as { entries?: Entries } | undefined)?.entries ?? {}

const updated = (what: string) =>
  v.optional(
    v.pipe(
      QueryInstant,
      v.description(
        `Only records changed at this time or ${what}, in the order of \`updated_at\`, archived records included. ` +
          'Send the `page.synced_until` of an earlier read as `updated_after` to get what changed since.',
      ),
    ),
  )

const isRecord = ({ id, updated_at }: Entries) => id !== undefined && updated_at !== undefined
const withId = (names: string[]) => ['id', ...names]

/** The query parameters that every list of records, and every record, takes besides its own. */
const COUNT =
  '`true` adds the number of matching records to the page, as it was on the first page: `page.count`. ' +
  'All contacts, companies, opportunities or tasks, and those with one tag, source or owner, ' +
  `are counted exactly, any others up to ${MOST_COUNTED}. \`page.count_exact\` is false if there may be more: of a search or condition ` +
  'that finds thousands of records, some thousand are counted.'

/** The parts that a GET asks for in its query. */
export function readingQuery({ returns, method }: Pick<Endpoint, 'returns' | 'method'>): v.ObjectEntries {
  const record = entriesOf(returns.schema)
  if (method !== 'GET' || !isRecord(record)) return {}
  if (returns.as === 'one')
    return {
      fields: v.optional(
        queryNames(Object.keys(record), 'Only these fields of the record, separated by commas. `id` is always included.', withId),
      ),
      ...(returns.relations && { include: includeOf(returns.relations) }),
    }
  if (returns.as !== 'list') return {}
  return {
    updated_after: updated('later'),
    updated_before: updated('earlier'),
    ids: v.optional(queryIds(`Only the records with these ids: up to ${MAX_LISTED}, separated by commas. Unknown ids are left out.`)),
    fields: v.optional(
      queryNames(Object.keys(record), 'Only these fields of each record, separated by commas. `id` is always included.', withId),
    ),
    count: v.optional(v.pipe(QueryBool, v.description(COUNT))),
    ...(returns.relations && { include: includeOf(returns.relations) }),
    ...(returns.deletable && { deleted: Deleted }),
  }
}

const namesOf = (relations: Relation[]) => relations.map(({ name }) => name)
const chosenOf = (relations: Relation[]) => (names: string[]) => relations.filter(({ name }) => names.includes(name))

function described(relations: Relation[]): string {
  const named = relations.map(
    ({ name, scopes, most }) =>
      `\`${name}\` (${most ? `the first ${most}, ` : ''}needs ${scopes.map((scope) => `\`${scope}\``).join(', ')})`,
  )
  return `Related records to send with each record, under these names: ${named.join(', ')}.`
}

const includeOf = (relations: Relation[]) =>
  v.optional(queryNames(namesOf(relations), `${described(relations)} They are separated by commas.`, chosenOf(relations)))

/** The same parts in the body of a search. */
export function readingBody({ returns, method, effect }: Pick<Endpoint, 'returns' | 'method' | 'effect'>): v.ObjectEntries {
  if (method !== 'POST' || effect !== 'read' || returns.as !== 'list' || !returns.relations) return {}
  const { relations } = returns
  const fields = Object.keys(entriesOf(returns.schema))
  return {
    // The example has all of them, so that the example of the response has them too.
    fields: v.optional(names(fields, 'Only these fields of each record. `id` is always included.', withId, fields.length)),
    include: v.optional(names(namesOf(relations), described(relations), chosenOf(relations))),
    count: v.optional(v.pipe(v.boolean('must be true or false'), v.description(COUNT))),
  }
}

const DELETED =
  '`true` lists deleted records instead, in the order of their deletion, also those that were deleted with another record. ' +
  'Each has only `id` and `deleted_at`. Deletions are listed for ' +
  `${EVENT_DAYS} days; updated_after and updated_before limit them by the time of deletion.`
const Deleted = v.optional(v.pipe(QueryBool, v.description(DELETED)))

/** The plan of a record with the parts that its query asks for; that of a list, or with `deleted=true` of its deleted records. */
export function withReading({ returns, method }: Pick<Endpoint, 'returns' | 'method'>, plan: Endpoint['plan']): Endpoint['plan'] {
  if (method === 'GET' && returns.as === 'one' && isRecord(entriesOf(returns.schema)))
    return ({ query: { fields, include, ...query }, ...call }) => {
      const whole = plan({ ...call, query })
      const part = (whole: Plan<unknown>) => withParts(whole, { names: fields, relations: include })
      return whole instanceof Promise ? whole.then(part) : part(whole)
    }
  const deletable = returns.as === 'list' ? returns.deletable : undefined
  return deletable ? (call) => (call.query.deleted === true ? deletedOf(deletable, call.query, call.ctx.now) : plan(call)) : plan
}

/** Loads the statements on first use, because they bring the definitions of all tables, which would make starting the Worker dearer. */
const deletedOf = async (...of: Parameters<typeof listDeleted>) => (await import('../data/deletions.ts')).listDeleted(...of)

const ORDER = 'updated_after and updated_before list records in the order of updated_at: leave out sort, or send updated_at or -updated_at'

/**
 * The query of a list with the defaults that depend on its other parameters: what follows changes reads them in order, archived records
 * included.
 */
export function inOrderOfChange(endpoint: Endpoint, query: Record<string, string>): { query: Record<string, string>; issues: Issue[] } {
  const known = entriesOf(endpoint.query)
  const isFollowed = query.updated_after !== undefined || query.updated_before !== undefined
  if (known.deleted && query.deleted === 'true') return { query, issues: besideDeleted(query, known) }
  if (!isFollowed || !known.updated_after) return { query, issues: [] }
  const { sort, archived } = known
  const issues = sort && query.sort !== undefined && !/^-?updated_at$/.test(query.sort) ? [{ path: 'sort', message: ORDER }] : []
  return { query: { ...(sort && { sort: 'updated_at' }), ...(archived && { archived: 'all' }), ...query }, issues }
}

const OF_DELETED = ['deleted', 'updated_after', 'updated_before', 'count', 'limit', 'after']

const besideDeleted = (query: Record<string, string>, known: Entries): Issue[] =>
  Object.keys(query)
    .filter((name) => known[name] && !OF_DELETED.includes(name))
    .map((path) => ({ path, message: 'deleted=true lists ids without fields: leave this parameter out' }))
