import { appFor } from './app.ts'
import type { Env } from './env.ts'

export default {
  fetch: async (request, env, ctx) => (await appFor(request.url)).fetch(request, env, ctx),
  queue: async (batch, env) => (await import('../queues/index.ts')).consume(batch, env),
  scheduled: async (event, env) => (await import('../cron/index.ts')).runCron(event.cron, env, new Date(event.scheduledTime)),
} satisfies ExportedHandler<Env>
