import { AppError } from '../../../errors.ts'
import type { Posted, Reply } from '../../../http/posted.ts'
import { bodyOf, isToken, parseBody, utf8In } from '../../../http/receive.ts'
import { emailEventOf } from '../../campaigns/rules/events.ts'

const MAX_REPORT = 100_000

/**
 * Takes what the email provider reports about a message, and hands it to the queue, so that it is answered at once whatever the database
 * does. A report that says nothing about a message of ours is accepted, because the provider would repeat it. @throws NOT_FOUND for a wrong
 * token.
 */
export async function receiveEmailEvent({ env, request, params: { token = '' }, now }: Posted): Promise<Reply> {
  if (!isToken(env.EMAIL_WEBHOOK_TOKEN ?? '', token)) throw new AppError('NOT_FOUND', 'No such path')
  const body = parseBody(utf8In(await bodyOf(request, MAX_REPORT)), request.headers.get('content-type'))
  const found = emailEventOf(body, now)
  if (!found) return { data: { accepted: false } }
  try {
    await env.DELIVERIES.send({ type: 'email.event', ...found })
  } catch {
    throw new AppError('UNAVAILABLE', 'The report could not be stored: send it again', undefined, 10)
  }
  return { data: { accepted: true } }
}
