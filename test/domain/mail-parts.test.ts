import { expect, test } from 'vitest'
import { MAX_REFERENCES, referencesOf } from '../../src/features/email/rules/emails.ts'
import { contentParts, fileNameFor, type MailPart } from '../../src/features/email/rules/mail-parts.ts'
import { withoutQuotes } from '../../src/features/email/rules/mail-quotes.ts'
import { textOfPart } from '../../src/features/mailboxes/rules/mailbox-email.ts'

/** A part whose content is its name. */
const part = (mime_type: string, name: string, more: Partial<MailPart> & { type?: string; id?: string; as?: string } = {}): MailPart => {
  const { type, id, as, ...fields } = more
  const header = (name: string, value?: string) => (value === undefined ? [] : [{ name, value }])
  const headers = [...header('Content-Type', type ?? mime_type), ...header('Content-ID', id), ...header('Content-Disposition', as)]
  return { mime_type, filename: '', headers, data: name, attachment_id: null, size: name.length, parts: [], ...fields }
}
const multipart = (kind: string, parts: MailPart[], more = {}): MailPart => part(`multipart/${kind}`, '', { data: null, parts, ...more })
const plain = (name: string, more = {}) => part('text/plain', name, more)
const html = (name: string, more = {}) => part('text/html', name, more)
const image = (name: string, more = {}) => part('image/png', name, more)
const sorted = (payload: MailPart) => {
  const { text, html, files } = contentParts(payload)
  return [text, html, files].map((parts) => parts.map(({ data, mime_type }) => data ?? mime_type))
}

