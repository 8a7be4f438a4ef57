import * as v from 'valibot'
import { type Notified, notifyChannels } from '../../../data/calendar-channels.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, invalid } from '../../../errors.ts'
import { type Posted, RECEIVED, type Reply } from '../../../http/posted.ts'
import { bodyOf, parseBody, utf8In } from '../../../http/receive.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { Id } from '../../../schemas/fields.ts'
import { enqueueAll } from '../../../wake.ts'

const MAX_SECRET = 256

/**
 * Takes a notification of Google: that something has changed in the calendar of a channel. It has our secret, and only leads to a reading.
 * One of a channel that is not known has no effect. @throws NOT_FOUND for that, UNAVAILABLE when the reading could not be enqueued.
 */
export async function receiveGoogleNotification({ env, request: { headers } }: Posted): Promise<Reply> {
  await notifyCalendars(env, [[headers.get('x-goog-channel-id') ?? '', headers.get('x-goog-channel-token') ?? '']])
  return RECEIVED
}

const MAX_POSTED = 1_000_000
/** The longest token that Microsoft sends, with room. */
const MAX_TOKEN = 2_000
/** The most channels of one request; what has changed for others is found within five minutes. */
const MAX_CHANNELS = 50
/** `clientState` is the id of the channel, a dot, and the secret. */
const CHANNEL_LENGTH = 36

const MicrosoftNotifications = v.object({ value: v.array(v.object({ clientState: v.optional(v.nullable(v.string()), null) })) })
const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }

/**
 * Answers Microsoft. Before it accepts a subscription it sends a token, which is returned as it came; nothing else happens then. Later it
 * reports changes, of several subscriptions together. @throws NOT_FOUND when none of them is known, VALIDATION_ERROR for another body,
 * UNAVAILABLE when a reading could not be enqueued.
 */
export async function receiveMicrosoftNotification({ env, request }: Posted): Promise<Reply> {
  const token = new URL(request.url).searchParams.get('validationToken')
  if (token !== null && token.length <= MAX_TOKEN) return new Response(token, { headers: PLAIN })
  const body = parseBody(utf8In(await bodyOf(request, MAX_POSTED)), request.headers.get('content-type'))
  await notifyCalendars(env, microsoftChannelsIn(body))
  return { ...RECEIVED, status: 202 }
}

/** The channels that notifications are about, each with its secret. @throws VALIDATION_ERROR */
export function microsoftChannelsIn(body: unknown): [channel: string, secret: string][] {
  const read = v.safeParse(MicrosoftNotifications, body)
  if (!read.success) throw invalid([{ path: 'value', message: 'must be the notifications of Microsoft Graph, each with its clientState' }])
  const states = [...new Set(read.output.value.map(({ clientState }) => clientState ?? ''))].slice(0, MAX_CHANNELS)
  return states.map((state) => [state.slice(0, CHANNEL_LENGTH), state.slice(CHANNEL_LENGTH + 1)])
}

/** Has the calendars of channels read now, by one round trip. @throws NOT_FOUND when there is none of them, UNAVAILABLE */
async function notifyCalendars(env: Env, channels: [channel: string, secret: string][]): Promise<void> {
  const wellFormed = channels.filter(([channel, secret]) => v.is(Id, channel) && secret.length > 0 && secret.length <= MAX_SECRET)
  const notified = wellFormed.map(async ([channel, secret]): Promise<Notified> => ({ channel, hash: toHex(await hashKey(secret)) }))
  const found = notified.length > 0 ? await notifyChannels(jobsDatabaseOf(env), await Promise.all(notified)) : []
  if (found.length === 0) throw new AppError('NOT_FOUND', 'No such channel')
  try {
    await enqueueAll(
      env,
      'calendars.sync',
      [...new Set(found.map(({ workspace_id }) => workspace_id))].map((workspaceId) => ({ workspaceId })),
    )
  } catch {
    throw new AppError('UNAVAILABLE', 'The notification could not be enqueued: send it again', undefined, 10)
  }
}
