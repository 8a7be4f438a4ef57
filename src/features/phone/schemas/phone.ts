import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Email, Enum, Id, Ids, InstantOut, Name, SingleLine } from '../../../schemas/fields.ts'
import { QueryPhone } from '../../../schemas/parsers.ts'
import { CALL_DIRECTIONS, CALL_PROVIDERS, CALL_SENTIMENTS, CALL_STATUSES } from '../rules/calls.ts'
import { ADDRESS_STATUSES, BUNDLE_STATUSES, END_USER_TYPES, NUMBER_TYPES } from '../rules/phone-records.ts'

const text = (description: string, example: string | null) =>
  v.pipe(v.nullable(v.string()), v.description(description), v.examples([example]))
const required = (description: string, example: string) => v.pipe(v.string(), v.description(description), v.examples([example]))

export const voiceAgentFields = {
  name: describe(SingleLine(120), 'What the agent is called here.', 'Receptionist'),
}
export const VoiceAgentToAdd = v.strictObject({
  ...voiceAgentFields,
  provider_agent_id: v.pipe(
    v.string('must be text: the id of the agent at the voice provider'),
    v.regex(/^agent_[0-9A-Za-z]{1,80}$/, 'must be the id of an agent at the voice provider, such as agent_4f1a'),
    v.description('The id of the agent at the voice provider, which no other workspace may have added.'),
    v.examples(['agent_4f1a']),
  ),
})
export type VoiceAgentToAdd = v.InferOutput<typeof VoiceAgentToAdd>
export const VoiceAgentConfig = named(
  'VoiceAgentConfig',
  v.object({
    id: Id,
    name: required('What the agent is called here.', 'Receptionist'),
    provider_agent_id: text('The id of the agent at the voice provider; null until it is published there.', 'agent_4f1a'),
    ...timestamps,
  }),
)

const link = (what: string) => text(`A link to the ${what} at the provider, which may expire.`, null)
const callLog = {
  id: Id,
  provider: v.picklist(CALL_PROVIDERS),
  provider_call_id: required('The id of the call at the provider.', 'call_7f2c'),
  direction: v.picklist(CALL_DIRECTIONS),
  status: v.picklist(CALL_STATUSES),
  phone_number: required('The number of the workspace.', '+61491571570'),
  external_phone_number: text('The number of the other side; null when it is hidden.', '+61412345678'),
  contact_id: v.pipe(v.nullable(Id), v.description('The contact who has the other number.')),
  voice_agent_config_id: v.pipe(v.nullable(Id), v.description('The voice agent that was on the line.')),
  agent_version: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer())),
    v.description('The version of the agent (GET /agents/:agent_id/versions); null for one that was published elsewhere.'),
    v.examples([1]),
  ),
  tool_calls: v.pipe(
    v.array(v.string()),
    v.description('The tools that the agent has called, in their order; at most 100.'),
    v.examples([['book']]),
  ),
  cost_cents: v.pipe(
    v.nullable(v.number()),
    v.description('What the voice provider charges for the call, in US cents.'),
    v.examples([21.5]),
  ),
  started_at: InstantOut,
  ended_at: v.nullable(InstantOut),
  duration_seconds: v.nullable(v.pipe(v.number(), v.integer(), v.description('How long the call lasted.'), v.examples([84]))),
  ended_reason: text('Why it ended, in the words of the provider.', 'user_hangup'),
  recording_url: link('recording'),
  transcript_url: link('log of the call, with what was said'),
  summary: text('What the call was about.', 'Ana asks for a quote.'),
  sentiment: v.pipe(v.nullable(v.picklist(CALL_SENTIMENTS)), v.description('How the other side felt.')),
  is_successful: v.pipe(v.nullable(v.boolean()), v.description('Whether the voice agent has reached its goal.')),
  created_at: InstantOut,
}
export const CallLog = named('CallLog', v.object(callLog))
export const CallLogDetail = named(
  'CallLogDetail',
  v.object({ ...callLog, transcript: text('What was said, at most 60,000 bytes of it.', 'Agent: Good morning.\nUser: Hello.') }),
)
export const callFilters = {
  contact_id: v.optional(describe(Id, 'Calls with this contact.')),
  phone_number: v.optional(describe(QueryPhone, 'Calls of this number of the workspace.')),
  external_phone_number: v.optional(describe(QueryPhone, 'Calls with this number.')),
  voice_agent_config_id: v.optional(describe(Id, 'Calls of this voice agent.')),
  direction: v.optional(Enum(CALL_DIRECTIONS, 'Who has called.')),
  status: v.optional(Enum(CALL_STATUSES, 'The status of the calls.')),
}

const country = (description: string) =>
  v.pipe(
    v.string('must be a country code of two letters, such as AU'),
    v.toUpperCase(),
    v.regex(/^[A-Z]{2}$/, 'must be a country code of two letters, such as AU'),
    v.description(description),
    v.examples(['AU']),
  )
const error = text('What the provider answered at the latest attempt, while it has failed.', null)

