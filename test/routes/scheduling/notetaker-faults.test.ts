import { expect, test } from 'vitest'
import type { EmulatedBot } from '../../../dev/notetaker-bots.ts'
import { limit } from '../../speed.ts'
import { failed, found, useCrm } from '../crm.ts'
import { notetaking } from './notetaking.ts'

const crm = useCrm({ own: true })
const { bot, bots, booking, entries, grant, later, live, meet, path, prepare, read, report, request, status } = notetaking(crm)

test.each(['drop', '500', '503', '507', '429', '401', 'slow'] as const)(
  'after %s of the creation there is exactly one bot',
  async (mode) => {
    await prepare()
    for (const [time, accept] of [
      ['10:00', true],
      ['11:00', false],
    ] as const) {
      const isNeverAccepted = ['507', '429', '401'].includes(mode)
      if (accept && isNeverAccepted) continue
      const meeting = await booking(time)
      const before = live().length
      crm.app.notetaker.fail(mode, { accept, of: 'POST' })
      await request(meeting)
      expect((await read(meeting)).state).toBe(mode === 'slow' ? 'scheduled' : 'requested')
      for (let round = 0; round < 3; round++) await later()
      expect([mode, accept, (await read(meeting)).state, (await read(meeting)).error, live().length]).toEqual([
        mode,
        accept,
        'scheduled',
        null,
        before + 1,
      ])
    }
  },
)

test('a request whose answer never comes is looked up, and not repeated while the provider cannot be asked', {
  timeout: limit(60_000),
}, async () => {
  await prepare()
  const meeting = await booking()
  crm.app.notetaker.fail('timeout', { accept: true, of: 'POST' })
  await request(meeting)
  expect(await read(meeting)).toMatchObject({ state: 'requested', error: expect.stringContaining('imeout') })
  crm.app.notetaker.fail('500', { of: 'GET' })
  await later()
  expect(bots()).toHaveLength(1)
  expect(await read(meeting)).toMatchObject({ state: 'requested' })
  await later()
  expect(await read(meeting)).toMatchObject({ state: 'scheduled' })
  expect(bots()).toHaveLength(1)
})

test('a bot that the provider does not list yet is waited for before another one is requested, and one too many is deleted', async () => {
  await prepare()
  const meeting = await booking()
  crm.app.notetaker.fail('drop', { accept: true, of: 'POST' })
  await request(meeting)
  crm.app.notetaker.fail('unlisted', { of: 'GET' })
  await crm.app.owner.query("update notetakers set due_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(bots()).toHaveLength(1)
  // After a minute without it, the bot counts as not created; the lookup after the next failure finds both.
  crm.app.notetaker.fail('unlisted', { of: 'GET' })
  crm.app.notetaker.fail('drop', { accept: true, of: 'POST' })
  await later()
  expect(bots()).toHaveLength(2)
  await later()
  expect(live()).toEqual([bots()[0]])
  expect(await read(meeting)).toMatchObject({ state: 'scheduled' })
})

test('a meeting that the provider refuses fails with its reason, and can be requested again', async () => {
  await prepare()
  const meeting = await booking()
  crm.app.notetaker.fail('400', { of: 'POST' })
  await request(meeting)
  expect(await read(meeting)).toMatchObject({ state: 'failed', error: expect.stringContaining('400') })
  expect(found(await crm.ws.post(path(meeting)))).toMatchObject({ state: 'requested', already_scheduled: false, error: null })
  await crm.app.drain()
  expect(await read(meeting)).toMatchObject({ state: 'scheduled' })
})

test('a notetaker that is cancelled while its creation is unclear leaves no bot', async () => {
  await prepare()
  const meeting = await booking()
  crm.app.notetaker.fail('drop', { accept: true, of: 'POST' })
  await request(meeting)
  found(await crm.ws.delete(path(meeting)))
  await crm.app.drain()
  await later()
  expect(live()).toEqual([])
  expect(await read(meeting)).toMatchObject({ state: 'cancelled' })
})

test.each(['PATCH', 'DELETE', 'GET'])('every fault of %s is tried again', async (method) => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  const acts = {
    PATCH: () => crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link: 'https://meet.example.com/other' }),
    DELETE: () => crm.ws.delete(path(meeting)),
    GET: async () => ({ status: await report(bot(), 'bot.joining_call') }),
  }
  for (const mode of ['429', '500', 'drop', '401'] as const) crm.app.notetaker.fail(mode, { of: method, accept: mode === 'drop' })
  if (method === 'GET') crm.app.notetaker.status(bot(), 'joining_call')
  await acts[method as keyof typeof acts]()
  for (let round = 0; round < 6; round++) await later()
  if (method === 'PATCH') expect(bot().meeting_url).toBe('https://meet.example.com/other')
  if (method === 'DELETE') expect(live()).toEqual([])
  if (method === 'GET') expect(await read(meeting)).toMatchObject({ state: 'joining', error: null })
})

