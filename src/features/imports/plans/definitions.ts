import { sql } from 'drizzle-orm'
import { type Definition, IMPORTED, type ImportObject } from '../rules/types.ts'

/** A custom field, and the table of the records that have it. */
export type OwnDefinition = Definition & { table: string }

/** The custom fields of the objects that can be imported. */
export const definitions = sql<OwnDefinition[]>`(select coalesce(json_agg(json_build_object('table', imported_table(f.object),
  'key', f.field_key, 'label', f.label, 'type', f.type, 'options', f.options) order by f.position, f.id), '[]') from custom_fields f
    where not f.archived)`.as('definitions')

/** The time zone of the workspace. */
export const zone = sql<string>`(select w.timezone from workspaces w where w.id = current_workspace())`.as('zone')

/** Those of an object. */
export const definitionsOf = (object: ImportObject, all: OwnDefinition[]): Definition[] =>
  all.filter(({ table }) => table === IMPORTED[object].table)
