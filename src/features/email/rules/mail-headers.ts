import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { MAX_RECIPIENTS } from './emails.ts'

export type Header = { name: string; value: string }

export const headerIn = (headers: Header[], name: string): string =>
  headers
    .find((one) => one.name.toLowerCase() === name)
    ?.value.slice(0, 100_000)
    .replaceAll('\u0000', '')
    .toWellFormed() ?? ''

/** Text in a charset; in UTF-8 if there is none of that name. */
export function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const WORD = /=\?([\w.:-]+)(?:\*[\w-]*)?\?([BbQq])\?([^?\s]*)\?=/g
const WORDS = /=\?[\w.:-]+(?:\*[\w-]*)?\?[BbQq]\?[^?\s]*\?=(?:\s*=\?[\w.:-]+(?:\*[\w-]*)?\?[BbQq]\?[^?\s]*\?=)*/g

/** A header with its encoded words read (RFC 2047), on one line. */
export const readHeader = (value: string, most: number): string =>
  value
    .replace(WORDS, decodeWords)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()

/**
 * Decodes words that follow each other. Those of one charset are decoded together, because some programs divide a character between two of
 * them.
 */
function decodeWords(words: string): string {
  const runs: { charset: string; bytes: Uint8Array[] }[] = []
  for (const [, charset = '', kind, text = ''] of words.matchAll(WORD)) {
    const bytes = kind?.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : quotedBytes(text)
    const last = runs.at(-1)
    if (last?.charset.toLowerCase() === charset.toLowerCase()) last.bytes.push(bytes)
    else runs.push({ charset, bytes: [bytes] })
  }
  return runs.map(({ charset, bytes }) => decodeText(Buffer.concat(bytes), charset)).join('')
}

const quotedBytes = (text: string) =>
  Buffer.from(
    text.replaceAll('_', ' ').replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

type Address = { email: string; name: string | null }

/** The addresses in a header such as `"Lee, Ana" <ana@example.com>, ben@example.com`. */
export function addressesIn(header: string): Address[] {
  // Gmail reads encoded words before it serves a header, so that the name of one person may have a comma without quotes.
  const [, alone, address] = /^([^<>"@]*)<([^<>\s]+)>\s*$/.exec(header) ?? []
  const found = address === undefined ? mailboxesIn(header) : [{ address, name: (alone ?? '').trim() }]
  return found.flatMap((one) => {
    const email = toEmailAddress(one.address)
    return email === undefined ? [] : [{ email, name: readHeader(one.name, 120) || null }]
  })
}

/** The addresses with what stands before each. The header is read once, whatever a stranger has written into it. */
function mailboxesIn(header: string): { address: string; name: string }[] {
  const found: { address: string; name: string }[] = []
  const last = header.lastIndexOf('"')
  let [text, bracket, isQuoted] = ['', -1, false]
  const end = () => {
    const words = bracket < 0 ? text.split(/\s+/).filter((word) => word.includes('@')) : []
    if (bracket >= 0) found.push({ address: text.slice(bracket).trim(), name: text.slice(0, bracket).trim() })
    for (const address of words) found.push({ address, name: '' })
    ;[text, bracket] = ['', -1]
  }
  for (let at = 0; at < header.length && found.length < MAX_RECIPIENTS; at++) {
    const sign = header[at] as string
    // A quotation mark without another one is part of the text.
    if (sign === '"' && (isQuoted || at < last)) isQuoted = !isQuoted
    else if (isQuoted) text += sign === '\\' ? (header[++at] ?? '') : sign
    else if (sign === '<') bracket = text.length
    else if (sign === ',' || sign === ';' || sign === '>') end()
    else text += sign
  }
  end()
  return found.slice(0, MAX_RECIPIENTS)
}

/** Whether an email is from a list, from a sender of many, or from an address that nobody reads. */
export function isBulk(header: (name: string) => string, addresses: string[]): boolean {
  return (
    ['list-id', 'list-post', 'list-unsubscribe', 'feedback-id'].some((name) => header(name).trim() !== '') ||
    /^(?:bulk|list|junk)\b/i.test(header('precedence').trim()) ||
    addresses.some((address) => /^(?:no|do[._-]?not)[._-]?reply\b/i.test(address))
  )
}

/** Whether an email was sent by no person: RFC 3834 and, for programs that are older, what these set instead. */
export function isAutomatic(header: (name: string) => string, from: string): boolean {
  const submitted = header('auto-submitted').trim().toLowerCase()
  return (
    (submitted !== '' && !submitted.startsWith('no')) ||
    /auto[_-]?reply/i.test(header('precedence')) ||
    ['x-autoreply', 'x-autorespond', 'x-auto-reply', 'x-autoresponder'].some((name) => !/^(?:|no)$/i.test(header(name).trim())) ||
    /^multipart\/report\b/i.test(header('content-type').trim()) ||
    header('return-path').trim() === '<>' ||
    /^(?:mailer-daemon|postmaster)@/i.test(from)
  )
}