export const PhoneAddressToAdd = v.strictObject({
  customer_name: describe(Name(200), 'The person or company at the address.', 'Harbour Renovations Pty Ltd'),
  street: describe(Name(200), 'The number and the street.', '12 Bridge Street'),
  street_secondary: v.optional(v.nullable(describe(SingleLine(200), 'The unit or floor.', 'Level 3')), null),
  city: describe(Name(100), 'The city.', 'Sydney'),
  region: describe(Name(100), 'The state or region.', 'NSW'),
  postal_code: describe(Name(20), 'The postal code.', '2000'),
  country: country('The country (ISO 3166).'),
})
export type PhoneAddressToAdd = v.InferOutput<typeof PhoneAddressToAdd>
export const PhoneAddress = named(
  'PhoneAddress',
  v.object({
    id: Id,
    customer_name: required('The person or company at the address.', 'Harbour Renovations Pty Ltd'),
    street: required('The number and the street.', '12 Bridge Street'),
    street_secondary: text('The unit or floor.', 'Level 3'),
    city: required('The city.', 'Sydney'),
    region: required('The state or region.', 'NSW'),
    postal_code: required('The postal code.', '2000'),
    country: required('The country (ISO 3166).', 'AU'),
    status: v.pipe(
      v.picklist(ADDRESS_STATUSES),
      v.description('`creating`: the outcome at the provider is not known yet, and is looked up. `failed`: it was not created; see error.'),
    ),
    validated: v.pipe(v.boolean(), v.description('Whether the provider has found the address.')),
    error,
    ...timestamps,
  }),
)
export type PhoneAddress = v.InferOutput<typeof PhoneAddress>

const Attributes = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be the name of an attribute, such as business_name')),
    SingleLine(500),
    'must be an object of texts',
  ),
  v.maxEntries(40, 'must have at most 40 attributes'),
)
export const PhoneBundleToAdd = v.strictObject({
  friendly_name: describe(SingleLine(64), 'A name for the bundle.', 'Sydney numbers'),
  email: describe(Email, 'Where the provider writes about its review.', 'compliance@example.com'),
  country: country('The country of the numbers (ISO 3166).'),
  number_type: Enum(NUMBER_TYPES, 'The kind of numbers.'),
  end_user_type: Enum(END_USER_TYPES, 'Who uses the numbers.'),
  end_user: v.pipe(
    Attributes,
    v.description('The attributes of that person or company, by the names of the provider.'),
    v.examples([{ business_name: 'Harbour Renovations Pty Ltd' }]),
  ),
  documents: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          type: v.pipe(
            v.string('must be text'),
            v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be a type of document, such as business_registration'),
            v.description('The type of the document, by the name of the provider.'),
            v.examples(['business_registration']),
          ),
          attributes: v.optional(
            v.pipe(Attributes, v.description('What the document says.'), v.examples([{ document_number: '12345678' }])),
            {},
          ),
          address_ids: v.optional(describe(Ids(5), 'Addresses that it names (POST /phone/addresses).')),
        }),
        'must be a list of documents',
      ),
      v.maxLength(10, 'must have at most 10 documents'),
      v.description('The documents that prove it.'),
    ),
    [],
  ),
})
export type PhoneBundleToAdd = v.InferOutput<typeof PhoneBundleToAdd>

const bundle = {
  id: Id,
  friendly_name: required('The name of the bundle.', 'Sydney numbers'),
  email: required('Where the provider writes about its review.', 'compliance@example.com'),
  country: required('The country of the numbers (ISO 3166).', 'AU'),
  number_type: v.picklist(NUMBER_TYPES),
  end_user_type: v.picklist(END_USER_TYPES),
  status: v.pipe(
    v.picklist(BUNDLE_STATUSES),
    v.description(
      '`creating` and `submitting`: the outcome at the provider is not known yet, and is looked up. ' +
        'The rest is how far its review has come.',
    ),
  ),
  address_ids: v.pipe(v.array(Id), v.description('The addresses that its documents name.')),
  submitted_at: v.nullable(InstantOut),
  failure_reason: text('Why the reviewer has rejected it.', null),
  error,
  ...timestamps,
}
export const PhoneBundle = named('PhoneBundle', v.object(bundle))
export type PhoneBundle = v.InferOutput<typeof PhoneBundle>

const Requirement = v.object({
  name: required('The name of the requirement at the provider.', 'business_info'),
  friendly_name: required('What it is called.', 'Business'),
  object_type: required('What must fulfil it.', 'business'),
  passed: v.boolean(),
  failure_reason: text('Why it is not fulfilled.', null),
  invalid: v.pipe(
    v.array(v.object({ field: required('The attribute.', 'business_name'), reason: text('What is wrong with it.', null) })),
    v.description('The attributes that are missing or wrong.'),
  ),
})
export const PhoneBundleDetail = named(
  'PhoneBundleDetail',
  v.object({
    ...bundle,
    provider: v.pipe(
      v.nullable(
        v.object({
          id: required('The id of the bundle at the provider.', 'BU00000000000000000000000000000000'),
          status: required('Its status in the words of the provider.', 'draft'),
          friendly_name: required('Its name at the provider.', 'Sydney numbers'),
          valid_until: text('When it expires.', null),
          failure_reason: text('Why it was rejected.', null),
        }),
      ),
      v.description('What the provider says now; null if it has no bundle yet or does not answer.'),
    ),
    evaluations: v.pipe(
      v.nullable(
        v.array(
          v.object({
            id: v.string(),
            status: v.picklist(['compliant', 'noncompliant']),
            created_at: InstantOut,
            requirements: v.array(Requirement),
          }),
        ),
      ),
      v.description('Its evaluations so far, the latest 20, with each requirement.'),
    ),
    provider_error: text('Why the provider could not be asked.', null),
  }),
)
export type PhoneBundleDetail = v.InferOutput<typeof PhoneBundleDetail>
