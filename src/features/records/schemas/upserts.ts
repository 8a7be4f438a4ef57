import * as v from 'valibot'
import { bulkOf } from '../../../schemas/bulk.ts'
import { bulkResult, named } from '../../../schemas/common.ts'
import { describe, Id, SingleLine } from '../../../schemas/fields.ts'
import { Company, CompanyPatch } from '../../companies/schemas/companies.ts'
import { ContactPatch, ContactRecord } from '../../contacts/schemas/contacts.ts'
import { OpportunityPatch, OpportunityRecord } from '../../opportunities/schemas/opportunities.ts'

/** An upsert has the fields of an update; a new record also requires a name. */
export const ContactDraft = ContactPatch
export type ContactDraft = v.InferOutput<typeof ContactDraft>
export const CompanyDraft = CompanyPatch
export type CompanyDraft = v.InferOutput<typeof CompanyDraft>
export const OpportunityDraft = v.strictObject({
  ...OpportunityPatch.entries,
  external_id: v.pipe(
    SingleLine(255),
    v.minLength(1, 'must not be empty'),
    v.description('The record’s id in another system, which identifies the record.'),
    v.examples(['1C1I7A6R']),
  ),
  stage_id: v.optional(describe(Id, 'The stage in which a new opportunity starts, or to which an existing one is moved.')),
})
export type OpportunityDraft = v.InferOutput<typeof OpportunityDraft>

const CONTACT_KEYS = ['external_id', 'email', 'phone'] as const
const COMPANY_KEYS = ['external_id', 'abn', 'email', 'phone', 'website_url'] as const

/** The fields by which a record is matched, in order. */
const matchOn = <const Key extends string>(keys: readonly [Key, ...Key[]], how: string) =>
  v.pipe(
    v.array(v.picklist(keys, `must be one of: ${keys.join(', ')}`), 'must be a list of fields'),
    v.minLength(1, 'must contain at least one field'),
    v.maxLength(keys.length, 'must contain each field once'),
    v.check((sent) => new Set(sent).size === sent.length, 'must contain each field once'),
    v.description(
      'The fields by which an existing record is matched, in this order: the first one that is sent and matches a record decides. ' +
        `If it matches several, the call is refused with 409 and their ids. ${how}`,
    ),
    v.examples([[...keys]]),
  )
const ContactMatch = v.optional(matchOn(CONTACT_KEYS, 'email also matches alternate_emails, and phone alternate_phones.'), [
  ...CONTACT_KEYS,
])
const CompanyMatch = v.optional(
  matchOn(
    COMPANY_KEYS,
    'abn is compared without spaces, website_url by its domain, also among `domains`; pages at shared hosts such as ' +
      'facebook.com match nothing.',
  ),
  [...COMPANY_KEYS],
)

export const UpsertContact = v.strictObject({ ...ContactDraft.entries, match_on: ContactMatch })
export const UpsertContacts = v.strictObject({ match_on: ContactMatch, records: bulkOf(ContactDraft) })
export const UpsertCompany = v.strictObject({ ...CompanyDraft.entries, match_on: CompanyMatch })
export const UpsertCompanies = v.strictObject({ match_on: CompanyMatch, records: bulkOf(CompanyDraft) })
export const UpsertOpportunities = v.strictObject({ records: bulkOf(OpportunityDraft) })

const created = v.pipe(v.boolean(), v.description('true: the record was created; false: an existing record was updated.'))

/** By which field an existing record was found; null for a new one. */
const matched = v.pipe(
  v.nullable(v.string()),
  v.description(
    'The field by which the record was matched, such as `email`, also for another address or number of a contact; null: it was created.',
  ),
  v.examples(['external_id']),
)
const outcome = { created, matched_by: matched }

export const UpsertedContact = named('UpsertedContact', v.object({ ...ContactRecord.entries, ...outcome }))
export const UpsertedCompany = named('UpsertedCompany', v.object({ ...Company.entries, ...outcome }))
export const UpsertedOpportunity = named('UpsertedOpportunity', v.object({ ...OpportunityRecord.entries, ...outcome }))
export const UpsertedContacts = bulkResult(UpsertedContact)
export const UpsertedCompanies = bulkResult(UpsertedCompany)
export const UpsertedOpportunities = bulkResult(UpsertedOpportunity)
