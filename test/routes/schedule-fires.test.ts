import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, ids, type Row, useCrm } from './crm.ts'
import { automationIn, scheduling } from './scheduling.ts'

const crm = useCrm({ ownServer: true })
let it: ReturnType<typeof scheduling>
beforeEach(async () => {
  // A schedule of an earlier test is not due any more.
  await crm.app.owner.query('update auto_schedules set is_active = false')
  it = scheduling(crm.app, crm.ws, await automationIn(crm.app, crm.ws))
})

/** A time in the past that is a minute of the clock, and others relative to it. */
const NOON = '2026-03-02T12:00:00.000Z'
const after = (minutes: number, of = NOON) => new Date(Date.parse(of) + minutes * 60_000).toISOString()
const dueAt = (fires: Row[]) => fires.map(({ timing }) => timing.due_at)

test('each minute that is due fires once, whatever happens to the ticks', async () => {
  const { id } = await it.schedule({ misfire_policy: 'run_all' })
  await it.due(id, NOON)
  await it.tick(after(-1))
  expect(await it.fires(id)).toEqual([])
  // Doubled and overlapping ticks, one that comes again late, and a clock that is off by five minutes both ways.
  await Promise.all([crm.app.cron('* * * * *', new Date(NOON)), crm.app.cron('* * * * *', new Date(NOON)), it.tick(after(1))])
  await it.tick(NOON)
  await it.tick(after(6))
  await it.tick(after(-4))
  await it.tick(after(2))
  expect(dueAt(await it.fires(id))).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => after(n)))
  // Nothing ticked for 45 minutes.
  await it.tick(after(52))
  const fires = await it.fires(id)
  expect(dueAt(fires)).toEqual(Array.from({ length: 53 }, (_, n) => after(n)))
  expect(await it.read(id)).toMatchObject({ run_count: 53, next_run_at: after(53) })
  expect(
    fires.every(({ status, audience_size, runs_triggered }) => status === 'completed' && audience_size === 1 && runs_triggered === 1),
  ).toBe(true)
  expect(await crm.count('automation_runs')).toBe(53)
  // Somebody sets the schedule back: no minute fires again.
  await it.due(id, NOON)
  await it.tick(after(52))
  expect([(await it.fires(id)).length, await crm.count('automation_runs'), (await it.read(id)).run_count]).toEqual([53, 53, 53])
  // A worker has decided by what somebody has changed since.
  const due = await it.read(id)
  found(await crm.ws.patch(`/auto-schedules/${id}`, { name: 'Changed' }))
  const decided = (version: number) =>
    JSON.stringify([{ workspace_id: crm.ws.id, id, version, next_run_at: due.next_run_at, due: [due.next_run_at] }])
  for (const [version, counted] of [
    [due.version, 53],
    [due.version + 1, 54],
  ]) {
    await crm.app.owner.query('select fire_due_schedules($1)', [decided(version)])
    expect((await it.read(id)).run_count).toBe(counted)
  }
})

test('times that were missed are skipped, fire once, or all fire, within the grace period', async () => {
  const of = async (fields: object) => {
    const { id } = await it.schedule(fields)
    await it.due(id, NOON)
    return id
  }
  const skip = await of({ misfire_policy: 'skip' })
  const daily = await of({ cron_expression: '0 12 * * *', timezone: 'UTC' })
  const tooLate = await of({ cron_expression: '0 12 * * *', timezone: 'UTC', grace_minutes: 30 })
  const latest = await of({ cron_expression: '*/10 * * * *' })
  const all = await of({ cron_expression: '*/10 * * * *', misfire_policy: 'run_all', grace_minutes: 25 })
  await it.tick(after(48))
  expect(dueAt(await it.fires(skip))).toEqual([43, 44, 45, 46, 47, 48].map((n) => after(n)))
  const [fire] = await it.fires(daily)
  expect(fire).toMatchObject({ timing: { due_at: NOON }, status: 'completed' })
  expect(fire?.timing.late_seconds).toBeGreaterThan(48 * 60)
  expect(await it.read(daily)).toMatchObject({ next_run_at: after(1440), run_count: 1 })
  expect(await it.fires(tooLate)).toEqual([])
  expect(await it.read(tooLate)).toMatchObject({ next_run_at: after(1440), run_count: 0 })
  expect(dueAt(await it.fires(latest))).toEqual([after(40)])
  expect(dueAt(await it.fires(all))).toEqual([after(30), after(40)])
  const missed = (await crm.events(tooLate)).filter(({ type }) => type === 'auto_schedule.missed')
  expect(missed.map(({ payload }) => payload)).toEqual([{ due_at: NOON, fired: [] }])
})

