import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { book, eventType, monday, sydney } from './scheduling/scheduling.ts'

/** What grows only as far as its bound: everything up to it is stored, and one more is refused with what to do. */
const crm = useCrm()
const sql = (text: string, values: unknown[] = []) => crm.app.owner.query(text, [crm.ws.id, ...values])

test('an initiative has 50 steps, and an auto queue too', async () => {
  const { ws } = crm
  const initiative = created(await ws.post('/lead-gen/initiatives', { name: 'Hotels' }))
  const step = { action_type: 'create_task', action_config: { fields: { title: 'Call' } } }
  const { automation_id } = created(await ws.post(`/lead-gen/initiatives/${initiative.id}/steps`, step))
  await sql(
    `insert into lead_initiative_steps (workspace_id, initiative_id, sort_order, automation_id)
      select $1, $2, n, $3 from generate_series(1, 48) n`,
    [initiative.id, automation_id],
  )
  created(await ws.post(`/lead-gen/initiatives/${initiative.id}/steps`, step))
  expect(await ws.post(`/lead-gen/initiatives/${initiative.id}/steps`, step)).toMatchObject(refused('sort_order'))

  const queue = created(await ws.post('/auto-queues', { name: 'Queue' }))
  await sql(
    `insert into auto_queue_steps (workspace_id, auto_queue_id, position, delay, action)
      select $1, $2, n - 1, '{"amount": 1, "unit": "days"}', '{"type": "stop"}' from generate_series(1, 49) n`,
    [queue.id],
  )
  const queued = { delay: { amount: 1, unit: 'days' }, action: { type: 'create_task', fields: { title: 'Call' } } }
  created(await ws.post(`/auto-queues/${queue.id}/steps`, queued))
  expect(await ws.post(`/auto-queues/${queue.id}/steps`, queued)).toMatchObject(refused('action'))
})

test('a workspace has 100 case studies and 100 approval policies, and a member 20 availability schedules', async () => {
  const { ws } = crm
  const profile = created(await ws.post('/reputation/profile', { slug: `p-${crypto.randomUUID()}`, display_name: 'Roofs' }))
  await sql(
    `insert into reputation_case_studies (workspace_id, profile_id, title, position)
      select $1, $2, 'Roof ' || n, n - 1 from generate_series(1, 99) n`,
    [profile.id],
  )
  const study = { profile_id: profile.id, title: 'One more' }
  created(await ws.post('/reputation/case-studies', study))
  expect(await ws.post('/reputation/case-studies', study)).toMatchObject(refused('title'))

  await sql(
    `insert into approval_policies (workspace_id, name, events, is_active)
      select $1, 'Policy ' || n, '{deal.none}', false from generate_series(1, 99) n`,
  )
  const policy = (name: string) => ws.post('/approval-policies', { name, events: ['opportunity.won'], is_active: false })
  created(await policy('The last'))
  expect(await policy('One more')).toMatchObject(failed(409, 'CONFLICT'))

  const schedule = (name: string) => ws.post('/scheduling/availability-schedules', { user_id: ws.userId, name })
  // The first one stores the default schedule as well.
  for (let n = 2; n <= 20; n++) created(await schedule(`Hours ${n}`))
  expect(await schedule('One more')).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.count('availabilities')).toBe(20)
})

test('200 people wait for a time, and a person for ten times', async () => {
  const { ws } = crm
  const day = monday(2)
  const type = await eventType(ws, { seats: 2, waiting_list: true })
  const at = (time: string) => ({ event_type: type.id, starts_at: sydney(day, time) })
  const full = async (time: string) => {
    for (const n of [1, 2]) created(await book(ws, { ...at(time), email: `${time.replace(':', '')}-${n}@example.com` }))
  }
  await full('09:00')
  const waits = (time: string, email: string) => ws.post('/scheduling-waiting-list', { ...at(time), name: 'Wil Wu', email })
  const first = created(await waits('09:00', 'first@example.com'))
  /** Others in the line of the first one, or of its person at later times. */
  const wait = (count: number, ofPerson: boolean) =>
    sql(
      `insert into waiting_list_entries
          (workspace_id, event_type_id, starts_at, ends_at, duration_minutes, timezone, contact_id, name, email)
        select $1, $2, $3::timestamptz + make_interval(days => case when $5 then n else 0 end), $3::timestamptz + interval '40 days', 30,
          'Australia/Sydney', $4, 'Wil Wu', 'w@example.com' from generate_series(1, $6::int) n`,
      [type.id, sydney(day, '09:00'), ofPerson ? first.contact_id : (others as Row).id, ofPerson, count],
    )
  const others = await crm.contact()
  await wait(198, false)
  created(await waits('09:00', 'last@example.com'))
  expect(await waits('09:00', 'one.more@example.com')).toMatchObject(failed(409, 'CONFLICT'))

  await wait(8, true)
  await full('10:00')
  created(await waits('10:00', 'first@example.com'))
  await full('11:00')
  expect(await waits('11:00', 'first@example.com')).toMatchObject(failed(409, 'CONFLICT'))
  found(await ws.post(`/scheduling-waiting-list/${first.id}/cancel`))
  created(await waits('11:00', 'first@example.com'))
})
