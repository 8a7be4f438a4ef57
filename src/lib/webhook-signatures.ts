const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret of a webhook: `whsec_` and 32 random bytes in base64 (Standard Webhooks). */
export const newWebhookSecret = (): string => PREFIX + Buffer.from(crypto.getRandomValues(new Uint8Array(SECRET_BYTES))).toString('base64')

/**
 * The headers of a signed message (https://www.standardwebhooks.com): the signature is an HMAC-SHA256 of id, timestamp and body, one for
 * each secret. `seconds`: the time of sending, in seconds since 1970.
 */
export async function signatureHeaders(secrets: string[], id: string, seconds: number, body: string): Promise<Record<string, string>> {
  const signatures = await Promise.all(secrets.map((secret) => signed(secret, `${id}.${seconds}.${body}`)))
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signatures.join(' ') }
}

async function signed(secret: string, content: string): Promise<string> {
  const key = await hmacKey(Buffer.from(secret.slice(PREFIX.length), 'base64'), ['sign'])
  return `v1,${Buffer.from(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))).toString('base64')}`
}

/** Whether a signature is the HMAC-SHA256 of the bytes, compared in constant time. A name before it, such as `sha256=`, is ignored. */
export async function isSigned(secret: string, bytes: Uint8Array, signature: string, encoding: 'hex' | 'base64'): Promise<boolean> {
  const sent = Buffer.from(signature.trim().replace(/^\w+[=,](?=.{40})/, ''), encoding)
  const key = await hmacKey(new TextEncoder().encode(secret), ['verify'])
  return crypto.subtle.verify('HMAC', key, new Uint8Array(sent), new Uint8Array(bytes))
}

const hmacKey = (secret: Uint8Array, uses: ('sign' | 'verify')[]) =>
  crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, uses)
