import { timingSafeEqual } from 'node:crypto'
import { AppError, invalid } from '../errors.ts'
import { jsonFault, placeIn } from '../lib/json-faults.ts'
import { hashKey, parseKey, toHex } from '../lib/keys.ts'
import { hasMoreValues } from '../lib/objects.ts'
import { type Endpoint, isResumable } from './endpoint.ts'

const MAX_BODY = 1_000_000
/** Each value may cause an issue that takes a hundred times its memory, so the number of values is limited (see Limits). */
const MAX_VALUES = 50_000

type Key = { key_hash: string }

/** A cache of key hashes, so that not every request computes one. The database decides whether a key is valid. */
const hashedKeys = new Map<string, Key>()
const MAX_HASHED_KEYS = 500

/** The key of a request: `Authorization: Bearer …` or `X-API-Key: …`. A malformed key is refused without asking the database. */
export async function keyOf(headers: Headers): Promise<Key> {
  const key = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-api-key') ?? ''
  const known = hashedKeys.get(key)
  if (known) return known
  if (!parseKey(key)) throw new AppError('UNAUTHENTICATED', noKeyMessage(headers, key))
  const found = { key_hash: toHex(await hashKey(key)) }
  if (hashedKeys.size >= MAX_HASHED_KEYS) hashedKeys.clear()
  hashedKeys.set(key, found)
  return found
}

const SEND_KEY = 'send the header "Authorization: Bearer wck_…" with an API key'

/**
 * What is wrong with the header of a request without a well-formed key. The text of the key is not repeated, because it may be a secret.
 */
function noKeyMessage(headers: Headers, key: string): string {
  const sent = headers.get('authorization')
  if (!key && !sent) return `The API key is missing: ${SEND_KEY}`
  if (!key) return `The header Authorization has no API key in the form that is read: ${SEND_KEY}`
  if (!key.startsWith('wck_')) return `This is not an API key, which begins with wck_: ${SEND_KEY}`
  return `The API key is malformed, because a part of it is missing or mistyped: copy it again, and ${SEND_KEY}`
}

/** The body's bytes. @throws PAYLOAD_TOO_LARGE when there are more than `most`. */
export async function bodyOf(request: Request, most = MAX_BODY): Promise<Uint8Array<ArrayBuffer>> {
  const size = most === MAX_BODY ? '1 MB' : `${most} bytes`
  const tooLarge = new AppError('PAYLOAD_TOO_LARGE', `The body is larger than ${size}: send it in several requests`)
  if (Number(request.headers.get('content-length')) > most) throw tooLarge
  return request.body ? bytesOf(request.body, most, tooLarge) : new Uint8Array()
}

/** The text of bytes in UTF-8. @throws VALIDATION_ERROR for bytes that are not, so that nothing is stored with characters missing. */
export function utf8In(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw invalid([{ path: '', message: 'The body is not UTF-8: encode it as UTF-8' }])
  }
}

/** @throws UNSUPPORTED_MEDIA_TYPE for a declared charset other than UTF-8. */
export function assertUtf8(contentType: string | null): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1]
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Encode the body as UTF-8, not as ${charset}`)
}

/** The fields of a form. */
export function parseForm(text: string, contentType: string | null): Record<string, string> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType ?? ''))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as a form, with Content-Type: application/x-www-form-urlencoded')
  return fieldsOf(text)
}

/** A body's bytes. @throws `tooLarge` as soon as there are more than `most`. */
export async function bytesOf(body: ReadableStream<Uint8Array>, most: number, tooLarge: AppError): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > most) throw tooLarge
    chunks.push(chunk)
  }
  return concat(chunks, size)
}

function concat(chunks: Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** A missing body counts as an empty object, because endpoints without required fields need none. */
export function parseBody(text: string, contentType: string | null, most = MAX_VALUES): unknown {
  if (text.trim() === '') return {}
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with Content-Type: application/json')
  }
  const body = parseJson(text)
  if (hasMoreValues(body, most))
    throw invalid([{ path: '', message: `The body has more than ${most} values: send it in several requests` }])
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { at, remedy } = jsonFault(text)
    const { line, column } = placeIn(text, at)
    throw new AppError('INVALID_JSON', `The body is not valid JSON: line ${line}, column ${column}: ${remedy}`)
  }
}

/** Parses the query parameters. A parameter that is sent twice is refused, because it would be ambiguous. */
export function queryOf(url: string): Record<string, string> {
  const at = url.indexOf('?')
  return at < 0 ? Object.create(null) : fieldsOf(url.slice(at))
}

/** The query of a stream of events whose reader connects again: it continues after the message that the reader had last (Last-Event-ID). */
export function resuming(endpoint: Endpoint, { headers }: Request, query: Record<string, string>): Record<string, string> {
  const last = isResumable(endpoint) && headers.get('last-event-id')
  return last ? Object.assign(query, { after: last }) : query
}

function fieldsOf(encoded: string): Record<string, string> {
  assertReadable(encoded)
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(encoded)) {
    if (name in fields)
      throw new AppError('VALIDATION_ERROR', 'Some fields are not valid', { issues: [{ path: name, message: 'Send this parameter once' }] })
    fields[name] = value
  }
  return fields
}

/** @throws VALIDATION_ERROR for percent-encoded bytes that are not UTF-8, which URLSearchParams would replace. */
function assertReadable(encoded: string): void {
  for (const [bytes] of encoded.matchAll(/(?:%[0-9a-f]{2})+/gi)) {
    try {
      decodeURIComponent(bytes)
    } catch {
      throw invalid([{ path: '', message: `${bytes.slice(0, 60)} is not UTF-8: percent-encode the text as UTF-8` }])
    }
  }
}

/** Parses If-Match: `"3"` means version 3, `*` any version. */
export function ifMatchOf(headers: Headers): number | undefined {
  const sent = headers.get('if-match')
  if (sent === null || sent.trim() === '*') return undefined
  const version = /^(?:W\/)?"(\d{1,9})"$/.exec(sent.trim())?.[1]
  if (!version)
    throw new AppError('VALIDATION_ERROR', 'Some fields are not valid', {
      issues: [{ path: 'If-Match', message: 'Send the ETag of an earlier answer as it is, such as "3"' }],
    })
  return Number(version)
}

/** The Idempotency-Key, and a digest of everything that identifies the request. */
export async function idempotencyOf(request: Request, body: string): Promise<{ key: string; hash: string } | undefined> {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('VALIDATION_ERROR', 'Some fields are not valid', {
      issues: [{ path: 'Idempotency-Key', message: 'Send 1 to 255 printable characters' }],
    })
  }
  const url = new URL(request.url)
  const whole = new TextEncoder().encode(JSON.stringify([request.method, url.pathname, url.search, request.headers.get('if-match'), body]))
  return { key, hash: toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', whole))) }
}

/** A token in the path to which a provider posts has at least so many characters. */
const SHORTEST = 16

/** Compares in constant time. Without a token in the environment nothing is accepted. */
export function isToken(expected: string, sent: string): boolean {
  const [one, other] = [expected, sent].map((text) => Buffer.from(text)) as [Buffer, Buffer]
  return one.length >= SHORTEST && one.length === other.length && timingSafeEqual(one, other)
}
