import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { FieldObject } from '../domain/filters/custom-types.ts'
import { withoutNulls } from '../lib/objects.ts'
import { call } from './call.ts'
import type { Statement } from './db.ts'

/** A row with metadata, as it was sent. */
type WithMetadata = { metadata?: unknown }

/** A new row without the keys of metadata that were sent as null. */
export function newRow<Row extends object>(row: Row): Row {
  const { metadata } = row as WithMetadata
  if (typeof metadata !== 'object' || metadata === null) return row
  return { ...row, metadata: withoutNulls(metadata as Record<string, unknown>) }
}

/** The new value of an object in updateEach: entries that were sent are set, and null removes one. */
export const mergedObject = (table: PgTable, column: string): SQL => {
  const [stored, sent] = [sql`${table}.${sql.identifier(column)}`, sql`r.${sql.identifier(column)}`]
  return sql`case when p.patch ? ${sql.raw(`'${column}'`)} then (${stored} || ${sent}) - array(select k from jsonb_each(${sent}) e(k, v)
    where v = 'null') else ${stored} end`
}
export const mergedMetadata = (table: PgTable): SQL => mergedObject(table, 'metadata')

/** What updateEach needs for a patch with metadata; nothing for one without. */
export const merging = (table: PgTable, patch: WithMetadata): Record<string, SQL> =>
  patch.metadata === undefined ? {} : { metadata: mergedMetadata(table) }

/** Rejects an update that clears a required custom field, whether or not the record has a value. A trigger enforces the other rules. */
export function clearable(object: FieldObject, { metadata }: WithMetadata): Statement | undefined {
  const cleared = Object.entries(metadata ?? {}).filter(([, value]) => value === null)
  return cleared.length === 0 ? undefined : call('check_required_fields', object, JSON.stringify(Object.fromEntries(cleared)))
}
