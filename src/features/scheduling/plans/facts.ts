import type { bookings } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { mapResult, plainRows, type Query } from '../../../data/query.ts'
import { invalid } from '../../../errors.ts'
import type { HostCalendar } from '../../calendars/plans/live.ts'
import { type Context, contextOf, type Facts } from '../rules/facts.ts'
import { durationsOf } from '../rules/slots.ts'
import { type ZoneTable, zoneTable } from '../rules/zone-table.ts'
import type { ScheduledEventType } from '../schemas/event-types.ts'

/** The booker's record. `zone` is its time zone. */
export type Booker = {
  id: string
  first_name: string
  last_name: string | null
  email: string | null
  phone: string | null
  zone: string | null
  customer_id: string | null
}

/** A booking that is moved; instants are text as PostgreSQL writes it. */
export type Moved = typeof bookings.$inferSelect

/** What scheduling_facts returns. */
export type StoredFacts = Omit<Facts, 'rules' | 'hosts'> & {
  event_type: ScheduledEventType
  hosts: (Facts['hosts'][number] & {
    name: string | null
    picture: string | null
    read_at?: number | null
    calendars?: HostCalendar[] | null
  })[]
  workspace_id: string
  fingerprint: string
  workspace_name: string
  workspace_color: string | null
  contact: Booker | null
  /** The booking that is moved. */
  moved: Moved | null
  opportunity_id: string | null
  /** The time zone of who calls; undefined outside a call. */
  caller_zone?: string | null
  /** What the call has done before. */
  memory?: CallMemory[] | null
}

/** What a tool call has done. `requested`: a time is held until its visitor confirms it. */
export type ToolOutcome = 'booked' | 'cancelled' | 'rescheduled' | 'requested'
/** The effect of an earlier tool call; `same` if this one repeats it. */
export type CallMemory = {
  same: boolean
  outcome: ToolOutcome
  booking_id: string | null
  status: string | null
  event_type_id: string | null
  starts_at: number | null
  /** Who booked. */
  name: string | null
  email: string | null
  /** When it was done, in milliseconds since 1970. */
  at: number
  bookings: OpenBooking[] | null
}
/** A booking of a caller that is still to come. */
export type OpenBooking = [id: string, start: number]
/** A tool call: by whom, and what it is recognised by when it is repeated. */
export type ToolCall = { caller: string | null; call_key: string; call_id: string | null }

export type FactsRequest = Partial<ToolCall> & {
  /** Its id, slug or name. Not needed for a booking that is moved. */
  event_type?: string | undefined
  /** Milliseconds since 1970; the times of a booking that is moved unless sent. */
  from?: number
  to?: number
  owner?: string | null | undefined
  /** The booking that is moved. */
  booking_id?: string | undefined
  contact_id?: string | null | undefined
  email?: string | null | undefined
  phone?: string | null | undefined
}

const instant = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** One statement with all that decides which times are free; null without such an event type. */
export function readFacts({ from, to, ...request }: FactsRequest): Query<StoredFacts | null> {
  const parameters = JSON.stringify({ ...request, from: instant(from), to: instant(to) })
  const rows = plainRows<{ facts: StoredFacts | null }>(call('scheduling_facts', parameters), ['facts'])
  return mapResult(rows, ([row]) => row?.facts ?? null)
}

export const NO_EVENT_TYPE = 'event_type does not exist in this workspace'

/** The facts of an event type that a body names. @throws VALIDATION_ERROR without one. */
export function knownFacts(stored: StoredFacts | null | undefined): StoredFacts {
  if (!stored) throw invalid([{ path: 'event_type', message: NO_EVENT_TYPE }])
  return stored
}

/** The facts as the rules of src/features/scheduling/rules take them. */
export const factsOf = (stored: StoredFacts): Facts => ({ ...stored, rules: stored.event_type })

export const contextFor = (stored: StoredFacts, from: number, to: number): Context => contextOf(factsOf(stored), from, to)

/** The time zone in which times are read and shown. */
export function zoneFor({ event_type, contact, workspace_zone, caller_zone }: StoredFacts, timezone: string | null | undefined): string {
  // Within a call, times are read as they were offered, whoever they are booked for.
  const own = caller_zone === undefined ? contact?.zone : caller_zone
  return event_type.locked_timezone ?? timezone ?? own ?? workspace_zone
}

export const tableFor = (zone: string, from: number, to: number): ZoneTable => zoneTable(zone, from, to)

/** The duration that is requested, or the usual one. @throws VALIDATION_ERROR for one that the event type does not have. */
export function durationFor({ event_type }: StoredFacts, request: number | undefined): number {
  const durations = durationsOf(event_type)
  if (request !== undefined && !durations.includes(request))
    throw invalid([{ path: 'duration_minutes', message: `must be one of: ${durations.join(', ')}` }])
  return request ?? event_type.duration_minutes
}

/** @throws VALIDATION_ERROR for a host that the event type does not have. */
export function assertHost({ hosts }: StoredFacts, hostId: string | null | undefined): string | undefined {
  if (hostId && !hosts.some(({ user_id }) => user_id === hostId))
    throw invalid([{ path: 'host_id', message: 'host_id is not a host of this event type' }])
  return hostId ?? undefined
}
