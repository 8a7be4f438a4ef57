import type { FieldType } from '../../../domain/filters/custom-types.ts'
import type { ZoneOffsets } from '../../../domain/zone-offsets.ts'
import { formatOf } from './export-rows.ts'

/** The value of a column: an SQL expression, its type in the catalogue, and that of a custom field, whose value is JSON. */
export type Value = { sql: string; type: string; custom?: FieldType | undefined }
/** SQL that writes a value as a part of a row. */
type CellFormat = (value: Value) => string
/** SQL that writes a row. It may refer to the texts of the row, joined once, as `tested.texts`. */
export type RowFormat = (values: Value[]) => { texts?: string | undefined; line: string }
const TEXTS = 'tested.texts'
/** SQL for a join that makes the texts of a row once, although several tests read them. */
export const textsJoin = (texts: string): string => `cross join lateral (select ${texts} as texts offset 0) tested\n`

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

const csvCell: CellFormat = (value) =>
  value.custom ? `csv_cell(export_json(${value.sql}))` : formatOf(STORED[value.type] ?? 'text').cell(expressionOf(value))

const jsonCell: CellFormat = (value) => {
  const written = value.custom ? `js_json(${value.sql})` : formatOf(STORED[value.type] ?? 'text').json(expressionOf(value))
  return `coalesce(${written}, 'null')`
}

const escaped = (sql: string) => `replace(replace(replace(${sql}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`
const SERIAL_DAYS = `between '1900-03-01' and '9999-12-31'`
/** Times of which a workbook has a number in every zone: those of SERIAL_DAYS without the first and the last day. */
const SERIAL_TIMES = 'between -2203804800 and 253402214399'

function xlsxTime(sql: string): string {
  const at = `date_part('epoch', ${sql})`
  const serial = `((${at} + (select seconds from zone)[width_bucket(${at}, (select starts from zone))]) / 86400 + 25569)::text`
  return `case when ${sql} is null then '<c/>' when ${at} ${SERIAL_TIMES} then '<c s="2"><v>' || ${serial} || '</v></c>'
    else '<c t="str"><v>' || to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '</v></c>' end`
}

const XLSX: Record<string, (value: string) => string> = {
  text: (sql) => `coalesce('<c t="str"><v>' || ${escaped(sql)} || '</v></c>', '<c/>')`,
  id: (sql) => `coalesce('<c t="str"><v>' || ${sql}::text || '</v></c>', '<c/>')`,
  number: (sql) => `coalesce('<c><v>' || ${sql}::text || '</v></c>', '<c/>')`,
  boolean: (sql) => `case ${sql} when true then '<c t="b"><v>1</v></c>' when false then '<c t="b"><v>0</v></c>' else '<c/>' end`,
  date: (sql) => `case when ${sql} ${SERIAL_DAYS} then '<c s="1"><v>' || (${sql} - '1899-12-30'::date) || '</v></c>'
    else coalesce('<c t="str"><v>' || to_char(${sql}, 'YYYY-MM-DD') || '</v></c>', '<c/>') end`,
  instant: xlsxTime,
  list: (sql) => `xlsx_text(export_list(${sql}::text[]))`,
  json: (sql) => `xlsx_text(export_json(${sql}))`,
}
const xlsxCell: CellFormat = ({ sql, type, custom }) =>
  custom ? `xlsx_custom(${sql}, '${custom}')` : (XLSX[type] ?? (XLSX.text as (value: string) => string))(sql)

const isText = ({ type, custom }: Value) => !custom && !(type in STORED && type !== 'text')
/** The texts of a row as one, so that one test finds whether any of them needs more than most do. `mark` stands on both sides of each. */
function allTexts(values: Value[], mark: string): string | undefined {
  const texts = values.filter(isText).map(({ sql }) => sql)
  if (texts.length === 0) return undefined
  const groups = inGroups(texts).map((group) => `concat_ws(${mark}, '', ${group.join(', ')}, '')`)
  return groups.length === 1 ? groups[0] : concatenated(groups)
}
const withTexts = (values: Value[], ofText: (sql: string) => string, format: CellFormat) =>
  values.map((value) => (isText(value) ? ofText(value.sql) : format(value)))

