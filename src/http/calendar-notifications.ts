import * as v from 'valibot'
import { notifyChannel } from '../data/calendar-channels.ts'
import { type Env, jobsDatabaseOf } from '../env.ts'
import { AppError } from '../errors.ts'
import { hashKey, toHex } from '../lib/keys.ts'
import { Id } from '../schemas/fields.ts'

const MAX_SECRET = 256

/**
 * Takes a notification of Google: that something has changed in the calendar of a channel. It has our secret, and only leads to a reading. One of a channel that is not known
 * has no effect. @throws NOT_FOUND for that, UNAVAILABLE when the reading could not be enqueued.
 */
export async function receiveGoogleNotification(env: Env, { headers }: Request): Promise<void> {
  const [channel, secret] = [headers.get('x-goog-channel-id') ?? '', headers.get('x-goog-channel-token') ?? '']
  await notifyCalendar(env, channel, secret)
}

/** Has the calendar of a channel read now. @throws NOT_FOUND, UNAVAILABLE */
export async function notifyCalendar(env: Env, channel: string, secret: string): Promise<void> {
  if (!v.is(Id, channel) || secret.length === 0 || secret.length > MAX_SECRET) throw new AppError('NOT_FOUND', 'No such channel')
  const found = await notifyChannel(jobsDatabaseOf(env), channel, toHex(await hashKey(secret)))
  if (!found) throw new AppError('NOT_FOUND', 'No such channel')
  try {
    await env.WEBHOOKS.send({ type: 'calendars.sync', ...found })
  } catch {
    throw new AppError('UNAVAILABLE', 'The notification could not be enqueued: send it again', undefined, 10)
  }
}
