import { beforeEach, expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'
import { audit, book, monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

/** How long the background tries, and which changes in a calendar no booking follows. */
const crm = useCrm({ own: true })
const { booking, connect, copies, emailOf, event, events, eventType, google, later, read } = calendaring(crm)
beforeEach(() => crm.app.google.clear())

const at = (time: string) => sydney(monday(), time)
const copyOf = async ({ id }: Row) => (await copies(id))[0] as Row
const flags = async (): Promise<Row[]> =>
  (
    await crm.app.owner.query("select payload from outbox where workspace_id = $1 and type = 'booking.changed_outside' order by id", [
      crm.ws.id,
    ])
  ).rows.map(({ payload }) => payload)
/** How often the background works until nothing of a copy is due, after eight attempts without success. */
async function triesAfterEight(made: Row): Promise<number> {
  await crm.app.owner.query('update booking_copies set attempts = 8 where workspace_id = $1 and booking_id = $2', [crm.ws.id, made.id])
  for (let tries = 0; tries < 10; tries++) {
    if ((await copyOf(made)).due_at === null) return tries
    await later()
  }
  return Number.POSITIVE_INFINITY
}

test('a video meeting that is never ready is looked at ten times, and the event stays as it is', async () => {
  await connect()
  await eventType({ create_video_meeting: true })
  google().world.meetings = 'pending'
  const made = await booking()
  const { changed } = event()
  expect(await triesAfterEight(made)).toBe(2)
  expect(await copyOf(made)).toMatchObject({ state: 'synced', meeting: 'failed', flag: null })
  expect(event().changed).toBe(changed)
  expect(await read(made.id)).toMatchObject({ status: 'confirmed', video_meet_link: null })
})

test('a calendar that cannot be asked for a meeting is left alone in the end, and one that never takes an event fails', async () => {
  await connect()
  await eventType({ create_video_meeting: true })
  google().world.meetings = 'pending'
  const pending = await booking()
  google().fail('events.get', '503', { times: 50 })
  expect(await triesAfterEight(pending)).toBe(2)
  expect(await copyOf(pending)).toMatchObject({ state: 'synced', error: expect.stringContaining('503') })

  google().fail('events.insert', '503', { times: 50 })
  const made = await booking('11:00')
  expect(await triesAfterEight(made)).toBe(4)
  expect(await copyOf(made)).toMatchObject({ state: 'failed', error: expect.stringContaining('503') })
  expect(events()).toHaveLength(1)
  // A change of the booking begins again.
  crm.app.google.failuresOf('events.insert').clear()
  found(await crm.ws.patch(`/scheduling-bookings/${made.id}`, { notes: 'Changed' }))
  await crm.app.drain()
  expect(await copyOf(made)).toMatchObject({ state: 'synced', error: null })
  expect(events()).toHaveLength(2)
})

test('an event that is in no calendar any more is written again with its booking, which may have a link of its own', async () => {
  await connect()
  await eventType({ create_video_meeting: true })
  const made = await booking()
  expect(event().hangoutLink).toEqual(expect.any(String))
  google().world.calendar(emailOf())?.events.clear()
  const link = 'https://meet.example.com/own'
  found(await crm.ws.patch(`/scheduling-bookings/${made.id}`, { video_meet_link: link }))
  await crm.app.drain()
  expect(event()).toMatchObject({ location: link, description: expect.stringContaining(`Video meeting: ${link}`) })
  expect(event().conferenceData?.entryPoints ?? []).toEqual([])
  expect(await read(made.id)).toMatchObject({ video_meet_link: link, status: 'confirmed' })
})

test('a booking does not follow its event to a time that no booking can have', async () => {
  await connect()
  await eventType()
  const made = await booking()
  const { id } = event()
  const day = 86_400_000
  const moves: [what: string, start: number, end: number][] = [
    ['into the past', Date.now() - day, Date.now() - day + 1_800_000],
    ['without a length', Date.parse(at('15:00')), Date.parse(at('15:00'))],
    ['longer than a day', Date.parse(at('15:00')), Date.parse(at('15:00')) + day + 60_000],
    ['with seconds at its start', Date.parse(at('15:00')) + 30_000, Date.parse(at('16:00'))],
    ['with seconds at its end', Date.parse(at('15:00')), Date.parse(at('16:00')) + 30_000],
  ]
  for (const [index, [what, start, end]] of moves.entries()) {
    google().world.move(emailOf(), id, new Date(start).toISOString(), new Date(end).toISOString())
    await later()
    expect(
      (await flags()).map(({ reason }) => reason),
      what,
    ).toEqual(Array.from({ length: index + 1 }, () => 'time'))
  }
  expect(await read(made.id)).toMatchObject({ status: 'confirmed', starts_at: at('10:00'), ends_at: at('10:30') })
})

test('one of several seats is not moved alone, and a booking that took place stays when its event is moved or deleted', async () => {
  await connect()
  await eventType({ seats: 3 })
  const made = await booking()
  created(await book(crm.ws, { starts_at: at('10:00'), email: 'ben@example.com' }))
  await crm.app.drain()
  const { outside_id } = await copyOf(made)
  google().world.move(emailOf(), outside_id, at('15:00'), at('15:30'))
  await later()
  expect(await flags()).toMatchObject([{ change: 'moved', reason: 'conflict' }])
  expect(await read(made.id)).toMatchObject({ status: 'confirmed', starts_at: at('10:00') })

  found(await crm.ws.post(`/scheduling-bookings/${made.id}/mark-attended`, {}))
  await crm.app.drain()
  google().world.delete(emailOf(), outside_id)
  await later()
  expect(await flags()).toMatchObject([{}, { change: 'deleted', reason: 'state' }])
  expect(await read(made.id)).toMatchObject({ status: 'attended' })
  await audit(crm)
})
