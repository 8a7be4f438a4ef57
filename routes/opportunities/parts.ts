import * as v from 'valibot'
import { buckets, createBuckets } from '../../src/features/opportunities/plans/buckets.ts'
import { createLineItems, lineItems } from '../../src/features/opportunities/plans/line-items.ts'
import { linkedContacts, linkedUsers } from '../../src/features/opportunities/plans/opportunity-links.ts'
import { createProductCosts, productCosts } from '../../src/features/opportunities/plans/product-costs.ts'
import {
  ContactLink,
  LineItem,
  LineItemDraft,
  LineItemPatch,
  LinkedContact,
  LinkedUser,
  NewLineItem,
  UserLink,
} from '../../src/features/opportunities/schemas/opportunities.ts'
import {
  Bucket,
  BucketDraft,
  BucketPatch,
  NewBucket,
  NewProductCost,
  ProductCost,
  ProductCostPatch,
} from '../../src/features/opportunities/schemas/opportunity-details.ts'
import { children } from '../../src/http/children.ts'
import type { Api } from '../../src/http/router.ts'
import { describe, Id } from '../../src/schemas/fields.ts'
import { OPPORTUNITY } from '../parents.ts'

const AT_THE_END = 'They are added at the end, in the order of the call.'

/** The collections below an opportunity: line items, contacts, users, buckets and supplier costs. */
export function registerParts(api: Api): void {
  children(api, {
    parent: OPPORTUNITY,
    path: '/products',
    name: 'product',
    noun: 'line item',
    key: 'line_item_id',
    rows: lineItems,
    returns: LineItem,
    list: {},
    create: { id: 'addOpportunityProduct', summary: 'Add a line item to an opportunity', body: NewLineItem },
    createMany: { id: 'bulkAddOpportunityProducts', description: AT_THE_END, body: LineItemDraft, plan: createLineItems },
    reorder: { field: 'ids' },
    get: {},
    update: { body: LineItemPatch },
    remove: { id: 'removeOpportunityProduct', summary: 'Remove a line item from an opportunity' },
  })
  children(api, {
    parent: OPPORTUNITY,
    path: '/contacts',
    name: 'contact',
    key: 'contact_id',
    rows: linkedContacts,
    returns: LinkedContact,
    list: {},
    create: {
      id: 'addOpportunityContact',
      summary: 'Link a contact to an opportunity',
      description: 'If the contact is already linked, the call updates role and is_primary, as far as they are sent.',
      body: ContactLink,
      again: true,
    },
    update: { summary: "Update a contact's role in an opportunity", body: v.omit(ContactLink, ['contact_id']) },
    remove: { id: 'removeOpportunityContact', summary: 'Unlink a contact from an opportunity' },
  })
  children(api, {
    parent: OPPORTUNITY,
    path: '/users',
    name: 'user',
    key: 'user_id',
    rows: linkedUsers,
    returns: LinkedUser,
    list: {},
    create: {
      id: 'addOpportunityUser',
      summary: 'Link a user to an opportunity',
      description: 'If the user is already linked, the call updates the role, if it is sent.',
      body: UserLink,
      again: true,
    },
    update: { summary: "Update a user's role in an opportunity", body: v.omit(UserLink, ['user_id']) },
    remove: { id: 'removeOpportunityUser', summary: 'Unlink a user from an opportunity' },
  })
  children(api, {
    parent: OPPORTUNITY,
    path: '/buckets',
    name: 'bucket',
    noun: 'product bucket',
    key: 'bucket_id',
    rows: buckets,
    returns: Bucket,
    list: {
      summary: "List an opportunity's product buckets, in display order",
      description: 'Each bucket has the number of its line items and their sums.',
    },
    create: {
      description: 'To put a line item into the bucket, set its bucket_id. An opportunity has at most 100 buckets.',
      body: NewBucket,
      errors: ['NOT_FOUND', 'CONFLICT'],
    },
    createMany: { description: AT_THE_END, body: BucketDraft, most: 50, plan: createBuckets },
    reorder: { field: 'ids' },
    get: {},
    update: {
      summary: "Rename an opportunity's product bucket",
      body: BucketPatch,
      errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    },
    remove: { description: 'Its line items are kept without a bucket, at their prices.' },
  })
  children(api, {
    parent: OPPORTUNITY,
    path: '/product-costs',
    name: 'product_cost',
    noun: 'supplier cost',
    key: 'cost_id',
    rows: productCosts,
    returns: ProductCost,
    list: {
      description: 'Each cost comes with the margin of its line item. See `/margin` for the total.',
      filters: { line_item_id: v.optional(describe(Id, 'Of this line item.')) },
    },
    create: { summary: "Add a supplier cost to an opportunity's line item", body: NewProductCost },
    createMany: { summary: "Add up to 100 supplier costs to an opportunity's line items", body: NewProductCost, plan: createProductCosts },
    get: {},
    update: { body: ProductCostPatch },
    remove: {},
  })
}
