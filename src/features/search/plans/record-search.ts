import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { companies, contacts, customFields, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type CustomSort, customPage, sortable } from '../../../data/custom-page.ts'
import { db, type Statement } from '../../../data/db.ts'
import { compileFilter, FIELD_OBJECT } from '../../../data/filters.ts'
import { sortKeys } from '../../../data/lists.ts'
import { kindOf, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, rows, type Select } from '../../../data/query.ts'
import { columnsFor, type OwnedTable, selectFrom } from '../../../data/store.ts'
import { catalogueOf } from '../../../domain/filters/catalogue.ts'
import { type FieldType, SORTED_TYPES } from '../../../domain/filters/custom-types.ts'
import { KIND_OF, operatorsOf } from '../../../domain/filters/kinds.ts'
import { needsPlace, placeDays } from '../../../domain/filters/local-days.ts'
import type { Filter, ObjectName, RootName } from '../../../domain/filters/types.ts'
import {
  CUSTOM_SORT,
  EXPORT_SORTS,
  isTimeSort,
  type SearchBody,
  type Searched,
  SORTS,
  TIME_SORTS,
  WORK_SORTS,
} from '../../../schemas/search.ts'
import { Company } from '../../companies/schemas/companies.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { withLists } from '../../lists/plans/list-filters.ts'
import { listFields } from '../../opportunities/plans/opportunities.ts'
import { opportunitySorts } from '../../opportunities/plans/opportunity-lists.ts'

type Sorts = Parameters<typeof page>[0]['sorts']
export type Object = {
  table: OwnedTable & { archived: PgColumn; metadata: PgColumn }
  select: (keys: object) => Select<unknown>
  sorts: Sorts
}

export function searched(table: Object['table'], fields: Record<string, unknown>, sorts: Sorts): Object {
  return { table, select: (keys) => selectFrom(table, { ...fields, ...keys }), sorts }
}

export const SEARCHED: Record<Searched, Object> = {
  contacts: searched(contacts, columnsFor(contacts, Contact), sortKeys(contacts, [...SORTS.contacts])),
  companies: searched(companies, columnsFor(companies, Company), sortKeys(companies, [...SORTS.companies])),
  opportunities: searched(opportunities, listFields, opportunitySorts),
}

/** Searches records with a filter, a page at a time. */
export async function searchRecords(ctx: Ctx, object: Searched, body: SearchBody) {
  return searchIn(SEARCHED[object], object, body, { ready: await readyFilter(ctx, object, body.filter) })
}

/** A filter that can become SQL: with the filters of its lists and with its days. Lists take a round trip of their own. */
export async function readyFilter(ctx: Ctx, object: RootName, filter: Filter | undefined): Promise<Filter | undefined> {
  return filter && withDays(ctx, object, await withLists(ctx, object, filter))
}

/** A filter with its days. */
export async function withDays(ctx: Ctx, object: RootName, filter: Filter): Promise<Filter> {
  return needsPlace(object, filter) ? placeDays(object, filter, { now: ctx.now, zone: await ctx.zone() }) : filter
}

type Manner = {
  conditions?: (SQL | undefined)[]
  either?: [SQL, SQL] | undefined
  /** Finds pages along the list's index rather than by a pass over all records, which suits a caller who reads every page. */
  walk?: boolean
  /** The filter as it becomes SQL, where that differs from the one that was sent. */
  ready?: Filter | undefined
  /** What requires the right to read these objects, if that is not the scope of the key. */
  needs?: (objects: ObjectName[]) => Statement[]
  /** The name of the list of records, for its cursors, and whether it can be counted. */
  name?: string
  counts?: boolean
}

/** Searches with other columns and additional conditions. The cursor depends on the filter as it was sent, so it outlasts the day. */
export function searchIn(
  { table, select, sorts }: Object,
  object: Searched,
  { filter, search, ...query }: SearchBody,
  { conditions = [], either, walk = false, ready = filter, needs = needsScopes, name = `search ${object}`, counts = false }: Manner = {},
) {
  const compiled = ready && compileFilter(object, ready)
  const guards = compiled ? [...needs(compiled.reads), ...compiled.guards] : []
  const filtering = compiled && {
    where: compiled.where,
    scan: walk ? undefined : compiled.scan,
    candidates: compiled.candidates,
    related: compiled.related,
    entries: walk ? undefined : compiled.entries,
  }
  const list = {
    select,
    id: table.id,
    filter: filtering,
    name,
    counts,
    whole: walk,
    isTable: conditions.length === 0 && !either,
    query: { ...query, filter, search } as PageQuery,
  }
  const sorted = query.sort.replace('-', '')
  const key = CUSTOM_SORT.exec(query.sort)?.[1]
  if (key === undefined && !isTimeSort(sorted)) {
    const where = [...conditions, ...(compiled?.sorted(query.sort) ?? [])]
    return plan(guards, page({ ...list, where, either, sorts, archived: table.archived }))
  }
  const descending = query.sort.startsWith('-')
  const where = [kindOf(table.archived, query), ...conditions, either && sql`(${either[0]} or ${either[1]})`]
  const parts = { ...list, metadata: table.metadata, where }
  if (isTimeSort(sorted))
    return plan([...guards, ...needs([TIME_SORTS[sorted]])], customPage({ ...parts, sort: { time: `${object}.${sorted}`, descending } }))
  const sort: CustomSort = { object: FIELD_OBJECT[object], key: key as string, descending }
  return plan([...guards, sortable(sort)], customPage({ ...parts, sort }))
}

/** Requires the read scope of these objects, so that a filter over them reveals nothing that the key cannot read. */
export function needsScopes(objects: ObjectName[]): Statement[] {
  return objects.length === 0 ? [] : [call('assert_scopes', `{${objects.map((object) => `${object}:read`).join(',')}}`)]
}

/** Describes what a filter can use: the object's own fields, the workspace's custom fields and the relations. */
export function describeFilters(object: ObjectName) {
  return plan(
    [],
    mapResult(rows(customFieldsOf(object)), (customFields) => ({
      object,
      fields: [...ownFields(object), ...customFields.map(described)],
      relations: relationsOf(object),
    })),
  )
}

export const relationsOf = (object: RootName) =>
  Object.entries(catalogueOf(object).relations).map(([relation, object]) => ({ relation, object }))

/** The fields of an object that every workspace has. */
export function ownFields(object: RootName) {
  const sorts: readonly string[] = { ...SORTS, ...WORK_SORTS, ...EXPORT_SORTS }[object]
  return Object.entries(catalogueOf(object).fields).map(([field, { kind, options, exact = false }]) => ({
    field,
    label: null,
    kind,
    operators: operatorsOf(kind),
    options: options ? [...options] : null,
    exact,
    custom: false,
    sortable: sorts.includes(field) || (object in SORTS && isTimeSort(field)),
  }))
}

/** The custom fields of an object, in display order. */
export function customFieldsOf(object: RootName) {
  const { key, label, type, options } = customFields
  return db
    .select({ key, label, type, options })
    .from(customFields)
    .where(sql`object = ${object in FIELD_OBJECT ? FIELD_OBJECT[object as Searched] : ''} and not archived`)
    .orderBy(customFields.position, customFields.id)
}

export function described({ key, label, type, options }: { key: string; label: string; type: FieldType; options: string[] }) {
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
