import * as v from 'valibot'
import { FIELD_OBJECTS, FIELD_TYPES } from '../../../domain/filters/custom-types.ts'
import { unknownTags } from '../../../domain/templates.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import {
  Bool,
  describe,
  Email,
  Enum,
  HexColor,
  Id,
  Integer,
  Metadata,
  Multiline,
  Name,
  optional,
  SingleLine,
} from '../../../schemas/fields.ts'
import { LocalPhone } from '../../../schemas/parsers.ts'
import { MERGE_TAGS } from '../../birthdays/rules/birthday.ts'
import { Origins } from './workspace.ts'

const listOf = <S extends v.GenericSchema>(entry: S, max = 200) =>
  v.pipe(v.array(entry, 'must be a list'), v.maxLength(max, `must have at most ${max} entries`))

/** A list of names, of which the database stores the distinct ones. */
const Names = (what: string, ...examples: string[]) => v.pipe(listOf(Name(120)), v.description(what), v.examples([examples]))
const unique = <Value>(values: Value[]) => [...new Set(values)]
const Emails = (what: string) => v.pipe(listOf(Email, 50), v.transform(unique), v.description(what), v.examples([['ana@example.com']]))

/** Refuses a list with two entries of the same `key`; the issue points to the `field` of the second entry. */
const distinct = <Entry>(field: keyof Entry & string, key: (entry: Entry) => unknown, message: string) =>
  v.rawCheck<Entry[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const keys = dataset.value.map(key)
    const index = keys.findIndex((value, at) => value != null && keys.indexOf(value) < at)
    const entry = dataset.value[index]
    if (entry == null) return
    const inList: v.ArrayPathItem = { type: 'array', origin: 'value', input: dataset.value, key: index, value: entry }
    addIssue({ message, path: [inList, { type: 'unknown', origin: 'value', input: entry, key: field, value: entry[field] }] })
  })

const CustomField = v.pipe(
  v.strictObject({
    key: v.pipe(
      v.string('must be a key, such as tier'),
      v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be lower-case letters, digits and _, such as tier'),
      v.description('The key in metadata.'),
      v.examples(['tier']),
    ),
    label: describe(Name(120), 'The label that people see.', 'Tier'),
    object: v.optional(Enum(FIELD_OBJECTS, 'The kind of record that has the field.'), 'contact'),
    type: v.optional(Enum(FIELD_TYPES, 'The type of the values.'), 'text'),
    required: v.optional(describe(Bool, 'Whether the field is required.', false), false),
    options: v.optional(Names('The options of a select or multi_select field.', 'Gold', 'Silver'), []),
  }),
  v.forward(
    v.check(({ type, options }) => !type.endsWith('select') || options.length > 0, 'must have at least one option'),
    ['options'],
  ),
)
type CustomField = v.InferOutput<typeof CustomField>

const LeadSourceEntry = v.strictObject({
  id: v.optional(describe(Id, 'The id of an existing lead source, which may be renamed. Without an id, the name identifies the source.')),
  name: describe(Name(120), 'The name of the lead source.', 'Trade fair'),
  is_active: v.optional(describe(Bool, 'Whether the lead source is offered for selection.', true)),
})
export type LeadSourceEntry = v.InferOutput<typeof LeadSourceEntry>

const flag = (what: string, example = true) => v.optional(describe(Bool, what, example))

const LocalTime = (what: string, example: string) =>
  v.pipe(
    v.string(`must be a local time in the form HH:MM, such as ${example}`),
    v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, `must be a local time in the form HH:MM, such as ${example}`),
    v.description(what),
    v.examples([example]),
  )
const QuietHours = v.pipe(
  v.strictObject({
    from: LocalTime('The local time from which on nobody is contacted.', '20:00'),
    to: LocalTime('The local time from which on contacts are contacted again.', '08:00'),
  }),
  v.forward(
    v.partialCheck([['from'], ['to']], ({ from, to }) => from !== to, 'must be another time than from'),
    ['to'],
  ),
)

