import { expect, test } from 'vitest'
import { created, failed, found, nobody, refused, tripsOf, useCrm } from '../crm.ts'
import { eventType, HOURS } from './scheduling.ts'

const crm = useCrm()

test('an event type has a slug from its name, its hosts and defaults; it can be copied, disabled and given other hosts', async () => {
  const { ws } = crm
  const { userId: colleague } = await ws.key()
  const type = await eventType(ws, { name: 'Café Visit, on site' }, [ws.userId, colleague])
  expect(type).toMatchObject({
    slug: 'cafe-visit-on-site',
    duration_minutes: 30,
    step_minutes: 30,
    seats: 1,
    is_active: true,
    assignment: 'round_robin',
  })
  expect(type.hosts).toEqual([ws.userId, colleague].map((user_id) => ({ user_id, priority: 0, weight: 1, is_fixed: false })))

  const copy = created(await ws.post(`/scheduled-event-types/${type.id}/duplicate`, { name: 'Online visit' }))
  expect(copy).toMatchObject({ name: 'Online visit', slug: 'online-visit', hosts: type.hosts, version: 1 })
  expect(await ws.post(`/scheduled-event-types/${type.id}/duplicate`, { name: 'online  VISIT' })).toMatchObject(failed(409, 'CONFLICT'))

  expect(found(await ws.post(`/scheduled-event-types/${type.id}/disable`, {}))).toMatchObject({ is_active: false, version: 2 })
  expect(found(await ws.get('/scheduled-event-types?is_active=false')).map(({ id }) => id)).toEqual([type.id])
  expect(found(await ws.post(`/scheduled-event-types/${type.id}/enable`, {}))).toMatchObject({ is_active: true })
  const [host] = found(await ws.put(`/scheduled-event-types/${type.id}/hosts`, { hosts: [{ user_id: colleague, weight: 3 }] })).hosts
  expect(host).toMatchObject({ user_id: colleague, weight: 3 })

  const stranger = (await crm.app.workspace()).userId
  expect(await ws.put(`/scheduled-event-types/${type.id}/hosts`, { hosts: [{ user_id: colleague }, { user_id: stranger }] })).toMatchObject(
    refused('hosts.1.user_id'),
  )
  expect(await ws.post('/scheduled-event-types', { name: 'Odd', step_minutes: 4 })).toMatchObject(refused('step_minutes'))
  const odd = created(await ws.post('/scheduled-event-types', { name: 'Odd', step_minutes: 50 }))
  expect(odd).toMatchObject({ step_minutes: 50, align_to_clock: false })
  expect(found(await ws.patch(`/scheduled-event-types/${odd.id}`, { align_to_clock: true }))).toMatchObject({ align_to_clock: true })
  expect(await ws.post('/scheduled-event-types', { name: 'Odd', locked_timezone: 'EST' })).toMatchObject(refused('locked_timezone'))
  expect((await ws.delete(`/scheduled-event-types/${copy.id}`)).status).toBe(200)
})

test('working hours are those of the company until a member sets own ones; bad hours name their place', async () => {
  const { ws } = crm
  expect(found(await ws.get('/scheduling/availability'))).toMatchObject({
    id: ws.id,
    user_id: null,
    timezone: null,
    weekly_hours: null,
    version: 0,
  })
  const hours = {
    timezone: 'Australia/Perth',
    weekly_hours: HOURS,
    date_overrides: [{ date: '2026-12-25', hours: [], reason: 'Christmas Day' }],
  }
  expect(found(await ws.put('/scheduling/availability', hours))).toMatchObject({ ...hours, version: 1 })
  expect(found(await ws.put('/scheduling/availability', { timezone: null }))).toMatchObject({
    timezone: null,
    weekly_hours: null,
    date_overrides: [],
    version: 2,
  })

  const own = `/scheduling/availability/users/${ws.userId}`
  expect(found(await ws.get(own))).toMatchObject({ id: ws.userId, user_id: ws.userId, version: 0 })
  expect(found(await ws.put(own, { weekly_hours: { monday: [{ start: '22:00', end: '02:00' }] }, max_per_day: 3 }))).toMatchObject({
    max_per_day: 3,
    version: 1,
  })
  expect(await ws.get(`/scheduling/availability/users/${(await crm.app.workspace()).userId}`)).toMatchObject(failed(404, 'NOT_FOUND'))

  const put = (fields: object) => ws.put('/scheduling/availability', fields)
  expect(await put({ weekly_hours: { monday: [{ start: '09:00', end: '24:00' }] } })).toMatchObject(refused('weekly_hours.monday.0.end'))
  expect(
    await put({
      weekly_hours: {
        monday: [
          { start: '09:00', end: '12:00' },
          { start: '11:00', end: '13:00' },
        ],
      },
    }),
  ).toMatchObject(refused('weekly_hours.monday'))
  expect(await put({ date_overrides: [{ date: '2026-02-30' }] })).toMatchObject(refused('date_overrides.0.date'))
  expect(await put({ timezone: 'EST' })).toMatchObject(refused('timezone'))
})

