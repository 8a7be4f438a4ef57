import { TransformStream } from 'node:stream/web'
import { isDeepStrictEqual as isSame } from 'node:util'
import { Miniflare, Response } from 'miniflare'
import { startNeonProxy } from '../dev/neon-proxy.ts'
import type { Place } from './database.ts'
import { clearEmulators, closeEmulators, emulatorVars, startEmulators } from './emulators.ts'
import type { Delivery, Harness, Message, StartOptions } from './harness.ts'
import { httpClient } from './http-client.ts'
import { LOG_MILLISECONDS } from './log-milliseconds.ts'
import { meterMemory } from './memory.ts'
import { proving } from './proof.ts'
import { runtimeOptions } from './runtime-options.ts'
import { limit } from './speed.ts'

export const ORIGIN = 'http://api.test'
/** Signs the addresses of files. */
export const FILE_SECRET = 'only-the-tests-sign-addresses-with-this'
/** A proof may send to a million contacts. */
const DRAIN_LIMIT = proving ? 600_000 : limit(20_000)

/** The bundled Worker, its emulators and its way to the database. */
export interface Runtime extends Omit<Harness, 'owner' | 'crash' | 'workspace'> {
  /** The database that it uses now. */
  readonly place: Place
  /** Lets it use another database, with these variables besides those that it was started with. Durable Objects do not see them. */
  moveTo(place: Place, vars?: Record<string, string>): Promise<void>
}

export async function startRuntime(options: StartOptions, first: Place): Promise<Runtime> {
  let place = first
  const { sessions } = options
  const proxy = await startNeonProxy({ postgresPort: place.port, database: place.name, idleSeconds: 600, ...(sessions && { sessions }) })
  const emulators = await startEmulators()
  const logs: string[] = []
  const vars = {
    DATABASE_URL: 'postgres://app:app@db.local/crm',
    DATABASE_JOBS_URL: 'postgres://jobs:jobs@db.local/crm',
    NEON_PROXY: proxy.url,
    ...emulatorVars(emulators),
    FILE_SECRET,
    API_URL: ORIGIN,
    EMAIL_WEBHOOK_TOKEN: 'the-token-of-email-events',
    APP_URL: 'http://127.0.0.1:8787',
    SEALING_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    // No name is known, so that no test calls anything outside.
    DNS_RESOLVER_URL: 'http://127.0.0.1:9/dns-query',
    EMAIL_FROM: 'Workspace CRM <crm@example.com>',
    // Another release's Worker does not notice that somebody waits for the log.
    REQUEST_LOG_MILLISECONDS: options.bundle ? '20' : String(LOG_MILLISECONDS),
    // A stream ends with what is there already, so that every endpoint can be called like any other.
    EVENT_STREAM_SECONDS: '0',
    ...(!options.rateLimit && { UNLIMITED: 'true' }),
    ...options.vars,
  }
  const boot = async () => {
    // The only way to hand V8 its flags, which are read while the runtime starts.
    if (options.heapLimit) process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${options.heapLimit}`
    try {
      const miniflare = new Miniflare(runtimeOptions(vars, options, logs))
      await miniflare.ready
      return miniflare
    } finally {
      delete process.env.MINIFLARE_WORKERD_V8_FLAGS
    }
  }
  let runtime = await boot()
  let added: Record<string, string> = {}
  const client = httpClient(() => runtime.unsafeGetDirectURL(), new URL(ORIGIN).host)
  const ask = async (path: string) => JSON.parse((await client(`/__test/${path}`, { method: 'GET', headers: {} })).text)
  const add = async () => {
    await client('/__test/vars', { method: 'POST', headers: {}, body: JSON.stringify(added) })
  }
  const responses = new Set<WeakRef<Response>>()
  const dispose = async () => {
    // The runtime would wait for whoever reads the rest of a response.
    for (const response of responses) await cancelUnread(response.deref())
    responses.clear()
    await runtime.dispose()
  }
  emulators.microsoft.post = (url) => runtime.dispatchFetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' } })

  return {
    get place() {
      return place
    },
    async moveTo(next, given = {}) {
      proxy.moveTo(next.port, next.name)
      place = next
      if (isSame(added, given)) return
      added = given
      await add()
    },
    proxy,
    ...emulators,
    clearEmulators: () => clearEmulators(emulators),
    logs,
    memory: async () => meterMemory(await runtime.getInspectorURL(), () => runtime.dispatchFetch(`${ORIGIN}/__test/pending`)),
    files: () => runtime.getR2Bucket('FILES'),
    url: () => runtime.ready,
    client,
    async fetch(path, init) {
      const response = keepBody(await runtime.dispatchFetch(ORIGIN + path, init))
      responses.add(new WeakRef(response))
      return response
    },
    async cron(expression, at = new Date()) {
      const { outcome } = await (await runtime.getWorker()).scheduled({ cron: expression, scheduledTime: at })
      if (outcome !== 'ok') throw new Error(`The cron "${expression}" ended with "${outcome}":\n${logs.slice(-20).join('\n')}`)
    },
    async deliver(queue, bodies, attempts = 1) {
      const messages = bodies.map((body, index) => ({ id: `delivered-${index}`, timestamp: new Date(), attempts, body }))
      return (await runtime.getWorker()).queue(queue, messages) as unknown as Promise<Delivery>
    },
    capture: (on) => ask(`capture?on=${on}`) as Promise<Message[]>,
    async drain() {
      const began = Date.now()
      for (;;) {
        // The Worker itself waits, because each look costs it as much as a request.
        const pending = Number(await ask('pending?wait=1000'))
        if (pending === 0) return
        const waited = Date.now() - began
        if (waited > DRAIN_LIMIT) throw new Error(`Still ${pending} under way after ${DRAIN_LIMIT} ms:\n${logs.slice(-20).join('\n')}`)
      }
    },
    async restart() {
      await dispose()
      runtime = await boot()
      await add()
    },
    async close() {
      await dispose()
      await Promise.all([proxy.close(), closeEmulators(emulators)])
    },
  }
}

/**
 * The response with its body in a stream of its own. Undici cancels the stream of a response that is collected, and Miniflare hands on the
 * stream of another one: what a test reads later was sometimes gone.
 */
const keepBody = (response: Response): Response =>
  response.body ? new Response(response.body.pipeThrough(new TransformStream()), response) : response

async function cancelUnread(response: Response | undefined): Promise<void> {
  if (response && !response.bodyUsed) await response.body?.cancel().catch(() => {})
}
