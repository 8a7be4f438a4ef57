import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalServer, readText, reply, startLocalServer } from './local-server.ts'
import { readAnthropic, readOpenai, writeAnthropic, writeOpenai } from './model-formats.ts'
import { MODEL_FAULTS, type ModelFault, type ModelRequest, type ModelTurn, obey } from './model-turns.ts'

export interface ModelEmulator extends LocalServer {
  key: string
  /** The requests that were answered, in order. */
  requests: ModelRequest[]
  /** What the model says next in conversations in which `marker` occurs. When these turns are used up, it obeys again whatever it reads. */
  script(marker: string, turns: ModelTurn[]): void
  /** Makes the next calls fail, whatever they are about. */
  fail(fault: ModelFault, times?: number): void
  clear(): void
}

/** The settings of a Worker that uses it. */
export const modelVars = ({ url, key }: Pick<ModelEmulator, 'url' | 'key'>) => ({
  MODEL_PROVIDER: 'anthropic',
  MODEL_API_URL: url,
  MODEL_API_KEY: key,
  MODEL_STANDARD: 'a-large-model',
  MODEL_SMALL: 'a-small-model',
})

const SLOW_MS = 500
/** A token for four characters, as a rule of thumb of the providers. */
const tokensIn = (texts: string[]) => Math.ceil(texts.join('').length / 4)

/**
 * Emulates Anthropic Messages and OpenAI Chat Completions, streamed. Without a script it is a model without any judgement: see `obey`.
 */
export async function startModelEmulator(options: { port?: number } = {}): Promise<ModelEmulator> {
  const key = 'local-model-key'
  const failures: ModelFault[] = []
  const scripts: { marker: string; turns: ModelTurn[] }[] = []
  let ids = 0
  const nextId = () => String(++ids).padStart(12, '0')

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url!, 'http://local')
    const body = JSON.parse((await readText(request)) || '{}')
    if (pathname.startsWith('/__')) return control(pathname, body, response)
    const isAnthropic = pathname === '/v1/messages'
    if (!isAnthropic && pathname !== '/v1/chat/completions') return refuse(response, 404, 'not_found_error', 'Not found')
    // Anthropic takes a key in either header: its documentation names the first, its package sends the second.
    const sent = (isAnthropic && request.headers['x-api-key']) || request.headers.authorization?.replace('Bearer ', '')
    if (sent !== key) return refuse(response, 401, 'authentication_error', 'invalid x-api-key')
    const failure = failures.shift()
    if (failure && /^\d+$/.test(failure)) return refuseWith(response, failure)
    const read = isAnthropic ? readAnthropic(body) : readOpenai(body)
    const turn = nextTurn(read)
    const fault = failure ?? turn.fault
    if (fault && /^\d+$/.test(fault)) return refuseWith(response, fault)
    if (fault === 'timeout') return
    if (fault === 'slow') await sleep(SLOW_MS)
    emulator.requests.push(read)
    const tokens = { input: tokensIn(read.texts), output: Math.max(1, tokensIn([turn.text ?? '', JSON.stringify(turn.calls ?? '')])) }
    await stream(response, { ...turn, ...(fault && { fault }) }, isAnthropic, read.model, tokens)
  }

  async function stream(
    response: ServerResponse,
    turn: ModelTurn,
    isAnthropic: boolean,
    model: string,
    tokens: { input: number; output: number },
  ) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (turn.fault === 'overloaded') {
      const error = { type: 'overloaded_error', message: 'Overloaded' }
      return response.end(
        isAnthropic ? `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n` : `data: ${JSON.stringify({ error })}\n\n`,
      )
    }
    const { lines, head } = (isAnthropic ? writeAnthropic : writeOpenai)(turn, model, tokens, nextId)
    const shown = turn.fault === 'early' ? lines.slice(0, head) : turn.fault === 'cut' ? lines.slice(0, head + 2) : lines
    for (const line of shown) await new Promise<void>((written) => response.write(line, () => written()))
    if (shown.length < lines.length) response.destroy()
    else response.end()
  }

  function nextTurn(read: ModelRequest): ModelTurn {
    const script = scripts.find(({ marker, turns }) => turns.length > 0 && read.texts.some((text) => text.includes(marker)))
    return script?.turns.shift() ?? obey(read)
  }

  function control(path: string, body: { marker?: string; turns?: ModelTurn[]; fault?: string; times?: number }, response: ServerResponse) {
    if (path === '/__requests') return reply(response, 200, emulator.requests)
    if (path === '/__script' && body.marker && body.turns) {
      emulator.script(body.marker, body.turns)
      return reply(response, 200, { marker: body.marker, turns: body.turns.length })
    }
    const fault = MODEL_FAULTS.find((one) => one === body.fault)
    if (path === '/__fail' && fault) {
      emulator.fail(fault, body.times)
      return reply(response, 200, { fault, pending: failures.length })
    }
    return refuse(response, 404, 'not_found_error', 'POST /__script {marker, turns}, POST /__fail {fault, times} or GET /__requests')
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) =>
      response.headersSent ? response.destroy() : refuse(response, 400, 'invalid_request_error', (error as Error).message),
  })
  const emulator: ModelEmulator = {
    ...server,
    key,
    requests: [],
    script: (marker, turns) => void scripts.push({ marker, turns: [...turns] }),
    fail: (fault, times = 1) => void failures.push(...Array.from({ length: times }, () => fault)),
    clear() {
      for (const all of [emulator.requests, failures, scripts]) all.length = 0
    },
  }
  return emulator
}

function refuseWith(response: ServerResponse, status: string) {
  const types: Record<string, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  }
  if (status === '429') response.setHeader('retry-after', '1')
  refuse(response, Number(status), types[status] ?? 'api_error', 'The request fails')
}

const refuse = (response: ServerResponse, status: number, type: string, message: string) =>
  reply(response, status, { type: 'error', error: { type, message } })
