import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalServer, type Reply, readBytes, reply, startLocalServer } from './local-server.ts'
import { VoiceAgents } from './voice-agents.ts'
import { VoiceKnowledgeBases } from './voice-knowledge.ts'

/**
 * How the next calls fail: a number is the status of the response, `timeout` never responds, `drop` closes the connection, `slow` responds
 * after half a second.
 */
const FAIL_MODES = ['401', '402', '422', '429', '500', '503', 'timeout', 'drop', 'slow'] as const
export type VoiceFailMode = (typeof FAIL_MODES)[number]

type Agents = { agent_id: string; agent_version?: number; weight: number }[] | null
export type VoiceNumber = {
  phone_number: string
  termination_uri: string
  inbound_agents: Agents
  outbound_agents: Agents
  inbound_webhook_url: string | null
}
/** A signed request of Retell to the Worker. */
export type VoiceEvent = { init: { method: 'POST'; headers: Record<string, string>; body: string } }

export interface VoiceEmulator extends LocalServer {
  key: string
  numbers: VoiceNumber[]
  /** The agents with their versions, and their response engines. */
  agents: VoiceAgents
  knowledge: VoiceKnowledgeBases
  /** The requests that were carried out, in their order: the method, and the path up to the number. */
  requests: string[]
  /** Makes the next calls fail, or those `after` so many; with `accept` the work is done first, so that only the response is lost. */
  fail(mode: VoiceFailMode, times?: number, accept?: boolean, after?: number): void
  /** Lets all calls succeed again. */
  calm(): void
  /** Signs what Retell posts, at a time in milliseconds. Repeat and reorder events to see that they are tolerated. */
  event(body: unknown, at?: number): VoiceEvent
  clear(): void
  /** Answers about an unknown number with 404, as the provider also does, and not with 422, which it documents. */
  isLenient: boolean
}

const SLOW_MS = 500
const UNBOUND: VoiceNumber = {
  phone_number: '',
  termination_uri: '',
  inbound_agents: null,
  outbound_agents: null,
  inbound_webhook_url: null,
}
const refusal = (status: number, message: string): Reply => [status, { status: 'error', message }]
const E164 = /^\+[1-9]\d{6,14}$/
const AGENT = /^agent_\w+$/

/**
 * Emulates the phone numbers and the agents of Retell (https://docs.retellai.com/api-references) and signs its webhooks. Agents whose id
 * contains `missing` do not exist.
 * `eventsUrl`: where POST /__call reports a call to.
 */
