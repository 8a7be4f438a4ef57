import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'
import { useAutomations } from './automation.ts'

/** The share of a workspace beside another one with many runs that are due. The proof prints the figure of bench/README. */

const crm = useCrm({ ownServer: true })
const { published } = useAutomations(crm)
const RUNS = proving ? 100_000 : 1_500
const SINGLE_RUNS = 5
const MOST_SECONDS = 60

const STEPS = [{ type: 'create_task', fields: { title: 'Call {{ contact.first_name }}' } }]

/** Starts a run for each of many contacts of the first workspace, all of which are due at once. */
async function startMany(): Promise<void> {
  await crm.app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, local_zone) select '${crm.ws.id}', 'C' || n, 'UTC' from generate_series(1, ${RUNS}) n;
      commit`)
  await crm.app.owner.query('analyze contacts')
  const { id } = await published({ trigger: { type: 'schedule' }, enrolment: { mode: 'always', concurrency: 'parallel' }, steps: STEPS })
  const fields = { name: 'Every day', cron_expression: '0 9 * * *', is_active: false, spread_minutes: 1440 }
  const schedule = created(await crm.ws.post('/auto-schedules', { ...fields, audience_type: 'contacts', automation_id: id }))
  found(await crm.ws.post(`/auto-schedules/${schedule.id}/fire-now`))
  while ((await count('true')) < RUNS) await crm.app.drain().catch(() => {})
  await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and ended_at is null', [crm.ws.id])
}

const count = async (condition: string): Promise<number> =>
  (await crm.app.owner.query(`select count(*)::int as n from automation_runs where workspace_id = $1 and ${condition}`, [crm.ws.id]))
    .rows[0].n

test(`${RUNS} waiting runs of one workspace do not delay a run of another`, { timeout: limit(900_000) }, async () => {
  const other = await crm.app.workspace()
  await published({ trigger: { type: 'contact_created' }, steps: STEPS }, other)
  await startMany()
  await crm.app.cron('* * * * *')
  const seconds: number[] = []
  for (let n = 0; n < SINGLE_RUNS; n++) {
    const begun = performance.now()
    const { id } = created(await other.post('/contacts', { first_name: `Single ${n}` }))
    while ((found(await other.get(`/tasks?contact_id=${id}`)) as Row[]).length === 0);
    seconds.push((performance.now() - begun) / 1000)
  }
  const left = await count('ended_at is null')
  if (proving) console.log(`Single runs took at most ${Math.max(...seconds).toFixed(1)} s, with ${left} of ${RUNS} runs waiting`)
  expect(left, 'The others had ended').toBeGreaterThan(0)
  expect(Math.max(...seconds)).toBeLessThan(MOST_SECONDS)
})
