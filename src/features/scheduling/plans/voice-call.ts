import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { mapResult, plainRows, type Query } from '../../../data/query.ts'
import { toE164 } from '../../../domain/phone.ts'
import { toZone } from '../../../domain/time-zones.ts'
import { AppError, invalid } from '../../../errors.ts'
import { toHex } from '../../../lib/keys.ts'
import { type Text, TypedText } from '../../../lib/typed-text.ts'
import { isNameOf, type KnownArguments, lastDigits, readArguments, spokenPhone, UnreadableArgument } from '../rules/voice/arguments.ts'
import { type Envelope, readEnvelope, replyIn, type ToolArguments } from '../rules/voice/envelope.ts'
import { failureText, heldText } from '../rules/voice/failures.ts'
import type { BookingText, Tool } from '../rules/voice/texts.ts'
import { zoneTable } from '../rules/zone-table.ts'
import type { OpenBooking, StoredFacts, ToolCall, ToolOutcome } from './facts.ts'
import { isFromProvider } from './voice-providers.ts'

/** A tool call of a voice agent: its arguments, who calls, and what it is recognised by when it is repeated. */
export type VoiceCall = ToolCall & {
  tool: Tool
  envelope: Envelope
  args: KnownArguments
  /** The arguments as they were sent. */
  sent: ToolArguments
  /** Whether the provider has given the tool call an id: a second one with it is a repetition, whatever has happened since. */
  hasToolCallId: boolean
}
/** `isSigned`: whether the provider has signed the request, so that the caller's number is trusted. */
export type SignedCall = VoiceCall & { isSigned: boolean }

export function zoneArgument({ args: { timezone } }: VoiceCall): string | undefined {
  if (timezone === undefined) return undefined
  const zone = toZone(timezone)
  if (zone === undefined) throw invalid([{ path: 'timezone', message: 'it is not known' }])
  return zone
}

export const durationArgument = ({ args: { duration_minutes } }: VoiceCall): number | undefined =>
  duration_minutes === undefined ? undefined : Number(duration_minutes.replace(/min(ute)?s?\.?$/i, ''))

export function knownType(stored: StoredFacts | null): StoredFacts {
  if (!stored) throw new AppError('NOT_FOUND', 'There is no such event type')
  return stored
}

const e164 = (text: string | null | undefined): string | null => (text ? (toE164(spokenPhone(text)) ?? null) : null)

/**
 * Reads the body of a tool call. The key is that of the provider's tool call, or a hash of the arguments.
 * @throws INVALID_SIGNATURE for a forged signature, VALIDATION_ERROR.
 */
export async function voiceCall(ctx: Ctx, tool: Tool, body: unknown, about = ''): Promise<SignedCall> {
  const isSigned = await isFromProvider(ctx)
  return { ...(await callAt(tool, readEnvelope(body), 0, about)), isSigned }
}

/** One of the tool calls of a message. @throws VALIDATION_ERROR. */
export async function callAt(tool: Tool, envelope: Envelope, index: number, about: string): Promise<VoiceCall> {
  const called = envelope.tools[index]
  const sent = called?.args ?? {}
  const bytes = new TextEncoder().encode(JSON.stringify([tool, about, sent]))
  const hash = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
  const call_key = `${envelope.call_id ?? ''}/${called?.id ? `${tool}/${called.id}` : hash}`
  const args = orQuestion(() => readArguments(tool, sent))
  return {
    tool,
    envelope,
    args,
    sent,
    hasToolCallId: Boolean(called?.id),
    call_key,
    call_id: envelope.call_id,
    caller: e164(envelope.caller),
  }
}

/** What an argument that cannot be read leads to: a failure that names it, and so a question. */
export function orQuestion<Out>(read: () => Out): Out {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableArgument) throw invalid([{ path: error.argument, message: error.message }])
    throw error
  }
}

/** Who calls: by a complete number, or by the last digits of one and a name. With a name only bookings in it are found. */
export type Caller = { phone?: string; ends?: string; name?: string | undefined }

const OTHER_NUMBER = 'it is missing, and this call comes from another phone number'

/**
 * The caller whose bookings are meant: by the number that is given, else by the one on the line. The last digits of a number need the name
 * as well. So does a number that is not the one which the provider has confirmed. @throws VALIDATION_ERROR.
 */
export function callerOf({ args, caller, isSigned }: SignedCall): Caller {
  const { phone: given, name } = args
  if (given === undefined) {
    if (caller === null) throw invalid([{ path: 'phone', message: 'it is not known' }])
    return { phone: caller }
  }
  const phone = e164(given)
  const ends = phone === null ? lastDigits(given) : undefined
  if (phone === null && (ends === undefined || name === undefined)) throw invalid([{ path: 'phone', message: 'it is not complete' }])
  const isOther = caller !== null && caller !== phone && (ends === undefined || !caller.endsWith(ends))
  if (name === undefined && isOther && isSigned) throw invalid([{ path: 'name', message: OTHER_NUMBER }])
  return { ...(phone !== null && { phone }), ...(ends !== undefined && { ends }), name }
}

const OTHERS =
  'NOT DONE: this was requested together with another call of the same tool. Nothing has been changed. Call this tool again for it alone.'

/**
 * A text in the format in which the provider takes it; of several different tool calls in one message a text for each of the first ones.
 */
export function inFormat(envelope: Envelope, text: string | string[]): Text {
  const reply = replyIn(envelope, [text].flat(), OTHERS)
  return reply.json ? new TypedText(reply.text, 'application/json') : reply.text
}

/** The text of a tool, or that of its failure, so that one tool call of a message does not take its neighbours along. */
export async function textOrFailure(tool: Tool, text: () => Promise<string>): Promise<string> {
  try {
    return await text()
  } catch (error) {
    if (error instanceof AppError && ['VALIDATION_ERROR', 'NOT_FOUND'].includes(error.code)) return failureText(tool, error)
    throw error
  }
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
export type SpokenBooking = BookingText & Pick<Row, 'event_type_id' | 'version' | 'booker'>

const COLUMNS = sql`b.id, b.status, epoch_ms(b.starts_at), epoch_ms(b.ends_at), b.duration_minutes, b.timezone, b.video_meet_link,
  b.email, t.name, t.description,
  (select coalesce(jsonb_agg(p.name), '[]') from unnest(b.host_ids) h(id) left join member_profile(b.workspace_id, h.id) p on true),
    b.event_type_id, b.version, b.name, b.phone,
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
  const next = (whose: SQL) => sql`(select b.id from bookings b where ${whose} and b.starts_at > ${since}
    and b.status in ('pending', 'confirmed') order by b.starts_at, b.id limit ${MOST_READ})`
  const endsWith = sql`b.phone_end = ${(phone ?? ends ?? '').slice(-4)}`
  // The contact of a booking may have been found by its email address, and have another number.
  const found = phone
    ? sql`${next(sql`b.contact_id = any (array(select unnest(contacts_with_phone(${phone}))))`)}
        union ${next(sql`${endsWith} and b.phone = ${phone}`)}`
    : next(endsWith)
  const query = sql`select ${COLUMNS} where b.id = any (array(${found})) order by b.starts_at, b.id limit ${MOST_READ}`
  return mapResult(plainRows<Row>(query, NAMES), (rows) =>
    rows
      .filter((row) => name === undefined || isNameOf(name, row.booker))
      .filter((row) => ends === undefined || row.phone?.endsWith(ends))
      .map(spoken),
  )
}
