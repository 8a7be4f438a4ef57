import { sql } from 'drizzle-orm'
import type { Definition, ImportObject } from '../../domain/imports/types.ts'

/** The custom fields of the objects that can be imported. */
export const definitions = sql<
  (Definition & { object: ImportObject })[]
>`(select coalesce(json_agg(json_build_object('object', imported_table(f.object),
  'key', f.field_key, 'label', f.label, 'type', f.type, 'options', f.options) order by f.position, f.id), '[]') from custom_fields f where not f.archived)`.as(
  'definitions',
)
