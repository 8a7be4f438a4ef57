import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** The unique keys of these tables, which no request can violate. */
export const NOTETAKER_KEYS: Record<string, string> = {
  booking_transcripts_notetaker_key: 'a transcript is written once, by the background',
  notetakers_booking_key: 'a repeated request returns the notetaker that the booking has',
}

/** What a booking needs for a notetaker: the setting, a meeting link and credits. */
export async function allowNotetakers(app: Harness, ws: TestWorkspace, bookingId: string): Promise<void> {
  await app.owner.query("select grant_credits($1, 100000, 'notetakers')", [ws.id])
  await app.owner.query('update crm_settings set notetaker_enabled = true where workspace_id = $1', [ws.id])
  await app.owner.query("update bookings set video_meet_link = 'https://meet.example.com/first' where id = $1", [bookingId])
}

/** A notetaker of the booking, with its transcript. */
export async function addNotetaker(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  if (!ids.booking_id) return
  await allowNotetakers(app, ws, ids.booking_id)
  const made = await ws.post(`/scheduling-bookings/${ids.booking_id}/notetaker`)
  if (made.status > 201) throw new Error(JSON.stringify(made.body))
  await app.drain()
  await app.owner.query(
    `with added as (insert into activities (workspace_id, activity_type, contact_id, subject, body)
        select workspace_id, 'meeting', contact_id, 'Transcript: First meeting', 'Ana Lee (0:01): Hello.' from bookings where id = $2
          returning id, contact_id)
      insert into booking_transcripts (workspace_id, notetaker_id, activity_id, contact_id, entries)
        select $1, $3, id, contact_id,
          '[{"speaker": "Ana Lee", "is_host": false, "started_seconds": 1, "ended_seconds": 2, "text": "Hello."}]' from added`,
    [ws.id, ids.booking_id, made.body.data.id],
  )
}
