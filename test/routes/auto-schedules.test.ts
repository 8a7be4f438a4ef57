import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { failed, found, held, refused, useCrm } from './crm.ts'
import { automationIn, scheduling } from './scheduling.ts'

const crm = useCrm()
let it: ReturnType<typeof scheduling>
beforeEach(async () => {
  it = scheduling(crm.app, crm.ws, await automationIn(crm.app, crm.ws))
})
const create = (fields: object) =>
  crm.ws.post('/auto-schedules', { name: 'Digest', audience_type: 'users', automation_id: it.automation, ...fields })

test('a schedule is created from a time of day or a cron expression, which wins', async () => {
  const daily = await it.schedule({ cron_expression: undefined, time_of_day: '09:05', days_of_week: [5, 1, 5], timezone: 'nsw' })
  expect(daily).toMatchObject({
    cron_expression: '5 9 * * 1,5',
    time_of_day: '09:05',
    days_of_week: [1, 5],
    timezone: 'Australia/Sydney',
    is_active: true,
    audience_filter: {},
    misfire_policy: 'run_latest',
    grace_minutes: 60,
    run_count: 0,
    max_runs: null,
  })
  expect(Date.parse(daily.next_run_at)).toBeGreaterThan(Date.now())
  const both = await it.schedule({ cron_expression: ' 0  12 * * MON-FRI ', time_of_day: '09:05', timezone: 'Asia/Kathmandu' })
  expect(both).toMatchObject({ cron_expression: '0 12 * * MON-FRI', time_of_day: null, days_of_week: null })
  expect(both.next_run_at).toMatch(/T06:15:00.000Z$/)
  expect(await it.schedule({ cron_expression: '0 7 * * *' })).toMatchObject({ timezone: 'Australia/Sydney', time_of_day: '07:00' })
  expect(await it.schedule({ is_active: false })).toMatchObject({ is_active: false, next_run_at: null })
  expect(await it.schedule({ end_at: '2020-01-01T00:00:00Z' })).toMatchObject({ is_active: true, next_run_at: null })
  expect(found(await crm.ws.get(`/auto-schedules?automation_id=${it.automation}`))).toHaveLength(5)
})

const REFUSED: [object, string][] = [
  [{}, 'cron_expression'],
  [{ time_of_day: null }, 'cron_expression'],
  [{ time_of_day: '9:05' }, 'time_of_day'],
  [{ time_of_day: '24:00' }, 'time_of_day'],
  [{ time_of_day: '09:00', days_of_week: [7] }, 'days_of_week.0'],
  [{ time_of_day: '09:00', days_of_week: [] }, 'days_of_week'],
  [{ cron_expression: '*/0 * * * *' }, 'cron_expression'],
  [{ cron_expression: '61 * * * *' }, 'cron_expression'],
  [{ cron_expression: '0 0 31 2 *' }, 'cron_expression'],
  [{ cron_expression: '0 9 * * *', timezone: 'EST' }, 'timezone'],
  [{ cron_expression: '0 9 * * *', timezone: '+10:00' }, 'timezone'],
  [{ cron_expression: '0 9 * * *', end_at: 'tomorrow' }, 'end_at'],
  [{ cron_expression: '0 9 * * *', max_runs: 1.5 }, 'max_runs'],
  [{ cron_expression: '0 9 * * *', audience_type: 'companies' }, 'audience_type'],
  [{ cron_expression: '0 9 * * *', audience_filter: { status: 'open' } }, 'audience_filter.status'],
  [{ cron_expression: '0 9 * * *', audience_filter: { roles: ['nobody'] } }, 'audience_filter.roles.0'],
  [{ cron_expression: '0 9 * * *', audience_filter: { user_ids: [randomUUID()] } }, 'audience_filter.user_ids.0'],
  [{ cron_expression: '0 9 * * *', audience_type: 'deals', audience_filter: { pipeline_id: randomUUID() } }, 'audience_filter.pipeline_id'],
  [{ cron_expression: '0 9 * * *', audience_type: 'deals', audience_filter: { stage_ids: [randomUUID()] } }, 'audience_filter.stage_ids.0'],
  [{ cron_expression: '0 9 * * *', audience_type: 'contacts', audience_filter: { list_id: randomUUID() } }, 'audience_filter.list_id'],
  [
    { cron_expression: '0 9 * * *', audience_type: 'contacts', audience_filter: { filter: { field: 'colour', op: 'eq', value: 'red' } } },
    'audience_filter.filter.field',
  ],
  [
    {
      cron_expression: '0 9 * * *',
      audience_type: 'contacts',
      audience_filter: { filter: { field: 'metadata.gone', op: 'eq', value: 'x' } },
    },
    'audience_filter.filter.field',
  ],
  [{ cron_expression: '0 9 * * *', deliver_at_local: '09:00' }, 'deliver_at_local'],
  [{ cron_expression: '0 9 * * *', automation_id: randomUUID() }, 'automation_id'],
]

test('bad fields are refused, and each is named', async () => {
  for (const [fields, path] of REFUSED) expect(await create(fields), JSON.stringify(fields)).toMatchObject(refused(path))
})