export const SettingsPatch = v.strictObject({
  custom_fields: v.optional(
    v.pipe(
      listOf(CustomField),
      distinct<CustomField>('key', ({ object, key }) => `${object} ${key}`, 'is a duplicate for this object'),
      v.description('The fields that metadata may contain. Replaces the list.'),
    ),
  ),
  lead_sources: v.optional(
    v.pipe(
      listOf(LeadSourceEntry),
      distinct<LeadSourceEntry>('id', ({ id }) => id, 'is a duplicate'),
      v.description('Replaces the list: one that is left out is deleted, unless contacts have it.'),
    ),
  ),
  lost_reasons: v.optional(Names('The reasons for which opportunities are lost.', 'Price', 'Timing')),
  won_reasons: v.optional(Names('The reasons for which opportunities are won.', 'Quality')),
  opportunity_types: v.optional(Names('Types of opportunity.', 'New business')),
  account_types: v.optional(Names('Types of company.', 'Customer', 'Supplier')),
  contact_types: v.optional(Names('Types of contact.', 'Customer')),
  transcript_settings: v.optional(describe(Metadata, 'Settings by key. An update merges them; null removes a key.', { summarise: true })),
  accounts_enabled: flag('Whether clients show companies.'),
  contacts_enabled: flag('Whether clients show contacts.'),
  enable_work_orders: flag('Whether clients show work orders.'),
  component_instances_on_win: flag(
    'Whether winning an opportunity makes instances of the components of its products: at most 1000 for each ' +
      'opportunity. Defaults to false.',
    false,
  ),
  booking_page_enabled: flag(
    'Whether anyone can book the active event types on the page `/book/<slug>`, with the slug of the workspace. ' +
      'Links to single bookings work without it. Defaults to false.',
    false,
  ),
  booking_embed_origins: v.optional(
    Origins(
      'The sites that may show booking pages in a frame, with the script `/book/embed/v1.js`: at most 20 origins, ' +
        'https or http://localhost. None by default.',
      'https://www.example.com',
    ),
  ),
  notetaker_enabled: flag(
    'Whether bots may record the meetings of bookings: `POST /scheduling-bookings/:booking_id/notetaker` needs it. Defaults to false.',
    false,
  ),
  model_credits_per_day: v.optional(
    v.nullable(describe(Integer(0, 10_000_000), 'The credits that models may use on a day (UTC); null, the default, for no limit.', 500)),
  ),
  campaign_open_tracking: flag(
    'Whether the emails of campaigns have an invisible image by which it is seen who opened them. Defaults to false.',
    false,
  ),
  campaign_click_tracking: flag(
    'Whether the links in the emails of campaigns lead through the mail provider, which reports who followed them. Defaults to false.',
    false,
  ),
  whatsapp_read_receipts: v.optional(
    describe(Bool, 'Whether marking a WhatsApp conversation as read sends read receipts to the other person. Defaults to true.', true),
  ),
  link_contacts_by_domain: flag(
    'Whether a new contact without a company is linked to the one company that has the domain of its email address. ' +
      'Domains of public mail providers, such as gmail.com, link to none.',
    false,
  ),
  quiet_hours: v.optional(
    v.pipe(
      v.nullable(QuietHours),
      v.description(
        'The hours of every day in which no automatic message is sent to a contact, in the contact’s local time; they may last over ' +
          'midnight. Defaults to 20:00 to 08:00; null for none.',
      ),
      v.examples([{ from: '20:00', to: '08:00' }]),
    ),
  ),
  form_completion_notify_emails: v.optional(Emails('The addresses that are notified of a completed form.')),
  automation_error_notify_emails: v.optional(Emails('The addresses that are notified of a failed automation.')),
  automation_error_notify_phones: v.optional(
    v.pipe(
      listOf(LocalPhone, 50),
      v.transform(unique),
      v.description('The numbers that are notified of a failed automation by SMS.'),
      v.examples([['+61412345678']]),
    ),
  ),
})
export type SettingsPatch = v.InferOutput<typeof SettingsPatch>

const texts = v.array(v.string())

export const LeadSource = named('LeadSource', v.object({ id: Id, name: v.string(), is_active: v.boolean(), ...timestamps }))
export const leadSourceFields = {
  name: describe(Name(120), 'The name of the lead source.', 'Trade fair'),
  is_active: flag('Whether the lead source is offered for selection.'),
}

