import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { RowText } from '../../../data/text-page.ts'
import { csvRecord } from '../../../domain/csv/write.ts'
import { CUSTOM } from '../../imports/rules/kinds.ts'
import { IMPORTED } from '../../imports/rules/types.ts'
import type { Exported } from '../schemas/exports.ts'

/**
 * The columns of an export. Without `fields` these are the default columns, then the workspace's custom fields, then the two timestamps.
 */
export type Columns = { before: string[]; custom: string[] | undefined; after: string[] }

export type Writer = {
  /** The text before the first row, written once the custom fields are known. */
  head: (columns: string[]) => string
  row: (object: Exported, columns: Columns, typeOf: (name: string) => string) => RowText
}

/** SQL that writes a value of a PostgreSQL type into a CSV cell and into JSON, given its column. Null means an empty cell, or null. */
type CellFormat = { cell: (c: string) => string; json: (c: string) => string }
const text: CellFormat = { cell: (c) => cellOf(c), json: (c) => `to_json(${c})::text` }
const plain: CellFormat = { cell: (c) => `${c}::text`, json: (c) => `${c}::text` }
const quoted = (written: (c: string) => string): CellFormat => ({ cell: written, json: (c) => `'"' || ${written(c)} || '"'` })

const FORMATS: [RegExp, CellFormat][] = [
  [/^text\[\]/, { cell: (c) => cellOf(`export_list(${c})`), json: (c) => `js_json(to_jsonb(${c}))` }],
  [/^text/, text],
  [/^(boolean|integer)/, plain],
  [/^numeric/, { cell: (c) => `js_number(${c})`, json: (c) => `js_number(${c})` }],
  [/^uuid\[\]/, { cell: (c) => cellOf(`export_list(${c}::text[])`), json: (c) => `js_json(to_jsonb(${c}))` }],
  [/^uuid/, quoted((c) => `${c}::text`)],
  [/^date/, quoted((c) => `to_char(${c}, 'YYYY-MM-DD')`)],
  [/^timestamp/, quoted((c) => `to_char(${c}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)],
  // A list of objects that have more than a name.
  [/^objects/, { cell: (c) => cellOf(`js_json(${c})`), json: (c) => `js_json(${c})` }],
  [/^jsonb/, { cell: (c) => cellOf(`export_json(${c})`), json: (c) => `js_json(${c})` }],
]

const cellOf = (value: string) => `case when is_odd_cell(${value}) then csv_cell(${value}) else ${value} end`

export function formatOf(type: string): CellFormat {
  const entry = FORMATS.find(([form]) => form.test(type))
  if (!entry) throw new Error(`No export writes the type ${type}`)
  return entry[1]
}

/** The types of the computed columns that are not text. */
const COMPUTED: Record<string, string> = {
  weighted_value: 'numeric',
  days_in_stage: 'integer',
  is_rotting: 'boolean',
  line_items: 'objects',
}

/** The type of a column. */
export const typeIn = (fields: Record<string, unknown>) => (name: string) =>
  (fields[name] as Partial<PgColumn> | undefined)?.getSQLType?.() ?? COMPUTED[name] ?? 'text'

const metadata = (column: (name: string) => string, key: SQL) => sql`${sql.raw(column('metadata'))} -> ${key}`
const jsonCell = (value: SQL) => sql`coalesce(csv_cell(export_json(${value})), '')`
const jsonText = (value: SQL) => sql`coalesce(js_json(${value}), 'null')`

/** The keys of the workspace's custom fields, in display order. */
export const customKeys = (object: Exported): SQL =>
  sql`select f.field_key from custom_fields f where f.object = ${IMPORTED[object].entity} and not f.archived order by f.position, f.id`

/** The values of all custom fields, each after a comma, for the first page, when only the database knows the keys. */
const allCustom = (object: Exported, part: (key: SQL) => SQL) =>
  sql`(select coalesce(string_agg(',' || ${part(sql`k.key`)}, '' order by k.n), '')
    from unnest(array(${customKeys(object)})) with ordinality k(key, n))`

/** One SQL expression for a row: its parts, separated by commas. */
function joinParts(object: Exported, { before, custom, after }: Columns, part: (name: string) => SQL, ofKey: (key: SQL) => SQL): SQL {
  const named = (names: string[]) => names.map(part)
  if (custom) return sql.join(named([...before, ...custom.map((key) => CUSTOM + key), ...after]), sql` || ',' || `)
  return sql`${sql.join(named(before), sql` || ',' || `)} || ${allCustom(object, ofKey)} || ','
    || ${sql.join(named(after), sql` || ',' || `)}`
}

const keyIn = (name: string): SQL => sql`${name.slice(CUSTOM.length)}::text`

export const csvWriter = (bom: boolean): Writer => ({
  head: (columns) => (bom ? '\uFEFF' : '') + csvRecord(columns),
  row: (object, columns, typeOf) => (column) => {
    const ofKey = (key: SQL) => jsonCell(metadata(column, key))
    const part = (name: string) =>
      name.startsWith(CUSTOM) ? ofKey(keyIn(name)) : sql.raw(`coalesce(${formatOf(typeOf(name)).cell(column(name))}, '')`)
    return sql`${joinParts(object, columns, part, ofKey)} || E'\\r\\n'`
  },
})

export const jsonWriter = (): Writer => ({
  head: () => '',
  row:
    (object, { before, custom, after }, typeOf) =>
    (column) => {
      const ofKey = (key: SQL) => sql`to_json(${CUSTOM}::text || ${key})::text || ':' || ${jsonText(metadata(column, key))}`
      const part = (name: string) =>
        name.startsWith(CUSTOM)
          ? ofKey(keyIn(name))
          : sql`${JSON.stringify(name)}::text || ':' || ${sql.raw(`coalesce(${formatOf(typeOf(name)).json(column(name))}, 'null')`)}`
      return sql`'{' || ${joinParts(object, { before: [...new Set(before)], custom, after }, part, ofKey)} || E'}\\n'`
    },
})
