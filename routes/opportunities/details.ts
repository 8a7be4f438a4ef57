import * as v from 'valibot'
import { clearNextAction, getNextAction, setNextAction } from '../../src/features/opportunities/plans/next-action.ts'
import { marginOf } from '../../src/features/opportunities/plans/product-costs.ts'
import { Margin, NextAction, NextActionIn } from '../../src/features/opportunities/schemas/opportunity-details.ts'
import { scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'

const params = v.object({ opportunity_id: Id })

/** Details of an opportunity that are not collections: its next action and its margin. */
export function registerDetails(api: Api): void {
  api.get(
    '/:opportunity_id/next-action',
    {
      id: 'getOpportunityNextAction',
      summary: "Get an opportunity's next action",
      access: scopes('opportunities:read'),
      params,
      returns: NextAction,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => getNextAction(params.opportunity_id),
  )
  api.put(
    '/:opportunity_id/next-action',
    {
      id: 'setOpportunityNextAction',
      summary: "Set an opportunity's next action",
      description: 'Replaces the whole next action: fields that are left out are cleared. Bookings are not affected.',
      access: scopes('opportunities:write'),
      params,
      body: NextActionIn,
      returns: NextAction,
      errors: ['NOT_FOUND'],
    },
    ({ ctx, params, body }) => setNextAction(ctx, params.opportunity_id, body),
  )
  api.delete(
    '/:opportunity_id/next-action',
    {
      id: 'clearOpportunityNextAction',
      summary: "Clear an opportunity's next action",
      access: scopes('opportunities:delete'),
      params,
      returns: NextAction,
      errors: ['NOT_FOUND'],
    },
    ({ ctx, params }) => clearNextAction(ctx, params.opportunity_id),
  )

  api.get(
    '/:opportunity_id/margin',
    {
      id: 'getOpportunityMargin',
      summary: "Get an opportunity's margin",
      description: 'Returns the margin of each line item and the total. Only supplier costs are counted, not the unit cost of products.',
      access: scopes('opportunities:read'),
      params,
      returns: Margin,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => marginOf(params.opportunity_id),
  )
}
