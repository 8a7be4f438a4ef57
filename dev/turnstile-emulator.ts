import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failures } from './failures.ts'
import { type LocalServer, readText, startLocalServer } from './local-server.ts'
import { TURNSTILE_SCRIPT, turnstileFrame } from './turnstile-page.ts'

/**
 * How calls fail: a number is the status of the response, `internal` an error of the provider, `page` HTML with 200, `timeout` never
 * responds, `drop` closes the connection.
 */
export const TURNSTILE_FAILURES = ['400', '429', '500', '503', 'internal', 'page', 'timeout', 'drop'] as const
export type TurnstileFailMode = (typeof TURNSTILE_FAILURES)[number]

/** What a token was made of: on which page, for which action, and `at` in milliseconds since 1970. */
export type Solved = { sitekey: string; hostname: string; action: string; cdata: string; at: number }
/** `usedBy`: the idempotency key of the call that has used it, null without one. */
type Token = Solved & { usedBy?: string | null }
type Sent = Partial<Record<'secret' | 'response' | 'remoteip' | 'idempotency_key', string>>

export interface TurnstileEmulator extends LocalServer {
  /** The keys of the widget of the Worker, and those of another one. */
  siteKey: string
  secret: string
  other: { siteKey: string; secret: string }
  /** Whether a refusal comes with status 400 rather than 200. */
  lenient: boolean
  /** What was sent to be verified, oldest first. */
  verified: Sent[]
  failures: Failures<TurnstileFailMode>
  /** A token, as the widget gets it. */
  token(of: Partial<Token> & { hostname: string }): string
  clear(): void
}

/** What the script of a page tells the frame of its widget. */
const PARAMETERS = ['sitekey', 'hostname', 'action', 'cdata']
const VALID_MS = 300_000
const MOST_TOKEN = 2_048
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const ACTION = /^[A-Za-z0-9_-]{0,32}$/

/**
 * Emulates Cloudflare Turnstile (https://developers.cloudflare.com/turnstile/): the script of pages, the frame of a widget, and the
 * verification of tokens.
 */
export async function startTurnstileEmulator(options: { port?: number } = {}): Promise<TurnstileEmulator> {
  const tokens = new Map<string, Token>()
  const failures = new Failures<TurnstileFailMode>(TURNSTILE_FAILURES)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', emulator.url)
    if (pathname === '/turnstile/v0/api.js') return send(response, 200, 'text/javascript', TURNSTILE_SCRIPT)
    if (pathname === '/turnstile/v0/frame') return showFrame(searchParams, response)
    if (pathname !== '/turnstile/v0/siteverify') return reply(response, 404, 'Not found')
    if (request.method !== 'POST') return reply(response, 405, 'Method not allowed')
    const sent = sentIn(request.headers['content-type'] ?? '', await readText(request))
    const mode = failures.take()?.mode
    if (mode === 'timeout') return
    if (mode === 'drop') return void request.socket.destroy()
    if (mode === 'page') return send(response, 200, 'text/html', '<h1>Just a moment</h1>')
    if (mode === 'internal') return refuse(response, 'internal-error')
    if (mode) return reply(response, Number(mode), 'error')
    if (!sent) return refuse(response, 'bad-request')
    emulator.verified.push(sent)
    const fault = faultOf(sent)
    if (fault) return refuse(response, fault)
    const { at, hostname, action, cdata } = tokens.get(sent.response as string) as Token
    const challenge_ts = new Date(at).toISOString()
    reply(response, 200, { success: true, 'error-codes': [], challenge_ts, hostname, action, cdata, metadata: { interactive: false } })
  }

  /** The error of a verification; undefined if the token is valid, which is then used. */
  function faultOf({ secret, response, idempotency_key }: Sent): string | undefined {
    if (!secret) return 'missing-input-secret'
    const widget = [emulator, emulator.other].find((one) => one.secret === secret)
    if (!widget) return 'invalid-input-secret'
    if (!response) return 'missing-input-response'
    if (idempotency_key !== undefined && !UUID.test(idempotency_key)) return 'bad-request'
    const token = response.length > MOST_TOKEN ? undefined : tokens.get(response)
    if (!token || token.sitekey !== widget.siteKey) return 'invalid-input-response'
    if (Date.now() > token.at + VALID_MS) return 'timeout-or-duplicate'
    const key = idempotency_key ?? null
    if (token.usedBy !== undefined && (key === null || token.usedBy !== key)) return 'timeout-or-duplicate'
    token.usedBy = key
    return undefined
  }

  function refuse(response: ServerResponse, code: string): void {
    reply(response, emulator.lenient ? 400 : 200, { success: false, 'error-codes': [code], messages: [] })
  }

  function showFrame(query: URLSearchParams, response: ServerResponse) {
    const [sitekey = '', hostname = '', action = '', cdata = ''] = PARAMETERS.map((name) => query.get(name) ?? '')
    const isKnown = [emulator, emulator.other].some(({ siteKey }) => siteKey === sitekey)
    if (!isKnown || !ACTION.test(action) || cdata.length > 255)
      return send(response, 400, 'text/html', '<p>Invalid sitekey or parameters</p>')
    send(response, 200, 'text/html', turnstileFrame(emulator.token({ sitekey, hostname, action, cdata }), VALID_MS))
  }

  const server = await startLocalServer(answer, { port: options.port, onError: (response, error) => reply(response, 500, String(error)) })
  const emulator: TurnstileEmulator = {
    ...server,
    siteKey: '0x4AAAAAAALocalSiteKey00',
    secret: '0x4AAAAAAALocalSecretKey000000000000',
    other: { siteKey: '0x4AAAAAAAOtherSiteKey00', secret: '0x4AAAAAAAOtherSecretKey000000000000' },
    lenient: false,
    verified: [],
    failures,
    token(of) {
      const token = `0.${randomBytes(60).toString('base64url')}`
      tokens.set(token, { sitekey: emulator.siteKey, action: '', cdata: '', at: Date.now(), ...of })
      return token
    },
    clear() {
      tokens.clear()
      failures.clear()
      emulator.verified.length = 0
      emulator.lenient = false
    },
  }
  return emulator
}

/** The variables of a Worker that uses it. */
export const turnstileVars = ({ url, siteKey, secret }: TurnstileEmulator) => ({
  TURNSTILE_API_URL: url,
  TURNSTILE_SITE_KEY: siteKey,
  TURNSTILE_SECRET_KEY: secret,
})

/** A form or JSON; undefined for anything else. */
function sentIn(type: string, text: string): Sent | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) return Object.fromEntries(new URLSearchParams(text))
  if (!/^application\/json/i.test(type)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const isFlat = typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string')
    return isFlat ? (value as Sent) : undefined
  } catch {
    return undefined
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

const reply = (response: ServerResponse, status: number, body: unknown) => send(response, status, 'application/json', JSON.stringify(body))