test('a schedule ends after max_runs, and after end_at, and can be fired by hand in any state', async () => {
  const { id } = await it.schedule({ max_runs: 2, misfire_policy: 'run_all' })
  await it.due(id, NOON)
  await it.tick(after(9))
  expect(dueAt(await it.fires(id))).toEqual([NOON, after(1)])
  const ended = await it.read(id)
  expect(ended).toMatchObject({ is_active: false, run_count: 2, next_run_at: null })
  const fired = found(await crm.ws.post(`/auto-schedules/${id}/fire-now`))
  expect(fired).toMatchObject({
    schedule_id: id,
    status: null,
    timing: { due_at: null, late_seconds: 0, ended_at: null, duration_ms: null },
  })
  await crm.app.drain()
  expect((await it.fires(id)).at(-1)).toMatchObject({ id: fired.id, status: 'completed', runs_triggered: 1, error: null })
  expect(await it.read(id)).toEqual(ended)
  expect(await crm.ws.patch(`/auto-schedules/${id}`, { is_active: true })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(found(await crm.ws.patch(`/auto-schedules/${id}`, { is_active: true, max_runs: 3 })).next_run_at).not.toBeNull()
  expect((await crm.ws.get(`/auto-schedules/${id}/history`)).body.data[1].fields).toEqual({ is_active: { before: true, after: false } })

  const until = await it.schedule({ misfire_policy: 'run_all' })
  await crm.ws.patch(`/auto-schedules/${until.id}`, { end_at: after(2) })
  await it.due(until.id, NOON)
  await it.tick(after(5))
  expect(dueAt(await it.fires(until.id))).toEqual([NOON, after(1), after(2)])
  expect(await it.read(until.id)).toMatchObject({ is_active: true, next_run_at: null })
})

test('without a published automation, or with a filter that no longer works, a fire fails with a reason', async () => {
  const draft = scheduling(crm.app, crm.ws, await automationIn(crm.app, crm.ws, { publish: false }))
  const { id } = await draft.schedule()
  await draft.due(id, NOON)
  await draft.tick(NOON)
  const message = 'The automation is not published: its state is draft'
  expect(await draft.fires(id)).toMatchObject([
    { status: 'failed', error: { code: 'INVALID_STATE', message }, audience_size: 0, runs_triggered: 0 },
  ])
  expect(found(await crm.ws.post(`/auto-schedules/${id}/fire-now`))).toMatchObject({ status: 'failed', error: { message } })

  const field = created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'size', label: 'Size', type: 'number' }))
  const filter = { field: 'metadata.size', op: 'gt', value: 3 }
  const list = created(await crm.ws.post('/lists', { name: 'Big', object: 'contacts', kind: 'live', filter, visibility: 'shared' }))
  const byField = await it.schedule({ audience_type: 'contacts', audience_filter: { filter } })
  const byList = await it.schedule({ audience_type: 'contacts', audience_filter: { list_id: list.id } })
  expect((await crm.ws.delete(`/lists/${list.id}`)).status).toBe(200)
  expect((await crm.ws.delete(`/custom-fields/${field.id}`)).status).toBe(200)
  for (const { id } of [byField, byList]) await it.due(id, NOON)
  await it.tick(NOON)
  expect(await it.fires(byField.id)).toMatchObject([
    { status: 'failed', error: { code: 'VALIDATION_ERROR', message: expect.stringMatching(/size/) } },
  ])
  expect(await it.fires(byList.id)).toMatchObject([{ status: 'failed', error: { message: 'No such list in this workspace' } }])
  expect(await crm.ws.get(`/auto-schedules/${byList.id}/audience-preview`)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
})

