import { Temporal } from 'temporal-polyfill'
import { beforeEach, expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { automationIn, scheduling } from './scheduling.ts'

const crm = useCrm({ ownServer: true })
let it: ReturnType<typeof scheduling>
beforeEach(async () => {
  it = scheduling(crm.app, crm.ws, await automationIn(crm.app, crm.ws))
})

/** Fires for an audience, and returns the names in its rows; the preview must be what fired, and so must the list of results. */
async function audience(audience_type: string, audience_filter: object = {}, fields: object = {}): Promise<Row[]> {
  const { id } = await it.schedule({ audience_type, audience_filter, is_active: false, ...fields })
  const { total, total_is_exact, sample } = await it.preview(id)
  const run = found(await crm.ws.post(`/auto-schedules/${id}/fire-now`)).id
  await crm.app.drain()
  const started = await it.started(run)
  expect([total, total_is_exact, sample]).toEqual([started.length, true, started.map(({ trigger_data }) => trigger_data)])
  expect((await it.fires(id)).at(-1)).toMatchObject({ id: run, status: 'completed', audience_size: total, runs_triggered: total })
  expect((await it.results(id, run)).map(({ record_id }) => record_id)).toEqual(started.map(({ record_id }) => record_id))
  expect(started.every(({ record_id, trigger_data, source }) => record_id === trigger_data.id && source === 'schedule')).toBe(true)
  return started
}
const names = async (type: string, filter: object = {}) =>
  (await audience(type, filter)).map(({ trigger_data }) => trigger_data.name).toSorted()

test('contacts by type, address, list, filter and limit', async () => {
  await crm.ws.patch('/company/crm-settings', { contact_types: ['Customer', 'Lead'] })
  const ana = await crm.contact({ first_name: 'Ana', last_name: 'Lee', email: 'ana@example.com', contact_type: 'Customer', city: 'Perth' })
  const bo = await crm.contact({ first_name: 'Bo', contact_type: 'Customer' })
  await crm.contact({ first_name: 'Cy', email: 'cy@example.com', contact_type: 'Lead', city: 'Perth' })
  const gone = await crm.contact({ first_name: 'Di', email: 'di@example.com' })
  await crm.ws.patch(`/contacts/${gone.id}`, { archived: true })
  const [first] = await audience('contacts', { limit: 1 })
  expect(first).toMatchObject({ record_id: ana.id, contact_id: ana.id, opportunity_id: null })
  expect(first?.trigger_data).toEqual({
    id: ana.id,
    first_name: 'Ana',
    last_name: 'Lee',
    name: 'Ana Lee',
    email: 'ana@example.com',
    phone: null,
    contact_type: 'Customer',
    customer_id: null,
    assigned_to: null,
  })
  expect(await names('contacts')).toEqual(['Ana Lee', 'Bo', 'Cy'])
  expect(await names('contacts', { contact_type: 'Customer' })).toEqual(['Ana Lee', 'Bo'])
  expect(await names('contacts', { has_email: true })).toEqual(['Ana Lee', 'Cy'])
  expect(await names('contacts', { has_email: false })).toEqual(['Bo'])
  expect(await names('contacts', { contact_type: 'Customer', has_email: true, limit: 5 })).toEqual(['Ana Lee'])
  const fixed = created(await crm.ws.post('/lists', { name: 'Fixed', object: 'contacts', kind: 'static', visibility: 'shared' })).id
  await crm.ws.post(`/lists/${fixed}/members`, { ids: [bo.id, gone.id] })
  expect(await names('contacts', { list_id: fixed })).toEqual(['Bo'])
  const inPerth = { field: 'city', op: 'eq', value: 'Perth' }
  const live = created(
    await crm.ws.post('/lists', { name: 'Perth', object: 'contacts', kind: 'live', filter: inPerth, visibility: 'shared' }),
  ).id
  expect(await names('contacts', { list_id: live, contact_type: 'Lead' })).toEqual(['Cy'])
  const either = {
    any: [
      { field: 'list', op: 'in', value: fixed },
      { field: 'first_name', op: 'starts_with', value: 'a' },
    ],
  }
  expect(await names('contacts', { filter: either })).toEqual(['Ana Lee', 'Bo'])
  expect(await names('contacts', { filter: { field: 'archived', op: 'eq', value: true } })).toEqual(['Di'])
  expect(await names('contacts', { filter: { field: 'created_at', op: 'on', value: '2001-01-01' } })).toEqual([])
})

test('deals by status, pipeline, stage, age, list and filter', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const renewals = await crm.pipeline()
  const ana = await crm.contact({ first_name: 'Ana' })
  const fresh = await crm.opportunity({ name: 'Fresh', pipeline_id: pipeline, stage_id: stages.New, value: 20 })
  const won = await crm.opportunity({ name: 'Won', pipeline_id: pipeline, stage_id: stages.Won })
  const stale = await crm.opportunity({ name: 'Stale', pipeline_id: renewals.id })
  const active = await crm.opportunity({ name: 'Active', pipeline_id: pipeline, stage_id: stages.Qualified })
  for (const { id } of [stale, active]) await crm.rewrite('opportunities', id, { updated_at: '2026-01-01T00:00:00Z' })
  await crm.ws.post(`/opportunities/${fresh.id}/contacts`, { contact_id: ana.id })
  created(await crm.ws.post('/activities', { activity_type: 'call', subject: 'Hello', deal_id: active.id }))
  const rows = await audience('deals', { stage_ids: [stages.New] })
  expect(rows).toMatchObject([{ record_id: fresh.id, opportunity_id: fresh.id, contact_id: ana.id }])
  expect(rows[0]?.trigger_data).toMatchObject({
    id: fresh.id,
    name: 'Fresh',
    status: 'open',
    value: 20,
    pipeline_id: pipeline,
    stage_id: stages.New,
  })
  expect(await names('deals')).toEqual(['Active', 'Fresh', 'Stale', 'Won'])
  expect(await names('deals', { status: 'won' })).toEqual(['Won'])
  expect(await names('deals', { pipeline_id: renewals.id })).toEqual(['Stale'])
  expect(await names('deals', { stage_ids: [stages.New, stages.Qualified] })).toEqual(['Active', 'Fresh'])
  expect(await names('deals', { stale_days: 14 })).toEqual(['Stale'])
  expect(await names('deals', { filter: { has: 'contacts', where: { field: 'first_name', op: 'eq', value: 'Ana' } } })).toEqual(['Fresh'])
  const list = created(await crm.ws.post('/lists', { name: 'Best', object: 'opportunities', kind: 'static', visibility: 'shared' })).id
  await crm.ws.post(`/lists/${list}/members`, { ids: [won.id, fresh.id] })
  expect(await names('deals', { list_id: list, status: 'open', limit: 1 })).toEqual(['Fresh'])
})

