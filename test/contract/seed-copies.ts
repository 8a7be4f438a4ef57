import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

/** The functions for the copies of bookings, as JOBS of the test of roles. */
export const COPY_JOBS = [
  ...['cancel_with_event', 'flag_copy', 'has_booking_copies_due', 'keep_copied_event', 'missing_copies'],
  ...['other_calendars', 'outside_changes'],
]

/** The copy of a booking in a calendar that is no longer connected. */
export async function addCopy(app: Harness, ws: TestWorkspace, bookingId: string): Promise<void> {
  await app.owner.query(
    `insert into booking_copies (workspace_id, booking_id, host_id, state, event_id, due_at)
      select b.workspace_id, b.id, b.host_id, 'not_connected', 'event-of-the-copy', null from bookings b
        where b.workspace_id = $1 and b.id = $2`,
    [ws.id, bookingId],
  )
}
