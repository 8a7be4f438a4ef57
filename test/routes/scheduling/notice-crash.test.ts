import { expect, test } from 'vitest'
import type { NeonRequest } from '../../../dev/neon-proxy.ts'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { created, type Row, useCrm } from '../crm.ts'
import { whileLocked } from '../waiting.ts'
import { notifying } from './notices.ts'
import { book, eventType, monday } from './scheduling.ts'

const crm = useCrm({ ownServer: true })
const { booked, change, emailsTo, later, noticesOf, statesOf, subjectsTo, tick } = notifying(crm)
/** Every which statement fails, and twice as many answers are lost. */
const EVERY = proving ? 1 : 4

let used = 0
/** A booking whose events wait to be delivered. */
async function unannounced(): Promise<Row> {
  const n = used++
  const starts_at = `${monday(2 + Math.floor(n / 16))} ${String(9 + Math.floor((n % 16) / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`
  return created(await book(crm.ws, { email: `crash-${n}@example.com`, starts_at }))
}
/** The background, up to the hand-over to the provider. */
async function announce() {
  const workspace_id = crm.ws.id
  await crm.app.deliver('events', [{ type: 'work.run', kind: 'events.deliver', workspace_id }])
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'messages.send', workspace_id }])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
/** As if every claim had ended. */
async function recover() {
  for (const statement of [
    'update outbox set claimed_at = null where workspace_id = $1 and delivered_at is null and claimed_at is not null',
    "update booking_notices set wake_at = send_at where workspace_id = $1 and wake_at is not null and kind = 'confirmation'",
  ])
    await crm.app.owner.query(statement, [crm.ws.id])
  await later()
  await announce()
}

test('a failure at any statement, and an answer of the database that is lost, send a confirmation to each attendee once', {
  timeout: limit(300_000),
}, async () => {
  await eventType(crm.ws, { horizon_days: 365 })
  const { proxy } = crm.app
  let failed = 0
  for (const mode of ['statement', 'lose_answer'] as const)
    for (let at = 1; at <= 60; at += mode === 'statement' ? EVERY : Math.ceil(EVERY / 2)) {
      await crm.app.capture(true)
      const booking = await unannounced()
      await crm.app.capture(false)
      let seen = 0
      let reached = false
      proxy.onRequest = (request: NeonRequest) => {
        if (mode === 'lose_answer') {
          seen += 1
          proxy.outage = seen === at ? mode : 'none'
          reached ||= seen === at
          return
        }
        if (reached || !('queries' in request)) return
        const place = at - seen
        seen += request.queries.length
        if (place > request.queries.length) return
        reached = true
        request.queries.splice(place - 1, 0, { query: 'select from no_such_table' })
      }
      const deliver = { type: 'work.run', kind: 'events.deliver', workspace_id: crm.ws.id }
      await crm.app.deliver('events', [deliver])
      await crm.app.drain()
      Object.assign(proxy, { onRequest: undefined, outage: 'none' })
      await recover()
      await recover()
      expect(emailsTo(booking.email), `${mode} ${at}`).toHaveLength(1)
      const notices = await noticesOf(booking)
      expect(notices.map(({ kind, state }) => `${kind} ${state}`).sort(), `${mode} ${at}`).toEqual([
        'confirmation sent',
        'reminder due',
        'reminder due',
      ])
      failed += Number(reached)
      if (!reached) break
    }
  expect(failed).toBeGreaterThan(24 / EVERY)
})

test('an answer of the provider that is lost is looked up, and sends nobody a second notice', async () => {
  await eventType(crm.ws)
  crm.app.email.fail('drop', 1, true)
  const booking = await booked('10:00')
  expect(await statesOf(booking)).toContain('confirmation unknown')
  await later()
  expect(await statesOf(booking)).toContain('confirmation sent')
  expect(emailsTo(booking.email)).toHaveLength(1)
})

test('a Worker that dies with a claimed reminder, and doubled and overlapping ticks, send one', async () => {
  await eventType(crm.ws)
  const booking = await booked('11:00')
  const at = Date.parse(booking.starts_at) - 60 * 60_000
  await crm.app.owner.query('select claim_booking_notices(null, null, $1, 50, 300)', [new Date(at)])
  await tick(booking, 60)
  expect(subjectsTo(booking.email)).toHaveLength(1)
  await Promise.all([54, 54, 54, 53].map((minutes) => tick(booking, minutes)))
  expect(subjectsTo(booking.email).filter((subject) => subject.startsWith('Reminder'))).toHaveLength(2)
  expect((await statesOf(booking)).filter((state) => state.startsWith('reminder'))).toEqual(['reminder 1440 sent', 'reminder 60 sent'])
})

test('a booking that is cancelled while its reminder is being decided about is not reminded of', async () => {
  await eventType(crm.ws)
  const booking = await booked('12:00')
  const cancelled = "update bookings set status = 'cancelled', cancelled_at = now() where id = $1"
  const now = new Date(Date.parse(booking.starts_at) - 1_440 * 60_000)
  const workspace = "select set_config('app.workspace_id', $1, true)"
  const statements: [string, unknown[]][] = [
    [workspace, [crm.ws.id]],
    [cancelled, [booking.id]],
  ]
  await whileLocked(crm, statements, [() => crm.app.cron('* * * * *', now)])
  await crm.app.drain()
  await tick(booking, 1_439)
  expect(subjectsTo(booking.email).filter((subject) => subject.startsWith('Reminder'))).toEqual([])
  expect(await statesOf(booking)).toContain('reminder 1440 cancelled booking_cancelled')
})

test('a reminder that has been reserved is not sent after a cancellation or a move', async () => {
  await eventType(crm.ws)
  for (const [time, step, body] of [
    ['14:00', 'cancel', {}],
    ['15:00', 'reschedule', { starts_at: `${monday()} 16:00`, timezone: 'Australia/Sydney' }],
  ] as const) {
    const booking = await booked(time)
    await crm.app.capture(true)
    await crm.app.cron('* * * * *', new Date(Date.parse(booking.starts_at) - 1_440 * 60_000))
    await crm.app.capture(false)
    await change(booking, step, body)
    await later()
    expect(subjectsTo(booking.email).filter((subject) => subject.startsWith('Reminder'))).toEqual([])
    expect((await statesOf(booking)).find((state) => state.startsWith('reminder 1440'))).toMatch(/^reminder 1440 cancelled booking_/)
  }
})