test('a schedule for which nothing can be decided is not due again, says so, and delays no other one', async () => {
  const [broken, other] = [await it.schedule(), await it.schedule()]
  await it.due(broken.id, NOON, ", timezone = 'Mars/Olympus'")
  await it.due(other.id, after(1))
  await it.tick(after(1))
  expect(await it.fires(broken.id)).toEqual([])
  expect(await it.read(broken.id)).toMatchObject({ next_run_at: null, run_count: 0 })
  expect((await crm.events(broken.id)).filter(({ type }) => type === 'auto_schedule.missed')).toHaveLength(1)
  expect(dueAt(await it.fires(other.id))).toEqual([after(1)])
})

test('a fire of a schedule that is deleted before its runs begin starts none', async () => {
  const { id } = await it.schedule()
  crm.app.proxy.onRequest = async (request) => {
    if (!('queries' in request ? request.queries : [request]).some(({ query }) => query.includes('load_schedule_run'))) return
    crm.app.proxy.onRequest = undefined
    found(await crm.ws.delete(`/auto-schedules/${id}`))
  }
  const fire = found(await crm.ws.post(`/auto-schedules/${id}/fire-now`))
  await crm.app.drain()
  const { rows } = await crm.app.owner.query('select status, error, ended_at is not null as has_ended from schedule_runs where id = $1', [
    fire.id,
  ])
  expect(rows).toEqual([{ status: 'failed', error: { code: 'NOT_FOUND', message: 'The schedule was deleted' }, has_ended: true }])
  expect(await crm.count('automation_runs')).toBe(0)
})

test('a restored schedule fires for none of the times at which it was deleted', async () => {
  const now = Date.now()
  const halfPast = (new Date(now).getUTCMinutes() + 30) % 60
  const { id } = await it.schedule({ cron_expression: `${halfPast} * * * *`, misfire_policy: 'run_all', grace_minutes: 600 })
  await it.due(id, new Date(now - 5 * 3_600_000).toISOString())
  found(await crm.ws.delete(`/auto-schedules/${id}`))
  found(await crm.ws.post(`/auto-schedules/${id}/restore`))
  await it.tick(new Date().toISOString())
  expect(await it.fires(id)).toEqual([])
  const { next_run_at, run_count } = await it.read(id)
  expect(run_count).toBe(0)
  expect(Date.parse(next_run_at)).toBeGreaterThan(now)
})

