const MINUTE = 60
const HOUR = 3600

/** The seconds after each failed attempt until the next one: ten attempts within three days. */
const DELAYS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 20 * HOUR]
export const MAX_ATTEMPTS = DELAYS.length + 1
/** A webhook that has failed for so long is disabled, in milliseconds. */
export const MAX_FAILING_MS = 5 * 24 * HOUR * 1000

/** The seconds until the attempt after this one, up to a tenth shorter by `random` (0 to 1); undefined if it was the last. */
export function delayAfter(attempts: number, random: number): number | undefined {
  const delay = DELAYS[attempts - 1]
  return delay === undefined ? undefined : Math.round(delay * (1 - random / 10))
}

/** Whether a receiver has accepted the event. */
export const isAccepted = (status: number): boolean => status >= 200 && status < 300

/** The receiver wants no more events. */
export const isGone = (status: number): boolean => status === 410

export const hasFailedTooLong = (failingSince: string | null, now: string): boolean =>
  failingSince !== null && Date.parse(now) - Date.parse(failingSince) >= MAX_FAILING_MS
