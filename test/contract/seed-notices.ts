import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, operations } from './samples.ts'
import { addCopy } from './seed-copies.ts'
import { addWaiting } from './seed-waiting.ts'
import { sendSample } from './send.ts'

/** Records that a create endpoint needs although its path and the ids in its body do not name them. */
export const NEEDS: Record<string, string> = {
  'POST /documents': 'file_id',
  'POST /scheduling-bookings': 'event_type_id',
  'POST /scheduling-bookings/series': 'event_type_id',
  'POST /scheduling-waiting-list': 'full_event_type_id',
  'POST /portals': 'member_id',
  'POST /reputation/review-requests': 'profile_id',
  'POST /work-orders/:work_order_id/stakeholders': 'member_id',
}

/** A confirmed booking with a reminder that was sent, and an entry of a waiting list. */
export async function addNotices(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  await addWaiting(app, ws, ids)
  const book = operations.find(({ name }) => name === 'POST /scheduling-bookings')
  if (book && ids.event_type_id) Object.assign(ids, await sentNotice(app, ws, (await sendSample(app, ws, book, ids)).body.data.id))
}

export async function sentNotice(app: Harness, ws: TestWorkspace, bookingId: string): Promise<Ids> {
  await ws.post(`/scheduling-bookings/${bookingId}/confirm`)
  const { rows } = await app.owner.query(
    `insert into booking_notices (workspace_id, booking_id, contact_id, kind, channel, recipient, is_booker,
      offset_minutes, state, send_at, sent_at)
      select b.workspace_id, b.id, b.contact_id, 'reminder', 'email', 'ana@example.com', true, 15, 'sent', now(), now() from bookings b
      where b.workspace_id = $1 and b.id = $2 returning id`,
    [ws.id, bookingId],
  )
  await addCopy(app, ws, bookingId)
  return { confirmed_booking_id: bookingId, notice_id: rows[0].id }
}
