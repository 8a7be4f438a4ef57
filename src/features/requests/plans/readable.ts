import { type SQL, sql } from 'drizzle-orm'

/** The value for a caller who may read this kind of record (see readable_entities in authority.sql), otherwise the substitute. */
export const unlessReadable = (entity: SQL, value: SQL, substitute: SQL): SQL =>
  sql`case when ${entity} = any((select readable_entities())::text[]) then ${value} else ${substitute} end`

/** The fields of a change: without their values for a caller who may not read this kind of record. */
export const readableFields = (entity: SQL, fields: SQL): SQL => unlessReadable(entity, fields, sql`omit_values(${fields})`)
