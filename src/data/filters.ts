import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { activities, companies, contacts, opportunities } from '../../schema/index.ts'
import { catalogueOf } from '../domain/filters/catalogue.ts'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { Condition, CustomCondition, Filter, Has, ObjectName, Test } from '../domain/filters/types.ts'
import type { Statement } from './db.ts'
import { type CustomTest, testCustom } from './filter-custom.ts'
import { column, type Row, tested, wordsOf } from './filter-tests.ts'

/** What a filter comes down to. */
export type Compiled = {
  /** True for the records that the filter picks; over the object's table under its own name. */
  where: SQL
  /** Guards that run before: the custom fields exist and have the operators. */
  guards: Statement[]
  /** Objects whose records it looks at besides its own. */
  reads: ObjectName[]
  /** The same in two parts: what every record it picks has in a custom field, to which an index may lead, and the rest. */
  must: Must[]
  rest: SQL
  /** Words that every record it picks contains. */
  words: string | undefined
}
export type Must = CustomTest & { holds: SQL }

const TABLES: Record<ObjectName, PgTable> = { contacts, companies, opportunities, activities }
/** What custom fields call an object. */
export const FIELD_OBJECT = { contacts: 'contact', companies: 'company', opportunities: 'opportunity' } as const

/** Fields that are not a column of their name. */
const latestActivity = (link: string) => (row: Row) =>
  sql`(select max(a.occurred_at) from activities a where a.${sql.identifier(link)} = ${column(row, 'id')})`
const normalised = (row: Row) => column(row, 'name_norm')
const COMPUTED: Record<ObjectName, Record<string, (row: Row) => SQL>> = {
  contacts: { name: normalised, last_activity_at: latestActivity('contact_id') },
  companies: { name: normalised, last_activity_at: latestActivity('customer_id') },
  opportunities: { name: normalised, last_activity_at: latestActivity('deal_id'), tags: (row) => sql`tag_names(${column(row, 'tags')})` },
  activities: {},
}

/** Which records of `to` belong to one of `from`: what else to join, and on which condition. */
type Link = (from: Row, to: Row) => { join?: SQL; on: SQL }
const through =
  (table: string, own: string, other: string): Link =>
  (from, to) => {
    const link: Row = { object: from.object, alias: `${to.alias}_link` }
    return {
      join: sql` join ${sql.identifier(table)} ${sql.identifier(link.alias)} on ${column(link, other)} = ${column(to, 'id')}`,
      on: sql`${column(link, own)} = ${column(from, 'id')}`,
    }
  }
const pointsAt =
  (name: string): Link =>
  (from, to) => ({ on: sql`${column(to, 'id')} = ${column(from, name)}` })
const pointedAtBy =
  (name: string): Link =>
  (from, to) => ({ on: sql`${column(to, name)} = ${column(from, 'id')}` })

const LINKS: Record<ObjectName, Record<string, Link>> = {
  contacts: {
    company: pointsAt('customer_id'),
    companies: through('employers', 'contact_id', 'customer_id'),
    opportunities: through('opportunity_contacts', 'contact_id', 'opportunity_id'),
    activities: pointedAtBy('contact_id'),
  },
  companies: {
    contacts: through('employers', 'customer_id', 'contact_id'),
    opportunities: pointedAtBy('customer_id'),
    parent: pointsAt('parent_company_id'),
    subsidiaries: pointedAtBy('parent_company_id'),
    activities: pointedAtBy('customer_id'),
  },
  opportunities: {
    company: pointsAt('customer_id'),
    contacts: through('opportunity_contacts', 'opportunity_id', 'contact_id'),
    activities: pointedAtBy('deal_id'),
  },
  activities: {},
}

