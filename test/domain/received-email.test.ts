import { expect, test } from 'vitest'
import { inboundEmail } from '../../dev/inbound-mail.ts'
import { MAX_RECIPIENTS } from '../../src/features/email/rules/emails.ts'
import { readInbound } from '../../src/features/email/rules/inbound-email.ts'
import { addressesIn, readHeader } from '../../src/features/email/rules/mail-headers.ts'
import { readMailboxEmail, sidesOf } from '../../src/features/mailboxes/rules/mailbox-email.ts'

const posted = (more: object = {}) => ({ ...inboundEmail({ from: 'ana@example.com', name: 'Ana', text: 'Hello' }), ...more })
const base64 = Buffer.from('text').toString('base64')

test('what is posted as an email names a sender, or is none', () => {
  for (const body of [null, 'text', [], 1, {}, posted({ FromFull: null, From: 'nobody' }), posted({ FromFull: {}, From: 7 })])
    expect(readInbound(body)).toBeUndefined()
  expect(readInbound(posted({ FromFull: [], From: 'Ben@Example.com ' }))).toMatchObject({ from_email: 'ben@example.com', from_name: null })
})

test.each([
  ['', null],
  [undefined, null],
  ['Sales <Sales@Example.com>', 'sales@example.com'],
  ['sales@example.com', 'sales@example.com'],
  ['not an address', null],
])('replies to %j go to %s', (ReplyTo, reply_to) => {
  expect(readInbound(posted({ ReplyTo }))?.reply_to).toBe(reply_to)
})

test('an email with the address of nobody to reply to is one of many', () => {
  expect(
    [{}, { ReplyTo: 'ben@example.com' }, { ReplyTo: 'no-reply@example.com' }].map((more) => readInbound(posted(more))?.is_bulk),
  ).toEqual([false, false, true])
})

test('attachments without a type, a name or content of text', () => {
  const Attachments = [
    { Name: 'a.txt', Content: base64, ContentType: 'text/plain', ContentID: '<id>' },
    { Name: 'lost.txt', Content: null, ContentType: 'text/plain' },
    { Name: '', Content: base64, ContentType: '' },
    { Name: 7, Content: base64, ContentType: ' Text/Calendar ; method=REQUEST', ContentID: 7 },
    'text',
  ]
  expect(readInbound(posted({ Attachments }))?.attachments).toEqual([
    { name: 'a.txt', content_type: 'text/plain', content_id: 'id', content: base64 },
    { name: 'file', content_type: 'application/octet-stream', content_id: null, content: base64 },
    { name: 'invitation.ics', content_type: 'Text/Calendar ; method=REQUEST', content_id: null, content: base64 },
  ])
})

test.each([
  ['ana@example.com, ben@example.com', ['ana@example.com', 'ben@example.com']],
  ['ana@example.com; ben@example.com', ['ana@example.com', 'ben@example.com']],
  ['Team: ana@example.com, Ben <ben@example.com>;', ['ana@example.com', 'ben@example.com']],
  ['"Lee, Ana" <ana@example.com>, "a; b" <ben@example.com>', ['ana@example.com', 'ben@example.com']],
  ['5" pipes <ana@example.com>, ben@example.com', ['ana@example.com', 'ben@example.com']],
  ['"Ana \\"A\\" Lee" <ana@example.com>, ben@example.com', ['ana@example.com', 'ben@example.com']],
  ['undisclosed-recipients:;', []],
  ['Ana <nobody>', []],
])('the addresses in %j', (header, emails) => {
  expect(addressesIn(header).map(({ email }) => email)).toEqual(emails)
})

test('of more addresses than an email can have the first ones are read', () => {
  const all = Array.from({ length: MAX_RECIPIENTS + 10 }, (_, n) => `person-${n}@example.com`)
  for (const separator of [', ', ' ', '; '])
    expect(addressesIn(all.join(separator)).map(({ email }) => email)).toEqual(all.slice(0, MAX_RECIPIENTS))
})

