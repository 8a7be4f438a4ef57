import type { Env } from '../src/env.ts'
import worker from '../src/worker.ts'

/**
 * The real Worker without Miniflare's rate limiters, whose CPU the platform does not charge to the Worker, and without the queues that it
 * was not given.
 */
const unlimited: RateLimit = { limit: async () => ({ success: true }) }
const LIMITS = { RATE_LIMIT: unlimited, SEND_RATE_LIMIT: unlimited, WORKSPACE_RATE_LIMIT: unlimited, ADDRESS_RATE_LIMIT: unlimited }
const sent = new TextEncoder()
const queue = { send: async (message: unknown) => void sent.encode(JSON.stringify(message)) } as unknown as Queue<unknown>
const envs = new WeakMap<Env, Env>()

export default {
  fetch(request, env, ctx) {
    let own = envs.get(env)
    if (!own) {
      own = { ...env, ...LIMITS, REQUESTS: env.REQUESTS ?? queue, EVENTS: env.EVENTS ?? queue }
      envs.set(env, own)
    }
    return worker.fetch(request, own, ctx)
  },
  queue: (batch, env) => worker.queue(batch, env),
} satisfies ExportedHandler<Env>
