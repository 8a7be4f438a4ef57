import * as v from 'valibot'
import type { Delivery } from '../../email/provider/port.ts'
import { bytesOf } from '../../message-media/provider/bounded.ts'
import type { FetchedMedia } from '../../message-media/provider/port.ts'
import type { SmsProvider } from './port.ts'

/** `url`: https://api.twilio.com, or a service with the same API. */
export type Options = { url: string; account: string; token: string; timeoutMs?: number }

const Sent = v.object({ sid: v.pipe(v.string(), v.regex(/^(SM|MM)[0-9a-f]{32}$/i)) })
const text = v.optional(v.nullable(v.string()), null)
const Failure = v.object({ code: v.optional(v.nullable(v.number())), message: v.optional(v.nullable(v.string())) })
const Listed = v.object({
  messages: v.array(v.object({ sid: v.string(), from: text, to: text, body: text, date_created: text })),
})

/** The messages of a search: the newest ones. */
const PAGE = 100
/** How far the provider's clock may be behind. */
const SKEW = 300_000
/** Attempts of a request that changes nothing. */
const MAX_READS = 3
/** The milliseconds in which a file must have arrived, and the addresses that one leads to. */
const MEDIA_TIMEOUT = 20_000
const MAX_HOPS = 3

/** A client for Twilio's messages (2010-04-01, Message resource, https://www.twilio.com/docs/messaging/api/message-resource). */
export function twilioSms(options: Options): SmsProvider {
  const ask = twilioAsker(options)
  return {
    async send({ from, to, body, status_callback, media_urls = [] }) {
      try {
        const response = await ask('/Messages.json', [
          ...Object.entries({ From: from, To: to, Body: body, StatusCallback: status_callback }),
          ...media_urls.map((url): [string, string] => ['MediaUrl', url]),
        ])
        const reply: unknown = await response.json().catch(() => undefined)
        const sent = v.safeParse(Sent, reply)
        if (response.status === 201 && sent.success) return { outcome: 'sent', message_id: sent.output.sid }
        return { outcome: outcomeOf(response.status), reason: reasonOf(response.status, reply) } as Delivery
      } catch (error) {
        // The connection broke: the message may have been sent.
        return { outcome: 'unclear', reason: String(error) }
      }
    },
    async find({ from, to, body }, since) {
      const query = new URLSearchParams({ From: from, To: to, PageSize: String(PAGE) })
      const { messages } = v.parse(Listed, await readJson(ask, `/Messages.json?${query}`))
      const earliest = since.getTime() - SKEW
      return messages
        .filter(
          (one) => one.to === to && one.from === from && one.body?.trim() === body.trim() && Date.parse(one.date_created ?? '') >= earliest,
        )
        .map(({ sid }) => sid)
    },
    media: (source, max) => mediaAt(options, source, max),
  }
}

/** The address at the provider leads to another one, which must not get the token of the account. */
async function mediaAt({ url, account, token }: Options, source: string, max: number): Promise<FetchedMedia> {
  const signal = AbortSignal.timeout(MEDIA_TIMEOUT)
  const first = `${url}/2010-04-01/Accounts/${account}/Messages/${source}`
  let response = await fetch(first, { headers: { Authorization: `Basic ${btoa(`${account}:${token}`)}` }, redirect: 'manual', signal })
  for (let hops = 0; hops < MAX_HOPS && response.status >= 300 && response.status < 400; hops++) {
    const next = new URL(response.headers.get('location') ?? '', response.url || first)
    await response.body?.cancel()
    response = await fetch(next, { redirect: 'manual', signal })
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`The SMS provider answers with ${response.status}`)
  }
  return { bytes: await bytesOf(response, max), content_type: response.headers.get('content-type'), name: null }
}

export type Ask = (
  path: string,
  form?: Record<string, string> | [string, string][],
  method?: 'GET' | 'POST' | 'DELETE',
) => Promise<Response>

/** Sends requests to the account, or to another part of the API: form-encoded, with basic authentication. */
export function twilioAsker({ url, account, token, timeoutMs = 10_000 }: Options, base = `${url}/2010-04-01/Accounts/${account}`): Ask {
  const headers = { Accept: 'application/json', Authorization: `Basic ${btoa(`${account}:${token}`)}` }
  return (path, form, method = form ? 'POST' : 'GET') =>
    fetch(base + path, {
      method,
      headers,
      ...(form && { body: new URLSearchParams(form) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
}

/** The JSON of a request that changes nothing, which is repeated while the provider is unavailable. */
export async function readJson(ask: Ask, path: string): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const response = await ask(path).catch((error: unknown) => {
      if (attempt >= MAX_READS) throw error
      return undefined
    })
    if (response?.ok) return response.json()
    if (response && (attempt >= MAX_READS || (response.status < 500 && response.status !== 429)))
      throw new Error(`The SMS provider answers with ${response.status}`)
  }
}

/**
 * A status of 5xx, and a success without an id, may have been acted on. One of 401, 403, 429 or 404 concerns the account, and others the
 * message itself.
 */
export function outcomeOf(status: number): 'refused' | 'unavailable' | 'unclear' {
  if (status >= 500 || status < 300) return 'unclear'
  return status === 400 ? 'refused' : 'unavailable'
}

/** The error code and the message of a response, such as `21610 Attempt to send to unsubscribed recipient`. */
export function reasonOf(status: number, reply: unknown): string {
  const failure = v.safeParse(Failure, reply)
  const { code, message } = failure.success ? failure.output : {}
  return `${code ?? status} ${message ?? ''}`.trim()
}
