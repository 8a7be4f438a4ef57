import { expect, test } from 'vitest'
import { type DueInitiative, decide } from '../../../src/features/lead-gen/rules/decide.ts'
import { proving } from '../../proof.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { inWorkspace } from './leading.ts'

const crm = useCrm({ own: true })
const ZONES = [
  ...[
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
    'Pacific/Chatham',
    'Pacific/Kiritimati',
    'Asia/Kathmandu',
    'Asia/Kolkata',
  ],
  ...['Asia/Tokyo', 'Asia/Tehran', 'Europe/Berlin', 'Europe/London', 'Africa/Casablanca', 'Atlantic/Azores', 'America/St_Johns'],
  ...['America/New_York', 'America/Santiago', 'America/Denver', 'America/Los_Angeles', 'Pacific/Honolulu', 'Pacific/Marquesas'],
]
const WINDOWS = [
  ['09:00', '17:00'],
  ['22:00', '02:30'],
  ['01:30', '03:00'],
  ['00:00', '23:59'],
]
/** The end of summer time of many of the zones lies within. */
const FROM = Date.parse('2026-10-23T00:00:00Z')
const DAYS = proving ? 366 : 2
const EVERY = 40 * 60_000
const AT_ONCE = proving ? 12 : 4

/** A number from 0 to 1, the same in every run. */
function random(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function initiatives(count: number, tasks: number, fields: (n: number) => Row): Promise<Row[]> {
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  const all: Row[] = []
  for (let n = 0; n < count; n++) {
    const one = created(await crm.ws.post('/lead-gen/initiatives', { name: `Initiative ${n}`, is_active: true, ...fields(n) }))
    const config = { subject: 'Hello', text: 'Good morning' }
    await crm.ws.post(`/lead-gen/initiatives/${one.id}/steps`, { action_type: 'send_email', action_config: config })
    all.push(one)
    await fill(one.id, tasks)
  }
  return all
}

/** People who are enrolled, each with an email that is due from the beginning. */
const fill = (initiative: string, tasks: number) =>
  inWorkspace(crm.app.owner, crm.ws.id, (client) =>
    client.query(
      `with people as (insert into contacts (workspace_id, first_name, email, country)
        select $1, 'Lead', 'lead-' || gen_random_uuid() || '@simulated.example', 'Australia' from generate_series(1, $3) returning id, email
      ), leads as (insert into lead_results (workspace_id, name, email, contact_id, consent_basis, country)
        select $1, 'Lead', email, id, 'consent', 'Australia' from people returning id, contact_id
      ), enrolled as (insert into lead_enrolments (workspace_id, initiative_id, lead_result_id, contact_id)
        select $1, $2, id, contact_id from leads returning id)
      insert into lead_tasks (workspace_id, initiative_id, enrolment_id, step_id, is_email, scheduled_for)
        select $1, $2, e.id, s.id, true, $4 from enrolled e, lead_initiative_steps s where s.initiative_id = $2`,
      [crm.ws.id, initiative, tasks, new Date(FROM).toISOString()],
    ),
  )

const query = (text: string, values: unknown[]) =>
  inWorkspace(crm.app.owner, crm.ws.id, async (client) => (await client.query(text, values)).rows[0].result)
const dueAt = (now: Date): Promise<DueInitiative[]> => query('select lead_dispatch_facts($1, null, 60) as result', [now.toISOString()])

async function dispatch(due: DueInitiative[], now: Date): Promise<void> {
  const decisions = due.flatMap((one) => decide(one, now)).filter(({ action }) => action !== 'wait')
  if (decisions.length > 0) await query('select dispatch_leads($1, $2::jsonb) as result', [now.toISOString(), JSON.stringify(decisions)])
}

/** One call of the dispatcher at an instant, as the background makes it. */
async function tick(at: number): Promise<void> {
  const now = new Date(at)
  await dispatch(await dueAt(now), now)
}

const fired = async (): Promise<{ initiative_id: string; at: number; day: string }[]> => {
  const { rows } = await crm.app.owner.query(
    `select initiative_id, extract(epoch from fired_at) * 1000 as at, day::text from lead_tasks
     where workspace_id = $1 and status = 'fired' order by fired_at, id`,
    [crm.ws.id],
  )
  return rows.map((row) => ({ ...row, at: Math.round(Number(row.at)) }))
}

/** What a clock on the wall shows: the oracle reads it from Intl, and knows nothing of the code that decides. */
function wall(zone: string, at: number) {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short', timeStyle: 'short', hourCycle: 'h23' }).format(at)
  const [date = '', time = ''] = parts.split(', ')
  return { date, minutes: Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5)) }
}
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const dayBefore = (date: string) => new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

