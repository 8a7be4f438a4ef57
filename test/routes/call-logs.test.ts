import { beforeEach, expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from './crm.ts'
import { phoning } from './phoning.ts'

const crm = useCrm()
const { agent, atTwilio, number, postRetell, postTwilio, unused } = phoning(crm)
beforeEach(() => crm.app.voice.clear())

const calls = async (query = ''): Promise<Row[]> => found(await crm.ws.get(`/phone/call-logs${query}`))
const newCall = () => `call_${crypto.randomUUID().replaceAll('-', '')}`
const START = Date.parse('2026-11-20T09:00:00Z')

/** What Retell reports about one call, in order. */
function reports(call: { call_id: string; from_number: string; to_number: string; agent_id?: string; direction?: string }) {
  const begun = { call_type: 'phone_call', direction: 'inbound', start_timestamp: START, ...call }
  const ended = {
    ...begun,
    call_status: 'ended',
    end_timestamp: START + 84_000,
    duration_ms: 84_000,
    disconnection_reason: 'user_hangup',
    transcript: 'Agent: Good morning.\nUser: Hello.',
    recording_url: 'https://r.test/1.wav',
    public_log_url: 'https://r.test/1.log',
    transcript_object: [{ role: 'agent', content: 'Good morning.', words: [] }],
  }
  const call_analysis = { call_summary: 'Ana asks for a quote.', user_sentiment: 'Positive', call_successful: true }
  return [
    { event: 'call_started', call: { ...begun, call_status: 'ongoing' } },
    { event: 'call_ended', call: ended },
    { event: 'call_analyzed', call: { ...ended, call_analysis } },
  ] as const
}

const events = async (): Promise<string[]> =>
  (await crm.app.owner.query("select type from outbox where workspace_id = $1 and entity = 'call_log' order by id", [crm.ws.id])).rows.map(
    ({ type }) => type,
  )

const ORDERS = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 1, 0, 2, 2, 0],
]
test.each(ORDERS)('a call is one entry with all that its reports say, in any order and repeatedly (%#)', async (...order) => {
  const { phone_number } = await number()
  const config = await agent()
  const from = unused('+6142')
  const contact = await crm.contact({ phone: from })
  const all = reports({ call_id: newCall(), from_number: from, to_number: phone_number, agent_id: config.provider_agent_id })
  for (const n of order as number[]) {
    expect((await postRetell(all[n as 0])).status).toBe(204)
    await crm.app.drain()
  }
  const logs = await calls()
  expect(logs).toMatchObject([
    {
      provider: 'retell',
      direction: 'inbound',
      status: 'completed',
      phone_number,
      external_phone_number: from,
      contact_id: contact.id,
      voice_agent_config_id: config.id,
      started_at: '2026-11-20T09:00:00.000Z',
      ended_at: '2026-11-20T09:01:24.000Z',
      duration_seconds: 84,
      ended_reason: 'user_hangup',
      recording_url: 'https://r.test/1.wav',
      transcript_url: 'https://r.test/1.log',
      summary: 'Ana asks for a quote.',
      sentiment: 'positive',
      is_successful: true,
    },
  ])
  expect(logs[0]).not.toHaveProperty('transcript')
  expect(found(await crm.ws.get(`/phone/call-logs/${logs[0]?.id}`)).transcript).toBe('Agent: Good morning.\nUser: Hello.')
  expect((await events()).toSorted()).toEqual(['call.analyzed', 'call.ended', 'call.started'])
  const activities = found(await crm.ws.get(`/activities?contact_id=${contact.id}`)) as Row[]
  expect(activities).toMatchObject([
    {
      activity_type: 'call',
      direction: 'inbound',
      body: 'Ana asks for a quote.',
      duration_seconds: 84,
      metadata: { call_log_id: logs[0]?.id },
    },
  ])
})

