import type { Env } from '../src/env.ts'
import { MAX_ATTEMPTS } from '../src/features/dead-letters/rules/dead-letters.ts'
import realWorker from '../src/worker.ts'
import { LOG_MILLISECONDS } from './log-milliseconds.ts'

export * from '../src/worker.ts'

const worker: ExportedHandler<Env> = realWorker

/**
 * The real Worker, with a count of what is still under way: messages sent and not yet settled, and promises given to
 * waitUntil. The harness reads it at /__test/pending until it is zero.
 */
let pending = 0

/** What is under way, once it is nothing or has not become so for this many milliseconds. Log entries are written at the end. */
async function restingPending(wait: number): Promise<number> {
  const end = Date.now() + wait
  while (pending > 0 && Date.now() < end) {
    if (pending === collecting.size) for (const send of collecting) send()
    await new Promise((done) => timer(done, 1))
  }
  return pending
}

/** What sends the log entries that are being collected. They are sent when nothing else is under way, and not every few milliseconds. */
const collecting = new Set<() => void>()
const timer = globalThis.setTimeout
globalThis.setTimeout = ((run: (...given: unknown[]) => void, milliseconds?: number, ...given: unknown[]) => {
  if (milliseconds !== LOG_MILLISECONDS) return timer(run, milliseconds, ...given)
  const send = () => {
    collecting.delete(send)
    run()
  }
  collecting.add(send)
  return timer(send, milliseconds)
}) as typeof setTimeout

/** The environment variables of the file that uses the runtime now. */
let given: Record<string, string> = {}

/** How many messages each queue was sent. */
const sentTo: Record<string, number> = {}

/** What was sent since /__test/capture began to keep messages from their queues; undefined while they are delivered. */
let captured: { queue: string; body: unknown; delaySeconds?: number }[] | undefined

export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/__test/pending') return Response.json(await restingPending(Number(searchParams.get('wait') ?? 0)))
    if (pathname === '/__test/vars') {
      given = await request.json()
      countedEnvs = new WeakMap()
      return new Response()
    }
    if (pathname === '/__test/sent') return Response.json(sentTo)
    if (pathname === '/__test/capture') {
      const before = captured ?? []
      captured = searchParams.get('on') === 'true' ? [] : undefined
      return Response.json(before)
    }
    if (pathname === '/__test/hog')
      return hog(searchParams.get('kind'), Number(searchParams.get('megabytes')), Number(searchParams.get('turns')))
    return loudly(() => worker.fetch!(request, counted(env), watched(ctx)))
  },

  scheduled: (controller, env, ctx) => loudly(() => worker.scheduled!(controller, counted(env), watched(ctx))),

  async queue(batch, env, ctx) {
    const retried = new Set<string>()
    const messages = batch.messages.map((message) => ({
      id: message.id,
      timestamp: message.timestamp,
      body: message.body,
      attempts: message.attempts,
      ack: () => message.ack(),
      retry() {
        retried.add(message.id)
        // The delay is left out: no test waits for the clock.
        message.retry()
      },
    }))
    const retryAll = () => {
      for (const { id } of messages) retried.add(id)
      batch.retryAll()
    }
    const seen = { queue: batch.queue, metadata: batch.metadata, messages, ackAll: () => batch.ackAll(), retryAll }
    await loudly(() => worker.queue!(seen, counted(env), watched(ctx)))
    // A batch whose handler throws never gets here: all of it comes again, or moves to the dead letters and is counted there.
    pending -= messages.filter(({ id, attempts }) => {
      // A dead letter that is retried for the last time is dropped.
      const isDropped = batch.queue.endsWith('-dead') && attempts >= MAX_ATTEMPTS
      return !id.startsWith('delivered-') && (isDropped || !retried.has(id))
    }).length
  },
} satisfies ExportedHandler<Env>

/** Holds memory for some turns, to show that what measures it notices. */
async function hog(kind: string | null, megabytes: number, turns: number): Promise<Response> {
  const held = Array.from({ length: megabytes }, (_, n) =>
    kind === 'buffers' ? new Uint8Array(1e6).fill(1) : new Array(125_000).fill(n + 0.5),
  )
  for (let turn = 0; turn < turns; turn++) await new Promise((done) => setTimeout(done, 10))
  return Response.json(held.length)
}

/** The runtime keeps uncaught errors to itself; the log shows them. */
async function loudly<Out>(work: () => Out | Promise<Out>): Promise<Out> {
  try {
    return await work()
  } catch (error) {
    console.error('Uncaught', error instanceof Error ? error.stack : error)
    throw error
  }
}

let countedEnvs = new WeakMap<Env, Env>()
const unlimited: RateLimit = { limit: async () => ({ success: true }) }
const NO_LIMITS = { RATE_LIMIT: unlimited, SEND_RATE_LIMIT: unlimited, WORKSPACE_RATE_LIMIT: unlimited, ADDRESS_RATE_LIMIT: unlimited }

/** Bindings that only tests have. `UNLIMITED` replaces the rate limiters, each of which costs a request a call of another Worker. */
type Bindings = Env & { UNLIMITED?: string }

function counted(env: Bindings): Env {
  let copy = countedEnvs.get(env)
  if (!copy) {
    copy = {
      ...env,
      ...given,
      ...(env.UNLIMITED && NO_LIMITS),
      EVENTS: countedQueue(env.EVENTS, 'events'),
      APPROVALS: countedQueue(env.APPROVALS, 'approvals'),
      REQUESTS: countedQueue(env.REQUESTS, 'requests'),
      IMPORTS: countedQueue(env.IMPORTS, 'imports'),
      MESSAGES: countedQueue(env.MESSAGES, 'messages'),
      CAMPAIGNS: countedQueue(env.CAMPAIGNS, 'campaigns'),
      DELIVERIES: countedQueue(env.DELIVERIES, 'deliveries'),
      WEBHOOKS: countedQueue(env.WEBHOOKS, 'webhooks'),
    }
    countedEnvs.set(env, copy)
  }
  return copy
}

function countedQueue<Body>(queue: Queue<Body>, name: string): Queue<Body> {
  // One that cannot be reached stays so.
  if (!queue) return queue
  const count = async <ApiResponse>(messages: number, sending: Promise<ApiResponse>): Promise<ApiResponse> => {
    pending += messages
    try {
      const response = await sending
      sentTo[name] = (sentTo[name] ?? 0) + messages
      return response
    } catch (error) {
      pending -= messages
      throw error
    }
  }
  return {
    metrics: () => queue.metrics(),
    // Delays are left out: no test waits for the clock.
    async send(body, options) {
      if (!captured) return count(1, queue.send(body))
      captured.push({ queue: name, body, ...delayed(options) })
      return CAPTURED
    },
    async sendBatch(messages) {
      const list = [...messages]
      if (!captured) return count(list.length, queue.sendBatch(list.map(({ body }) => ({ body }))))
      captured.push(...list.map(({ body, ...options }) => ({ queue: name, body, ...delayed(options) })))
      return CAPTURED
    },
  }
}

const delayed = (options: QueueSendOptions = {}) => (options.delaySeconds ? { delaySeconds: options.delaySeconds } : {})

const CAPTURED = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }

function watched(ctx: ExecutionContext): ExecutionContext {
  const waitUntil = ctx.waitUntil.bind(ctx)
  ctx.waitUntil = (promise) => {
    pending += 1
    const done = () => {
      pending -= 1
    }
    promise.then(done, done)
    waitUntil(promise)
  }
  return ctx
}
