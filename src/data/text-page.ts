import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../context.ts'
import type { Page } from './paged.ts'
import type { Query } from './query.ts'
import { columnNames } from './rows.ts'

/** A page whose rows PostgreSQL has written as one text, and the cursor of the next page. */
export type TextPage = { rows: number; next: string | null; text: string }

/** SQL for the text of a row, in terms of the columns of the page's select. */
export type RowText = (column: (name: string) => string) => SQL

/** Joins with a page, which is called `page`. */
export type Joins = {
  /** The queries that they refer to, as parts of a `with`. What is joined is sorted with each row, so that large constants belong here. */
  queries?: SQL | undefined
  /** SQL in terms of the same columns. The joins add no row and leave none out. */
  of: RowText
}

/** The most rows and bytes in one result. This bounds the Worker's memory, together with the page that is being sent. */
const MAX_ROWS = 5_000
export const MAX_BYTES = 1_500_000
/** The size of the first page, before the length of rows is known. */
const FIRST_ROWS = 1_000
const MIN_ROWS = 50

type Lines = {
  /** The `with` that the lines need. */
  head: SQL
  /** The rows of a page with their numbers and their texts, and without joins their keys. */
  lines: SQL
  /** With joins the keys of the row of a number, which costs less than those of each row. */
  keysOf?: (n: SQL) => SQL
}

/** The rows of a page as text. */
export function linesOf({ query, fields, hidden = 0 }: Query<Page<unknown>>, row: RowText, joins?: Joins): Lines {
  const names = sql.raw(columnNames(fields.length + hidden))
  const keys = sql.raw(Array.from({ length: hidden }, (_, n) => `c${fields.length + n}`).join(', '))
  const columnOf = (name: string) => {
    const at = fields.findIndex(({ path }) => path[0] === name)
    if (at < 0) throw new Error(`The select has no column ${name}`)
    return `c${at}`
  }
  const numbered = sql`select row_number() over () as n`
  const rows = sql`from (${query.getSQL()}) as q(${names})`
  if (!joins) return { head: sql``, lines: sql`${numbered}, json_build_array(${keys}) as keys, ${row(columnOf)} as line ${rows}` }
  const ofPage = (name: string) => `page.${columnOf(name)}`
  return {
    head: sql`with ${joins.queries ? sql`${joins.queries}, ` : sql``}page as materialized (${numbered}, q.* ${rows}) `,
    lines: sql`select page.n, ${row(ofPage)} as line from page ${joins.of(ofPage)}`,
    keysOf: (n) => sql`(select json_build_array(${keys}) from page where page.n = ${n})`,
  }
}

/**
 * A select of one text: a line with the number of rows and, when there are more, the last row's keys; then the rows. It ends after
 * `limit` rows or MAX_BYTES.
 */
function textPage(page: Query<Page<unknown>>, row: RowText, limit: number, joins?: Joins): SQL {
  const { head, lines, keysOf } = linesOf(page, row, joins)
  const last = keysOf ? sql`null` : sql`(array_agg(keys order by n) filter (where fits))[count(*) filter (where fits)]`
  const next = keysOf?.(sql`fitting`) ?? sql`last`
  return sql`(${head}select json_build_array(fitting, case when not whole then ${next} end)::text || E'\n' || written
    from (select count(*) filter (where fits) as fitting, bool_and(fits) as whole, ${last} as last,
      coalesce(string_agg(line, '' order by n) filter (where fits), '') as written
      from (select *, n <= ${limit}::int
        and (n = 1 or sum(octet_length(line)) over (order by n rows unbounded preceding) <= ${MAX_BYTES}::int) as fits
        from (${lines}) lines) bounded) page_text)`
}

function readTextPage({ cursor }: Query<Page<unknown>>, written: string): TextPage {
  const end = written.indexOf('\n')
  const [rows, keys] = JSON.parse(written.slice(0, end)) as [number, unknown[] | null]
  return { rows, next: keys && (cursor?.(keys) ?? null), text: written.slice(end + 1) }
}

/** The rows of a list as text, page by page. `pageOf` builds a page of the given size after a cursor. */
export class TextPages {
  readonly #pageOf: (size: number, after?: string) => Query<Page<unknown>>
  readonly #row: RowText
  readonly #limit: number
  readonly #joins: Joins | undefined

  constructor(
    pageOf: (size: number, after?: string) => Query<Page<unknown>>,
    row: RowText,
    limit = Number.POSITIVE_INFINITY,
    joins?: Joins,
  ) {
    this.#pageOf = pageOf
    this.#row = row
    this.#limit = limit
    this.#joins = joins
  }

  /** The first page, as a select of one text. */
  first(): SQL {
    return this.#select(Math.min(FIRST_ROWS, this.#limit))
  }

  #select(size: number, after?: string): SQL {
    return textPage(this.#pageOf(size, after), this.#row, size, this.#joins)
  }

  /** Yields the text of each page. The next page is requested while one is being sent. */
  async *texts(ctx: Ctx, first: string): AsyncGenerator<string> {
    const read = (written: string) => readTextPage(this.#pageOf(1), written)
    let left = this.#limit
    for (let page = read(first); ; ) {
      left -= page.rows
      const next = page.next !== null && left > 0 ? ctx.readText(this.#select(Math.min(rowsAfter(page), left), page.next)) : undefined
      // The reader may stop before this is awaited.
      next?.catch(() => {})
      yield page.text
      if (!next) return
      page = read(await next)
    }
  }
}

/** The number of rows for the next page, estimated from the length of the previous rows. */
function rowsAfter({ rows, text }: TextPage): number {
  const fitting = Math.floor((rows * MAX_BYTES) / Math.max(text.length, 1))
  return Math.max(MIN_ROWS, Math.min(MAX_ROWS, fitting))
}
