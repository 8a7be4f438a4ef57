import { calendarAccessOf, calendarNotificationsOf } from '../../src/services/calendars/access.ts'
import { CALENDAR_LEASE, type ClaimedCalendar, syncCalendar } from '../../src/services/calendars/sync.ts'
import type { Kind } from '../work/kind.ts'

/** Reads calendars into the busy times of their members: every five minutes, and when their provider has reported a change. */
export const calendarsSync: Kind<ClaimedCalendar> = {
  name: 'calendars.sync',
  queue: 'WEBHOOKS',
  table: 'connection_calendars',
  writes: ['error'],
  read: 'read_calendars',
  settle: 'conclude_calendar',
  lease: CALENDAR_LEASE,
  atOnce: 1,
  claims: 3,
  workers: 10,
  call: ({ env, workspaceId, claimId, attempts, item }) =>
    syncCalendar(calendarAccessOf(env), { ...item, workspace_id: workspaceId, claim: claimId, attempts }, calendarNotificationsOf(env)),
}
