import { scopes, upserted } from '../src/http/modes.ts'
import {
  OpportunityDraft,
  UpsertCompanies,
  UpsertCompany,
  UpsertContact,
  UpsertContacts,
  UpsertedCompanies,
  UpsertedCompany,
  UpsertedContact,
  UpsertedContacts,
  UpsertedOpportunities,
  UpsertedOpportunity,
  UpsertOpportunities,
} from '../src/schemas/upserts.ts'
import {
  upsertCompanies,
  upsertCompany,
  upsertContact,
  upsertContacts,
  upsertOpportunities,
  upsertOpportunity,
} from '../src/services/bulk/upserts.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities/index.ts'

const FOUND =
  'Among several that match, active records come before archived ones; more than one of them is a CONFLICT, which names their ids. Of several upserts of one record at once, one creates it. A phone number without its prefix is read by the country that is sent, else as Australian.'
const CHANGED = 'Changes what was sent, as PATCH does, and needs the name only where it creates. Answers 201 where it created, else 200.'
const EACH = 'Each record is judged by itself; a later one changes what an earlier one of the call created.'

contactsApi.post(
  '/upsert',
  {
    id: 'upsertContact',
    summary: 'Create a contact, or update the one that matches',
    description: `The contact is found by external_id, email or phone: the first field of match_on that is sent and that finds one decides. An email address finds a contact by its other addresses too, and then stays among those. ${FOUND} ${CHANGED}`,
    access: scopes('contacts:write'),
    body: UpsertContact,
    returns: upserted(UpsertedContact),
    errors: ['CONFLICT'],
  },
  ({ ctx, body }) => upsertContact(ctx, body),
)
contactsApi.post(
  '/bulk-upsert',
  {
    id: 'bulkUpsertContacts',
    summary: 'Create or update up to 100 contacts',
    description: `As upsert. ${EACH}`,
    access: scopes('contacts:write'),
    body: UpsertContacts,
    returns: UpsertedContacts,
  },
  ({ ctx, body }) => upsertContacts(ctx, body),
)
companiesApi.post(
  '/upsert',
  {
    id: 'upsertCompany',
    summary: 'Create a company, or update the one that matches',
    description: `The company is found by external_id, email or phone: the first field of match_on that is sent and that finds one decides. ${FOUND} ${CHANGED}`,
    access: scopes('companies:write'),
    body: UpsertCompany,
    returns: upserted(UpsertedCompany),
    errors: ['CONFLICT'],
  },
  ({ body }) => upsertCompany(body),
)
companiesApi.post(
  '/bulk-upsert',
  {
    id: 'bulkUpsertCompanies',
    summary: 'Create or update up to 100 companies',
    description: `As upsert. ${EACH}`,
    access: scopes('companies:write'),
    body: UpsertCompanies,
    returns: UpsertedCompanies,
  },
  ({ body }) => upsertCompanies(body),
)
opportunitiesApi.post(
  '/upsert',
  {
    id: 'upsertOpportunity',
    summary: 'Create an opportunity, or update the one that matches',
    description: `The opportunity is found by external_id. With stage_id it is moved. ${CHANGED}`,
    access: scopes('opportunities:write'),
    body: OpportunityDraft,
    returns: upserted(UpsertedOpportunity),
    errors: ['CONFLICT'],
  },
  ({ body }) => upsertOpportunity(body),
)
opportunitiesApi.post(
  '/bulk-upsert',
  {
    id: 'bulkUpsertOpportunities',
    summary: 'Create or update up to 100 opportunities',
    description: `As upsert. ${EACH}`,
    access: scopes('opportunities:write'),
    body: UpsertOpportunities,
    returns: UpsertedOpportunities,
  },
  ({ body }) => upsertOpportunities(body.records),
)
