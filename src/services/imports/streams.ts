import { eq, sql } from 'drizzle-orm'
import { importFiles, type imports } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { type Answer, asJson, map, one, shaped } from '../../data/answer.ts'
import { db } from '../../data/db.ts'
import type { Page } from '../../data/page.ts'
import { Streamed } from '../../data/streamed.ts'
import { read } from '../../data/work.ts'
import { csvRecord, defused } from '../../domain/csv/write.ts'
import { ACTIVE_STATES } from '../../domain/imports/types.ts'
import { sleep } from '../../lib/sleep.ts'
import { record, rowsOf } from './records.ts'

const AT_ONCE = 1000
/** A look at the progress, in milliseconds. */
const EVERY = 1000
/** Whoever follows for longer connects anew. */
const LOOKS = 600

type Rows = Page<{ line: number; errors: { field: string | null; column: string | null; message: string }[]; values: string[] | null }>

/** The failed lines of an import, with what is wrong, to be mended and imported again. */
export function failedLines(ctx: Ctx, id: string) {
  const rows = (after?: string) => rowsOf(id, { limit: AT_ONCE, after, status: 'failed' }) as unknown as Answer<Rows>
  const first = rows()
  const columns = sql<{ name: string }[]>`${importFiles.columns}`.as('columns')
  const found = sql<unknown[][]>`${asJson(first)}`.as('found')
  const start = db.select({ columns, found }).from(importFiles).where(eq(importFiles.import_id, id))
  const answer = map(one(start, 'import'), ({ columns, found }) => {
    const names = columns.map(({ name }) => name)
    return new Streamed(
      'text/csv; charset=utf-8',
      async function* () {
        yield `\uFEFF${csvRecord(['import_line', 'import_error', ...names])}`
        let page = shaped(first, found)
        for (;;) {
          if (page.items.length > 0) yield page.items.map(written).join('')
          if (page.next === null) return
          page = await ctx.read(rows(page.next))
        }
      },
      { 'Content-Disposition': 'attachment; filename="failed-lines.csv"' },
    )
  })
  return read(answer)
}

const written = ({ line, errors, values }: Rows['items'][number]) =>
  csvRecord(
    [
      String(line),
      errors.map(({ column, field, message }) => [column ?? field, message].filter(Boolean).join(': ')).join('; '),
      ...(values ?? []),
    ],
    defused,
  )

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
