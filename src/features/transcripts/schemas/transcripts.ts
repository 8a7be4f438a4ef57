import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, SingleLine } from '../../../schemas/fields.ts'
import { AUDIO_TRANSCRIPT_STATUSES } from '../rules/transcripts.ts'

const LANGUAGE = /^[a-z]{2,3}(-[A-Z]{2}|-[A-Z][a-z]{3}|-419)?$/
export const NewTranscript = v.strictObject({
  audio_url: describe(
    SingleLine(2000),
    'The https address of the recording: audio or video that anybody with the address can read until it is transcribed.',
    'https://files.example.com/calls/2026-11-20.mp3',
  ),
  contact_id: v.optional(v.nullable(describe(Id, 'The contact in the recording, whose timeline gets the transcript.'))),
  opportunity_id: v.optional(v.nullable(describe(Id, 'The opportunity that it is about, whose timeline gets the transcript.'))),
  language: v.optional(
    v.nullable(
      v.pipe(
        v.string('must be text'),
        v.regex(LANGUAGE, 'must be a language such as en, en-AU or de'),
        v.description('The language. By default it is detected.'),
        v.examples(['en-AU']),
      ),
    ),
  ),
})
export type NewTranscript = v.InferOutput<typeof NewTranscript>

const whole = (description: string, example: number) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
const number = (description: string, example: number) => v.pipe(v.number(), v.description(description), v.examples([example]))
const text = (description: string, example: string) => v.pipe(v.string(), v.description(description), v.examples([example]))
const reference = (description: string) => v.pipe(v.nullable(Id), v.description(description))
const seconds = number('Seconds since the recording began.', 12.4)

const transcript = {
  id: Id,
  audio_url: v.string(),
  contact_id: reference('The contact in the recording.'),
  opportunity_id: reference('The opportunity that it is about.'),
  language: v.pipe(v.nullable(v.string()), v.description('The language; null until it is detected.'), v.examples(['en-AU'])),
  status: v.pipe(
    v.picklist(AUDIO_TRANSCRIPT_STATUSES),
    v.description('`queued` until the address was looked at; `transcribing` until the provider has reported; `failed`: see error.'),
  ),
  error: v.pipe(v.nullable(v.string()), v.description('Why it has failed, or why the latest attempt had no success.'), v.examples([null])),
  duration_seconds: v.pipe(v.nullable(v.number()), v.description('How long the recording is; null until it is known.'), v.examples([84.2])),
  credits: whole('What it costs: 23 credits for each minute; one that has begun counts.', 46),
  credits_charged: whole(
    'How much of it was charged. What the balance did not cover is charged when the next transcript is requested.',
    46,
  ),
  is_truncated: v.pipe(v.boolean(), v.description('Whether more was said than what is kept.')),
  activity_id: reference('The activity on the timeline that has the transcript.'),
  ...timestamps,
}
export const Transcript = named('Transcript', v.object(transcript))
export type Transcript = v.InferOutput<typeof Transcript>
export const TranscriptDetails = named(
  'TranscriptDetails',
  v.object({
    ...transcript,
    entries: v.pipe(
      v.nullable(v.array(v.object({ speaker: v.string(), started_seconds: seconds, ended_seconds: seconds, text: v.string() }))),
      v.description('What was said, by speaker. Null until it is there.'),
    ),
  }),
)
export type TranscriptDetails = v.InferOutput<typeof TranscriptDetails>
export const transcriptFilters = {
  contact_id: v.optional(describe(Id, 'Recordings with this contact.')),
  opportunity_id: v.optional(describe(Id, 'Recordings about this opportunity.')),
  status: v.optional(Enum(AUDIO_TRANSCRIPT_STATUSES, 'The status.')),
}

const quote = {
  speaker: v.string(),
  at_seconds: seconds,
  quote: text('A part of what was said, at most 300 characters.', 'When can you come?'),
}
export const TranscriptCoaching = named(
  'TranscriptCoaching',
  v.object({
    transcript_id: v.pipe(Id, v.description('The transcript.')),
    speakers: v.pipe(
      v.array(
        v.object({
          speaker: v.string(),
          talk_seconds: number('How long the speaker speaks, in seconds.', 41.5),
          talk_ratio: number('The share of the time in which somebody speaks.', 0.62),
          words: whole('How many words.', 120),
          words_per_minute: whole('How fast the speaker speaks.', 150),
          questions: whole('How many questions the speaker asks.', 3),
          interruptions: whole('How often the speaker interrupts the other.', 1),
          longest_monologue_seconds: number('The longest time without another speaker, in seconds.', 22.1),
        }),
      ),
      v.description('The speakers in the order in which they first speak.'),
    ),
    longest_monologue: v.pipe(
      v.nullable(v.object({ ...quote, seconds: number('How long it lasts.', 22.1) })),
      v.description('The longest time in which one speaker speaks; null if nothing was said.'),
    ),
    questions: v.pipe(v.array(v.object(quote)), v.description('The first 50 questions.')),
    interruptions: v.pipe(
      v.array(v.object({ ...quote, interrupted: text('Who was interrupted.', 'Speaker 2') })),
      v.description('The first 50 times that somebody begins at least 0.3 seconds before the other has ended.'),
    ),
    silence_seconds: number('How long nobody speaks between the first and the last word, in seconds.', 4.2),
  }),
)
export type TranscriptCoaching = v.InferOutput<typeof TranscriptCoaching>
export const CoachingQuery = v.strictObject({ transcript_id: describe(Id, 'The transcript (GET /transcripts).') })
