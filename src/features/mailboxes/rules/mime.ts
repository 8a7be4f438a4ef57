import { dispositionOf } from '../../../domain/file-names.ts'
import { parseSender, senderHeader } from '../../email/rules/emails.ts'

/** An email in the form of RFC 5322 and MIME. `content` of a file is in base64. */
export type MimeEmail = {
  from: string
  to: string
  cc: readonly string[]
  bcc: readonly string[]
  replyTo: string | null
  /** Further headers by name, such as those of a conversation. */
  headers: Record<string, string>
  subject: string
  text: string
  html: string
  date: Date
  attachments: readonly { name: string; content_type: string; content: string }[]
}

const LINE = '\r\n'
/** The bytes of text in an encoded word, which has at most 75 characters (RFC 2047). */
const WORD_BYTES = 42
const BASE64_LINE = 76

const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text)
const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

/** Text of a header, in encoded words if it is not ASCII. */
export function headerText(text: string): string {
  const line = oneLine(text)
  if (isPlain(line)) return line
  const words: string[] = []
  let word = ''
  for (const sign of line) {
    if (Buffer.byteLength(word + sign) > WORD_BYTES) {
      words.push(word)
      word = ''
    }
    word += sign
  }
  return [...words, word].map((one) => `=?UTF-8?B?${Buffer.from(one).toString('base64')}?=`).join(`${LINE} `)
}

function addressText(sender: string): string {
  const { name, address } = parseSender(sender)
  if (name === null || isPlain(name)) return senderHeader(name?.replace(/\\(.)/g, '$1') ?? null, oneLine(address))
  return `${headerText(name.replace(/\\(.)/g, '$1'))}${LINE} <${oneLine(address)}>`
}

const wrapped = (base64: string) => base64.match(new RegExp(`.{1,${BASE64_LINE}}`, 'g'))?.join(LINE) ?? ''
const part = (headers: string[], body: string) => `${headers.join(LINE)}${LINE}${LINE}${body}${LINE}`

const textPart = (type: string, text: string) =>
  part(
    [`Content-Type: text/${type}; charset=utf-8`, 'Content-Transfer-Encoding: base64'],
    wrapped(Buffer.from(text.replace(/\r?\n/g, LINE)).toString('base64')),
  )

/** The name of a file for every program, and the full name for those that know RFC 2231. */
function filePart({ name, content_type, content }: MimeEmail['attachments'][number]): string {
  return part(
    [
      `Content-Type: ${/^[\w.+-]+\/[\w.+-]+$/.test(content_type) ? content_type : 'application/octet-stream'}`,
      'Content-Transfer-Encoding: base64',
      `Content-Disposition: ${dispositionOf(name, `${LINE} `)}`,
    ],
    wrapped(content),
  )
}

const multipart = (kind: string, boundary: string, parts: string[]) =>
  part(
    [`Content-Type: multipart/${kind}; boundary="${boundary}"`],
    `${parts.map((one) => `--${boundary}${LINE}${one}`).join('')}--${boundary}--`,
  )

/** Writes an email. No value can add a header: each is on one line, apart from the breaks that are made here. */
export function toMime({ from, to, cc, bcc, replyTo, headers, subject, text, html, date, attachments }: MimeEmail): string {
  const lists = [
    ['To', [to]],
    ['Cc', cc],
    ['Bcc', bcc],
  ] as const
  const head = [
    `From: ${addressText(from)}`,
    ...lists.flatMap(([name, all]) => (all.length > 0 ? [`${name}: ${all.map(addressText).join(`,${LINE} `)}`] : [])),
    ...(replyTo ? [`Reply-To: ${addressText(replyTo)}`] : []),
    `Subject: ${headerText(subject)}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${oneLine(value).replaceAll('> <', `>${LINE} <`)}`),
    'MIME-Version: 1.0',
  ]
  // Base64 never has an underscore, so no line of a part is a boundary.
  const alternatives = multipart('alternative', '=_alternative', [textPart('plain', text), textPart('html', html)])
  const body = attachments.length === 0 ? alternatives : multipart('mixed', '=_mixed', [alternatives, ...attachments.map(filePart)])
  return `${head.join(LINE)}${LINE}${body}`
}
