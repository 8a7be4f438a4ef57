import * as v from 'valibot'
import { secondsOfRetryAfter } from '../../../domain/retry-after.ts'
import { readJson } from './bounded.ts'
import { AccountFailure, type AccountFailureReason } from './port.ts'

const MAX_BYTES = 4_000_000

const Refusal = v.object({
  error: v.object({
    message: v.optional(v.string(), ''),
    errors: v.optional(v.array(v.object({ reason: v.optional(v.string()) })), []),
  }),
})
/** Reasons of a 403 that concern the number of calls, not what the account allows. */
const TOO_MANY = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'dailyLimitExceeded', 'calendarUsageLimitsExceeded']

export type GoogleRequest = {
  method?: string
  path: string
  /** A name with several values is repeated. */
  query?: Record<string, string | string[] | undefined>
  body?: unknown
  /** A body that is not JSON. */
  content?: { type: string; text: string }
  deadline?: number
  maxBytes?: number
}
export type GoogleResponse = { status: number; reply: unknown; retryAfter: number | null }

/** Calls Google with an access token. Any status is a response. @throws AccountFailure when there is none. */
export async function callGoogle(url: string, token: string, request: GoogleRequest, timeoutMs: number): Promise<GoogleResponse> {
  const { method = 'GET', path, query = {}, body, content, deadline = timeoutMs, maxBytes = MAX_BYTES } = request
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [value].flat().map((one) => [name, one])))
  try {
    const response = await fetch(`${url}${path}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(content && { 'Content-Type': content.type }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(content && { body: content.text }),
      signal: AbortSignal.timeout(deadline),
    })
    return {
      status: response.status,
      reply: await readJson(response, maxBytes),
      retryAfter: secondsOfRetryAfter(response.headers.get('retry-after'), Date.now()),
    }
  } catch (error) {
    throw new AccountFailure('unavailable', `Google does not answer: ${String(error).slice(0, 300)}`)
  }
}

/** What a response with an error status means. */
export function failureOf({ status, reply, retryAfter }: GoogleResponse): AccountFailure {
  const read = v.safeParse(Refusal, reply)
  const { message, errors } = read.success ? read.output.error : { message: '', errors: [] }
  const reason = errors[0]?.reason ?? ''
  const summary = `Google answers with ${status} ${reason} ${message}`.replace(/ +/g, ' ').trim().slice(0, 300).toWellFormed()
  const kind = kindOf(status, reason)
  return new AccountFailure(kind, summary, retryAfter)
}

function kindOf(status: number, reason: string): AccountFailureReason {
  if (status === 401) return 'unauthorized'
  if (status === 429 || (status === 403 && TOO_MANY.includes(reason))) return 'limited'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  return status >= 400 && status < 500 ? 'refused' : 'unavailable'
}
