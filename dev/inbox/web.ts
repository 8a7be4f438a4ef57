import type { IncomingMessage, ServerResponse } from 'node:http'
import { reply } from '../local-server.ts'

/** A failure that the page shows; `status` is that of the response. */
export class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of actions have many shapes
export type Body = Record<string, any>

const MAX_BODY = 100_000
const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\]):\d+$/

/** Scripts, styles, pictures and frames of our own only. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
/** What somebody has written: no scripts, no forms, nothing that is loaded from elsewhere. */
const CONTENT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

export const sendJson = (response: ServerResponse, status: number, body: unknown) => reply(response, status, body, COMMON)

export const sendFile = (response: ServerResponse, type: string, content: string | Buffer, headers: Record<string, string> = {}) =>
  response.writeHead(200, { ...COMMON, 'content-security-policy': PAGE_POLICY, 'content-type': type, ...headers }).end(content)

/** Markup of somebody else, for a frame that runs nothing. */
export const sendContent = (response: ServerResponse, html: string) =>
  sendFile(response, 'text/html; charset=utf-8', html, { 'content-security-policy': CONTENT_POLICY })

/**
 * Refuses what another web page has sent: it could name this machine by a host of its own, or post to it.
 * @throws a Refusal
 */
export function assertOwnPage({ method, headers }: IncomingMessage): void {
  const { host = '', origin } = headers
  if (!LOCAL.test(host)) throw new Refusal(403, 'The inbox is only for this machine: open it at its printed address')
  if (method === 'GET') return
  if (origin !== undefined && origin !== `http://${host}`) throw new Refusal(403, 'Only the page of the inbox itself may do this')
  if (!headers['content-type']?.startsWith('application/json')) throw new Refusal(415, 'Send JSON')
}

export async function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > MAX_BODY) throw new Refusal(413, `An action has at most ${MAX_BODY} bytes`)
    chunks.push(chunk as Buffer)
  }
  let body: unknown
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
  } catch {
    throw new Refusal(400, 'The body is not JSON')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal(400, 'The body is not a JSON object')
  return body
}

/** A text of the body. @throws a Refusal if it is missing, or too long. */
export function textIn(body: Body, name: string, longest = 10_000): string {
  const text = body[name]
  if (typeof text !== 'string' || text.trim() === '') throw new Refusal(400, `${name} is missing`)
  if (text.length > longest) throw new Refusal(400, `${name} has at most ${longest} characters`)
  return text
}

/** Sends a request to the Worker, as the provider would. */
export type Post = (url: string, init: { method: 'POST'; headers: Record<string, string>; body: string }) => Promise<{ status: number }>

const PATIENCE_MS = 30_000
export const postOverHttp: Post = (url, init) => fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) })

/** @throws a Refusal if the Worker does not take it. */
export async function deliver(post: Post, url: string, body: string, type = 'application/json', headers: Record<string, string> = {}) {
  let status: number
  try {
    status = (await post(url, { method: 'POST', headers: { 'content-type': type, ...headers }, body })).status
  } catch {
    throw new Refusal(502, `The API does not answer at ${new URL(url).origin}`)
  }
  if (status >= 400) throw new Refusal(502, `The API answered ${status}`)
}
