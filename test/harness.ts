import { setTimeout as sleep } from 'node:timers/promises'
import { Miniflare, type RequestInit, type Response } from 'miniflare'
import type pg from 'pg'
import { type NeonProxy, startNeonProxy } from '../dev/neon-proxy.ts'
import { createDatabase, createServer, type Database, dropDatabase, openPool } from './database.ts'
import { clearEmulators, closeEmulators, type Emulators, emulatorVars, startEmulators } from './emulators.ts'
import { type Client, httpClient } from './http-client.ts'
import { type MemoryMeter, meterMemory } from './memory.ts'
import { proving } from './proof.ts'
import { runtimeOptions } from './runtime-options.ts'
import { limit } from './speed.ts'
import { createTestWorkspace, type TestWorkspace, type WorkspaceOptions } from './workspace.ts'

export const ORIGIN = 'http://api.test'
/** Signs the addresses of files. */
export const FILE_SECRET = 'only-the-tests-sign-addresses-with-this'
/** A proof may send to a million contacts. */
const DRAIN_LIMIT = proving ? 600_000 : limit(20_000)

export interface StartOptions {
  /** Replaces or adds environment variables of the Worker. */
  vars?: Record<string, string>
  /** Keeps the real rate limits; without it there are none. */
  rateLimit?: boolean
  /** The binding of a queue that cannot be reached. */
  unreachable?: string
  /** Opens the runtime's inspector, through which the Worker's memory is measured. */
  inspected?: boolean
  /** Megabytes of JavaScript heap beyond which the runtime dies; buffers are outside the heap. */
  heapLimit?: number
  /** Sessions of the database that the Worker's requests share: with one, each finds what those before it have compiled. */
  sessions?: number
  /** Serves the documentation too; each start reads all of its files. */
  docs?: boolean
  /** The database to use, instead of a fresh copy of the migrated one. */
  database?: Database
  /** Collects log entries for a tenth of a second. Tests that send many requests, and wait for the log at most once or twice, take half the time. */
  seldomLogs?: boolean
  /** The folder of another release's bundled Worker, to run that one. */
  bundle?: string
  /** Whether the database is on a server of its own, which is faster when it need not survive a crash. */
  ownServer?: boolean | 'durable'
  /** Whether the runtime and the database are the file's own, although no other option needs it: it ticks the cron, counts across workspaces, changes tables, or looks at plans. */
  own?: boolean
}

/** A message, the queue that it was sent to, and after how long it is to be delivered. */
export type Message = { queue: string; body: unknown; delaySeconds?: number }

/** What the queue handler left behind for the messages of one delivery. */
export interface Delivery {
  outcome: string
  ackAll: boolean
  retryBatch: { retry: boolean; delaySeconds?: number }
  explicitAcks: string[]
  retryMessages: { msgId: string; delaySeconds?: number }[]
}

export interface Harness extends Emulators {
  /** Where the Worker listens, for programs that have sockets only. */
  url(): Promise<URL>
  /** Calls the Worker, and reads the response as text. */
  client: Client
  /** Calls the Worker; `path` starts with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The superuser on this file's own database: sees every workspace. */
  owner: pg.Pool
  /** The only way from the Worker to the database; counts its round trips. */
  proxy: NeonProxy
  /** Lets the emulators forget what they received, and how they should fail. */
  clearEmulators(): void
  /** What the Worker keeps files in. */
  files(): ReturnType<Miniflare['getR2Bucket']>
  /** Runs the scheduled handler, to its end. */
  cron(expression: string, at?: Date): Promise<void>
  /** Hands messages to the queue handler, as the broker would; nothing is retried. */
  deliver(queue: string, bodies: unknown[], attempts?: number): Promise<Delivery>
  /** Keeps messages from their queues from now on, or no longer; returns those that were kept since the last call. */
  capture(on: boolean): Promise<Message[]>
  /** Waits until no sent message and no waitUntil promise is under way. */
  drain(): Promise<void>
  /** Measures the Worker's memory; needs `inspected`. */
  memory(): Promise<MemoryMeter>
  /** All that the Worker and its runtime logged. */
  logs: string[]
  /** Kills the runtime, with its queues and whatever it was doing, and starts another on the same database. */
  restart(): Promise<void>
  /** Kills PostgreSQL, and starts it again on the same data; needs a durable server. */
  crash(): Promise<void>
  workspace(options?: WorkspaceOptions): Promise<TestWorkspace>
  close(): Promise<void>
}

