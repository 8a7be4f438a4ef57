import { Column } from 'drizzle-orm'

type Decoder = { mapFromDriverValue(value: never): unknown }
/** A column of a select: where its value goes in the row, and how it is read (null where JSON has it right already). */
export type Field = { path: string[]; read: ((value: never) => unknown) | null }

/** The columns of a select. Drizzle keeps them in a private place. */
export function fieldsOf(select: object): Field[] {
  const own = (select as { fields?: Field[] }).fields
  return Array.isArray(own) ? own : flatten((select as { config: { fields: Record<string, unknown> } }).config.fields)
}

function flatten(fields: Record<string, unknown>, path: string[] = []): Field[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name]
    const decoder = decoderOf(field)
    return decoder ? [{ path: here, read: readerOf(decoder) }] : flatten(field as Record<string, unknown>, here)
  })
}

function decoderOf(field: unknown): Decoder | undefined {
  const { mapFromDriverValue, sql, decoder } = field as Partial<Decoder> & { sql?: { decoder?: Decoder }; decoder?: Decoder }
  return mapFromDriverValue ? (field as Decoder) : (sql?.decoder ?? decoder)
}

const NOTHING = [Column.prototype.mapFromDriverValue]

function readerOf(decoder: Decoder): Field['read'] {
  if (NOTHING.includes(decoder.mapFromDriverValue as never)) return null
  return (value) => decoder.mapFromDriverValue(value)
}

/** Rows as the database sends them, an array of JSON values each, become objects under the select's own names. */
export function decode(fields: Field[], found: unknown[][]): Record<string, unknown>[] {
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
