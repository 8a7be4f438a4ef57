import * as v from 'valibot'
import { notifyMailboxes } from '../../../data/mailbox-notifications.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import { AppError, invalid } from '../../../errors.ts'
import { type Posted, RECEIVED, type Reply } from '../../../http/posted.ts'
import { bodyOf, isToken, parseBody, utf8In } from '../../../http/receive.ts'
import { enqueueAll } from '../../../wake.ts'

const MAX_POSTED = 100_000

const Push = v.object({ message: v.object({ data: v.pipe(v.string(), v.maxLength(10_000)) }) })
const Change = v.object({ emailAddress: v.pipe(v.string(), v.maxLength(320)) })

/**
 * Takes what Pub/Sub posts about a change of a mailbox of Gmail. It only leads to a reading, at which Google is asked. One of a mailbox
 * that is not connected is accepted, because it would be repeated. @throws NOT_FOUND for a wrong token, VALIDATION_ERROR for another body,
 * UNAVAILABLE when the reading could not be enqueued.
 */
export async function receiveGmailNotification({ env, request, params: { token = '' } }: Posted): Promise<Reply> {
  if (!isToken(env.GMAIL_PUSH_TOKEN ?? '', token)) throw new AppError('NOT_FOUND', 'No such path')
  const email = emailIn(parseBody(utf8In(await bodyOf(request, MAX_POSTED)), request.headers.get('content-type')))
  const found = await notifyMailboxes(jobsDatabaseOf(env), email)
  if (found.length === 0) return RECEIVED
  try {
    await enqueueAll(
      env,
      'mailboxes.sync',
      [...new Set(found.map(({ workspace_id }) => workspace_id))].map((workspaceId) => ({ workspaceId })),
    )
  } catch {
    throw new AppError('UNAVAILABLE', 'The notification could not be enqueued: send it again', undefined, 10)
  }
  return RECEIVED
}

/** The address of the mailbox: `data` is JSON in base64. @throws VALIDATION_ERROR */
export function emailIn(body: unknown): string {
  const push = v.safeParse(Push, body)
  const change = push.success ? v.safeParse(Change, jsonIn(push.output.message.data)) : undefined
  if (change?.success) return change.output.emailAddress.toLowerCase()
  throw invalid([{ path: 'message.data', message: 'must be a change of a mailbox, as Gmail publishes it' }])
}

function jsonIn(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString('utf8'))
  } catch {
    return undefined
  }
}
