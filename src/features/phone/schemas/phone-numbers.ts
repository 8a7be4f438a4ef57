import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, QueryBool, SingleLine } from '../../../schemas/fields.ts'
import { BodyPhone } from '../../../schemas/parsers.ts'
import { PHONE_NUMBER_STATUSES } from '../../sms/rules/sms.ts'

const number = v.pipe(v.string(), v.description('E.164.'), v.examples(['+61491571570']))
const enabled = (what: string) => v.pipe(v.boolean(), v.description(`Whether it can be used for ${what}.`))

const agent = (does: string) =>
  v.pipe(v.nullable(Id), v.description(`The voice agent that ${does} this number (POST /phone/voice-agents); null for none.`))

export const PhoneNumber = named(
  'PhoneNumber',
  v.object({
    id: Id,
    phone_number: number,
    friendly_name: v.pipe(v.string(), v.description('The name of the number.'), v.examples(['Front desk'])),
    status: v.pipe(
      v.picklist(PHONE_NUMBER_STATUSES),
      v.description('`buying` and `releasing` mean that the outcome at the provider is not known yet: repeat the request.'),
    ),
    sms_enabled: enabled('SMS'),
    mms_enabled: enabled('MMS'),
    voice_enabled: enabled('calls'),
    transfer_number: v.pipe(
      v.nullable(v.string()),
      v.description('Who is called when no voice agent answers, in E.164; a voice agent gets it as the variable transfer_number.'),
      v.examples(['+61412345678']),
    ),
    inbound_voice_agent_config_id: agent('answers'),
    outbound_voice_agent_config_id: agent('calls from'),
    address_id: v.pipe(v.nullable(Id), v.description('The regulatory address that it was bought with; null for none.')),
    bundle_id: v.pipe(v.nullable(Id), v.description('The regulatory bundle that it was bought with; null for none.')),
    voice_provider_last_synced_at: v.pipe(v.nullable(InstantOut), v.description('When the voice provider last got the voice agents.')),
    voice_provider_last_sync_error: v.pipe(
      v.nullable(v.string()),
      v.description('Why the voice provider did not get them at the latest attempt. It is repeated up to six times.'),
      v.examples([null]),
    ),
    ...timestamps,
  }),
)
export type PhoneNumber = v.InferOutput<typeof PhoneNumber>

const required = (text: string) => v.optional(v.nullable(v.pipe(Id, v.description(`${text} null for none.`))))
export const PhoneNumberToBuy = v.strictObject({
  phone_number: describe(BodyPhone, 'A number that POST /phone/numbers/search has returned.', '+61491571570'),
  friendly_name: v.optional(describe(SingleLine(64), 'A name for the number. By default it is the number.', 'Front desk')),
  address_id: required(
    'An active regulatory address (POST /phone/addresses), if the country requires one. ' +
      'By default the latest one in the country of the number.',
  ),
  bundle_id: required(
    'An approved regulatory bundle (POST /phone/bundles), if the country requires one. ' +
      'By default the latest one for the country of the number.',
  ),
})
export type PhoneNumberToBuy = v.InferOutput<typeof PhoneNumberToBuy>

export const PhoneNumberPatch = v.partial(
  v.strictObject({
    friendly_name: describe(SingleLine(64), 'A name for the number.', 'Front desk'),
    transfer_number: v.nullable(describe(BodyPhone, 'Who is called when no voice agent answers. Stored as E.164.', '+61412345678')),
    inbound_voice_agent_config_id: agent('answers'),
    outbound_voice_agent_config_id: agent('calls from'),
  }),
)
export type PhoneNumberPatch = v.InferOutput<typeof PhoneNumberPatch>

const TYPES = ['local', 'mobile', 'toll_free'] as const
export const NumberSearch = v.strictObject({
  country: v.optional(
    v.pipe(
      v.string(),
      v.toUpperCase(),
      v.regex(/^[A-Z]{2}$/, 'must be a country code of two letters, such as AU'),
      v.description('The country (ISO 3166).'),
      v.examples(['AU']),
    ),
    'AU',
  ),
  type: v.optional(v.pipe(v.picklist(TYPES, `must be one of: ${TYPES.join(', ')}`), v.description('The kind of number.')), 'mobile'),
  contains: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{2,10}$/, 'must be 2 to 10 digits'),
      v.description('Digits that the number contains.'),
      v.examples(['570']),
    ),
  ),
  sms_enabled: v.optional(v.pipe(QueryBool, v.description('true: only numbers that can be used for SMS.'), v.examples([true]))),
})
export type NumberSearch = v.InferOutput<typeof NumberSearch>

/** As Twilio names them. */
const ADDRESS_REQUIREMENTS = ['none', 'any', 'local', 'foreign'] as const
const place = (what: string) => v.pipe(v.nullable(v.string()), v.description(`The ${what} of the number, if it has one.`))
export const AvailableNumber = named(
  'AvailablePhoneNumber',
  v.object({
    phone_number: number,
    friendly_name: v.pipe(v.string(), v.description('The number as it is written in its country.')),
    iso_country: v.pipe(v.string(), v.description('The country (ISO 3166).'), v.examples(['AU'])),
    locality: place('city'),
    region: place('state or region'),
    address_requirements: v.pipe(
      v.picklist(ADDRESS_REQUIREMENTS),
      v.description('Which address the number is bought with: none, any, one in its country (`local`) or one elsewhere (`foreign`).'),
    ),
    capabilities: v.pipe(
      v.object({ voice: enabled('calls'), sms: enabled('SMS'), mms: enabled('MMS') }),
      v.description('What it can be used for.'),
    ),
  }),
)
export const AvailableNumbers = named(
  'AvailablePhoneNumbers',
  v.object({ numbers: v.pipe(v.array(AvailableNumber), v.description('At most 30 numbers that can be bought now.')) }),
)
