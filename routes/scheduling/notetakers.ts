import { endNotetaker, getNotetaker, requestNotetaker } from '../../src/features/notetakers/plans/notetakers.ts'
import { Notetaker, NotetakerDetail, NotetakerRecord } from '../../src/features/notetakers/schemas/notetakers.ts'
import { added, one, scopes } from '../../src/http/modes.ts'
import { bookingsApi, params } from './bookings.ts'

bookingsApi.post(
  '/:booking_id/notetaker',
  {
    id: 'requestNotetaker',
    summary: 'Attach a notetaker to a booking',
    description:
      'A bot joins the meeting 60 seconds before it starts, records it, and writes its transcript with speakers to the timelines of ' +
      'the opportunity and the contact. It needs `notetaker_enabled` in the settings, a meeting link, and credits for the planned ' +
      'duration; 23 credits for each recorded minute are charged when the recording has ended. ' +
      'It follows the booking when that is moved or cancelled. Repeated, it returns the notetaker that the booking has.',
    access: scopes('company:write'),
    params,
    returns: added(Notetaker),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'INSUFFICIENT_CREDITS', 'CHANNEL_NOT_CONFIGURED', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => requestNotetaker(ctx, params.booking_id),
)
bookingsApi.get(
  '/:booking_id/notetaker',
  {
    id: 'getNotetaker',
    summary: 'Get the notetaker of a booking',
    description: 'Its state, what it has recorded and what that costs, and the transcript.',
    access: scopes('company:read'),
    params,
    returns: one(NotetakerDetail),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getNotetaker(params.booking_id),
)
bookingsApi.delete(
  '/:booking_id/notetaker',
  {
    id: 'removeNotetaker',
    summary: 'Remove the notetaker of a booking',
    description:
      'Before it records, it is cancelled and costs nothing. A bot that is recording leaves the meeting, and its recording ' +
      'is charged and transcribed.',
    access: scopes('company:write'),
    params,
    returns: NotetakerRecord,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => endNotetaker(ctx, params.booking_id),
)
