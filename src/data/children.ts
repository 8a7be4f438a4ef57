import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Ctx } from '../context.ts'
import { newId } from '../lib/ids.ts'
import { db, type Statement } from './db.ts'
import { type Keys, type PageQuery, page } from './page.ts'
import type { Page } from './paged.ts'
import { type Plan, plan, read } from './plan.ts'
import { nextPosition, type Ordered, reorder, shiftPositions } from './position.ts'
import { type Added, addedIf, assertField, compiledSelect, constant, oneOrThrow, type Select, type WithWarnings } from './query.ts'
import { restored } from './restore.ts'
import { assertExists, columnOf, insertRow, lockForUpdate, noteAdded, type OwnedTable, rowExists, updateRows } from './store.ts'

type Guards = (Statement | undefined | false)[]
export type Parent = { table: OwnedTable; name: string }

/**
 * The additions of a write to its columns: guards that run before and after it. `columns` replaces the input where the two differ, and
 * `insert` replaces the statement.
 */
export type Write = { columns?: Record<string, unknown>; insert?: Statement; before?: Guards; after?: Guards }

type Definition<Row, New extends object, Patch extends object> = {
  parent: Parent
  /** The noun in error messages, such as `bucket on this opportunity`. */
  what: string
  table: OwnedTable
  /** The column that refers to the parent. */
  link: PgColumn
  /** The name of the parent's id in responses, if it is not that of `link`. */
  parentKey?: string
  /** The column that identifies a row below its parent; `id` by default. */
  key?: PgColumn
  /** A parent has at most one row with each value of this column. Adding it again updates the fields that are sent. */
  unique?: PgColumn
  /** All rows, without conditions. */
  select: (keys: Keys) => Select<Row>
  sort: 'id' | 'position' | '-created_at'
  filters?: Record<string, PgColumn>
  /** The most rows of one parent. `field` is named by the error. */
  max?: { rows: number; field: string; message: string }
  /** Every change locks the parent, not only those that add a row or change the order. */
  lockParent?: boolean
  /** If-Match of an addition names the parent's version. Without it an addition has no version to compare. */
  matchParent?: boolean
  create?: (input: New, at: { parentId: string; id: string }) => Write
  update?: (patch: Patch, at: { parentId: string; id: string }) => Write
}

/** A deleted row by its id, or an ended link by the ids of both ends. */
type Removed = { id: string; deleted: true } | { [id: string]: string | true; deleted: true }

export type Children<Row, New, Patch> = {
  /** Whether another column than the id names one, so that a removal ends a link. */
  linked: boolean
  list: (parentId: string, query: PageQuery) => Plan<Page<Row>>
  get: (parentId: string, id: string) => Plan<Row>
  create: (ctx: Ctx, parentId: string, input: New) => Plan<Row | Added<Row>>
  update: (ctx: Ctx, parentId: string, id: string, patch: Patch) => Plan<Row>
  remove: (ctx: Ctx, parentId: string, id: string) => Plan<Removed>
  restore: (parentId: string, id: string) => Plan<WithWarnings<Row>>
  /** `field` is the name of the ids in the request. */
  reorder: (ctx: Ctx, parentId: string, ids: string[], field: string) => Plan<Page<Row>>
}

/** The same, with writes that may have to read before they can be planned. */
export type DecidedChildren<Row, New, Patch> = Omit<Children<Row, New, Patch>, 'create' | 'update'> & {
  create: (...call: Parameters<Children<Row, New, Patch>['create']>) => Plan<Row | Added<Row>> | Promise<Plan<Row | Added<Row>>>
  update: (...call: Parameters<Children<Row, New, Patch>['update']>) => Plan<Row> | Promise<Plan<Row>>
}

/** A record is read without the columns that a cursor needs. */
const NO_KEYS = {} as Keys
const MOST_ORDERED = 100

/**
 * The operations on the rows below one record. Each returns a plan and runs nothing. A plan raises NOT_FOUND without the parent or the row,
 * PRECONDITION_FAILED for another version than If-Match names, and VALIDATION_ERROR beyond the maximum or for an incomplete order.
 */