/** A checked filter as SQL. Values are parameters; names come from the catalogue alone. `at` is where the request has the filter. */
export function compileFilter(object: ObjectName, filter: Filter, at = 'filter'): Compiled {
  const { needed, rest: others } = parted(filter)
  const told = new Map(wordsNeeded(object, others))
  const custom: object[] = []
  const reads = new Set<ObjectName>()
  let aliases = 0

  const node = (row: Row, of: Filter): SQL => {
    if (of.type === 'all' || of.type === 'any') {
      const members = of.of.map((member) => node(row, member))
      return sql`(${sql.join(members, of.type === 'all' ? sql` and ` : sql` or `)})`
    }
    if (of.type === 'not') return negated(node(row, of.of))
    if (of.type === 'field') return turned(of, own(row, of))
    if (of.type === 'custom') return turned(of, onCustom(row, of))
    return related(row, of)
  }

  const related = (row: Row, { relation, object, where }: Has): SQL => {
    reads.add(object)
    aliases += 1
    const to: Row = { object, alias: `r${aliases}` }
    const { join = sql``, on } = (LINKS[row.object][relation] as Link)(row, to)
    const conditions = [on, ...active(to, where), ...(where ? [node(to, where)] : [])]
    // With its schema: a page may put a part of a table in the place of its plain name (see matching).
    return sql`exists (select from public.${TABLES[object]} ${sql.identifier(to.alias)}${join} where ${sql.join(conditions, sql` and `)})`
  }

  const own = (row: Row, { field: name, test }: Condition): SQL => {
    const field = catalogueOf(row.object).fields[name]
    if (!field) throw new Error(`${row.object} have no ${name}`)
    if (field.from) reads.add(field.from)
    return tested({ row, name, field, value: COMPUTED[row.object][name]?.(row) ?? column(row, name), found: told.has(test) }, test)
  }

  const onCustom = (row: Row, { key, at: place, offered, fits, test }: CustomCondition): SQL => {
    const object: FieldObject = FIELD_OBJECT[row.object as keyof typeof FIELD_OBJECT]
    const here = at + place
    custom.push({ object, key, offered, fits, field_at: `${here}.field`, op_at: `${here}.op`, value_at: `${here}.value` })
    return testCustom({ object, key, test }, column(row, 'id'))
  }

  const row = { object, alias: object }
  const must = needed.map((condition) => ({
    object: FIELD_OBJECT[object as keyof typeof FIELD_OBJECT],
    ...condition,
    holds: onCustom(row, condition),
  }))
  const rest = others ? node(row, others) : sql`true`
  const where = sql.join([rest, ...must.map(({ holds }) => holds)], sql` and `)
  const guards = custom.length > 0 ? [sql`select check_custom_conditions(${JSON.stringify(custom)}::jsonb)`] : []
  return { where, guards, reads: [...reads], must, rest, words: told.size > 0 ? [...told.values()].join(' ') : undefined }
}

/** The tests without which the filter picks nothing, and that tell words of the record. */
function wordsNeeded(object: ObjectName, filter: Filter | undefined): [Test, string][] {
  if (filter?.type === 'all') return filter.of.flatMap((member) => wordsNeeded(object, member))
  if (filter?.type !== 'field' || filter.not) return []
  const words = wordsOf(object, filter.field, filter.test)
  return words ? [[filter.test, words]] : []
}

/** The custom conditions without which the filter picks nothing, and what it asks besides. */
function parted(filter: Filter): { needed: CustomCondition[]; rest: Filter | undefined } {
  if (filter.type === 'custom' && !filter.not && filter.test.is !== 'empty') return { needed: [filter], rest: undefined }
  if (filter.type !== 'all') return { needed: [], rest: filter }
  const members = filter.of.map(parted)
  const of = members.flatMap(({ rest }) => (rest ? [rest] : []))
  return { needed: members.flatMap(({ needed }) => needed), rest: of.length > 0 ? { type: 'all', of } : undefined }
}

/** A record without the value is among those that the condition does not pick: what is unknown is not true. */
const negated = (condition: SQL): SQL => sql`((${condition}) is not true)`
const turned = ({ not }: { not: boolean }, condition: SQL): SQL => (not ? negated(condition) : condition)

/** Archived records count in a relation only when the filter asks about them. */
function active(to: Row, where: Filter | undefined): SQL[] {
  const { fields } = catalogueOf(to.object)
  return fields.archived && !(where && asksAbout(where, 'archived')) ? [sql`not ${column(to, 'archived')}`] : []
}

function asksAbout(filter: Filter, field: string): boolean {
  if (filter.type === 'all' || filter.type === 'any') return filter.of.some((member) => asksAbout(member, field))
  if (filter.type === 'not') return asksAbout(filter.of, field)
  return filter.type === 'field' && filter.field === field
}
