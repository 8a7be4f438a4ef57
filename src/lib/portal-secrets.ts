import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { newestSecret, secretsIn } from './link-secrets.ts'

const SHORTEST_SECRET = 32
/** The most that Cloudflare's runtime allows. */
const ITERATIONS = 100_000

function macOf(secrets: string, purpose: string, text: string): Buffer {
  const secret = newestSecret(secrets)
  if (!secret || secret.length < SHORTEST_SECRET) throw new Error(`The secret of portals needs ${SHORTEST_SECRET} characters`)
  return createHmac('sha256', secret).update(`${purpose}\n${text}`).digest()
}

/** The token of a portal's address. It follows from the seed and the secret, so the ledger of messages need not have it. */
export const portalToken = (secret: string, seed: string): string => macOf(secret, 'portal', seed).toString('base64url')

/** The token of the link at which somebody writes a review. */
export const reviewToken = (secret: string, seed: string): string => macOf(secret, 'review', seed).toString('base64url')

/** The token of the address of a calendar, which follows from its id. */
export const calendarToken = (secret: string, id: string): string => macOf(secret, 'work_calendar', id).toString('base64url')

/** The secret that a token was made with whose SHA-256 is stored: not the newest one, if FILE_SECRET has got another since. */
export const secretBehind = (secrets: string, hash: string, tokenOf: (secret: string) => string): string =>
  secretsIn(secrets).find((secret) => createHash('sha256').update(tokenOf(secret)).digest('hex') === hash) ?? newestSecret(secrets)

/** The PIN of six digits that follows from a seed. */
export const portalPin = (secret: string, seed: string): string =>
  String(macOf(secret, 'portal_pin', seed).readUIntBE(0, 6) % 1_000_000).padStart(6, '0')

/** The slow hash of a PIN. Its seed is the salt. */
export async function hashPin(pin: string, seed: string): Promise<string> {
  const text = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', text.encode(pin), 'PBKDF2', false, ['deriveBits'])
  const bits = await crypto.subtle.deriveBits(
    { name: 'PBKDF2', hash: 'SHA-256', salt: text.encode(seed), iterations: ITERATIONS },
    key,
    256,
  )
  return Buffer.from(bits).toString('hex')
}

/** A visitor who has entered the PIN of a portal: which PIN, and until when. */
export type PortalSession = { pin_seed: string; expires: number }

const signatureOf = (secret: string, token: string, { pin_seed, expires }: PortalSession) =>
  macOf(secret, 'portal_session', `${token}\n${pin_seed}\n${expires}`)

/** The value of the cookie of a session. It is valid for this token only. */
export const sessionCookie = (secret: string, token: string, session: PortalSession): string =>
  `${session.pin_seed}.${session.expires}.${signatureOf(secret, token, session).toString('base64url')}`

/** The session of a cookie; undefined if it has ended, or is of another portal. */
export function readSession(secret: string, token: string, cookie: string | undefined, now: Date): PortalSession | undefined {
  const [, pin_seed, expires, signature] = /^([0-9a-f-]{36})\.(\d{10})\.([\w-]{43})$/.exec(cookie ?? '') ?? []
  if (!pin_seed || !signature) return undefined
  const session = { pin_seed, expires: Number(expires) }
  if (session.expires * 1000 <= now.getTime()) return undefined
  const sent = Buffer.from(signature, 'base64url')
  return secretsIn(secret).some((one) => timingSafeEqual(signatureOf(one, token, session), sent)) ? session : undefined
}
