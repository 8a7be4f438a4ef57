import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { setCause } from '../../../data/cause.ts'
import type { Place, Scanned } from '../../../domain/csv/scan.ts'
import { keyOfImport } from '../../../domain/file-names.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, type Issue, STATUS_OF } from '../../../errors.ts'
import { storeOf } from '../../../http/files.ts'
import { wake } from '../../../wake.ts'
import { type Job, loadJob } from '../plans/job.ts'
import { dependenciesOf, namesOf } from '../plans/line-keys.ts'
import { type Line, readLine } from '../plans/lines.ts'
import { type Batch, begin, refuseLine, writeBatch } from '../plans/write.ts'
import { scanFile } from '../rules/files.ts'

/** Lines and bytes per transaction, and transactions per message, after which another message continues. */
const LINES = 200
const BYTES = 1_000_000
const MAX_BATCHES = 25
/** Changes undone per transaction. */
const UNDO_BATCH = 300

/** The imports that are checked, run or undone. */
export const importRuns: WorkSet = {
  name: 'import.run',
  queue: 'IMPORTS',
  hasItems: true,
  due: [
    {
      table: 'imports',
      due: 'created_at',
      where: `t.state in ('checking', 'running', 'undoing') and exists (select from import_files f
        where f.workspace_id = t.workspace_id and f.import_id = t.id and f.touched_at < now() - interval '1 minute')`,
      item: 'id',
    },
  ],
  run: runImport,
  dead: (env, workspaceId, id) => fail(env, workspaceId, id, 'Processing failed repeatedly: start the import again to resume it'),
}

/**
 * Continues an import from its stored position. Each transaction moves the position and fails if it starts anywhere else, so a duplicate
 * message or a crash neither repeats nor skips a line.
 */
async function runImport(env: Env, workspaceId: string, id: string): Promise<boolean> {
  const job = await loadJob(jobsDatabaseOf(env), workspaceId, id)
  if (!job) return false
  try {
    return await (job.phase === 'undo' ? undoChanges(env, job) : processLines(env, job))
  } catch (error) {
    if (isProcessedElsewhere(error)) return false
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    await fail(env, workspaceId, id, error.message)
    return false
  } finally {
    await wake(env, 'events.deliver', workspaceId)
  }
}

async function fail(env: Env, workspaceId: string, id: string, reason: string): Promise<void> {
  await batch(jobsDatabaseOf(env), [call('fail_import', workspaceId, id, reason)])
}

/** The import was cancelled or deleted, or another delivery of the message is processing it. */
const isProcessedElsewhere = (error: unknown) =>
  error instanceof AppError && (error.details as { import?: string } | undefined)?.import !== undefined
/** The records that the lines refer to changed since they were looked up. */
const isOutdated = (error: unknown) => error instanceof AppError && (error.details as { again?: boolean } | undefined)?.again === true
/** Errors that concern the whole import rather than one line. */
const STOPPING = ['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN']

async function processLines(env: Env, job: Job): Promise<boolean> {
  let done = 0
  for await (const batch of batchesOf(env, job)) {
    await processBatch(env, job, batch)
    done += 1
    if (batch.end) return false
    if (done === MAX_BATCHES) return true
  }
  return false
}

/** Reads the remaining lines in batches. A line that may refer to the record of an earlier line waits for the next batch. */
async function* batchesOf(env: Env, job: Job): AsyncGenerator<Batch> {
  const store = storeOf(env)
  const key = keyOfImport(job.workspace_id, job.id)
  const source = { size: job.file.stored_size, read: (range: { offset: number; length: number }) => store.read(key, range) }
  let from: Place = { byte: job.file.next_byte, line: job.file.next_line }
  let lines: Line[] = []
  const seen = new Set<string>()
  const cut = (end: boolean): Batch => {
    const to = end ? { byte: job.file.stored_size, line: lines.at(-1)?.next.line ?? from.line } : (lines.at(-1)?.next as Place)
    const batch = { lines, from, to, end }
    ;[from, lines] = [to, []]
    seen.clear()
    return batch
  }
  for await (const records of scanFile(source, from, job.file))
    for (const record of records as Scanned[]) {
      const line = readLine(job, record)
      const isFull = lines.length === LINES || (lines.length > 0 && line.next.byte - from.byte > BYTES)
      if (isFull || dependenciesOf(job, line).some((name) => seen.has(name))) yield cut(false)
      for (const name of namesOf(job, line)) seen.add(name)
      lines.push(line)
    }
  yield cut(true)
}

/** Writes a batch. A batch that the database rejects is halved until the rejected line is found, even when the reason is unexpected. */
async function processBatch(env: Env, job: Job, batch: Batch): Promise<void> {
  const { lines } = batch
  try {
    await writeBatch(jobsDatabaseOf(env), job, batch)
  } catch (error) {
    if (isOutdated(error)) return processBatch(env, job, batch)
    if (error instanceof AppError && (STATUS_OF[error.code] >= 500 || STOPPING.includes(error.code) || isProcessedElsewhere(error)))
      throw error
    if (lines.length === 0) throw error
    if (lines.length === 1) return refuseLine(jobsDatabaseOf(env), job, batch, issuesOf(job, lines[0] as Line, error))
    const half = Math.ceil(lines.length / 2)
    const middle = (lines[half - 1] as Line).next
    await processBatch(env, job, { lines: lines.slice(0, half), from: batch.from, to: middle, end: false })
    await processBatch(env, job, { ...batch, lines: lines.slice(half), from: middle })
  }
}

/** The errors to report for a line. Unexpected errors are logged and reported without details. */
function issuesOf({ id }: Job, { line }: Line, error: unknown): Issue[] {
  if (error instanceof AppError)
    return (error.details as { issues?: Issue[] } | undefined)?.issues ?? [{ path: '', message: error.message }]
  console.error(JSON.stringify({ level: 'error', message: 'import', import_id: id, line, error: String(error) }))
  return [{ path: '', message: 'Something went wrong on our side with this line' }]
}

async function undoChanges(env: Env, job: Job): Promise<boolean> {
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [, , more] = await batch(jobsDatabaseOf(env), [begin(job, {}), setCause('undo', job.id), call('undo_import', job.id, UNDO_BATCH)])
    if (!more) return false
  }
  return true
}