/** Whether a text may need more than its escapes; `>` is the mark. `is_odd_text` then tests each of them. */
const ODD_TEXTS = String.raw`'[\x01-\x1f\ufffe\uffff]|>[ \u00a0\u3000]|[ \u00a0\u3000]>|_x[0-9A-Fa-f]{4}_'`
const xlsxLine = (cells: string[]) => concatenated([`'<row>'`, ...cells, `'</row>'`])

/** A row of a workbook. */
export const xlsxRow: RowFormat = (values) => {
  const usual = xlsxLine(values.map(xlsxCell))
  const texts = allTexts(values, `'>'`)
  if (!texts) return { line: usual }
  const careful = xlsxLine(withTexts(values, (sql) => `xlsx_text(${sql})`, xlsxCell))
  return {
    texts,
    line: `case when octet_length(${TEXTS}) > 32767 or ${TEXTS} collate "C" ~ ${ODD_TEXTS} then ${careful} else ${usual} end`,
  }
}

/** Whether a text may be a formula or begin or end with white space; U+001E is the mark. `is_odd_cell` then tests each of them. */
const WHITE = String.raw`[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]`
const ODD_CELLS = String.raw`'\x1e''*[=+\-@\uFF0B\uFF0D\uFF1D\uFF20]|[\t\r\n]|\x1e${WHITE}|${WHITE}\x1e'`
const quoted = (sql: string) =>
  `case when strpos(${sql}, '"') > 0 or strpos(${sql}, ',') > 0 or strpos(${sql}, ';') > 0 then '"' || replace(${sql}, '"', '""') || '"'
    else ${sql} end`

/** A line of a CSV file. The only cell of a line is never nothing, because readers leave empty lines out. */
export const csvRow: RowFormat = (values) => {
  const lineOf = (cells: string[]) => {
    const [only] = cells
    const parts =
      cells.length === 1 ? [`coalesce(nullif(${only}, ''), '""')`] : cells.flatMap((cell, at) => (at === 0 ? [cell] : [`','`, cell]))
    return concatenated([...parts, `E'\\r\\n'`])
  }
  const texts = allTexts(values, `E'\\x1e'`)
  const careful = lineOf(values.map(csvCell))
  if (!texts) return { line: careful }
  const [withQuotes, plain] = [quoted, (sql: string) => sql].map((ofText) => lineOf(withTexts(values, ofText, csvCell)))
  const line = `case when ${TEXTS} collate "C" ~ ${ODD_CELLS} then ${careful}
    when ${TEXTS} collate "C" ~ '[",;]' then ${withQuotes} else ${plain} end`
  return { texts, line }
}

/** A list of the values as JSON. */
export const jsonRow: RowFormat = (values) => ({
  line: concatenated([`'['`, ...values.map(jsonCell).flatMap((cell, at) => (at === 0 ? [cell] : [`','`, cell])), `']'`]),
})

/** The offsets of a zone, as a query to which the cells of times refer. */
export const zoneQuery = ({ from, seconds }: ZoneOffsets): string =>
  `zone as materialized (select '{${from.join(',')}}'::float8[] as starts, '{${seconds.join(',')}}'::float8[] as seconds)`

/** The most arguments of a function in PostgreSQL is 100. */
const MOST_ARGUMENTS = 90

/** SQL that joins any number of parts to a text; parts that are null count as empty. */
export function concatenated(parts: string[]): string {
  if (parts.length <= MOST_ARGUMENTS) return `concat(${parts.join(', ')})`
  return concatenated(inGroups(parts).map(concatenated))
}

const inGroups = (parts: string[]) =>
  Array.from({ length: Math.ceil(parts.length / MOST_ARGUMENTS) }, (_, n) => parts.slice(n * MOST_ARGUMENTS, (n + 1) * MOST_ARGUMENTS))
