import { Hono } from 'hono'
import * as v from 'valibot'
import { contacts, opportunities } from '../schema/index.ts'
import { CONTACT_SOURCES } from '../src/domain/contacts/types.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { BulkIds, bulkOf } from '../src/schemas/bulk.ts'
import { BulkDeleted, bulkResult } from '../src/schemas/common.ts'
import {
  Contact,
  ContactPatch,
  ContactPatchWithId,
  ContactRecord,
  contactFields,
  Employer,
  Link,
  LocalTime,
  NewContact,
} from '../src/schemas/contacts.ts'
import { MOST_ROWS, PersonData } from '../src/schemas/data-export.ts'
import { Email, Enum, Id, pageQuery, QueryBool, SingleLine } from '../src/schemas/fields.ts'
import { Opportunity } from '../src/schemas/opportunities.ts'
import { Purge, Purged } from '../src/schemas/purges.ts'
import { forEachId } from '../src/services/bulk/ids.ts'
import {
  createContact,
  createContacts,
  deleteContacts,
  getContact,
  localTime,
  updateContact,
  updateContacts,
} from '../src/services/contacts/contacts.ts'
import { linkContacts, linkEmployer, listEmployers, unlinkEmployer } from '../src/services/contacts/employers.ts'
import { mergeableContacts } from '../src/services/merges/mergeable.ts'
import { dealsOfContact } from '../src/services/opportunities/opportunity-lists.ts'
import { exportPersonalData } from '../src/services/purges/data-export.ts'
import { removeOrPurge } from '../src/services/purges/purges.ts'
import { registerDuplicates } from './duplicates.ts'
import { registerExports } from './exports.ts'
import { registerMerges } from './merges.ts'
import { CRM } from './paths.ts'
import { PURGING, registerPurged } from './purged.ts'

export const contactsRouter = new Hono<App>()
export const contactsApi = endpoints(contactsRouter, { path: CRM.contacts, tag: 'Contacts' })

registerPurged(contactsApi, 'contact', 'contacts')
registerDuplicates(contactsApi, {
  entity: 'contact',
  plural: 'contacts',
  looks:
    'Contacts are alike by email (also their other addresses), phone, landline, and the same or a similar name; more so at the same company.',
})

const params = v.object({ contact_id: Id })
const pair = v.object({ contact_id: Id, customer_id: Id })

const filters = {
  email: v.optional(Email),
  phone: v.optional(v.pipe(SingleLine(40), v.description('In E.164, its plus sign encoded as %2B.'))),
  customer_id: v.optional(Id),
  contact_type: v.optional(SingleLine(80)),
  source: v.optional(Enum(CONTACT_SOURCES)),
  source_id: v.optional(Id),
  is_referrer: v.optional(QueryBool),
  external_id: v.optional(SingleLine()),
}

registerExports(contactsApi, 'contacts', contacts, filters)
registerMerges(contactsApi, mergeableContacts, { plural: 'contacts', winner: ContactRecord })

resource(contactsApi, {
  name: 'contact',
  plural: 'contacts',
  table: contacts,
  returns: Contact,
  body: contactFields,
  filters,
  sorts: ['created_at', 'updated_at', 'name'],
  only: ['list', 'history'],
})

