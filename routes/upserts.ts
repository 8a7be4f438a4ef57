import {
  upsertCompanies,
  upsertCompany,
  upsertContact,
  upsertContacts,
  upsertOpportunities,
  upsertOpportunity,
} from '../src/features/records/plans/upserts.ts'
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
} from '../src/features/records/schemas/upserts.ts'
import { scopes, upserted } from '../src/http/modes.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities/index.ts'

const FOUND =
  'Active records take precedence over archived ones. If several records still match, the request is refused with CONFLICT, ' +
  'and the error lists their ids. Of concurrent upserts of the same record, exactly one creates it. ' +
  'A phone number without a country prefix is taken as a number of the country in the request, or else of Australia.'
const CHANGED =
  'An existing record is updated as by PATCH. The name is required only when a record is created. ' +
  'Returns 201 if the record was created, and 200 otherwise.'
const EACH = 'Each record is processed separately and in order, so a later one can update a record that an earlier one created.'

contactsApi.post(
  '/upsert',
  {
    id: 'upsertContact',
    summary: 'Create a contact, or update the one that matches',
    description:
      'A contact is matched by external_id, email or phone: the first field of match_on that is sent and matches a record decides. ' +
      'An email address also matches the alternate addresses of a contact, and a phone number its alternate numbers; it then stays an ' +
      `alternate one. ${FOUND} ${CHANGED}`,
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
    description: `Works like the upsert of one record. ${EACH}`,
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
    description:
      'A company is matched by external_id, abn, email, phone or the domain of website_url, also among its domains: the first field of ' +
      `match_on that is sent and matches a record decides. ${FOUND} ${CHANGED}`,
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
    description: `Works like the upsert of one record. ${EACH}`,
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
    description: `An opportunity is matched by external_id. If stage_id is sent, an existing opportunity is moved to that stage. \
${CHANGED}`,
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
    description: `Works like the upsert of one record. ${EACH}`,
    access: scopes('opportunities:write'),
    body: UpsertOpportunities,
    returns: UpsertedOpportunities,
  },
  ({ body }) => upsertOpportunities(body.records),
)
