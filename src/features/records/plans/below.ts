import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type * as v from 'valibot'
import { insertEach, type Reference } from '../../../data/bulk.ts'
import type { Parent } from '../../../data/children.ts'
import type { Statement } from '../../../data/db.ts'
import type { Plan } from '../../../data/plan.ts'
import { assertField } from '../../../data/query.ts'
import { lockForUpdate, type OwnedTable } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { bulkWrite, type Fields, type RowOf } from './bulk.ts'

type Collection<F extends Fields, S extends v.GenericSchema> = {
  parent: Parent
  /** The noun in error messages, such as `bucket`. */
  what: string
  /** The entity name used in the change history. */
  entity: string
  table: OwnedTable
  /** The column that refers to the parent. */
  link: PgColumn
  fields: F
  /** The schema of a record. */
  body: S
  /** Rules for a record `r` (see Reference); `r` has the parent's id. */
  rules: Reference[]
  /** SQL for columns: see insertEach. */
  creating?: Record<string, SQL>
  /** Whether the rows of a parent are ordered: the new ones come after the others, in the order of the call. */
  ordered?: boolean
  /** The most rows of one parent. */
  max?: { rows: number; message: string }
}

/** Creates rows below one record, each of which succeeds or fails for itself. @throws AppError NOT_FOUND without the parent. */
export function createBelow<F extends Fields, S extends v.GenericSchema<unknown, object>>(of: Collection<F, S>) {
  const { parent, what, entity, table, link, fields, rules: references, creating = {}, ordered, max } = of
  const last = sql`(select coalesce(max(o.position) + 1, 0) from ${table} o
    where o.${sql.identifier(link.name)} = r.${sql.identifier(link.name)})`
  const columns = { ...creating, ...(ordered && { position: sql`${last} + r.position` }) }
  return (parentId: string, records: unknown[]): Plan<Bulk<RowOf<F>>> => {
    let position = 0
    const validated = validateEach(of.body, records, (input) => ({
      ...input,
      id: newId(),
      [link.name]: parentId,
      ...(ordered && { position: position++ }),
    }))
    const rows = valuesOf(validated)
    const fits =
      max &&
      assertField(
        sql`(select count(*) + ${rows.length}::int <= ${max.rows}::int from ${table} where ${link} = ${parentId})`,
        'records',
        max.message,
      )
    const { statements, result } = bulkWrite(
      { table, entity, what, fields, references },
      validated,
      fits,
      insertEach(table, rows, references, columns),
    )
    return { statements: [lockParent(parent, parentId), ...statements], result }
  }
}

const lockParent = ({ table, name }: Parent, id: string): Statement => lockForUpdate({ ifMatch: undefined }, table, id, name)
