import { eq, sql } from 'drizzle-orm'
import { agentProposals, approvals } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { listWhere } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertNoPaths, oneOrThrow, typed } from '../../../data/query.ts'
import { newId } from '../../../lib/ids.ts'
import type { Grounds } from '../rules/proposals.ts'
import { type AgentProposal, type NewProposal, proposalFilters } from '../schemas/proposals.ts'
import { approvalFields, isReadable } from './approvals.ts'

const WHAT = 'agent proposal'
const status = sql<AgentProposal['status']>`case when ${agentProposals.withdrawn_at} is not null then 'withdrawn'
  when ${approvals.status} = 'pending' and ${approvals.expires_at} <= now() then 'expired' else ${approvals.status} end`
const { id, approval_id, operation_id, withdrawn_at, created_at } = agentProposals
const { method, path, key_id, expires_at, decided_by, decided_at } = approvals
const columns = {
  id,
  approval_id,
  operation_id,
  withdrawn_at,
  created_at,
  method,
  path,
  key_id,
  expires_at,
  decided_by,
  decided_at,
  status: status.as('status'),
  reason: sql<string | null>`case when ${isReadable} then ${agentProposals.grounds} ->> 'reason' end`.as('reason'),
  evidence: sql<AgentProposal['evidence']>`case when ${isReadable} then ${agentProposals.grounds} -> 'evidence' else '[]' end`.as(
    'evidence',
  ),
  proposed_by: sql<string>`${approvals.requested_by}`.as('proposed_by'),
  decision_reason: sql<string | null>`${approvals.reason}`.as('decision_reason'),
  request: approvalFields.request,
  changes: approvalFields.changes,
}
const ofProposal = sql`${approvals.workspace_id} = ${agentProposals.workspace_id} and ${approvals.id} = ${agentProposals.approval_id}`
const select = (keys: Keys) =>
  typed<AgentProposal>(
    db
      .select({ ...columns, ...keys })
      .from(agentProposals)
      .innerJoin(approvals, ofProposal),
  )
const proposalOf = (id: string) =>
  oneOrThrow(
    typed<AgentProposal>(db.select(columns).from(agentProposals).innerJoin(approvals, ofProposal).where(eq(agentProposals.id, id))),
    WHAT,
  )

export const getProposal = (id: string): Plan<AgentProposal> => read(proposalOf(id))

export const listProposals = (query: Record<string, unknown>): Plan<Page<AgentProposal>> =>
  read(
    page({
      select,
      id: agentProposals.id,
      where: listWhere(agentProposals, proposalFilters, query),
      sorts: { created_at: agentProposals.created_at },
      name: 'agent-proposals',
      query: query as PageQuery,
    }),
  )

/** What an approval stores of a write that a dry run has found valid. */
export type Held = Record<string, unknown>

/**
 * Proposes a write: it waits for approval like any other that must, with its grounds. `rehearse` is its dry run, which throws its errors.
 */
export async function proposeWrite(
  { now }: Ctx,
  { reason, evidence, operation_id, expires_in_hours: hours }: NewProposal,
  rehearse: () => Promise<Held>,
): Promise<Plan<AgentProposal>> {
  const id = newId()
  const expires_at = new Date(now.getTime() + hours * 3_600_000).toISOString()
  const held = JSON.stringify({ ...(await rehearse()), expires_at })
  const grounds: Grounds = {
    reason,
    evidence: evidence.map(({ type, id = null, url = null, quote = null }) => ({ type, id, url, quote })),
  }
  const given = JSON.stringify(grounds.evidence)
  return plan(
    [
      assertNoPaths(sql`unknown_evidence(${given}::jsonb)`, 'must be the id of a record of this type in this workspace'),
      call('propose_write', id, held, operation_id, JSON.stringify(grounds)),
    ],
    proposalOf(id),
  )
}

/** Takes a proposal back that nobody has decided about. Only who has made it can. */
export const withdrawProposal = (id: string): Plan<AgentProposal> => plan([call('withdraw_proposal', id)], proposalOf(id))
