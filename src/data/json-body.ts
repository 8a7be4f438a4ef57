import { type SQL, sql } from 'drizzle-orm'
import type { About } from './reading.ts'
import { type Relation, relatedColumns } from './relations.ts'
import { columnNames, type Field, jsonColumns } from './rows.ts'

/**
 * A query that returns the response body as JSON text, so that the Worker forwards it without parsing. The text is a line for `body`
 * (what the headers or the next cursor need), followed by the data. `isRecord`: nothing but the query depends on which record it is.
 */
export type JsonQuery = { query: SQL; body: (line: string, data: string) => RawJsonBody; isRecord?: true }

/** A response body that is already JSON text. */
export class RawJsonBody {
  readonly text: string
  readonly version: number | undefined

  constructor(text: string, version?: number) {
    this.text = text
    this.version = version
  }
}

export function bodyOf({ body }: JsonQuery, text: string): RawJsonBody {
  const end = text.indexOf('\n')
  return body(text.slice(0, end), text.slice(end + 1))
}

const columnsByFields = new WeakMap<Field[], { columns: SQL; json: SQL | undefined }>()

/** The columns of a select and how each is written, computed once per list of fields. */
function columnsOf(fields: Field[], hidden: number) {
  const cached = columnsByFields.get(fields)
  if (cached) return cached
  const json = jsonColumns(fields)
  const computed = { columns: sql.raw(columnNames(fields.length + hidden)), json: json === undefined ? undefined : sql.raw(json) }
  columnsByFields.set(fields, computed)
  return computed
}

/** What is sent of a record: its fields with these names, or all, and what relates to it. */
export type Parts = { names?: string[] | undefined; relations?: Relation[] | undefined }

/** One record, after a line with its version. Without a record there is no text, or the result of `missing`. */
export function jsonRecord(query: SQL, fields: Field[], missing?: SQL, { names, relations = [] }: Parts = {}): JsonQuery | undefined {
  const { columns, json: all } = columnsOf(fields, 0)
  if (!all) return undefined
  // A related record takes the place of what the record says about it.
  const own = (names ?? fields.map(({ path }) => path[0] ?? '')).filter((name) => !relations.some((relation) => relation.name === name))
  const json = sql.join(
    [names || relations.length > 0 ? sql.raw(jsonColumns(fields, own) ?? '') : all, ...relatedColumns(fields, relations)],
    sql`, `,
  )
  const at = fields.findIndex(({ path }) => path[0] === 'version')
  const line = at < 0 ? sql`''` : sql.raw(`c${at}::text`)
  const record = sql`(select ${line} || E'\n' || row_to_json(a) from (${query}) as q(${columns}), lateral (select ${json}) a)`
  return {
    query: missing ? sql`coalesce(${record}, ${missing})` : record,
    body: (version, data) => new RawJsonBody(`{"data":${data}}`, version === '' ? undefined : Number(version)),
    isRecord: true,
  }
}

type PageOf = Parts & {
  query: SQL
  fields: Field[]
  limit: number
  /** A JSON object that is read with the page. */
  about?: SQL | undefined
}
type Line = [key: unknown, id: unknown, about: About | null]

/**
 * The first `limit` rows, after a line with the two hidden columns of the last one when there are more, and with `about`. `rest` makes of
 * them what the response says about the page.
 */
export function jsonPage(
  { query, fields, limit, names, relations = [], about }: PageOf,
  rest: (about: About, key?: unknown, id?: unknown) => object,
) {
  const { columns, json: all } = columnsOf(fields, 2)
  if (!all) return undefined
  const own = names ? sql.raw(jsonColumns(fields, names) ?? '') : all
  const json = sql.join([own, ...relatedColumns(fields, relations)], sql`, `)
  const [key, id] = [sql.raw(`c${fields.length}`), sql.raw(`c${fields.length + 1}`)]
  const facts = about ?? sql`null`
  const last = sql`case
    when cardinality(texts) > ${limit}::int then json_build_array(keys[${limit}::int], ids[${limit}::int], ${facts})::text
    else ${about ? sql`json_build_array(null, null, ${facts})::text` : sql`''`} end`
  return {
    query: sql`(select ${last} || E'\n['
      || coalesce(array_to_string(texts[:${limit}::int], ','), '') || ']'
      from (select array_agg(row_to_json(a)::text) as texts, array_agg(${key}) as keys, array_agg(${id}) as ids
        from (${query}) as q(${columns}), lateral (select ${json}) a) page)`,
    body: (line: string, data: string) => {
      const [key, id, about] = line === '' ? [null, null, null] : (JSON.parse(line) as Line)
      const page = { limit, ...(key === null ? rest(about ?? {}) : rest(about ?? {}, key, id)) }
      return new RawJsonBody(`{"data":${data},"page":${JSON.stringify(page)}}`)
    },
  }
}