test('a bot that is not let in, is thrown out or is deleted at the provider fails without a charge', async () => {
  await prepare()
  for (const [time, code, subCode] of [
    ['10:00', 'fatal', 'bot_kicked_from_call'],
    ['11:00', 'done', 'timeout_exceeded_waiting_room'],
    ['12:00', undefined, undefined],
  ] as const) {
    const meeting = await booking(time)
    await request(meeting)
    const it = bots().at(-1)!
    if (code) {
      await status(it, 'joining_call')
      await status(it, code, subCode)
    } else {
      it.deleted = true
      await report(it, 'bot.fatal')
    }
    expect(await read(meeting)).toMatchObject({ state: 'failed', credits: 0, error: expect.stringContaining(subCode ?? 'no such bot') })
  }
  expect(await entries()).toEqual([])
})

test('a transcript that is late, or whose download fails, is read later; one that failed ends as that', async () => {
  await prepare()
  const [late, lost, none] = [await booking('10:00'), await booking('11:00'), await booking('12:00')]
  for (const meeting of [late, lost, none]) await request(meeting)
  const [first, second, third] = bots() as [never, never, never]
  await meet(first, { transcript: 'processing' })
  expect(await read(late)).toMatchObject({ state: 'done', credits_charged: 23, transcript_status: 'pending', transcript: null })
  crm.app.notetaker.meet(first)
  await report(first, 'transcript.done')
  expect(await read(late)).toMatchObject({ transcript_status: 'written', error: null })
  for (const mode of ['500', 'drop'] as const) crm.app.notetaker.fail(mode, { of: 'download' })
  await meet(second)
  expect(await read(lost)).toMatchObject({ state: 'done', transcript_status: 'pending' })
  for (let round = 0; round < 2; round++) await later()
  expect(await read(lost)).toMatchObject({ transcript_status: 'written' })
  await meet(third, { transcript: 'failed' })
  expect(await read(none)).toMatchObject({
    state: 'done',
    credits_charged: 23,
    transcript_status: 'failed',
    error: 'The provider has no transcript',
  })
  expect(await crm.count('booking_transcripts')).toBe(2)
})

test('a transcript is no longer waited for when it is not finished after a day, or when the bot is gone with it', async () => {
  await prepare()
  const [late, lost] = [await booking('10:00'), await booking('11:00')]
  for (const meeting of [late, lost]) await request(meeting)
  for (const one of bots()) await meet(one, { transcript: 'processing' })
  for (const meeting of [late, lost]) expect(await read(meeting)).toMatchObject({ state: 'done', transcript_status: 'pending' })
  const ofLost = bots().find(({ join_at }) => Date.parse(join_at as string) > Date.parse(late.starts_at)) as EmulatedBot
  ofLost.deleted = true
  await later()
  expect(await read(late)).toMatchObject({ transcript_status: 'pending' })
  expect(await read(lost)).toMatchObject({ transcript_status: 'failed', error: 'The provider has no transcript', credits_charged: 23 })
  const longAgo = "recording_started_at - interval '25 hours', recording_ended_at = recording_ended_at - interval '25 hours'"
  await crm.app.owner.query(`update notetakers set recording_started_at = ${longAgo} where workspace_id = $1`, [crm.ws.id])
  await later()
  expect(await read(late)).toMatchObject({ transcript_status: 'failed', error: 'The provider has no transcript' })
  await later()
  expect((await entries()).map(({ amount }) => amount)).toEqual([-23, -23])
})

