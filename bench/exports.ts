import { parseArgs } from 'node:util'
import { createWorkspace } from '../dev/workspace.ts'
import { runWorker, startStack } from './stack.ts'

/** Measures an export of many contacts: rows per second of the Worker's CPU, and round trips. */

const { values } = parseArgs({ options: { rows: { type: 'string', default: '250000' } } })
const ROWS = Number(values.rows)

const stack = await startStack()
const worker = await runWorker('bench/bench-worker.ts', {
  ...stack,
  vars: { ...stack.vars, FILE_SECRET: 'only-a-measurement-signs-with-this-one' },
})
try {
  const workspaceOf = async (name: string) => createWorkspace(stack.owner, { name, ownerEmail: `${name}@example.com`, ownerName: 'Owner' })
  const many = await workspaceOf('many')

  // History and events of these rows are not part of the measurement.
  await stack.owner.query('alter table contacts disable trigger user')
  await stack.owner.query(
    `insert into contacts (workspace_id, first_name, last_name, email, phone, job_title, notes, city, country, metadata)
      select $1, 'First ' || n, 'Last, ' || n, 'person' || n || '@example.com', '+61412' || lpad(n::text, 6, '0'), 'Buyer',
        'Met at the fair "' || n || '"', 'Newcastle', 'Australia', '{}' from generate_series(1, $2::int) n`,
    [many.workspace_id, ROWS],
  )
  await stack.owner.query('alter table contacts enable trigger user')
  await stack.owner.query('vacuum analyze contacts')
  const exported = async (key: string) => {
    const response = await fetch(new URL('/v1/contacts/export', worker.url), { headers: { authorization: `Bearer ${key}` } })
    let size = 0
    for await (const piece of response.body as ReadableStream<Uint8Array>) size += piece.length
    return size
  }
  await exported(many.key)
  const [begun, cpu, trips] = [performance.now(), worker.cpu(), stack.proxy.trips]
  const size = await exported(many.key)
  const used = (worker.cpu() - cpu) / 1000
  const seconds = (performance.now() - begun) / 1000
  console.log(
    `${ROWS} rows, ${(size / 1e6).toFixed(1)} MB: ${seconds.toFixed(1)} s, ${stack.proxy.trips - trips} trips, CPU of the Worker ` +
      `${used.toFixed(2)} s (${Math.round(ROWS / used)} rows/s)`,
  )
} finally {
  await worker.stop()
  await stack.stop()
}
