import { Hono } from 'hono'
import * as v from 'valibot'
import { readFields } from '../../src/features/pages/plans/forms.ts'
import { cancelFromPage, moveFromPage, showBooking, showCalendarFile, showMove } from '../../src/features/scheduling/plans/booking-links.ts'
import { bookFromPage, showCompany, showEventType } from '../../src/features/scheduling/plans/booking-pages.ts'
import { confirmFromPage, showConfirmation } from '../../src/features/scheduling/plans/page-confirmations.ts'
import {
  confirmationHolder,
  failurePage,
  linkVisitor,
  pageVisitor,
  waitingHolder,
} from '../../src/features/scheduling/plans/page-visits.ts'
import { acceptFromPage, joinFromPage, leaveFromPage, showPlace } from '../../src/features/scheduling/plans/waiting-pages.ts'
import { html, raw } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery as query } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const pages = endpoints(router, { base: '', path: '/book', tag: 'Scheduling' })

const Part = SingleLine(120)
const company = v.object({ company_slug: Part })
const eventType = v.object({ company_slug: Part, event_type_slug: Part })
const link = v.object({ company_slug: Part, token: Part })

const visitor = { scopes: [], principal: pageVisitor }
const holder = { scopes: [], principal: linkVisitor }
const confirming = { scopes: [], principal: confirmationHolder }
const waiting = { scopes: [], principal: waitingHolder }
const page = html(failurePage)
const body = raw(readFields)
const limits = { body: 100_000 }

pages.get(
  '/:company_slug',
  { id: 'showBookingPage', summary: 'Show what can be booked', access: visitor, params: company, query, returns: page },
  ({ ctx, params, query }) => showCompany(ctx, params.company_slug, query),
)
pages.get(
  '/:company_slug/:event_type_slug',
  { id: 'showBookingTimes', summary: 'Show free times, or the form', access: visitor, params: eventType, query, returns: page },
  ({ ctx, params, query }) => showEventType(ctx, params, query),
)
pages.post(
  '/:company_slug/:event_type_slug',
  { id: 'bookFromPage', summary: 'Book a time', access: visitor, params: eventType, query, body, returns: page, limits },
  ({ ctx, params, body }) => (body.wait ? joinFromPage(ctx, params, body) : bookFromPage(ctx, params, body)),
)
pages.get(
  '/:company_slug/manage/:token',
  { id: 'showLinkedBooking', summary: 'Show a booking', access: holder, params: link, query, returns: page },
  ({ ctx, params, query }) => showBooking(ctx, params, query),
)
pages.get(
  '/:company_slug/manage/:token/booking.ics',
  { id: 'showBookingCalendarFile', summary: 'Get the calendar file of a booking', access: holder, params: link, query, returns: page },
  ({ params }) => showCalendarFile(params),
)
pages.post(
  '/:company_slug/manage/:token/cancel',
  { id: 'cancelFromPage', summary: 'Cancel a booking', access: holder, params: link, query, body, returns: page, limits },
  ({ ctx, params, body }) => cancelFromPage(ctx, params, body),
)
pages.get(
  '/:company_slug/manage/:token/move',
  { id: 'showMovePage', summary: 'Show other times for a booking', access: holder, params: link, query, returns: page },
  ({ ctx, params, query }) => showMove(ctx, params, query),
)
pages.post(
  '/:company_slug/manage/:token/move',
  { id: 'moveFromPage', summary: 'Move a booking', access: holder, params: link, query, body, returns: page, limits },
  ({ ctx, params, body }) => moveFromPage(ctx, params, body),
)

pages.get(
  '/:company_slug/confirm/:token',
  { id: 'showConfirmation', summary: 'Show a time that is held', access: confirming, params: link, query, returns: page },
  ({ ctx, params, query }) => showConfirmation(ctx, params, query),
)
pages.post(
  '/:company_slug/confirm/:token',
  { id: 'confirmFromPage', summary: 'Book a time that is held', access: confirming, params: link, query, body, returns: page, limits },
  ({ ctx, params, body }) => confirmFromPage(ctx, params, body),
)

pages.get(
  '/:company_slug/waiting/:token',
  { id: 'showPlaceInLine', summary: 'Show a place on a waiting list', access: waiting, params: link, query, returns: page },
  ({ ctx, params, query }) => showPlace(ctx, params, query),
)
pages.post(
  '/:company_slug/waiting/:token/accept',
  { id: 'acceptFromPage', summary: 'Take a seat that is offered', access: waiting, params: link, query, body, returns: page, limits },
  ({ ctx, params, body }) => acceptFromPage(ctx, params, body),
)
pages.post(
  '/:company_slug/waiting/:token/leave',
  { id: 'leaveFromPage', summary: 'Leave a waiting list', access: waiting, params: link, query, body, returns: page, limits },
  ({ ctx, params, body }) => leaveFromPage(ctx, params, body),
)

/** The pages for people who book. They are not documented among the endpoints, because people reach them by links. */
export const bookingPages = new Hono<App>().route('/book', router)
