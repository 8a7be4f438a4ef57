import { keyOfMedia } from '../../../domain/file-names.ts'
import { MAX_MEDIA_BYTES, UNKNOWN_TYPE } from '../../../domain/files.ts'
import type { Env } from '../../../env.ts'
import { receivedType } from '../../files/plans/received.ts'
import type { Telephony } from '../../sms/provider/port.ts'
import { loadPairing, whatsAppOf } from '../../whatsapp/plans/connection.ts'
import { type FetchedMedia, TooLarge } from '../provider/port.ts'
import { mediaNameOf, mediaTypeOf } from '../rules/message-media.ts'

/** A row of message_media whose file is still to be fetched. */
export type WaitingMedia = {
  id: string
  sms_message_id: string | null
  source: string
  name: string | null
  content_type: string | null
  rank: number
}

/** Fetches a file into R2. @throws Error, or the result for one that never can be fetched */
export async function fetchMedia(env: Env, telephony: Telephony | undefined, workspaceId: string, media: WaitingMedia) {
  let fetched: FetchedMedia
  try {
    fetched = await fromProvider(env, telephony, workspaceId, media)
  } catch (error) {
    if (error instanceof TooLarge) return { failure: String(error), isFinal: true }
    throw error
  }
  await env.FILES.put(keyOfMedia(workspaceId, media.id), fetched.bytes)
  const declared = mediaTypeOf(fetched.content_type) ?? media.content_type
  const content_type = await receivedType(declared ?? UNKNOWN_TYPE, fetched.bytes)
  const name = mediaNameOf(media.name ?? fetched.name, content_type, media.rank)
  return { results: { status: 'stored', content_type, name, size: fetched.bytes.byteLength, error: null } }
}

async function fromProvider(
  env: Env,
  telephony: Telephony | undefined,
  workspaceId: string,
  { sms_message_id, source }: WaitingMedia,
): Promise<FetchedMedia> {
  if (sms_message_id !== null) {
    if (!telephony) throw new Error('This deployment has no account at the SMS provider')
    return telephony.sms.media(source, MAX_MEDIA_BYTES)
  }
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing) throw new Error('No phone is paired with WhatsApp')
  return whatsAppOf(env).media(pairing.instance_name, source, MAX_MEDIA_BYTES)
}
