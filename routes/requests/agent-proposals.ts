import { Hono } from 'hono'
import * as v from 'valibot'
import { agentProposals } from '../../schema/index.ts'
import { getProposal, listProposals, proposeWrite, withdrawProposal } from '../../src/features/requests/plans/proposals.ts'
import { AgentProposal, NewProposal, proposalFilters } from '../../src/features/requests/schemas/proposals.ts'
import { listQuery } from '../../src/http/lists.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { rehearseWrite } from '../../src/http/proposals.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

const router = new Hono<App>()
export const agentProposalsApi = endpoints(router, { path: WORKSPACE.agentProposals, tag: 'Agent Proposals' })
const params = v.object({ agent_proposal_id: Id })
/** A proposal is never held itself: what it is for is to be held. */
const access = { ...scopes(), direct: 'every_level' as const }

agentProposalsApi.get(
  '',
  {
    id: 'listAgentProposals',
    summary: 'List agent proposals',
    description: 'The latest first. What waits for a decision is listed by GET /approvals with `status=pending` too, with its proposal.',
    access: scopes('approvals:read'),
    query: listQuery(agentProposals, proposalFilters, ['created_at']),
    returns: listOf(AgentProposal),
  },
  ({ query }) => listProposals(query),
)
agentProposalsApi.get(
  '/:agent_proposal_id',
  {
    id: 'getAgentProposal',
    summary: 'Get an agent proposal with its evidence and the changes it would make',
    access: scopes('approvals:read'),
    params,
    returns: one(AgentProposal),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getProposal(params.agent_proposal_id),
)
agentProposalsApi.post(
  '',
  {
    id: 'createAgentProposal',
    summary: 'Propose a write',
    description:
      'The write is tried first, with the rights of the key, and refused with the errors that it would have itself. ' +
      'Then it waits in /approvals, with its' +
      ' reason and evidence, until a person decides about it. It is executed like every approved request, with the rights that the ' +
      'proposing and the approving key' +
      ' share. Keys of level `execute` and `approval` may propose what their scopes allow.',
    access,
    body: NewProposal,
    returns: created(AgentProposal),
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
  },
  // Loaded late, because the registry imports this file.
  ({ ctx, body }) =>
    proposeWrite(ctx, body, () => rehearseWrite(() => import('../index.ts').then(({ allEndpoints }) => allEndpoints()), ctx, body)),
)
agentProposalsApi.post(
  '/:agent_proposal_id/withdraw',
  {
    id: 'withdrawAgentProposal',
    summary: 'Withdraw an agent proposal',
    description:
      'Only the member whose key has proposed it, and only before a decision. Its approval is rejected, so that it is never executed.',
    access,
    params,
    returns: one(AgentProposal),
    errors: ['NOT_FOUND', 'INVALID_STATE', 'FORBIDDEN'],
  },
  ({ params }) => withdrawProposal(params.agent_proposal_id),
)
