import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import { changes } from '../../schema/index.ts'
import { db } from '../data/db.ts'
import { listFilters, sortKeys } from '../data/lists.ts'
import { type Keys, type PageQuery, page } from '../data/page.ts'
import { plan, read } from '../data/plan.ts'
import { columnsFor, type OwnedTable, store } from '../data/store.ts'
import { newId } from '../lib/ids.ts'
import { pascal, spoken, withArticle } from '../lib/nouns.ts'
import { Change, Deleted } from '../schemas/common.ts'
import { Id, pageQuery } from '../schemas/fields.ts'
import { listQuery } from './lists.ts'
import type { Scope } from './modes.ts'
import { created, listOf } from './modes.ts'
import type { Api } from './router.ts'

type Shape = v.ObjectSchema<v.ObjectEntries, undefined>
type Verb = 'list' | 'get' | 'create' | 'update' | 'remove' | 'history'

export type Resource = {
  /** What one record is called: `product`; its path parameter is `:product_id`. */
  name: string
  /** What many are called, and the scope's resource unless `scope` is given: `products`. */
  plural: string
  scope?: string
  table: OwnedTable
  /** The allow-list of what leaves: each entry is a column or one of `computed`. */
  returns: Shape
  computed?: Record<string, SQL | SQL.Aliased>
  body: v.ObjectEntries
  filters?: v.ObjectEntries
  sorts?: string[]
  only?: Verb[]
}

/** Plain CRUD over one table: a list, get, create, update, remove and history, each an endpoint like one written by hand. */
export function resource(api: Api, of: Resource) {
  const { name, plural, table, returns, body, filters = {}, sorts = ['created_at', 'updated_at'] } = of
  const only = new Set(of.only ?? ['list', 'get', 'create', 'update', 'remove', 'history'])
  const fields = columnsFor(table, returns, of.computed)
  const rowsWith = (keys: Keys) => db.select({ ...(fields as object), ...keys } as never).from(table)
  const verbs = store<OwnedTable, Record<string, unknown>>(table, name.replaceAll('_', ' '), db.select(fields as never).from(table))
  const param = `${name}_id`
  const params = v.object({ [param]: Id })
  const idOf = (given: Record<string, unknown>) => given[param] as string
  const can = (action: 'read' | 'write' | 'delete'): Scope[] => [`${of.scope ?? plural}:${action}`]
  const [noun, one] = [pascal(name), withArticle(spoken(name))]
  const many = plural.replaceAll('-', '_')

  if (only.has('list')) {
    const query = listQuery(table, filters, sorts)
    const keys = sortKeys(table, sorts)
    const archived = (table as unknown as Record<string, PgColumn>).archived
    api.get(
      '',
      {
        id: `list${pascal(many)}`,
        summary: `List ${spoken(many)}`,
        access: { scopes: can('read') },
        query,
        returns: listOf(returns),
      },
      ({ query }) =>
        read(
          page({
            select: rowsWith,
            id: table.id,
            ...listFilters(table, filters, query),
            sorts: keys,
            archived,
            name: plural,
            query: query as PageQuery,
          }),
        ),
    )
  }
  if (only.has('get'))
    api.get(
      `/:${param}`,
      { id: `get${noun}`, summary: `Get ${one}`, access: { scopes: can('read') }, params, returns, errors: ['NOT_FOUND'] },
      ({ params }) => verbs.get(idOf(params)),
    )
  if (only.has('create'))
    api.post(
      '',
      {
        id: `create${noun}`,
        summary: `Create ${one}`,
        access: { scopes: can('write') },
        body: v.strictObject(body),
        returns: created(returns),
        errors: ['CONFLICT'],
      },
      ({ body }) => verbs.create(newId(), body as never),
    )
  if (only.has('update'))
    api.patch(
      `/:${param}`,
      {
        id: `update${noun}`,
        summary: `Update ${one}`,
        access: { scopes: can('write') },
        params,
        body: v.partial(v.strictObject(body)),
        returns,
        errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
      },
      ({ ctx, params, body }) => verbs.update(ctx, idOf(params), body as never),
    )
  if (only.has('remove'))
    api.delete(
      `/:${param}`,
      {
        id: `delete${noun}`,
        summary: `Delete ${one}`,
        access: { scopes: can('delete') },
        params,
        returns: Deleted,
        errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
      },
      ({ ctx, params }) => verbs.remove(ctx, idOf(params)),
    )
  if (only.has('history')) history(api, `/:${param}/history`, { entity: name, table, param, scopes: can('read') })
  return verbs
}

const paramsOf = (path: string) => v.object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Id])))

const changeFields = columnsFor(changes, Change)
const changesWith = (keys: Keys) => db.select({ ...changeFields, ...keys }).from(changes)

/** `entity` is what the history calls the record; `name` what the API calls it. `key` is the column of `table` with the id in the path. */
type History = { entity: string; name?: string; table: OwnedTable | PgTable; key?: PgColumn; param: string; scopes: Scope[] }

/** Lists who changed a record, when and how. A deleted record keeps its history; an id without a record or a history is NOT_FOUND. */
export function history(api: Api, path: string, { entity, name = entity, table, key, param, scopes }: History) {
  const id = key ?? (table as OwnedTable).id
  api.get(
    path,
    {
      id: `list${pascal(name)}History`,
      summary: `List ${withArticle(spoken(name))}'s change history`,
      access: { scopes },
      params: paramsOf(path),
      query: v.strictObject(pageQuery),
      returns: listOf(Change),
      errors: ['NOT_FOUND'],
    },
    ({ params, query }) => {
      const record = (params as Record<string, string>)[param] as string
      const where = and(eq(changes.entity, entity), eq(changes.entity_id, record))
      const known = sql`exists (select from ${table} where ${eq(id, record)}) or exists (select from ${changes} where ${where})`
      const result = page({
        select: changesWith,
        id: changes.id,
        where: [where],
        sorts: { id: changes.id },
        name: `history ${record}`,
        query: { ...query, sort: '-id' },
      })
      return plan([sql`select assert_exists(${known}, ${spoken(name)}, ${record}::uuid)`], result)
    },
  )
}
