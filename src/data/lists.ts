import { and, eq, getTableName, gte, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Filter, ObjectName } from '../domain/filters/types.ts'
import { type Candidates, ofListFilter } from './candidates.ts'
import { compileFilter } from './filters.ts'
import type { Filtering, SortKey } from './page.ts'
import type { ListedTable } from './store.ts'

type Table = ListedTable & Record<string, PgColumn>

/**
 * Filters that cover more than the column of their name: a contact's other addresses, numbers and employers, a company's other domains.
 * Each gives the ids of the further records, which do not have the value in the column itself.
 */
const FURTHER: Record<string, Record<string, (value: unknown) => SQL>> = {
  contacts: {
    email: (value) => sql`contacts_by_alternate(${value})`,
    phone: (value) => sql`contacts_by_alternate_phone(${value})`,
    customer_id: (value) => sql`other_employees(${value}::uuid)`,
  },
  companies: {
    domain: (value) => sql`companies_by_other_domain(${value})`,
  },
}
/** The column of such a filter that has another name. */
const OWN: Record<string, string> = { domain: 'website_domain' }

/**
 * A list's filters as conditions, and as `either` the two sets of records that one of them covers: the page merges an index scan of each
 * (see page). Of several such filters the others are conditions.
 */
export function listFilters(table: ListedTable, filters: Record<string, unknown>, query: Record<string, unknown>) {
  const wide = FURTHER[getTableName(table)] ?? {}
  const sent = Object.keys(filters).filter((name) => name in wide && query[name] !== undefined)
  const sets = sent.map((name): [SQL, SQL] => {
    const further = sql`${table.id} = any(array(select unnest(${wide[name]?.(query[name])})))`
    return [eq((table as Table)[OWN[name] ?? name] as PgColumn, query[name]), further]
  })
  const [either, ...others] = sets
  const plain = Object.fromEntries(Object.entries(filters).filter(([name]) => !sent.includes(name)))
  const where = [...listWhere(table, plain, query), ...others.map(([own, further]) => sql`(${own} or ${further})`)]
  return { where, either, filter: listFiltering(table, query) }
}

/** The filters of lists that no index covers in the order of a list, as conditions of the filter language. */
const CONDITIONS: Record<string, (value: string) => Filter> = {
  followed_by: (value) => ({ type: 'field', field: 'followed_by', test: { is: 'in', values: [value] }, not: false }),
  tag: (value) => ({ type: 'field', field: 'tags', test: { is: 'in', values: [value] }, not: false }),
}

/** The condition of such filters in a list's query, for page. */
export function listFiltering(table: ListedTable, query: Record<string, unknown>): Filtering | undefined {
  const filter = conditionOf(query)
  if (!filter) return undefined
  const { where, scan, candidates, related, entries } = compileFilter(getTableName(table) as ObjectName, filter)
  return { where, scan, candidates, related, entries }
}

/** The same as a filter. */
export function conditionOf(query: Record<string, unknown>): Filter | undefined {
  const sent = Object.entries(CONDITIONS).flatMap(([name, of]) => (query[name] === undefined ? [] : [of(query[name] as string)]))
  return sent.length > 1 ? { type: 'all', of: sent } : sent[0]
}

/**
 * All filters of a list as one condition, for a page in an order in which no index has them. `further` are conditions that it has besides.
 */
export function asFiltering(
  table: ListedTable,
  filters: Record<string, unknown>,
  query: Record<string, unknown>,
  further: (SQL | undefined)[],
): Filtering | undefined {
  const { where, either, filter } = listFilters(table, filters, query)
  const own = and(...where, either && sql`(${either[0]} or ${either[1]})`, ...further)
  if (!own) return filter
  const name = getTableName(table)
  const candidates: Candidates[] = Object.keys(filters).flatMap((filter) => {
    const column = FURTHER[name]?.[filter] && (OWN[filter] ?? filter)
    return (query[filter] === undefined ? undefined : ofListFilter(name, filter, query[filter], column)) ?? []
  })
  if (filter?.candidates) candidates.push(filter.candidates)
  const both = (condition: SQL | undefined) => (condition ? sql`${own} and ${condition}` : own)
  return {
    ...filter,
    entries: undefined,
    where: both(filter?.where),
    scan: filter && !filter.scan ? undefined : both(filter?.scan),
    candidates: candidates.length > 0 ? { all: candidates } : undefined,
  }
}