export const CrmSettings = named(
  'CrmSettings',
  v.object({
    custom_fields: v.array(
      v.object({
        key: v.string(),
        label: v.string(),
        object: v.picklist(FIELD_OBJECTS),
        type: v.picklist(FIELD_TYPES),
        required: v.boolean(),
        options: texts,
      }),
    ),
    lead_sources: v.array(v.object({ id: Id, name: v.string(), is_active: v.boolean() })),
    lost_reasons: texts,
    won_reasons: texts,
    opportunity_types: texts,
    account_types: texts,
    contact_types: texts,
    transcript_settings: v.record(v.string(), v.unknown()),
    accounts_enabled: v.boolean(),
    contacts_enabled: v.boolean(),
    enable_work_orders: v.boolean(),
    component_instances_on_win: v.boolean(),
    booking_page_enabled: v.boolean(),
    booking_embed_origins: v.pipe(texts, v.description('The sites that may show booking pages in a frame.')),
    notetaker_enabled: v.boolean(),
    model_credits_per_day: v.pipe(v.nullable(v.number()), v.description('The credits that models may use on a day; null for no limit.')),
    campaign_open_tracking: v.boolean(),
    campaign_click_tracking: v.boolean(),
    whatsapp_read_receipts: v.boolean(),
    link_contacts_by_domain: v.boolean(),
    quiet_hours: v.pipe(
      v.nullable(
        v.object({ from: v.string(), to: v.pipe(v.string(), v.description('The local time from which on contacts are contacted again.')) }),
      ),
      v.description('The local hours in which no automatic message is sent to a contact; null for none.'),
    ),
    form_completion_notify_emails: texts,
    automation_error_notify_emails: texts,
    automation_error_notify_phones: texts,
    version: timestamps.version,
    updated_at: timestamps.updated_at,
  }),
)

/** A list, or an object with the list under `name`. Issues refer to the form that was sent. */
function bareOrUnder<const N extends string, S extends v.GenericSchema>(name: N, list: S) {
  const control = { require_approval: v.optional(Bool), skip_automations: v.optional(Bool) }
  const object = v.strictObject({ [name]: list, ...control } as { [key in N]: S } & typeof control)
  const either = v.union([object, list])
  return {
    ...either,
    '~run': (dataset, config) => (Array.isArray(dataset.value) ? list : object)['~run'](dataset, config),
  } as typeof either
}

const TAGS = MERGE_TAGS.map((tag) => `{${tag}}`).join(', ')

/** Text in which every merge tag must exist. */
const template = (max: number, what: string, example: string) =>
  optional(
    v.pipe(
      describe(max > 255 ? Multiline(max) : SingleLine(max), what, example),
      v.check(
        (text) => unknownTags(text, MERGE_TAGS).length === 0,
        ({ input }) => `has unknown merge tags (${unknownTags(input, MERGE_TAGS).join(', ')}): use ${TAGS}`,
      ),
    ),
  )

const BirthdayEntry = v.strictObject({
  year: describe(Integer(0, 150), 'The number of years of the relationship for which the messages are used.', 1),
  email_subject: template(200, 'The subject of the email.', 'Happy birthday, {first_name}!'),
  email_body: template(20_000, `The body of the email. Merge tags: ${TAGS}.`, 'All the best, {first_name}, from {company_name}.'),
  sms_body: template(1600, 'The text of the SMS.', 'Happy birthday, {first_name}!'),
})
type BirthdayEntry = v.InferOutput<typeof BirthdayEntry>

export const BirthdayMessages = bareOrUnder(
  'messages',
  v.pipe(
    listOf(BirthdayEntry, 151),
    distinct<BirthdayEntry>('year', ({ year }) => year, 'already has a template'),
  ),
)
export type BirthdayMessages = v.InferOutput<typeof BirthdayMessages>

const text = v.nullable(v.string())
export const BirthdayMessage = named(
  'BirthdayMessage',
  v.object({ year: v.pipe(v.number(), v.integer()), email_subject: text, email_body: text, sms_body: text }),
)

const PaletteEntry = v.strictObject({ name: describe(Name(60), 'The name of the tag.', 'VIP'), color: HexColor })
export const TagPalette = bareOrUnder('tags', listOf(PaletteEntry))
export type TagPalette = v.InferOutput<typeof TagPalette>
export const PaletteTag = named('PaletteTag', v.object({ name: v.string(), color: v.string() }))
