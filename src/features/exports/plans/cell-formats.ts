import type { FieldType } from '../../../domain/filters/custom-types.ts'
import type { ZoneOffsets } from '../../../domain/zone-offsets.ts'
import { formatOf } from './export-rows.ts'

/** The value of a column: an SQL expression, its type in the catalogue, and that of a custom field, whose value is JSON. */
export type Value = { sql: string; type: string; custom?: FieldType | undefined }
/** SQL that writes a value as a part of a row. */
export type CellFormat = (value: Value) => string

/** The types in PostgreSQL by which the formats of CSV and JSON are found. */
const STORED: Record<string, string> = {
  number: 'numeric',
  boolean: 'boolean',
  id: 'uuid',
  date: 'date',
  instant: 'timestamp',
  list: 'text[]',
  json: 'jsonb',
  text: 'text',
}
const expressionOf = ({ sql, type }: Value) => (type === 'list' ? `${sql}::text[]` : sql)

export const csvCell: CellFormat = (value) =>
  value.custom ? `csv_cell(export_json(${value.sql}))` : formatOf(STORED[value.type] ?? 'text').cell(expressionOf(value))

export const jsonCell: CellFormat = (value) => {
  const written = value.custom ? `js_json(${value.sql})` : formatOf(STORED[value.type] ?? 'text').json(expressionOf(value))
  return `coalesce(${written}, 'null')`
}

const text = (sql: string) =>
  `case when ${sql} is null then '<c/>' when is_odd_text(${sql}) then xlsx_odd(${sql}) else '<c t="str"><v>' || ${sql} || '</v></c>' end`
const XLSX: Record<string, (value: string) => string> = {
  text,
  id: (sql) => `coalesce('<c t="str"><v>' || ${sql}::text || '</v></c>', '<c/>')`,
  number: (sql) => `coalesce('<c><v>' || ${sql}::text || '</v></c>', '<c/>')`,
  boolean: (sql) => `coalesce('<c t="b"><v>' || ${sql}::int::text || '</v></c>', '<c/>')`,
  date: (sql) => `xlsx_day(${sql})`,
  instant: (sql) => `xlsx_time(extract(epoch from ${sql})::float8, zone.starts, zone.seconds)`,
  list: (sql) => `xlsx_text(export_list(${sql}::text[]))`,
  json: (sql) => `xlsx_text(export_json(${sql}))`,
}

export const xlsxCell: CellFormat = ({ sql, type, custom }) => {
  if (custom) return `xlsx_custom(${sql}, '${custom}')`
  return (XLSX[type] ?? text)(sql)
}

/** The offsets of a zone as a row that cells of times refer to. */
export const zoneRow = ({ from, seconds }: ZoneOffsets): string =>
  `(select '{${from.join(',')}}'::float8[] as starts, '{${seconds.join(',')}}'::float8[] as seconds offset 0) zone`

/** The most arguments of a function in PostgreSQL is 100. */
const MOST_ARGUMENTS = 90

/** SQL that joins any number of parts to a text; parts that are null count as empty. */
export function concatenated(parts: string[]): string {
  if (parts.length <= MOST_ARGUMENTS) return `concat(${parts.join(', ')})`
  const groups = Array.from({ length: Math.ceil(parts.length / MOST_ARGUMENTS) }, (_, n) =>
    concatenated(parts.slice(n * MOST_ARGUMENTS, (n + 1) * MOST_ARGUMENTS)),
  )
  return concatenated(groups)
}
