import { AppError } from '../../../errors.ts'
import { type Posted, RECEIVED, type Reply } from '../../../http/posted.ts'
import { bodyOf, parseBody, utf8In } from '../../../http/receive.ts'
import { isSvixSigned } from '../../../lib/provider-signatures.ts'
import { reportedNotetaker } from '../schemas/notetaker-events.ts'

const MAX_POSTED = 1_000_000
const MAX_ID = 200

/**
 * Takes what the provider of notetakers reports about a bot. Its signature is checked over the exact bytes; then the report is handed to
 * the queue, and answered at once. @throws NOT_FOUND when this deployment has no secret, UNAUTHENTICATED for a wrong or old signature,
 * UNAVAILABLE when it could not be handed over.
 */
export async function receiveNotetakerEvent({ env, request, now }: Posted): Promise<Reply> {
  const { NOTETAKER_WEBHOOK_SECRET: secret } = env
  if (!secret) throw new AppError('NOT_FOUND', 'No such path')
  const bytes = await bodyOf(request, MAX_POSTED)
  if (!isSvixSigned(secret, bytes, request.headers, now.getTime()))
    throw new AppError('UNAUTHENTICATED', 'The signature is missing or wrong, or its time is more than five minutes away')
  const webhook_id = (request.headers.get('webhook-id') ?? request.headers.get('svix-id') ?? '').slice(0, MAX_ID)
  const notetaker = reportedNotetaker(parseBody(utf8In(bytes), request.headers.get('content-type')))
  if (!notetaker) return RECEIVED
  try {
    await env.WEBHOOKS.send({ type: 'notetaker.event', ...notetaker, webhook_id })
  } catch {
    throw new AppError('UNAVAILABLE', 'The report could not be stored: send it again', undefined, 10)
  }
  return RECEIVED
}
