import { beforeAll, expect, test } from 'vitest'
import { costOf, startCounting } from '../contract/blocks.ts'
import { proving } from '../proof.ts'
import { created, found, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { limit } from '../speed.ts'
import { useAutomations } from './automation.ts'

/**
 * What a run that creates a task costs the database, compared with a line of an import of contacts. The proof prints the figures of
 * bench/README.
 */

const crm = useCrm({ ownServer: true, sessions: 1 })
const { published } = useAutomations(crm)
const { imported } = useImports(crm)
beforeAll(() => startCounting(crm.app))
const RUNS = proving ? 2_000 : 200

let files = 0
function lines(count: number): string {
  files++
  const rows = Array.from({ length: count }, (_, n) => `Ana,N${n},p${files}-${n}@example.com`)
  return ['first_name,last_name,email', ...rows].join('\n')
}
const importing = () => imported(lines(RUNS), { run_automations: false })

/** The blocks and transactions of each of the RUNS that the work takes. A request to the database is a transaction. */
async function measured(work: () => Promise<unknown>): Promise<{ blocks: number; transactions: number }> {
  const { proxy } = crm.app
  const before = proxy.trips
  const { blocks } = await costOf(crm.app, work)
  return { blocks: blocks / RUNS, transactions: (proxy.trips - before) / RUNS }
}

test('a run that creates a task costs at most three and a quarter lines of an import, and shares its transactions', {
  timeout: limit(600_000),
}, async () => {
  const automation = await published({
    trigger: { type: 'schedule' },
    steps: [{ type: 'create_task', fields: { title: 'Call {{ contact.first_name }}' } }],
  })
  const schedule = created(
    await crm.ws.post('/auto-schedules', {
      name: 'All',
      cron_expression: '0 9 * * *',
      is_active: false,
      audience_type: 'contacts',
      automation_id: automation.id,
    }),
  )
  await importing()
  const open = 'select count(*)::int as left from automation_runs where workspace_id = $1 and ended_at is null'
  const fire = async () => {
    found(await crm.ws.post(`/auto-schedules/${schedule.id}/fire-now`))
    for (let round = 0; round < 40; round++) {
      await crm.app.drain().catch(() => {})
      if ((await crm.app.owner.query(open, [crm.ws.id])).rows[0].left === 0) return
    }
    throw new Error('The runs do not end')
  }
  // The session compiles the functions, and plans with the statistics of tables that are not empty.
  await fire()
  await crm.app.owner.query('analyze')
  const run = await measured(fire)
  const line = await measured(importing)
  expect(await crm.count('tasks')).toBe(2 * RUNS)
  if (proving) console.log(`a run: ${JSON.stringify(run)}; a line of an import: ${JSON.stringify(line)}`)
  expect(run.blocks / line.blocks).toBeLessThan(3.25)
  expect(run.transactions).toBeLessThan(0.4)
})
