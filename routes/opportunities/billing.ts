import * as v from 'valibot'
import { billingParties } from '../../src/features/billing/plans/billing-parties.ts'
import { invoicesOfOpportunity } from '../../src/features/billing/plans/invoices.ts'
import { BillingParty, BillingPartyPatch, InvoiceHeader, NewBillingParty } from '../../src/features/billing/schemas/billing.ts'
import { children, listBelow } from '../../src/http/children.ts'
import { scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { pageQuery } from '../../src/schemas/fields.ts'
import { OPPORTUNITY } from '../parents.ts'

const reads = scopes('opportunities:read', 'invoices:read')

/** The billing parties and invoices of an opportunity. */
export function registerBilling(api: Api): void {
  children(api, {
    parent: OPPORTUNITY,
    path: '/billing-parties',
    name: 'billing_party',
    plural: 'billing_parties',
    key: 'customer_id',
    rows: billingParties,
    returns: BillingParty,
    access: {
      read: reads,
      write: scopes('opportunities:write', 'invoices:write'),
      remove: scopes('opportunities:write', 'invoices:delete'),
    },
    list: {
      summary: "List an opportunity's billing parties",
      description: 'Billing parties are companies that pay for the opportunity. Their invoices are listed with those of the opportunity.',
    },
    create: {
      id: 'addOpportunityBillingParty',
      summary: 'Add a billing party to an opportunity',
      description: 'If the company is already linked, the call updates share_percent and note, as far as they are sent.',
      body: NewBillingParty,
      again: true,
    },
    update: { body: BillingPartyPatch },
    remove: {
      id: 'removeOpportunityBillingParty',
      summary: 'Remove a billing party from an opportunity',
      description: 'Only the link is removed. The company and its invoices are kept.',
    },
  })
  listBelow(api, {
    parent: OPPORTUNITY,
    path: '/invoices',
    name: 'invoice',
    summary: "List an opportunity's invoices, newest first",
    description: 'Lists the invoices of the opportunity and of its billing parties; `source` distinguishes them. Invoices have no lines.',
    access: reads,
    query: v.strictObject(pageQuery),
    returns: InvoiceHeader,
    list: invoicesOfOpportunity,
  })
}
