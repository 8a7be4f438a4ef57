import { Column, is, noopDecoder } from 'drizzle-orm'

type Decoder = { mapFromDriverValue(value: unknown): unknown }
/** A column of a select: its path in the row, and how its value is decoded. */
export type Field = {
  path: string[]
  /** Null when the JSON value is used unchanged. */
  read: ((value: unknown) => unknown) | null
  /** The SQL that writes the value as responses show it, given its column's name; null when only `read` can. */
  toJson: ((column: string) => string) | null
}

/** The columns of a select, which drizzle stores in a private property. */
export function fieldsOf(select: object): Field[] {
  const own = (select as { fields?: Field[] }).fields
  return Array.isArray(own) ? own : flatten((select as { config: { fields: Record<string, unknown> } }).config.fields)
}

function flatten(fields: Record<string, unknown>, path: string[] = []): Field[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name]
    const decoder = decoderOf(field)
    if (!decoder) return flatten(field as Record<string, unknown>, here)
    return [{ path: here, read: readerOf(decoder), toJson: here.length > 1 ? null : jsonWriterOf(decoder) }]
  })
}

function decoderOf(field: unknown): Decoder | undefined {
  const { mapFromDriverValue, sql, decoder } = field as Partial<Decoder> & { sql?: { decoder?: Decoder }; decoder?: Decoder }
  return mapFromDriverValue ? (field as Decoder) : (sql?.decoder ?? decoder)
}

const asIs = ({ mapFromDriverValue }: Decoder) =>
  mapFromDriverValue === Column.prototype.mapFromDriverValue ||
  mapFromDriverValue === noopDecoder.mapFromDriverValue ||
  (mapFromDriverValue as unknown) === Number

function readerOf(decoder: Decoder): Field['read'] {
  return asIs(decoder) ? null : (value) => decoder.mapFromDriverValue(value)
}

/** The custom column types that SQL can write as responses show them. Timestamps need formatting. */
const WRITES: [RegExp, NonNullable<Field['toJson']>][] = [
  [/^timestamp/, (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`],
  [/^(date|numeric|text)/, (column) => column],
]

function jsonWriterOf(decoder: Decoder): Field['toJson'] {
  if (!is(decoder, Column)) return asIs(decoder) ? (column) => column : null
  const { columnType } = decoder as Column
  if (columnType !== 'PgCustomColumn') return (column) => column
  return WRITES.find(([type]) => type.test((decoder as Column).getSQLType()))?.[1] ?? null
}

/** Decodes rows, each an array of JSON values, into objects under the select's names. */
export function decodeRows(fields: Field[], rows: unknown[][]): Record<string, unknown>[] {
  return rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < fields.length; i++) {
      const { path, read } = fields[i] as Field
      const value = values[i] ?? null
      const decoded = read === null || value === null ? value : read(value)
      if (path.length === 1) row[path[0] as string] = decoded
      else put(row, path, decoded)
    }
    return row
  })
}

function put(row: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) row[name] = value
  else {
    row[name] ??= {}
    put(row[name] as Record<string, unknown>, rest, value)
  }
}

/** The aliases `c0, c1, …` under which an outer select reads the rows. */
export const columnNames = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join(', ')

/** The fields from these columns, as responses show them: all or the named ones; undefined when SQL cannot write one of them. */
export function jsonColumns(fields: Field[], names?: string[]): string | undefined {
  if (fields.some(({ toJson }) => toJson === null)) return undefined
  const written = fields.map(({ path, toJson }, i) =>
    names && !names.includes(path[0] ?? '') ? [] : [`${toJson?.(`c${i}`)} as "${path[0]}"`],
  )
  return written.flat().join(', ')
}

export const only = (names: string[] | undefined, row: unknown): unknown =>
  names ? Object.fromEntries(Object.entries(row as object).filter(([name]) => names.includes(name))) : row
