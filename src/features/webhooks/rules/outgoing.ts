/** The seconds after each failed attempt until the next one. */
const DELAYS = [30, 120, 600, 1800]
export const MAX_OUTGOING_ATTEMPTS = DELAYS.length + 1

/** Statuses after which the same request may succeed (RFC 9110, RFC 6585, RFC 8470). */
const TEMPORARY = [408, 425, 429]

type Sent = { ok: true; status: number } | { ok: false; failure: string; reason: string }
type Outcome = { state: 'pending' | 'done' | 'failed'; seconds?: number; error: { code: string; message: string } | null }

/** What happens to a request after an attempt. One whose outcome is unclear is sent again, with the same key, at most five times in all. */
export function outcomeOf(sent: Sent, attempts: number): Outcome {
  if (sent.ok && sent.status >= 200 && sent.status < 300) return { state: 'done', error: null }
  const isRefused = !sent.ok && sent.failure === 'refused'
  const message = sent.ok ? `The other service returned the status ${sent.status}` : sent.reason
  const error = { code: isRefused ? 'VALIDATION_ERROR' : 'PROVIDER_ERROR', message }
  const isFinal = isRefused || (sent.ok && sent.status < 500 && !TEMPORARY.includes(sent.status))
  const seconds = isFinal ? undefined : DELAYS[attempts - 1]
  return seconds === undefined ? { state: 'failed', error } : { state: 'pending', seconds, error }
}
