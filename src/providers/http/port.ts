export type { OutsideRules } from '../../domain/outside-addresses.ts'

/**
 * A request to an address that a customer has chosen. `body` is sent as it is. `maxRead` and `deadlineMs` take the place of the usual
 * limits.
 */
export type OutsideRequest = {
  method: string
  url: string
  headers?: Record<string, string>
  body?: string
  maxRead?: number
  deadlineMs?: number
}

/**
 * What the other side returned, whatever its status; a redirect is a response and is not followed. `body` is text of at most MAX_READ or
 * `maxRead` bytes, and
 * `truncated` says whether there was more. `duration` is in milliseconds.
 */
export type OutsideResponse = {
  ok: true
  status: number
  headers: Record<string, string>
  body: string
  truncated: boolean
  duration: number
}

/**
 * `refused`: the address, a header or the size of the request is not allowed, and nothing was sent. `unresolved`: the name has no address,
 * or could not be looked up. `timeout` and `failed`: no complete response came, so the request may have arrived.
 */
export type OutsideFailure = { ok: false; failure: 'refused' | 'unresolved' | 'timeout' | 'failed'; reason: string; duration: number }

export type OutsideHttp = { send(request: OutsideRequest): Promise<OutsideResponse | OutsideFailure> }

/** Finds the IP addresses of a host name. @throws when there is no answer. */
export type Resolver = (name: string, signal: AbortSignal) => Promise<string[]>
