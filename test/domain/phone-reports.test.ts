import { expect, test } from 'vitest'
import { calledNumberOf, retellReportOf, twilioReportOf } from '../../src/features/phone/schemas/call-events.ts'
import { smsReceivedOf, smsReportOf } from '../../src/features/sms/schemas/sms-events.ts'

const NOW = new Date('2026-11-28T09:00:00Z')
const ID = '019a0000-0000-7000-8000-000000000001'
const [OURS, THEIRS] = ['+61491570156', '+61400000002']

const call = (more: object = {}, event = 'call_ended') =>
  retellReportOf({
    event,
    call: { call_id: 'call_1', direction: 'inbound', from_number: THEIRS, to_number: OURS, call_status: 'ended', ...more },
  })

test('a call at the voice provider is about the number of the workspace, in either direction', () => {
  expect(call()).toMatchObject({ direction: 'inbound', phone_number: OURS, external_phone_number: THEIRS })
  expect(call({ direction: 'outbound' })).toMatchObject({ direction: 'outbound', phone_number: THEIRS, external_phone_number: OURS })
  expect(call({ from_number: 'anonymous' })).toMatchObject({ phone_number: OURS, external_phone_number: null })
  for (const to_number of ['anonymous', null, undefined]) expect(call({ to_number })).toBeUndefined()
  expect(call({}, 'call_later')).toBeUndefined()
})

test.each([
  [{ start_timestamp: 1000, end_timestamp: 61_400 }, 60],
  [{ start_timestamp: 1000, end_timestamp: 61_400, duration_ms: 59_600 }, 60],
  [{ start_timestamp: 61_000, end_timestamp: 1000 }, null],
  [{ start_timestamp: 1000 }, null],
  [{ end_timestamp: 1000 }, null],
  [{ duration_ms: 'long' }, null],
])('a call with %j lasted %s seconds', (times, duration_seconds) => {
  expect(call(times)).toMatchObject({ duration_seconds })
  expect(call({ start_timestamp: 1000, duration_ms: 5000 }, 'call_started')).toMatchObject({
    duration_seconds: null,
    status: 'in_progress',
  })
})

test('a call that ended with an error has failed, whatever its reason', () => {
  expect(call({ disconnection_reason: 'user_hangup' })?.status).toBe('completed')
  expect(call({ disconnection_reason: 'user_hangup', call_status: 'error' })?.status).toBe('failed')
})

test.each([
  ['https://storage.example/a.wav', 'https://storage.example/a.wav'],
  ['http://storage.example/a.wav', 'http://storage.example/a.wav'],
  ['javascript:alert(1)', null],
  ['not a link', null],
  [`https://storage.example/${'a'.repeat(2_000)}`, null],
  [null, null],
])('a recording at %s is shown at %s', (url, shown) => {
  expect(call({ recording_url: url, public_log_url: url })).toMatchObject({ recording_url: shown, transcript_url: shown })
  const form = { CallSid: 'CA1', CallStatus: 'completed', From: THEIRS, To: OURS, ...(url !== null && { RecordingUrl: url }) }
  expect(twilioReportOf(form)?.recording_url).toBe(shown)
})

const TIME = 'Sat, 28 Nov 2026 09:00:00 +0000'
const twilio = (more: Record<string, string>) =>
  twilioReportOf({ CallSid: 'CA1', CallStatus: 'completed', From: THEIRS, To: OURS, Timestamp: TIME, ...more })

