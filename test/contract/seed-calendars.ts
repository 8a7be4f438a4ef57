import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { ACCOUNT_JOBS } from './seed-gmail.ts'
import { WAITING_JOBS } from './waiting-values.ts'

export const CALENDAR_KEYS: Record<string, string> = {
  booking_copies_host_key: 'a copy that is planned already is changed, by a trigger',
  calendar_connections_account_key: 'an account that is connected is connected again',
  grant_requests_state_key: 'a hash of random bytes',
  account_grants_connection_key: 'the grant of a connection is replaced',
  connection_calendars_channel_key: 'a random id',
  connection_calendars_next_channel_key: 'a random id',
  connection_calendars_outside_key: 'a calendar that is known is updated',
  connection_calendars_write_key: 'the choice takes the place of the one before',
}

/** Where the emulated Google has a calendar that is read by its address. */
export const calendarIds = (app: Harness): Ids => ({ feed_url: `${app.google.url}/calendar/ical/host@example.com/public/basic.ics` })

export const CALENDAR_OVER = {
  'POST /calendar-connections': ({ feed_url }: Ids) => ({ body: { url: `${feed_url}?key=${crypto.randomUUID()}`, user_id: undefined } }),
  'POST /calendar-connections/start': () => ({ body: { user_id: undefined } }),
  'PATCH /calendar-connections/:connection_id/calendars/:calendar_id': () => ({ body: { write_to: undefined } }),
}

/** A calendar that is connected. */
export async function newConnection(ws: TestWorkspace, ids: Ids): Promise<string> {
  const { body } = await ws.post('/calendar-connections', { provider: 'ics', url: `${ids.feed_url}?key=${crypto.randomUUID()}` })
  if (!body.data) throw new Error(JSON.stringify(body))
  return body.data.id
}

/** The calendar of the connection. */
export async function addCalendars(_app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  ids.connection_id ??= await newConnection(ws, ids)
  const { body } = await ws.get(`/calendar-connections/${ids.connection_id}/calendars`)
  ids.connection_calendar_id = body.data[0].id
}

/** The functions for the background, as in the list of all of them (roles.test.ts). */
export const CALENDAR_JOBS = [
  ...ACCOUNT_JOBS,
  ...WAITING_JOBS,
  'begin_calendar_channel',
  'drop_calendar_channel',
  'finish_calendar_grant',
  'mark_stale_calendars',
  'notify_calendar',
  'refresh_connection_calendars',
  'settle_calendar_channel',
  'store_calendar_page',
]
