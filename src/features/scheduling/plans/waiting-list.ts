import { eq, sql } from 'drizzle-orm'
import { waitingListEntries } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { handedText } from '../../../data/handed.ts'
import { between, listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { type Added, addedIf, compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { withoutRequired } from '../../../data/required-fields.ts'
import { columnsFor, lockForUpdate, noteAdded } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { MOST_IN_LINE, MOST_WAITING } from '../rules/limits.ts'
import type { BookerAnswer } from '../rules/questions.ts'
import { slotAt } from '../rules/slots.ts'
import { WAITING_TRANSITIONS } from '../rules/states.ts'
import { windowAround } from '../rules/times.ts'
import { fullStarts, withFreeSeats } from '../rules/waiting.ts'
import { MINUTE } from '../rules/zone-table.ts'
import { type NewWaitingListEntry, WaitingListEntry } from '../schemas/waiting-list.ts'
import { byStart } from './by-start.ts'
import { addressesOf, answersOf, linesOf, newContact } from './create-booking.ts'
import { contextFor, durationFor, knownFacts, readFacts, type StoredFacts, tableFor, zoneFor } from './facts.ts'
import { startFrom, startIn } from './slots.ts'

const fields = columnsFor(waitingListEntries, WaitingListEntry)
const all = compiledSelect(db.select(fields).from(waitingListEntries))
const select = (keys: Keys) => db.select({ ...fields, ...keys }).from(waitingListEntries)
const record = (id: string) => oneOrThrow(all.where(eq(waitingListEntries.id, id)), 'waiting list entry', id)

const FILTERS = { event_type_id: true, state: true, contact_id: true }
export const WAITING_SORTS = ['starts_at', 'created_at', 'updated_at']

/** Lists those who wait or have waited, by default in the order of their times. */
export function listWaiting(sent: Record<string, unknown>) {
  const query = byStart(sent)
  return read(
    page({
      select,
      id: waitingListEntries.id,
      where: [...listWhere(waitingListEntries, FILTERS, query), ...between(waitingListEntries.starts_at, 'starts', query)],
      sorts: sortKeys(waitingListEntries, WAITING_SORTS),
      name: 'waiting_list_entries',
      query: query as PageQuery,
    }),
  )
}

export const getWaiting = (id: string): Plan<WaitingListEntry> => read(record(id))

/** Takes somebody off the list. A seat that they were offered goes to the next in line. */
export function cancelWaiting(ctx: Ctx, id: string): Plan<WaitingListEntry> {
  return plan(
    [
      sql`select from booking_holds where id = ${id}::uuid for update`,
      lockForUpdate(ctx, waitingListEntries, id, 'waiting list entry'),
      assertState(waitingListEntries, 'state', id, WAITING_TRANSITIONS.leave, 'The waiting list entry'),
      call('leave_waiting_list', id),
    ],
    record(id),
  )
}

/** Whether somebody can wait for a seat of a time: it is full, and would be free with another seat. */
export function isFull(stored: StoredFacts, start: number, duration_minutes: number, now: number, window: [number, number]): boolean {
  const opened = { ...stored, sessions: withFreeSeats(stored.sessions) }
  const { waiting_list, seats } = stored.event_type
  return (
    waiting_list &&
    seats > 1 &&
    fullStarts(stored.sessions).has(start) &&
    slotAt(contextFor(opened, ...window), { now, duration_minutes }, start) !== undefined
  )
}

export type Joining = {
  id: string
  event_type: string
  starts_at: string
  timezone?: string | null | undefined
  duration_minutes?: number | undefined
  name: string
  email: string
  phone: string | null
  notes: string | null
  source: 'api' | 'page'
}
type Checked = { stored: StoredFacts; answers: BookerAnswer[] }

/**
 * Puts somebody in line, as a contact that is found or created as by a booking. Undefined in a round trip that only reads. @throws
 * VALIDATION_ERROR for a time that is not full. A person who waits for the time already stays in the same place.
 */
export async function joinLine(
  ctx: Ctx,
  joining: Joining,
  check: (found: StoredFacts | null) => Checked | Promise<Checked>,
): Promise<Statement[] | undefined> {
  const { id, event_type, name, email, phone, notes, source } = joining
  const start = startFrom(joining.starts_at)
  const window = windowAround(start, 1)
  let line: (Checked & { start: number; duration: number; zone: string }) | undefined
  const facts = readFacts({ event_type, email, phone, from: window[0], to: window[1] })
  await ctx.assume<StoredFacts | null | undefined>(facts, undefined, async (found) => {
    if (found === undefined) return sql`false`
    const { stored, answers } = await check(found)
    const zone = zoneFor(stored, joining.timezone)
    const at = startIn(start, tableFor(zone, ...window))
    const duration = durationFor(stored, joining.duration_minutes)
    assertFull(stored, at, duration, ctx.now.getTime(), window)
    line = { stored, answers, start: at, duration, zone }
    const contact = stored.contact?.id ?? null
    return sql`lock_waiting_time(${stored.event_type.id}::uuid, ${new Date(at).toISOString()}::timestamptz, ${email},
      ${phone}, ${contact}::uuid)`
  })
  if (!line) return undefined
  const contact = line.stored.contact
    ? { id: line.stored.contact.id, statements: [] }
    : await newContact(ctx, name, { email, phone }, source)
  const [starts_at, ends_at] = [line.start, line.start + line.duration * MINUTE].map((at) => new Date(at).toISOString())
  const place = { event_type_id: line.stored.event_type.id, starts_at, ends_at, duration_minutes: line.duration, timezone: line.zone }
  const entry = JSON.stringify({ id, ...place, contact_id: contact.id, name, email, phone, notes, answers: line.answers, source })
  return [...withoutRequired(contact.statements), call('join_waiting_list', entry, MOST_WAITING, MOST_IN_LINE)]
}

function assertFull(stored: StoredFacts, start: number, duration: number, now: number, window: [number, number]): void {
  const refuse = (path: string, message: string) => invalid([{ path, message }])
  if (!stored.event_type.waiting_list) throw refuse('event_type', 'has no waiting list: set waiting_list of the event type')
  if (!isFull(stored, start, duration, now, window))
    throw refuse('starts_at', 'is not full, or cannot be booked for another reason: check-availability says which')
}

/** The entry that join_waiting_list has added or found. */
const joined = oneOrThrow(all.where(eq(waitingListEntries.id, sql`${handedText('waiting_entry')}::uuid`)), 'waiting list entry')

/** Adds somebody to the waiting list of a time. Two round trips. */
export async function createWaiting(ctx: Ctx, input: NewWaitingListEntry): Promise<Plan<Added<WaitingListEntry>>> {
  const { email, phone } = addressesOf({ ...input, attendees: [] })
  const id = newId()
  const { event_type, starts_at, timezone, name, notes = null } = input
  const joining = { id, event_type, starts_at, timezone, name, email: email as string, phone, notes: notes ?? null, source: 'api' as const }
  const statements = await joinLine(ctx, joining, (found) => {
    const stored = knownFacts(found)
    return { stored, answers: answersOf(stored.event_type, linesOf(input.answers)) }
  })
  const isAdded = sql`${handedText('waiting_entry')} = ${id}`
  return plan([...(statements ?? []), statements && noteAdded(isAdded)], addedIf(joined, isAdded))
}