function expectedDay(one: Row, at: number): string | null {
  const { date, minutes } = wall(one.timezone, at)
  const [start, end] = [minutesOf(one.send_window_start), minutesOf(one.send_window_end)]
  const day =
    start < end ? (minutes >= start && minutes < end ? date : null) : minutes >= start ? date : minutes < end ? dayBefore(date) : null
  return day && one.send_days.includes(new Date(`${day}T00:00:00Z`).getUTCDay()) ? day : null
}

async function audit(all: Row[]): Promise<number> {
  const sends = await fired()
  const counters = await crm.app.owner.query(
    'select initiative_id, local_date::text as day, sent from lead_dispatches where workspace_id = $1 and sent > 0',
    [crm.ws.id],
  )
  for (const one of all) {
    const own = sends.filter(({ initiative_id }) => initiative_id === one.id)
    for (const { at, day } of own) expect(day, `${one.timezone} at ${new Date(at).toISOString()}`).toBe(expectedDay(one, at))
    const byDay = Map.groupBy(own, ({ day }) => day)
    for (const [day, those] of byDay) expect(those.length, `${one.timezone} on ${day}`).toBeLessThanOrEqual(one.daily_send_cap)
    for (const [n, { at }] of own.slice(1).entries())
      expect(at - (own[n]?.at ?? 0), one.timezone).toBeGreaterThanOrEqual(one.min_gap_seconds * 1000)
    const counter = counters.rows.find(({ initiative_id }) => initiative_id === one.id)
    expect(counter?.sent ?? 0).toBe(counter ? byDay.get(counter.day)?.length : 0)
  }
  const gaps = new Map(all.map((one) => [one.id, one.min_gap_seconds * 1000]))
  // The address that sends is one, whichever initiative has sent last.
  for (const [n, { at }] of sends.slice(1).entries())
    expect(at - (sends[n]?.at ?? 0), 'of all initiatives').toBeGreaterThanOrEqual(gaps.get(sends[n]?.initiative_id as string) ?? 0)
  const steps = await crm.app.owner.query('select initiative_id, fired_count from lead_initiative_steps where workspace_id = $1', [
    crm.ws.id,
  ])
  for (const { initiative_id, fired_count } of steps.rows)
    expect(fired_count).toBe(sends.filter((one) => one.initiative_id === initiative_id).length)
  const { rows: doubled } = await crm.app.owner.query(
    "select enrolment_id from lead_tasks where workspace_id = $1 and status = 'fired' group by 1 having count(*) > 1",
    [crm.ws.id],
  )
  expect(doubled).toEqual([])
  return sends.length
}

test(
  `${DAYS} days in 20 zones, with ticks that are tripled and out of order, break no cap, no window and no gap`,
  async () => {
    const all = await initiatives(ZONES.length, proving ? 1000 : 60, (n) => ({
      timezone: ZONES[n],
      daily_send_cap: 1 + (n % 4),
      send_window_start: WINDOWS[n % 4]?.[0],
      send_window_end: WINDOWS[n % 4]?.[1],
      send_days: n % 3 === 0 ? [0, 1, 2, 3, 4, 5, 6] : n % 3 === 1 ? [1, 2, 3, 4, 5] : [0, 6],
      min_gap_seconds: n % 5 === 0 ? 3600 : n % 5 === 1 ? 90 : 0,
    }))
    const next = random(7)
    for (let at = FROM; at < FROM + DAYS * 86_400_000; at += EVERY) {
      const times = [0, 1, 2].map(() => at + Math.floor(next() * EVERY))
      await Promise.all(times.map(tick))
    }
    expect(await audit(all)).toBeGreaterThan(DAYS * 10)
  },
  proving ? 7_200_000 : 180_000,
)

test(`${AT_ONCE} ticks at once, again and again, send no more than the cap and keep the gap`, async () => {
  const [one] = await initiatives(1, 100, () => ({ timezone: 'UTC', send_days: [0, 1, 2, 3, 4, 5, 6] }))
  const at = Date.parse('2026-10-26T10:00:00Z')
  for (let n = 0; n < 75; n++) await Promise.all(Array.from({ length: AT_ONCE }, () => tick(at + n * 60_000)))
  expect(await audit([one as Row])).toBe(38)
  for (let n = 75; n < 90; n++) await Promise.all(Array.from({ length: AT_ONCE }, () => tick(at + n * 60_000)))
  expect(await audit([one as Row])).toBe(40)
}, 120_000)

test('workers that have read different tasks send no more than the cap together', async () => {
  const [one] = await initiatives(1, 30, () => ({
    timezone: 'UTC',
    send_days: [0, 1, 2, 3, 4, 5, 6],
    min_gap_seconds: 0,
    daily_send_cap: 5,
  }))
  const now = new Date('2026-10-26T10:00:00Z')
  const [due] = (await dueAt(now)) as [DueInitiative]
  const parts = [0, 10, 20].map((from) => [{ ...due, tasks: due.tasks.slice(from, from + 10) }])
  await Promise.all(parts.map((part) => dispatch(part, now)))
  expect(await audit([one as Row])).toBe(5)
})
