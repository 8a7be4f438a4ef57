import { eq, sql } from 'drizzle-orm'
import { importFiles, type imports } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { type Answer, map, one } from '../../data/answer.ts'
import { db } from '../../data/db.ts'
import type { Page } from '../../data/page.ts'
import { Streamed } from '../../data/streamed.ts'
import { TextPages } from '../../data/text-page.ts'
import { read } from '../../data/work.ts'
import { csvRecord } from '../../domain/csv/write.ts'
import { ACTIVE_STATES } from '../../domain/imports/types.ts'
import { sleep } from '../../lib/sleep.ts'
import { record, rowsOf } from './records.ts'

/** A look at the progress, in milliseconds. */
const EVERY = 1000
/** Whoever follows for longer connects anew. */
const LOOKS = 600

/** The failed lines of an import, with what is wrong, to be mended and imported again. */
export function failedLines(ctx: Ctx, id: string) {
  const rows = (limit: number, after?: string) => rowsOf(id, { limit, after, status: 'failed' }) as unknown as Answer<Page<unknown>>
  const pages = new TextPages(rows, (column) => sql.raw(`failed_line(${column('line')}, ${column('errors')}, ${column('values')})`))
  const columns = sql<{ name: string }[]>`${importFiles.columns}`.as('columns')
  const first = sql<string>`${pages.first()}`.as('first')
  const start = db.select({ columns, first }).from(importFiles).where(eq(importFiles.import_id, id))
  const answer = map(one(start, 'import'), ({ columns, first }) => {
    const names = columns.map(({ name }) => name)
    return new Streamed(
      'text/csv; charset=utf-8',
      async function* () {
        yield `\uFEFF${csvRecord(['import_line', 'import_error', ...names])}`
        yield* pages.texts(ctx, first)
      },
      { 'Content-Disposition': 'attachment; filename="failed-lines.csv"' },
    )
  })
  return read(answer)
}

type Followed = { id: string; state: (typeof imports.$inferSelect)['state']; progress: unknown; reason: string | null }

/** The progress of an import as server-sent events, until nothing is under way. */
export function followImport(ctx: Ctx, id: string) {
  const answer = map(record(id) as unknown as Answer<Followed>, (now) => {
    return new Streamed('text/event-stream', async function* () {
      yield eventOf(now)
      for (let looks = 0, last = now; ACTIVE_STATES.includes(last.state) && looks < LOOKS; looks++) {
        await sleep(EVERY)
        const next = (await ctx.read(record(id))) as unknown as Followed
        yield JSON.stringify(next.progress) === JSON.stringify(last.progress) && next.state === last.state
          ? ': nothing new\n\n'
          : eventOf(next)
        last = next
      }
    })
  })
  return read(answer)
}

const eventOf = ({ id, state, progress, reason }: Followed) =>
  `event: progress\ndata: ${JSON.stringify({ id, state, reason, progress })}\n\n`
