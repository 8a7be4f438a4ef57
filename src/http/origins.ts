import { METHODS } from '../domain/access.ts'
import { AppError } from '../errors.ts'

/**
 * Cross-origin requests (CORS). A preflight request carries no key, so its workspace is unknown and it is always allowed. The request
 * itself is refused unless its workspace allows the origin: begin_request decides, before anything is read or changed. Keys are never sent
 * by a browser on its own, so no response allows credentials.
 */

const SENT = ['Authorization', 'X-API-Key', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Last-Event-ID']
const READABLE = [
  ...['X-Request-Id', 'ETag', 'Location', 'Link', 'Deprecation', 'Idempotency-Replayed'],
  ...['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Truncated', 'Content-Disposition'],
]
const PREFLIGHT_SECONDS = 600

/** The headers of the answer to a preflight request. */
export const PREFLIGHT = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers': SENT.join(', '),
  'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
}

/** The origin of a page of another host that sends the request; undefined for programs, and for pages of this host. */
export function originOf({ url, headers }: Request): string | undefined {
  const origin = headers.get('origin') ?? undefined
  return origin === undefined || origin === new URL(url).origin ? undefined : origin
}

/** The headers by which a page may read the response, unless the workspace refused its origin. */
export function allowing(origin: string | undefined, error: unknown): Record<string, string> {
  if (origin === undefined) return {}
  const refused = error instanceof AppError && isRefusal(error.details)
  return {
    Vary: 'Origin',
    ...(!refused && { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': READABLE.join(', ') }),
  }
}

const isRefusal = (details: unknown): boolean => typeof details === 'object' && details !== null && 'origin' in details
