import { runCron } from '../cron/index.ts'
import { consume } from '../queues/index.ts'
import { app } from './app.ts'
import type { Env } from './env.ts'

export default {
  fetch: (request, env, ctx) => app.fetch(request, env, ctx),
  queue: (batch, env) => consume(batch, env),
  scheduled: (event, env) => runCron(event.cron, env),
} satisfies ExportedHandler<Env>
