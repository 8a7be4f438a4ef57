import * as v from 'valibot'
import { cutText } from '../../../lib/text.ts'
import type { Reported } from '../rules/reports.ts'

/** `url`: https://api.deepgram.com, or a service with the same API. */
export type Options = { url: string; key: string; timeoutMs?: number }
/** `language` null: it is detected. `callback`: where the result is reported to. */
export type Recording = { audio_url: string; language: string | null; callback: string }
/** `refused`: repeating it changes nothing. `unclear`: the provider may have it, and report. */
export type HandedOver = { outcome: 'accepted'; request_id: string } | { outcome: 'refused' | 'unavailable' | 'unclear'; reason: string }

export type Transcriber = {
  /** Hands a recording over, whose transcript is reported to the callback. Never throws. */
  hand(recording: Recording): Promise<HandedOver>
}

const Accepted = v.object({ request_id: v.pipe(v.string(), v.minLength(1), v.maxLength(200)) })
const Failure = v.object({ err_msg: v.optional(v.nullable(v.string())), reason: v.optional(v.nullable(v.string())) })

/**
 * A client for the transcription of recordings by Deepgram (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded).
 */
export function deepgram({ url, key, timeoutMs = 15_000 }: Options): Transcriber {
  return {
    async hand({ audio_url, language, callback }) {
      const query = new URLSearchParams({
        model: 'nova-3',
        diarize: 'true',
        smart_format: 'true',
        utterances: 'true',
        ...(language ? { language } : { detect_language: 'true' }),
        callback,
      })
      try {
        const response = await fetch(`${url}/v1/listen?${query}`, {
          method: 'POST',
          headers: { Authorization: `Token ${key}`, 'Content-Type': 'application/json', Accept: 'application/json' },
          body: JSON.stringify({ url: audio_url }),
          signal: AbortSignal.timeout(timeoutMs),
        })
        const reply: unknown = await response.json().catch(() => undefined)
        const accepted = v.safeParse(Accepted, reply)
        if (response.ok && accepted.success) return { outcome: 'accepted', ...accepted.output }
        return { outcome: outcomeOf(response.status), reason: reasonOf(response.status, reply) }
      } catch (error) {
        return { outcome: 'unclear', reason: `The provider of transcripts does not answer: ${String(error)}` }
      }
    },
  }
}

function outcomeOf(status: number): 'refused' | 'unavailable' | 'unclear' {
  if ([401, 402, 403, 408, 429].includes(status)) return 'unavailable'
  return status >= 400 && status < 500 ? 'refused' : 'unclear'
}

function reasonOf(status: number, reply: unknown): string {
  const failure = v.safeParse(Failure, reply)
  const text = failure.success ? (failure.output.err_msg ?? failure.output.reason) : undefined
  return `The provider of transcripts answers with ${status}${text ? `: ${text}` : ''}`
}

const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(1_000_000))
const Result = v.object({
  metadata: v.object({ duration: seconds }),
  results: v.object({
    channels: v.optional(v.nullable(v.array(v.object({ detected_language: v.optional(v.nullable(v.string())) })))),
    utterances: v.optional(
      v.pipe(
        v.array(
          v.object({
            start: seconds,
            end: seconds,
            speaker: v.optional(v.nullable(v.pipe(v.number(), v.integer())), 0),
            transcript: v.string(),
          }),
        ),
        v.maxLength(100_000),
      ),
      [],
    ),
  }),
})
/** What the provider reports about a recording, in the form of its results or of its errors; undefined for any other form. */
export function reportedTranscript(body: unknown): Reported | undefined {
  const result = v.safeParse(Result, body)
  if (result.success) {
    const { metadata, results } = result.output
    const utterances = results.utterances.map(({ start, end, speaker, transcript }) => ({
      speaker: speaker ?? 0,
      started: start,
      ended: end,
      text: transcript,
    }))
    const language = results.channels?.[0]?.detected_language?.slice(0, 20) ?? null
    return { outcome: 'done', duration_seconds: metadata.duration, language, utterances }
  }
  const failure = v.safeParse(v.object({ err_code: v.string(), err_msg: v.optional(v.nullable(v.string())) }), body)
  if (!failure.success) return undefined
  return { outcome: 'failed', reason: cutText(`${failure.output.err_code}: ${failure.output.err_msg ?? ''}`, 300) }
}
