import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { notetaking } from './notetaking.ts'
import { monday } from './scheduling.ts'

const crm = useCrm({ own: true })
const { bot, bots, booking, later, live, meet, path, prepare, read, request, status } = notetaking(crm)

const move = async (meeting: Row, time: string): Promise<Row> =>
  created(
    await crm.ws.post(`/scheduling-bookings/${meeting.id}/reschedule`, { starts_at: `${monday()} ${time}`, timezone: 'Australia/Sydney' }),
  )
const cancel = (meeting: Row) => crm.ws.post(`/scheduling-bookings/${meeting.id}/cancel`, {})
const joinsAt = ({ starts_at }: Row) => new Date(Date.parse(starts_at) - 60_000).toISOString()

test('a notetaker goes with its booking when that is moved, and its bot joins at the new time', async () => {
  await prepare()
  const first = await booking()
  const { id } = await request(first)
  const second = await move(first, '14:00')
  await later()
  expect(await read(second)).toMatchObject({ id, state: 'scheduled', booking_id: second.id, join_at: joinsAt(second) })
  expect(bot().join_at).toBe(joinsAt(second))
  expect(bot().metadata.join_at).toBe(joinsAt(second))
  expect(bots()).toHaveLength(1)
  expect(await crm.ws.get(path(first))).toMatchObject(failed(404, 'NOT_FOUND'))
  const third = await move(second, '15:30')
  await later()
  expect(bot().join_at).toBe(joinsAt(third))
})

test('a notetaker whose booking is moved before its bot is created gets one for the new time', async () => {
  await prepare()
  const first = await booking()
  crm.app.notetaker.fail('507')
  await request(first)
  expect(await read(first)).toMatchObject({ state: 'requested', error: expect.stringContaining('507') })
  const second = await move(first, '14:00')
  await later()
  expect(bot().join_at).toBe(joinsAt(second))
  expect(await read(second)).toMatchObject({ state: 'scheduled', error: null })
})

test('a changed meeting link is followed, and a removed one cancels the notetaker', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  const link = async (video_meet_link: string | null) =>
    found(await crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link }))
  await link('https://meet.example.com/other')
  await later()
  expect(bot().meeting_url).toBe('https://meet.example.com/other')
  await link(null)
  await later()
  expect(live()).toEqual([])
  expect(await read(meeting)).toMatchObject({ state: 'cancelled' })
})

test('the bot of a cancelled booking is deleted, or leaves when that is too late', async () => {
  await prepare()
  for (const code of [undefined, 'joining_call', 'in_waiting_room']) {
    const meeting = await booking(code === undefined ? '10:00' : code === 'joining_call' ? '11:00' : '12:00')
    await request(meeting)
    const it = bots().at(-1)!
    if (code) await status(it, code)
    found(await cancel(meeting))
    expect(await read(meeting)).toMatchObject({ state: 'cancelled' })
    await later()
    expect([code, it.deleted, it.isLeaving]).toEqual([code, code === undefined, code !== undefined])
    if (!code) continue
    crm.app.notetaker.meet(it, { seconds: 100 })
    await later()
    await later()
    expect(await read(meeting)).toMatchObject({ state: 'cancelled', recorded_minutes: 0, credits: 0, transcript_status: 'none' })
  }
  const { rows } = await crm.app.owner.query('select count(*)::int as n from notetakers where workspace_id = $1 and due_at is not null', [
    crm.ws.id,
  ])
  expect(rows).toEqual([{ n: 0 }])
})

test('when a booking is cancelled during its meeting, the bot leaves, and what it has recorded is charged', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  await status(bot(), 'in_call_recording')
  found(await cancel(meeting))
  await later()
  expect(bot().isLeaving).toBe(true)
  await meet(bot(), { seconds: 30 })
  expect(await read(meeting)).toMatchObject({ state: 'done', recorded_minutes: 1, credits_charged: 23, transcript_status: 'written' })
})

test('when a booking is moved while its bot is in the meeting, that bot leaves and the new time gets another', async () => {
  await prepare()
  for (const [code, state] of [
    ['joining_call', 'cancelled'],
    ['in_call_recording', 'recording'],
  ] as const) {
    const first = await booking(code === 'joining_call' ? '10:00' : '11:00')
    const { id } = await request(first)
    const old = bots().at(-1)!
    await status(old, code)
    const second = await move(first, code === 'joining_call' ? '14:00' : '15:00')
    await later()
    expect(await read(first)).toMatchObject({ id, state })
    expect(old.isLeaving).toBe(true)
    const other = await read(second)
    expect(other).toMatchObject({ state: 'scheduled', join_at: joinsAt(second) })
    expect(other.id).not.toBe(id)
    expect(bots().at(-1)?.join_at).toBe(joinsAt(second))
  }
})

test('a bot that joined before its time could be changed leaves, and another one is created', async () => {
  await prepare()
  const first = await booking()
  const { id } = await request(first)
  const old = bot()
  crm.app.notetaker.status(old, 'joining_call')
  const second = await move(first, '14:00')
  await later()
  await later()
  const replaced = await read(second)
  expect(replaced).toMatchObject({ state: 'scheduled', join_at: joinsAt(second) })
  expect(replaced.id).not.toBe(id)
  expect(old.isLeaving).toBe(true)
  expect(bots().map(({ join_at }) => join_at)).toEqual([joinsAt(first), joinsAt(second)])
})

test('when the link of a booking changes while its bot joins, that bot leaves and another one joins at the new link', async () => {
  await prepare()
  const meeting = await booking()
  const { id } = await request(meeting)
  const old = bot()
  await status(old, 'joining_call')
  found(await crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link: 'https://meet.example.com/other' }))
  await later()
  expect(old.isLeaving).toBe(true)
  const other = await read(meeting)
  expect(other).toMatchObject({ state: 'scheduled', join_at: joinsAt(meeting) })
  expect(other.id).not.toBe(id)
  expect(bots().map(({ meeting_url }) => meeting_url)).toEqual(['https://meet.example.com/first', 'https://meet.example.com/other'])
})

test('what was said at a booking that is purged during its meeting is kept nowhere', async () => {
  await prepare()
  const meeting = await booking()
  const { id } = await request(meeting)
  await status(bot(), 'in_call_recording')
  found(await crm.ws.delete(`/opportunities/${meeting.deal_id}`))
  found(await crm.ws.delete(`/contacts/${meeting.contact_id}?purge=true`))
  await later()
  expect(bot().isLeaving).toBe(true)
  await meet(bot(), { seconds: 30 })
  const { rows } = await crm.app.owner.query('select state, transcript_status, recorded_minutes from notetakers where id = $1', [id])
  expect(rows).toEqual([{ state: 'done', transcript_status: 'none', recorded_minutes: 1 }])
  expect([await crm.count('booking_transcripts'), await crm.count('activities')]).toEqual([0, 0])
})

test('the bot of a booking that is purged with its contact is deleted', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  found(await crm.ws.delete(`/opportunities/${meeting.deal_id}`))
  found(await crm.ws.delete(`/contacts/${meeting.contact_id}?purge=true`))
  await later()
  expect(live()).toEqual([])
})
