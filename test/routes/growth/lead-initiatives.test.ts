import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'
import { receivesEmail } from './leading.ts'

const crm = useCrm({ own: true })
const PATH = '/lead-gen/initiatives'
/** A zone in which it is about noon now, so that the window is open. */
const noon = () => {
  const hours = 12 - new Date().getUTCHours()
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
}
const OPEN = { send_window_start: '09:00', send_window_end: '17:00', send_days: [0, 1, 2, 3, 4, 5, 6], is_active: true }
const initiative = async (fields: Row = {}) => created(await crm.ws.post(PATH, { name: 'Hotels', ...OPEN, timezone: noon(), ...fields }))
const step = async (id: string, fields: Row = {}) =>
  created(await crm.ws.post(`${PATH}/${id}/steps`, { action_type: 'create_task', action_config: { fields: { title: 'Call' } }, ...fields }))
const MAIL = { action_type: 'send_email', action_config: { subject: 'Hello', text: 'Good morning {{ contact.first_name }}' } }
const lead = async (email: string, fields: Row = {}) =>
  created(await crm.ws.post('/lead-gen/results', { name: 'Ana Silva', email, country: 'Australia', consent_basis: 'consent', ...fields }))
const enrol = (id: string, lead_result_ids: string[]) => crm.ws.post(`${PATH}/${id}/enrol`, { lead_result_ids })
const enrolled = async (id: string, email: string) => {
  const { results } = found(await enrol(id, [(await lead(email)).id]))
  return results[0] as Row
}
const enrolments = async (id: string, query = '') => found(await crm.ws.get(`${PATH}/${id}/enrolments${query}`)) as Row[]
const dispatch = async () => found(await crm.ws.post(`${PATH}/dispatcher/run`))
const quiet = () => crm.ws.patch('/company/crm-settings', { quiet_hours: null })

test('an initiative has the specified defaults, and a change writes only what is sent', async () => {
  const made = created(await crm.ws.post(PATH, { name: 'Hotels' }))
  const defaults = { daily_send_cap: 40, send_window_start: '09:00', send_window_end: '17:00', send_days: [1, 2, 3, 4, 5] }
  expect(made).toMatchObject({ ...defaults, timezone: 'Australia/Sydney', min_gap_seconds: 90, is_active: false })
  const changed = found(
    await crm.ws.patch(`${PATH}/${made.id}`, { min_gap_seconds: 0, send_window_start: '22:00', send_window_end: '06:00' }),
  )
  expect(changed).toMatchObject({ name: 'Hotels', daily_send_cap: 40, min_gap_seconds: 0, send_window_start: '22:00' })
  const post = (fields: Row) => crm.ws.post(PATH, { name: 'Hotels', ...fields })
  expect(await post({ send_window_start: '09:00', send_window_end: '09:00' })).toMatchObject(refused('send_window_end'))
  expect(await crm.ws.patch(`${PATH}/${made.id}`, { send_window_end: '22:00' })).toMatchObject(refused('send_window_end'))
  expect(await post({ min_gap_seconds: -1 })).toMatchObject(refused('min_gap_seconds'))
  expect(await post({ send_days: [1, 1] })).toMatchObject(refused('send_days'))
  expect(await post({ timezone: 'Mars/Olympus' })).toMatchObject(refused('timezone'))
  expect(await post({ daily_send_cap: 0 })).toMatchObject(refused('daily_send_cap'))
})

