import type { Kind } from '../../../../queues/work/kind.ts'
import { telephonyOf } from '../../../http/deployment.ts'
import { fetchMedia, type WaitingMedia } from '../plans/fetch.ts'
import { MEDIA_WAITS } from '../rules/message-media.ts'

/** The files of received messages are fetched from their providers, one after the other. */
export const mediaFetch: Kind<WaitingMedia> = {
  name: 'media.fetch',
  queue: 'WEBHOOKS',
  table: 'message_media',
  where: "t.status = 'waiting'",
  writes: ['status', 'content_type', 'name', 'size', 'error'],
  lease: 120,
  atOnce: 1,
  claims: 5,
  retry: MEDIA_WAITS,
  call: ({ env, workspaceId, item }) => fetchMedia(env, telephonyOf(env), workspaceId, item),
  failed: (error, isLast) => ({ status: isLast ? 'failed' : 'waiting', error }),
}
