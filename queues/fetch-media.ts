import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { telephonyOf } from '../src/http/deployment.ts'
import { type ClaimedMedia, fetchOne } from '../src/services/media/fetch.ts'
import type { MessageOf } from './messages.ts'

/** How long nobody else fetches a claimed file, in seconds, and how many files a message is about; another one continues. */
const LEASE = 120
const MAX_FILES = 5

/** Fetches the files of received messages, one after the other. One that fails is tried again later, so it delays no other. */
export async function fetchMedia(env: Env, { workspace_id }: MessageOf<'media.fetch'>): Promise<void> {
  for (let files = 0; files < MAX_FILES; files++) {
    const [claimed] = (await batch(jobsDatabaseOf(env), [sql`select claim_message_media(${workspace_id}::uuid, ${LEASE}::int)`])) as [
      ClaimedMedia | null,
    ]
    if (!claimed) return
    await fetchOne(env, telephonyOf(env), workspace_id, claimed)
  }
  await env.WEBHOOKS.send({ type: 'media.fetch', workspace_id })
}
