import { Hono } from 'hono'
import * as v from 'valibot'
import { calendarConnections } from '../../schema/index.ts'
import { CONNECTION_STATUSES } from '../../src/features/accounts/rules/accounts.ts'
import { checkConnection, chooseCalendar, disconnect, listCalendars, resync } from '../../src/features/calendars/plans/connections.ts'
import { connectAddress, startConnection } from '../../src/features/calendars/plans/start.ts'
import { CALENDAR_PROVIDERS } from '../../src/features/calendars/rules/states.ts'
import {
  CalendarConnection,
  ChosenCalendar,
  ConnectionCalendar,
  NewAddressConnection,
  StartConnection,
  StartedConnection,
} from '../../src/features/calendars/schemas/calendars.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { describe, Enum, Id, pageQuery } from '../../src/schemas/fields.ts'
import { CALENDARS } from '../paths.ts'

export const connectionsRouter = new Hono<App>()
export const connectionsApi = endpoints(connectionsRouter, { path: CALENDARS.connections, tag: 'Calendars' })

const params = v.object({ connection_id: Id })
const ofCalendar = v.object({ connection_id: Id, calendar_id: Id })
const read = scopes('calendars:read')
const write = scopes('calendars:write')
/** What is sent or returned is secret, so these calls never wait for approval. */
const direct = { ...write, direct: true }
const OWN = 'Members see their own connections, and a client_admin those of all members.'

resource(connectionsApi, {
  name: 'calendar_connection',
  plural: 'calendar_connections',
  param: 'connection_id',
  scope: 'calendars',
  table: calendarConnections,
  returns: CalendarConnection,
  list: {
    description: OWN,
    filters: {
      user_id: v.optional(describe(Id, 'Only those of this member.')),
      provider: v.optional(Enum(CALENDAR_PROVIDERS, 'Only those at this provider.')),
      status: v.optional(Enum(CONNECTION_STATUSES, 'Only those with this status.')),
    },
  },
  get: {},
  history: true,
})
connectionsApi.post(
  '',
  {
    id: 'connectCalendarAddress',
    summary: 'Connect a calendar by its address',
    description:
      'Connects a calendar in iCalendar format, which is read and never written to. The address is read at once, so one that is no ' +
      'calendar is refused. An address that the member has connected before is connected again.',
    access: direct,
    body: NewAddressConnection,
    returns: created(CalendarConnection),
    errors: ['CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => connectAddress(ctx, body),
)
connectionsApi.post(
  '/start',
  {
    id: 'startCalendarConnection',
    summary: 'Start to connect an account with calendars',
    description:
      'Returns the address at which the member gives consent. Afterwards the account is connected: its main calendar makes the member ' +
      'unavailable, and takes the bookings unless another calendar does. ' +
      'Choose others with PATCH /calendar-connections/:connection_id/calendars/:calendar_id.',
    access: direct,
    body: StartConnection,
    returns: StartedConnection,
    errors: ['CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, body }) => startConnection(ctx, body),
)
connectionsApi.post(
  '/:connection_id/check',
  {
    id: 'checkCalendarConnection',
    summary: 'Check a calendar connection',
    description:
      'Asks the provider for the calendars of the account now. New calendars are added, and those that are gone are deleted. ' +
      'When the access has ended, the connection is returned with the status error.',
    access: direct,
    params,
    returns: CalendarConnection,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PROVIDER_ERROR'],
  },
  ({ ctx, params }) => checkConnection(ctx, params.connection_id),
)
connectionsApi.post(
  '/:connection_id/resync',
  {
    id: 'resyncCalendarConnection',
    summary: 'Read the calendars of a connection again',
    description: 'Everything is read again in the background, not only what has changed.',
    access: write,
    params,
    returns: CalendarConnection,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ ctx, params }) => resync(ctx, params.connection_id),
)
connectionsApi.delete(
  '/:connection_id',
  {
    id: 'deleteCalendarConnection',
    summary: 'Delete a calendar connection',
    description:
      'What was read from its calendars counts no longer, and the access is returned to the provider in the background. ' +
      'Until that is done it is listed with the status disconnected.',
    access: write,
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => disconnect(ctx, params.connection_id),
)
connectionsApi.get(
  '/:connection_id/calendars',
  {
    id: 'listConnectionCalendars',
    summary: 'List the calendars of a connection',
    access: read,
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(ConnectionCalendar),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listCalendars(params.connection_id, query),
)
connectionsApi.patch(
  '/:connection_id/calendars/:calendar_id',
  {
    id: 'chooseConnectionCalendar',
    summary: 'Choose what a calendar is used for',
    description: 'It is read at once. What is left out stays as it is.',
    access: write,
    params: ofCalendar,
    body: ChosenCalendar,
    returns: ConnectionCalendar,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => chooseCalendar(ctx, params.connection_id, params.calendar_id, body),
)

/** The resources of this area. */
export const apis = [connectionsApi]
