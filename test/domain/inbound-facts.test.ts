import { expect, test } from 'vitest'
import { inboundEmail } from '../../dev/inbound-mail.ts'
import {
  MAX_ATTACHMENTS,
  MAX_BODY,
  MAX_RECIPIENTS,
  MAX_REFERENCES,
  MAX_SUBJECT,
  replySubject,
  toHandle,
} from '../../src/features/email/rules/emails.ts'
import { readInbound, timeOfEmail } from '../../src/features/email/rules/inbound-email.ts'
import { headerIn } from '../../src/features/email/rules/mail-headers.ts'

const SENDER = { from: 'ana@example.com', name: 'Ana', text: 'Hello' }
const posted = (more: object = {}) => readInbound({ ...inboundEmail(SENDER), ...more })
const withHeaders = (headers: Record<string, string>, from = SENDER.from) =>
  readInbound(inboundEmail({ ...SENDER, from, headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }))

test.each<[Record<string, string>, from: string | undefined, isAutomatic: boolean]>([
  [{}, undefined, false],
  [{ 'Auto-Submitted': 'auto-generated' }, undefined, true],
  [{ 'auto-submitted': ' Auto-Replied; owner=x' }, undefined, true],
  [{ 'Auto-Submitted': 'No' }, undefined, false],
  [{ 'Auto-Submitted': '' }, undefined, false],
  [{ Precedence: 'auto_reply' }, undefined, true],
  [{ Precedence: 'Auto-Reply' }, undefined, true],
  [{ Precedence: 'autoreply' }, undefined, true],
  [{ Precedence: 'bulk' }, undefined, false],
  [{ 'X-Autoreply': 'yes' }, undefined, true],
  [{ 'X-Autorespond': 'Away' }, undefined, true],
  [{ 'X-Auto-Reply': 'yes' }, undefined, true],
  [{ 'X-Autoresponder': 'program' }, undefined, true],
  [{ 'X-Autoreply': ' NO ' }, undefined, false],
  [{ 'Content-Type': 'multipart/report; report-type=delivery-status' }, undefined, true],
  [{ 'Content-Type': 'multipart/mixed' }, undefined, false],
  [{ 'Return-Path': ' <> ' }, undefined, true],
  [{ 'Return-Path': '<ana@example.com>' }, undefined, false],
  [{}, 'MAILER-DAEMON@example.com', true],
  [{}, 'postmaster@example.com', true],
  [{}, 'postmasters@example.com', false],
])('an email with %j from %j is from a program: %s', (headers, from, isAutomatic) => {
  expect(withHeaders(headers, from)?.is_automatic).toBe(isAutomatic)
})

test.each<[Record<string, string>, from: string | undefined, isBulk: boolean]>([
  [{}, undefined, false],
  ...['List-Id', 'List-Post', 'List-Unsubscribe', 'Feedback-ID'].map((name) => [{ [name]: '<x>' }, undefined, true] as never),
  [{ 'List-Id': ' ' }, undefined, false],
  [{ Precedence: ' Bulk' }, undefined, true],
  [{ Precedence: 'list' }, undefined, true],
  [{ Precedence: 'junk' }, undefined, true],
  [{ Precedence: 'listing' }, undefined, false],
  [{ Precedence: 'first-class' }, undefined, false],
  ...['noreply', 'No-Reply', 'no.reply', 'no_reply', 'donotreply', 'do-not-reply', 'do_not.reply', 'noreply+7', 'no-reply-ana'].map(
    (name) => [{}, `${name}@example.com`, true] as never,
  ),
  ...['noreplying', 'ana-noreply', 'reply', 'donot'].map((name) => [{}, `${name}@example.com`, false] as never),
])('an email with %j from %j is one of many: %s', (headers, from, isBulk) => {
  expect(withHeaders(headers, from)?.is_bulk).toBe(isBulk)
})

const DAY = 86_400_000
test.each([
  ['of now', 0, false],
  ['of a minute ago', 60_000, false],
  ['of more than a minute ago', 60_001, true],
  ['of thirty days ago', 30 * DAY, true],
  ['of more than thirty days ago', 30 * DAY + 1, false],
  ['from the future', -60_001, false],
])('the time that an email %s has is believed: it is %i milliseconds old', (_, age, isBelieved) => {
  const arrived = new Date('2026-11-30T12:00:00.000Z')
  const sent = new Date(arrived.getTime() - age).toISOString()
  expect(timeOfEmail(sent, arrived)).toBe(isBelieved ? sent : arrived.toISOString())
  expect(timeOfEmail(null, arrived)).toBe(arrived.toISOString())
})

