import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import { changes } from '../../schema/index.ts'
import type { Ctx } from '../context.ts'
import type { Reference } from '../data/bulk.ts'
import { call } from '../data/call.ts'
import { db, type Statement } from '../data/db.ts'
import { listFilters, sortKeys } from '../data/lists.ts'
import { type Keys, type PageQuery, page } from '../data/page.ts'
import type { Page } from '../data/paged.ts'
import { type Plan, plan, read } from '../data/plan.ts'
import { runKept, type WithWarnings } from '../data/query.ts'
import type { Relation } from '../data/relations.ts'
import { restoredInBatches } from '../data/restore.ts'
import { columnOf, columnsFor, type OwnedTable, selectFrom, store } from '../data/store.ts'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import type { ErrorCode } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { pascal, spoken, withArticle } from '../lib/nouns.ts'
import { Change, Deleted } from '../schemas/common.ts'
import { Id, pageQuery } from '../schemas/fields.ts'
import { isTimeSort, TIME_SORTS } from '../schemas/search.ts'
import type { Schema } from './endpoint.ts'
import { listQuery } from './lists.ts'
import { created, listOf, one, restoredIn, type Scope, scopes } from './modes.ts'
import { registerRestore, restoreAccess } from './restore.ts'
import type { Api } from './router.ts'

/** Texts and errors that replace those an endpoint gets by default. */
export type Texts = { id?: string; summary?: string; description?: string; errors?: ErrorCode[] }

type Planned<Out> = Plan<Out> | Promise<Plan<Out>>
type Sent<S extends Schema> = v.InferOutput<S> | WithWarnings<v.InferOutput<S>>

/**
 * The endpoints of a resource. Each has only what its pattern cannot know. `plan` is the function of a service, for an endpoint that does
 * more than read or write the columns of one row.
 */
type Verbs<R extends Schema, One extends Schema, New, Patch> = {
  list?: Texts & {
    filters?: v.ObjectEntries
    relations?: Relation[]
    sorts?: string[]
    /** Describes the default sort if it depends on the filters. */
    order?: string
    plan?: (query: Record<string, unknown>) => Plan<Page<v.InferOutput<R>>>
    /** The list in the order of one of TIME_SORTS. */
    byTime?: (query: Record<string, unknown>) => Plan<Page<v.InferOutput<R>>>
  }
  get?: Texts & { plan?: (id: string) => Plan<Sent<One>> }
  create?: Texts & { body: v.GenericSchema<unknown, New>; plan?: (ctx: Ctx, input: New) => Planned<Sent<One>> }
  update?: Texts & { body: v.GenericSchema<unknown, Patch>; plan?: (ctx: Ctx, id: string, patch: Patch) => Planned<Sent<One>> }
  remove?: Texts & { action?: 'write' | 'delete'; plan?: (ctx: Ctx, id: string) => Plan<v.InferOutput<typeof Deleted>> }
  /** Registered with `remove`, and for a resource that is deleted elsewhere with this. `guards` are asserted of the restored record. */
  restore?: Texts & { admin?: true; guards?: (id: string) => Statement[] }
  history?: true
}

type Resource<R extends Schema, One extends Schema, New, Patch> = Verbs<R, One, New, Patch> & {
  /** The singular noun, such as `product`. The path parameter is `:product_id` by default. */
  name: string
  /** The plural noun, such as `products`; also the default resource of the scopes. */
  plural: string
  /** The name of its kind in events and the history, if that is not `name`. */
  entity?: string
  param?: string
  scope?: string
  table: OwnedTable
  /** The fields of a record in a list: each is a column or one of `computed`. */
  returns: R & { entries: v.ObjectEntries }
  /** The fields of a single record, if it has more. */
  record?: One
  computed?: Record<string, SQL | SQL.Aliased>
  /** The rules that fields with a value must satisfy. */
  references?: Reference[]
  /** The object of the custom fields whose values are in `metadata`. */
  metadata?: FieldObject
  /** A statement that comes before those that read `computed`. */
  before?: (ctx: Ctx) => Promise<Statement>
  /** Only keys whose owner is a client_admin may list these records and read their history. */
  admin?: boolean
}

