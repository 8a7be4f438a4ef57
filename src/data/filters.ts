import { getTableName, type SQL, sql } from 'drizzle-orm'
import { catalogueOf } from '../domain/filters/catalogue.ts'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { Condition, CustomCondition, Field, Filter, Has, ObjectName, RootName, Test } from '../domain/filters/types.ts'
import { call } from './call.ts'
import { type Candidates, candidatesOf, isInOrder } from './candidates.ts'
import type { Statement } from './db.ts'
import { testCustom } from './filter-custom.ts'
import { linksOf, TABLES } from './filter-links.ts'
import { column, isOverdue, type Row, tested } from './filter-tests.ts'
import { type Entries, entriesOf, MEMBER_COLUMN } from './list-entries.ts'
import { stageTimes } from './stage-times.ts'

/** A filter as SQL. */
export type Compiled = {
  /**
   * True for matching records of the object's table, under its own name. It looks related records up one by one, so it suits few records.
   */
  where: SQL
  /** The same for a pass over all records: related records are read once. */
  scan: SQL
  /** Guard statements that run first: the custom fields exist and support the operators. */
  guards: Statement[]
  /** The other objects whose records it reads. */
  reads: ObjectName[]
  /** Whether it looks up other rows for each record: related records, or memberships of lists. */
  related: boolean
  /** A set that contains every match, when an index can find one. */
  candidates: Candidates | undefined
  /** An index that leads to the matches in the order of their creation, and what they must meet besides. */
  entries: FilterEntries | undefined
  /** The conditions that an index in the order of this sort also covers. */
  sorted: (sort: string) => SQL[]
}
/** An index that has the records of one condition, and the rest of the filter. */
export type FilterEntries = { index: Entries; rest: SQL | undefined }
/** One record at a time, or all in one pass. */
type Mode = 'row' | 'scan'

/** The name of an object in custom fields. */
export const FIELD_OBJECT = {
  contacts: 'contact',
  companies: 'company',
  opportunities: 'opportunity',
  tasks: 'task',
  activities: 'activity',
  products: 'product',
} as const

/** Fields that are computed, or whose column has another name. */
const normalised = (row: Row) => column(row, 'name_norm')
const comparedName = (row: Row) => sql`norm(${column(row, 'name')})`
const tagNames = (row: Row) => sql`tag_names(${column(row, 'tags')})`
const COMPUTED: Record<RootName, Record<string, (row: Row) => SQL>> = {
  contacts: { name: normalised, tags: tagNames },
  companies: { name: normalised, tags: tagNames },
  opportunities: {
    name: normalised,
    tags: tagNames,
    days_in_stage: ({ alias }) => stageTimes(sql`${sql.identifier(alias)}`).days_in_stage,
    is_rotting: ({ alias }) => stageTimes(sql`${sql.identifier(alias)}`).is_rotting,
  },
  products: { name: normalised },
  line_items: { name: comparedName },
  invoices: {},
  bookings: { name: comparedName },
  work_orders: {
    status: (row) => sql`(select s.label from public.work_order_statuses s where s.id = ${column(row, 'status_id')})`,
  },
  activities: {},
  tasks: { overdue: (row) => isOverdue(row.alias), is_recurring: (row) => sql`(${column(row, 'recurrence')} is not null)` },
}
/** The column of an activity that refers to each object. */
const ACTIVITY_LINK: Partial<Record<RootName, string>> = { contacts: 'contact_id', companies: 'customer_id', opportunities: 'deal_id' }

/**
 * Translates a validated filter to SQL. Values are parameters; names come only from the catalogue. `at` is the path of the filter in the
 * request.
 */
export function compileFilter(object: RootName, filter: Filter, at = 'filter'): Compiled {
  const custom: object[] = []
  const reads = new Set<ObjectName>()
  let aliases = 0
  let looksUp = false

  const node = (row: Row, of: Filter, mode: Mode): SQL => {
    if (of.type === 'all' || of.type === 'any') {
      const members = of.of.map((member) => node(row, member, mode))
      return sql`(${sql.join(members, of.type === 'all' ? sql` and ` : sql` or `)})`
    }
    if (of.type === 'not') return negated(node(row, of.of, mode))
    if (of.type === 'field') return turned(of, own(row, of, mode))
    if (of.type === 'custom') return turned(of, onCustom(row, of, mode))
    if (of.type === 'list') {
      looksUp = true
      return turned(of, isMember(row, of.list, mode))
    }
    if (of.type === 'words') return containsWords(row, of.words)
    return related(row, of, mode)
  }

  const related = (row: Row, { relation, object, where }: Has, mode: Mode): SQL => {
    reads.add(object)
    aliases += 1
    const to: Row = { object, alias: `r${aliases}` }
    const conditions = [...active(to, where), ...(where ? [node(to, where, mode)] : [])]
    const parts = linksOf(row.object, relation).map((link) => {
      const { own, key, join = sql`` } = link(to)
      // Qualified with the schema, because a page may replace the table under its plain name by a part of it (see list-scan).
      const from = sql`from public.${TABLES[object]} ${sql.identifier(to.alias)}${join}`
      return belongs(column(row, own), key, from, conditions, mode)
    })
    return parts.length === 1 ? (parts[0] as SQL) : sql`(${sql.join(parts, sql` or `)})`
  }

  const own = (row: Row, { field: name, test }: Condition, mode: Mode): SQL => {
    const field = catalogueOf(row.object).fields[name]
    if (!field) throw new Error(`${row.object} have no ${name}`)
    if (field.from) reads.add(field.from)
    if (name === 'followed_by') {
      looksUp = true
      return isFollowed(row, test, mode)
    }
    if (name === 'last_activity_at') return onLastActivity(row, field, test, mode)
    return tested({ row, name, field, value: COMPUTED[row.object][name]?.(row) ?? column(row, name) }, test)
  }

  const onCustom = (row: Row, { key, at: place, offered, fits, test }: CustomCondition, mode: Mode): SQL => {
    const object: FieldObject = FIELD_OBJECT[row.object as keyof typeof FIELD_OBJECT]
    const here = at + place
    if (mode === 'row')
      custom.push({ object, key, offered, fits, field_at: `${here}.field`, op_at: `${here}.op`, value_at: `${here}.value` })
    return testCustom({ object, key, test }, column(row, 'metadata'))
  }

  const row = { object, alias: getTableName(TABLES[object]) }
  const where = node(row, filter, 'row')
  const scan = node(row, filter, 'scan')
  const guards = custom.length > 0 ? [call('check_custom_conditions', JSON.stringify(custom))] : []
  const sorted = (sort: string) =>
    (filter.type === 'all' ? filter.of : [filter])
      .filter((member) => isInOrder(object, sort, member))
      .map((member) => node(row, member, 'scan'))
  const found = entriesOf(object, filter)
  const entries = found && { index: found.entries, rest: found.rest && node(row, found.rest, 'row') }
  return {
    where,
    scan,
    guards,
    reads: [...reads],
    related: looksUp || reads.size > 0,
    candidates: candidatesOf(object, filter),
    entries,
    sorted,
  }
}

