import { eq, sql } from 'drizzle-orm'
import { knowledgeBases } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { KnowledgeBaseDetails } from '../schemas/knowledge.ts'

const WHAT = 'knowledge base'
const entryCount = sql<number>`(select count(*)::int from knowledge_entries e
  where e.workspace_id = knowledge_bases.workspace_id and e.knowledge_base_id = knowledge_bases.id)`
const columns = columnsFor(knowledgeBases, KnowledgeBaseDetails, { entry_count: entryCount.as('entry_count') })
const baseOf = (id: string) => oneOrThrow(db.select(columns).from(knowledgeBases).where(eq(knowledgeBases.id, id)), WHAT, id)

export const getBase = (id: string): Plan<KnowledgeBaseDetails> => read(baseOf(id))

export function createBase(_ctx: Ctx, values: object): Plan<KnowledgeBaseDetails> {
  const id = newId()
  return plan([insertRow(knowledgeBases, { ...values, id })], baseOf(id))
}

export const updateBase = (ctx: Ctx, id: string, patch: object): Plan<KnowledgeBaseDetails> =>
  plan([lockForUpdate(ctx, knowledgeBases, id, WHAT), updateRows(knowledgeBases, patch, eq(knowledgeBases.id, id), { id })], baseOf(id))