/** What the files of a process share: row-level security keeps their workspaces apart. One collects log entries for longer. */
const shared = new Map<boolean, Promise<Harness>>()

/**
 * Starts the bundled Worker on a database of its own, or takes the one that the files of this process share if no option needs another.
 * Each test file does this once.
 */
export async function start(options: StartOptions = {}): Promise<Harness> {
  const { seldomLogs = false, ...others } = options
  if (Object.keys(others).length > 0) return startOwn(options)
  const found = shared.get(seldomLogs) ?? startOwn({ seldomLogs })
  shared.set(seldomLogs, found)
  const app = await found
  return { ...app, close: () => handOver(app, seldomLogs) }
}

/** Leaves a shared runtime as a new one is, for the next file. One that does not come to rest is replaced. */
async function handOver(app: Harness, seldomLogs: boolean): Promise<void> {
  app.proxy.clear()
  try {
    await app.capture(false)
    await app.drain()
  } catch {
    shared.delete(seldomLogs)
    return app.close()
  }
  app.clearEmulators()
  app.logs.length = 0
}

async function startOwn(options: StartOptions): Promise<Harness> {
  const server = options.ownServer ? await createServer(options.ownServer === 'durable') : undefined
  const database = server ?? options.database ?? (await createDatabase())
  const owner = openPool(database.url, 4)
  const { sessions } = options
  const proxy = await startNeonProxy({ postgresPort: Number(new URL(database.url).port), ...(sessions && { sessions }) })
  const emulators = await startEmulators()
  const logs: string[] = []
  const vars = {
    DATABASE_URL: `postgres://app:app@db.local/${database.name}`,
    DATABASE_JOBS_URL: `postgres://jobs:jobs@db.local/${database.name}`,
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
    REQUEST_LOG_MILLISECONDS: options.seldomLogs ? '100' : '20',
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
  const responses = new Set<WeakRef<Response>>()
  const dispose = async () => {
    // The runtime would wait for whoever reads the rest of a response.
    for (const response of responses) await cancelUnread(response.deref())
    responses.clear()
    await runtime.dispose()
  }
  emulators.microsoft.post = (url) => runtime.dispatchFetch(url, { method: 'POST', headers: { 'content-type': 'text/plain' } })
  const client = httpClient(() => runtime.ready, new URL(ORIGIN).host)

  return {
    owner,
    proxy,
    ...emulators,
    clearEmulators: () => clearEmulators(emulators),
    logs,
    memory: async () => meterMemory(await runtime.getInspectorURL(), () => runtime.dispatchFetch(`${ORIGIN}/__test/pending`)),
    files: () => runtime.getR2Bucket('FILES'),
    url: () => runtime.ready,
    client,
    async fetch(path, init) {
      const response = await runtime.dispatchFetch(ORIGIN + path, init)
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
    capture: async (on) => (await runtime.dispatchFetch(`${ORIGIN}/__test/capture?on=${on}`)).json() as Promise<Message[]>,
    async drain() {
      const began = Date.now()
      for (;;) {
        const pending = Number(await (await runtime.dispatchFetch(`${ORIGIN}/__test/pending`)).text())
        if (pending === 0) return
        const waited = Date.now() - began
        if (waited > DRAIN_LIMIT) throw new Error(`Still ${pending} under way after ${DRAIN_LIMIT} ms:\n${logs.slice(-20).join('\n')}`)
        // Each look costs the Worker as much as a request, so a long wait looks less often.
        await sleep(Math.min(100, Math.max(2, waited / 10)))
      }
    },
    async restart() {
      await dispose()
      runtime = await boot()
    },
    async crash() {
      if (options.ownServer !== 'durable') throw new Error('Only a durable server survives a crash')
      await server?.crash()
    },
    workspace: (given) => createTestWorkspace(owner, client, given),
    async close() {
      await dispose()
      await Promise.all([proxy.close(), closeEmulators(emulators), owner.end()])
      await server?.stop()
      if (!server && !options.database) await dropDatabase(database)
    },
  }
}

async function cancelUnread(response: Response | undefined): Promise<void> {
  if (response && !response.bodyUsed) await response.body?.cancel().catch(() => {})
}
