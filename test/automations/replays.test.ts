import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** A replay takes the steps of a run again, except those that took effect. */
const crm = useCrm({ ownServer: true })
const { published, runs, steps, settle } = useAutomations(crm)
const task = (title: string, more: Row = {}) => ({ type: 'create_task', fields: { title }, ...more })
const titles = async () => (found(await crm.ws.get('/tasks')) as Row[]).map(({ title }) => title).toSorted()
const MOVE = { type: 'move_stage', stage_id: '{{ trigger.data.stage }}' }
const failing = async (automation: Row, data: Row) => {
  const { run_id } = found(await crm.ws.post(`/automations/${automation.id}/start`, { opportunity_id: (await crm.opportunity()).id, data }))
  await settle()
  expect(found(await crm.ws.get(`/automation-runs/${run_id}`))).toMatchObject({ state: 'failed' })
  return run_id as string
}
const replay = async (run: string, step: Row) => {
  const { id } = found(await crm.ws.post(`/automation-runs/${run}/replay`, { step_id: step.id }))
  await settle()
  return found(await crm.ws.get(`/automation-runs/${id}`)) as Row
}
const NOBODY = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'

test('the steps of a loop are left out for the items for which they took effect, and taken for the others', async () => {
  const [first, second, third] = [await crm.contact(), await crm.contact(), await crm.contact()]
  const body = [task('For {{ item.name }}'), { type: 'update_contact', record_id: '{{ item.id }}', fields: { city: 'Perth' } }]
  const automation = await published({
    trigger: { type: 'manual' },
    steps: [{ type: 'for_each', items: '{{ trigger.data.people }}', steps: body }, task('Last')],
  })
  const people = [
    { id: first.id, name: 'A' },
    { id: NOBODY, name: 'B' },
    { id: third.id, name: 'C' },
  ]
  const run = await failing(automation, { people })
  expect(await titles()).toEqual(['For A', 'For B'])
  // The run that is replayed meets the missing person again, whom another one has replaced by then.
  await crm.app.owner.query('update automation_runs set trigger_data = replace(trigger_data::text, $2, $3)::jsonb where id = $1', [
    ...[run, NOBODY, second.id],
  ])
  const [loop] = automation.steps as [Row]
  expect(await replay(run, loop)).toMatchObject({ state: 'completed' })
  expect(await titles()).toEqual(['For A', 'For B', 'For B', 'For C', 'Last'])
  const cities = await Promise.all([first, second, third].map(async ({ id }) => found(await crm.ws.get(`/contacts/${id}`)).city))
  expect(cities).toEqual(['Perth', 'Perth', 'Perth'])
})

test('a loop over texts goes on with the text at which it failed', async () => {
  const tags = [{ type: 'add_tags', record: 'opportunity', tags: ['{{ item }}'] }, task('{{ item }}'), MOVE]
  const automation = await published({
    trigger: { type: 'manual' },
    steps: [{ type: 'for_each', items: '{{ trigger.data.names }}', steps: tags }],
  })
  const run = await failing(automation, { names: ['A', 'B'], stage: 'none' })
  const { stages } = await crm.firstPipeline()
  await crm.app.owner.query(`update automation_runs set trigger_data = jsonb_set(trigger_data, '{data,stage}', $2) where id = $1`, [
    ...[run, JSON.stringify(stages.Qualified)],
  ])
  expect(await replay(run, automation.steps[0].steps[0])).toMatchObject({ state: 'completed' })
  expect(await titles()).toEqual(['A', 'B'])
})

test('a replay of a replay repeats nothing that the first run did', async () => {
  const automation = await published({ trigger: { type: 'manual' }, steps: [task('First'), MOVE] })
  const run = await failing(automation, { stage: 'none' })
  const [first] = automation.steps as [Row]
  const again = await replay(run, first)
  expect(await replay(again.id, first)).toMatchObject({ state: 'failed', source_id: again.id })
  expect(await titles()).toEqual(['First'])
  const [last] = (await runs(automation.id)).slice(-1) as [Row]
  expect((await steps(last.id)).map(({ state }) => state)).toEqual(['skipped', 'failed'])
})