test('reports are verified over their bytes, within five minutes; repeated ones do nothing, and each is judged alone', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  const minutes = (n: number) => ({ at: new Date(Date.now() + n * 60_000) })
  const wrong = { secret: `whsec_${Buffer.from('another secret').toString('base64')}` }
  expect([
    await report(bot(), 'bot.done', wrong),
    await report(bot(), 'bot.done', minutes(-6)),
    await report(bot(), 'bot.done', minutes(-1440)),
    await report(bot(), 'bot.done', minutes(6)),
  ]).toEqual([401, 401, 401, 401])
  const signed = crm.app.notetaker.report(bot(), 'bot.done')
  for (const body of [`${signed.body} `, signed.body.replace('bot.done', 'bot.fatal')])
    expect((await crm.app.fetch('/notetaker-events', { ...signed, body })).status).toBe(401)
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature, ...rest } = signed.headers
  const svix = { 'svix-id': id!, 'svix-timestamp': at!, 'svix-signature': `v1,c2lnbmVk v2,x ${signature}` }
  expect((await crm.app.fetch('/notetaker-events', { ...signed, headers: { ...rest, ...svix } })).status).toBe(200)
  await crm.app.drain()

  crm.app.notetaker.status(bot(), 'in_call_recording')
  const looks = () => crm.app.notetaker.accepted.filter((line) => line === `GET /bot/${bot().id}/`).length
  const before = looks()
  for (let round = 0; round < 3; round++) expect(await report(bot(), 'bot.in_call_recording', { id: 'msg_same' })).toBe(200)
  expect(looks()).toBe(before + 1)
  // What a late report says is not believed: the bot records already.
  expect(await report(bot(), 'bot.joining_call')).toBe(200)
  expect(await read(meeting)).toMatchObject({ state: 'recording' })
  const stranger = { ...bot(), metadata: { workspace_id: crypto.randomUUID(), notetaker_id: crypto.randomUUID() } }
  expect(await report(stranger, 'bot.done')).toBe(200)
  expect(await report({ ...bot(), metadata: {} }, 'bot.done')).toBe(200)
  const { notetaker_id = '', workspace_id = '' } = bot().metadata
  const message = (webhook_id: string, workspace: string) => ({
    type: 'notetaker.event',
    workspace_id: workspace,
    notetaker_id,
    webhook_id,
  })
  const delivered = await crm.app.deliver('webhooks', [
    { type: 'notetaker.event' },
    message('msg_a', crypto.randomUUID()),
    message('msg_b', workspace_id),
  ])
  expect(delivered.explicitAcks).toHaveLength(3)
})

test('the end of a meeting that is reported many times at once, in any order, is charged and written once', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  crm.app.notetaker.meet(bot(), { seconds: 600 })
  const events = ['transcript.done', 'bot.done', 'bot.in_call_recording', 'bot.call_ended', 'recording.done', 'bot.joining_call']
  await Promise.all([...events, ...events].map((event) => report(bot(), event)))
  await later()
  expect(await read(meeting)).toMatchObject({ state: 'done', recorded_minutes: 10, credits_charged: 230, transcript_status: 'written' })
  expect(await entries()).toHaveLength(1)
  expect(await crm.count('booking_transcripts')).toBe(1)
  expect(found(await crm.ws.get(`/activities?deal_id=${meeting.deal_id}`))).toHaveLength(1)
})

test('a recording that costs more than is left takes the balance to zero, and the rest is charged when credits are granted', async () => {
  await prepare({ credits: 700 })
  const [first, second] = [await booking('10:00'), await booking('11:00')]
  await request(first)
  await meet(bot(), { seconds: 35 * 60 })
  expect(await read(first)).toMatchObject({ state: 'done', credits: 805, credits_charged: 700, transcript_status: 'written' })
  expect(await crm.ws.post(path(second))).toMatchObject(failed(402, 'INSUFFICIENT_CREDITS'))
  await grant(50, 'a')
  expect(await read(first)).toMatchObject({ credits_charged: 750 })
  await Promise.all([grant(1_000, 'b'), grant(1_000, 'b'), crm.ws.post(path(second))])
  expect(await read(first)).toMatchObject({ credits: 805, credits_charged: 805 })
  expect(found(await crm.ws.get('/billing/credits'))).toMatchObject({ balance: 945 })
  expect((await entries()).map(({ amount, balance }) => [amount, balance])).toEqual([
    [-55, 945],
    [-50, 0],
    [-700, 0],
  ])
})

test('no more minutes are charged than the limit that the bot was given', async () => {
  await prepare()
  const meeting = await booking()
  await request(meeting)
  await meet(bot(), { seconds: 300 * 60 })
  expect(await read(meeting)).toMatchObject({ limit_minutes: 90, recorded_minutes: 90, credits: 2_070 })
})

test('a meeting that ends before a bot could be created fails, and asks the provider no more', async () => {
  await prepare()
  const meeting = await booking()
  crm.app.notetaker.fail('507', { of: 'POST' })
  await request(meeting)
  const past = new Date(Date.now() - 60_000).toISOString()
  await crm.app.owner.query('update notetakers set join_at = $2, ends_at = $2 where workspace_id = $1', [crm.ws.id, past])
  await later()
  await later()
  expect(await read(meeting)).toMatchObject({ state: 'failed', error: 'No bot could join before the meeting ended' })
  expect(bots()).toEqual([])
})
