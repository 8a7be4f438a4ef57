import { expect, test } from 'vitest'
import { approveIn } from '../routes/approving.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** How a run goes on whose request has waited for an approval that did not lead to its execution. */
const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse, settle } = useAutomations(crm)
const decided = approveIn(() => crm.app)
const CALL = { type: 'create_task', fields: { title: 'Call' }, require_approval: true }
const AFTER = { type: 'create_task', fields: { title: 'After' } }
const started = async (automation: Row, contact_id?: string): Promise<Row> => {
  const { run_id } = found(await crm.ws.post(`/automations/${automation.id}/start`, contact_id ? { contact_id } : {}))
  await settle()
  return found(await crm.ws.get(`/automation-runs/${run_id}`)) as Row
}
const approvalOf = ({ awaits }: Row) => String(awaits).replace('approval:', '')
const reject = async (run: Row) => {
  found(await crm.ws.post(`/approvals/${approvalOf(run)}/reject`, { reason: 'No' }))
  await settle()
}
const titles = async () => (found(await crm.ws.get('/tasks')) as Row[]).map(({ title }) => title).toSorted()

test('a retry of a run whose request was rejected asks again, and goes on when that is approved', async () => {
  const automation = await published({ trigger: { type: 'manual' }, steps: [CALL, AFTER] })
  const run = await started(automation)
  await reject(run)
  expect(await runs(automation.id)).toMatchObject([{ state: 'failed', error: { code: 'FORBIDDEN' } }])
  const payload = expect.objectContaining({ step_id: automation.steps[0].id })
  expect(await crm.events(automation.id)).toContainEqual(expect.objectContaining({ type: 'automation.run_failed', payload }))
  found(await crm.ws.post(`/automation-runs/${run.id}/retry`))
  const [again] = (await runs(automation.id)) as [Row]
  expect(again).toMatchObject({ state: 'waiting', error: null, awaits: expect.stringMatching(/^approval:/) })
  expect(approvalOf(again)).not.toBe(approvalOf(run))
  await decided(crm.ws, approvalOf(again))
  expect(await runs(automation.id)).toMatchObject([{ state: 'completed' }])
  expect((await steps(run.id)).map(({ state }) => state)).toEqual(['failed', 'done', 'done'])
  expect(await titles()).toEqual(['After', 'Call'])
})

test('a step that may fail goes on after a rejection, and the steps after it know why', async () => {
  const lenient = { ...CALL, key: 'call', on_error: 'continue' }
  const after = { ...AFTER, fields: { title: '{{ steps.call.failure.code }}' } }
  const automation = await published({ trigger: { type: 'manual' }, steps: [lenient, after] })
  await reject(await started(automation))
  expect(await runs(automation.id)).toMatchObject([{ state: 'completed', error: null }])
  expect(await titles()).toEqual(['FORBIDDEN'])
})

test('a message that is approved in quiet hours waits for their end, and one to a contact without an address is skipped', async () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(11, 16)
  found(await crm.ws.patch('/company', { timezone: 'UTC' }))
  const quiet = (quiet_hours: object | null) => crm.ws.patch('/company/crm-settings', { quiet_hours })
  await quiet(null)
  const email = { type: 'send_email', subject: 'Hello', text: 'Welcome', require_approval: true }
  const automation = await published({ trigger: { type: 'manual' }, steps: [email, AFTER] })
  const contact = await crm.contact({ email: 'late@example.com', timezone: 'UTC' })
  const run = await started(automation, contact.id)
  found(await quiet({ from: at(-60), to: at(120) }))
  await decided(crm.ws, approvalOf(run))
  await crm.app.cron('* * * * *')
  const [waiting] = (await runs(automation.id)) as [Row]
  expect(waiting).toMatchObject({ state: 'waiting', error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'quiet_hours' } } })
  expect(waiting.due_at.slice(11, 16)).toBe(at(120))
  await quiet(null)
  await elapse()
  const [again] = (await runs(automation.id)) as [Row]
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email: null }))
  await decided(crm.ws, approvalOf(again), { force: true })
  await crm.app.cron('* * * * *')
  expect(await runs(automation.id)).toMatchObject([{ state: 'completed' }])
  expect((await steps(run.id)).map(({ state, error }) => [state, error?.details?.reason])).toEqual([
    ['skipped', 'quiet_hours'],
    ['skipped', 'no_address'],
    ['done', undefined],
  ])
})
