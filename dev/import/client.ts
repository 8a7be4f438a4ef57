import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Complaint } from '../settings.ts'

const TIMEOUT = 30_000
/** The most attempts of a request when the API fails, and when it only asks the client to wait. */
const ATTEMPTS = 6
const WAITS = 60

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type Init = { method: Method; headers: Record<string, string>; body?: string; signal: AbortSignal }
export type Fetch = (
  url: string,
  init: Init,
) => Promise<{ status: number; headers: { get(name: string): string | null }; text(): Promise<string> }>

export interface ClientOptions {
  /** With or without /v1. */
  base: string
  key: string
  fetch?: Fetch
  /** Aborted when the import must stop. */
  stopping?: AbortSignal
  /** Called before each pause, with its length in seconds. */
  onWait?: (seconds: number, why: string) => void
  /** The clock; replaced by tests. */
  pause?: (milliseconds: number, stopping: AbortSignal) => Promise<unknown>
}

export interface ApiError {
  code: string
  message: string
  details?: unknown
}

/** A refusal because of the content of the request, not because of its caller. */
export class Refused extends Complaint {
  readonly error: ApiError

  constructor(what: string, error: ApiError) {
    const issues = issuesOf(error).map(({ path, message }) => (path ? `${path} ${message}` : message))
    super(`The API refused ${what}: ${issues.join('; ')}`)
    this.error = error
  }
}

/** The error of each field; without a field if the API names none. */
export function issuesOf({ message, details }: ApiError): { path: string; message: string }[] {
  const { issues = [] } = (details ?? {}) as { issues?: { path: string; message: string }[] }
  return issues.length > 0 ? issues : [{ path: '', message }]
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Body = any

/** A client of the API. Waits when the API asks for it, and repeats requests whose outcome is unclear. */
export class Client {
  requests = 0
  writes = 0
  /** For the rate limit, in milliseconds. */
  waited = 0
  readonly #options: ClientOptions
  readonly #stopping: AbortSignal
  readonly #origin: string
  #reached = false
  #held: Promise<void> | undefined

  constructor(options: ClientOptions) {
    this.#options = options
    this.#stopping = options.stopping ?? new AbortController().signal
    this.#origin = options.base.replace(/\/+$/, '').replace(/\/v1$/, '')
  }

  /** Returns the `data` of the response. */
  async send(method: Method, path: string, body?: unknown): Promise<Body> {
    return (await this.#answer(method, path, body)).data
  }

  /** Every record of a list, page by page. */
  async list(path: string, query: Record<string, string> = {}): Promise<Body[]> {
    const records: Body[] = []
    for (let after: string | null = ''; after !== null; ) {
      const { data, page } = await this.#answer(
        'GET',
        `${path}?${new URLSearchParams({ ...query, limit: '100', ...(after && { after }) })}`,
      )
      records.push(...data)
      after = page.next
    }
    return records
  }

  async #answer(method: Method, path: string, body?: unknown): Promise<Body> {
    const init = {
      method,
      headers: {
        authorization: `Bearer ${this.#options.key}`,
        // The same for each attempt, so that a write whose response was lost is not executed twice.
        ...(method !== 'GET' && { 'idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    for (let attempt = 1, waits = 1; ; ) {
      await this.#held
      const { status, text, retryAfter } = await this.#attempt(path, init)
      const twin = status === 409 && retryAfter !== undefined
      if (status === 429 && waits++ < WAITS) this.#hold((retryAfter ?? 1) * 1000)
      else if ((twin || status === 0 || [502, 503, 504].includes(status)) && attempt < ATTEMPTS) {
        const why = twin ? 'the same request is still under way' : status === 0 ? text : `the API answered ${status}`
        await this.#pause(Math.max((retryAfter ?? 0) * 1000, 250 * 2 ** attempt++), why)
      } else return this.#read(status, text, method, path)
    }
  }

  /** One attempt; the status is 0 if there was no response. */
  async #attempt(path: string, init: Omit<Init, 'signal'>): Promise<{ status: number; text: string; retryAfter?: number | undefined }> {
    this.#stopping.throwIfAborted()
    const send = this.#options.fetch ?? (fetch as unknown as Fetch)
    this.requests += 1
    if (init.method !== 'GET') this.writes += 1
    try {
      const response = await send(`${this.#origin}/v1${path}`, {
        ...init,
        signal: AbortSignal.any([this.#stopping, AbortSignal.timeout(TIMEOUT)]),
      })
      const text = await response.text()
      this.#reached = true
      return { status: response.status, text, retryAfter: secondsOf(response.headers.get('retry-after')) }
    } catch (error) {
      this.#stopping.throwIfAborted()
      if (!this.#reached)
        throw new Complaint(
          `Nothing answers at ${this.#origin} (${reasonOf(error)}): start the API with "npm run dev", or name another address with --base.`,
        )
      return { status: 0, text: reasonOf(error) }
    }
  }

  #read(status: number, text: string, method: Method, path: string): Body {
    const body = parse(text)
    const what = `${method} ${path.replace(/\?.*/, '')}`
    if (status === 200 || status === 201) if (body?.data !== undefined) return body
    if (status === 0)
      throw new Complaint(`The API at ${this.#origin} stopped answering (${text}). Run the import again once it is back: it resumes.`)
    if (status === 202)
      throw new Complaint(
        `Writes of this key are held for approval (${body?.approval_id} waits for one): use a key that may execute them itself.`,
      )
    const error = body?.error as
      | { code: string; message: string; details?: { required_scopes?: string[] }; request_id?: string }
      | undefined
    if (!error?.code)
      throw new Complaint(`${this.#origin} answered ${what} with ${status} and is not this API: name its address with --base.`)
    if (status === 401) throw new Complaint(`The API refused the key: ${error.message}. Name another with --key.`)
    if (status === 403)
      throw new Complaint(
        `The key may not do this (${what}): ` +
          `${error.message}${error.details?.required_scopes ? ` (${error.details.required_scopes.join(', ')})` : ''}.`,
      )
    if ([400, 404, 409, 422].includes(status)) throw new Refused(what, error)
    throw new Complaint(`The API answered ${what} with ${status} ${error.code}: ${error.message} (request ${error.request_id}).`)
  }

  /** All requests wait, because the limit applies to the key. */
  #hold(milliseconds: number): void {
    this.#held ??= this.#pause(milliseconds, 'as many requests as the key may send').finally(() => {
      this.#held = undefined
      this.waited += milliseconds
    })
    // A failure is reported to those who await it.
    this.#held.catch(() => {})
  }

  async #pause(milliseconds: number, why: string): Promise<void> {
    this.#options.onWait?.(milliseconds / 1000, why)
    const pause = this.#options.pause ?? ((time, signal) => sleep(time, undefined, { signal }))
    await pause(milliseconds, this.#stopping).catch(() => {})
    this.#stopping.throwIfAborted()
  }
}

function parse(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Retry-After is a number of seconds or a date. */
function secondsOf(header: string | null): number | undefined {
  if (!header) return undefined
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 300) : undefined
}

/** Node's fetch reports the reason only in the cause. */
function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string; errors?: { code?: string }[] } }
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT / 1000} seconds`
  return cause?.code ?? cause?.errors?.[0]?.code ?? (cause?.message || message)
}
