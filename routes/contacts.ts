import { Hono } from 'hono'
import * as v from 'valibot'
import { contacts, opportunities } from '../schema/index.ts'
import { contactFiles } from '../src/features/attachments/plans/attachments.ts'
import {
  createContact,
  createContacts,
  deleteContacts,
  getContact,
  localTime,
  updateContact,
  updateContacts,
} from '../src/features/contacts/plans/contacts.ts'
import { linkContacts, linkEmployer, listEmployers, unlinkEmployer } from '../src/features/contacts/plans/employers.ts'
import { getReachability } from '../src/features/contacts/plans/reachability.ts'
import { CONTACT_SOURCES } from '../src/features/contacts/rules/types.ts'
import {
  Contact,
  ContactDetails,
  ContactPatch,
  ContactPatchWithId,
  ContactRecord,
  Employer,
  Link,
  LocalTime,
  NewContact,
} from '../src/features/contacts/schemas/contacts.ts'
import { ContactAttachment } from '../src/features/files/schemas/attachments.ts'
import { contactFollowers } from '../src/features/followers/plans/followers.ts'
import { ContactFollower, followerFilter } from '../src/features/followers/schemas/followers.ts'
import { RELATIONS } from '../src/features/lists/plans/relations.ts'
import { mergeableContacts } from '../src/features/merges/plans/mergeable.ts'
import { Reachability, reachabilityQuery } from '../src/features/messages/schemas/reachability.ts'
import { dealsOfContact } from '../src/features/opportunities/plans/opportunity-lists.ts'
import { Opportunity } from '../src/features/opportunities/schemas/opportunities.ts'
import { exportPersonalData } from '../src/features/purges/plans/data-export.ts'
import { MOST_ROWS, PersonData } from '../src/features/purges/schemas/data-export.ts'
import { listByTime } from '../src/features/search/plans/list-by-time.ts'
import { tagFilter } from '../src/features/tags/schemas/tags.ts'
import { bulk } from '../src/http/bulk.ts'
import { listBelow } from '../src/http/children.ts'
import { listQuery } from '../src/http/lists.ts'
import { added, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkOf } from '../src/schemas/bulk.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { describe, Email, Enum, Id, pageQuery, QueryBool, SingleLine } from '../src/schemas/fields.ts'
import { QueryPhone } from '../src/schemas/parsers.ts'
import { SORTS } from '../src/schemas/search.ts'
import { registerAttachments } from './files/attachments.ts'
import { registerFollowers } from './followers.ts'
import { CONTACT } from './parents.ts'
import { CRM } from './paths.ts'
import { registerRecords } from './records.ts'
import { registerTimeline } from './timeline.ts'

export const contactsRouter = new Hono<App>()
export const contactsApi = endpoints(contactsRouter, { path: CRM.contacts, tag: 'Contacts' })

const params = v.object({ contact_id: Id })
const pair = v.object({ contact_id: Id, customer_id: Id })

const filters = {
  email: v.optional(v.pipe(Email, v.description('An email address, also among the alternate ones.'))),
  phone: v.optional(QueryPhone),
  customer_id: v.optional(v.pipe(Id, v.description('A company for which the contact works.'))),
  assigned_to: v.optional(describe(Id, 'The member who is responsible for it.')),
  ...tagFilter,
  ...followerFilter,
  contact_type: v.optional(SingleLine(80)),
  source: v.optional(Enum(CONTACT_SOURCES)),
  source_id: v.optional(Id),
  is_referrer: v.optional(QueryBool),
  external_id: v.optional(SingleLine()),
}

registerRecords(contactsApi, {
  entity: 'contact',
  plural: 'contacts',
  table: contacts,
  filters,
  looks:
    'Contacts are compared by email (including alternate addresses), phone (including alternate numbers), landline and name. ' +
    'The same company makes a match stronger.',
  mergeable: mergeableContacts,
  item: Contact,
  record: ContactRecord,
})
resource(contactsApi, {
  name: 'contact',
  plural: 'contacts',
  table: contacts,
  returns: Contact,
  record: ContactDetails,
  list: { filters, relations: RELATIONS.contacts, sorts: [...SORTS.contacts], byTime: (query) => listByTime('contacts', filters, query) },
  get: { plan: getContact },
  create: {
    description:
      'Only first_name is required. customer_id links the contact to that company; the request is refused if the company does not exist.',
    body: NewContact,
    plan: createContact,
  },
  update: { body: ContactPatch, plan: updateContact },
  restore: {},
  history: true,
})
bulk(contactsApi, {
  plural: 'contacts',
  returns: ContactRecord,
  create: { body: NewContact, plan: createContacts },
  update: { body: ContactPatchWithId, plan: updateContacts },
  remove: { plan: deleteContacts },
})
contactsApi.post(
  '/bulk-link',
  {
    id: 'bulkLinkContacts',
    summary: 'Link up to 100 contacts to companies',
    description: 'Pairs that are already linked are skipped, so the call can be repeated safely.',
    access: scopes('contacts:write'),
    body: v.strictObject({ records: bulkOf(Link) }),
    returns: bulkResult(Link),
  },
  ({ body }) => linkContacts(body.records),
)

listBelow(contactsApi, {
  parent: CONTACT,
  path: '/employers',
  name: 'employer',
  query: v.strictObject(pageQuery),
  returns: Employer,
  list: listEmployers,
})
contactsApi.post(
  '/:contact_id/employers/:customer_id',
  {
    id: 'addContactEmployer',
    summary: 'Link a contact to an employer',
    access: scopes('contacts:write'),
    params: pair,
    returns: added(Employer),
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
      'The time zone is the first that is known of: the contact’s timezone, its state, the country of its phone number (in the US and ' +
      'Canada its area code), the workspace’s time zone.',
    access: scopes('contacts:read'),
    params,
    returns: LocalTime,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => localTime(ctx, params.contact_id),
)
contactsApi.get(
  '/:contact_id/reachability',
  {
    id: 'getContactReachability',
    summary: 'Get the channels through which a contact can be reached',
    description:
      'Explains for each channel whether an automatic message would be sent to the contact, and if not, why. ' +
      'The quiet hours of the CRM settings apply in the contact’s time zone (see its local time).',
    access: scopes('contacts:read'),
    params,
    query: reachabilityQuery,
    returns: Reachability,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => getReachability(ctx, params.contact_id, query),
)
contactsApi.get(
  '/:contact_id/data',
  {
    id: 'exportContactData',
    summary: "Export a contact's personal data (GDPR)",
    description:
      `Returns everything that is stored about the person in one document, with the latest ${MOST_ROWS} rows of each kind. ` +
      '`truncated` names the kinds that have more; use their lists to read the rest. Text about the person in other records, ' +
      'such as their notes, is not included.',
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
listBelow(contactsApi, {
  parent: CONTACT,
  path: '/deals',
  name: 'deal',
  summary: "List a contact's opportunities",
  access: scopes('contacts:read', 'opportunities:read'),
  query: listQuery(opportunities, {}, ['created_at', 'updated_at', 'name', 'value']),
  returns: Opportunity,
  relations: RELATIONS.opportunities,
  list: dealsOfContact,
})
registerAttachments(contactsApi, CONTACT, ContactAttachment, contactFiles)
registerFollowers(contactsApi, CONTACT, ContactFollower, contactFollowers)
registerTimeline(contactsApi, CONTACT, 'contact')
