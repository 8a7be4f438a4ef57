import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  Country,
  DateOrInstant,
  describe,
  Email,
  Enum,
  Id,
  InstantOut,
  IsoDate,
  Metadata,
  Multiline,
  Name,
  optional,
  Phone,
  SingleLine,
  TimeZoneText,
} from '../../../schemas/fields.ts'
import { STATUSES } from '../../pipelines/rules/pipeline.ts'
import { Tags, TagsOut } from '../../tags/schemas/tags.ts'
import { CONTACT_SOURCES } from '../rules/types.ts'

const emails = v.pipe(
  v.array(Email),
  v.maxLength(50, 'must be at most 50 addresses'),
  v.description('Other addresses of the same person, used only to recognise the contact.'),
)

const phones = v.pipe(
  v.array(Phone),
  v.maxLength(50, 'must be at most 50 numbers'),
  v.description(
    'Other phone numbers of the same person, used only to recognise the contact: in any format, stored in E.164. ' +
      'Without a country prefix they are taken as numbers of the record’s country.',
  ),
  v.examples([['+61498765432']]),
)

/** The writable fields. */
export const contactFields = {
  first_name: describe(Name(100), 'Given name.', 'Ana'),
  last_name: optional(describe(SingleLine(100), 'Family name.', 'Lee')),
  email: optional(Email),
  alternate_emails: v.optional(v.nullable(emails)),
  phone: optional(Phone),
  alternate_phones: v.optional(v.nullable(phones)),
  landline: optional(Phone),
  job_title: optional(describe(SingleLine(120), 'Job title.', 'Head of Operations')),
  contact_type: optional(describe(SingleLine(80), 'One of the workspace’s contact types.', 'Customer')),
  date_of_birth: optional(IsoDate),
  notes: optional(Multiline()),
  source: v.optional(Enum(CONTACT_SOURCES, 'How the contact was added.')),
  source_id: optional(describe(Id, 'The lead source the contact came through.')),
  address_line1: optional(SingleLine()),
  address_line2: optional(SingleLine()),
  city: optional(describe(SingleLine(120), 'City.', 'Newcastle')),
  state: optional(describe(SingleLine(120), 'State. Also decides the local time when `timezone` is not set.', 'NSW')),
  postal_code: optional(describe(SingleLine(20), 'Postal code.', '2300')),
  country: optional(
    describe(Country, 'The country: a name or an ISO 3166 code, stored as its English name. Defaults to Australia.', 'Australia'),
  ),
  timezone: optional(TimeZoneText),
  is_primary: v.optional(describe(Bool, 'Whether this is the primary contact of the linked company. Replaces the previous one.')),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
  relationship_started_at: optional(
    describe(DateOrInstant, 'When the relationship began; not in the future. Defaults to the creation time.', '2024-07-01'),
  ),
  email_unsubscribed: v.optional(describe(Bool, 'true stops email to the contact.', false)),
  sms_unsubscribed: v.optional(describe(Bool, 'true stops SMS to the contact.', false)),
  voice_unsubscribed: v.optional(describe(Bool, 'true stops calls to the contact.', false)),
  whatsapp_unsubscribed: v.optional(describe(Bool, 'true stops WhatsApp to the contact.', false)),
  is_referrer: v.optional(describe(Bool, 'Whether the contact is a referral partner.', false)),
  referrer_category: optional(describe(SingleLine(80), 'The referral partner’s tier.', 'Gold')),
  referrer_opportunity_id: optional(describe(Id, 'The referrer’s anchor opportunity; marks the contact as a referrer.')),
  customer_id: optional(describe(Id, 'The linked company.')),
  assigned_to: optional(describe(Id, 'The member who is responsible for the contact.')),
  tags: v.optional(Tags),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'hubspot-1042')),
}

export const NewContact = v.strictObject(contactFields)
/** A record of a file, which may have been archived in the system that it comes from, and may have no first name there. */
export const ImportedContact = v.strictObject({
  ...NewContact.entries,
  first_name_derived: v.optional(v.literal(true)),
  archived: v.optional(archivedOut),
})
export const ContactPatch = v.strictObject({ ...v.partial(NewContact).entries, archived: v.optional(archivedOut) })
export const ContactPatchWithId = v.strictObject({ id: Id, ...ContactPatch.entries })
export type NewContact = v.InferOutput<typeof NewContact> & { first_name_derived?: true }
export type ContactPatch = v.InferOutput<typeof ContactPatch>

