import { createHmac, timingSafeEqual } from 'node:crypto'

const SHORTEST_SECRET = 32

/** The path with a signature over it and over the moment, in seconds, from which it is worth nothing. */
export function signPath(secret: string, path: string, expires: number): string {
  return `${path}?expires=${expires}&signature=${signatureOf(secret, path, expires).toString('base64url')}`
}

/** Whether the address is as it was signed, and not past its time. */
export function isSigned(secret: string, { pathname, searchParams }: URL, now: Date): boolean {
  const [expires, signature] = [searchParams.get('expires') ?? '', searchParams.get('signature') ?? '']
  if (!/^\d{1,12}$/.test(expires) || !/^[\w-]{43}$/.test(signature)) return false
  const genuine = timingSafeEqual(signatureOf(secret, pathname, Number(expires)), Buffer.from(signature, 'base64url'))
  return genuine && now.getTime() < Number(expires) * 1000
}

function signatureOf(secret: string, path: string, expires: number): Buffer {
  if (!secret || secret.length < SHORTEST_SECRET) throw new Error(`The secret for signed paths needs ${SHORTEST_SECRET} characters`)
  return createHmac('sha256', secret).update(`${path}\n${expires}`).digest()
}
