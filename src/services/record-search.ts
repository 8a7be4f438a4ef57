import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { companies, contacts, customFields, opportunities } from '../../schema/index.ts'
import { map, rows } from '../data/answer.ts'
import { type CustomSort, customOrder, customPage, sortable } from '../data/custom-page.ts'
import { db, type Statement } from '../data/db.ts'
import { amongFew, type Pick } from '../data/few.ts'
import { recordsWith } from '../data/filter-custom.ts'
import { type Compiled, compileFilter, FIELD_OBJECT, type Must } from '../data/filters.ts'
import { sortKeys } from '../data/lists.ts'
import { containing } from '../data/matching.ts'
import { kindOf, type PageQuery, page } from '../data/page.ts'
import { columnsFor, type OwnedTable } from '../data/store.ts'
import { work } from '../data/work.ts'
import { catalogueOf } from '../domain/filters/catalogue.ts'
import { type FieldType, SORTED_TYPES } from '../domain/filters/custom-types.ts'
import { KIND_OF, operatorsOf } from '../domain/filters/operators.ts'
import type { ObjectName } from '../domain/filters/types.ts'
import { Company } from '../shapes/companies.ts'
import { Contact } from '../shapes/contacts.ts'
import { CUSTOM_SORT, type SearchBody, type Searched, SORTS } from '../shapes/search.ts'
import { listFields } from './opportunities.ts'
import { expectedClose } from './opportunity-lists.ts'

type Sorts = Parameters<typeof page>[0]['sorts']
type Select = Parameters<typeof page>[0]['select']
export type Object = { table: OwnedTable & { archived: PgColumn }; select: Select; sorts: Sorts }

export function searched(table: Object['table'], fields: Record<string, unknown>, sorts: Sorts): Object {
  return { table, select: (keys) => db.select({ ...fields, ...keys } as never).from(table) as never, sorts }
}

export const SEARCHED: Record<Searched, Object> = {
  contacts: searched(contacts, columnsFor(contacts, Contact), sortKeys(contacts, [...SORTS.contacts])),
  companies: searched(companies, columnsFor(companies, Company), sortKeys(companies, [...SORTS.companies])),
  opportunities: searched(opportunities, listFields, {
    ...sortKeys(opportunities, [...SORTS.opportunities]),
    expected_close_date: expectedClose,
  }),
}

/** The records that a filter picks, a page at a time. */
export const searchRecords = (object: Searched, body: SearchBody) => searchIn(SEARCHED[object], object, body)

/** The same of other columns, and of those that meet more conditions. */
export function searchIn(
  { table, select, sorts }: Object,
  object: Searched,
  { filter, search, ...query }: SearchBody,
  conditions: (SQL | undefined)[] = [],
) {
  const { rest, guards = [], reads = [], must = [], words: told }: Partial<Compiled> = filter ? compileFilter(object, filter) : {}
  const words = [search, told].filter((text) => text !== undefined).join(' ') || undefined
  const list = { select: select as never, id: table.id, name: `search ${object}`, query: { ...query, filter, search } as PageQuery }
  const descending = query.sort.startsWith('-')
  const key = CUSTOM_SORT.exec(query.sort)?.[1]
  if (key === undefined) {
    const order = descending ? sql`"_key" desc, "_id" desc` : sql`"_key", "_id"`
    const paged = (more: SQL) => page({ ...list, where: [more, ...conditions], filter: rest, words, sorts, archived: table.archived })
    return work([needsScopes(reads), ...guards], amongFew(must.map(pickOf), table.id, order, paged))
  }
  const sort: CustomSort = { object: FIELD_OBJECT[object], key, descending }
  const [same, others] = [must.filter((test) => test.key === key), must.filter((test) => test.key !== key)]
  const paged = (more: SQL) => customPage({ ...list, where: [rest, kindOf(table.archived, query), more, ...conditions], must: same, sort })
  const picks = [...others.map(pickOf), ...(words === undefined ? [] : [containing(table, words)])]
  return work([needsScopes(reads), ...guards, sortable(sort)], amongFew(picks, table.id, customOrder(sort), paged))
}

const pickOf = (must: Must): Pick => ({ ids: recordsWith(must), holds: must.holds })

/** Who may not read an object's records cannot find out about them by a filter either. */
function needsScopes(objects: ObjectName[]): Statement | undefined {
  if (objects.length === 0) return undefined
  return sql`select needs_scopes(${`{${objects.map((object) => `${object}:read`).join(',')}}`}::text[])`
}

/** What a filter over an object's records may name: its own fields, the workspace's custom ones and its relations. */
export function describeFilters(object: ObjectName) {
  const { fields, relations } = catalogueOf(object)
  const sorts: readonly string[] = object in SORTS ? SORTS[object as Searched] : []
  const own = Object.entries(fields).map(([field, { kind, options = null, exact = false }]) => ({
    field,
    label: null,
    kind,
    operators: operatorsOf(kind),
    options,
    exact,
    custom: false,
    sortable: sorts.includes(field),
  }))
  const { key, label, type, options } = customFields
  const custom = db
    .select({ key, label, type, options })
    .from(customFields)
    .where(sql`object = ${object in FIELD_OBJECT ? FIELD_OBJECT[object as Searched] : ''} and not archived`)
    .orderBy(customFields.position, customFields.id)
  return work(
    [],
    map(rows(custom), (found) => ({
      object,
      fields: [...own, ...found.map(described)],
      relations: Object.entries(relations).map(([relation, object]) => ({ relation, object })),
    })),
  )
}

function described({ key, label, type, options }: { key: string; label: string; type: FieldType; options: string[] }) {
  const kind = KIND_OF[type] ?? null
  return {
    field: `metadata.${key}`,
    label,
    kind,
    operators: operatorsOf(kind ?? undefined),
    options: options.length > 0 ? options : null,
    exact: false,
    custom: true,
    sortable: SORTED_TYPES.includes(type),
  }
}