export const Contact = named(
  'Contact',
  v.object({
    id: Id,
    first_name: v.string(),
    last_name: v.nullable(v.string()),
    email: v.nullable(v.string()),
    alternate_emails: v.array(v.string()),
    phone: v.pipe(v.nullable(v.string()), v.description('The phone number in E.164.')),
    alternate_phones: v.array(v.string()),
    landline: v.nullable(v.string()),
    job_title: v.nullable(v.string()),
    contact_type: v.nullable(v.string()),
    date_of_birth: v.nullable(IsoDate),
    notes: v.nullable(v.string()),
    source: v.picklist(CONTACT_SOURCES),
    source_id: v.nullable(Id),
    address_line1: v.nullable(v.string()),
    address_line2: v.nullable(v.string()),
    city: v.nullable(v.string()),
    state: v.nullable(v.string()),
    postal_code: v.nullable(v.string()),
    country: v.nullable(v.string()),
    timezone: v.nullable(v.string()),
    is_primary: v.boolean(),
    metadata: v.record(v.string(), v.unknown()),
    relationship_started_at: v.nullable(InstantOut),
    email_unsubscribed: v.boolean(),
    sms_unsubscribed: v.boolean(),
    voice_unsubscribed: v.boolean(),
    whatsapp_unsubscribed: v.boolean(),
    is_referrer: v.boolean(),
    referrer_category: v.nullable(v.string()),
    referrer_opportunity_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    assigned_to: v.nullable(Id),
    tags: TagsOut,
    external_id: v.nullable(v.string()),
    archived: archivedOut,
    ...timestamps,
  }),
)

/** One contact, with its company. */
export const ContactRecord = named(
  'ContactRecord',
  v.object({
    ...Contact.entries,
    company: v.pipe(v.nullable(v.object({ id: Id, name: v.string() })), v.description('The linked company.')),
  }),
)

/** What a contact is part of: how many, and the newest. */
const partOf = (item: v.GenericSchema, what: string) =>
  v.object({
    count: v.pipe(v.number(), v.integer(), v.description(`How many ${what}, counted up to 100.`)),
    more: v.pipe(v.boolean(), v.description('Whether there are more than `count`.')),
    newest: v.pipe(v.array(item), v.description('The ten newest; a list of its own has the others.')),
  })

/** A contact as it is read, with what it is part of. */
export const ContactDetails = named(
  'ContactDetails',
  v.object({
    ...ContactRecord.entries,
    stakeholder_types: v.pipe(
      partOf(v.object({ id: Id, name: v.string() }), 'stakeholder types the contact is a member of'),
      v.description('The stakeholder types of the contact.'),
    ),
    opportunities: v.pipe(
      v.nullable(
        partOf(
          v.object({ id: Id, name: v.string(), status: v.picklist(STATUSES), role: v.nullable(v.string()) }),
          'opportunities the contact is linked to',
        ),
      ),
      v.description('The opportunities of the contact; null without the scope `opportunities:read`.'),
    ),
    lists: v.pipe(
      v.nullable(partOf(v.object({ id: Id, name: v.string() }), 'static lists the contact is a member of')),
      v.description(
        'The static lists of the contact; null without the scope `lists:read`. GET /contacts/{contact_id}/lists also has the ' +
          'live lists that it matches.',
      ),
    ),
  }),
)

export const LocalTime = named(
  'LocalTime',
  v.object({
    timezone: v.string(),
    decided_by: v.picklist(['timezone', 'state', 'phone', 'workspace']),
    local_time: v.pipe(
      v.string(),
      v.description('The contact’s current local time, YYYY-MM-DDTHH:mm:ss.'),
      v.examples(['2026-11-20T19:31:06']),
    ),
  }),
)

export const Link = v.strictObject({ contact_id: Id, customer_id: Id })

export const Employer = named(
  'Employer',
  v.object({
    contact_id: Id,
    customer_id: Id,
    company_name: v.string(),
    is_main: v.pipe(v.boolean(), v.description('Whether this is the contact’s main company (its customer_id).')),
    created_at: InstantOut,
  }),
)
