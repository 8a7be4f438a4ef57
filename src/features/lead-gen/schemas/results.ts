import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Country, describe, Email, Enum, Id, Ids, InstantOut, Name, optional, Phone, SingleLine, Url } from '../../../schemas/fields.ts'
import { CONSENT_BASES } from '../rules/consent.ts'
import { MAX_RESULTS } from '../rules/results.ts'
import { LEAD_MATCHES, LEAD_STATUSES, SETTABLE_STATUSES } from '../rules/statuses.ts'

const CONSENT = 'Why the person may be written to. `none` (the default) cannot be enrolled where the law of the country asks for consent.'
const fields = {
  name: describe(Name(200), 'The person or business that was found.', 'Ana Silva'),
  company_name: optional(describe(SingleLine(200), 'The business of the person.', 'Harbour Hotels')),
  email: optional(Email),
  phone: optional(
    describe(
      Phone,
      'In any format, stored in E.164. Without a country prefix it is one of the country that is sent, or else of Australia.',
    ),
  ),
  website: v.optional(v.nullable(describe(Url, 'The website of the business.', 'https://harbour-hotels.example'))),
  city: optional(describe(SingleLine(120), 'City.', 'Newcastle')),
  country: optional(describe(Country, 'A name or an ISO 3166 code, stored as its English name.', 'Australia')),
  source: optional(describe(SingleLine(120), 'Where it was found, as free text.', 'Trade fair')),
  source_id: optional(describe(SingleLine(255), 'Its id there.', 'stand-214')),
  consent_basis: v.optional(Enum(CONSENT_BASES, CONSENT)),
}
const part = optional(SingleLine(200))
/** A line of a file: it may have the name in parts, or only that of a business. */
export const ImportedLead = v.strictObject({ ...fields, name: v.optional(fields.name), first_name: part, last_name: part })
export type ImportedLead = v.InferOutput<typeof ImportedLead>
export const ImportedLeadPatch = v.strictObject({ id: Id, ...v.partial(ImportedLead).entries })
const contact = v.optional(v.nullable(describe(Id, 'The contact of this person. One that is known is found by itself.')))
export const NewLeadResult = v.strictObject(fields)
export type NewLeadResult = v.InferOutput<typeof NewLeadResult>
export const LeadResultPatch = v.strictObject({
  ...v.partial(v.strictObject(fields)).entries,
  contact_id: contact,
  status: v.optional(
    Enum(SETTABLE_STATUSES, '`rejected` takes it out of use, `new` puts it into use again. A result that was converted keeps its state.'),
  ),
})
export type LeadResultPatch = v.InferOutput<typeof LeadResultPatch>

export const leadFilters = {
  status: v.optional(Enum(LEAD_STATUSES)),
  source: v.optional(SingleLine(120)),
  consent_basis: v.optional(Enum(CONSENT_BASES)),
  contact_id: v.optional(Id),
}

const text = v.nullable(v.string())
const idOrNull = (what: string) => v.pipe(v.nullable(Id), v.description(what))
export const LeadResult = named(
  'LeadResult',
  v.object({
    id: Id,
    name: v.string(),
    company_name: text,
    email: text,
    phone: v.pipe(text, v.description('The phone number in E.164.')),
    website: v.pipe(text, v.description('The website of the business.')),
    city: text,
    country: text,
    source: text,
    source_id: v.pipe(text, v.description('Its id at the source.')),
    consent_basis: Enum(CONSENT_BASES, CONSENT),
    status: Enum(LEAD_STATUSES, '`duplicate`: an earlier result is the same, and this one is neither enrolled nor converted.'),
    duplicate_of_id: idOrNull('The earlier result that is the same.'),
    matched_by: v.pipe(
      v.nullable(v.picklist(LEAD_MATCHES)),
      v.description('By what the earlier result or the contact was found; the surest that both have decides.'),
    ),
    contact_id: idOrNull('The contact of this person, as far as it is known.'),
    customer_id: idOrNull('The company, after the conversion.'),
    opportunity_id: idOrNull('The opportunity, after the conversion.'),
    converted_at: v.pipe(v.nullable(InstantOut), v.description('When it was converted.')),
    ...timestamps,
  }),
)
export type LeadResult = v.InferOutput<typeof LeadResult>

export const leadResultIds = describe(Ids(MAX_RESULTS), `One to ${MAX_RESULTS} lead results.`)
export const LeadConversion = v.strictObject({
  lead_result_ids: leadResultIds,
  pipeline_id: v.optional(describe(Id, 'The pipeline of the opportunities. By default the default one.')),
  create_opportunities: v.optional(
    v.pipe(
      v.boolean('must be true or false'),
      v.description('Whether each also gets an opportunity. True by default.'),
      v.examples([true]),
    ),
  ),
})
export type LeadConversion = v.InferOutput<typeof LeadConversion>
