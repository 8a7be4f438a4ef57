import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { NOTETAKER_STATES, TRANSCRIPT_STATUSES } from '../rules/states.ts'

const whole = (description: string, example: number) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([example]))
const at = (description: string) => v.pipe(v.nullable(InstantOut), v.description(description))

const notetaker = {
  id: Id,
  booking_id: v.pipe(v.nullable(Id), v.description('The booking whose meeting is recorded. Null when the booking was purged.')),
  state: v.pipe(
    v.picklist(NOTETAKER_STATES),
    v.description('`requested` until the provider has a bot for it. `done`: the recording has ended and was charged.'),
  ),
  meeting_url: v.string(),
  join_at: v.pipe(InstantOut, v.description('When the bot joins: 60 seconds before the meeting starts.')),
  limit_minutes: whole('After so many minutes the recording ends: an hour more than the meeting should take.', 90),
  stop_requested_at: at('When a bot that was recording was asked to leave.'),
  recording_started_at: at('When the recording began.'),
  recording_ended_at: at('When the recording ended.'),
  recorded_minutes: whole('The recorded minutes that are charged; one that has begun counts.', 30),
  credits: whole('What the recording costs: 23 credits for each recorded minute.', 690),
  credits_charged: whole('How much of it was charged. What the balance did not cover is charged when credits are granted.', 690),
  transcript_status: v.pipe(
    v.picklist(TRANSCRIPT_STATUSES),
    v.description('`none` without a recording, or without a record to which it belongs.'),
  ),
  error: v.pipe(v.nullable(v.string()), v.description('Why the latest attempt had no success.')),
  ...timestamps,
}
export const NotetakerRecord = named('NotetakerRecord', v.object(notetaker))
export const Notetaker = named(
  'Notetaker',
  v.object({ ...notetaker, already_scheduled: v.pipe(v.boolean(), v.description('Whether the booking had it before this request.')) }),
)
export type Notetaker = v.InferOutput<typeof Notetaker>

const seconds = v.pipe(v.number(), v.description('Seconds since the recording began.'), v.examples([12.4]))
export const NotetakerDetail = named(
  'NotetakerDetail',
  v.object({
    ...notetaker,
    transcript: v.pipe(
      v.nullable(
        v.array(
          v.object({
            speaker: v.string(),
            is_host: v.pipe(v.boolean(), v.description('Whether the speaker hosts the video meeting.')),
            started_seconds: seconds,
            ended_seconds: seconds,
            text: v.string(),
          }),
        ),
      ),
      v.description('What was said, by speaker. Null until it is written.'),
    ),
    transcript_truncated: v.pipe(v.boolean(), v.description('Whether the transcript was longer than what is kept.')),
    activity_id: v.pipe(v.nullable(Id), v.description('The activity on the timeline that has the transcript.')),
  }),
)
export type NotetakerDetail = v.InferOutput<typeof NotetakerDetail>
