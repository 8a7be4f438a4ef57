import { Column, is, noopDecoder } from 'drizzle-orm'

type Decoder = { mapFromDriverValue(value: never): unknown }
/** A column of a select: where its value goes in the row, and what has to be done with it on the way. */
export type Field = {
  path: string[]
  /** Null where JSON has it right already. */
  read: ((value: never) => unknown) | null
  /** The SQL that writes it as it stands in answers, given its column's name; null where only `read` can. */
  toJson: ((column: string) => string) | null
}

/** The columns of a select. Drizzle keeps them in a private place. */
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

/** Of our own column types, those whose JSON is what answers have; instants are written in full. */
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

/** Rows as the database sends them, an array of JSON values each, become objects under the select's own names. */
export function decodeRows(fields: Field[], found: unknown[][]): Record<string, unknown>[] {
  return found.map((values) => {
    const row: Record<string, unknown> = {}
    for (let i = 0; i < fields.length; i++) {
      const { path, read } = fields[i] as Field
      const value = values[i] ?? null
      const decoded = read === null || value === null ? value : read(value as never)
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

/** Columns `c0, c1, …`, as a select's rows are read again under. */
export const columnNames = (count: number): string => Array.from({ length: count }, (_, i) => `c${i}`).join(', ')

/** The fields out of those columns, written as they stand in answers; undefined where one cannot be. */
export function jsonColumns(fields: Field[]): string | undefined {
  if (fields.some(({ toJson }) => toJson === null)) return undefined
  return fields.map(({ path, toJson }, i) => `${toJson?.(`c${i}`)} as "${path[0]}"`).join(', ')
}
