import type pg from 'pg'
import type { NeonQuery, NeonRequest } from './neon-sql.ts'

/** A statement that has ended, after these milliseconds of its batch; `rows` is null for one that failed. */
export type TracedStatement = { query: string; milliseconds: number; rows: number | null }

/** What a request of the Worker did in the database. `blocks` counts those of tables and indexes, also within functions and triggers. */
export type SqlTrace = { request: string; statements: TracedStatement[]; blocks: number }

/** The blocks that this session has read so far; statistics of a session are written when it is asked to. */
export async function readBlocks(client: pg.ClientBase): Promise<number> {
  await client.query('select pg_stat_force_next_flush()')
  const { rows } = await client.query(
    `select sum(coalesce(hits, 0) + coalesce(reads, 0))::int as blocks from pg_stat_get_backend_io(pg_backend_pid())
      where object = 'relation'`,
  )
  return rows[0].blocks ?? 0
}

/** What the batch is for: the id of the request of the API, or the statement that background work begins with. */
export function nameOf(body: NeonRequest): string {
  const [first] = 'queries' in body ? body.queries : [body]
  const id = /"request_id": ?"([0-9a-f-]{36})"/.exec(String((first as NeonQuery).params?.[0] ?? ''))?.[1]
  return id ?? 'background'
}

/** The select whose plan `run_kept` keeps, with its values; any other statement as it is. */
export function selectOf(statement: NeonQuery): NeonQuery & { isKept: boolean } {
  const places = /\brun_kept\(\$(\d+), \$(\d+)::jsonb\)/.exec(statement.query)
  const [select, values] = (places?.slice(1) ?? []).map((place) => String(statement.params?.[Number(place) - 1]))
  return values ? { query: select as string, params: JSON.parse(values), isKept: true } : { ...statement, isKept: false }
}

/** The longest part of a statement that is printed. */
const SHOWN = 160

/** One line for the batch and one for each statement: milliseconds, rows, text. */
export function formatTrace({ request, statements, blocks }: SqlTrace): string {
  const total = statements.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const lines = statements.map(({ query, milliseconds, rows }) => {
    const text = query.replace(/\s+/g, ' ').trim()
    const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
    return `  ${milliseconds.toFixed(1).padStart(7)} ms ${String(rows ?? 'failed').padStart(6)} rows  ${shown}`
  })
  return [`sql ${request}: ${statements.length} statements, ${total.toFixed(1)} ms, ${blocks} blocks`, ...lines].join('\n')
}
