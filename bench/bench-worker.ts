import type { Env } from '../src/env.ts'
import worker from '../src/worker.ts'

/** The real Worker without the local stand-ins for the rate limiter and the queues: databases of their own that the platform does not have. */
const unlimited: RateLimit = { limit: async () => ({ success: true }) }
const sent = new TextEncoder()
const queue = { send: async (message: unknown) => void sent.encode(JSON.stringify(message)) } as unknown as Queue<unknown>
const envs = new WeakMap<Env, Env>()

export default {
  fetch(request, env, ctx) {
    let own = envs.get(env)
    if (!own) {
      own = { ...env, RATE_LIMIT: unlimited, SEND_RATE_LIMIT: unlimited, REQUESTS: queue, EVENTS: queue }
      envs.set(env, own)
    }
    return worker.fetch(request, own, ctx)
  },
  queue: (batch, env) => worker.queue(batch, env),
} satisfies ExportedHandler<Env>
