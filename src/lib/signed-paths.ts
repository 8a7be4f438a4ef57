import { createHmac, timingSafeEqual } from 'node:crypto'
import { newestSecret, secretsIn } from './link-secrets.ts'

const SHORTEST_SECRET = 32

/** Signs a path together with its expiry time, in seconds, with the newest of the secrets. */
export function signPath(secret: string, path: string, expires: number): string {
  return `${path}?expires=${expires}&signature=${signatureOf(newestSecret(secret), path, expires).toString('base64url')}`
}

/** Whether the signature matches the URL and has not expired. */
export function isSigned(secret: string, { pathname, searchParams }: URL, now: Date): boolean {
  const [expires, signature] = [searchParams.get('expires') ?? '', searchParams.get('signature') ?? '']
  if (!/^\d{1,12}$/.test(expires) || !/^[\w-]{43}$/.test(signature)) return false
  const sent = Buffer.from(signature, 'base64url')
  const genuine = secretsIn(secret).some((one) => timingSafeEqual(signatureOf(one, pathname, Number(expires)), sent))
  return genuine && now.getTime() < Number(expires) * 1000
}

/** The digest of a text that nobody can find out without the secret. */
export const digestOf = (secret: string, text: string): string =>
  createHmac('sha256', newestSecret(secret)).update(`digest ${text}`).digest('base64url')

function signatureOf(secret: string, path: string, expires: number): Buffer {
  if (!secret || secret.length < SHORTEST_SECRET) throw new Error(`The secret for signed paths needs ${SHORTEST_SECRET} characters`)
  return createHmac('sha256', secret).update(`${path}\n${expires}`).digest()
}
