import type { Kind } from '../../../../queues/work/kind.ts'
import { calendarAccessOf, calendarNotificationsOf } from '../plans/access.ts'
import { CALENDAR_LEASE, type ClaimedCalendar, syncCalendar } from '../plans/sync.ts'

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
