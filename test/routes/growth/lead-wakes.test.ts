import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { book, eventType, monday } from '../scheduling/scheduling.ts'

const crm = useCrm({ ownServer: true })
const PATH = '/lead-gen/initiatives'
/** A zone in which it is about noon now, so that the window is open. */
const hours = 12 - new Date().getUTCHours()
const NOON = hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
const MAIL = { action_type: 'send_email', action_config: { subject: 'Hello', text: 'Good morning' } }

async function initiative(emails: string[], fields: Row, ...steps: Row[]): Promise<Row & { enrolments: Row[] }> {
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  const days = { send_days: [0, 1, 2, 3, 4, 5, 6], timezone: NOON, is_active: true }
  const made = created(await crm.ws.post(PATH, { name: 'Hotels', ...days, ...fields }))
  for (const step of steps) created(await crm.ws.post(`${PATH}/${made.id}/steps`, step))
  const lead_result_ids = []
  for (const email of emails) {
    const lead = { name: 'Ana Lee', email, country: 'Australia', consent_basis: 'consent' }
    lead_result_ids.push(created(await crm.ws.post('/lead-gen/results', lead)).id)
  }
  const { results } = found(await crm.ws.post(`${PATH}/${made.id}/enrol`, { lead_result_ids }))
  return { ...made, enrolments: results }
}
const fired = async (id: string): Promise<number> => found(await crm.ws.get(`${PATH}/${id}`)).steps[0].fired_count
const wakes = async (work: () => Promise<unknown>) => {
  await crm.app.capture(true)
  await work()
  const sent = await crm.app.capture(false)
  return sent.filter(({ body }) => (body as Row).kind === 'leads.dispatch' && (body as Row).workspace_id === crm.ws.id)
}
/** So many seconds pass for the counters of the initiative and of the address that sends. */
async function pass(seconds: number): Promise<void> {
  for (const [table, columns] of [
    ['lead_dispatches', ['next_at', 'due_at']],
    ['lead_senders', ['next_at']],
  ] as const)
    await crm.app.owner.query(
      `update ${table} set ${columns.map((name) => `${name} = ${name} - make_interval(secs => $2)`).join(', ')} where workspace_id = $1`,
      [crm.ws.id, seconds],
    )
}
const DISPATCH = { type: 'work.run', kind: 'leads.dispatch' }

test('a gap of 90 s is not rounded up to two minutes: a tick before its end sends a message that comes at its end', async () => {
  const { id } = await initiative(['a@wake-one.example', 'b@wake-one.example', 'c@wake-one.example'], { min_gap_seconds: 90 }, MAIL)
  await crm.app.deliver('messages', [{ ...DISPATCH, workspace_id: crm.ws.id }])
  expect(await fired(id)).toBe(1)
  // The next tick comes a minute later.
  await pass(60)
  const [message, ...others] = await wakes(() => crm.app.cron('* * * * *'))
  expect(others).toEqual([])
  expect(message?.delaySeconds).toBeGreaterThan(15)
  expect(message?.delaySeconds).toBeLessThanOrEqual(30)
  // One that comes too early sends nothing, and the one at its time sends one.
  await crm.app.deliver('messages', [message?.body])
  expect(await fired(id)).toBe(1)
  await pass(30)
  await crm.app.deliver('messages', [message?.body])
  expect(await fired(id)).toBe(2)
  await crm.app.deliver('messages', [message?.body, message?.body])
  expect(await fired(id)).toBe(2)
})

test('the end of a shorter gap is woken by a message that the send before it has left', async () => {
  const { id } = await initiative(['a@wake-two.example', 'b@wake-two.example'], { min_gap_seconds: 20 }, MAIL)
  const sent = await wakes(() => crm.app.deliver('messages', [{ ...DISPATCH, workspace_id: crm.ws.id }]))
  expect(await fired(id)).toBe(1)
  const delays = sent.map(({ delaySeconds = 0 }) => delaySeconds).filter((seconds) => seconds > 0)
  expect(delays).toEqual([expect.toSatisfy((seconds: number) => seconds > 10 && seconds <= 21)])
  await pass(20)
  await crm.app.deliver('messages', [sent.at(-1)?.body])
  expect(await fired(id)).toBe(2)
})

test('a send whose outcome is unclear, or that fails, counts as sent', async () => {
  const emails = ['a@unclear.example', 'b@unclear.example', 'c@unclear.example']
  const { id } = await initiative(emails, { min_gap_seconds: 0, daily_send_cap: 2 }, MAIL)
  crm.app.email.fail('drop', 1, true)
  crm.app.email.fail('406')
  await crm.app.deliver('messages', [{ ...DISPATCH, workspace_id: crm.ws.id }])
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }])
  await crm.app.drain()
  expect(await fired(id)).toBe(2)
  const { tasks } = found(await crm.ws.post(`${PATH}/dispatcher/run`))
  expect(tasks.map(({ outcome, reason }: Row) => [outcome, reason])).toEqual([['waiting', 'daily_cap']])
})

test('a booking of the person ends the enrolment, and the events say when it began and why it ended', async () => {
  const { id, enrolments } = await initiative(['ana@books.example', 'bo@books.example'], {}, { ...MAIL, delay: 60 })
  await eventType(crm.ws)
  const booking = created(await book(crm.ws, { starts_at: `${monday()} 09:30`, email: 'ana@books.example' }))
  const [ana, bo] = enrolments as [Row, Row]
  expect(booking.contact_id).toBe(ana.contact_id)
  const listed = found(await crm.ws.get(`${PATH}/${id}/enrolments`)) as Row[]
  expect(listed.find((one) => one.id === ana.id)).toMatchObject({ status: 'ended', end_reason: 'booked', next_step_id: null })
  expect(listed.find((one) => one.id === bo.id)).toMatchObject({ status: 'active' })
  const about = ({ id: lead_enrolment_id, lead_result_id, contact_id }: Row) => ({ lead_enrolment_id, lead_result_id, contact_id })
  const events = (await crm.events(id)).filter(({ type }) => /enrol/.test(type))
  expect(events.map(({ type, payload }) => [type, payload])).toEqual([
    ['lead_initiative.enrolled', about(ana)],
    ['lead_initiative.enrolled', about(bo)],
    ['lead_initiative.enrolment_ended', { ...about(ana), status: 'ended', end_reason: 'booked' }],
  ])
  expect(await crm.ws.post(`${PATH}/${id}/enrolments/${ana.id}/pause`)).toMatchObject(failed(409, 'INVALID_STATE'))
})