test('a character that is divided between two encoded words is read, and words of different charsets are read apart', () => {
  const [bytes, half] = [Buffer.from('Grüße'), 3]
  const words = (charset: string, other = charset) =>
    `=?${charset}?B?${bytes.subarray(0, half).toString('base64')}?= =?${other}?b?${bytes.subarray(half).toString('base64')}?=`
  expect(readHeader(words('utf-8', 'UTF-8'), 100)).toBe('Grüße')
  expect(readHeader(words('utf-8', 'iso-8859-1'), 100)).not.toContain('Grüße')
  expect(readHeader('=?iso-8859-1?Q?M=FCller?= =?utf-8?Q?_=C3=A9?=', 100)).toBe('Müller é')
  expect(readHeader('=?x-unknown?Q?Hello?=', 100)).toBe('Hello')
})

const header = (name: string, value: string) => ({ name, value })
const email = (headers: Record<string, string>, labels: string[] = ['INBOX']) => ({
  id: 'm1',
  thread_id: 't1',
  labels,
  headers: Object.entries(headers).map(([name, value]) => header(name, value)),
  received_at: '2026-11-28T09:00:00.000Z',
  payload: { mime_type: 'text/plain', filename: '', headers: [], data: '', attachment_id: null, size: 0, parts: [] },
})

test.each([
  [
    'received',
    { From: 'Ana <ana@example.com>', 'Message-ID': '<1@x>' },
    ['INBOX'],
    { direction: 'inbound', correspondents: ['ana@example.com'] },
  ],
  [
    'sent',
    { From: 'me@example.com', To: 'a@example.com, b@example.com', Cc: 'B@example.com', Bcc: 'c@example.com' },
    ['SENT'],
    { direction: 'outbound', correspondents: ['a@example.com', 'b@example.com', 'c@example.com'], internet_id: 'm1@mail.gmail.com' },
  ],
  ['sent to nobody', { From: 'me@example.com', To: 'undisclosed-recipients:;' }, ['SENT'], undefined],
  ['from nobody', { From: '', To: 'a@example.com' }, ['INBOX'], undefined],
  ...['DRAFT', 'SPAM', 'TRASH', 'CHAT'].map(
    (label) => [`with the label ${label}`, { From: 'ana@example.com', To: 'a@example.com' }, [label, 'SENT'], undefined] as const,
  ),
] as const)('between whom an email of a mailbox is: one %s', (_, headers, labels, sides) => {
  const found = email(headers as Record<string, string>, [...labels])
  const read = readMailboxEmail(found, '', null)
  if (sides === undefined) expect([sidesOf(found), read]).toEqual([undefined, undefined])
  else expect([sidesOf(found), read]).toMatchObject([sides, sides])
})

test('an email of a mailbox has the subject, the address for replies and the conversation of its headers, or says that it has none', () => {
  const From = 'Ana Lee <ana@example.com>'
  expect(readMailboxEmail(email({ From }), 'Hi', null)).toMatchObject({
    subject: '(no subject)',
    reply_to: null,
    in_reply_to: null,
    references: [],
    from_name: 'Ana Lee',
    is_automatic: false,
    is_bulk: false,
  })
  const headers = { Subject: 'Offer', 'Reply-To': 'Sales <sales@example.com>', 'In-Reply-To': '<1@x>', References: '<0@x> <1@x>' }
  expect(readMailboxEmail(email({ From, ...headers, 'Auto-Submitted': 'auto-replied' }), 'Hi', null)).toMatchObject({
    subject: 'Offer',
    reply_to: 'sales@example.com',
    in_reply_to: '1@x',
    references: ['0@x', '1@x'],
    is_automatic: true,
  })
  // What the member has set up to be sent automatically is still theirs.
  const sent = email({ From, To: 'ben@example.com', 'Auto-Submitted': 'auto-replied' }, ['SENT'])
  expect(readMailboxEmail(sent, 'Hi', null)).toMatchObject({ direction: 'outbound', is_automatic: false })
})