test('a change of the times or the zone recomputes the next time, and no other change does', async () => {
  const { id } = await it.schedule({ cron_expression: '0 9 * * *', timezone: 'UTC' })
  const patch = async (fields: object) => found(await crm.ws.patch(`/auto-schedules/${id}`, fields))
  expect((await patch({ timezone: 'Asia/Kathmandu' })).next_run_at).toMatch(/T03:15/)
  expect(await patch({ days_of_week: [1] })).toMatchObject({ cron_expression: '0 9 * * 1', time_of_day: '09:00', days_of_week: [1] })
  expect(await patch({ time_of_day: '10:30' })).toMatchObject({ cron_expression: '30 10 * * 1' })
  expect(await patch({ days_of_week: null })).toMatchObject({ cron_expression: '30 10 * * *' })
  await it.due(id, '2020-01-01T00:00:00Z')
  const whole = await patch({ name: 'Other', grace_minutes: 5 })
  expect(whole.next_run_at).toBe('2020-01-01T00:00:00.000Z')
  // The whole record may be sent back, and then the cron expression wins.
  expect(await patch({ ...whole, time_of_day: '01:00' })).toMatchObject({ cron_expression: '30 10 * * *', next_run_at: whole.next_run_at })
  expect((await patch({ cron_expression: '0 0 1 1 *', time_of_day: '05:00' })).next_run_at).toMatch(/-12-31T18:15/)
  expect(await crm.ws.patch(`/auto-schedules/${id}`, { days_of_week: [1] })).toMatchObject(refused('time_of_day'))
  expect(await patch({ is_active: false })).toMatchObject({ next_run_at: null })
  expect(await patch({ is_active: true, end_at: '2026-01-01T00:00:00Z' })).toMatchObject({ is_active: true, next_run_at: null })
  expect((await patch({ end_at: null })).next_run_at).not.toBeNull()
  expect(await crm.ws.patch(`/auto-schedules/${id}`, { audience_filter: { limit: 3 } })).toMatchObject(refused('audience_filter.limit'))
  expect(await crm.ws.patch(`/auto-schedules/${id}`, { name: 'X' }, { 'if-match': '"1"' })).toMatchObject(
    failed(412, 'PRECONDITION_FAILED'),
  )
})

