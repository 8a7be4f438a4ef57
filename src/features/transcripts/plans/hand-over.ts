import { loggable } from '../../../lib/text.ts'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import type { Transcriber } from '../provider/transcribe.ts'
import { reportToken } from '../rules/reports.ts'
import { MAX_HAND_OVERS, REPORT_SECONDS, RETRY_SECONDS } from '../rules/transcripts.ts'

/** A transcript that a worker has claimed. */
export type ClaimedTranscript = { id: string; status: string; audio_url: string; language: string | null }
/** The columns of a transcript after an attempt, and the seconds until the next one. */
export type HandOver = {
  status: 'queued' | 'transcribing' | 'failed'
  error: string | null
  provider_request_id?: string
  wait: number | null
}

export type Handing = { transcriber: Transcriber; outside: OutsideHttp; apiUrl: string; secret: string; workspaceId: string }

const AUDIO = /^(audio|video)\/|^application\/(octet-stream|ogg|mp4|x-mpegurl)\b/i

/** Looks at the address of a recording, and hands it to the provider. `attempts` counts this one. Never throws. */
export async function handOver(item: ClaimedTranscript, attempts: number, handing: Handing): Promise<HandOver> {
  if (attempts > MAX_HAND_OVERS) return failed('The provider has not reported about the recording')
  const fault = await addressFault(item.audio_url, handing.outside)
  if (fault?.isFinal) return failed(fault.reason)
  if (fault) return again(attempts, fault.reason)
  const { transcriber, apiUrl, secret, workspaceId } = handing
  const path = `/transcript-events/${workspaceId}/${item.id}/${reportToken(secret, workspaceId, item.id)}`
  const handed = await transcriber.hand({ ...item, callback: new URL(path, apiUrl).href })
  switch (handed.outcome) {
    case 'accepted':
      return { status: 'transcribing', error: null, provider_request_id: handed.request_id, wait: REPORT_SECONDS }
    case 'refused':
      return failed(handed.reason)
    case 'unavailable':
      return again(attempts, handed.reason)
    case 'unclear':
      // The provider may have it. It is handed over again only if no report comes.
      return { status: 'transcribing', error: loggable(handed.reason, 300), wait: RETRY_SECONDS[1] ?? REPORT_SECONDS }
  }
}

const failed = (reason: string): HandOver => ({ status: 'failed', error: loggable(reason, 300), wait: null })
const again = (attempts: number, reason: string): HandOver =>
  attempts < MAX_HAND_OVERS ? { status: 'queued', error: loggable(reason, 300), wait: RETRY_SECONDS[attempts - 1] ?? 60 } : failed(reason)

/** Why a recording cannot be read at its address. Only the first byte is read. */
async function addressFault(url: string, outside: OutsideHttp): Promise<{ reason: string; isFinal: boolean } | undefined> {
  const response = await outside.send({ method: 'GET', url, headers: { Range: 'bytes=0-0' }, maxRead: 1 })
  if (!response.ok) return { reason: response.reason, isFinal: response.failure === 'refused' }
  const { status, headers } = response
  if (status >= 300 && status < 400)
    return { reason: `The address redirects (${status}): give the address that it leads to`, isFinal: true }
  if (status >= 500 || status === 429) return { reason: `The address answers with ${status}`, isFinal: false }
  if (status >= 400)
    return { reason: `The address answers with ${status}: anybody with the address must be able to read it`, isFinal: true }
  const type = headers['content-type'] ?? ''
  if (!AUDIO.test(type))
    return { reason: `The address has ${type || 'content without a type'}, which is neither audio nor video`, isFinal: true }
  return undefined
}
