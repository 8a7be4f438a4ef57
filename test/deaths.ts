import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, expect } from 'vitest'
import { type LocalServer, readBytes, startLocalServer } from '../dev/local-server.ts'
import type { NeonRequest } from '../dev/neon-proxy.ts'
import type { Harness } from './harness.ts'
import { proving } from './proof.ts'
import { elapse } from './requests/chaos-broker.ts'

/** Providers behind a gate, each with the variable of its address and the path of that address. */
const GATED = {
  voice: ['VOICE_API_URL', ''],
  sms: ['SMS_API_URL', ''],
  models: ['MODEL_API_URL', ''],
  embeddings: ['EMBEDDINGS_API_URL', '/v1'],
  site: ['LOCAL_RECEIVERS', ''],
} as const
type Provider = keyof typeof GATED
const PROVIDERS = Object.keys(GATED) as Provider[]
/** Ends the session at this place of a transaction, as the end of its process does. */
const KILL = { query: 'select pg_terminate_backend(pg_backend_pid())' }

/** A piece of work that is done once in the end, whenever the process that does it dies. */
export type Life<State> = {
  prepare(): Promise<State>
  /** What the process does. After its death it reaches neither the database nor a provider. */
  act(state: State): Promise<unknown>
  /** What must be true at once after the death. */
  meanwhile?(state: State): Promise<unknown>
  /** What the caller does when time has passed, such as repeating the request. */
  again?(state: State): Promise<unknown>
  check(state: State): Promise<unknown>
}

/**
 * Processes that die at a chosen point: before or after any call of a provider, at any statement (in `npm run prove`; otherwise before any
 * transaction), and after any commit. The Worker of the tests must be started with `vars`.
 */
export async function deaths(harness: () => Harness) {
  let [count, at] = [0, 0]
  let isDead = false

  /** The place of the next so many points that is the point of death, if it is one of them. */
  function deathAmong(points: number): number | undefined {
    const place = at - count - 1
    count += points
    if (at === 0 || isDead || place < 0 || place >= points) return undefined
    isDead = true
    return place
  }

  function onRequest(request: NeonRequest): void {
    if (isDead) throw new Error('The process is dead')
    // A request with one statement becomes a transaction with it.
    const queries = 'queries' in request ? request.queries : []
    const statements = proving ? queries.length : 1
    const place = deathAmong(statements + 1)
    if (place === statements) harness().proxy.outage = 'lose_answer'
    else if (place !== undefined) queries.splice(place, 0, KILL)
  }

  async function forward(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = isDead ? 0 : deathAmong(2)
    if (isDead && place === 0) return void request.socket.destroy()
    const bytes = await readBytes(request)
    const { host, connection, 'content-length': _, 'transfer-encoding': __, ...headers } = request.headers as Record<string, string>
    const { origin } = new URL(harness()[provider].url)
    const sent = { method: request.method as string, headers, ...(bytes.length > 0 && { body: bytes }) }
    const reply = await fetch(origin + request.url, { ...sent, redirect: 'manual' })
    const body = Buffer.from(await reply.arrayBuffer())
    if (place === 1) return void request.socket.destroy()
    const { 'content-encoding': ___, 'transfer-encoding': ____, ...shown } = Object.fromEntries(reply.headers)
    response.writeHead(reply.status, { ...shown, 'content-length': String(body.length) }).end(body)
  }

  const gates: LocalServer[] = []
  const urls = {} as Record<Provider, string>
  for (const provider of PROVIDERS) {
    const forwarding = (request: IncomingMessage, response: ServerResponse) => forward(provider, request, response)
    const gate = await startLocalServer(forwarding, { onError: (response) => response.destroy() })
    gates.push(gate)
    urls[provider] = gate.url
  }
  afterAll(() => Promise.all(gates.map((gate) => gate.close())))

  const vars = Object.fromEntries(PROVIDERS.map((provider) => [GATED[provider][0], urls[provider] + GATED[provider][1]]))

  /** Runs the work with a death at the point, and then lets time pass. Returns whether the work came that far. */
  async function die<State>(life: Life<State>, point: number): Promise<boolean> {
    const app = harness()
    const state = await life.prepare()
    await app.drain()
    await app.capture(true)
    Object.assign(app.proxy, { onRequest })
    ;[count, at] = [0, point]
    await life.act(state).catch(() => {})
    await app.drain()
    const hasDied = isDead
    ;[isDead, at] = [false, 0]
    app.proxy.clear()
    // The messages that it has sent are lost, too.
    await app.capture(false)
    await life.meanwhile?.(state)
    await timePasses(app)
    await life.again?.(state)
    await timePasses(app)
    await life.check(state)
    return hasDied
  }

  return {
    vars: { ...vars, LOCAL_RECEIVERS: new URL(urls.site).host },
    urls,
    /** Runs the work with a death at each point (in `npm test` at every `step`-th), and once without. */
    async everywhere<State>(life: Life<State>, step: number): Promise<void> {
      let points = 0
      for (let point = 1; ; point += proving ? 1 : step) {
        const hasDied = await die(life, point).catch((error: unknown) => {
          if (error instanceof Error) error.message = `With a death at point ${point}: ${error.message}`
          throw error
        })
        if (!hasDied) break
        points++
      }
      if (proving) console.log(`${expect.getState().currentTestName}: ${points} deaths`)
      expect(points).toBeGreaterThan(2)
    },
  }
}

async function timePasses(app: Harness): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await elapse(app)
    await app.drain()
  }
}
