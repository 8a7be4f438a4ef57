import { eq } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import type { NextActionIn } from '../schemas/opportunity-details.ts'

const fields = {
  opportunity_id: opportunities.id,
  type: opportunities.next_action_type,
  note: opportunities.next_action_note,
  at: opportunities.next_action_at,
  version: opportunities.version,
}
const nextAction = (id: string) => oneOrThrow(db.select(fields).from(opportunities).where(eq(opportunities.id, id)), 'opportunity', id)

export const getNextAction = (id: string) => read(nextAction(id))

type Action = v.InferOutput<typeof NextActionIn>

/** Replaces the next action. Fields that are left out are cleared. */
export function setNextAction(ctx: Ctx, id: string, { type, note, at }: { [Field in keyof Action]: Action[Field] | null }) {
  const action = { next_action_type: type, next_action_note: note ?? null, next_action_at: at ?? null }
  return plan(
    [lockForUpdate(ctx, opportunities, id, 'opportunity'), db.update(opportunities).set(action).where(eq(opportunities.id, id))],
    nextAction(id),
  )
}

export const clearNextAction = (ctx: Ctx, id: string) => setNextAction(ctx, id, { type: null, note: null, at: null })
