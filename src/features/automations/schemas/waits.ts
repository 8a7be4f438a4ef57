import * as v from 'valibot'
import { faultInEventTypes } from '../../../domain/events.ts'
import { describe, Enum, Integer } from '../../../schemas/fields.ts'
import { MAX_WAIT_DAYS, minutesOf, UNITS } from '../rules/waits.ts'

export const TimeOfDay = v.pipe(v.string(), v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, HH:MM'), v.examples(['09:00']))
export const Duration = v.pipe(
  v.strictObject({ amount: Integer(1, 600_000), unit: Enum(UNITS, 'The unit of time.') }, 'must be a duration: amount and unit'),
  v.check((duration) => minutesOf(duration) <= MAX_WAIT_DAYS * 1440, `must be at most ${MAX_WAIT_DAYS} days`),
  v.examples([{ amount: 2, unit: 'days' }]),
)
const AwaitedType = v.pipe(
  v.string('must be an event type, such as task.completed'),
  v.maxLength(80),
  v.check(
    (name) => faultInEventTypes(name) === undefined,
    ({ input }) => faultInEventTypes(String(input)) ?? '',
  ),
  v.description('An event type, or `task.*` for all of a kind: see GET /event-types.'),
  v.examples(['task.completed']),
)
export const TimeWindow = v.strictObject({
  days: v.optional(
    v.pipe(
      v.array(Integer(0, 6), 'must be a list of days'),
      v.minLength(1),
      v.maxLength(7),
      v.description('Days of the week, 0 is Sunday. All by default.'),
      v.examples([[1, 2, 3, 4, 5]]),
    ),
  ),
  from: describe(TimeOfDay, 'The beginning of the window on each of the days.', '09:00'),
  to: describe(TimeOfDay, 'The end of the window.', '17:00'),
})
/** The event for which a step waits. */
export const AwaitedEvent = v.optional(
  v.strictObject({
    type: v.optional(AwaitedType),
    types: v.optional(
      describe(
        v.pipe(
          v.array(AwaitedType, 'must be a list of event types'),
          v.minLength(1, 'Send at least one'),
          v.maxLength(20, 'must be at most 20'),
        ),
        'Several event types, of which the first to come ends the wait. Send either type or types.',
        ['email.received', 'sms.received'],
      ),
    ),
    where: v.optional(
      v.pipe(
        v.record(v.string(), v.unknown(), 'must be a condition: an object'),
        v.description('A condition over the event, as the trigger `event` takes it. Its values may be templates.'),
        v.examples([{ field: 'entity_id', op: 'eq', value: '{{ steps.mail.id }}' }]),
      ),
    ),
    timeout: describe(Duration, 'How long to wait for it.'),
  }),
)
