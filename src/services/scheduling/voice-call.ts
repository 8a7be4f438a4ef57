import { sql } from 'drizzle-orm'
import type { Statement } from '../../data/db.ts'
import { mapResult, plainRows, type Query } from '../../data/query.ts'
import { toE164 } from '../../domain/phone.ts'
import { argument, spokenPhone } from '../../domain/scheduling/voice/arguments.ts'
import { type Envelope, readEnvelope, replyIn, type ToolArguments } from '../../domain/scheduling/voice/envelope.ts'
import { failureText, heldText } from '../../domain/scheduling/voice/failures.ts'
import type { BookingText, Tool } from '../../domain/scheduling/voice/texts.ts'
import { zoneTable } from '../../domain/scheduling/zone-table.ts'
import { AppError, invalid } from '../../errors.ts'
import { toHex } from '../../lib/keys.ts'
import { type Text, TypedText } from '../../lib/typed-text.ts'
import type { ToolCall } from './facts.ts'

/** A tool call of a voice agent: its arguments, who calls, and what it is recognised by when it is repeated. */
export type VoiceCall = ToolCall & { tool: Tool; envelope: Envelope; args: ToolArguments }

const e164 = (text: string | null | undefined): string | null => (text ? (toE164(spokenPhone(text)) ?? null) : null)

/** Reads the body of a tool call. The key is that of the provider's tool call, or a hash of the arguments. */
export async function voiceCall(tool: Tool, body: unknown, about = ''): Promise<VoiceCall> {
  const envelope = readEnvelope(body)
  const [first] = envelope.tools
  const args = first?.args ?? {}
  const bytes = new TextEncoder().encode(JSON.stringify([tool, about, args]))
  const hash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  const call_key = `${envelope.call_id ?? ''}/${first?.id ? `${tool}/${first.id}` : hash}`
  return { tool, envelope, args, call_key, call_id: envelope.call_id, caller: e164(envelope.caller) }
}

/** The number by which a caller's bookings are found: the one that is given, else the one on the line. @throws VALIDATION_ERROR without any. */
export function callerOf({ args, caller }: VoiceCall): string {
  const given = argument(args, 'phone', 'phone_number', 'caller_phone')
  const number = given === undefined ? caller : e164(given)
  if (number === null) throw invalid([{ path: 'phone', message: given === undefined ? 'it is not known' : 'it is not complete' }])
  return number
}

const OTHERS =
  'NOT DONE: this was requested together with another call of the same tool. Nothing has been changed. Call this tool again for it alone.'

/** A text in the format in which the provider takes it. */
export function inFormat(envelope: Envelope, text: string): Text {
  const reply = replyIn(envelope, text, OTHERS)
  return reply.json ? new TypedText(reply.text, 'application/json') : reply.text
}

/** The texts of a tool for a failure, and for a request that waits for approval. */
export const wordingOf = (tool: Tool) => ({
  failure: (error: AppError, body: unknown): Text => inFormat(readEnvelope(body), failureText(tool, error)),
  held: (body: unknown): Text => inFormat(readEnvelope(body), heldText(tool)),
})

/** Stores what a tool call has done, for its repetition. */
export const remember = ({ call_key, call_id }: ToolCall, outcome: 'booked' | 'cancelled' | 'rescheduled', bookingId: string): Statement =>
  sql`insert into voice_results (call_key, call_id, outcome, booking_id) values (${call_key}, ${call_id}, ${outcome}, ${bookingId})
    on conflict (workspace_id, call_key) do update set outcome = excluded.outcome, booking_id = excluded.booking_id, created_at = now()`

type Row = {
  id: string
  status: string
  starts_at: number
  ends_at: number
  duration_minutes: number
  timezone: string
  video_meet_link: string | null
  email: string | null
  name: string
  description: string | null
  hosts: (string | null)[]
  event_type_id: string
  version: number
}
export type SpokenBooking = BookingText & Pick<Row, 'event_type_id' | 'version'>

const COLUMNS = sql`b.id, b.status, epoch_ms(b.starts_at), epoch_ms(b.ends_at), b.duration_minutes, b.timezone, b.video_meet_link, b.email, t.name, t.description,
  (select coalesce(jsonb_agg(u.full_name), '[]') from unnest(b.host_ids) h(id) left join users u on u.id = h.id), b.event_type_id, b.version
  from bookings b join scheduled_event_types t on t.id = b.event_type_id`
const NAMES = [
  'id',
  'status',
  'starts_at',
  'ends_at',
  'duration_minutes',
  'timezone',
  'video_meet_link',
  'email',
  'name',
  'description',
  'hosts',
  'event_type_id',
  'version',
]

const spoken = ({ starts_at, ends_at, timezone, ...row }: Row): SpokenBooking => {
  const [start, end] = [Number(starts_at), Number(ends_at)]
  return { ...row, start, end, table: zoneTable(timezone, start, end) }
}

/** A stored booking as texts name it. @throws NOT_FOUND, so that no text can be written without one. */
export const bookingText = (id: string, text: (booking: SpokenBooking) => Text): Query<Text> =>
  mapResult(plainRows<Row>(sql`select ${COLUMNS} where b.id = ${id}::uuid`, NAMES), ([row]) => {
    if (!row) throw new AppError('NOT_FOUND', 'The booking was not found')
    return text(spoken(row))
  })

/** The most bookings that a caller can choose from. */
const MOST_CHOICES = 10

/** The bookings of a caller that are still to come, the next one first. */
export const upcomingBookings = (phone: string): Query<SpokenBooking[]> =>
  mapResult(
    plainRows<Row>(
      sql`select ${COLUMNS} where b.contact_id = any (contacts_with_phone(${phone})) and b.starts_at > now() and b.status in ('pending', 'confirmed')
        order by b.starts_at, b.id limit ${MOST_CHOICES}`,
      NAMES,
    ),
    (rows) => rows.map(spoken),
  )
