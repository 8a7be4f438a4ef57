import { expect, test } from 'vitest'
import { STATUS_OF } from '../../../src/errors.ts'
import { type Envelope, readEnvelope, type ToolArguments } from '../../../src/features/scheduling/rules/voice/envelope.ts'
import { failureText, heldText } from '../../../src/features/scheduling/rules/voice/failures.ts'
import { FAILED, type Tool } from '../../../src/features/scheduling/rules/voice/texts.ts'

const args: ToolArguments = { name: 'Ana' }
const vapi = (item: object, more: object = {}) => ({ message: { toolCallList: [item], call: { id: 'c1' }, ...more } })
const oneOf = (format: Envelope['format'], given: ToolArguments, id: string | null, call_id: string | null, caller: string | null) => ({
  format,
  tools: [{ id, args: given }],
  call_id,
  caller,
})

test.each<[string, unknown, Envelope]>([
  [
    'Retell, inbound',
    { name: 'book', call: { call_id: 'c1', from_number: '+61412000001', to_number: '+61290000000', direction: 'inbound' }, args },
    oneOf('retell', args, null, 'c1', '+61412000001'),
  ],
  [
    'Retell, outbound: the person called is on the line',
    { call: { call_id: 'c1', from_number: '+61290000000', to_number: '+61412000001', direction: 'outbound', tool_call_id: 't1' }, args },
    oneOf('retell', args, 't1', 'c1', '+61412000001'),
  ],
  [
    'Retell, without a number of the caller',
    { call: { to_number: '+61290000000' }, args },
    oneOf('retell', args, null, null, '+61290000000'),
  ],
  ['Retell, arguments as a text', { call: {}, args: JSON.stringify(args) }, oneOf('retell', args, null, null, null)],
  ['Retell, arguments as a broken text', { call: {}, args: '{"name":' }, oneOf('retell', {}, null, null, null)],
  ['Retell, arguments as the text of a list', { call: 'c1', args: '[1]' }, oneOf('retell', {}, null, null, null)],
  ['Vapi, parameters', vapi({ id: 't1', parameters: args }), oneOf('vapi', args, 't1', 'c1', null)],
  ['Vapi, arguments as a text', vapi({ id: 't1', arguments: JSON.stringify(args) }), oneOf('vapi', args, 't1', 'c1', null)],
  ['Vapi, arguments of a function', vapi({ id: 't1', function: { arguments: args } }), oneOf('vapi', args, 't1', 'c1', null)],
  ['Vapi, parameters of a function', vapi({ function: { parameters: args } }), oneOf('vapi', args, null, 'c1', null)],
  ['Vapi, a number as arguments', vapi({ id: 't1', parameters: 5 }), oneOf('vapi', {}, 't1', 'c1', null)],
  [
    'Vapi, the customer of the call',
    vapi({ parameters: args }, { call: { id: 'c1', customer: { number: '+61412000001' } }, customer: { number: '+61412000002' } }),
    oneOf('vapi', args, null, 'c1', '+61412000001'),
  ],
  [
    'Vapi, the customer of the message',
    vapi({ parameters: args }, { customer: { number: ' +61412000002 ' } }),
    oneOf('vapi', args, null, 'c1', '+61412000002'),
  ],
  ['the arguments alone', { ...args, call_id: ' c1 ' }, oneOf('flat', { ...args, call_id: ' c1 ' }, null, 'c1', null)],
  ['an empty id', { ...args, call_id: ' ' }, oneOf('flat', { ...args, call_id: ' ' }, null, null, null)],
  ...['text', 5, null, [args], undefined].map((body): [string, unknown, Envelope] => [
    `no object: ${JSON.stringify(body)}`,
    body,
    oneOf('flat', {}, null, null, null),
  ]),
])('%s is read', (_, body, envelope) => expect(readEnvelope(body)).toEqual(envelope))

const near = { starts_at: '2026-12-01T22:30:00.000Z', timezone: 'Australia/Sydney' }
const READ = 'Call this tool again with its arguments as JSON.'
/** What the agent does about a code; any other one is that of a system that does not answer. */
const SAID: Record<string, string> = {
  SLOT_UNAVAILABLE: 'There is no free time near it. Ask the caller for another day.',
  INVALID_EMAIL: 'Ask the caller to spell the email address.',
  VALIDATION_ERROR: 'Correct it and call this tool again.',
  NOT_FOUND: 'Ask the caller for the phone number with which the booking was made.',
  INVALID_STATE: 'Ask the caller for the phone number with which the booking was made.',
  INVALID_JSON: READ,
  UNSUPPORTED_MEDIA_TYPE: READ,
  PAYLOAD_TOO_LARGE: READ,
  RATE_LIMITED: 'Wait ten seconds and call this tool again.',
}

test.each(Object.keys(STATUS_OF))('after %s the agent hears that nothing was done, and what to ask next', (code) => {
  for (const tool of Object.keys(FAILED) as Tool[]) {
    const text = failureText(tool, { code, message: 'It is so', details: {} })
    const isUnclear = tool === 'book' && ['UNAVAILABLE', 'INTERNAL'].includes(code)
    expect(text).toMatch(isUnclear ? /^BOOKING NOT CONFIRMED: / : new RegExp(`^${FAILED[tool]} `))
    expect(text).toContain(SAID[code] ?? 'Call this tool once more with the same details; it does nothing twice.')
    expect(text).toContain(SAID[code] ? 'Nothing has been changed.' : 'Nothing is confirmed.')
  }
})

test('a time that is taken comes with the nearest ones, and a wrong argument with its own question', () => {
  const taken = (details: object) => failureText('book', { code: 'SLOT_UNAVAILABLE', message: '', details })
  expect(taken({ nearest_before: near, nearest_after: null })).toMatch(/nearest free times are [^[]*\[2026-12-02 09:30\]\. Ask the caller/)
  expect(taken({ nearest_before: near, nearest_after: near }).match(/\[2026-12-02 09:30\]/g)).toHaveLength(2)
  const wrong = (path: string, message = 'must be known') =>
    failureText('book', { code: 'VALIDATION_ERROR', message: '', details: { issues: [{ path, message }] } })
  expect(wrong('timezone')).toContain('The timezone cannot be used: must be known. Nothing has been changed. Ask the caller which city')
  expect(wrong('duration_minutes')).toContain('The duration minutes cannot be used: ')
  expect(wrong('answers', 'one\n[two]')).toContain('"one two". Nothing has been changed. Ask the caller this question')
})

test('a request that waits for an approval is no booking', () => {
  expect(heldText('book')).toMatch(/^REQUESTED, NOT BOOKED: /)
  expect(heldText('cancel')).toMatch(/^REQUESTED, NOT CANCELLED: /)
  expect(heldText('reschedule')).toMatch(/^REQUESTED, NOT MOVED: /)
  expect(heldText('find')).toMatch(/^REQUESTED: /)
})