contactsApi.post(
  '',
  {
    id: 'createContact',
    summary: 'Create a contact',
    description: 'Only first_name is required. With customer_id the contact is linked to that company; an unknown company creates nothing.',
    access: scopes('contacts:write'),
    body: NewContact,
    returns: created(ContactRecord),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => createContact(ctx, body),
)
contactsApi.get(
  '/:contact_id',
  { id: 'getContact', summary: 'Get a contact', access: scopes('contacts:read'), params, returns: ContactRecord, errors: ['NOT_FOUND'] },
  ({ params }) => getContact(params.contact_id),
)
contactsApi.patch(
  '/:contact_id',
  {
    id: 'updateContact',
    summary: 'Update a contact',
    access: scopes('contacts:write'),
    params,
    body: ContactPatch,
    returns: ContactRecord,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateContact(ctx, params.contact_id, body),
)
contactsApi.delete(
  '/:contact_id',
  {
    id: 'deleteContact',
    summary: 'Delete a contact',
    description: PURGING,
    access: scopes('contacts:delete'),
    params,
    query: Purge,
    returns: Purged,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => removeOrPurge(ctx, 'contact', params.contact_id, query),
)

contactsApi.post(
  '/bulk-create',
  {
    id: 'bulkCreateContacts',
    summary: 'Create up to 100 contacts',
    access: scopes('contacts:write'),
    body: v.strictObject({ records: bulkOf(NewContact) }),
    returns: bulkResult(ContactRecord),
  },
  ({ ctx, body }) => createContacts(ctx, body.records),
)
contactsApi.post(
  '/bulk-update',
  {
    id: 'bulkUpdateContacts',
    summary: 'Update up to 100 contacts',
    access: scopes('contacts:write'),
    body: v.strictObject({ records: bulkOf(ContactPatchWithId) }),
    returns: bulkResult(ContactRecord),
  },
  ({ ctx, body }) => updateContacts(ctx, body.records),
)
contactsApi.post(
  '/bulk-delete',
  {
    id: 'bulkDeleteContacts',
    summary: 'Delete up to 100 contacts',
    access: scopes('contacts:delete'),
    body: v.strictObject({ ids: BulkIds(100) }),
    returns: BulkDeleted,
  },
  ({ body }) => forEachId(body.ids, deleteContacts),
)
contactsApi.post(
  '/bulk-link',
  {
    id: 'bulkLinkContacts',
    summary: 'Link up to 100 contacts to companies',
    description: 'Pairs already linked are skipped, so running it again is safe.',
    access: scopes('contacts:write'),
    body: v.strictObject({ records: bulkOf(Link) }),
    returns: bulkResult(Link),
  },
  ({ body }) => linkContacts(body.records),
)

contactsApi.get(
  '/:contact_id/employers',
  {
    id: 'listContactEmployers',
    summary: "List a contact's employers",
    access: scopes('contacts:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(Employer),
  },
  ({ params, query }) => listEmployers(params.contact_id, query),
)
contactsApi.post(
  '/:contact_id/employers/:customer_id',
  {
    id: 'addContactEmployer',
    summary: 'Link a contact to an employer',
    access: scopes('contacts:write'),
    params: pair,
    returns: Employer,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => linkEmployer(ctx, params),
)
contactsApi.delete(
  '/:contact_id/employers/:customer_id',
  {
    id: 'removeContactEmployer',
    summary: 'Unlink a contact from an employer',
    access: scopes('contacts:delete'),
    params: pair,
    returns: v.object({ ...Link.entries, deleted: v.literal(true) }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => unlinkEmployer(ctx, params),
)
contactsApi.get(
  '/:contact_id/local-time',
  {
    id: 'getContactLocalTime',
    summary: "Get a contact's local time",
    description:
      'Decided by timezone, else state, else the phone’s country (in the US and Canada its area code), else the workspace’s zone.',
    access: scopes('contacts:read'),
    params,
    returns: LocalTime,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => localTime(ctx, params.contact_id),
)
contactsApi.get(
  '/:contact_id/data',
  {
    id: 'exportContactData',
    summary: "Export a contact's personal data (GDPR)",
    description: `One document to hand to the person: at most ${MOST_ROWS} rows of each kind, the latest; \`truncated\` names the kinds that have more, whose own lists go on. What others wrote about the person elsewhere, such as in the notes of another record, is not found.`,
    access: scopes(
      'contacts:read',
      'companies:read',
      'opportunities:read',
      'activities:read',
      'tasks:read',
      'approvals:read',
      'events:read',
    ),
    params,
    returns: PersonData,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => exportPersonalData(params.contact_id),
)
contactsApi.get(
  '/:contact_id/deals',
  {
    id: 'listContactDeals',
    summary: "List a contact's opportunities",
    access: scopes('contacts:read', 'opportunities:read'),
    params,
    query: listQuery(opportunities, {}, ['created_at', 'updated_at', 'name', 'value']),
    returns: listOf(Opportunity),
  },
  ({ params, query }) => dealsOfContact(params.contact_id, query),
)