test('contacts and deals so many days before or after a date, counted in the zone of the schedule', async () => {
  const field = created(await crm.ws.post('/custom-fields', { object: 'contact', label: 'Renewal', type: 'date' }))
  const zone = 'Pacific/Kiritimati'
  const today = Temporal.Now.plainDateISO(zone)
  const inDays = (days: number) => today.add({ days }).toString()
  for (const days of [13, 14, 15]) await crm.contact({ first_name: `In ${days}`, metadata: { [field.key]: inDays(days) } })
  await crm.contact({ first_name: 'Never' })
  for (const days of [-3, -2]) await crm.opportunity({ name: `Since ${-days}`, expected_close_date: inDays(days) })
  const among = async (type: string, name: string, op: string, days: number) =>
    (await audience(type, { filter: { field: name, op, value: { days } } }, { timezone: zone })).map(
      ({ trigger_data }) => trigger_data.name,
    )
  expect(await among('contacts', `metadata.${field.key}`, 'days_ahead', 14)).toEqual(['In 14'])
  expect(await among('deals', 'expected_close_date', 'days_ago', 3)).toEqual(['Since 3'])
  expect(await among('deals', 'expected_close_date', 'days_ahead', 0)).toEqual([])
})

test('members by role and id, and those with open tasks', async () => {
  const [editor, viewer] = [await crm.ws.key({ role: 'client_editor' }), await crm.ws.key({ role: 'client_viewer' })]
  const former = await crm.formerMember()
  const people = async (type: string, filter: object = {}) => (await audience(type, filter)).map(({ record_id }) => record_id).toSorted()
  const sorted = (...ids: string[]) => ids.toSorted()
  expect(await people('users')).toEqual(sorted(crm.ws.userId, editor.userId, viewer.userId))
  expect(await people('users', { roles: ['client_editor', 'client_viewer'] })).toEqual(sorted(editor.userId, viewer.userId))
  expect(await people('users', { roles: ['client_viewer'], user_ids: [editor.userId] })).toEqual([])
  const [row] = await audience('users', { user_ids: [editor.userId] })
  expect(row?.trigger_data).toMatchObject({
    id: editor.userId,
    role: 'client_editor',
    email: expect.stringContaining('@'),
    name: expect.any(String),
  })

  const task = async (title: string, fields: object) =>
    created(await crm.ws.post('/tasks', { title, assigned_to: editor.userId, ...fields })).id
  await task('Later', { due_at: '2030-01-01T00:00:00Z' })
  await task('Late', { due_at: '2026-01-01T00:00:00Z', status: 'in_progress' })
  await task('Done', { status: 'completed' })
  await task('Mine', { assigned_to: crm.ws.userId, due_at: '2030-01-01T00:00:00Z', priority: 'urgent' })
  const theirs = await task('Theirs', {})
  await crm.rewrite('tasks', theirs, { assigned_to: former })
  const tasks = async (filter: object = {}) =>
    (await audience('tasks_by_assignee', filter)).map(({ record_id, trigger_data }) => [
      record_id === editor.userId ? 'editor' : 'owner',
      ...trigger_data.tasks.map(({ title }: Row) => title),
    ])
  expect((await tasks()).toSorted()).toEqual([
    ['editor', 'Late', 'Later'],
    ['owner', 'Mine'],
  ])
  expect(await tasks({ include_overdue_only: true })).toEqual([['editor', 'Late']])
  expect(await tasks({ statuses: ['completed'] })).toEqual([['editor', 'Done']])
  expect(await tasks({ statuses: ['in_progress', 'completed'], max_tasks_per_user: 1 })).toEqual([['editor', 'Late']])
  expect(await tasks({ filter: { field: 'priority', op: 'eq', value: 'urgent' } })).toEqual([['owner', 'Mine']])
})