test.each<[string, MailPart, [text: string[], html: string[], files: string[]]]>([
  ['one text', plain('t'), [['t'], ['t'], []]],
  ['a file alone', image('i'), [[], [], ['i']]],
  ['an alternative', multipart('alternative', [plain('t'), html('h')]), [['t'], ['h'], []]],
  ['an alternative of one kind', multipart('alternative', [html('h')]), [['h'], ['h'], []]],
  ['an alternative of the other kind', multipart('alternative', [plain('t')]), [['t'], ['t'], []]],
  [
    'an alternative with an invitation',
    multipart('alternative', [plain('t'), html('h'), part('text/calendar', 'c')]),
    [['t'], ['h'], ['c']],
  ],
  [
    'a text that is attached',
    multipart('mixed', [plain('t'), plain('log', { as: 'attachment; filename=a.log' })]),
    [['t'], ['t'], ['log']],
  ],
  ['a text with a name', multipart('mixed', [plain('t'), plain('n', { filename: 'notes.txt' })]), [['t'], ['t'], ['n']]],
  ['a text with a name that comes first', multipart('mixed', [plain('n', { filename: 'notes.txt' }), image('i')]), [['n'], ['n'], ['i']]],
  ['a first text that is attached', multipart('mixed', [plain('a', { as: ' Attachment' }), plain('t')]), [['t'], ['t'], ['a']]],
  ['a photo between two texts', multipart('mixed', [plain('1'), image('i'), plain('2')]), [['1', '2'], ['1', '2'], ['i']]],
  [
    'a picture that the HTML shows',
    multipart('alternative', [plain('t'), multipart('related', [html('h'), image('i'), plain('other')])]),
    [['t'], ['h'], ['i', 'other']],
  ],
  [
    'a related part whose root is named, and does not come first',
    multipart('related', [image('i', { id: '<pic>' }), html('h', { id: '<root@x>' })], { type: 'multipart/related; start="<root@x>"' }),
    [['h'], ['h'], ['i']],
  ],
  [
    'a related part whose root is named, and comes first',
    multipart('related', [html('h', { id: '<root@x>' }), image('i')], { type: 'multipart/related; start=root@x' }),
    [['h'], ['h'], ['i']],
  ],
  [
    'a related part whose root is unknown',
    multipart('related', [html('h'), image('i')], { type: 'multipart/related; start="<gone@x>"' }),
    [['h'], ['h'], ['i']],
  ],
  [
    'HTML in several parts beside a text',
    multipart('alternative', [plain('t'), multipart('mixed', [html('h1'), image('i'), html('h2')])]),
    [['t'], ['h1', 'h2'], ['i']],
  ],
  [
    'a text in several parts beside HTML',
    multipart('alternative', [multipart('mixed', [image('i'), plain('t')]), html('h')]),
    [['t'], ['h'], ['i']],
  ],
  [
    'an alternative within an alternative',
    multipart('alternative', [multipart('alternative', [plain('t')]), html('h')]),
    [['t'], ['h'], []],
  ],
  [
    'an alternative of both kinds within an alternative',
    multipart('alternative', [multipart('alternative', [plain('t'), html('h')]), part('text/calendar', 'c')]),
    [['t'], ['h'], ['c']],
  ],
  [
    'an alternative of both kinds within an alternative, beside a text',
    multipart('alternative', [plain('1'), multipart('alternative', [plain('2'), html('h')])]),
    [['1', '2'], ['h'], []],
  ],
  [
    'an alternative of both kinds and a picture within an alternative',
    multipart('alternative', [multipart('related', [multipart('alternative', [plain('t'), html('h')]), image('i')])]),
    [['t'], ['h'], ['i']],
  ],
  [
    'an alternative within HTML that has a text beside it',
    multipart('alternative', [plain('t'), multipart('mixed', [html('h1'), multipart('alternative', [html('h2')])])]),
    [['t'], ['h1', 'h2'], []],
  ],
  [
    'a text and an alternative of both kinds within an alternative',
    multipart('alternative', [multipart('mixed', [plain('1'), multipart('alternative', [plain('2'), html('h')])])]),
    [['1', '2'], ['1', 'h'], []],
  ],
  ['an alternative of files alone', multipart('alternative', [multipart('mixed', [image('i')]), html('h')]), [['h'], ['h'], ['i']]],
  [
    'an email within an email, as a file',
    multipart('mixed', [plain('t'), part('message/rfc822', 'eml', { parts: [plain('inner')] })]),
    [['t'], ['t'], ['eml']],
  ],
  [
    'an email within an email that is fetched',
    multipart('mixed', [plain('t'), part('message/rfc822', '', { data: null, attachment_id: 'a', parts: [plain('inner')] })]),
    [['t'], ['t'], ['message/rfc822']],
  ],
  [
    'an email within an email without content of its own',
    multipart('mixed', [plain('t'), part('message/rfc822', '', { data: null, parts: [plain('inner'), image('i')] })]),
    [['t', 'inner'], ['t', 'inner'], ['i']],
  ],
])('the parts of an email: %s', (_, payload, expected) => {
  expect(sorted(payload)).toEqual(expected)
})

test.each([
  ['C:\\Users\\Ana\\offer.pdf', 'application/pdf', 'offer.pdf'],
  ['', 'text/calendar', 'invitation.ics'],
  ['', 'image/webp', 'image.webp'],
  ['', 'video/mp4', 'video.mp4'],
  ['', 'image/svg+xml', 'file'],
  ['', 'application/pdf', 'file'],
])('a file named %j of the type %s is %s', (name, type, expected) => {
  expect(fileNameFor(name, type)).toBe(expected)
})

test.each([
  ['UTF-8, whatever the header says', 'text/plain; charset=iso-8859-1', Buffer.from('Müller'), 'Müller'],
  ['a charset that no program knows', 'text/plain; charset=x-own', Buffer.from('M\xfcller', 'latin1'), 'M\ufffdller'],
  ['the charset of the header', 'text/plain; charset="iso-8859-1"', Buffer.from('M\xfcller', 'latin1'), 'Müller'],
  ['no charset', 'text/plain', Buffer.from('Müller'), 'Müller'],
  ['ISO-2022-JP', 'text/plain; charset=iso-2022-jp', Buffer.from('\x1b$B8+@Q\x1b(B', 'latin1'), '見積'],
  ['ISO-2022-JP without any of its signs', 'text/plain; charset=iso-2022-jp', Buffer.from('Hello'), 'Hello'],
  ['a zero', 'text/plain', Buffer.from('a\0b'), 'ab'],
])('the text of a part: %s', (_, type, bytes, expected) => {
  expect(textOfPart(plain('', { type }), bytes.toString('base64url'))).toBe(expected)
})