/** The conditions of values that were sent, each of which is compared with the column of its name. */
export const equalTo = (table: PgTable, values: Record<string, unknown>): (SQL | undefined)[] =>
  Object.entries(values).map(([name, value]) => {
    const column = (table as PgTable & Record<string, PgColumn>)[name]
    return value === undefined || !column ? undefined : eq(column, value)
  })

/** The conditions of a list's query: each filter compares the column of its name. The page itself handles `search` (see list-scan.ts). */
export function listWhere(table: ListedTable, filters: Record<string, unknown>, query: Record<string, unknown>): (SQL | undefined)[] {
  const sent = Object.keys(filters).map((name) => [name, query[name]] as const)
  return [...equalTo(table, Object.fromEntries(sent)), ...between(table.created_at, 'created', query), changedSince(table as Table, query)]
}

/**
 * The conditions of `<name>_after` and `<name>_before` for a list sorted by `<name>_at`. A cursor in that order is already a tighter
 * bound on its side, so the wider one is left out: the index scan would start there.
 */
export function between(key: SQLWrapper, name: string, query: Record<string, unknown>): (SQL | undefined)[] {
  const { [`${name}_after`]: low, [`${name}_before`]: high, after, sort = '-created_at' } = query
  const bounded = (order: string) => after !== undefined && sort === order
  return [
    low === undefined || bounded(`${name}_at`) ? undefined : sql`${key} >= ${low}`,
    high === undefined || bounded(`-${name}_at`) ? undefined : sql`${key} <= ${high}`,
  ]
}

/** A record is never changed before it is created, so a list by `updated_at` can skip records changed before `created_after`. */
function changedSince({ updated_at }: Table, { created_after, sort, after }: Record<string, unknown>): SQL | undefined {
  return created_after !== undefined && sort === 'updated_at' && after === undefined && updated_at
    ? gte(updated_at, created_after)
    : undefined
}

/**
 * Records of one owner are together, and those without one come last. An index has no names of owners, which can change in all workspaces
 * at once.
 */
const byOwner = ({ assigned_to: owner }: Table): SortKey => ({
  key: sql`(case when ${owner} is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else ${owner} end)`,
  type: 'uuid',
})

/**
 * Rows with private_to, which a select with a condition gives, as the sets of page: everything for a caller who sees all mailboxes; for
 * others what the whole team sees, and what is their own. Indexes give these in order, however much is private to others (see
 * visibleIndexes in schema/columns.ts). The database knows the caller, and reads nothing of the other sets.
 */
export const visibleSets = (rows: SQL, owner = sql`private_to`): SQL[] => [
  sql`${rows} and not ${SEES_ALL} and ${owner} is null`,
  sql`${rows} and not ${SEES_ALL} and ${owner} is not null and ${owner} = (select current_person())`,
  sql`${rows} and ${SEES_ALL}`,
]
const SEES_ALL = sql`(select sees_personal_email())`

/** The same, where a condition leaves of the private rows only those of one member. */
export const visibleSetsOf = (member: string, rows: SQL): SQL[] => [
  sql`${rows} and private_to is null`,
  sql`${rows} and private_to is not null and private_to = ${member}::uuid and (${SEES_ALL} or (select current_person()) = ${member}::uuid)`,
]

/** The sort keys of a table. `name` is sorted by its normal form. */
export function sortKeys(table: ListedTable, sorts: string[]): Record<string, SortKey> {
  const columns = table as Table
  const keyOf = (name: string) => (columns[`${name}_norm`] ?? columns[`${name}_minor`] ?? columns[name]) as PgColumn
  return Object.fromEntries(sorts.map((name) => [name, name === 'assigned_to' ? byOwner(columns) : keyOf(name)]))
}
