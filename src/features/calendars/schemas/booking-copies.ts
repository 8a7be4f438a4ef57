import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id, InstantOut } from '../../../schemas/fields.ts'
import { COPY_STATES, FLAGS, MEETING_STATES } from '../rules/copies.ts'

const text = (description: string, example: string | null = null) =>
  v.pipe(v.nullable(v.string()), v.description(description), v.examples([example]))

export const BookingCopy = named(
  'BookingCopy',
  v.object({
    id: Id,
    booking_id: v.pipe(v.nullable(Id), v.description('The booking. Null when it was purged.')),
    host_id: v.pipe(Id, v.description('The host in whose calendar it is.')),
    calendar_id: v.pipe(v.nullable(Id), v.description('The calendar. Null when it is no longer connected.')),
    state: v.pipe(
      v.picklist(COPY_STATES),
      v.description(
        '`pending`: the calendar is about to follow the booking. `retrying`: the provider has not answered, and is called again. ' +
          '`failed`: it is not called again before the booking changes. `not_connected`: the account must be connected again first.',
      ),
    ),
    outside_id: text('The id of the event at the provider, once it is known.', '4b10ac815816f925'),
    meeting: v.pipe(
      v.picklist(MEETING_STATES),
      v.description('The video meeting of the event. `pending`: the provider is still creating it.'),
    ),
    meet_link: text('The link of the video meeting of the event.', 'https://meet.google.com/abc-defg-hij'),
    flag: v.pipe(v.nullable(v.picklist(FLAGS)), v.description('Why the booking has not followed a change of the event in the calendar.')),
    flagged_at: v.nullable(InstantOut),
    error: text('Why the latest attempt had no success.'),
    attempts: v.pipe(v.number(), v.integer(), v.description('The attempts without success since the last one with it.')),
    created_at: InstantOut,
  }),
)
export type BookingCopy = v.InferOutput<typeof BookingCopy>
