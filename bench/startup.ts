import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../dev/settings.ts'
import { runWorker } from './stack.ts'

/**
 * Measures the CPU that starting the Worker takes, and the first request of an isolate, which loads a part of the code. Both are the CPU of
 * a new workerd process less that of one with an empty Worker. `--against <folder>` measures another checkout of the project too. The
 * Workers take turns, so that other load affects all of them, and the medians are compared.
 */

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, against: { type: 'string', multiple: true, default: [] } },
})
const ROUNDS = Number(values.rounds)
/** Refused without a database or a rate limiter, after the endpoints of its area were loaded. */
const REQUEST = { path: '/v1/contacts', method: 'PUT', status: 405 }
const EMPTY = "export default { fetch: () => new Response('', { status: 405 }) }\n"

/** Milliseconds of CPU of a process. The kernel counts these in nanoseconds, by thread; /proc/<pid>/stat only in hundredths of a second. */
function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
  return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6
}

/** Milliseconds of CPU that a new process has used when its Worker is ready, and that its first request takes. */
async function measure(entry: string, dir: string): Promise<{ start: number; request: number }> {
  const vars = { DATABASE_URL: 'postgres://app:app@db.local/none', DATABASE_JOBS_URL: 'postgres://jobs:jobs@db.local/none' }
  const worker = await runWorker(entry, { dir, vars })
  try {
    const start = cpuOf(worker.pid)
    const response = await fetch(new URL(REQUEST.path, worker.url), { method: REQUEST.method })
    await response.text()
    if (response.status !== REQUEST.status) throw new Error(`${entry}: ${REQUEST.path} returned ${response.status}, not ${REQUEST.status}`)
    return { start, request: cpuOf(worker.pid) - start }
  } finally {
    await worker.stop()
  }
}

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

const dir = mkdtempSync(join(tmpdir(), 'workspace-crm-startup-'))
try {
  const empty = join(dir, 'empty.ts')
  writeFileSync(empty, EMPTY)
  const entries = [empty, ...[root, ...values.against.map((folder) => resolve(folder))].map((folder) => join(folder, 'src/worker.ts'))]
  const results = entries.map(() => ({ start: [] as number[], request: [] as number[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, entry] of entries.entries()) {
      const { start, request } = await measure(entry, dir)
      results[index]?.start.push(start)
      results[index]?.request.push(request)
    }
  const [base, ...workers] = results.map(({ start, request }) => ({ start: median(start), request: median(request) }))
  console.log(
    `CPU in milliseconds, median of ${ROUNDS}, less that of an empty Worker (start ${base!.start.toFixed(1)}, first request ` +
      `${base!.request.toFixed(1)})\n`,
  )
  for (const [index, { start, request }] of workers.entries())
    console.log(`${entries[index + 1]}  start ${(start - base!.start).toFixed(1)}  first request ${(request - base!.request).toFixed(1)}`)
} finally {
  rmSync(dir, { recursive: true, force: true })
}