test('a preview shows as many rows as requested, and fires nothing', async () => {
  for (const first_name of ['A', 'B', 'C']) await crm.contact({ first_name })
  const { id } = await it.schedule({ audience_type: 'contacts' })
  expect((await it.preview(id, 2)).sample.map(({ name }: Row) => name)).toEqual(['A', 'B'])
  expect(await it.preview(id, 0)).toMatchObject({ total: 3, sample: [] })
  expect((await crm.ws.get(`/auto-schedules/${id}/audience-preview?sample=51`)).status).toBe(400)
  expect([await crm.count('schedule_runs'), await crm.count('automation_runs')]).toEqual([0, 0])
})

test('runs are spread over minutes, and begin at the local time of each contact', async () => {
  // In the far future, so that no run begins while the test looks.
  const zones = ['Australia/Perth', 'Asia/Kathmandu', 'Pacific/Chatham']
  for (const timezone of zones) await crm.contact({ first_name: timezone, timezone })
  const unknown = await crm.contact({ first_name: 'Unknown' })
  await crm.rewrite('contacts', unknown.id, { local_zone: null })
  const dueTimes = async (fields: object, fired: string) => {
    const { id } = await it.schedule({
      audience_type: 'contacts',
      timezone: 'UTC',
      cron_expression: '0 0 1 1 *',
      is_active: false,
      ...fields,
    })
    const { rows } = await crm.app.owner.query(
      `insert into schedule_runs (workspace_id, schedule_id, fired_at, settings) select workspace_id, id, $2, jsonb_build_object(
        'audience_type', audience_type, 'audience_filter', audience_filter, 'automation_id', automation_id, 'timezone', timezone,
        'spread_minutes', spread_minutes, 'deliver_at_local', deliver_at_local) from auto_schedules where id = $1 returning id`,
      [id, fired],
    )
    await crm.app.deliver('imports', [{ type: 'work.run', kind: 'schedule.run', workspace_id: crm.ws.id, item_id: rows[0].id }])
    return Object.fromEntries((await it.started(rows[0].id)).map(({ trigger_data, due_at }) => [trigger_data.name, due_at.toISOString()]))
  }
  expect(await dueTimes({ deliver_at_local: '09:00' }, '2099-03-02T01:00:00.000Z')).toEqual({
    'Australia/Perth': '2099-03-02T01:00:00.000Z',
    'Asia/Kathmandu': '2099-03-02T03:15:00.000Z',
    'Pacific/Chatham': '2099-03-02T19:15:00.000Z',
    Unknown: '2099-03-02T09:00:00.000Z',
  })
  // The clocks of the Chathams skip 02:45 to 03:45.
  expect((await dueTimes({ deliver_at_local: '03:00' }, '2099-09-26T00:00:00.000Z'))['Pacific/Chatham']).toBe('2099-09-26T14:00:00.000Z')
  for (let n = 0; n < 60; n++)
    await crm.app.owner.query('insert into contacts (workspace_id, first_name) values ($1, $2)', [crm.ws.id, `C${n}`])
  const minutes = Object.values(await dueTimes({ spread_minutes: 30 }, '2099-03-02T01:00:00.000Z')).map(
    (at) => (Date.parse(at as string) - Date.parse('2099-03-02T01:00:00.000Z')) / 60_000,
  )
  expect([Math.min(...minutes) >= 0, Math.max(...minutes) < 30]).toEqual([true, true])
  for (const third of [0, 10, 20]) expect(minutes.filter((at) => at >= third && at < third + 10).length).toBeGreaterThan(8)
})