test('a signature of other bytes, with a wrong key, or of another time is refused, and nothing is stored', async () => {
  const { phone_number } = await number()
  const [, ended] = reports({ call_id: newCall(), from_number: unused(), to_number: phone_number })
  const { init } = crm.app.voice.event(ended)
  const post = (change: Partial<typeof init>) => crm.app.fetch('/call-events/retell', { ...init, ...change })
  const bits = Buffer.from(init.body)
  for (const at of [0, 40, bits.length - 1]) {
    const flipped = Buffer.from(bits)
    flipped[at] = (flipped[at] as number) ^ 1
    expect((await post({ body: flipped as never })).status).toBe(401)
  }
  expect((await post({ body: ` ${init.body}` })).status).toBe(401)
  expect((await post({ headers: { 'content-type': 'application/json' } })).status).toBe(401)
  for (const minutes of [-1440, -6, 6]) expect((await postRetell(ended, Date.now() + minutes * 60_000)).status).toBe(401)
  await crm.app.drain()
  expect(await calls()).toEqual([])
  expect((await postRetell(ended, Date.now() - 4 * 60_000)).status).toBe(204)
  await crm.app.drain()
  expect(await calls()).toHaveLength(1)
})

test('what is about no number of the deployment, no call by phone, or another form is answered and ignored', async () => {
  const { phone_number } = await number()
  const call = reports({ call_id: newCall(), from_number: unused(), to_number: phone_number })[1]
  const odd = [
    reports({ call_id: newCall(), from_number: unused(), to_number: unused() })[1],
    { event: 'transcript_updated', call: call.call },
    { ...call, call: { ...call.call, call_type: 'web_call', from_number: undefined, to_number: undefined } },
    { event: 'call_ended' },
    'text',
    null,
  ]
  for (const body of odd) expect((await postRetell(body)).status).toBe(204)
  await crm.app.drain()
  expect(await calls()).toEqual([])
})

test('odd values are left out, and a long transcript is cut where a character ends', async () => {
  const { phone_number } = await number()
  const [, ended] = reports({ call_id: newCall(), from_number: 'anonymous', to_number: phone_number })
  const odd = { recording_url: 'javascript:alert(1)', public_log_url: 7, transcript: `\0${'語'.repeat(40_000)}`, duration_ms: -1 }
  expect((await postRetell({ ...ended, call: { ...ended.call, ...odd } })).status).toBe(204)
  await crm.app.drain()
  const [log] = await calls()
  expect(log).toMatchObject({
    external_phone_number: null,
    contact_id: null,
    recording_url: null,
    transcript_url: null,
    duration_seconds: 84,
  })
  expect(found(await crm.ws.get(`/phone/call-logs/${log?.id}`)).transcript).toBe('語'.repeat(20_000))
})

test.each([
  ['dial_no_answer', 'no_answer'],
  ['dial_busy', 'busy'],
  ['error_llm_websocket_open', 'failed'],
  ['voicemail_reached', 'completed'],
])('an outbound call that ended with %s is %s', async (disconnection_reason, status) => {
  const { phone_number } = await number()
  const [, ended] = reports({ call_id: newCall(), from_number: phone_number, to_number: unused('+6142'), direction: 'outbound' })
  await postRetell({ ...ended, call: { ...ended.call, disconnection_reason } })
  await crm.app.drain()
  expect(await calls()).toMatchObject([{ direction: 'outbound', status, phone_number }])
})

test('before it answers, a voice agent gets the number to transfer to', async () => {
  const { id, phone_number } = await number()
  const ask = async (to_number: string) =>
    (await postRetell({ event: 'call_inbound', call_inbound: { from_number: '+61400000001', to_number } })).json()
  expect(await ask(phone_number)).toEqual({ call_inbound: {} })
  found(await crm.ws.patch(`/phone/numbers/${id}`, { transfer_number: '+61412345678' }))
  expect(await ask(phone_number)).toEqual({ call_inbound: { dynamic_variables: { transfer_number: '+61412345678' } } })
})

/** What Twilio asks and reports about a call to the number. */
async function twilio(phone: string, path: 'voice_url' | 'status_callback', form: Row) {
  const url = atTwilio(phone)[0]?.[path] as string
  const response = await postTwilio(crm.app.sms.posted(url, { To: phone, Direction: 'inbound', ...form }))
  await crm.app.drain()
  return [response.status, await response.text()]
}

