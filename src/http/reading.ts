import * as v from 'valibot'
import type { listDeleted } from '../data/deletions.ts'
import type { Relation } from '../data/relations.ts'
import { EVENT_DAYS } from '../domain/events.ts'
import { MOST_COUNTED } from '../domain/limits.ts'
import type { Issue } from '../errors.ts'
import { QueryBool, QueryInstant } from '../schemas/fields.ts'
import { MAX_LISTED, queryIds, queryNames } from '../schemas/reading.ts'
import type { Endpoint, Schema } from './endpoint.ts'

type Entries = Record<string, Schema>
const entriesOf = (schema: Schema | undefined): Entries => (schema as { entries?: Entries } | undefined)?.entries ?? {}

const updated = (what: string) =>
  v.optional(
    v.pipe(
      QueryInstant,
      v.description(
        `Only records changed at this time or ${what}, in the order of \`updated_at\`, archived records included. Send the \`page.synced_until\` of an earlier read as \`updated_after\` to get what changed since.`,
      ),
    ),
  )

/** The query parameters that every list of records takes besides its own. */
export function readingQuery({ returns, method }: Pick<Endpoint, 'returns' | 'method'>): v.ObjectEntries {
  const record = entriesOf(returns.schema)
  if (method !== 'GET' || returns.as !== 'list' || !record.id || !record.updated_at) return {}
  return {
    updated_after: updated('later'),
    updated_before: updated('earlier'),
    ids: v.optional(queryIds(`Only the records with these ids: up to ${MAX_LISTED}, separated by commas. Unknown ids are left out.`)),
    fields: v.optional(
      queryNames(Object.keys(record), 'Only these fields of each record, separated by commas. `id` is always included.', (names) => [
        'id',
        ...names,
      ]),
    ),
    count: v.optional(
      v.pipe(
        QueryBool,
        v.description(
          `\`true\` adds the number of matching records to the page, as it was on the first page: \`page.count\`, at most ${MOST_COUNTED}. \`page.count_exact\` is false if there are more.`,
        ),
      ),
    ),
    ...(returns.relations && { include: includeOf(returns.relations) }),
    ...(returns.deletable && { deleted: Deleted }),
  }
}

function includeOf(relations: Relation[]) {
  const named = relations.map(
    ({ name, scopes, most }) =>
      `\`${name}\` (${most ? `the first ${most}, ` : ''}needs ${scopes.map((scope) => `\`${scope}\``).join(', ')})`,
  )
  const read = (names: string[]) => relations.filter(({ name }) => names.includes(name))
  const description = `Related records to send with each record, under these names and separated by commas: ${named.join(', ')}.`
  return v.optional(
    queryNames(
      relations.map(({ name }) => name),
      description,
      read,
    ),
  )
}

const DELETED =
  '`true` lists deleted records instead, in the order of their deletion, also those that were deleted with another record. Each has only `id` and `deleted_at`. Deletions are listed for ' +
  `${EVENT_DAYS} days; updated_after and updated_before limit them by the time of deletion.`
const Deleted = v.optional(v.pipe(QueryBool, v.description(DELETED)))

/** The plan of a list, or with `deleted=true` that of its deleted records. */
export function withDeletions(returns: Endpoint['returns'], plan: Endpoint['plan']): Endpoint['plan'] {
  const deletable = returns.as === 'list' ? returns.deletable : undefined
  return deletable ? (call) => (call.query.deleted === true ? deletedOf(deletable, call.query, call.ctx.now) : plan(call)) : plan
}

/** Loads the statements on first use, because they bring the definitions of all tables, which would make starting the Worker dearer. */
const deletedOf = async (...of: Parameters<typeof listDeleted>) => (await import('../data/deletions.ts')).listDeleted(...of)

const ORDER = 'updated_after and updated_before list records in the order of updated_at: leave out sort, or send updated_at or -updated_at'

/** The query of a list with the defaults that depend on its other parameters: what follows changes reads them in order, archived records included. */
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
