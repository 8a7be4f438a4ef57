import { addressKind, isIpAddress, type OutsideRules, outsideFault } from '../../domain/outside-addresses.ts'
import { cutText } from '../../lib/text.ts'
import type { OutsideFailure, OutsideHttp, OutsideRequest, OutsideResponse, Resolver } from './port.ts'

/** The deadline of a whole call in milliseconds, and the most bytes that are sent and read. */
export const DEADLINE_MS = 15_000
export const MAX_SENT = 1_048_576
export const MAX_READ = 65_536
const MAX_HEADERS = 50
const MAX_HEADER = 4096
/** The most headers of a response that are kept. */
const MAX_KEPT_HEADERS = 50

/** Headers that the runtime sets. */
const RESERVED = /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|cf-.*|x-forwarded-.*)$/i
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

type Options = {
  rules: OutsideRules
  /** Without one, names are not checked before the call. */
  resolver?: Resolver | undefined
  fetch?: typeof fetch
  deadlineMs?: number
}

/**
 * The client for addresses that customers choose. It calls public addresses only: those of OutsideRules, and of a name only if every
 * address that the resolver finds is public. It follows no redirect, and `send` never throws.
 *
 * A Worker cannot choose the address that it connects to: `fetch` resolves the name again, so an answer that changes between the two
 * look-ups is not noticed here. On Cloudflare's network a Worker's fetch has no route to private networks or to a metadata service, which
 * closes that gap.
 */
export function outsideHttp({ rules, resolver, fetch: call = fetch, deadlineMs: usualDeadline = DEADLINE_MS }: Options): OutsideHttp {
  return {
    async send(request) {
      const begun = Date.now()
      const { maxRead = MAX_READ, deadlineMs = usualDeadline } = request
      const ended = (failure: OutsideFailure['failure'], reason: string): OutsideFailure => ({
        ok: false,
        failure,
        reason: cutText(reason, 500),
        duration: Date.now() - begun,
      })
      const fault = faultOf(request, rules)
      if (fault) return ended('refused', fault)
      const signal = AbortSignal.timeout(deadlineMs)
      try {
        const hidden = await unresolvable(request.url, rules, resolver, signal)
        if (hidden) return ended(hidden.failure, hidden.reason)
        const { method, headers, body } = request
        const init = { method, redirect: 'manual' as const, signal, ...(headers && { headers }), ...(body !== undefined && { body }) }
        const response = await call(request.url, init)
        const read = await readBody(response, maxRead)
        return { ok: true, status: response.status, headers: headersOf(response), ...read, duration: Date.now() - begun }
      } catch (error) {
        if (signal.aborted) return ended('timeout', `No complete response within ${deadlineMs / 1000} seconds`)
        return ended('failed', `The connection failed: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
  }
}

/** Why a request is not sent; undefined if it may be. */
function faultOf({ method, url, headers = {}, body }: OutsideRequest, rules: OutsideRules): string | undefined {
  const fault = outsideFault(url, rules)
  if (fault) return `The address ${fault}`
  if (!METHODS.includes(method)) return `The method must be one of: ${METHODS.join(', ')}`
  const names = Object.entries(headers)
  if (names.length > MAX_HEADERS) return `At most ${MAX_HEADERS} headers can be sent`
  for (const [name, value] of names) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name) || RESERVED.test(name)) return `The header ${name.slice(0, 100)} cannot be set`
    if (value.length > MAX_HEADER || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return `The value of the header ${name} cannot be sent`
  }
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) return `A ${method} request has no body`
  if (body !== undefined && new TextEncoder().encode(body).length > MAX_SENT) return `The body is larger than ${MAX_SENT} bytes`
  return undefined
}

/** The most characters of a wrong DNS answer that are shown. */
const MOST_SHOWN = 60

async function unresolvable(
  url: string,
  { local }: OutsideRules,
  resolver: Resolver | undefined,
  signal: AbortSignal,
): Promise<Pick<OutsideFailure, 'failure' | 'reason'> | undefined> {
  const { hostname, host } = new URL(url)
  const name = hostname.replace(/(?<!\.)\.+$/, '')
  if (!resolver || isIpAddress(name) || local.includes(host) || local.includes(name)) return undefined
  let addresses: string[]
  try {
    addresses = await resolver(name, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return { failure: 'unresolved', reason: `The name ${name} could not be looked up: ${(error as Error).message}` }
  }
  if (addresses.length === 0) return { failure: 'unresolved', reason: `The name ${name} has no address` }
  const odd = addresses.find((address) => !isIpAddress(address))
  if (odd !== undefined)
    return { failure: 'unresolved', reason: `The name ${name} leads to what is no address: ${odd.slice(0, MOST_SHOWN)}` }
  const kind = addresses.map(addressKind).find((found) => found !== undefined)
  return kind === undefined ? undefined : { failure: 'refused', reason: `The name ${name} leads to ${kind} address` }
}

async function readBody(response: Response, maxRead: number): Promise<Pick<OutsideResponse, 'body' | 'truncated'>> {
  const decoder = decoderOf(response.headers.get('content-type') ?? '')
  let [body, size] = ['', 0]
  const reader = response.body?.getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    const left = value.subarray(0, maxRead - size)
    body += decoder.decode(left, { stream: true })
    size += left.length
    if (left.length === value.length) continue
    await reader.cancel().catch(() => {})
    return { body, truncated: true }
  }
  return { body: body + decoder.decode(), truncated: false }
}

/** Text is in UTF-8 unless the response names another encoding. */
function decoderOf(type: string): TextDecoder {
  try {
    return new TextDecoder(/;\s*charset="?([\w:.-]{1,40})/i.exec(type)?.[1])
  } catch {
    return new TextDecoder()
  }
}

const headersOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].slice(0, MAX_KEPT_HEADERS).map(([name, value]) => [name, value.slice(0, MAX_HEADER)]))
