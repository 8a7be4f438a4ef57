import { eq, sql } from 'drizzle-orm'
import { importFiles, type imports } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { Streamed } from '../../../data/streamed.ts'
import { TextPages } from '../../../data/text-page.ts'
import { csvRecord } from '../../../domain/csv/write.ts'
import { dispositionOf } from '../../../domain/file-names.ts'
import { newId } from '../../../lib/ids.ts'
import { sleep } from '../../../lib/sleep.ts'
import { nextDelay } from '../rules/pace.ts'
import { ACTIVE_STATES } from '../rules/states.ts'
import { record, rowsOf } from './records.ts'

/** The most event streams that a key can have open, and the seconds after which the slot of a lost connection is freed. */
const MAX_STREAMS = 3
const LEASE_SECONDS = 60
/** The longest that a stream stays open, in milliseconds; the client then reconnects. */
const MAX_MS = 600_000

/** Exports the failed lines of an import with their errors, to be corrected and imported again, to those who may read such records. */
export function failedLines(ctx: Ctx, id: string) {
  const rows = (limit: number, after?: string) => rowsOf(id, { limit, after, status: 'failed' })
  const pages = new TextPages(rows, (column) => sql.raw(`failed_line(${column('line')}, ${column('errors')}, ${column('values')})`))
  const columns = sql<{ name: string }[]>`${importFiles.columns}`.as('columns')
  const first = sql<string>`${pages.first()}`.as('first')
  const start = db.select({ columns, first }).from(importFiles).where(eq(importFiles.import_id, id))
  const result = mapResult(oneOrThrow(start, 'import'), ({ columns, first }) => {
    const names = columns.map(({ name }) => name)
    return new Streamed(
      'text/csv; charset=utf-8',
      async function* () {
        yield `\uFEFF${csvRecord(['import_line', 'import_error', ...names])}`
        yield* pages.texts(ctx, first)
      },
      { 'Content-Disposition': dispositionOf('failed-lines.csv') },
    )
  })
  return plan([call('assert_import_scopes', id, '{read}')], result)
}

type Followed = { id: string; state: (typeof imports.$inferSelect)['state']; progress: unknown; reason: string | null }

/** Streams an import's progress as server-sent events until it stops. A key can have MAX_STREAMS open at a time. */
export function followImport(ctx: Ctx, id: string) {
  const stream = newId()
  const isActive = sql`exists (select from imports
    where id = ${id} and state in (${sql.raw(ACTIVE_STATES.map((state) => `'${state}'`).join(', '))}))`
  const leaseStream = sql`select case
    when ${isActive} then open_stream(${stream}::uuid, ${MAX_STREAMS}::int, ${LEASE_SECONDS}::int)::text end`
  const result = mapResult(record(id), (now) => new Streamed('text/event-stream', () => follow(ctx, now, stream)))
  return plan([leaseStream], result)
}

async function* follow(ctx: Ctx, now: Followed, stream: string): AsyncGenerator<string> {
  const isOpen = ACTIVE_STATES.includes(now.state)
  try {
    yield eventOf(now)
    let last = now
    let [delay, hasChanged, leased] = [undefined as number | undefined, false, 0]
    for (let passed = 0; ACTIVE_STATES.includes(last.state) && passed < MAX_MS; ) {
      delay = nextDelay(delay, hasChanged)
      await sleep(delay)
      passed += delay
      if (passed - leased > (LEASE_SECONDS * 1000) / 2) {
        if (!(await ctx.readText(sql`renew_stream(${stream}::uuid, ${LEASE_SECONDS}::int)`))) return
        leased = passed
      }
      const next: Followed = await ctx.read(record(now.id))
      hasChanged = JSON.stringify(next.progress) !== JSON.stringify(last.progress) || next.state !== last.state
      yield hasChanged ? eventOf(next) : ': nothing new\n\n'
      last = next
    }
  } finally {
    // If this fails, the slot is freed when the lease expires.
    if (isOpen) await ctx.readText(sql`close_stream(${stream}::uuid)::text`).catch(() => {})
  }
}

const eventOf = ({ id, state, progress, reason }: Followed) =>
  `event: progress\ndata: ${JSON.stringify({ id, state, reason, progress })}\n\n`
