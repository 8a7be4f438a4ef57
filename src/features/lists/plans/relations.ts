import { sql } from 'drizzle-orm'
import * as v from 'valibot'
import {
  companies,
  contacts,
  leadSources,
  memberships,
  opportunities,
  opportunityContacts,
  opportunityProducts,
  pipelines,
  stages,
} from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Relation, relatedMany, relatedOne } from '../../../data/relations.ts'
import { columnsFor } from '../../../data/store.ts'
import { type FieldObject, REFERENCE_TYPES } from '../../../domain/filters/custom-types.ts'
import { Id } from '../../../schemas/fields.ts'
import { Company } from '../../companies/schemas/companies.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { members } from '../../members/plans/members.ts'
import { Member } from '../../members/schemas/members.ts'
import { listFields } from '../../opportunities/plans/opportunities.ts'
import { selectLinkedContacts } from '../../opportunities/plans/opportunity-links.ts'
import { LineItem, LinkedContact, Opportunity } from '../../opportunities/schemas/opportunities.ts'
import { stagesOf } from '../../pipelines/plans/pipelines.ts'
import { Pipeline, Stage } from '../../pipelines/schemas/pipelines.ts'
import { LeadSource } from '../../settings/schemas/settings.ts'

/** The most contacts and line items that a list includes for each record. */
const MOST_CONTACTS = 25
const MOST_ITEMS = 50

const ofCompanies = db.select(columnsFor(companies, Company)).from(companies)
const ofContacts = db.select(columnsFor(contacts, Contact)).from(contacts)
const ofOpportunities = db.select(listFields).from(opportunities)

const company = relatedOne({
  name: 'company',
  scope: 'companies:read',
  schema: Company,
  by: 'customer_id',
  select: ofCompanies,
  id: companies.id,
})
const contact = relatedOne({
  name: 'contact',
  scope: 'contacts:read',
  schema: Contact,
  by: 'contact_id',
  select: ofContacts,
  id: contacts.id,
})
const opportunityBy = (by: string) =>
  relatedOne({ name: 'opportunity', scope: 'opportunities:read', schema: Opportunity, by, select: ofOpportunities, id: opportunities.id })
const owner = relatedOne({
  name: 'owner',
  scope: 'users:read',
  schema: Member,
  by: 'assigned_to',
  select: members({}),
  id: memberships.user_id,
})

const CustomReferences = v.record(v.string(), v.object({ type: v.picklist(REFERENCE_TYPES), id: Id, name: v.nullable(v.string()) }))
/** The records that the custom fields of a record refer to, by key: type, id and name. */
const customReferences = (object: FieldObject): Relation => ({
  name: 'custom_references',
  scopes: ['contacts:read', 'companies:read', 'opportunities:read', 'users:read'],
  schema: CustomReferences,
  json: (column) => sql`custom_references(${object}, ${column('metadata')})`,
})

/** The relations that each list can include, by its plural. */
export const RELATIONS = {
  contacts: [
    company,
    owner,
    customReferences('contact'),
    relatedOne({
      name: 'lead_source',
      scope: 'company:read',
      schema: LeadSource,
      by: 'source_id',
      select: db.select(columnsFor(leadSources, LeadSource)).from(leadSources),
      id: leadSources.id,
    }),
  ],
  companies: [
    owner,
    customReferences('company'),
    relatedOne({
      name: 'parent_company',
      scope: 'companies:read',
      schema: Company,
      by: 'parent_company_id',
      select: ofCompanies,
      id: companies.id,
    }),
  ],
  opportunities: [
    company,
    owner,
    customReferences('opportunity'),
    relatedOne({
      name: 'pipeline',
      scope: 'pipelines:read',
      schema: Pipeline,
      by: 'pipeline_id',
      select: db.select(columnsFor(pipelines, Pipeline, { stages: stagesOf })).from(pipelines),
      id: pipelines.id,
    }),
    relatedOne({
      name: 'stage',
      scope: 'pipelines:read',
      schema: Stage,
      by: 'stage_id',
      select: db.select(columnsFor(stages, Stage)).from(stages),
      id: stages.id,
    }),
    relatedMany({
      name: 'contacts',
      scope: 'contacts:read',
      schema: LinkedContact,
      select: selectLinkedContacts({}),
      link: opportunityContacts.opportunity_id,
      order: sql`${opportunityContacts.is_primary} desc, ${opportunityContacts.id}`,
      most: MOST_CONTACTS,
    }),
    relatedMany({
      name: 'products',
      scope: 'products:read',
      schema: LineItem,
      select: db.select(columnsFor(opportunityProducts, LineItem)).from(opportunityProducts),
      link: opportunityProducts.opportunity_id,
      order: sql`${opportunityProducts.position}, ${opportunityProducts.id}`,
      most: MOST_ITEMS,
    }),
  ],
  work_orders: [owner, opportunityBy('deal_id')],
  tasks: [owner, contact, company, opportunityBy('opportunity_id'), customReferences('task')],
  activities: [contact, company, opportunityBy('deal_id'), customReferences('activity')],
  invoices: [company, opportunityBy('opportunity_id')],
} satisfies Record<string, Relation[]>