test('a member has several schedules, of which one is the default; one that an event type uses is not deleted', async () => {
  const { ws, app } = crm
  const { userId: colleague } = await ws.key()
  const path = '/scheduling/availability-schedules'
  const usual = `/scheduling/availability/users/${ws.userId}`
  const make = (name: string, fields: object = {}) => ws.post(path, { user_id: ws.userId, name, ...fields })
  const list = async (userId = ws.userId) =>
    found(await ws.get(`${path}?user_id=${userId}`))
      .map(({ name, is_default }) => [name, is_default])
      .toSorted()
  expect(await list()).toEqual([])
  const evening = { friday: [{ start: '18:00', end: '21:00' }] }
  let answer: Awaited<ReturnType<typeof make>> | undefined
  expect(
    await tripsOf(app, async () => {
      answer = await make('Evenings', { weekly_hours: evening })
    }),
  ).toBe(1)
  const evenings = created(answer!)
  expect(evenings).toMatchObject({ user_id: ws.userId, name: 'Evenings', is_default: false, weekly_hours: evening, version: 1 })
  expect(await list()).toEqual([
    ['Evenings', false],
    ['Working hours', true],
  ])
  expect(found(await ws.get(usual))).toMatchObject({ id: ws.userId, name: 'Working hours', weekly_hours: null, is_default: true })
  expect(found(await ws.put(usual, { max_per_day: 3 }))).toMatchObject({ id: ws.userId, max_per_day: 3 })
  expect(found(await ws.get(`${path}/${evenings.id}`))).toMatchObject({ weekly_hours: evening, max_per_day: null })

  expect(await make('evenings')).toMatchObject(failed(409, 'CONFLICT'))
  expect(await ws.post(path, { user_id: (await app.workspace()).userId, name: 'Evenings' })).toMatchObject(refused('user_id'))
  expect(await make('Mornings', { holiday_calendar_id: ws.userId })).toMatchObject(refused('holiday_calendar_id'))
  created(await ws.post(path, { user_id: colleague, name: 'Evenings', is_default: true }))
  expect(await list(colleague)).toEqual([['Evenings', true]])

  const used = { user_id: ws.userId, availability_schedule_id: evenings.id }
  expect(
    await ws.post('/scheduled-event-types', { name: 'Late', hosts: [{ user_id: ws.userId }, { ...used, user_id: colleague }] }),
  ).toMatchObject(refused('hosts.1.availability_schedule_id'))
  const type = await eventType(ws, { hosts: [used] })
  expect(type.hosts).toMatchObject([used])
  expect(await ws.delete(`${path}/${evenings.id}`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', details: { referenced_by: 'scheduled_event_types', ids: [type.id] } } },
  })
  expect(await ws.delete(`${path}/${ws.userId}`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await ws.patch(`${path}/${ws.userId}`, { is_default: false })).toMatchObject(refused('is_default'))

  expect(found(await ws.patch(`${path}/${evenings.id}`, { is_default: true, name: 'Late' }))).toMatchObject({
    is_default: true,
    version: 2,
  })
  expect(found(await ws.get(usual))).toMatchObject({ id: evenings.id, name: 'Late', weekly_hours: evening })
  expect(found(await ws.put(usual, { weekly_hours: HOURS }))).toMatchObject({ id: evenings.id, weekly_hours: HOURS, version: 3 })
  expect(found(await ws.delete(`${path}/${ws.userId}`))).toMatchObject({ deleted: true })
  expect(await list()).toEqual([['Late', true]])

  const stranger = await app.workspace()
  expect(found(await stranger.get(path))).toEqual([])
  for (const refusal of [stranger.get(`${path}/${evenings.id}`), stranger.delete(`${path}/${evenings.id}`)])
    expect(await refusal).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await stranger.post('/scheduled-event-types', { name: 'Theirs', hosts: [{ ...used, user_id: stranger.userId }] })).toMatchObject(
    refused('hosts.0.availability_schedule_id'),
  )
  // The hours of the company are not a schedule of a member.
  found(await ws.put('/scheduling/availability', { timezone: 'Australia/Perth' }))
  expect((await ws.get(`${path}/${ws.id}`)).status).toBe(404)
  expect((await ws.patch(`${path}/${ws.id}`, { name: 'Ours' })).status).toBe(404)
  expect(found(await ws.get(path)).map(({ user_id }) => user_id)).not.toContain(null)

  for (let n = 2; n <= 20; n++) created(await make(`Schedule ${n}`))
  expect(await make('Schedule 21')).toMatchObject(failed(409, 'CONFLICT'))
  expect((await ws.post(`${path}/${ws.userId}/restore`, {})).status).toBe(409)
})

test('time off is of a member or of everyone, and ends after it starts', async () => {
  const { ws } = crm
  const away = created(
    await ws.post('/scheduling/time-off', { user_id: ws.userId, starts_at: '2026-12-21T00:00:00Z', ends_at: '2027-01-04T00:00:00Z' }),
  )
  expect(found(await ws.get(`/scheduling/time-off?user_id=${ws.userId}`)).map(({ id }) => id)).toEqual([away.id])
  expect(found(await ws.patch(`/scheduling/time-off/${away.id}`, { reason: 'Holidays' }))).toMatchObject({ reason: 'Holidays' })
  for (const patch of [{ ends_at: '2026-12-01T00:00:00Z' }, { starts_at: '2027-01-04T00:00:00Z' }, { starts_at: '2025-12-01T00:00:00Z' }])
    expect(await ws.patch(`/scheduling/time-off/${away.id}`, patch)).toMatchObject(refused('ends_at'))
  expect((await ws.post('/scheduling/time-off', { starts_at: '2026-12-21T00:00:00Z', ends_at: '2028-01-04T00:00:00Z' })).status).toBe(400)
  const week = { starts_at: '2026-12-21T00:00:00Z', ends_at: '2026-12-28T00:00:00Z' }
  for (const user_id of [nobody, await crm.formerMember()]) {
    expect(await ws.post('/scheduling/time-off', { user_id, ...week })).toMatchObject(refused('user_id'))
    expect(await ws.patch(`/scheduling/time-off/${away.id}`, { user_id })).toMatchObject(refused('user_id'))
  }
  expect((await ws.delete(`/scheduling/time-off/${away.id}`)).status).toBe(200)
})
