import * as v from 'valibot'

/** `url`: https://api.retellai.com, or a service with the same API. */
export type Account = { url: string; key: string; timeoutMs?: number }

const Failure = v.object({ message: v.optional(v.string()) })
/** Attempts of a request that may be repeated, while the provider is overloaded or unavailable. */
const MAX_ATTEMPTS = 2

export type RetellReply = { status: number; ok: boolean; body: unknown }
export type RetellRequest = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: object; mayRepeat?: boolean }

/** Sends requests to Retell. Those that `mayRepeat` are tried twice. Throws without a response. */
export function retellHttp({ url, key, timeoutMs = 8_000 }: Account) {
  const json = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' }
  // The runtime adds the type of a form, with its boundary.
  const form = { Authorization: `Bearer ${key}`, Accept: 'application/json' }
  return async ({ method, path, body, mayRepeat = true }: RetellRequest): Promise<RetellReply> => {
    for (let attempt = 1; ; attempt++) {
      const isForm = body instanceof FormData
      const headers = isForm ? form : json
      const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
      const response = await fetch(url + path, { method, headers, ...sent, signal: AbortSignal.timeout(timeoutMs) })
      const reply: unknown = await response.json().catch(() => undefined)
      const isTemporary = response.status === 429 || response.status >= 500
      if (!isTemporary || !mayRepeat || attempt >= MAX_ATTEMPTS) return { status: response.status, ok: response.ok, body: reply }
    }
  }
}

/** What the provider says about a request that it has not carried out. */
export function reasonOf({ status, body }: RetellReply): string {
  const failure = v.safeParse(Failure, body)
  return `The voice provider answers with ${status}${failure.success && failure.output.message ? `: ${failure.output.message}` : ''}`
}