/**
 * Whether a record's column is among the keys. For few records each is a look-up; for a pass the keys are read once, and the planner cannot
 * change that.
 */
function belongs(own: SQL, key: SQL, from: SQL, conditions: SQL[], mode: Mode): SQL {
  if (mode === 'row') return sql`exists (select ${from} where ${sql.join([sql`${key} = ${own}`, ...conditions], sql` and `)})`
  return sql`((${own} in (select ${key} ${from} where ${sql.join([sql`${key} is not null`, ...conditions], sql` and `)})) is true)`
}

function isMember(row: Row, list: string, mode: Mode): SQL {
  const member = sql`m.${sql.identifier(MEMBER_COLUMN[row.object] as string)}`
  return belongs(column(row, 'id'), member, sql`from public.list_members m`, [sql`m.list_id = ${list}`], mode)
}

/** Whether one of these members follows the record, or none at all. */
function isFollowed(row: Row, test: Test, mode: Mode): SQL {
  const record = sql`f.${sql.identifier(MEMBER_COLUMN[row.object] as string)}`
  const by = test.is === 'in' ? [sql`f.user_id = any(${`{${test.values.join(',')}}`}::uuid[])`] : []
  const found = belongs(column(row, 'id'), record, sql`from public.followers f`, by, mode)
  return test.is === 'empty' ? negated(found) : found
}

const containsWords = (row: Row, words: string): SQL => sql`(' ' || ${column(row, 'search_text')}) like all(search_patterns(${words}))`

/** The records `a.record_id` with the times of their activities. */
function activityTimes({ object }: Row): SQL {
  const link = sql.identifier(ACTIVITY_LINK[object] as string)
  const main = sql`select ${link} as record_id, occurred_at from public.activities where ${link} is not null and private_to is null`
  return object === 'contacts' ? sql`(${main} union all select contact_id, occurred_at from public.activity_contacts) a` : sql`(${main}) a`
}

function onLastActivity(row: Row, field: Field, test: Test, mode: Mode): SQL {
  const times = activityTimes(row)
  const id = column(row, 'id')
  const on = (value: SQL) => tested({ row, name: 'last_activity_at', field, value }, test)
  if (mode === 'row') return on(sql`(select max(a.occurred_at) from ${times} where a.record_id = ${id})`)
  const having = test.is === 'empty' ? sql`` : sql` group by a.record_id having ${on(sql`max(a.occurred_at)`)}`
  const found = sql`(${id} in (select a.record_id from ${times}${having}))`
  return test.is === 'empty' ? sql`(${found} is not true)` : sql`(${found} is true)`
}

/** The negation of a condition. A record without the value matches it, because an unknown condition is not true. */
const negated = (condition: SQL): SQL => sql`((${condition}) is not true)`
const turned = ({ not }: { not: boolean }, condition: SQL): SQL => (not ? negated(condition) : condition)

/**
 * Archived related records count only when the filter mentions `archived`, and emails of a member's mailbox never, so that a list has the
 * same members for everybody.
 */
function active(to: Row, where: Filter | undefined): SQL[] {
  const { fields } = catalogueOf(to.object)
  return [
    ...(fields.archived && !(where && asksAbout(where, 'archived')) ? [sql`not ${column(to, 'archived')}`] : []),
    ...(to.object === 'activities' ? [sql`${column(to, 'private_to')} is null`] : []),
  ]
}

export function asksAbout(filter: Filter, field: string): boolean {
  if (filter.type === 'all' || filter.type === 'any') return filter.of.some((member) => asksAbout(member, field))
  if (filter.type === 'not') return asksAbout(filter.of, field)
  return filter.type === 'field' && filter.field === field
}
