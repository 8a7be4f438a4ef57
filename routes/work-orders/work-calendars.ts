import { Hono } from 'hono'
import * as v from 'valibot'
import { portalFailure } from '../../src/features/portals/plans/pages.ts'
import { calendarReader, showCalendar } from '../../src/features/work-orders/plans/feeds.ts'
import { html } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { SingleLine } from '../../src/schemas/fields.ts'
import { visitorQuery } from '../../src/schemas/visitor-query.ts'

const router = new Hono<App>()
const calendars = endpoints(router, { base: '', path: '/work-calendar', tag: 'Work Orders' })

calendars.get(
  '/:file',
  {
    id: 'readWorkCalendar',
    summary: "Read the calendar of a member's work orders",
    access: { scopes: [], principal: calendarReader },
    params: v.object({ file: SingleLine(120) }),
    query: visitorQuery,
    returns: html(portalFailure),
  },
  ({ params }) => showCalendar(params.file),
)

/** The calendars of work orders. They are not documented among the endpoints, because programs reach them by secret addresses. */
export const workCalendars = new Hono<App>().route('/work-calendar', router)
