import { runCron } from '../cron/index.ts'
import { consume } from '../queues/index.ts'
import { appFor } from './app.ts'
import type { Env } from './env.ts'

export default {
  fetch: async (request, env, ctx) => (await appFor(request.url)).fetch(request, env, ctx),
  queue: (batch, env) => consume(batch, env),
  scheduled: (event, env) => runCron(event.cron, env),
} satisfies ExportedHandler<Env>
