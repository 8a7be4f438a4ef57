import { sql } from 'drizzle-orm'
import type { Ctx } from '../../context.ts'
import type { Statement } from '../../data/db.ts'
import { mapResult, plainRows, type Query } from '../../data/query.ts'
import { toE164 } from '../../domain/phone.ts'
import { argument, isNameOf, lastDigits, spokenPhone } from '../../domain/scheduling/voice/arguments.ts'
import { type Envelope, readEnvelope, replyIn, type ToolArguments } from '../../domain/scheduling/voice/envelope.ts'
import { failureText, heldText } from '../../domain/scheduling/voice/failures.ts'
import type { BookingText, Tool } from '../../domain/scheduling/voice/texts.ts'
import { zoneTable } from '../../domain/scheduling/zone-table.ts'
import { AppError, invalid } from '../../errors.ts'
import { toHex } from '../../lib/keys.ts'
import { type Text, TypedText } from '../../lib/typed-text.ts'
import type { OpenBooking, ToolCall, ToolOutcome } from './facts.ts'
import { isFromProvider } from './voice-providers.ts'

/** A tool call of a voice agent: its arguments, who calls, and what it is recognised by when it is repeated. */
export type VoiceCall = ToolCall & {
  tool: Tool
  envelope: Envelope
  args: ToolArguments
  /** Whether the provider has given the tool call an id: a second one with it is a repetition, whatever has happened since. */
  hasToolCallId: boolean
}

const e164 = (text: string | null | undefined): string | null => (text ? (toE164(spokenPhone(text)) ?? null) : null)

/** Reads the body of a tool call. The key is that of the provider's tool call, or a hash of the arguments. */
export async function voiceCall(tool: Tool, body: unknown, about = ''): Promise<VoiceCall> {
  const envelope = readEnvelope(body)
  const [first] = envelope.tools
  const args = first?.args ?? {}
  const bytes = new TextEncoder().encode(JSON.stringify([tool, about, args]))
  const hash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  const call_key = `${envelope.call_id ?? ''}/${first?.id ? `${tool}/${first.id}` : hash}`
  const hasToolCallId = Boolean(first?.id)
  return { tool, envelope, args, hasToolCallId, call_key, call_id: envelope.call_id, caller: e164(envelope.caller) }
}

/** Who calls: by a complete number, or by the last digits of one and a name. With a name only bookings in it are found. */
export type Caller = { phone?: string; ends?: string; name?: string | undefined }

const OTHER_NUMBER = 'it is missing, and this call comes from another phone number'

/**
 * The caller whose bookings are meant: by the number that is given, else by the one on the line. The last digits of a number need the name as well.
 * So does a number that is not the one which the provider has confirmed. @throws VALIDATION_ERROR.
 */
export async function callerOf(ctx: Ctx, { args, caller, envelope }: VoiceCall): Promise<Caller> {
  const given = argument(args, 'phone', 'phone_number', 'caller_phone')
  const name = argument(args, 'name', 'full_name', 'caller_name')
  if (given === undefined) {
    if (caller === null) throw invalid([{ path: 'phone', message: 'it is not known' }])
    return { phone: caller }
  }
  const phone = e164(given)
  const ends = phone === null ? lastDigits(given) : undefined
  if (phone === null && (ends === undefined || name === undefined)) throw invalid([{ path: 'phone', message: 'it is not complete' }])
  const isOther = caller !== null && caller !== phone && (ends === undefined || !caller.endsWith(ends))
  if (name === undefined && isOther && (await isFromProvider(ctx, envelope))) throw invalid([{ path: 'name', message: OTHER_NUMBER }])
  return { ...(phone !== null && { phone }), ...(ends !== undefined && { ends }), name }
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

const store = (
  { call_key, call_id }: Pick<ToolCall, 'call_key' | 'call_id'>,
  outcome: string,
  id: string | null,
  bookings?: OpenBooking[],
) =>
  sql`insert into voice_results (call_key, call_id, outcome, booking_id, bookings)
    values (${call_key}, ${call_id}, ${outcome}, ${id}::uuid, ${bookings ? JSON.stringify(bookings) : null}::jsonb)
    on conflict (workspace_id, call_key) do update set outcome = excluded.outcome, booking_id = excluded.booking_id,
      bookings = excluded.bookings, created_at = now()`

/** Stores what a tool call has done, for its repetition. `bookings`: the open ones that the caller has then. */
export const remember = (call: ToolCall, outcome: ToolOutcome, bookingId: string | null, bookings?: OpenBooking[]): Statement =>
  store(call, outcome, bookingId, bookings)

/** The last list that was read out: within a call, or to a caller whose call has no id. */
export const listKey = ({ call_id }: ToolCall, { phone, ends }: Caller): string =>
  call_id === null ? `/list/${phone ?? ends}` : `${call_id}/list`

/** Stores a list that is read out, so that its numbers keep their meaning. */
export const rememberList = (key: string, bookings: OpenBooking[]): Statement =>
  store({ call_key: key, call_id: null }, 'listed', null, bookings)

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
  /** Who booked. */
  booker: string
  phone: string | null
  company_zone: string
}
export type SpokenBooking = BookingText & Pick<Row, 'event_type_id' | 'version'>

const COLUMNS = sql`b.id, b.status, epoch_ms(b.starts_at), epoch_ms(b.ends_at), b.duration_minutes, b.timezone, b.video_meet_link, b.email, t.name, t.description,
  (select coalesce(jsonb_agg(u.full_name), '[]') from unnest(b.host_ids) h(id) left join users u on u.id = h.id), b.event_type_id, b.version, b.name, b.phone,
  (select coalesce((select a.timezone from availabilities a where a.id = current_workspace()), w.timezone) from workspaces w)
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
  'booker',
  'phone',
  'company_zone',
]

const spoken = ({ starts_at, ends_at, timezone, company_zone, ...row }: Row): SpokenBooking => {
  const [start, end] = [Number(starts_at), Number(ends_at)]
  return { ...row, start, end, table: zoneTable(timezone, start, end), company: zoneTable(company_zone, start, end) }
}

/** A stored booking as texts name it. @throws NOT_FOUND, so that no text can be written without one. */
export const bookingText = (id: string, text: (booking: SpokenBooking) => Text): Query<Text> =>
  mapResult(plainRows<Row>(sql`select ${COLUMNS} where b.id = ${id}::uuid`, NAMES), ([row]) => {
    if (!row) throw new AppError('NOT_FOUND', 'The booking was not found')
    return text(spoken(row))
  })

/** The most bookings that are read. */
const MOST_READ = 100

/** The bookings of a caller that are still to come, or were at an earlier time, the next one first. */
export function upcomingBookings({ phone, ends, name }: Caller, since = sql`now()`): Query<SpokenBooking[]> {
  const whose = phone
    ? sql`b.contact_id = any (array(select unnest(contacts_with_phone(${phone}))))`
    : sql`b.phone_end = ${(ends as string).slice(-4)}`
  const query = sql`select ${COLUMNS} where ${whose} and b.starts_at > ${since} and b.status in ('pending', 'confirmed')
    order by b.starts_at, b.id limit ${MOST_READ}`
  return mapResult(plainRows<Row>(query, NAMES), (rows) =>
    rows
      .filter((row) => name === undefined || isNameOf(name, row.booker))
      .filter((row) => ends === undefined || row.phone?.endsWith(ends))
      .map(spoken),
  )
}
