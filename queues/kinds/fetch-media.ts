import { MEDIA_WAITS } from '../../src/domain/message-media.ts'
import { telephonyOf } from '../../src/http/deployment.ts'
import { fetchMedia, type WaitingMedia } from '../../src/services/media/fetch.ts'
import type { Kind } from '../work/kind.ts'

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
