import { getTableName, type SQL, sql } from 'drizzle-orm'
import type { Filter, RootName } from '../domain/filters/types.ts'
import { among, FEW, inFunction, type ListScan, scanList } from './list-scan.ts'

/**
 * The records that meet a condition, as an index has them in the order of their creation: those of `from` with this condition, by id after
 * this key.
 */
export type Entries = {
  from: SQL
  where: SQL
  key: SQL
  id: SQL
  /** Whether the index is also by `l.archived`. */
  archived?: boolean
  /** Whether reading all of them, up to a number, is better than a pass over the whole table. */
  own?: boolean
  /** Whether the records are so few, as a rule, that reading all of them is better than looking for them in another order of the list. */
  few?: boolean
}

/** The entries of one condition of a filter, and what the filter requires besides. */
export type EntriesOf = { entries: Entries; rest: Filter | undefined }

/** The column of list_members and followers that refers to each object. */
export const MEMBER_COLUMN: Partial<Record<RootName, string>> = {
  contacts: 'contact_id',
  companies: 'customer_id',
  opportunities: 'opportunity_id',
}

export function entriesOf(object: RootName, filter: Filter): EntriesOf | undefined {
  if (filter.type !== 'all') {
    const entries = ofCondition(object, filter)
    return entries && { entries, rest: undefined }
  }
  for (const [at, member] of filter.of.entries()) {
    const entries = ofCondition(object, member)
    const others = filter.of.filter((_, place) => place !== at)
    if (entries) return { entries, rest: others.length > 0 ? { type: 'all', of: others } : undefined }
  }
  return undefined
}

function ofCondition(object: RootName, filter: Filter): Entries | undefined {
  const column = MEMBER_COLUMN[object]
  if (!column) return undefined
  const id = sql`l.${sql.identifier(column)}`
  const linked = { key: sql`l.record_created_at`, id, own: true }
  if (filter.type === 'list' && !filter.not)
    return { from: sql`list_members l`, where: sql`l.list_id = ${filter.list}::uuid and ${id} is not null`, ...linked }
  if (filter.type !== 'field' || filter.not || filter.test.is !== 'in' || filter.test.values.length !== 1) return undefined
  const [value] = filter.test.values
  if (filter.field === 'followed_by')
    return { from: sql`followers l`, where: sql`l.user_id = ${value}::uuid and ${id} is not null`, ...linked }
  if (filter.field !== 'tags') return undefined
  const where = sql`l.object = ${object} and l.tag = norm(${value})`
  return { from: sql`tagged_records l`, where, key: sql`l.created_at`, id: sql`l.record_id`, archived: true }
}

/** The opportunities of a contact. */
export const ofContact = (contactId: unknown): Entries => ({
  from: sql`opportunity_contacts l`,
  where: sql`l.contact_id = ${contactId}::uuid`,
  key: sql`l.opportunity_created_at`,
  id: sql`l.opportunity_id`,
  few: true,
})

type Order = { descending: boolean; after: { key: string; id: string } | undefined; archived: string | undefined }

/** The ids of the first entries in this order, as `id`. */
export function firstEntries({ from, where, key, id, archived }: Entries, order: Order, count: number): SQL {
  const direction = order.descending ? sql`desc` : sql`asc`
  const behind = order.after
    ? sql` and (${key}, ${id}) ${sql.raw(order.descending ? '<' : '>')} (${order.after.key}::timestamptz, ${order.after.id}::uuid)`
    : sql``
  const ids = (condition: SQL) => sql`select ${id}, false from ${from} where ${where}${condition}${behind}
    order by ${key} ${direction}, ${id} ${direction} limit ${count}`
  if (!archived) return inFunction('walk_ids', ids(sql``))
  if (order.archived !== 'all') return inFunction('walk_ids', ids(sql` and l.archived = ${sql.raw(String(order.archived === 'true'))}`))
  const each = (
    kind: string,
  ) => sql`(select ${key} as key, ${id} as id from ${from} where ${where} and l.archived = ${sql.raw(kind)}${behind}
    order by ${key} ${direction}, ${id} ${direction} limit ${count})`
  return inFunction(
    'walk_ids',
    sql`select id, false from (${each('false')} union all ${each('true')}) kinds order by key ${direction}, id ${direction} limit ${count}`,
  )
}

/** The number of entries that are read first: a few more than a page, because some of their records may be archived. */
const near = (limit: number) => Math.ceil(1.05 * limit) + 1
/** The number that is read when these do not fill the page, and the one when these do not either. */
const further = (limit: number) => 4 * limit
const FAR = 1_000
/** The maximum number of records of which all are read. */
export const WHOLE = 10_000

type EntryScan = {
  /** The first entries: in the order of the page if `inOrder`. */
  ids: (count: number) => SQL
  inOrder: boolean
  /** Whether all records of the entries belong to the list, apart from the archived ones. */
  complete: boolean
  few: boolean
  /** A page of the records that meet what the list requires besides. */
  rows: (condition?: SQL) => SQL
}

/** The maximum number of records of a page that entries are read for; readers of large pages walk through the list. */
export const MOST_BY_ENTRIES = 250

/**
 * A page of the records of entries: of the first of them, of a larger number, or of all; beyond these numbers as any other list. Where
 * records must meet other conditions too, only the first entries are tried, unless they are few.
 */
export function scanEntries(list: ListScan, entries: EntryScan | undefined): SQL {
  if (!entries) return scanList(list)
  const { ids, inOrder, complete, few, rows } = entries
  const { table, limit, order } = list
  const name = sql.identifier(getTableName(table))
  const count = (set: string) => sql`(select count(*) from ${sql.identifier(set)})`
  const steps = [
    ...(inOrder ? [{ step: 'near', size: near(limit) }] : []),
    ...(inOrder && complete
      ? [
          { step: 'further', size: further(limit) },
          { step: 'far', size: FAR },
        ]
      : []),
    ...(few ? [{ step: 'whole', size: WHOLE }] : inOrder && complete ? [{ step: 'whole', size: FEW + 1 }] : []),
  ]
  if (steps.length === 0) return scanList(list)
  let open = sql`true`
  const sets: SQL[] = []
  const parts: SQL[] = []
  for (const { step, size } of steps) {
    const [found, set, matches] = [`${step}_ids`, `${step}_rows`, `${step}_matches`].map((set) => sql.identifier(set))
    sets.push(sql`${found} as materialized (select id from ${ids(size)} where ${open}),
      ${set} as materialized (select ${name}.* from ${name} where ${name}.id = any(array(select id from ${found}))),
      ${matches} as materialized (${among(table, sql`${set}`, rows())})`)
    const fills = step === 'whole' ? sql`false` : sql`${count(`${step}_matches`)} >= ${limit}::int`
    const done = sql`(${fills} or ${count(`${step}_ids`)} < ${size}::int)`
    parts.push(sql`(select * from ${matches} where ${open} and ${done})`)
    open = sql`${open} and not ${done}`
  }
  return sql`with ${sql.join(sets, sql`, `)}
    select * from (${sql.join(parts, sql` union all `)} union all (select * from (${scanList(list)}) beyond where ${open})) chosen ${order}`
}
