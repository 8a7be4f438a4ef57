/** The longest time that a provider's wish to wait is honoured for, in seconds: a day. */
const MOST_RETRY_AFTER = 86_400
/**
 * The longest time between attempts where the provider has not asked for more, in seconds; also that until an access is tried again which
 * has ended.
 */
export const MOST_WAIT = 300
const LEAST_WAIT = 5

/**
 * The seconds of a Retry-After header, from 1 to a day; null without one that can be read. It has seconds or a date (RFC 9110, section
 * 10.2.3).
 * `now`: milliseconds since 1970.
 */
export function secondsOfRetryAfter(header: string | null | undefined, now: number): number | null {
  if (!header) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : Math.ceil((Date.parse(header) - now) / 1000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 1), MOST_RETRY_AFTER)
}

/** How long to wait after a failure, in seconds: as long as the provider has asked for, else longer after each attempt. */
export const waitAfter = (retryAfter: number | null, attempts: number): number =>
  retryAfter === null ? Math.min(15 * 2 ** Math.min(attempts, 10), MOST_WAIT) : Math.min(Math.max(retryAfter, LEAST_WAIT), MOST_RETRY_AFTER)