test('a run that waits for another one of its record begins at its local time, and not when that one ends', async () => {
  const automation = await automationIn(crm.app, crm.ws, { enrolment: { mode: 'always', concurrency: 'queue' } })
  const contact = await crm.contact({ timezone: 'Asia/Kathmandu' })
  const inTwoHours = Temporal.Now.zonedDateTimeISO('Asia/Kathmandu').add({ hours: 2 })
  const deliver_at_local = inTwoHours.toPlainTime().toString({ smallestUnit: 'minute' })
  const { id } = await it.schedule({ audience_type: 'contacts', automation_id: automation, deliver_at_local, is_active: false })
  for (let fire = 0; fire < 2; fire++) {
    found(await crm.ws.post(`/auto-schedules/${id}/fire-now`))
    await crm.app.drain()
  }
  const runs = async () => (found(await crm.ws.get(`/automation-runs?automation_id=${automation}`)) as Row[]).toReversed()
  const due = inTwoHours.round({ smallestUnit: 'minute', roundingMode: 'floor' }).toInstant().toString({ fractionalSecondDigits: 3 })
  const [first] = await runs()
  expect(await runs()).toMatchObject([
    { contact_id: contact.id, state: 'running', due_at: due },
    { contact_id: contact.id, state: 'queued', due_at: null },
  ])
  found(await crm.ws.post(`/automation-runs/${first?.id}/cancel`))
  await crm.app.drain()
  expect(await runs()).toMatchObject([{ state: 'cancelled' }, { state: 'running', due_at: due, moves: 0 }])
})
