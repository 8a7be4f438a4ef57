import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Grounds } from '../src/features/requests/rules/proposals.ts'
import { identity, instant, reference } from './columns.ts'
import { approvals } from './requests.ts'

/** Writes that were proposed with a reason and evidence. Each has an approval, which decides about it and executes it. */
export const agentProposals = pgTable(
  'agent_proposals',
  {
    ...identity,
    approval_id: uuid().notNull(),
    /** The operationId of the write. */
    operation_id: text().notNull(),
    grounds: jsonb().$type<Grounds>().notNull(),
    withdrawn_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('agent_proposals_approval_key').on(t.workspace_id, t.approval_id),
    index('agent_proposals_by_created').on(t.workspace_id, t.created_at, t.id),
    index('agent_proposals_by_operation').on(t.workspace_id, t.operation_id, t.created_at, t.id),
    reference(t.approval_id, approvals, 'cascade'),
  ],
)
