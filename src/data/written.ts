import { type SQL, sql } from 'drizzle-orm'
import { columnNames, type Field, writtenColumns } from './rows.ts'

/**
 * A read's answer as the text that the database writes: the Worker passes it on and parses nothing of it. The text is a line
 * that `body` reads (what the answer's headers or the next cursor need), and then the data.
 */
export type Written = { query: SQL; body: (line: string, data: string) => WrittenBody }

/** A response body as it is sent. */
export class WrittenBody {
  readonly text: string
  readonly version: number | undefined

  constructor(text: string, version?: number) {
    this.text = text
    this.version = version
  }
}

export function bodyOf({ body }: Written, text: string): WrittenBody {
  const end = text.indexOf('\n')
  return body(text.slice(0, end), text.slice(end + 1))
}

const shapes = new WeakMap<Field[], { columns: SQL; written: SQL | undefined }>()

/** The columns of a select's rows, and how each is written; worked out once a list of fields. */
function shapeOf(fields: Field[], hidden: number) {
  const known = shapes.get(fields)
  if (known) return known
  const written = writtenColumns(fields)
  const made = { columns: sql.raw(columnNames(fields.length + hidden)), written: written === undefined ? undefined : sql.raw(written) }
  shapes.set(fields, made)
  return made
}

/** One record, behind a line with its version. No record makes no text, or what `missing` makes. */
export function writtenRecord(query: SQL, fields: Field[], missing?: SQL): Written | undefined {
  const { columns, written } = shapeOf(fields, 0)
  if (!written) return undefined
  const at = fields.findIndex(({ path }) => path[0] === 'version')
  const line = at < 0 ? sql`''` : sql.raw(`c${at}::text`)
  const record = sql`(select ${line} || E'\n' || row_to_json(a) from (${query}) as q(${columns}), lateral (select ${written}) a)`
  return {
    query: missing ? sql`coalesce(${record}, ${missing})` : record,
    body: (version, data) => new WrittenBody(`{"data":${data}}`, version === '' ? undefined : Number(version)),
  }
}

/** The first `limit` rows, behind a line with the last one's two hidden columns when there are more. */
export function writtenPage(query: SQL, fields: Field[], limit: number, next: (key: string, id: string) => string): Written | undefined {
  const { columns, written } = shapeOf(fields, 2)
  if (!written) return undefined
  const [key, id] = [sql.raw(`c${fields.length}`), sql.raw(`c${fields.length + 1}`)]
  return {
    query: sql`(select case when cardinality(texts) > ${limit}::int then json_build_array(keys[${limit}::int], ids[${limit}::int])::text else '' end || E'\n['
      || coalesce(array_to_string(texts[:${limit}::int], ','), '') || ']'
      from (select array_agg(row_to_json(a)::text) as texts, array_agg(${key}) as keys, array_agg(${id}) as ids from (${query}) as q(${columns}), lateral (select ${written}) a) page)`,
    body: (line, data) => {
      const [key, id] = line === '' ? [] : (JSON.parse(line) as unknown[])
      const cursor = line === '' ? null : next(String(key), String(id))
      return new WrittenBody(`{"data":${data},"page":${JSON.stringify({ limit, next: cursor })}}`)
    },
  }
}
