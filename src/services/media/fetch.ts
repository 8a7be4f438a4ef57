import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import { keyOfMedia } from '../../domain/file-names.ts'
import { MAX_MEDIA_BYTES, MEDIA_WAITS, mediaNameOf, mediaTypeOf } from '../../domain/message-media.ts'
import { type Env, jobsDatabaseOf } from '../../env.ts'
import { loggable } from '../../lib/text.ts'
import { type FetchedMedia, TooLarge } from '../../providers/media/port.ts'
import type { Telephony } from '../../providers/sms/port.ts'
import { loadPairing, whatsAppOf } from '../whatsapp/connection.ts'

/** A file that was claimed (claim_message_media). */
export type ClaimedMedia = {
  id: string
  channel: 'sms' | 'whatsapp'
  source: string
  name: string | null
  content_type: string | null
  rank: number
  attempts: number
}

/** Fetches a file into R2, and notes what has come of it. */
export async function fetchOne(env: Env, telephony: Telephony | undefined, workspaceId: string, media: ClaimedMedia): Promise<void> {
  const key = keyOfMedia(workspaceId, media.id)
  const settle = (outcome: object) => {
    const settled = JSON.stringify({ id: media.id, attempts: media.attempts, ...outcome })
    return batch(jobsDatabaseOf(env), [sql`select settle_message_media(${workspaceId}::uuid, ${settled}::jsonb)`])
  }
  let fetched: FetchedMedia
  try {
    // The attempts of workers that have crashed count too.
    if (media.attempts > MEDIA_WAITS.length + 1) throw new Error('It could not be fetched in several tries')
    fetched = await fromProvider(env, telephony, workspaceId, media)
    await env.FILES.put(key, fetched.bytes)
  } catch (error) {
    const wait = error instanceof TooLarge ? undefined : MEDIA_WAITS[media.attempts - 1]
    await settle({ status: wait === undefined ? 'failed' : 'waiting', error: loggable(String(error), 300), wait: wait ?? null })
    return
  }
  const content_type = mediaTypeOf(fetched.content_type) ?? media.content_type
  const name = mediaNameOf(media.name ?? fetched.name, content_type, media.rank)
  await settle({ status: 'stored', content_type, name, size: fetched.bytes.byteLength, error: null, wait: null })
}

async function fromProvider(
  env: Env,
  telephony: Telephony | undefined,
  workspaceId: string,
  { channel, source }: ClaimedMedia,
): Promise<FetchedMedia> {
  if (channel === 'sms') {
    if (!telephony) throw new Error('This deployment has no account at the SMS provider')
    return telephony.sms.media(source, MAX_MEDIA_BYTES)
  }
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing) throw new Error('No phone is paired with WhatsApp')
  return whatsAppOf(env).media(pairing.instance_name, source, MAX_MEDIA_BYTES)
}
