import { expect, test } from 'vitest'
import { MAX_TASKS } from '../../../src/features/lead-gen/rules/initiatives.ts'
import { MAX_RESULTS } from '../../../src/features/lead-gen/rules/results.ts'
import { created, found, type Row, useCrm } from '../crm.ts'

const crm = useCrm({ own: true })
const PATH = '/lead-gen/initiatives'
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]
const OPEN = { send_window_start: '00:00', send_window_end: '23:59', send_days: EVERY_DAY, timezone: 'UTC', is_active: true }
const CALL = { action_type: 'create_task', action_config: { fields: { title: 'Call' } } }
const MAIL = { action_type: 'send_email', action_config: { subject: 'Hello', text: 'Good morning' } }

const dispatch = async () => found(await crm.ws.post(`${PATH}/dispatcher/run`)) as Row
const outcomes = ({ tasks }: Row) => tasks.map(({ outcome, reason }: Row) => [outcome, reason])
const sql = (text: string, values: unknown[] = []) => crm.app.owner.query(text, [crm.ws.id, ...values])
const quietHours = (quiet_hours: object | null) => crm.ws.patch('/company/crm-settings', { quiet_hours })

/** An initiative with one step, and that many people in it. */
async function begun(step: Row, people = 1): Promise<string> {
  await quietHours(null)
  const { id } = created(await crm.ws.post(PATH, { name: 'Hotels', ...OPEN }))
  created(await crm.ws.post(`${PATH}/${id}/steps`, step))
  const { rows } = await sql(
    `insert into lead_results (workspace_id, name, email, consent_basis, country)
      select $1, 'Ana Silva', 'ana' || n || '@late.example', 'consent', 'Australia' from generate_series(1, $2::int) n returning id`,
    [people],
  )
  for (let at = 0; at < people; at += MAX_RESULTS)
    found(await crm.ws.post(`${PATH}/${id}/enrol`, { lead_result_ids: rows.slice(at, at + MAX_RESULTS).map((row) => row.id) }))
  return id
}
/** Dispatches, and changes something after the tasks were read and before the decisions about them are carried out. */
async function dispatchAfter(change: string): Promise<Row> {
  let isChanged = false
  crm.app.proxy.onRequest = async (request) => {
    if (isChanged || !JSON.stringify(request).includes('dispatch_leads(')) return
    isChanged = true
    await sql(change)
  }
  const done = await dispatch()
  crm.app.proxy.onRequest = undefined
  expect(isChanged).toBe(true)
  return done
}

test.each<[string, Row, string, string]>([
  ['the initiative is changed', CALL, 'update lead_initiatives set version = version + 1 where workspace_id = $1', 'changed'],
  ['the initiative is stopped', CALL, 'update lead_initiatives set is_active = false where workspace_id = $1', 'changed'],
  ['the task is done by another call', CALL, "update lead_tasks set status = 'cancelled' where workspace_id = $1", 'taken'],
  ['the task is moved', CALL, "update lead_tasks set scheduled_for = now() + interval '1 hour' where workspace_id = $1", 'taken'],
  ['the person is paused', CALL, "update lead_enrolments set status = 'paused' where workspace_id = $1", 'taken'],
  [
    'a later day has begun for the initiative',
    MAIL,
    "update lead_dispatches set local_date = (now() at time zone 'UTC')::date + 1 where workspace_id = $1",
    'outside_window',
  ],
])('a step is not started when %s after it was read', async (_, step, change, reason) => {
  const id = await begun(step)
  const done = await dispatchAfter(change)
  expect([done.fired, outcomes(done)]).toEqual([0, [['waiting', reason]]])
  expect(await crm.count('automation_runs')).toBe(0)
  expect(found(await crm.ws.get(`${PATH}/${id}`)).steps).toMatchObject([{ fired_count: 0 }])
})

test('a step whose automation is not published waits an hour, and is not lost', async () => {
  await quietHours(null)
  const own = created(await crm.ws.post('/automations', { name: 'Own', trigger: { type: 'manual' }, steps: [{ type: 'stop' }] })).id
  found(await crm.ws.post(`/automations/${own}/publish`))
  await begun({ automation_id: own })
  await sql("update automations set state = 'draft' where workspace_id = $1")
  expect(outcomes(await dispatch())).toEqual([['waiting', 'automation_not_published']])
  const { rows } = await sql(
    "select status, scheduled_for > now() + interval '59 minutes' as later from lead_tasks where workspace_id = $1",
  )
  expect(rows).toEqual([{ status: 'pending', later: true }])
  expect(outcomes(await dispatch())).toEqual([])
  await sql("update automations set state = 'published' where workspace_id = $1")
  await sql('update lead_tasks set scheduled_for = now() where workspace_id = $1')
  expect(outcomes(await dispatch())).toEqual([['fired', null]])
})

test('a message in quiet hours is put off until they end', async () => {
  await begun(MAIL)
  await quietHours({ from: '00:00', to: '23:59' })
  const done = await dispatch()
  expect(outcomes(done)).toEqual([['waiting', 'quiet_hours']])
  const { rows } = await sql('select status, scheduled_for from lead_tasks where workspace_id = $1')
  expect(rows).toEqual([{ status: 'pending', scheduled_for: new Date(done.tasks[0].retry_at) }])
  expect(outcomes(await dispatch())).toEqual([])
})

test('of more people than one call takes the rest follow, and the call says so', async () => {
  await begun(CALL, MAX_TASKS + 1)
  expect(await dispatch()).toMatchObject({ fired: MAX_TASKS, more: true })
  expect(await dispatch()).toMatchObject({ fired: 1, more: false })
  expect(await dispatch()).toMatchObject({ fired: 0, more: false, tasks: [] })
})
