import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer } from '../../../schemas/fields.ts'
import { MOST_OCCURRENCES } from '../rules/limits.ts'
import { PROOF_INPUTS } from '../rules/proofs.ts'
import { FREQUENCIES, UNAVAILABLE_MODES } from '../rules/series.ts'
import { CHECKS } from '../rules/slots.ts'
import { Booking, NewBooking, RuleCheck } from './bookings.ts'

const whole = v.pipe(v.number(), v.integer())

export const NewSeries = v.strictObject({
  ...NewBooking.entries,
  frequency: Enum(FREQUENCIES, 'How often it recurs, at the same local time. A month without the day has it on its last day.'),
  interval: v.optional(describe(Integer(1, 12), 'Every how many days, weeks or months. Defaults to 1.', 1), 1),
  count: describe(Integer(2, MOST_OCCURRENCES), 'How many times it takes place, within a year.', 4),
  on_unavailable: v.optional(
    Enum(UNAVAILABLE_MODES, 'If a time is not free: `fail` books none of them, `skip` leaves it out and reports it. Defaults to fail.'),
    'fail',
  ),
})
export type NewSeries = v.InferOutput<typeof NewSeries>

const SkippedOccurrence = v.object({
  key: v.pipe(v.string(), v.description('The start on the wall clock.'), v.examples(['2026-12-08 09:30'])),
  starts_at: v.pipe(v.nullable(InstantOut), v.description('Null for a time that the clocks skip.')),
  failed: v.pipe(v.array(v.picklist(CHECKS)), v.description('The rules that the time does not pass.')),
})
export type SkippedOccurrence = v.InferOutput<typeof SkippedOccurrence>
export const BookingSeries = named(
  'BookingSeries',
  v.object({
    series_id: Id,
    bookings: v.pipe(v.array(Booking), v.description('The bookings, in the order of their start.')),
    skipped: v.pipe(v.array(SkippedOccurrence), v.description('The occurrences that were left out.')),
  }),
)
export type BookingSeries = v.InferOutput<typeof BookingSeries>

const ProofInputOut = v.object({
  input: v.pipe(v.picklist(PROOF_INPUTS), v.description('What it was decided by.')),
  id: v.nullable(Id),
  host_id: v.nullable(Id),
  version: v.nullable(whole),
  changed_at: v.nullable(InstantOut),
  read_at: v.pipe(v.nullable(InstantOut), v.description('When it was read from its source. Null if there is none, such as no calendar.')),
  age_seconds: v.pipe(v.nullable(whole), v.description('How old it was when the time was claimed, in seconds.')),
})
export const BookingProof = named(
  'BookingProof',
  v.object({
    booking_id: Id,
    decided_at: v.pipe(
      v.nullable(InstantOut),
      v.description('When the time was claimed, last by a change of the host. Null for older bookings.'),
    ),
    checks: v.array(RuleCheck),
    inputs: v.pipe(v.array(ProofInputOut), v.description('What the checks were decided by.')),
  }),
)
export type BookingProof = v.InferOutput<typeof BookingProof>

export const MovedTimes = named(
  'MovedTimes',
  v.object({
    bookings: v.pipe(
      v.array(
        v.object({
          id: Id,
          starts_at: InstantOut,
          timezone: v.string(),
          wall_start: v.pipe(
            v.string(),
            v.description('The start on the wall clock when it was booked.'),
            v.examples(['2026-12-01 09:30']),
          ),
          wall_now: v.pipe(
            v.string(),
            v.description('The start on the wall clock by the present rules.'),
            v.examples(['2026-12-01 10:30']),
          ),
          host_id: Id,
          contact_id: v.nullable(Id),
        }),
      ),
      v.description('The bookings whose local time differs.'),
    ),
    compared: v.pipe(whole, v.description('How many bookings were compared.')),
    next_starts_after: v.pipe(v.nullable(InstantOut), v.description('The `starts_after` that continues. Null if all were compared.')),
  }),
)
export type MovedTimes = v.InferOutput<typeof MovedTimes>
