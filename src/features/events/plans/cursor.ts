import { type SQL, sql } from 'drizzle-orm'
import { decode, encode } from '../../../data/cursors.ts'
import type { Statement } from '../../../data/db.ts'
import { assert, assertField } from '../../../data/query.ts'
import { EVENT_DAYS } from '../../../domain/events.ts'
import { invalid } from '../../../errors.ts'
import { firstIdAt, instantOf, isId } from '../../../lib/ids.ts'

/**
 * A place in a workspace's events: behind the event with this position and id. The cursor is valid for EVENT_DAYS from `at` (milliseconds),
 * which is at most a day later than the first event that it leads to. `list` identifies the list with its order.
 */
export type Place = { list: string; workspace_id: string; at: number; xid: string; id: string }

const DAY = 86_400_000
const NO_ID = firstIdAt('1970-01-01T00:00:00Z')

export const cursorOf = ({ list, workspace_id, at, xid, id }: Place): string => encode([list, `${workspace_id} ${at}`, `${xid} ${id}`])

/** @throws VALIDATION_ERROR for a cursor of another list. */
export function parseCursor(cursor: string, list: string): Place {
  const [name, origin, key] = decode(cursor)
  const [workspace_id = '', at = ''] = origin.split(' ')
  const [xid = '', id = ''] = key.split(' ')
  if (name !== list || !isId(workspace_id) || !/^\d{1,15}$/.test(at) || !/^\d{1,18}$/.test(xid) || !isId(id))
    throw invalid([{ path: 'after', message: 'This cursor is of another list, order or filter: start without it' }])
  return { list, workspace_id, at: Number(at), xid, id }
}

/** The time from which a cursor behind this event is valid: its own, or for an old event one that leaves a day to read on. */
export const validFrom = (id: string, now: number): number => Math.max(Math.min(instantOf(id), now), now - (EVENT_DAYS - 1) * DAY)

/** Guards: the cursor is of this workspace, and no event after it has expired. */
export function assertPlace(place: Place, now: Date): Statement[] {
  const { list, workspace_id, at } = place
  const own: SQL = sql`${workspace_id}::uuid = (select current_workspace())`
  const oldest = cursorOf({ list, workspace_id, at: validFrom(NO_ID, now.getTime()), xid: '0', id: NO_ID })
  const message = `This cursor is more than ${EVENT_DAYS} days old: read the records again and continue with details.oldest`
  return [
    assertField(own, 'after', 'This cursor is of another workspace: start without it'),
    assert(sql`${at >= now.getTime() - EVENT_DAYS * DAY}::boolean`, 'CURSOR_EXPIRED', message, { oldest }),
  ]
}