test('steps have automations: those of quick mode go with them, linked ones stay', async () => {
  const { id } = await initiative()
  const quick = await step(id, MAIL)
  const own = created(await crm.ws.post('/automations', { name: 'Own', trigger: { type: 'manual' }, steps: [{ type: 'stop' }] }))
  found(await crm.ws.post(`/automations/${own.id}/publish`))
  const linked = created(await crm.ws.post(`${PATH}/${id}/steps`, { automation_id: own.id, delay: 2880 }))
  const { steps } = found(await crm.ws.get(`${PATH}/${id}`))
  expect(steps.map(({ id, sort_order, automation }: Row) => [id, sort_order, automation.state])).toEqual([
    [quick.id, 0, 'published'],
    [linked.id, 1, 'published'],
  ])
  expect(found(await crm.ws.patch(`${PATH}/${id}/steps/${linked.id}`, { delay: 5, is_active: false }))).toMatchObject({
    delay: 5,
    is_active: false,
    sort_order: 1,
  })
  const post = (fields: Row) => crm.ws.post(`${PATH}/${id}/steps`, fields)
  expect(await post({})).toMatchObject(refused('action_type'))
  expect(await post({ ...MAIL, automation_id: own.id })).toMatchObject(refused('action_type'))
  expect(await post({ automation_id: nobody })).toMatchObject(refused('automation_id'))
  expect(await post({ action_type: 'send_email', action_config: { subject: 'Only' } })).toMatchObject(refused('action_config.text'))
  expect(await post({ ...MAIL, delay: -1 })).toMatchObject(refused('delay'))
  found(await crm.ws.delete(`${PATH}/${id}`))
  expect(await crm.ws.get(`/automations/${quick.automation_id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.get(`/automations/${own.id}`))).toMatchObject({ state: 'published' })
})

test('people are enrolled with a contact and a first step, each in one initiative', async () => {
  const { id } = await initiative({ is_active: false })
  const ana = await lead('ana@enrol-one.example')
  expect(await enrol(id, [ana.id])).toMatchObject(failed(409, 'CONFLICT'))
  const first = await step(id, { delay: 60 })
  const { results } = found(await enrol(id, [ana.id]))
  expect(results).toMatchObject([{ status: 'active', next_step_id: first.id, lead_result: { name: 'Ana Silva', email: ana.email } }])
  expect(Date.parse(results[0].scheduled_for) - Date.parse(results[0].created_at)).toBe(3_600_000)
  expect(found(await crm.ws.get(`/contacts/${results[0].contact_id}`))).toMatchObject({ email: ana.email })
  const other = await initiative()
  await step(other.id)
  expect(found(await enrol(other.id, [ana.id]))).toMatchObject({ results: [], skipped: [{ id: ana.id }] })
  expect(await enrolments(id)).toEqual(results)
  expect(await enrol(id, [nobody])).toMatchObject(refused('lead_result_ids.0'))
})

test('nobody is enrolled who may not be written to', async () => {
  const { id } = await initiative()
  await step(id)
  created(await crm.ws.post('/suppressions', { channel: 'email', address: 'gone@enrol-two.example', reason: 'manual' }))
  const ids = [
    (await lead('gone@enrol-two.example')).id,
    (await lead('de@enrol-two.example', { name: 'De', country: 'Germany', consent_basis: 'none' })).id,
    (await lead('us@enrol-two.example', { name: 'Us', country: 'United States', consent_basis: 'none' })).id,
    created(await crm.ws.post('/lead-gen/results', { name: 'Nobody' })).id,
  ]
  const { results, errors } = found(await enrol(id, ids))
  expect(results.map(({ lead_result_id }: Row) => lead_result_id)).toEqual([ids[2]])
  expect(errors.map(({ index, error }: Row) => [index, error.code])).toEqual([
    [0, 'RECIPIENT_UNREACHABLE'],
    [1, 'VALIDATION_ERROR'],
    [3, 'VALIDATION_ERROR'],
  ])
  expect(await crm.count('contacts')).toBe(1)
})

test('the dispatcher fires what is due, with the cap and the gap of emails, and says why the rest waits', async () => {
  await quiet()
  const { id } = await initiative({ min_gap_seconds: 600, daily_send_cap: 2 })
  const mail = await step(id, MAIL)
  const call = await step(id, { delay: 1440 })
  for (const name of ['a', 'b', 'c']) await enrolled(id, `${name}@dispatch-one.example`)
  const first = await dispatch()
  expect(first).toMatchObject({ fired: 1, more: false })
  expect(first.tasks.map(({ outcome, reason }: Row) => [outcome, reason])).toEqual([
    ['fired', null],
    ['waiting', 'min_gap'],
    ['waiting', 'min_gap'],
  ])
  expect(await dispatch()).toMatchObject({ fired: 0 })
  expect(found(await crm.ws.get(`${PATH}/${id}`)).steps[0]).toMatchObject({ fired_count: 1 })
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'automations.run', workspace_id: crm.ws.id }])
  // The message of the request may be doing the same.
  await crm.app.drain()
  expect(await crm.count('messages')).toBe(1)
  expect((await enrolments(id)).map(({ next_step_id }) => next_step_id).toSorted()).toEqual([mail.id, mail.id, call.id].toSorted())
  found(await crm.ws.patch(`${PATH}/${id}`, { min_gap_seconds: 0 }))
  await crm.app.owner.query('update lead_dispatches set next_at = now() where workspace_id = $1', [crm.ws.id])
  await crm.app.owner.query('update lead_senders set next_at = now() where workspace_id = $1', [crm.ws.id])
  const second = await dispatch()
  expect(second.tasks.map(({ outcome, reason }: Row) => [outcome, reason])).toEqual([
    ['fired', null],
    ['waiting', 'daily_cap'],
  ])
})

test('each initiative has a cap of its own for each day, and all have one gap', async () => {
  await quiet()
  const plans: string[] = []
  for (const name of ['Hotels', 'Cafes']) {
    const { id } = await initiative({ name, min_gap_seconds: 600, daily_send_cap: 1 })
    await step(id, MAIL)
    for (const person of ['a', 'b']) await enrolled(id, `${person}@${name.toLowerCase()}-day.example`)
    plans.push(id)
  }
  const fired = () => Promise.all(plans.map(async (id) => found(await crm.ws.get(`${PATH}/${id}`)).steps[0].fired_count))
  const after = async (days: number) => {
    const sets = 'next_at = now(), local_date = local_date - $2::int'
    await crm.app.owner.query(`update lead_dispatches set ${sets} where workspace_id = $1`, [crm.ws.id, days])
    await crm.app.owner.query('update lead_senders set next_at = now() where workspace_id = $1', [crm.ws.id])
    return (await dispatch()).fired
  }
  expect((await dispatch()).fired).toBe(1)
  expect((await dispatch()).fired).toBe(0)
  expect([await after(0), await fired()]).toEqual([1, [1, 1]])
  expect([await after(0), await fired()]).toEqual([0, [1, 1]])
  expect([await after(1), await after(0), await fired()]).toEqual([1, 1, [2, 2]])
})

test('the background fires the first step, and nothing outside the window', async () => {
  await quiet()
  const { id } = await initiative()
  await step(id)
  const closed = await initiative({ name: 'Closed', send_window_start: '20:00', send_window_end: '21:00' })
  await step(closed.id)
  await enrolled(id, 'ana@dispatch-two.example')
  await enrolled(closed.id, 'bo@dispatch-two.example')
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'leads.dispatch', workspace_id: crm.ws.id }])
  expect(await enrolments(id)).toMatchObject([{ status: 'completed', next_step_id: null }])
  expect(await enrolments(closed.id)).toMatchObject([{ status: 'active' }])
  expect((await dispatch()).tasks).toMatchObject([{ outcome: 'waiting', reason: 'outside_window' }])
  const { rows } = await crm.app.owner.query(
    'select extract(epoch from due_at - now()) as wait from lead_dispatches where workspace_id = $1 and initiative_id = $2',
    [crm.ws.id, closed.id],
  )
  expect(Number(rows[0]?.wait)).toBeGreaterThan(3600)
})

test('an enrolment is paused and resumed, and a step that is deleted or inactive is passed over', async () => {
  await quiet()
  const { id } = await initiative()
  const first = await step(id)
  const second = await step(id)
  const one = await enrolled(id, 'ana@dispatch-three.example')
  const set = (verb: string) => crm.ws.post(`${PATH}/${id}/enrolments/${one.id}/${verb}`)
  expect(found(await set('pause'))).toMatchObject({ status: 'paused', next_step_id: first.id })
  expect(await set('pause')).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await dispatch()).toMatchObject({ tasks: [] })
  expect(found(await set('resume'))).toMatchObject({ status: 'active' })
  found(await crm.ws.delete(`${PATH}/${id}/steps/${first.id}`))
  expect(await enrolments(id)).toMatchObject([{ status: 'active', next_step_id: second.id }])
  found(await crm.ws.patch(`${PATH}/${id}/steps/${second.id}`, { is_active: false }))
  expect((await dispatch()).tasks).toMatchObject([{ outcome: 'skipped', reason: 'step_inactive' }])
  expect(await enrolments(id)).toMatchObject([{ status: 'completed' }])
})

test('a reply, a bounce, an unsubscription and a conversion end an enrolment', async () => {
  await quiet()
  const { id } = await initiative({ min_gap_seconds: 0 })
  await step(id, MAIL)
  await step(id, { delay: 1440 })
  const names = ['reply', 'bounce', 'leave', 'convert']
  for (const name of names) await enrolled(id, `${name}@ends.example`)
  expect(await dispatch()).toMatchObject({ fired: 4 })
  const byName = async () => new Map((await enrolments(id)).map((one) => [one.lead_result.email.split('@')[0], one]))
  const before = await byName()
  await receivesEmail(crm.app.owner, crm.ws.id, before.get('reply')?.contact_id)
  created(await crm.ws.post('/suppressions', { channel: 'email', address: 'bounce@ends.example', reason: 'hard_bounce' }))
  found(await crm.ws.patch(`/contacts/${before.get('leave')?.contact_id}`, { email_unsubscribed: true }))
  found(await crm.ws.post('/lead-gen/results/convert', { lead_result_ids: [before.get('convert')?.lead_result_id] }))
  const after = await byName()
  expect(names.map((name) => [after.get(name)?.status, after.get(name)?.end_reason])).toEqual([
    ['ended', 'replied'],
    ['ended', 'bounced'],
    ['ended', 'unsubscribed'],
    ['ended', 'converted'],
  ])
  expect(found(await crm.ws.get(`${PATH}/${id}`)).steps[0]).toMatchObject({ fired_count: 4, reply_count: 1 })
})

test('nothing crosses workspaces', async () => {
  const { id } = await initiative()
  await step(id)
  await enrolled(id, 'ana@cross.example')
  const other = await crm.app.workspace()
  expect(await other.get(`${PATH}/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.get(`${PATH}/${id}/enrolments`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await other.post(`${PATH}/dispatcher/run`))).toMatchObject({ tasks: [], fired: 0 })
})