test('a deleted schedule leaves its automation, can be restored, and has a history', async () => {
  const { id } = await it.schedule({ cron_expression: '0 9 * * *' })
  await crm.ws.patch(`/auto-schedules/${id}`, { name: 'Renamed' })
  expect(await crm.ws.delete(`/auto-schedules/${id}`)).toMatchObject({ status: 200, body: { data: { id, deleted: true } } })
  expect(await crm.ws.get(`/auto-schedules/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.count('automations')).toBe(1)
  expect(found(await crm.ws.post(`/auto-schedules/${id}/restore`))).toMatchObject({ id, name: 'Renamed' })
  const history = found(await crm.ws.get(`/auto-schedules/${id}/history`))
  expect(history.map(({ action }) => action)).toEqual(['created', 'deleted', 'updated', 'created'])
  expect(await crm.ws.delete(`/auto-schedules/${randomUUID()}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the older path takes a cron expression and no time of day', async () => {
  const body = { name: 'Old', audience_type: 'users', automation_id: it.automation }
  const made = await crm.ws.post('/event-schedules', { ...body, cron_expression: '0 9 * * 1' })
  expect([made.status, made.headers.get('deprecation'), made.headers.get('link')]).toEqual([
    201,
    'true',
    '</v1/auto-schedules>; rel="successor-version"',
  ])
  expect(made.body.data).toMatchObject({ cron_expression: '0 9 * * 1', time_of_day: '09:00' })
  expect(await crm.ws.post('/event-schedules', { ...body, time_of_day: '09:00' })).toMatchObject(refused('cron_expression', 'time_of_day'))
  expect(await crm.ws.post('/event-schedules', body)).toMatchObject(refused('cron_expression'))
  const { id } = made.body.data
  expect(found(await crm.ws.patch(`/event-schedules/${id}`, { time_of_day: '10:00' }))).toMatchObject({ cron_expression: '0 10 * * 1' })
  expect(found(await crm.ws.get('/event-schedules'))).toHaveLength(1)
  expect(found(await crm.ws.get(`/event-schedules/${id}/audience-preview`)).total).toBe(1)
  expect(found(await crm.ws.post(`/event-schedules/${id}/fire-now`)).status).toBeNull()
  expect(found(await crm.ws.get(`/event-schedules/${id}/runs`))).toHaveLength(1)
  expect((await crm.ws.delete(`/event-schedules/${id}`)).status).toBe(200)
})

test('a preview of the times shows where the clocks change, and needs only schedules:read', async () => {
  const reader = await crm.ws.key({ scopes: ['schedules:read'], level: 'read_only', role: 'client_viewer' })
  const preview = await reader.post('/auto-schedules/preview-cron', {
    cron_expression: '30 2 * * *',
    timezone: 'Australia/Sydney',
    after: '2026-10-02T20:00:00Z',
    count: 2,
  })
  expect(found(preview)).toEqual({
    cron_expression: '30 2 * * *',
    timezone: 'Australia/Sydney',
    fire_times: [
      { at: '2026-10-03T16:00:00.000Z', local: '2026-10-04T03:00', dst: 'dst_gap' },
      { at: '2026-10-04T15:30:00.000Z', local: '2026-10-05T02:30', dst: null },
    ],
  })
  const overlap = { cron_expression: '30 2 * * *', timezone: 'Australia/Sydney', after: '2027-04-03T00:00:00Z', count: 1 }
  expect(found(await reader.post('/event-schedules/preview-cron', overlap)).fire_times[0].dst).toBe('dst_overlap')
  const ofWorkspace = found(await reader.post('/auto-schedules/preview-cron', { cron_expression: '0 9 * * *' }))
  expect([ofWorkspace.timezone, ofWorkspace.fire_times.length]).toEqual(['Australia/Sydney', 5])
  expect(await reader.post('/auto-schedules/preview-cron', { cron_expression: '61 * * * *' })).toMatchObject(refused('cron_expression'))
  expect(await crm.count('auto_schedules')).toBe(0)
})

test('whoever writes a schedule or previews its audience must be allowed to read that audience', async () => {
  const key = (...scopes: string[]) => crm.ws.key({ scopes: ['schedules:read', 'schedules:write', 'schedules:delete', ...scopes] })
  const without = await key()
  const lacking = (...scopes: string[]) => ({
    status: 403,
    body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing_scopes: scopes } } },
  })
  const body = { name: 'Digest', cron_expression: '0 9 * * *', automation_id: it.automation }
  for (const [audience_type, scopes] of [
    ['users', ['users:read']],
    ['tasks_by_assignee', ['tasks:read', 'users:read']],
    ['contacts', ['contacts:read']],
    ['deals', ['opportunities:read']],
  ] as const) {
    expect(await without.post('/auto-schedules', { ...body, audience_type })).toMatchObject(lacking(...scopes))
    expect((await (await key(...scopes)).post('/auto-schedules', { ...body, audience_type })).status).toBe(201)
  }
  const contacts = await key('contacts:read')
  const related = { audience_type: 'contacts', audience_filter: { filter: { has: 'opportunities' } } }
  expect(await contacts.post('/auto-schedules', { ...body, ...related })).toMatchObject(lacking('opportunities:read'))
  const deals = await key('opportunities:read')
  expect(await deals.post('/auto-schedules', { ...body, audience_type: 'deals', audience_filter: { stale_days: 3 } })).toMatchObject(
    lacking('activities:read'),
  )
  const { id } = found(await contacts.post('/auto-schedules', { ...body, audience_type: 'contacts' }))
  expect(await without.get(`/auto-schedules/${id}/audience-preview`)).toMatchObject(lacking('contacts:read'))
  expect(await without.patch(`/auto-schedules/${id}`, { name: 'Mine' })).toMatchObject(lacking('contacts:read'))
  expect(await contacts.patch(`/auto-schedules/${id}`, { audience_type: 'users' })).toMatchObject(lacking('users:read'))
  expect((await without.delete(`/auto-schedules/${id}`)).status).toBe(200)
  expect(await without.post(`/auto-schedules/${id}/restore`)).toMatchObject(lacking('contacts:read'))
  expect((await contacts.post(`/auto-schedules/${id}/restore`)).status).toBe(200)
  // A private list of somebody else is no list.
  const list = found(await crm.ws.post('/lists', { name: 'Mine', object: 'contacts', kind: 'static' })).id
  const editor = await crm.ws.key({ role: 'client_editor' })
  const ofList = { ...body, audience_type: 'contacts', audience_filter: { list_id: list } }
  expect(await editor.post('/auto-schedules', ofList)).toMatchObject(refused('audience_filter.list_id'))
  expect((await crm.ws.post('/auto-schedules', ofList)).status).toBe(201)
})

test('a write waits for approval, and a dry run of a fire starts nothing', async () => {
  const { id } = await it.schedule({ is_active: false })
  const careful = await crm.ws.key({ level: 'approval' })
  expect(await careful.post(`/auto-schedules/${id}/fire-now`)).toMatchObject(held)
  expect((await crm.ws.post(`/auto-schedules/${id}/fire-now?dry_run=true`)).status).toBe(200)
  await crm.app.drain()
  expect([await crm.count('schedule_runs'), await crm.count('automation_runs')]).toEqual([0, 0])
  const key = { 'idempotency-key': 'once' }
  const [first, again] = [
    await crm.ws.post(`/auto-schedules/${id}/fire-now`, {}, key),
    await crm.ws.post(`/auto-schedules/${id}/fire-now`, {}, key),
  ]
  await crm.app.drain()
  expect(again.body.data.id).toBe(first.body.data.id)
  expect([await crm.count('schedule_runs'), await crm.count('automation_runs')]).toEqual([1, 2])
})
