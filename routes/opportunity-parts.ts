import * as v from 'valibot'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { Deleted } from '../src/schemas/common.ts'
import { Id, Ids, pageQuery } from '../src/schemas/fields.ts'
import { ContactLink, LineItem, LineItemPatch, LinkedContact, LinkedUser, NewLineItem, UserLink } from '../src/schemas/opportunities.ts'
import {
  addLineItem,
  getLineItem,
  listLineItems,
  removeLineItem,
  reorderLineItems,
  updateLineItem,
} from '../src/services/opportunities/line-items.ts'
import {
  linkContact,
  linkUser,
  listContacts,
  listUsers,
  unlinkContact,
  unlinkUser,
  updateContactLink,
  updateUserLink,
} from '../src/services/opportunities/opportunity-links.ts'
import { opportunitiesApi as api } from './opportunities.ts'

/** What belongs to one opportunity: line items, contacts and users. */

const params = v.object({ opportunity_id: Id })
const query = v.strictObject(pageQuery)
const ofItem = v.object({ opportunity_id: Id, line_item_id: Id })
const ofContact = v.object({ opportunity_id: Id, contact_id: Id })
const ofUser = v.object({ opportunity_id: Id, user_id: Id })
const Unlinked = v.object({ opportunity_id: Id, deleted: v.literal(true) })

api.get(
  '/:opportunity_id/products',
  {
    id: 'listOpportunityProducts',
    summary: "List an opportunity's line items",
    access: scopes('opportunities:read'),
    params,
    query,
    returns: listOf(LineItem),
  },
  ({ params, query }) => listLineItems(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/products',
  {
    id: 'addOpportunityProduct',
    summary: 'Add a line item to an opportunity',
    access: scopes('opportunities:write'),
    params,
    body: NewLineItem,
    returns: created(LineItem),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => addLineItem(ctx, params.opportunity_id, body),
)
api.post(
  '/:opportunity_id/products/reorder',
  {
    id: 'reorderOpportunityProducts',
    summary: "Reorder an opportunity's line items",
    access: scopes('opportunities:write'),
    params,
    body: v.strictObject({ ids: Ids(100) }),
    returns: listOf(LineItem),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => reorderLineItems(ctx, params.opportunity_id, body.ids),
)
api.get(
  '/:opportunity_id/products/:line_item_id',
  {
    id: 'getOpportunityProduct',
    summary: "Get an opportunity's line item",
    access: scopes('opportunities:read'),
    params: ofItem,
    returns: LineItem,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getLineItem(params.opportunity_id, params.line_item_id),
)
api.patch(
  '/:opportunity_id/products/:line_item_id',
  {
    id: 'updateOpportunityProduct',
    summary: "Update an opportunity's line item",
    access: scopes('opportunities:write'),
    params: ofItem,
    body: LineItemPatch,
    returns: LineItem,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateLineItem(ctx, params.opportunity_id, params.line_item_id, body),
)
api.delete(
  '/:opportunity_id/products/:line_item_id',
  {
    id: 'removeOpportunityProduct',
    summary: 'Remove a line item from an opportunity',
    access: scopes('opportunities:delete'),
    params: ofItem,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => removeLineItem(ctx, params.opportunity_id, params.line_item_id),
)

api.get(
  '/:opportunity_id/contacts',
  {
    id: 'listOpportunityContacts',
    summary: "List an opportunity's contacts",
    access: scopes('opportunities:read'),
    params,
    query,
    returns: listOf(LinkedContact),
  },
  ({ params, query }) => listContacts(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/contacts',
  {
    id: 'addOpportunityContact',
    summary: 'Link a contact to an opportunity',
    description: 'Linking again changes role and is_primary where they are sent.',
    access: scopes('opportunities:write'),
    params,
    body: ContactLink,
    returns: LinkedContact,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => linkContact(ctx, params.opportunity_id, body),
)
api.patch(
  '/:opportunity_id/contacts/:contact_id',
  {
    id: 'updateOpportunityContact',
    summary: "Update a contact's role in an opportunity",
    access: scopes('opportunities:write'),
    params: ofContact,
    body: v.omit(ContactLink, ['contact_id']),
    returns: LinkedContact,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => updateContactLink(ctx, params.opportunity_id, params.contact_id, body),
)
api.delete(
  '/:opportunity_id/contacts/:contact_id',
  {
    id: 'removeOpportunityContact',
    summary: 'Unlink a contact from an opportunity',
    access: scopes('opportunities:delete'),
    params: ofContact,
    returns: v.object({ ...Unlinked.entries, contact_id: Id }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => unlinkContact(ctx, params.opportunity_id, params.contact_id),
)

api.get(
  '/:opportunity_id/users',
  {
    id: 'listOpportunityUsers',
    summary: "List an opportunity's users",
    access: scopes('opportunities:read'),
    params,
    query,
    returns: listOf(LinkedUser),
  },
  ({ params, query }) => listUsers(params.opportunity_id, query),
)
api.post(
  '/:opportunity_id/users',
  {
    id: 'addOpportunityUser',
    summary: 'Link a user to an opportunity',
    description: 'Linking again changes the role where it is sent.',
    access: scopes('opportunities:write'),
    params,
    body: UserLink,
    returns: LinkedUser,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => linkUser(ctx, params.opportunity_id, body),
)
api.patch(
  '/:opportunity_id/users/:user_id',
  {
    id: 'updateOpportunityUser',
    summary: "Update a user's role in an opportunity",
    access: scopes('opportunities:write'),
    params: ofUser,
    body: v.omit(UserLink, ['user_id']),
    returns: LinkedUser,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => updateUserLink(ctx, params.opportunity_id, params.user_id, body),
)
api.delete(
  '/:opportunity_id/users/:user_id',
  {
    id: 'removeOpportunityUser',
    summary: 'Unlink a user from an opportunity',
    access: scopes('opportunities:delete'),
    params: ofUser,
    returns: v.object({ ...Unlinked.entries, user_id: Id }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => unlinkUser(ctx, params.opportunity_id, params.user_id),
)
