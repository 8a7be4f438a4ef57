import * as v from 'valibot'
import { secondsOfRetryAfter } from '../../../domain/retry-after.ts'
import { readJson } from '../../accounts/provider/bounded.ts'
import { AccountFailure, type AccountFailureReason } from '../../accounts/provider/port.ts'

const MAX_BYTES = 4_000_000
/** Times in UTC, and ids that stay the same when an event is moved to another folder. */
const PREFERRED = ['outlook.timezone="UTC"', 'IdType="ImmutableId"']

const Refusal = v.object({ error: v.object({ code: v.optional(v.string(), ''), message: v.optional(v.string(), '') }) })

/** `path` begins after the version, and may have a query. */
export type GraphRequest = {
  method?: string
  path: string
  query?: Record<string, string>
  body?: unknown
  pageSize?: number
  deadline?: number
}
export type GraphResponse = { status: number; reply: unknown; retryAfter: number | null }

/** Calls Microsoft Graph with an access token. Any status is a response. @throws AccountFailure when there is none. */
export async function callGraph(url: string, token: string, request: GraphRequest, timeoutMs: number): Promise<GraphResponse> {
  const { method = 'GET', path, query, body, pageSize, deadline = timeoutMs } = request
  try {
    const response = await fetch(`${url}${path}${query ? `?${queryText(query)}` : ''}`, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${token}`,
        Prefer: [...PREFERRED, ...(pageSize ? [`odata.maxpagesize=${pageSize}`] : [])].join(', '),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(deadline),
    })
    return {
      status: response.status,
      reply: await readJson(response, MAX_BYTES),
      retryAfter: secondsOfRetryAfter(response.headers.get('retry-after'), Date.now()),
    }
  } catch (error) {
    throw new AccountFailure('unavailable', `Microsoft does not answer: ${String(error).slice(0, 300)}`)
  }
}

/** The service reads a plus sign in a query as itself, so a space must be %20. */
const queryText = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')

/** The code of an error response; empty if there is none. */
export function codeOf({ reply }: GraphResponse): string {
  const read = v.safeParse(Refusal, reply)
  return read.success ? read.output.error.code : ''
}

/** What a response with an error status means. */
export function failureOf(response: GraphResponse): AccountFailure {
  const { status, reply, retryAfter } = response
  const read = v.safeParse(Refusal, reply)
  const message = read.success ? read.output.error.message : ''
  const summary = `Microsoft answers with ${status} ${codeOf(response)} ${message}`.replace(/ +/g, ' ').trim().slice(0, 300).toWellFormed()
  return new AccountFailure(isGone(response) ? 'not_found' : kindOf(status), summary, retryAfter)
}

const KINDS: Record<number, AccountFailureReason> = {
  401: 'unauthorized',
  403: 'forbidden',
  429: 'limited',
}
const kindOf = (status: number): AccountFailureReason => KINDS[status] ?? (status >= 400 && status < 500 ? 'refused' : 'unavailable')

export const isSuccess = ({ status }: GraphResponse): boolean => status >= 200 && status < 300
/** An id that another provider or another mailbox has given is refused in words of its own. */
export const isGone = (response: GraphResponse): boolean =>
  response.status === 404 || response.status === 410 || (response.status === 400 && FOREIGN_IDS.includes(codeOf(response)))
const FOREIGN_IDS = ['ErrorInvalidIdMalformed', 'ErrorInvalidMailboxItemId']

/** A response of the expected form. @throws AccountFailure for any other. */
export function parsed<Schema extends v.GenericSchema>(schema: Schema, response: GraphResponse): v.InferOutput<Schema> {
  if (!isSuccess(response)) throw failureOf(response)
  const read = v.safeParse(schema, response.reply)
  if (read.success) return read.output
  throw new AccountFailure('unavailable', `Microsoft answers with ${response.status} in an unexpected form`)
}
