import * as v from 'valibot'
import { listOf, scopes } from '../src/http/modes.ts'
import { BillingParty, BillingPartyPatch, InvoiceHeader, NewBillingParty } from '../src/schemas/billing.ts'
import { Id, pageQuery } from '../src/schemas/fields.ts'
import { addBillingParty, listBillingParties, removeBillingParty, updateBillingParty } from '../src/services/billing/billing-parties.ts'
import { invoicesOfOpportunity } from '../src/services/billing/invoices.ts'
import { opportunitiesApi as api } from './opportunities.ts'

/** Who pays for an opportunity, and the invoices. */

const params = v.object({ opportunity_id: Id })
const query = v.strictObject(pageQuery)
const ofParty = v.object({ opportunity_id: Id, customer_id: Id })

api.get(
  '/:opportunity_id/billing-parties',
  {
    id: 'listOpportunityBillingParties',
    summary: "List an opportunity's billing parties",
    description: 'Paying companies that are linked to the opportunity. Their invoices also surface on it.',
    access: scopes('opportunities:read', 'invoices:read'),
    params,
    query,
    returns: listOf(BillingParty),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listBillingParties(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/billing-parties',
  {
    id: 'addOpportunityBillingParty',
    summary: 'Add a billing party to an opportunity',
    description: 'Linking again changes share_percent and note where they are sent.',
    access: scopes('opportunities:write', 'invoices:write'),
    params,
    body: NewBillingParty,
    returns: BillingParty,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => addBillingParty(ctx, params.opportunity_id, body),
)
api.patch(
  '/:opportunity_id/billing-parties/:customer_id',
  {
    id: 'updateOpportunityBillingParty',
    summary: "Update an opportunity's billing party",
    access: scopes('opportunities:write', 'invoices:write'),
    params: ofParty,
    body: BillingPartyPatch,
    returns: BillingParty,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => updateBillingParty(ctx, params.opportunity_id, params.customer_id, body),
)
api.delete(
  '/:opportunity_id/billing-parties/:customer_id',
  {
    id: 'removeOpportunityBillingParty',
    summary: 'Remove a billing party from an opportunity',
    description: 'Only the link goes: the company and its invoices stay.',
    access: scopes('opportunities:write', 'invoices:delete'),
    params: ofParty,
    returns: v.object({ opportunity_id: Id, customer_id: Id, deleted: v.literal(true) }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => removeBillingParty(ctx, params.opportunity_id, params.customer_id),
)
api.get(
  '/:opportunity_id/invoices',
  {
    id: 'listOpportunityInvoices',
    summary: "List an opportunity's invoices, newest first",
    description: 'The opportunity’s own and those of its billing parties: `source` shows which. Headers only, without lines.',
    access: scopes('opportunities:read', 'invoices:read'),
    params,
    query,
    returns: listOf(InvoiceHeader),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => invoicesOfOpportunity(params.opportunity_id, query),
)
