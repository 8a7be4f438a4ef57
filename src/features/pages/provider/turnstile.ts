import * as v from 'valibot'
import type { Verified, Verifier } from './port.ts'

/** `url`: https://challenges.cloudflare.com. */
export type Options = { url: string; secret: string; timeoutMs?: number }

const code = v.pipe(v.string(), v.maxLength(100))
const Reply = v.object({
  success: v.boolean(),
  'error-codes': v.optional(v.nullable(v.pipe(v.array(code), v.maxLength(20))), []),
  hostname: v.optional(v.nullable(v.string())),
  action: v.optional(v.nullable(v.string())),
})
/** Errors that the token is to blame for; any other is ours or the provider's. */
const OF_THE_TOKEN = ['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']

/** A client for Cloudflare Turnstile (https://developers.cloudflare.com/turnstile/get-started/server-side-validation/). */
export function turnstile({ url, secret, timeoutMs = 5_000 }: Options): Verifier {
  return {
    async verify({ response, remote_ip, idempotency_key }) {
      try {
        const reply = await fetch(`${url}/turnstile/v0/siteverify`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ secret, response, idempotency_key, ...(remote_ip && { remoteip: remote_ip }) }),
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
        })
        // A refusal may come with 200 or 400.
        return verifiedOf(reply.status, await reply.json().catch(() => undefined))
      } catch (error) {
        return { outcome: 'unavailable', reason: `Turnstile does not answer: ${String(error)}` }
      }
    },
  }
}

function verifiedOf(status: number, body: unknown): Verified {
  const read = v.safeParse(Reply, body)
  if (!read.success || status >= 500 || status === 429) return { outcome: 'unavailable', reason: `Turnstile answers with ${status}` }
  const { success, hostname, action } = read.output
  if (success) return { outcome: 'passed', hostname: hostname ?? undefined, action: action ?? undefined }
  const codes = read.output['error-codes'] ?? []
  if (codes.length > 0 && codes.every((one) => OF_THE_TOKEN.includes(one))) return { outcome: 'refused' }
  return { outcome: 'unavailable', reason: `Turnstile answers with ${status}: ${codes.join(', ')}` }
}
