import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { newRow } from '../../../data/metadata.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf, withValues } from '../../../schemas/bulk.ts'
import {
  columnsOf,
  upsertRules as companyRules,
  bulk as companyTable,
  creating as creatingCompany,
  describeCompany,
  merging as mergingCompany,
} from '../../companies/plans/companies.ts'
import { hierarchyLock, upsertHierarchyRule } from '../../companies/plans/company-tree.ts'
import {
  alternatesWithout,
  upsertRules as contactRules,
  bulk as contactTable,
  creating as creatingContact,
  describeContact,
  describeNewContact,
  merging as mergingContact,
  newColumns,
  patchColumns,
} from '../../contacts/plans/contacts.ts'
import { createdWithZones, upsertedWithZones } from '../../contacts/plans/local-zones.ts'
import {
  creatingBulk,
  describeOpportunity,
  merging as mergingOpportunity,
  bulk as opportunityTable,
  upsertRules,
} from '../../opportunities/plans/opportunities.ts'
import { CompanyDraft, ContactDraft, OpportunityDraft } from '../schemas/upserts.ts'
import { type Draft, upsertMany, upsertOne, upsertTable } from './upsert.ts'

/**
 * An email address or a number that is among the contact's alternate ones stays there and does not replace the main one, unless the
 * alternate ones are sent too.
 */
const email: SQL = sql`case
  when not p.patch ? 'email' or (not p.patch ? 'alternate_emails' and contacts.alternate_emails @> array[r.email]) then contacts.email
  else r.email end`
const phone: SQL = sql`case
  when not p.patch ? 'phone' or (not p.patch ? 'alternate_phones' and contacts.alternate_phones @> array[r.phone]) then contacts.phone
  else r.phone end`

/** The same for a website whose domain is among the company's further ones. */
const website: SQL = sql`case
  when not p.patch ? 'website_url'
  or (not p.patch ? 'domains' and companies.domains @> array[website_domain(r.website_url)]) then companies.website_url
    else r.website_url end`

/** As lockPrimaries, for the records that were matched. */
const lockMatched = (patches: Record<string, unknown>[]) =>
  patches.some(({ is_primary, customer_id }) => is_primary || customer_id) &&
  sql`select lock_primary_contacts(array_agg((r ->> 'id')::uuid),
    coalesce(array_agg((r ->> 'customer_id')::uuid) filter (where r ->> 'customer_id' is not null), '{}'))
    from (select jsonb_array_elements(upsert_rows(true)) union all select jsonb_array_elements(upsert_rows(false))) rows(r)`

const CONTACTS = upsertTable({
  ...contactTable,
  ...contactRules,
  creating: creatingContact,
  required: 'first_name',
  beforeWrite: lockMatched,
  describe: (sent, found) => (found.created ? describeNewContact : describeContact)(sent, found),
  merging: () => ({
    ...mergingContact,
    email,
    alternate_emails: alternatesWithout('alternate_emails', email),
    phone,
    alternate_phones: alternatesWithout('alternate_phones', phone),
  }),
})
const COMPANIES = upsertTable({
  ...companyTable,
  ...companyRules,
  required: 'name',
  rules: [...companyRules.rules, upsertHierarchyRule],
  creating: creatingCompany,
  describe: describeCompany,
  merging: () => ({ ...mergingCompany, website_url: website }),
  before: (patches) => patches.some(({ parent_company_id }) => parent_company_id) && hierarchyLock,
})
const OPPORTUNITIES = upsertTable({
  ...opportunityTable,
  ...upsertRules,
  required: 'name',
  creating: creatingBulk,
  merging: mergingOpportunity,
  describe: describeOpportunity,
})

/** The input of an upsert: the fields, and the keys to match by. */
type WithMatchOn<Fields> = Fields & { match_on: string[] }

/** Builds a draft. @throws AppError VALIDATION_ERROR for a record without any of the keys, or with a value that cannot be stored. */
function draftOf<Fields extends Record<string, unknown>>(on: string[], fields: Fields, columns: (fields: Fields) => Draft): Draft {
  const draft = columns(fields)
  if (on.some((key) => draft.patch[key] != null && draft.patch[key] !== '')) return draft
  throw invalid([{ path: on[0] as string, message: `Send at least one of: ${on.join(', ')}` }])
}

/** Phone numbers and states are interpreted by the country sent, otherwise as Australian: the matched record is not known yet. */
const contactDraft = (ctx: Ctx) => (fields: ContactDraft) => {
  const patch = patchColumns(ctx, fields, fields.country)
  const create = newColumns(ctx, fields)
  // A field that is sent as null has no default, so that repeating the call changes nothing.
  return { create: { ...create, ...patch, ...(create.metadata !== undefined && { metadata: create.metadata }) }, patch, sent: fields }
}
const companyDraft = (fields: CompanyDraft) => {
  const columns = columnsOf(fields)
  return { create: newRow({ ...columns, id: newId() }), patch: columns, sent: fields }
}
const opportunityDraft = (fields: OpportunityDraft) => ({
  create: newRow({ ...fields, id: newId() }),
  patch: fields,
  sent: fields,
})
/** The drafts with the columns of the zone of their local time. */
async function draftsWithZones(ctx: Ctx, drafts: Draft[]): Promise<Draft[]> {
  const creates = drafts.map(({ create }) => create)
  const patches = drafts.map(({ patch }) => patch)
  const [created, changed] = [await createdWithZones(ctx, creates), await upsertedWithZones(ctx, patches)]
  return drafts.map(({ sent }, at) => ({ create: created[at] as Draft['create'], patch: changed[at] as Draft['patch'], sent }))
}

export async function upsertContact(ctx: Ctx, { match_on, ...fields }: WithMatchOn<ContactDraft>) {
  const [draft] = await draftsWithZones(ctx, [draftOf(match_on, fields, contactDraft(ctx))])
  return upsertOne(CONTACTS, draft as Draft, match_on)
}

export async function upsertContacts(ctx: Ctx, { match_on, records }: { match_on: string[]; records: unknown[] }) {
  const drafts = validateEach(ContactDraft, records, (fields) => draftOf(match_on, fields, contactDraft(ctx)))
  return upsertMany(CONTACTS, withValues(drafts, await draftsWithZones(ctx, valuesOf(drafts))), match_on)
}

export const upsertCompany = ({ match_on, ...fields }: WithMatchOn<CompanyDraft>) =>
  upsertOne(COMPANIES, draftOf(match_on, fields, companyDraft), match_on)

export const upsertCompanies = ({ match_on, records }: { match_on: string[]; records: unknown[] }) =>
  upsertMany(
    COMPANIES,
    validateEach(CompanyDraft, records, (fields) => draftOf(match_on, fields, companyDraft)),
    match_on,
  )

const BY_ID = ['external_id']

export const upsertOpportunity = (fields: OpportunityDraft) => upsertOne(OPPORTUNITIES, draftOf(BY_ID, fields, opportunityDraft), BY_ID)

export const upsertOpportunities = (records: unknown[]) =>
  upsertMany(
    OPPORTUNITIES,
    validateEach(OpportunityDraft, records, (fields) => draftOf(BY_ID, fields, opportunityDraft)),
    BY_ID,
  )