test.each([
  ['Mon, 30 Nov 2026 10:00:00 +0100 (CET)', 'Mon, 1 Jan 2024 00:00:00 +0000', '2026-11-30T09:00:00.000Z'],
  ['yesterday', 'Mon, 30 Nov 2026 10:00:00 +0000', '2026-11-30T10:00:00.000Z'],
  [undefined, 'Mon, 30 Nov 2026 10:00:00 -0500 (Eastern Time)', '2026-11-30T15:00:00.000Z'],
  [undefined, 'nonsense', null],
])('an email posted with the date %j and the header %j was sent at %j', (Date_, header, sent_at) => {
  const Headers = [{ Name: 'date', Value: header }]
  expect(posted({ Date: Date_, Headers })?.sent_at).toBe(sent_at)
})

const THREAD = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const HASH = THREAD.replaceAll('-', '')
test.each([
  ['the hash of the email', { MailboxHash: HASH }, THREAD],
  ['another hash of it', { MailboxHash: 'sales' }, null],
  ['the hash of its second recipient', { MailboxHash: '', ToFull: [{ MailboxHash: 'x' }, { MailboxHash: HASH.toUpperCase() }] }, THREAD],
  ['a hash that is too long', { MailboxHash: `${HASH}0` }, null],
  ['no hash', { MailboxHash: 7 }, null],
])('the thread that an email names by %s', (_, fields, thread) => {
  expect(posted(fields)?.named_thread_id).toBe(thread)
})

test('an email without a subject, a Message-ID, a name and HTML says so, and its text stands for what was stripped', () => {
  const found = posted({ Subject: ' \n ', Headers: [], MessageID: 'abc', FromFull: { Email: 'ana@example.com', Name: ' ' }, HtmlBody: '' })
  expect(found).toMatchObject({ subject: '(no subject)', internet_id: 'abc@inbound.postmarkapp.com', from_name: null, html: null })
  expect(found).toMatchObject({ in_reply_to: null, references: [], reply_to: null })
  expect(posted({ StrippedTextReply: '' })?.stripped_text).toBe('Hello')
  expect(posted({ StrippedTextReply: 'Short' })?.stripped_text).toBe('Short')
})

test('what is longer than what is stored is cut, and text has no zeros and no half characters', () => {
  const many = <T>(count: number, item: (n: number) => T) => Array.from({ length: count }, (_, n) => item(n))
  const recipients = many(MAX_RECIPIENTS + 1, (n) => ({ Email: `p${n}@example.com` }))
  const ids = many(MAX_REFERENCES + 1, (n) => `<${n}@x>`)
  const found = posted({
    Subject: `${'s'.repeat(MAX_SUBJECT - 1)}😀`,
    TextBody: `a\0${'t'.repeat(MAX_BODY)}`,
    ToFull: recipients,
    CcFull: [{ Email: 'nobody' }, ...recipients.slice(1)],
    Attachments: many(MAX_ATTACHMENTS + 1, (n) => ({ Name: `${n}.txt`, Content: '', ContentType: 'text/plain' })),
    Headers: [
      { Name: 'REFERENCES', Value: ids.join(' ') },
      { Name: 'In-Reply-To', Value: '<a@x> <b@x>' },
    ],
  })
  expect(found?.subject).toBe(`${'s'.repeat(MAX_SUBJECT - 1)}\ufffd`)
  expect(found?.text).toBe(`a${'t'.repeat(MAX_BODY - 2)}`)
  expect([found?.to.length, found?.cc.length, found?.attachments.length]).toEqual([MAX_RECIPIENTS, MAX_RECIPIENTS - 1, MAX_ATTACHMENTS])
  expect(found?.references).toEqual(ids.slice(1).map((id) => id.slice(1, -1)))
  expect(found?.in_reply_to).toBe('a@x')
})

test('a header is found by its name in any case, and has no zeros', () => {
  const headers = [
    { name: 'Subject', value: 'a\0b' },
    { name: 'subject', value: 'second' },
  ]
  expect([headerIn(headers, 'subject'), headerIn(headers, 'to')]).toEqual(['ab', ''])
})

test.each([
  ['Offer', 'Re: Offer'],
  ['Re: Offer', 'Re: Offer'],
  ['RE: AW: Sv: Offer', 'Re: Offer'],
  ['Reply: Offer', 'Re: Reply: Offer'],
])('the subject of a reply to %j is %j', (subject, reply) => {
  expect(replySubject(subject)).toBe(reply)
})

test.each([
  [' Sales ', 'sales'],
  ['a', 'a'],
  ['a.b-c_d', 'a.b-c_d'],
  ['a'.repeat(64), 'a'.repeat(64)],
  ['a'.repeat(65), undefined],
  ['.a', undefined],
  ['a.', undefined],
  ['a..b', undefined],
  ['a+b', undefined],
  ...['abuse', 'admin', 'Hostmaster', 'mailer-daemon', 'postmaster', 'root', 'security', 'webmaster'].map((name) => [name, undefined]),
] as [string, string | undefined][])('the handle %j is %j', (text, handle) => {
  expect(toHandle(text)).toBe(handle)
})
