import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'
import { useAutomations } from './automation.ts'

/** What runs of automations cost the database. The proof prints the figures of bench/README. */

const crm = useCrm({ ownServer: true })
const { published } = useAutomations(crm)
const RUNS = proving ? 5_000 : 1_000
const WRITING_RUNS = RUNS / 10
/** The statements of each run without changes of records: claims and settlements are shared by a hundred runs. */
const MOST_STATEMENTS = 0.11

const FREE = { mode: 'always', concurrency: 'parallel' }
const someContacts = (count: number) =>
  crm.app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, local_zone) select '${crm.ws.id}', 'C' || n, 'UTC' from generate_series(1, ${count}) n;
      commit`)

/** Runs an automation for each contact, to the end; returns the statements of each run and its milliseconds. */
async function measured(count: number, steps: Row[]): Promise<{ statements: number; milliseconds: number }> {
  const { id } = await published({ trigger: { type: 'schedule' }, enrolment: FREE, steps })
  const body = { name: `Every day ${id}`, cron_expression: '0 9 * * *', is_active: false, audience_type: 'contacts', automation_id: id }
  const schedule = created(await crm.ws.post('/auto-schedules', body))
  const before = crm.app.proxy.statements
  const begun = performance.now()
  found(await crm.ws.post(`/auto-schedules/${schedule.id}/fire-now`))
  const left = `select count(*)::int as left from automation_runs where automation_id = $1 and ended_at is null
    union all select count(*)::int from automation_runs where automation_id = $1`
  for (let round = 0; ; round++) {
    if (round > 40) throw new Error('The runs do not end')
    await crm.app.drain().catch(() => {})
    const { rows } = await crm.app.owner.query(left, [id])
    if (rows[0].left === 0 && rows[1].left === count) break
  }
  const [{ completed }] = (
    await crm.app.owner.query("select count(*)::int as completed from automation_runs where automation_id = $1 and state = 'completed'", [
      id,
    ])
  ).rows
  expect(completed).toBe(count)
  return { statements: (crm.app.proxy.statements - before) / count, milliseconds: (performance.now() - begun) / count }
}

test(`${RUNS} runs of three steps without changes of records share their statements`, { timeout: limit(600_000) }, async () => {
  await someContacts(RUNS)
  const filter = { field: 'first_name', op: 'is_not_empty' }
  const condition = { type: 'condition', if: [{ on: 'trigger', filter: { field: 'first_name', op: 'is_not_empty' } }] }
  const { statements, milliseconds } = await measured(RUNS, [
    condition,
    { type: 'condition', if: [{ on: 'contact', filter }] },
    { type: 'wait', until: '2020-01-01' },
  ])
  if (proving) console.log(`${statements.toFixed(3)} statements and ${milliseconds.toFixed(2)} ms for each run of three steps`)
  expect(statements).toBeLessThan(MOST_STATEMENTS)
})

test('a run that creates a task', { timeout: limit(600_000) }, async () => {
  await someContacts(WRITING_RUNS)
  const { statements, milliseconds } = await measured(WRITING_RUNS, [
    { type: 'create_task', fields: { title: 'Call {{ contact.first_name }}' } },
  ])
  if (proving) console.log(`${statements.toFixed(2)} statements and ${milliseconds.toFixed(2)} ms for each run that creates a task`)
  // One request: begin_request, the guards, the change, its result, and the end with the step.
  expect(statements).toBeLessThan(12)
})
