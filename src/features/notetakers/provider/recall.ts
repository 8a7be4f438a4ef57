import * as v from 'valibot'
import type { SpokenPart } from '../rules/transcript.ts'
import type { Bot, BotOrder, Creation, NotetakerProvider } from './port.ts'

/** `url`: https://us-east-1.recall.ai or that of another region, or a service with the same API. */
export type Options = { url: string; key: string; timeoutMs?: number }

const text = v.optional(v.nullable(v.string()), null)
const Recording = v.object({
  id: v.string(),
  started_at: text,
  completed_at: text,
  media_shortcuts: v.optional(
    v.nullable(
      v.object({
        transcript: v.optional(
          v.nullable(
            v.object({
              status: v.optional(v.nullable(v.object({ code: v.string() }))),
              data: v.optional(v.nullable(v.object({ download_url: text }))),
            }),
          ),
        ),
      }),
    ),
  ),
})
const BotReply = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)),
  metadata: v.optional(v.nullable(v.record(v.string(), v.unknown())), {}),
  status_changes: v.optional(v.array(v.object({ code: v.string(), sub_code: text, created_at: v.string() })), []),
  recordings: v.optional(v.array(Recording), []),
})
const BotList = v.object({ results: v.array(BotReply) })
const Participant = v.object({ id: v.union([v.number(), v.string()]), name: text, is_host: v.optional(v.nullable(v.boolean()), false) })
const At = v.optional(v.nullable(v.object({ relative: v.optional(v.nullable(v.number()), null) })), null)
const TranscriptReply = v.array(
  v.object({
    participant: Participant,
    words: v.array(v.object({ text: v.string(), start_timestamp: At, end_timestamp: At })),
  }),
)

const BOT_NAME = 'Notetaker'
const MAX_RECORDINGS = 20
const MAX_TRANSCRIPT = 20_000_000
/** A download is larger than other responses. */
const DOWNLOAD_FACTOR = 3
/** The bot leaves when nobody lets it in, nobody comes, or everybody has left. In seconds. */
const LEAVE = { waiting_room_timeout: 600, noone_joined_timeout: 600, everyone_left_timeout: { timeout: 30 } }

/** A client for the bots of Recall.ai (https://docs.recall.ai/reference). */
export function recall({ url, key, timeoutMs = 10_000 }: Options): NotetakerProvider {
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        Accept: 'application/json',
        Authorization: `Token ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
  const botPath = (id: string) => `/bot/${encodeURIComponent(id)}/`

  return {
    async create(order): Promise<Creation> {
      try {
        const response = await ask('POST', '/bot/', orderOf(order))
        const reply: unknown = await response.json().catch(() => undefined)
        const created = v.safeParse(BotReply, reply)
        if (response.status === 201 && created.success) return { outcome: 'created', bot: botOf(created.output) }
        return { outcome: outcomeOf(response.status), reason: reasonOf(response.status, reply) } as Creation
      } catch (error) {
        return { outcome: 'unclear', reason: String(error) }
      }
    },
    async find(notetakerId) {
      const response = await ask('GET', `/bot/?metadata__notetaker_id=${encodeURIComponent(notetakerId)}`)
      const { results } = v.parse(BotList, await jsonOf(response))
      // The filter is the provider's: what it returned is compared, so that nobody else's bot is taken for this one.
      return results.filter(({ metadata }) => metadata?.notetaker_id === notetakerId).map(botOf)
    },
    async get(id) {
      const response = await ask('GET', botPath(id))
      return response.status === 404 ? undefined : botOf(v.parse(BotReply, await jsonOf(response)))
    },
    async update(id, order) {
      const response = await ask('PATCH', botPath(id), orderOf(order))
      if (response.ok) return 'updated'
      if (TOO_LATE.includes(response.status)) return 'too_late'
      throw failure(response)
    },
    async remove(id) {
      const response = await ask('DELETE', botPath(id))
      if (response.ok || response.status === 404) return 'removed'
      if (TOO_LATE.includes(response.status)) return 'too_late'
      throw failure(response)
    },
    async leave(id) {
      const response = await ask('POST', `${botPath(id)}leave_call/`, {})
      if (!response.ok && !TOO_LATE.includes(response.status)) throw failure(response)
    },
    async transcript(address) {
      // The address is signed and needs no key, which the storage must not see.
      const response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs * DOWNLOAD_FACTOR) })
      if (!response.ok) throw failure(response)
      if (Number(response.headers.get('content-length')) > MAX_TRANSCRIPT) throw new Error('The transcript is too large')
      const parts = v.parse(TranscriptReply, await response.json())
      return parts.map(partOf)
    },
  }
}

/** Statuses of a bot that has joined, is joining, or is not there. */
const TOO_LATE = [400, 404, 405, 409]

function orderOf({ workspace_id, notetaker_id, meeting_url, join_at, ordered_join_at, limit_seconds }: BotOrder) {
  return {
    meeting_url,
    bot_name: BOT_NAME,
    ...(join_at !== null && { join_at }),
    recording_config: { transcript: { provider: { recallai_streaming: {} } } },
    automatic_leave: { ...LEAVE, in_call_recording_timeout: limit_seconds },
    metadata: { workspace_id, notetaker_id, join_at: ordered_join_at, meeting_url },
  }
}

function botOf({ id, metadata, status_changes, recordings }: v.InferOutput<typeof BotReply>): Bot {
  const orderedOf = (name: string) => (typeof metadata?.[name] === 'string' ? metadata[name] : null)
  return {
    id,
    join_at: orderedOf('join_at'),
    meeting_url: orderedOf('meeting_url'),
    statuses: status_changes.map(({ code, sub_code, created_at }) => ({ code, sub_code, at: created_at })),
    recordings: recordings.slice(0, MAX_RECORDINGS).map(({ id, started_at, completed_at, media_shortcuts }) => {
      const transcript = media_shortcuts?.transcript
      const url = transcript?.data?.download_url ?? null
      return { id, started_at, completed_at, transcript: transcript ? { status: statusOf(transcript.status?.code, url), url } : null }
    }),
  }
}

const statusOf = (code: string | undefined, url: string | null) =>
  code === 'failed' ? 'failed' : code === 'done' && url ? 'done' : 'processing'

function partOf({ participant, words }: v.InferOutput<typeof TranscriptReply>[number]): SpokenPart {
  return {
    participant_id: String(participant.id),
    name: participant.name,
    is_host: participant.is_host === true,
    words: words.map(({ text, start_timestamp, end_timestamp }) => {
      const started = start_timestamp?.relative ?? 0
      return { text, started, ended: end_timestamp?.relative ?? started }
    }),
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  if (!response.ok) throw failure(response)
  return response.json()
}
const failure = ({ status }: Response) => new Error(`The provider of notetakers answers with ${status}`)

/** 507: all bots are in use. 401, 403 and 429 concern the account, and other statuses of 4xx the order. */
function outcomeOf(status: number): 'refused' | 'busy' | 'unavailable' | 'unclear' {
  if (status === 507) return 'busy'
  if (status >= 500 || status < 300) return 'unclear'
  return [400, 422].includes(status) ? 'refused' : 'unavailable'
}

function reasonOf(status: number, reply: unknown): string {
  const detail = reply === undefined ? '' : JSON.stringify(reply)
  return `The provider of notetakers answers with ${status} ${detail.slice(0, 300).toWellFormed()}`.trim()
}
