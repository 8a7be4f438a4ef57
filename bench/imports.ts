import { parseArgs } from 'node:util'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { root } from '../dev/settings.ts'
import { createWorkspace } from '../dev/workspace.ts'
import { dirtyCsv } from './dirty-csv.ts'
import { runWorker, startStack } from './stack.ts'

/**
 * Measures the import of a large dirty file, from its upload to the last record, and its undo: the time of each step, and the CPU of the
 * Worker.
 */

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' }, 'no-undo': { type: 'boolean', default: false } } })
const ROWS = Number(values.rows)

const stack = await startStack()
const { workerOptions } = unstable_getMiniflareWorkerOptions(unstable_readConfig({ config: `${root}/wrangler.toml` }))
const { queueProducers, queueConsumers, r2Buckets } = JSON.parse(JSON.stringify(workerOptions))
const worker = await runWorker(
  'bench/bench-worker.ts',
  { ...stack, vars: { ...stack.vars, FILE_SECRET: 'only-a-measurement-signs-with-this-one' } },
  { queueProducers, queueConsumers, r2Buckets },
)
try {
  const made = await createWorkspace(stack.owner, { name: 'Imports', ownerEmail: 'owner@example.com', ownerName: 'Owner' })
  const call = async (method: string, path: string, body?: string | Uint8Array, type = 'application/json') => {
    const headers = { authorization: `Bearer ${made.key}`, ...(body && { 'content-type': type }) }
    const response = await fetch(new URL(`/v1${path}`, worker.url), { method, headers, ...(body && { body: body as never }) })
    const answer = (await response.json()) as {
      data: Record<string, never> & { id: string; state: string; progress: Record<string, number>; reason: string }
    }
    if (!response.ok) throw new Error(JSON.stringify(answer))
    return answer.data
  }
  await call('POST', '/companies', JSON.stringify({ name: 'Acme' }))
  const { text, lines } = dirtyCsv(ROWS)
  const bytes = new TextEncoder().encode(text)
  console.log(`${ROWS} records, ${(bytes.length / 1e6).toFixed(1)} MB`)

  const timed = async <Out>(name: string, work: () => Promise<Out>): Promise<Out> => {
    const [begun, cpu] = [performance.now(), worker.cpu()]
    const result = await work()
    const seconds = (performance.now() - begun) / 1000
    console.log(
      `${name.padEnd(8)} ${seconds.toFixed(1)} s (${Math.round(ROWS / seconds)} lines/s), CPU of the Worker ` +
        `${((worker.cpu() - cpu) / 1000).toFixed(1)} s`,
    )
    return result
  }
  const ended = async (id: string) => {
    for (;;) {
      const found = await call('GET', `/imports/${id}`)
      if (!['checking', 'running', 'undoing'].includes(found.state)) return found
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  const { id } = await timed('upload', () => call('POST', '/imports', bytes, 'text/csv'))
  await call('PATCH', `/imports/${id}`, JSON.stringify({ mode: 'upsert', match_by: 'external_id' }))
  const act = (action: string) =>
    timed(action, async () => {
      await call('POST', `/imports/${id}/${action}`)
      return ended(id)
    })
  const exportAll = async () => {
    const response = await fetch(new URL('/v1/contacts/export', worker.url), { headers: { authorization: `Bearer ${made.key}` } })
    let size = 0
    for await (const piece of response.body as ReadableStream<Uint8Array>) size += piece.length
    return size
  }
  for (const action of ['check', 'start', ...(values['no-undo'] ? [] : ['undo'])]) {
    if (action === 'undo') console.log(`  ${((await timed('export', exportAll)) / 1e6).toFixed(1)} MB`)
    const { state, progress, reason } = await act(action)
    console.log(`  ${state} ${JSON.stringify(progress)} ${reason ?? ''}`)
    if (action !== 'undo' && (progress.created !== lines.good || progress.failed !== lines.failed))
      throw new Error(`Expected ${JSON.stringify(lines)}`)
  }
} finally {
  await worker.stop()
  await stack.stop()
}
