import type { PgColumn } from 'drizzle-orm/pg-core'
import type { RootName } from '../../../domain/filters/types.ts'
import type { FieldTypes } from '../rules/column-paths.ts'
import { ROOT_FIELDS } from './export-roots.ts'
import { typeIn } from './export-rows.ts'

const TYPES: [RegExp, string][] = [
  [/\[\]$/, 'list'],
  [/^(integer|numeric)/, 'number'],
  [/^boolean/, 'boolean'],
  [/^uuid/, 'id'],
  [/^date/, 'date'],
  [/^timestamp/, 'instant'],
  [/^(objects|jsonb)/, 'json'],
]
/** The type of a value in the catalogue, by its type in PostgreSQL. */
export const typeOf = (type: string) => TYPES.find(([form]) => form.test(type))?.[1] ?? 'text'

/** Values that are computed for each record are no columns of others. */
const isColumn = (field: unknown) => typeof (field as Partial<PgColumn>).getSQLType === 'function'

/** The types of the fields of an object, by their names; custom fields are apart. */
const typesIn = (object: RootName, isOffered: (field: unknown) => boolean) => {
  const columnType = typeIn(ROOT_FIELDS[object])
  const offered = Object.entries(ROOT_FIELDS[object]).filter(([name, field]) => name !== 'metadata' && isOffered(field))
  return Object.fromEntries(offered.map(([name]) => [name, typeOf(columnType(name))]))
}

/** The fields that a path from this root can end with. */
export const fieldTypes =
  (root: RootName): FieldTypes =>
  (object) =>
    typesIn(object, (field) => object === root || isColumn(field))
