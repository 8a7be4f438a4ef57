import { appFor } from './app.ts'
import type { Env } from './env.ts'

export { EventFeed } from '../objects/event-feed.ts'
export { WhatsAppPairing } from '../objects/whatsapp-pairing.ts'

export default {
  fetch: async (request, env, ctx) => secured(await (await appFor(request.url)).fetch(request, env, ctx)),
  queue: async (batch, env) => (await import('../queues/index.ts')).consume(batch, env),
  scheduled: async (event, env) => (await import('../cron/index.ts')).runCron(event.cron, env, new Date(event.scheduledTime)),
} satisfies ExportedHandler<Env>

/** Adds the headers that every response has, files and the documentation included. */
function secured(response: Response): Response {
  response.headers.set('X-Content-Type-Options', 'nosniff')
  response.headers.set('Strict-Transport-Security', 'max-age=31536000')
  return response
}