test.each([
  [{}, { direction: 'inbound', phone_number: OURS, external_phone_number: THEIRS, ended_at: NOW.toISOString(), ended_reason: 'completed' }],
  [{ Direction: 'inbound' }, { direction: 'inbound', phone_number: OURS }],
  [{ Direction: 'outbound-api' }, { direction: 'outbound', phone_number: THEIRS, external_phone_number: OURS }],
  [{ Direction: 'outbound-dial' }, { direction: 'outbound', phone_number: THEIRS }],
  [{ CallDuration: '60' }, { duration_seconds: 60, started_at: '2026-11-28T08:59:00.000Z', ended_at: NOW.toISOString(), stage: 1 }],
  [{ CallDuration: 'long' }, { duration_seconds: null, started_at: NOW.toISOString() }],
  [
    { CallStatus: 'ringing', CallDuration: '60' },
    { status: 'ringing', stage: 0, duration_seconds: null, started_at: NOW.toISOString(), ended_at: null, ended_reason: null },
  ],
  [{ CallStatus: 'in-progress' }, { status: 'in_progress', stage: 0, ended_at: null }],
  [{ CallStatus: 'no-answer' }, { stage: 1, ended_reason: 'no-answer' }],
  [{ Timestamp: 'soon' }, { started_at: null, ended_at: null, ended_reason: 'completed' }],
  [{ CallStatus: 'constructor' }, undefined],
  [{ CallStatus: 'added-later' }, undefined],
  [{ CallSid: 'SM1' }, undefined],
  [{ To: 'client:ana' }, undefined],
] as const)('a call at the provider of numbers with %j', (form, report) => {
  if (report) expect(twilio(form as Record<string, string>)).toMatchObject(report)
  else expect(twilio(form as Record<string, string>)).toBeUndefined()
})

test('the number that is called is read from the question of the voice provider alone', () => {
  const question = { event: 'call_inbound', call_inbound: { to_number: OURS } }
  expect(calledNumberOf(question)).toBe(OURS)
  for (const body of [null, {}, { ...question, event: 'call_ended' }, { ...question, call_inbound: { to_number: 'ana' } }])
    expect(calledNumberOf(body)).toBeUndefined()
})

const sms = (more: Record<string, string> = {}) => smsReceivedOf({ MessageSid: 'SM1', From: THEIRS, To: OURS, Body: 'Hello', ...more }, NOW)

test('a keyword that the provider has answered itself is noted, and no other word', () => {
  for (const [OptOutType, keyword] of [
    ['STOP', 'stop'],
    ['START', 'start'],
    ['HELP', 'help'],
    ['LATER', null],
    ['', null],
  ] as const)
    expect([OptOutType, sms({ OptOutType })?.keyword]).toEqual([OptOutType, keyword])
  expect(sms()?.keyword).toBeNull()
})

test('the files of a message are named, or have the reason why they cannot be had', () => {
  const MediaUrl0 = 'https://api.twilio.com/2010-04-01/Accounts/AC0/Messages/MM1/Media/ME1'
  expect(
    sms({ NumMedia: '2', MediaUrl0, MediaContentType0: 'image/png', MediaUrl1: 'https://evil.example/Media/ME1' })?.media,
  ).toMatchObject([
    { source: 'MM1/Media/ME1', content_type: 'image/png', error: null },
    { source: '', error: 'The provider has named no address of the file' },
  ])
  expect(sms({ NumMedia: '1' })?.media).toMatchObject([{ source: '', error: expect.any(String) }])
  expect(sms({ NumMedia: 'many', MediaUrl0 })?.media).toEqual([])
})

test('what is no message, and a report about none of ours, is read as nothing', () => {
  for (const more of [{ MessageSid: 'CA1' }, { From: 'ana' }, { To: '' }] as Record<string, string>[]) expect(sms(more)).toBeUndefined()
  const report = (id: string, more: Record<string, string> = {}) =>
    smsReportOf(id, { MessageSid: 'SM1', MessageStatus: 'delivered', ErrorCode: '30003', ...more })
  expect(report(ID)).toMatchObject({ message_id: ID, status: 'delivered', error_code: '30003' })
  expect(report(ID, { MessageStatus: 'added-later', ErrorCode: 'none' })).toMatchObject({ status: null, error_code: null })
  expect([report('x'), report(ID, { MessageSid: 'CA1' }), smsReportOf(ID, { MessageSid: 'SM1' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})
