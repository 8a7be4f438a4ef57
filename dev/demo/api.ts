import { Complaint } from '../settings.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Body = any
export type Api = (method: string, path: string, body?: unknown, expected?: number) => Promise<Body>
type Init = { method: string; headers: Record<string, string>; body?: string }
export type Fetch = (url: string, init: Init) => Promise<{ status: number; text(): Promise<string> }>

/**
 * Calls the API, prints the call and returns the response. Text is sent as CSV. A status other than `expected` (by default one below 400)
 * ends the tour.
 */
export function apiOf(base: string, key: string, show: (line: string) => void, fetch: Fetch): Api {
  const root = `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  return async (method, path, body, expected) => {
    const csv = typeof body === 'string'
    show(`  ${method} ${path}${body === undefined ? '' : csv ? ' (the file)' : ` ${JSON.stringify(body)}`}`)
    const response = await fetch(root + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': csv ? 'text/csv' : 'application/json' }) },
      ...(body !== undefined && { body: csv ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const right = expected === undefined ? response.status < 400 : response.status === expected
    if (!right) throw new Complaint(`${method} ${path} answered ${response.status}: ${text.slice(0, 2000)}`)
    return text.startsWith('{') ? JSON.parse(text) : text
  }
}
