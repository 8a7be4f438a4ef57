import { setTimeout as pause } from 'node:timers/promises'
import { Complaint } from '../settings.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Body = any
export type Api = (method: string, path: string, body?: unknown, expected?: number) => Promise<Body>
type Init = { method: string; headers: Record<string, string>; body?: string }
export type Fetch = (url: string, init: Init) => Promise<ApiAnswer>
type ApiAnswer = { status: number; headers?: { get(name: string): string | null }; text(): Promise<string> }

/** How often a call that came too soon is sent again. */
const MOST_WAITS = 20

/** Sends a request, and again after the time that a refusal for too many requests names. */
async function patiently(send: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (let waits = 0; ; waits++) {
    const answer = await send()
    const seconds = Number(answer.headers?.get('retry-after') ?? 0)
    if (answer.status !== 429 || !seconds || waits === MOST_WAITS) return answer
    await pause(seconds * 1000)
  }
}

/**
 * Calls the API, prints the call and returns the response. Text is sent as CSV. A status other than `expected` (by default one below 400)
 * ends the tour, except that a call that came too soon is sent again.
 */
export function apiOf(base: string, key: string, show: (line: string) => void, fetch: Fetch): Api {
  const root = `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  return async (method, path, body, expected) => {
    const csv = typeof body === 'string'
    show(`  ${method} ${path}${body === undefined ? '' : csv ? ' (the file)' : ` ${JSON.stringify(body)}`}`)
    const init = {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': csv ? 'text/csv' : 'application/json' }) },
      ...(body !== undefined && { body: csv ? body : JSON.stringify(body) }),
    }
    const response = await (expected === 429 ? fetch(root + path, init) : patiently(() => fetch(root + path, init)))
    const text = await response.text()
    const right = expected === undefined ? response.status < 400 : response.status === expected
    if (!right) throw new Complaint(`${method} ${path} answered ${response.status}: ${text.slice(0, 2000)}`)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
}