test('a call without a voice agent is put through to the transfer number, and rejected without one', async () => {
  const { id, phone_number } = await number()
  const from = unused('+6142')
  const contact = await crm.contact({ phone: from })
  const form = { CallSid: `CA${'1'.repeat(32)}`, From: from }
  expect(await twilio(phone_number, 'voice_url', { ...form, CallStatus: 'ringing' })).toEqual([200, expect.stringContaining('<Reject')])
  found(await crm.ws.patch(`/phone/numbers/${id}`, { transfer_number: '+61412345678' }))
  const ringing = { ...form, CallStatus: 'ringing' }
  expect(await twilio(phone_number, 'voice_url', ringing)).toEqual([200, expect.stringContaining('<Dial timeout="30">+61412345678</Dial>')])
  const status = (as: string) => crm.app.owner.query('update phone_numbers set status = $2 where id = $1', [id, as])
  await status('releasing')
  expect(await twilio(phone_number, 'voice_url', ringing), 'a number that is given back').toEqual([200, expect.stringContaining('<Reject')])
  await status('active')
  const ended = {
    ...form,
    CallStatus: 'completed',
    CallDuration: '30',
    Timestamp: 'Fri, 20 Nov 2026 09:00:30 +0000',
    RecordingUrl: 'https://t.test/RE1',
  }
  await twilio(phone_number, 'status_callback', ended)
  await twilio(phone_number, 'status_callback', ringing)
  await twilio(phone_number, 'status_callback', ended)
  expect(await calls(`?contact_id=${contact.id}`)).toMatchObject([
    {
      provider: 'twilio',
      status: 'completed',
      duration_seconds: 30,
      recording_url: 'https://t.test/RE1',
      ended_reason: 'completed',
      started_at: '2026-11-20T09:00:00.000Z',
      ended_at: '2026-11-20T09:00:30.000Z',
    },
  ])
  expect(await events()).toEqual(['call.started', 'call.ended'])
})

test('a report of Twilio with a wrong signature, or in the name of another workspace, changes nothing', async () => {
  const { phone_number } = await number()
  const url = atTwilio(phone_number)[0]?.status_callback as string
  const form = { CallSid: `CA${'2'.repeat(32)}`, From: unused(), To: phone_number, Direction: 'inbound', CallStatus: 'completed' }
  const { init } = crm.app.sms.posted(url, form)
  expect((await postTwilio({ url, init: { ...init, body: `${init.body}1` } })).status).toBe(401)
  const other = await crm.app.workspace()
  expect((await postTwilio(crm.app.sms.posted(url.replace(crm.ws.id, other.id), form))).status).toBe(200)
  await crm.app.drain()
  expect([await calls(), found(await other.get('/phone/call-logs'))]).toEqual([[], []])
})

test('one report that the database refuses does not keep the others from being stored', async () => {
  const { phone_number } = await number()
  const all = ['a', 'b', 'c'].map((n) => reports({ call_id: `${newCall()}${n}`, from_number: unused(), to_number: phone_number })[1])
  await crm.app.capture(true)
  for (const one of all) await postRetell(one)
  const bodies = (await crm.app.capture(false)).filter(({ queue }) => queue === 'deliveries').map(({ body }) => body as Row)
  // A day that only the database knows not to exist.
  ;(bodies[1] as Row).report.started_at = '2026-02-31T09:00:00Z'
  const together = await crm.app.deliver('deliveries', bodies)
  expect(together.retryMessages).toHaveLength(3)
  const alone = await crm.app.deliver('deliveries', bodies, 2)
  expect([alone.explicitAcks.length, alone.retryMessages]).toMatchObject([2, [{ msgId: 'delivered-1' }]])
  expect(await calls()).toHaveLength(2)
})

test('calls are read with calls:read alone, filtered, and gone with their contact', async () => {
  const { phone_number } = await number()
  const from = unused('+6142')
  const contact = await crm.contact({ phone: from })
  for (const number of [from, unused('+6142')])
    await postRetell(reports({ call_id: newCall(), from_number: number, to_number: phone_number })[1])
  await crm.app.drain()
  expect(await calls()).toHaveLength(2)
  for (const query of [`contact_id=${contact.id}`, `external_phone_number=${encodeURIComponent(from)}`])
    expect(await calls(`?${query}`)).toHaveLength(1)
  expect(await calls(`?phone_number=${encodeURIComponent(phone_number)}&direction=inbound&status=completed`)).toHaveLength(2)
  const reader = await crm.ws.key({ scopes: ['phone:read'] })
  expect(await reader.get('/phone/call-logs')).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await calls()).toHaveLength(1)
})
