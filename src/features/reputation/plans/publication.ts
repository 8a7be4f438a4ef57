import { eq, type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { lockForUpdate, type OwnedTable, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { lockProfile } from './profiles.ts'

type Transition = Readonly<Record<string, string>>
/** What each state notes beside itself. */
const STAMPS: Record<string, Record<string, SQL | null>> = {
  approved: { published_at: null },
  published: { published_at: sql`now()` },
}
export const APPROVAL: Record<string, SQL> = { approved_by: sql`current_user_id()`, approved_at: sql`now()` }

/** Moves a review or a case study to the state that the transition leads to. */
export function moved(
  ctx: Ctx,
  table: OwnedTable,
  id: string,
  noun: string,
  transition: Transition,
  stamps = {},
): (Statement | undefined)[] {
  const [status = ''] = Object.values(transition)
  return [
    lockProfile(),
    lockForUpdate(ctx, table, id, noun),
    assertState(table, 'status', id, transition, `The ${noun}`),
    updateRows(table, { status, ...STAMPS[status], ...stamps }, eq(table.id, id), { id }),
  ]
}
