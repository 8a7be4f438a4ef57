import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { loggable } from '../../../lib/text.ts'
import { GrantEnded } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { type CalendarAccess, type ConnectionRef, withToken } from './grants.ts'
import { storable } from './store.ts'

/**
 * Reads which calendars an account has, and stores them. Returns why the provider could not be asked; null if it was, or if the grant has
 * ended, which the connection shows.
 */
export async function checkCalendars(access: CalendarAccess, connection: ConnectionRef): Promise<string | null> {
  const { workspace_id, connection_id } = connection
  try {
    const listed = await withToken(access, connection, ({ calendars }, token) => calendars.calendars(token))
    await batch(access.database, [call('refresh_connection_calendars', workspace_id, connection_id, JSON.stringify(storable(listed)))])
    return null
  } catch (error) {
    if (error instanceof GrantEnded) return null
    if (error instanceof AccountFailure) return loggable(error.message, 300)
    throw error
  }
}
