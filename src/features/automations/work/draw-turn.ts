import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Step } from '../rules/types.ts'

type Drawing = { database: Database; workspaceId: string; run: string; step: Step; sequence: number }

/**
 * The number of an assignment to several members among those of its step, from 0, whose remainder chooses the member. The run keeps it, so
 * that a repetition draws no other, and each member gets equally many.
 */
export async function drawTurn({ database, workspaceId, run, step, sequence }: Drawing): Promise<number> {
  if (step.type !== 'assign' || (step.user_ids as string[]).length === 1) return 0
  const [turn] = await batch(database, [call('take_turn', workspaceId, run, step.id, sequence)])
  return turn as number
}
