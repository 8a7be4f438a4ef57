import * as v from 'valibot'
import { copyOpportunity } from '../../src/features/opportunities/plans/opportunity-copies.ts'
import { CopyOpportunity, OpportunityRecord } from '../../src/features/opportunities/schemas/opportunities.ts'
import { created, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'

/** Copies of an opportunity. */
export function registerCopies(api: Api): void {
  api.post(
    '/:opportunity_id/copy',
    {
      id: 'copyOpportunity',
      summary: 'Copy an opportunity',
      description:
        'The copy is open. Its next action, reasons, closing date, external_id and unique custom values are empty. ' +
        'Tasks, activities, files, invoices and billing parties stay with the original. ' +
        'An owner or user who is no longer a member is left out.',
      access: scopes('opportunities:write', 'opportunities:read'),
      params: v.object({ opportunity_id: Id }),
      body: CopyOpportunity,
      returns: created(OpportunityRecord),
      errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, body }) => copyOpportunity(ctx, params.opportunity_id, body),
  )
}
