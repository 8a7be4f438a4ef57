import { expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from '../crm.ts'
import { LINK, notetaking } from './notetaking.ts'
import { eventType } from './scheduling.ts'

const crm = useCrm({ own: true })
const { bot, bots, booking, credits, entries, later, live, meet, path, prepare, read, report, request, status } = notetaking(crm)

const minutesBefore = (time: string, minutes: number) => new Date(Date.parse(time) - minutes * 60_000).toISOString()

test('a notetaker joins a minute before, records, is charged by the minute, and writes the transcript to the timeline once', async () => {
  await prepare()
  const meeting = await booking()
  const requested = await request(meeting)
  expect(requested).toMatchObject({ booking_id: meeting.id, state: 'requested', already_scheduled: false })
  expect(requested).toMatchObject({
    join_at: minutesBefore(meeting.starts_at, 1),
    meeting_url: LINK,
    limit_minutes: 90,
    recorded_minutes: 0,
  })
  expect(bot()).toMatchObject({
    meeting_url: LINK,
    join_at: minutesBefore(meeting.starts_at, 1),
    automatic_leave: { in_call_recording_timeout: 5_400, waiting_room_timeout: 600, noone_joined_timeout: 600 },
    recording_config: { transcript: { provider: { recallai_streaming: {} } } },
  })
  expect(await read(meeting)).toMatchObject({ state: 'scheduled', error: null, transcript: null })
  for (const code of ['joining_call', 'in_waiting_room']) await status(bot(), code)
  expect(await read(meeting)).toMatchObject({ state: 'joining' })
  await status(bot(), 'in_call_recording')
  expect(await read(meeting)).toMatchObject({ state: 'recording', credits: 0 })
  expect(await entries()).toEqual([])

  const before = (await credits()).balance
  await meet(bot(), { seconds: 125 })
  const done = await read(meeting)
  expect(done).toMatchObject({
    state: 'done',
    recorded_minutes: 3,
    credits: 69,
    credits_charged: 69,
    transcript_status: 'written',
    error: null,
  })
  expect(done.transcript).toEqual([
    { speaker: 'Ana Lee', is_host: false, started_seconds: 1, ended_seconds: 3.5, text: 'Thank you for your time.' },
    { speaker: 'Ben Fox', is_host: true, started_seconds: 5, ended_seconds: 8, text: 'Shall we begin with the offer?' },
    { speaker: 'Ana Lee', is_host: false, started_seconds: 9, ended_seconds: 10, text: 'Yes, please.' },
  ])
  expect((await credits()).balance).toBe(before - 69)
  expect(await entries()).toMatchObject([
    { kind: 'charge', amount: -69, units: 3, balance: before - 69, reference: `notetaker:${done.id}:0` },
  ])
  const [entry, ...others] = found(await crm.ws.get(`/activities?deal_id=${meeting.deal_id}`)) as Row[]
  expect(others).toEqual([])
  expect(entry).toMatchObject({ id: done.activity_id, activity_type: 'meeting', contact_id: meeting.contact_id, duration_seconds: 125 })
  expect(entry?.subject).toBe('Transcript: First meeting')
  expect(entry?.body).toBe(
    ['Ana Lee (0:01): Thank you for your time.', 'Ben Fox (0:05): Shall we begin with the offer?', 'Ana Lee (0:09): Yes, please.'].join(
      '\n',
    ),
  )
  for (let round = 0; round < 3; round++) await report(bot(), 'transcript.done')
  await later()
  expect(await crm.count('booking_transcripts')).toBe(1)
  expect(await entries()).toHaveLength(1)
})

test('a repeated request returns the notetaker that the booking has, also while it records and afterwards', async () => {
  await prepare()
  const meeting = await booking()
  const first = await request(meeting)
  const repeated = async () => found(await crm.ws.post(path(meeting)))
  expect(await repeated()).toMatchObject({ id: first.id, already_scheduled: true, state: 'scheduled' })
  await status(bot(), 'in_call_recording')
  expect(await repeated()).toMatchObject({ id: first.id, already_scheduled: true, state: 'recording' })
  await meet(bot())
  expect(await repeated()).toMatchObject({ id: first.id, already_scheduled: true, state: 'done' })
  const together = await Promise.all(Array.from({ length: 8 }, () => crm.ws.post(path(meeting))))
  expect(together.map(({ body }) => body.data.id)).toEqual(Array(8).fill(first.id))
  expect(bots()).toHaveLength(1)
})

test('of requests at the same time one creates a bot', async () => {
  await prepare()
  const meeting = await booking()
  const answers = await Promise.all(Array.from({ length: 8 }, () => crm.ws.post(path(meeting))))
  expect(answers.map(({ body }) => body.data.already_scheduled).filter((known) => !known)).toHaveLength(1)
  await crm.app.drain()
  expect(bots()).toHaveLength(1)
})

test('it needs the setting, a meeting link, a booking that is not cancelled or over, and credits for the planned duration', async () => {
  await prepare({ credits: 689 })
  const meeting = await booking()
  const attempt = () => crm.ws.post(path(meeting))
  expect(await attempt()).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  expect((await attempt()).body.error.details).toEqual({ required: 690, balance: 689 })
  await crm.app.owner.query("select grant_credits($1, 1, 'one')", [crm.ws.id])

  found(await crm.ws.patch('/company/crm-settings', { notetaker_enabled: false }))
  const refused = await attempt()
  expect(refused).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(refused.body.error.details.issues).toMatchObject([{ path: 'notetaker_enabled' }])
  found(await crm.ws.patch('/company/crm-settings', { notetaker_enabled: true }))

  found(await crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link: null }))
  expect((await attempt()).body.error.details.issues).toMatchObject([{ path: 'video_meet_link' }])
  found(await crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link: LINK }))

  await crm.rewrite('bookings', meeting.id, {
    starts_at: minutesBefore(new Date().toISOString(), 60),
    ends_at: minutesBefore(new Date().toISOString(), 30),
  })
  expect(await attempt()).toMatchObject(failed(409, 'INVALID_STATE'))
  await crm.rewrite('bookings', meeting.id, { starts_at: meeting.starts_at, ends_at: meeting.ends_at })
  found(await crm.ws.post(`/scheduling-bookings/${meeting.id}/cancel`, {}))
  expect(await attempt()).toMatchObject(failed(409, 'INVALID_STATE'))
  expect((await attempt()).body.error.details.state).toBe('cancelled')
  expect(await crm.ws.get(path(meeting))).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.post(path(crypto.randomUUID()))).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(bots()).toEqual([])
})

