import { loggable } from '../../../lib/text.ts'
import { GrantEnded, refuseAlone } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { CalendarProvider, EventOrder, WrittenEvent } from '../provider/port.ts'
import {
  afterFailure,
  afterWriting,
  type ClaimedCopy,
  type CopiedBooking,
  type CopyOutcome,
  copyTask,
  copyText,
  hasMeeting,
} from '../rules/copies.ts'
import { type CalendarAccess, withToken } from './grants.ts'

/** The next call of the provider for a copy of a booking, and what it means. Never throws. */
export async function copyBooking(access: CalendarAccess, workspaceId: string, copy: ClaimedCopy): Promise<CopyOutcome> {
  try {
    return await carryOut(access, workspaceId, copy)
  } catch (error) {
    const reason = loggable(error instanceof Error ? error.message : String(error), 500)
    if (error instanceof GrantEnded) return { state: 'not_connected', error: reason, failed: true }
    if (error instanceof AccountFailure) return afterFailure(copy, reason, error.retryAfter, error.reason === 'refused')
    return afterFailure(copy, reason, null, false)
  }
}

async function carryOut(access: CalendarAccess, workspace_id: string, copy: ClaimedCopy): Promise<CopyOutcome> {
  const task = copyTask(copy)
  const { calendar, booking } = copy
  if (task === 'drop') return { removed: true }
  if (task === 'wait_for_connection' || !calendar) return { state: 'not_connected', failed: true, error: 'The account is not connected' }
  const { connection_id, provider } = calendar
  const call = async (calendars: CalendarProvider, token: string): Promise<CopyOutcome> => {
    if (task === 'remove') return remove(calendars, token, calendar.id, copy)
    const current = booking as CopiedBooking
    if (task === 'look') {
      const found = await calendars.get(token, calendar.id, copy.outside_id ?? copy.event_id)
      return found ? afterWriting(copy, stored(found, current)) : {}
    }
    return afterWriting(copy, stored(await write(calendars, token, calendar.id, copy, orderOf(copy, current)), current))
  }
  const connection = { workspace_id, connection_id, provider }
  return withToken(access, connection, ({ calendars }, token) => call(calendars, token).catch(refuseAlone))
}

/** An event that is gone is created again: whether it was deleted outside is decided when the changes of the calendar are read. */
async function write(provider: CalendarProvider, token: string, calendarId: string, { outside_id }: ClaimedCopy, order: EventOrder) {
  if (outside_id === null) return provider.insert(token, calendarId, order)
  try {
    return await provider.update(token, calendarId, outside_id, order)
  } catch (error) {
    if (error instanceof AccountFailure && error.reason === 'not_found') return provider.insert(token, calendarId, order)
    throw error
  }
}

/** Without the provider's id it is unclear whether there is an event: the insert finds it, or creates the one that is removed. */
async function remove(provider: CalendarProvider, token: string, calendarId: string, copy: ClaimedCopy): Promise<CopyOutcome> {
  const { outside_id, booking } = copy
  const id = outside_id ?? (booking && (await provider.insert(token, calendarId, { ...orderOf(copy, booking), with_meeting: false })).id)
  await provider.remove(token, calendarId, id ?? copy.event_id)
  return { removed: true }
}

const orderOf = (copy: ClaimedCopy, booking: CopiedBooking): EventOrder => ({
  ...copyText(copy, booking),
  event_id: copy.event_id,
  booking_id: booking.id,
  attendees: [],
  with_meeting: hasMeeting(copy, booking),
  starts_at: booking.starts_at,
  ends_at: booking.ends_at,
  timezone: booking.timezone,
})

const stored = ({ id, version, meeting, meet_link }: WrittenEvent, { starts_at, ends_at }: CopiedBooking) => ({
  outside_id: id,
  outside_version: version,
  meeting,
  meet_link,
  written_starts_at: starts_at,
  written_ends_at: ends_at,
})