const QUOTED = '> I need it\n> by Friday'
test.each([
  ['a quotation below an introduction', `Yes.\n\nOn Monday Ana wrote:\n${QUOTED}`, 'Yes.'],
  ['an introduction on two lines', `Yes.\n\nOn Monday, 1 June 2026 at 10:00 AM,\nAna Lee <ana@example.com> wrote:\n\n${QUOTED}`, 'Yes.'],
  [
    'an introduction on more lines than programs write',
    `Yes.\nOn Monday\nat\nten\nAna wrote:\nno quotation`,
    'Yes.\nOn Monday\nat\nten\nAna wrote:\nno quotation',
  ],
  ['text between quotations', `> One?\nYes.\n> Two?\nNo.`, 'Yes.\nNo.'],
  ['an unknown introduction before a quotation', `Ja.\n\nAna ha scritto ieri:\n${QUOTED}`, 'Ja.'],
  ['a line with a colon before no quotation', 'These are my dates:\nMonday', 'These are my dates:\nMonday'],
  ['a line with a colon before an empty line and a quotation', `Ja.\nAna kirjoitti:\n\n${QUOTED}`, 'Ja.'],
  ['a line with a colon at the end', 'My dates:', 'My dates:'],
  ['the header block of Outlook', 'Yes.\n________________________________\nFrom: Ana\nSent: Monday\nTo: Ben\n\nOld text', 'Yes.'],
  ['a header block in another language', 'Ja.\n\n*Von:* Ana\n*Gesendet:* Montag\n\nAlter Text', 'Ja.'],
  ['a line that begins as a header block does', 'From: now on I am in.\nBen', 'From: now on I am in.\nBen'],
  ['the line above an original message', 'Yes.\n-----Original Message-----\nOld text', 'Yes.'],
  ['a signature', 'Yes.\n-- \nBen', 'Yes.\n-- \nBen'],
  ['all that is quoted', `On Monday Ana wrote:\n${QUOTED}`, ''],
  [
    'a forwarded message, which is kept with all that it quotes',
    `See below.\n\n---------- Forwarded message ---------\nFrom: Cem\nDate: Monday\n\n${QUOTED}`,
    `See below.\n\n---------- Forwarded message ---------\nFrom: Cem\nDate: Monday\n\n${QUOTED}`,
  ],
  ['a forwarded message of Apple', `FYI\n\nBegin forwarded message:\n\n${QUOTED}`, `FYI\n\nBegin forwarded message:\n\n${QUOTED}`],
  [
    'a forwarded message in German',
    `FYI\n-------- Weitergeleitete Nachricht --------\nVon: Cem\nDatum: heute\n\nText`,
    `FYI\n-------- Weitergeleitete Nachricht --------\nVon: Cem\nDatum: heute\n\nText`,
  ],
  ['a long line that seems to introduce', `On ${'x'.repeat(400)}\nAna wrote:\n\nNews`, `On ${'x'.repeat(400)}\nAna wrote:\n\nNews`],
])('what the sender wrote: %s', (_, text, own) => {
  expect(withoutQuotes(text)).toBe(own)
})

test('the references of a reply name each message once, and of a long thread the first and the latest ones', () => {
  expect(referencesOf(['a', 'b'], 'c')).toEqual(['a', 'b', 'c'])
  expect(referencesOf(['a', 'b', 'a'], 'a')).toEqual(['b', 'a'])
  const ids = Array.from({ length: MAX_REFERENCES }, (_, n) => `${n}`)
  expect(referencesOf(ids.slice(1), 'x')).toEqual([...ids.slice(1), 'x'])
  expect(referencesOf(ids, 'x')).toEqual(['0', ...ids.slice(2), 'x'])
})
