import { eq, sql } from 'drizzle-orm'
import { knowledgeBases } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { outsideFault } from '../../../domain/outside-addresses.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { KnowledgeBaseDetails, type KnowledgeBasePatch, type NewKnowledgeBase } from '../schemas/knowledge.ts'

const WHAT = 'knowledge base'
const entryCount = sql<number>`(select count(*)::int from knowledge_entries e
  where e.workspace_id = knowledge_bases.workspace_id and e.knowledge_base_id = knowledge_bases.id)`
const agentCount = sql<number>`(select count(*)::int from knowledge_agents a
  where a.workspace_id = knowledge_bases.workspace_id and a.knowledge_base_id = knowledge_bases.id)`
const columns = columnsFor(knowledgeBases, KnowledgeBaseDetails, {
  entry_count: entryCount.as('entry_count'),
  agent_count: agentCount.as('agent_count'),
})
export const baseSelect = (id: string) => db.select(columns).from(knowledgeBases).where(eq(knowledgeBases.id, id))
const baseOf = (id: string) => oneOrThrow(baseSelect(id), WHAT, id)

export const getBase = (id: string): Plan<KnowledgeBaseDetails> => read(baseOf(id))

export function createBase(ctx: Ctx, values: NewKnowledgeBase): Plan<KnowledgeBaseDetails> {
  assertHelpCenter(ctx, values)
  const id = newId()
  return plan([insertRow(knowledgeBases, { ...values, id })], baseOf(id))
}

export function updateBase(ctx: Ctx, id: string, patch: KnowledgeBasePatch): Plan<KnowledgeBaseDetails> {
  assertHelpCenter(ctx, patch)
  const isRescheduled = patch.auto_resync_enabled !== undefined || patch.auto_resync_hours !== undefined
  return plan(
    [
      lockForUpdate(ctx, knowledgeBases, id, WHAT),
      updateRows(knowledgeBases, patch, eq(knowledgeBases.id, id), { id }),
      isRescheduled && call('schedule_knowledge_syncs', id),
    ],
    baseOf(id),
  )
}

/** @throws VALIDATION_ERROR for an address that may not be called */
function assertHelpCenter({ deployment }: Ctx, { help_center_url: url }: KnowledgeBasePatch): void {
  const fault = url && outsideFault(url, deployment.outside)
  if (fault) throw invalid([{ path: 'help_center_url', message: fault }])
}
