import * as v from 'valibot'
import { moveOpportunities, moveOpportunity, removeCard } from '../../src/features/opportunities/plans/opportunity-moves.ts'
import { Move, MoveCard, MoveWithId, OpportunityRecord } from '../../src/features/opportunities/schemas/opportunities.ts'
import { scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { bulkOf } from '../../src/schemas/bulk.ts'
import { bulkResult } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'

const params = v.object({ opportunity_id: Id })

/** Moves of an opportunity between stages. */
export function registerMoves(api: Api): void {
  api.post(
    '/bulk-move',
    {
      id: 'bulkMoveOpportunities',
      summary: 'Move up to 100 opportunities to stages',
      access: scopes('opportunities:write'),
      body: v.strictObject({ records: bulkOf(MoveWithId) }),
      returns: bulkResult(OpportunityRecord),
    },
    ({ body }) => moveOpportunities(body.records),
  )
  api.post(
    '/:opportunity_id/move',
    {
      id: 'moveOpportunity',
      summary: 'Move an opportunity to a stage',
      description:
        'The stage can be in another pipeline. A won or lost stage marks the opportunity as won or lost and stores the reasons. ' +
        'Reasons that are not in the workspace’s lists are not saved, and reported in `_warnings`.',
      access: scopes('opportunities:write'),
      params,
      body: Move,
      returns: OpportunityRecord,
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, body }) => moveOpportunity(ctx, params.opportunity_id, body),
  )
  api.post(
    '/:opportunity_id/move-card',
    {
      id: 'moveOpportunityCard',
      summary: 'Move an opportunity to a stage (legacy)',
      successor: '/opportunities/:opportunity_id/move',
      access: scopes('opportunities:write'),
      params,
      body: MoveCard,
      returns: OpportunityRecord,
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, body }) => moveOpportunity(ctx, params.opportunity_id, body),
  )
  api.post(
    '/:opportunity_id/remove-card',
    {
      id: 'removeOpportunityCard',
      summary: "Remove an opportunity's card from its pipeline",
      description: 'The opportunity is kept, with its status.',
      access: scopes('opportunities:write'),
      params,
      body: v.strictObject({ pipeline_id: Id }),
      returns: OpportunityRecord,
      errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, body }) => removeCard(ctx, params.opportunity_id, body.pipeline_id),
  )
}
