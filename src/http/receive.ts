import { AppError, invalid } from '../errors.ts'
import { hashKey, parseKey, toHex } from '../lib/keys.ts'
import { hasMoreValues } from '../lib/objects.ts'

const MAX_BODY = 1_000_000
/** Each value may have an issue of its own, which takes a hundred times its room in memory before the first is answered. */
const MAX_VALUES = 50_000

type Key = { public_id: string; key_hash: string }

/** Well-formed keys that came lately, with their hashes; whether they exist is for the database to say. */
const lately = new Map<string, Key>()
const MOST_LATELY = 500

/** The key on a request: `Authorization: Bearer …` or `X-API-Key: …`. A mistyped one is refused without a database. */
export async function keyOf(headers: Headers): Promise<Key> {
  const key = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-api-key') ?? ''
  const known = lately.get(key)
  if (known) return known
  const parsed = parseKey(key)
  if (!parsed) throw new AppError('UNAUTHENTICATED', 'The API key is missing, malformed, unknown, expired or revoked')
  const found = { public_id: parsed.public_id, key_hash: toHex(await hashKey(key)) }
  if (lately.size >= MOST_LATELY) lately.clear()
  lately.set(key, found)
  return found
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

/** No body counts as an empty object: an endpoint without required fields needs none. */
export function parseBody(text: string, contentType: string | null): unknown {
  if (text.trim() === '') return {}
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(contentType ?? '')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with Content-Type: application/json')
  }
  const body = parseJson(text)
  if (hasMoreValues(body, MAX_VALUES))
    throw invalid([{ path: '', message: `The body has more than ${MAX_VALUES} values: send it in several requests` }])
  return body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_JSON', 'The body is not valid JSON')
  }
}

/** Query parameters; one that is sent twice has no single meaning. */
export function queryOf(url: string): Record<string, string> {
  const at = url.indexOf('?')
  return at < 0 ? Object.create(null) : fieldsOf(url.slice(at))
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

/** `If-Match: "3"` names version 3; `*` any. */
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

/** An Idempotency-Key and the digest of all that makes the request what it is. */
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
