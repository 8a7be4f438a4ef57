import * as v from 'valibot'
import { eventTypeNotices, previewNotice } from '../../src/features/scheduling/plans/notice-settings.ts'
import { listNotices, resendNotice } from '../../src/features/scheduling/plans/notices.ts'
import { BookingNotice, EventTypeNotices, NoticePreview, NoticeToPreview } from '../../src/features/scheduling/schemas/booking-notices.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { bookingsApi, params } from './bookings.ts'
import { scheduledEventTypesApi } from './event-types.ts'

bookingsApi.get(
  '/:booking_id/notices',
  {
    id: 'listBookingNotices',
    summary: 'List the notices of a booking',
    description:
      'Each recipient and channel has a notice of its own, in the order in which they are due. ' +
      'Reminders are checked when they are sent: a booking that was cancelled or moved has none.',
    access: scopes('company:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(BookingNotice),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listNotices(params.booking_id, query),
)
bookingsApi.post(
  '/:booking_id/notices/:notice_id/resend',
  {
    id: 'resendBookingNotice',
    summary: 'Send a notice of a booking again',
    description:
      'Creates another notice to the same recipient, up to five times. The notice must have ended, and must still be true of the booking.',
    access: scopes('scheduling:write'),
    params: v.object({ ...params.entries, notice_id: Id }),
    returns: created(BookingNotice),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => resendNotice(ctx, params.booking_id, params.notice_id),
)

const ofEventType = v.object({ event_type_id: Id })
scheduledEventTypesApi.get(
  '/:event_type_id/notices',
  {
    id: 'getScheduledEventTypeNotices',
    summary: 'Get the notices of an event type',
    description:
      'Every kind of notice with its settings and texts, the defaults included. They are set by updating `notices` of the event type.',
    access: scopes('scheduling:read'),
    params: ofEventType,
    returns: one(EventTypeNotices),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => eventTypeNotices(params.event_type_id),
)
scheduledEventTypesApi.post(
  '/:event_type_id/notices/preview',
  {
    id: 'previewBookingNotice',
    summary: 'Preview a notice of an event type',
    description:
      'Renders a notice for a booking, or for a made-up one, with the texts of the event type or those that are sent. ' +
      'Nothing is sent to anybody.',
    access: scopes('scheduling:read', 'company:read'),
    effect: 'read',
    params: ofEventType,
    body: NoticeToPreview,
    returns: NoticePreview,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => previewNotice(ctx, params.event_type_id, body),
)