export async function startVoiceEmulator(options: { port?: number; eventsUrl?: string } = {}): Promise<VoiceEmulator> {
  const failures: ({ mode: VoiceFailMode; accept: boolean } | undefined)[] = []
  const key = 'local-voice-key'
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, 'http://local')
    const bytes = await readBytes(request)
    const form = await formIn(request, bytes)
    const body = bytes.length > 0 && !form ? JSON.parse(bytes.toString('utf8')) : {}
    if (pathname.startsWith('/__')) return send(response, await control(pathname, body))
    if (request.headers.authorization !== `Bearer ${key}`) return send(response, refusal(401, 'Invalid API key'))
    const failure = failures.shift()
    const works = !failure || failure.accept || failure.mode === 'slow'
    const outcome = works ? handle(request.method!, decodeURIComponent(pathname), searchParams, body, form) : undefined
    if (failure?.mode === 'slow') await sleep(SLOW_MS)
    if (outcome && (!failure || failure.mode === 'slow')) return send(response, outcome)
    if (failure?.mode === 'drop') return request.socket.destroy()
    if (failure && failure.mode !== 'timeout') send(response, refusal(Number(failure.mode), 'The request fails'))
  }

  async function control(path: string, body: Record<string, unknown>): Promise<Reply> {
    if (path === '/__numbers') return [200, emulator.numbers]
    if (path === '/__agents') return [200, { agents: emulator.agents.agents, engines: emulator.agents.engines }]
    if (path === '/__requests') return [200, emulator.requests]
    if (path === '/__fail') {
      const mode = FAIL_MODES.find((one) => one === body.mode)
      if (!mode) return refusal(400, `mode is one of ${FAIL_MODES.join(', ')}`)
      emulator.fail(mode, body.times as number | undefined, body.accept === true)
      return [200, { mode, pending: failures.length }]
    }
    if (path === '/__call' && options.eventsUrl) return [200, { statuses: await report(options.eventsUrl, body) }]
    return refusal(404, 'Not found')
  }

  /** A call from its start to its analysis, between the numbers `from` and `to`. */
  async function report(url: string, { from, to, direction = 'inbound' }: Record<string, unknown>) {
    const now = Date.now()
    const call = {
      call_id: `call_${randomBytes(8).toString('hex')}`,
      call_type: 'phone_call',
      direction,
      from_number: from,
      to_number: to,
      start_timestamp: now - 60_000,
    }
    const ended = {
      ...call,
      call_status: 'ended',
      end_timestamp: now,
      duration_ms: 60_000,
      disconnection_reason: 'user_hangup',
      transcript: 'Agent: Good morning.\nUser: Hello.',
    }
    const call_analysis = { call_summary: 'The caller says hello.', user_sentiment: 'Positive', call_successful: true }
    const events = [
      { event: 'call_started', call: { ...call, call_status: 'ongoing' } },
      { event: 'call_ended', call: ended },
      { event: 'call_analyzed', call: { ...ended, call_analysis } },
    ]
    const statuses = []
    for (const event of events) statuses.push((await fetch(url, emulator.event(event).init)).status)
    return statuses
  }

  function handle(method: string, path: string, query: URLSearchParams, body: Record<string, unknown>, form?: FormData): Reply {
    const ofAgents = emulator.knowledge.handle(method, path, form) ?? emulator.agents.handle(method, path, query, body)
    if (ofAgents) {
      emulator.requests.push(`${method} ${path.slice(1)}`)
      return ofAgents
    }
    const [, action = '', number = ''] = path.split('/')
    const { inbound_agents, outbound_agents } = body
    if ([inbound_agents, outbound_agents].some((agents) => agents && !isValid(agents as Agents)))
      return refusal(422, 'The agent does not exist')
    if (method === 'POST' && action === 'import-phone-number') {
      const { phone_number, termination_uri } = body as VoiceNumber
      if (!E164.test(phone_number) || !termination_uri) return refusal(422, 'phone_number and termination_uri are required')
      if (emulator.numbers.some((one) => one.phone_number === phone_number)) return refusal(422, 'The phone number was imported already')
      emulator.numbers.push({ ...UNBOUND, ...(body as Partial<VoiceNumber>) })
      emulator.requests.push(`POST ${action} ${phone_number}`)
      return [201, emulator.numbers.at(-1)]
    }
    const known = emulator.numbers.find(({ phone_number }) => phone_number === number)
    if (!known && emulator.isLenient) return refusal(404, 'The phone number does not exist')
    if (!known) return refusal(422, 'Cannot find requested asset under given api key.')
    if (method === 'PATCH' && action === 'update-phone-number') {
      Object.assign(known, body)
      emulator.requests.push(`PATCH ${action} ${number}`)
      return [200, known]
    }
    return method === 'GET' && action === 'get-phone-number' ? [200, known] : refusal(404, 'Not found')
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => send(response, refusal(500, String(error))),
  })
  const emulator: VoiceEmulator = {
    ...server,
    key,
    numbers: [],
    agents: new VoiceAgents(),
    requests: [],
    isLenient: false,
    knowledge: new VoiceKnowledgeBases(),
    fail(mode, times = 1, accept = false, after = 0) {
      for (let i = 0; i < after; i++) failures.push(undefined)
      for (let i = 0; i < times; i++) failures.push({ mode, accept })
    },
    event(sent, at = Date.now()) {
      const body = JSON.stringify(sent)
      const digest = createHmac('sha256', key)
        .update(body + String(at))
        .digest('hex')
      return {
        init: { method: 'POST', headers: { 'content-type': 'application/json', 'x-retell-signature': `v=${at},d=${digest}` }, body },
      }
    },
    calm() {
      failures.length = 0
    },
    clear() {
      emulator.agents.clear()
      emulator.knowledge.clear()
      for (const all of [emulator.numbers, emulator.requests, failures]) all.length = 0
    },
  }
  return emulator
}

const isValid = (agents: Agents) =>
  agents?.reduce((sum, { weight }) => sum + weight, 0) === 1 &&
  agents.every(({ agent_id }) => AGENT.test(agent_id) && !agent_id.includes('missing'))

async function formIn({ headers }: IncomingMessage, bytes: Buffer<ArrayBuffer>): Promise<FormData | undefined> {
  const type = headers['content-type'] ?? ''
  return type.startsWith('multipart/form-data') ? new Response(bytes, { headers: { 'content-type': type } }).formData() : undefined
}

/** What was deleted has no body, and no type of one. */
const send = (response: ServerResponse, [status, body]: Reply) =>
  body === undefined ? response.writeHead(status).end() : reply(response, status, body)