test('rows that get no run are listed with the reason, and the enrolment of the automation is no failure', async () => {
  const once = await automationIn(crm.app, crm.ws, { enrolment: { mode: 'once', concurrency: 'parallel' } })
  const ofOnce = scheduling(crm.app, crm.ws, once)
  const { id } = await ofOnce.schedule({ audience_type: 'contacts', cron_expression: '0 * * * *', timezone: 'UTC' })
  const first = (await crm.contact({ first_name: 'First' })).id
  await ofOnce.due(id, NOON)
  await ofOnce.tick(NOON)
  const second = (await crm.contact({ first_name: 'Second' })).id
  await ofOnce.tick(after(60))
  const [one, two] = await ofOnce.fires(id)
  expect(one).toMatchObject({ status: 'completed', audience_size: 1, runs_triggered: 1, runs_skipped: 0 })
  expect(two).toMatchObject({ status: 'completed', audience_size: 2, runs_triggered: 1, runs_skipped: 1, runs_failed: 0 })
  const results = await ofOnce.results(id, two?.id)
  const of = (record: string) => results.find(({ record_id }) => record_id === record)
  expect(results).toHaveLength(2)
  expect(of(first)).toMatchObject({ automation_run_id: null, state: null, reason: 'enrolled_before', due_at: null })
  expect(of(second)).toMatchObject({ state: 'completed', reason: null, automation_run_id: of(second)?.id })
  expect(await crm.ws.get(`/auto-schedules/${first}/runs/${two?.id}/results`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const other = await it.schedule()
  expect(await crm.ws.get(`/auto-schedules/${other.id}/runs/${two?.id}/results`)).toMatchObject(failed(404, 'NOT_FOUND'))
  // Paused while the fire was on its way.
  await crm.app.owner.query(
    `insert into schedule_runs (workspace_id, schedule_id, settings) select workspace_id, schedule_id, settings from schedule_runs
      where id = '${two?.id}'`,
  )
  await crm.app.owner.query("update automations set state = 'paused' where id = $1", [once])
  await crm.app.owner.query("update schedule_runs set touched_at = now() - interval '3 minutes' where ended_at is null")
  await ofOnce.tick(after(1))
  expect((await ofOnce.fires(id)).at(-1)).toMatchObject({ status: 'failed', audience_size: 2, runs_triggered: 0, runs_failed: 2 })
})

test('fires are listed page by page, newest first, and old ones are deleted at night', async () => {
  const { id } = await it.schedule({ misfire_policy: 'run_all' })
  await it.due(id, NOON)
  await it.tick(after(8))
  const spread = "update schedule_runs set fired_at = now() - interval '1 hour' + (due_at - $2::timestamptz) where schedule_id = $1"
  await crm.app.owner.query(spread, [id, NOON])
  const walked = await crm.walk(`/auto-schedules/${id}/runs?limit=2`)
  expect(dueAt(walked)).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => after(n)))
  expect(new Set(ids(walked)).size).toBe(9)
  const events = (await crm.events(id)).filter(({ type }) => type === 'auto_schedule.fired')
  expect(events).toHaveLength(9)
  expect(events[0]?.payload).toMatchObject({ status: 'completed', audience_size: 1, runs_triggered: 1, error: null })
  await crm.app.owner.query("update schedule_runs set fired_at = now() - interval '91 days' where due_at < $1", [after(4)])
  // One whose audience is still being read stays.
  await crm.app.owner.query('update schedule_runs set status = null, ended_at = null where schedule_id = $1 and due_at = $2', [
    id,
    after(1),
  ])
  await crm.app.cron('17 3 * * *')
  expect(dueAt(await it.fires(id))).toEqual([1, 4, 5, 6, 7, 8].map((n) => after(n)))
})

test('a tick is one round trip when nothing is due, and serves every workspace in turn', async () => {
  await it.tick(NOON)
  const trips = async (at: string) => {
    await crm.app.drain()
    const before = crm.app.proxy.trips
    await crm.app.cron('* * * * *', new Date(at))
    return crm.app.proxy.trips - before
  }
  const idle = await trips(NOON)
  const { id } = await it.schedule()
  expect(await trips(NOON)).toBe(idle)
  await it.due(id, NOON)
  await it.tick(NOON)
  // One workspace has three that have waited longer; the other's comes before the second of them.
  const other = await crm.app.workspace()
  const theirs = scheduling(crm.app, other, await automationIn(crm.app, other))
  const mine = [await it.schedule(), await it.schedule(), await it.schedule()]
  const their = await theirs.schedule()
  for (const [n, one] of mine.entries()) await it.due(one.id, after(n - 3))
  await theirs.due(their.id, NOON)
  const { rows } = await crm.app.owner.query('select due_schedules($1, 2) as due', [after(0)])
  expect(ids(rows[0].due)).toEqual([mine[0]?.id, their.id])
})