/** Registers the list, get, create, update, delete and history endpoints of a table, as far as they are configured. */
export function resource<R extends Schema, New extends object, Patch extends object, One extends Schema = R>(
  to: Api,
  config: Resource<R, One, New, Patch>,
): void {
  const { name, plural, table, returns, computed, list, get, create, update, remove, restore } = config
  const { param = `${name}_id` } = config
  const api = to.from('resource')
  const record = one((config.record ?? returns) as One)
  const columns = columnsFor(table, returns, computed)
  const verbs = store<Sent<One>>(table, spoken(name), selectFrom(table, columns), config)
  const params = v.object({ [param]: Id })
  const idOf = (params: Record<string, string>) => params[param] as string
  const can = (action: 'read' | 'write' | 'delete') => scopes(`${config.scope ?? plural}:${action}`)
  const [noun, single] = [pascal(name), withArticle(spoken(name))]
  const prepared = preparedBy(config)

  if (list) registerList(to, config, columns, list)
  if (get) {
    const { plan = verbs.get, ...texts } = get
    const own = !get.plan && !config.record && !computed
    const words = { id: `get${noun}`, summary: `Get ${single}`, errors: ['NOT_FOUND' as const], ...texts }
    api.get(`/:${param}`, { ...words, access: can('read'), params, returns: one(record.schema, own, list?.relations) }, ({ ctx, params }) =>
      prepared(ctx, plan(idOf(params))),
    )
  }
  if (create) {
    const { plan = (_ctx: Ctx, input: New) => verbs.create(newId(), input), body, ...texts } = create
    const words = { id: `create${noun}`, summary: `Create ${single}`, errors: ['CONFLICT' as const], ...texts }
    api.post('', { ...words, access: can('write'), body, returns: created(record.schema) }, ({ ctx, body }) =>
      prepared(ctx, plan(ctx, body)),
    )
  }
  if (update) {
    const { plan = (ctx: Ctx, id: string, patch: Patch) => verbs.update(ctx, id, patch), body, ...texts } = update
    const words = { id: `update${noun}`, summary: `Update ${single}`, errors: CHANGE_ERRORS, ...texts }
    const definition = { ...words, access: can('write'), params, body, returns: record }
    api.patch(`/:${param}`, definition, ({ ctx, params, body }) => prepared(ctx, plan(ctx, idOf(params), body)))
  }
  if (remove) {
    const { plan = verbs.remove, action = 'delete', errors = [], ...texts } = remove
    const words = { id: `delete${noun}`, summary: `Delete ${single}`, errors: [...new Set([...CHANGE_ERRORS, ...errors])], ...texts }
    api.delete(`/:${param}`, { ...words, access: can(action), params, returns: Deleted }, ({ ctx, params }) => plan(ctx, idOf(params)))
  }
  if (remove || restore) {
    const { guards = () => [], admin = config.admin, ...texts } = restore ?? {}
    registerRestore(api, {
      id: `restore${noun}`,
      summary: `Restore ${single} that was deleted`,
      ...texts,
      path: `/:${param}`,
      params: [param],
      access: { ...restoreAccess(can('write'), can(remove?.action ?? 'delete')), ...(admin && { admin }) },
      returns: restoredIn(record.schema),
      plan: (params) => {
        const id = idOf(params)
        return restoredInBatches<Sent<One>>({ table, what: spoken(name) }, id, (get?.plan ?? verbs.get)(id), guards(id))
      },
    })
  }
  if (config.history)
    history(to, `/:${param}/history`, {
      entity: config.entity ?? name,
      name,
      table,
      param,
      scopes: can('read').scopes,
      admin: config.admin,
    })
}

/** Puts the statement of `before` first. */
const preparedBy =
  ({ before }: { before?: ((ctx: Ctx) => Promise<Statement>) | undefined }) =>
  <Out>(ctx: Ctx, planned: Planned<Out>): Planned<Out> =>
    before ? withFirst(before(ctx), planned) : planned

async function withFirst<Out>(first: Promise<Statement>, planned: Planned<Out>): Promise<Plan<Out>> {
  const [statement, { statements, ...rest }] = await Promise.all([first, planned])
  return { ...rest, statements: [statement, ...statements] }
}

const CHANGE_ERRORS: ErrorCode[] = ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED']

function registerList<R extends Schema, One extends Schema, New, Patch>(
  to: Api,
  { name, entity = name, plural, table, returns, scope = plural, admin, before }: Resource<R, One, New, Patch>,
  columns: Record<string, unknown>,
  {
    filters = {},
    relations,
    sorts = ['created_at', 'updated_at'],
    order,
    plan,
    byTime,
    ...texts
  }: NonNullable<Verbs<R, One, New, Patch>['list']>,
): void {
  const many = plural.replaceAll('-', '_')
  const select = (keys: Keys) => selectFrom<v.InferOutput<R>>(table, { ...columns, ...keys })
  const keys = plan ? {} : sortKeys(table, sorts)
  const rows = (query: Record<string, unknown>) =>
    page({
      select,
      id: table.id,
      ...listFilters(table, filters, query),
      sorts: keys,
      archived: columnOf(table, 'archived'),
      isTable: true,
      name: plural,
      query: query as PageQuery,
    })
  const planOf = (query: Record<string, unknown>) => {
    if (byTime && isTimeSort(String(query.sort).replace('-', ''))) return byTime(query)
    return plan ? plan(query) : read(rows(query))
  }
  const definition = {
    id: `list${pascal(many)}`,
    summary: `List ${spoken(many)}`,
    ...texts,
    access: { ...scopes(`${scope}:read`), ...(admin && { admin: true }) },
    query: listQuery(table, filters, [...sorts, ...(byTime ? Object.keys(TIME_SORTS) : [])], order),
    returns: listOf(returns as R, { table, entity }, relations),
  }
  to.from('resource').get('', definition, ({ ctx, query }) => preparedBy({ before })(ctx, planOf(query)))
}

const paramsOf = (path: string) => v.object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Id])))

const changeFields = columnsFor(changes, Change)
const changesWith = (keys: Keys) => db.select({ ...changeFields, ...keys }).from(changes)

/** `entity` is the kind of record in `changes`; `name` its name in the API. `key` is the column of `table` with the id in the path. */
type History = {
  entity: string
  name?: string
  table: OwnedTable | PgTable
  key?: PgColumn
  param: string
  scopes: Scope[]
  admin?: boolean | undefined
  /** Asserts further rights that depend on the record. */
  guard?: (id: string) => Statement
  /** Asserts that the record belongs to the one before it in the path. */
  within?: (params: Record<string, string>) => Statement
}

/**
 * Registers the endpoint that lists the changes of a record, including a deleted one: who changed what, and when. An id without a record or
 * a history is NOT_FOUND.
 */
export function history(api: Api, path: string, { entity, name = entity, table, key, param, scopes, admin, guard, within }: History): void {
  const id = key ?? (table as OwnedTable).id
  api.from('resource').get(
    path,
    {
      id: `list${pascal(name)}History`,
      summary: `List ${withArticle(spoken(name))}'s change history`,
      access: { scopes, ...(admin && { admin }) },
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
      const exists = sql`select ${runKept(call('assert_exists', known, spoken(name), record))}`
      return plan([guard?.(record), within?.(params as Record<string, string>), exists], result)
    },
  )
}
