import { createHmac, timingSafeEqual } from 'node:crypto'
import { isSigned } from './webhook-signatures.ts'

/** How far the time of a signature may be from the present, in milliseconds. */
const TOLERANCE = 5 * 60_000
/** The signatures of a header that are compared: a provider changes its secret now and then. */
const MAX_SIGNATURES = 5

/**
 * Whether Retell signed these bytes: the header is `v=<milliseconds since 1970>,d=<hex>`, and d the HMAC-SHA256 of the bytes followed by
 * the milliseconds (retell-typescript-sdk, webhook_auth.ts). `now` in milliseconds.
 */
export async function isRetellSigned(secret: string, bytes: Uint8Array, header: string, now: number): Promise<boolean> {
  const [, at = '', signature = ''] = /^v=(\d{1,15}),d=([0-9a-f]{64})$/i.exec(header.trim()) ?? []
  if (signature === '' || Math.abs(now - Number(at)) > TOLERANCE) return false
  const time = new TextEncoder().encode(at)
  const signed = new Uint8Array(bytes.length + time.length)
  signed.set(bytes)
  signed.set(time, bytes.length)
  return isSigned(secret, signed, signature, 'hex')
}

/** Whether the header X-Vapi-Secret is the secret. Both are compared by what they sign, which takes the same time whatever they share. */
export async function isVapiSecret(secret: string, header: string): Promise<boolean> {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(header), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return isSigned(secret, bytes, Buffer.from(await crypto.subtle.sign('HMAC', key, bytes)).toString('hex'), 'hex')
}

/**
 * Whether Twilio signed a form that it posted to an address: base64 of the HMAC-SHA1 of the address and the sorted parameters, each name
 * followed by its value (https://www.twilio.com/docs/usage/security#validating-requests). Compared in constant time.
 */
export function isTwilioSigned(token: string, url: string, form: URLSearchParams, header: string): boolean {
  const sorted = [...form].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  const expected = createHmac('sha1', token)
    .update(url + sorted.flat().join(''), 'utf8')
    .digest()
  const sent = Buffer.from(header, 'base64')
  return sent.length === expected.length && sent.toString('base64') === header && timingSafeEqual(sent, expected)
}

/**
 * Whether Recall.ai signed these bytes, with a secret of the form `whsec_<base64>` (Svix,
 * https://docs.svix.com/receiving/verifying-payloads/how-manual): base64 of the HMAC-SHA256 of id, seconds since 1970 and bytes, joined by
 * points. The header has one signature for each secret. `now` in milliseconds.
 */
export const isSvixSigned = (secret: string, bytes: Uint8Array, headers: Headers, now: number): boolean =>
  isSignedWith(Buffer.from(secret.replace(/^whsec_/, ''), 'base64'), bytes, headers, now)

/**
 * Whether the bytes are signed as Standard Webhooks defines it (https://www.standardwebhooks.com), which is also Svix's format. A secret
 * `whsec_<base64>` stands for the bytes that it encodes, any other for itself. `now` in milliseconds.
 */
export const isStandardSigned = (secret: string, bytes: Uint8Array, headers: Headers, now: number): boolean =>
  secret.startsWith('whsec_') ? isSvixSigned(secret, bytes, headers, now) : isSignedWith(Buffer.from(secret), bytes, headers, now)

function isSignedWith(key: Buffer, bytes: Uint8Array, headers: Headers, now: number): boolean {
  const header = (name: string) => headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`) ?? ''
  const [id, seconds] = [header('id'), header('timestamp')]
  if (id === '' || !/^\d{1,12}$/.test(seconds) || Math.abs(now - Number(seconds) * 1000) > TOLERANCE) return false
  const expected = createHmac('sha256', key).update(`${id}.${seconds}.`).update(bytes).digest()
  return header('signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .some((one) => {
      const sent = Buffer.from(one.slice(3), 'base64')
      return sent.length === expected.length && timingSafeEqual(sent, expected)
    })
}
