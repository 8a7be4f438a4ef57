import { eq, getTableName, type InferInsertModel, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Ctx } from '../context.ts'
import { db, type Statement } from './db.ts'
import { type Plan, plan, read } from './plan.ts'
import { compiledSelect, constant, oneOrThrow, type Select } from './query.ts'

export type OwnedTable = PgTable & Record<'id' | 'workspace_id' | 'created_at' | 'version', PgColumn>
export type Columns<T extends PgTable> = T['_']['columns']
type Insert<T extends PgTable> = Partial<InferInsertModel<T>>

/** The columns of a select: those of the table that the schema names, and the computed ones. */
// biome-ignore lint/complexity/noBannedTypes: without computed columns
export function columnsFor<T extends PgTable, E extends Record<string, unknown>, X extends Record<string, SQL | SQL.Aliased> = {}>(
  table: T,
  shape: { entries: E },
  computed?: X,
): Pick<Columns<T>, Extract<keyof E, Exclude<keyof Columns<T>, keyof X>>> & X {
  const named = Object.keys(shape.entries).map((name) => {
    const field = computed?.[name] ?? (table as unknown as Record<string, PgColumn>)[name]
    if (!field) throw new Error(`${getTableName(table)} has no ${name}`)
    return [name, field]
  })
  return Object.fromEntries(named)
}

/** Locks the record for this transaction and asserts that it exists and has the version named by If-Match. */
export function lockForUpdate(ctx: Ctx, table: OwnedTable, id: string, what: string): Statement {
  return sql`select assert_record((select version from ${table} where ${table.id} = ${id} for update), ${ctx.ifMatch ?? null}::int, ${what}, ${id}::uuid)`
}

/** Locks many records in order of id, so that two bulk calls cannot deadlock. */
export function lockAllForUpdate(table: OwnedTable, ids: string[]): Statement {
  return sql`select count(*) from (select from ${table} where ${table.id} = any(${`{${ids.join(',')}}`}::uuid[]) order by ${table.id} for update) locked`
}

/** Raises NOT_FOUND unless the record exists; for lists below a record. */
export const assertExists = (table: OwnedTable, id: string, what: string): Statement =>
  sql`select assert_exists(exists (select from ${table} where ${table.id} = ${id}), ${what}, ${id}::uuid)`

/** The new value of metadata in updateEach: entries that were sent are set, and null removes one. */
export const mergedMetadata = (table: PgTable): SQL => {
  const stored = sql`${table}.metadata`
  return sql`case when p.patch ? 'metadata' then (${stored} || r.metadata) - array(select k from jsonb_each(r.metadata) e(k, v) where v = 'null') else ${stored} end`
}

/** The basic operations on one table. Each returns a plan and runs nothing. */
export function store<T extends OwnedTable, Row>(table: T, what: string, select: Select<unknown>) {
  const records = compiledSelect(select as Select<Row>)
  const record = (id: string) => oneOrThrow(records.where(eq(table.id, id)), what, id)
  return {
    record,
    get: (id: string): Plan<Row> => read(record(id)),
    create: (id: string, values: Insert<T>): Plan<Row> => plan([db.insert(table).values({ ...values, id } as never)], record(id)),
    update: (ctx: Ctx, id: string, patch: Insert<T>): Plan<Row> =>
      plan(
        [
          lockForUpdate(ctx, table, id, what),
          Object.keys(patch).length > 0 &&
            db
              .update(table)
              .set(patch as never)
              .where(eq(table.id, id)),
        ],
        record(id),
      ),
    remove: (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
      plan([lockForUpdate(ctx, table, id, what), db.delete(table).where(eq(table.id, id))], constant({ id, deleted: true as const })),
  }
}
