import type { Env } from '../src/env.ts'
import worker from '../src/worker.ts'

/** The real Worker without the local stand-in for the rate limiter, a database of its own that the platform does not have. */
const unlimited: RateLimit = { limit: async () => ({ success: true }) }
const envs = new WeakMap<Env, Env>()

export default {
  fetch(request, env, ctx) {
    let own = envs.get(env)
    if (!own) {
      own = { ...env, RATE_LIMIT: unlimited, SEND_RATE_LIMIT: unlimited }
      envs.set(env, own)
    }
    return worker.fetch(request, own, ctx)
  },
} satisfies ExportedHandler<Env>