export function childrenOf<Row, New extends object, Patch extends object>(of: Definition<Row, New, Patch>): Children<Row, New, Patch> {
  const { parent, what, table, link, key = table.id, unique, select, sort } = of
  const records = compiledSelect(select(NO_KEYS))
  const at = (parentId: string, id: string, by = key) => and(eq(link, parentId), eq(by, id))
  const record = (parentId: string, id: string, by = key) => oneOrThrow(records.where(at(parentId, id, by)), what)
  const lockParent = (id: string, ifMatch?: number) => lockForUpdate({ ifMatch }, parent.table, id, parent.name)
  const lock = ({ ifMatch }: Ctx, parentId: string, id: string): Statement =>
    sql`select assert_version((select version from ${table} where ${at(parentId, id)} for update), ${ifMatch ?? null}::int, ${what})`
  const ordered = (parentId: string): Ordered | undefined => (sort === 'position' ? { table, parent: link, parentId } : undefined)

  const inOrder = (parentId: string, query: PageQuery) =>
    page({
      select,
      id: table.id,
      where: [eq(link, parentId), ...filtersOf(of.filters, query)],
      sorts: { [sort.replace('-', '')]: columnOf(table, sort.replace('-', '')) as PgColumn },
      name: `${what} ${parentId}`,
      query: { ...query, sort },
    })

  function create(ctx: Ctx, parentId: string, input: New): Plan<Row | Added<Row>> {
    const id = newId()
    const { position, ...values } = input as { position?: number }
    const order = ordered(parentId)
    const { columns = values, insert, before = [], after = [] } = of.create?.(input, { parentId, id }) ?? {}
    const row: Record<string, unknown> = {
      ...columns,
      id,
      [link.name]: parentId,
      ...(order && { position: nextPosition(order, position) }),
    }
    return plan<Row | Added<Row>>(
      [
        lockParent(parentId, of.matchParent ? ctx.ifMatch : undefined),
        of.max && belowMaximum(table, link, parentId, of.max),
        ...before,
        order && position !== undefined && shiftPositions(order, position),
        insert ?? insertRow(table, row, unique && { by: [link, unique] }),
        ...after,
        unique && noteAdded(rowExists(table, id)),
      ],
      unique ? addedIf(record(parentId, String(row[unique.name]), unique), rowExists(table, id)) : record(parentId, id),
    )
  }

  return {
    linked: key !== table.id,
    list: (parentId, query) => plan([assertExists(parent.table, parentId, parent.name)], inOrder(parentId, query)),
    get: (parentId, id) => read(record(parentId, id)),
    create,
    update(ctx, parentId, id, patch) {
      const { columns = patch, before = [], after = [] } = of.update?.(patch, { parentId, id }) ?? {}
      const statements = [of.lockParent && lockParent(parentId), lock(ctx, parentId, id), ...before]
      return plan(
        [...statements, updateRows(table, columns, at(parentId, id), { [key.name]: id, [link.name]: parentId }), ...after],
        record(parentId, id),
      )
    },
    remove: (ctx, parentId, id) =>
      plan(
        [of.lockParent && lockParent(parentId), lock(ctx, parentId, id), db.delete(table).where(at(parentId, id))],
        constant<Removed>(
          key === table.id ? { id, deleted: true } : { [of.parentKey ?? link.name]: parentId, [key.name]: id, deleted: true },
        ),
      ),
    restore(parentId, id) {
      const guards = [lockParent(parentId), of.max && belowMaximum(table, link, parentId, of.max)]
      const { statements, result } = restored({ table, what, above: { link, parentId } }, id, read(record(parentId, id)))
      return plan([...guards, ...statements], result)
    },
    reorder(_ctx, parentId, ids, field) {
      const order = { table, parent: link, parentId }
      const message = `Send every ${what.replace(' on ', ' of ')} exactly once`
      return plan([lockParent(parentId), ...reorder(order, ids, field, message)], inOrder(parentId, { limit: MOST_ORDERED }))
    },
  }
}

const filtersOf = (filters: Record<string, PgColumn> = {}, query: PageQuery): (SQL | undefined)[] =>
  Object.entries(filters).map(([name, column]) => (query[name] === undefined ? undefined : eq(column, query[name])))

const belowMaximum = (
  table: OwnedTable,
  link: PgColumn,
  parentId: string,
  { rows, field, message }: { rows: number; field: string; message: string },
) => assertField(sql`(select count(*) < ${rows} from ${table} where ${link} = ${parentId})`, field, message)