test('DELETE cancels a notetaker that waits, and another one can be requested', async () => {
  await prepare()
  const meeting = await booking()
  expect(await crm.ws.delete(path(meeting))).toMatchObject(failed(404, 'NOT_FOUND'))
  const first = await request(meeting)
  expect(found(await crm.ws.delete(path(meeting)))).toMatchObject({ id: first.id, state: 'cancelled', credits: 0 })
  await crm.app.drain()
  expect(live()).toEqual([])
  expect(found(await crm.ws.delete(path(meeting)))).toMatchObject({ id: first.id, state: 'cancelled' })
  const second = await request(meeting)
  expect(second).toMatchObject({ already_scheduled: false })
  expect(second.id).not.toBe(first.id)
  expect(await read(meeting)).toMatchObject({ id: second.id, state: 'scheduled' })
  await meet(bot())
  expect(await crm.ws.delete(path(meeting))).toMatchObject(failed(409, 'INVALID_STATE'))
})

test('DELETE lets a bot that records leave; its recording is charged and transcribed', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  await status(bot(), 'in_call_recording')
  expect(found(await crm.ws.delete(path(meeting)))).toMatchObject({ state: 'recording', stop_requested_at: expect.any(String) })
  await crm.app.drain()
  expect(bot().isLeaving).toBe(true)
  await meet(bot(), { seconds: 61 })
  expect(await read(meeting)).toMatchObject({ state: 'done', recorded_minutes: 2, credits: 46, transcript_status: 'written' })
})

test('without an opportunity the transcript is on the timeline of the contact', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  found(await crm.ws.delete(`/opportunities/${meeting.deal_id}`))
  await meet(bot())
  const entry = (found(await crm.ws.get(`/activities?contact_id=${meeting.contact_id}`)) as Row[]).find(
    ({ activity_type }) => activity_type === 'meeting',
  )
  expect(entry).toMatchObject({ deal_id: null, subject: 'Transcript: First meeting', id: (await read(meeting)).activity_id })
})

test('changes of its state are in the event feed, without the columns of the background', async () => {
  await prepare()
  await eventType(crm.ws, { name: 'Other', slug: 'other' })
  const meeting = await booking()
  const { id } = await request(meeting)
  await meet(bot())
  const events = await crm.events(id)
  expect(events.map(({ type }) => type)[0]).toBe('notetaker.created')
  const states = events.map(({ payload }) => payload.state)
  expect(states.filter((state, at) => state !== states[at - 1])).toEqual(['requested', 'scheduled', 'done'])
  for (const { payload } of events)
    for (const name of ['due_at', 'claim_id', 'webhook_ids', 'ends_at']) expect(payload).not.toHaveProperty(name)
})
