import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { RolledBack } from '../../../data/database-errors.ts'
import { asJson, decodeResult } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { moveStatements } from '../../scheduling/plans/change-booking.ts'
import { claimStatement, type Decision } from '../../scheduling/plans/claims.ts'
import { contextFor, type Moved, readFacts, type StoredFacts, tableFor } from '../../scheduling/plans/facts.ts'
import { hostChecksOf } from '../../scheduling/rules/slots.ts'
import { bookingKey } from '../../scheduling/rules/words.ts'
import { MINUTE } from '../../scheduling/rules/zone-table.ts'
import type { OutsideEvent } from '../provider/port.ts'
import { type Flag, flagOf, type OutsideChange } from '../rules/copies.ts'
import type { SyncAccess } from './grants.ts'

/**
 * A calendar that is being read. `now`: when the reading began. `calendarWith`: the calendar of an event that the reading does not show as
 * one that takes place there, such as one that its host has made a series, or moved to another calendar; undefined if it was deleted.
 */
type ReadCalendar = { workspace_id: string; id: string; now: string; calendarWith(outsideId: string): Promise<string | undefined> }

/** The most missing events that are looked for together. */
const MOST_MISSING = 100
/** How often a move is decided while its facts change. */
const MOST_DECISIONS = 3

/** Lets bookings follow their events that a page of a calendar shows moved or deleted. Repeated pages change nothing more. */
export async function followEvents(access: SyncAccess, calendar: ReadCalendar, events: OutsideEvent[]): Promise<void> {
  if (events.length === 0) return
  const { workspace_id, id, now } = calendar
  const [changes] = (await batch(access.database, [
    sql`select outside_changes(${workspace_id}::uuid, ${id}::uuid, ${JSON.stringify(events.map(shown))}::jsonb, ${now}::timestamptz)`,
  ])) as [OutsideChange[]]
  await followAll(access, calendar, changes)
}

async function followAll({ database, deliverEvents }: SyncAccess, calendar: ReadCalendar, changes: OutsideChange[]): Promise<void> {
  const { workspace_id, calendarWith } = calendar
  for (const change of changes) {
    // A booking is not cancelled because of what a list leaves out.
    const place = change.change === 'deleted' ? await calendarWith(change.outside_id) : undefined
    if (place !== undefined) await batch(database, [call('keep_copied_event', workspace_id, change.copy_id, place)])
    else await follow(database, workspace_id, change)
  }
  if (changes.length > 0) await deliverEvents(workspace_id)
}

/** The same for events that a reading of everything between two instants has not found. */
export async function followMissing(access: SyncAccess, calendar: ReadCalendar, from: string, to: string): Promise<void> {
  const { workspace_id, id, now } = calendar
  for (;;) {
    const [changes] = (await batch(access.database, [
      sql`select missing_copies(${workspace_id}::uuid, ${id}::uuid, ${from}::timestamptz, ${to}::timestamptz,
        ${now}::timestamptz, ${MOST_MISSING}::int)`,
    ])) as [OutsideChange[]]
    await followAll(access, calendar, changes)
    if (changes.length < MOST_MISSING) return
  }
}

/** An event as outside_changes takes it. A whole day has no times that a booking can have. */
function shown({ id, version, status, starts, ends }: OutsideEvent) {
  const timeOf = (time: OutsideEvent['starts']) => (time && 'at' in time ? time.at : null)
  return { id, version, is_deleted: status === 'cancelled', starts_at: timeOf(starts), ends_at: timeOf(ends) }
}

async function follow(database: Database, workspaceId: string, change: OutsideChange): Promise<void> {
  const flag = flagOf(change, Date.now()) ?? (change.change === 'deleted' ? null : await move(database, workspaceId, change))
  const json = JSON.stringify(change)
  if (flag) await batch(database, [call('flag_copy', workspaceId, json, flag)])
  else if (change.change === 'deleted') await batch(database, [call('cancel_with_event', workspaceId, json)])
}

/** Moves a booking to the time of its event. Returns why it did not. */
async function move(database: Database, workspaceId: string, change: OutsideChange): Promise<Flag | null> {
  const [start, end] = [Date.parse(change.starts_at as string), Date.parse(change.ends_at as string)]
  const facts = readFacts({ booking_id: change.booking_id, from: start, to: end })
  for (let count = 0; count < MOST_DECISIONS; count++) {
    const [, found] = await batch(database, [call('follow_event', workspaceId), sql`select ${asJson(facts)}`])
    const decision = decide(decodeResult(facts, found as unknown[][]), start, end)
    if (!decision) return 'conflict'
    const outcome = await store(database, workspaceId, change, decision, [start, end])
    if (outcome !== 'changed') return outcome
  }
  return 'conflict'
}

async function store(database: Database, workspaceId: string, change: OutsideChange, decision: Decision, window: [number, number]) {
  const id = newId()
  const claimed = claimStatement([decision], { booking_ids: [id], moved: { id: change.booking_id } }, window)
  const { status } = decision.stored.moved as Moved
  try {
    await batch(database, [
      call('follow_event', workspaceId),
      sql`select case when (lock_changed_copy(${workspaceId}::uuid, ${JSON.stringify(change)}::jsonb)).id is null then roll_back() end`,
      sql`select assert_condition(${claimed}, 'SLOT_UNAVAILABLE', 'A host is not free')`,
      ...moveStatements({ ifMatch: undefined }, decision, id, status),
    ])
    return null
  } catch (error) {
    // Somebody else has changed the booking meanwhile, and the event is written again.
    if (error instanceof RolledBack) return null
    if (error instanceof AppError && error.code === 'INVALID_STATE') return 'state' as const
    if (error instanceof AppError && error.code === 'SLOT_UNAVAILABLE') return 'changed' as const
    throw error
  }
}

/** Of a time that a host has chosen, only other bookings of the hosts matter. One of several seats cannot be moved alone. */
function decide(stored: StoredFacts | null, start: number, end: number): Decision | undefined {
  const moved = stored?.moved
  if (!stored || !moved || moved.claimed?.session_id) return undefined
  const hosts = [moved.host_id, ...moved.host_ids.filter((id) => id !== moved.host_id)]
  const duration_minutes = (end - start) / MINUTE
  const checks = hostChecksOf(contextFor(stored, start, end), duration_minutes, start).filter(({ host_id }) => hosts.includes(host_id))
  if (checks.some(({ check, passed }) => check === 'bookings' && !passed)) return undefined
  const table = tableFor(moved.timezone, start, end)
  const slot = { start, end, hosts: [], seats_left: 1 }
  return { stored, slot, checks, table, duration_minutes, wall_start: bookingKey(table, start), candidates: [hosts] }
}
