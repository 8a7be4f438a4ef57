import * as v from 'valibot'
import { bulkOf } from './bulk.ts'
import { bulkResult, named } from './common.ts'
import { Company, CompanyPatch } from './companies.ts'
import { ContactPatch, ContactRecord } from './contacts.ts'
import { about, Id, SingleLine } from './fields.ts'
import { OpportunityPatch, OpportunityRecord } from './opportunities.ts'

/** The fields of an upsert are those of an update; a new record needs its name. */
export const ContactDraft = ContactPatch
export type ContactDraft = v.InferOutput<typeof ContactDraft>
export const CompanyDraft = CompanyPatch
export type CompanyDraft = v.InferOutput<typeof CompanyDraft>
export const OpportunityDraft = v.strictObject({
  ...OpportunityPatch.entries,
  external_id: v.pipe(
    SingleLine(255),
    v.minLength(1, 'must not be empty'),
    v.description('The record’s id in another system, by which it is found.'),
    v.examples(['1C1I7A6R']),
  ),
  stage_id: v.optional(about(Id, 'Where it lands, or is moved to.')),
})
export type OpportunityDraft = v.InferOutput<typeof OpportunityDraft>

const KEYS = ['external_id', 'email', 'phone'] as const

/** By which fields a record is found, in order. */
const MatchOn = v.optional(
  v.pipe(
    v.array(v.picklist(KEYS, `must be one of: ${KEYS.join(', ')}`), 'must be a list of fields'),
    v.minLength(1, 'must name at least one field'),
    v.maxLength(KEYS.length, 'must name each field once'),
    v.check((keys) => new Set(keys).size === keys.length, 'must name each field once'),
    v.description('The fields that a record is found by: the first one that is sent and that finds a record decides.'),
    v.examples([[...KEYS]]),
  ),
  [...KEYS],
)

export const UpsertContact = v.strictObject({ ...ContactDraft.entries, match_on: MatchOn })
export const UpsertContacts = v.strictObject({ match_on: MatchOn, records: bulkOf(ContactDraft) })
export const UpsertCompany = v.strictObject({ ...CompanyDraft.entries, match_on: MatchOn })
export const UpsertCompanies = v.strictObject({ match_on: MatchOn, records: bulkOf(CompanyDraft) })
export const UpsertOpportunities = v.strictObject({ records: bulkOf(OpportunityDraft) })

const created = v.pipe(v.boolean(), v.description('true: there was none, and it was created; false: it was there, and was changed.'))

export const UpsertedContact = named('UpsertedContact', v.object({ ...ContactRecord.entries, created }))
export const UpsertedCompany = named('UpsertedCompany', v.object({ ...Company.entries, created }))
export const UpsertedOpportunity = named('UpsertedOpportunity', v.object({ ...OpportunityRecord.entries, created }))
export const UpsertedContacts = bulkResult(UpsertedContact)
export const UpsertedCompanies = bulkResult(UpsertedCompany)
export const UpsertedOpportunities = bulkResult(UpsertedOpportunity)
