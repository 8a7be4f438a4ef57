import { eq, sql } from 'drizzle-orm'
import { leadInitiatives } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForDelete, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { type InitiativePatch, LeadInitiative, LeadInitiativeDetails, type NewInitiative } from '../schemas/initiatives.ts'

export const INITIATIVE = 'initiative'
const { record } = store(
  leadInitiatives,
  INITIATIVE,
  selectFrom<LeadInitiative>(leadInitiatives, columnsFor(leadInitiatives, LeadInitiative)),
)
const details = columnsFor(leadInitiatives, LeadInitiativeDetails, {
  steps: sql<LeadInitiativeDetails['steps']>`lead_steps_of(${leadInitiatives.id})`.as('steps'),
})

/** Asserts that the window has a length, whichever of its ends were sent. */
const hasWindow = (id: string) =>
  assertField(
    sql`exists (select from ${leadInitiatives} where ${leadInitiatives.id} = ${id}
      and ${leadInitiatives.send_window_start} <> ${leadInitiatives.send_window_end})`,
    'send_window_end',
    'must differ from send_window_start',
  )

export const getInitiative = (id: string): Plan<LeadInitiativeDetails> =>
  read(oneOrThrow<LeadInitiativeDetails>(db.select(details).from(leadInitiatives).where(eq(leadInitiatives.id, id)), INITIATIVE, id))

export function createInitiative(_ctx: Ctx, input: NewInitiative): Plan<LeadInitiative> {
  const id = newId()
  return plan([insertRow(leadInitiatives, { ...input, id }), hasWindow(id)], record(id))
}

export const updateInitiative = (ctx: Ctx, id: string, patch: InitiativePatch): Plan<LeadInitiative> =>
  plan(
    [
      lockForUpdate(ctx, leadInitiatives, id, INITIATIVE),
      updateRows(leadInitiatives, patch, eq(leadInitiatives.id, id), { id }),
      (patch.send_window_start ?? patch.send_window_end) !== undefined && hasWindow(id),
    ],
    record(id),
  )

/** Its steps and enrolments go with it, and the automations that its steps have made. */
export const deleteInitiative = (ctx: Ctx, id: string) =>
  plan(
    [...lockForDelete(ctx, leadInitiatives, id, INITIATIVE), db.delete(leadInitiatives).where(eq(leadInitiatives.id, id))],
    constant({ id, deleted: true as const }),
  )
