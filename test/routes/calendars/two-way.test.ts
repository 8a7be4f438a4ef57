import { expect, test } from 'vitest'
import type { GoogleFailMode } from '../../../dev/google-emulator.ts'
import { proving } from '../../proof.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { audit, monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

const crm = useCrm({ own: true })
const { connect, emailOf, events, eventType, google, later } = calendaring(crm)

const CHANGES = proving ? 2_000 : 15
const SEED = 20_261_123
const TIMES = Array.from({ length: 32 }, (_, n) => `${String(9 + Math.floor(n / 4)).padStart(2, '0')}:${['00', '15', '30', '45'][n % 4]}`)
const ROUTES = ['events.insert', 'events.patch', 'events.delete', 'events.list']
const FAULTS: [GoogleFailMode, boolean][] = [
  ...(['500', '429', 'quota', 'drop'] as const).map((mode): [GoogleFailMode, boolean] => [mode, false]),
  ...[['drop', true] as [GoogleFailMode, boolean], ['401', false] as [GoogleFailMode, boolean]],
]

/** Numbers that are the same in every run. */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test(`after ${CHANGES} changes on both sides, with failures, bookings and events agree`, { timeout: 3_600_000 }, async () => {
  const draw = random(SEED)
  const one = <Item>(items: readonly Item[]) => items[draw(items.length)] as Item
  const open = async () => found(await crm.ws.get('/scheduling-bookings?status=confirmed&limit=100')) as unknown as Row[]
  const end = (time: string) => new Date(Date.parse(sydney(monday(), time)) + 900_000).toISOString()
  /** An account whose access ended, after too many refusals, is connected again. */
  const again = async () => {
    const [connection] = found(await crm.ws.get('/calendar-connections')) as unknown as Row[]
    if (connection?.status !== 'connected') await connect()
    await later()
  }
  await connect()
  await eventType({ duration_minutes: 15, step_minutes: 15 })

  const acts: (() => Promise<unknown>)[] = [
    () =>
      crm.ws.post('/scheduling-bookings', {
        event_type: 'first-meeting',
        name: 'Ana',
        email: 'ana@example.com',
        starts_at: `${monday()} ${one(TIMES)}`,
        timezone: 'Australia/Sydney',
      }),
    async () => {
      const booking = one(await open())
      if (booking) await crm.ws.post(`/scheduling-bookings/${booking.id}/reschedule`, { starts_at: `${monday()} ${one(TIMES)}` })
    },
    async () => {
      const booking = one(await open())
      if (booking && draw(2)) await crm.ws.post(`/scheduling-bookings/${booking.id}/cancel`, {})
    },
    async () => {
      const [event, time] = [one(events()), one(TIMES)]
      if (event) google().world.move(emailOf(), event.id, sydney(monday(), time), end(time))
    },
    async () => {
      const event = one(events())
      if (event && draw(3) === 0) google().world.delete(emailOf(), event.id)
    },
    async () => {
      if (draw(4) === 0) google().world.expireTokens(emailOf())
      const [mode, accept] = one(FAULTS)
      google().fail(one(ROUTES), mode, { accept })
    },
    () => again(),
  ]
  for (let count = 0; count < CHANGES; count++) {
    const changing = one(acts)()
    if (draw(3) > 0) {
      await changing
      continue
    }
    // Sometimes the background and the next change are under way at once.
    await Promise.all([changing, crm.app.cron('* * * * *'), one(acts.slice(0, 5))()])
  }
  await crm.app.drain()
  for (let round = 0; round < (proving ? 12 : 5); round++) await again()

  // A booking that could not follow its event gets it back with the next change.
  const flagged = await crm.app.owner.query('select booking_id from booking_copies where workspace_id = $1 and flag is not null', [
    crm.ws.id,
  ])
  for (const { booking_id } of flagged.rows) await crm.ws.patch(`/scheduling-bookings/${booking_id}`, { notes: `Again ${booking_id}` })
  await crm.app.drain()
  for (let round = 0; round < 3; round++) await later()

  const times = (starts: string, booking: string) => `${new Date(starts).toISOString()} ${booking}`
  const inside = (await open()).map(({ starts_at, id }) => times(starts_at, id)).toSorted()
  const outside = events().map(({ start, extendedProperties }) =>
    times(start.dateTime as string, extendedProperties?.private?.booking_id as string),
  )
  expect(outside.toSorted()).toEqual(inside)
  const states = await crm.app.owner.query('select state, count(*)::int from booking_copies where workspace_id = $1 group by 1', [
    crm.ws.id,
  ])
  expect(states.rows).toEqual(inside.length > 0 ? [{ state: 'synced', count: inside.length }] : [])
  await audit(crm)
})
