import * as v from 'valibot'
import { MERGE_TAGS, unknownTags } from '../domain/birthday.ts'
import { distinctNames, lastByName } from '../domain/names.ts'
import { normalise } from '../lib/text.ts'
import { named, timestamps } from './common.ts'
import { about, Bool, Email, Enum, HexColor, Id, Integer, Metadata, Multiline, Name, optional, SingleLine } from './fields.ts'
import { LocalPhone } from './parsers.ts'

const FIELD_OBJECTS = ['contact', 'company', 'opportunity', 'product'] as const
const FIELD_TYPES = ['text', 'long_text', 'number', 'boolean', 'date', 'email', 'phone', 'url', 'select', 'multi_select'] as const

const listOf = <S extends v.GenericSchema>(entry: S, max = 200) =>
  v.pipe(v.array(entry, 'must be a list'), v.maxLength(max, `must have at most ${max} entries`))

/** A list of names, each once. */
const Names = (what: string, ...examples: string[]) =>
  v.pipe(listOf(Name(120)), v.transform(distinctNames), v.description(what), v.examples([examples]))
const unique = <Value>(values: Value[]) => [...new Set(values)]
const Emails = (what: string) => v.pipe(listOf(Email, 50), v.transform(unique), v.description(what), v.examples([['ana@example.com']]))

/** Refuses a list in which two entries have the same `key`, at the second one's `field`. */
const distinct = <Entry>(field: keyof Entry & string, key: (entry: Entry) => unknown, message: string) =>
  v.rawCheck<Entry[]>(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const keys = dataset.value.map(key)
    const index = keys.findIndex((value, at) => value != null && keys.indexOf(value) < at)
    if (index !== -1) addIssue({ message, path: [{ key: index }, { key: field }] as never })
  })

const CustomField = v.pipe(
  v.strictObject({
    key: v.pipe(
      v.string('must be a name'),
      v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be lower-case letters, digits and _, such as tier'),
      v.description('Its name in metadata.'),
      v.examples(['tier']),
    ),
    label: about(Name(120), 'How people see it.', 'Tier'),
    object: v.optional(Enum(FIELD_OBJECTS, 'What has the field.'), 'contact'),
    type: v.optional(Enum(FIELD_TYPES, 'What its values are.'), 'text'),
    required: v.optional(about(Bool, 'Whether people must fill it in.', false), false),
    options: v.optional(Names('What select and multi_select offer.', 'Gold', 'Silver'), []),
  }),
  v.forward(
    v.check(({ type, options }) => !type.endsWith('select') || options.length > 0, 'must have at least one option'),
    ['options'],
  ),
)
type CustomField = v.InferOutput<typeof CustomField>

const LeadSourceEntry = v.strictObject({
  id: v.optional(about(Id, 'Of a lead source that stays, perhaps under another name. Without it the name decides.')),
  name: about(Name(120), 'What it is called.', 'Trade fair'),
  is_active: v.optional(about(Bool, 'Whether it is offered.', true)),
})
export type LeadSourceEntry = v.InferOutput<typeof LeadSourceEntry>

const flag = (what: string) => v.optional(about(Bool, what, true))

export const SettingsPatch = v.strictObject({
  custom_fields: v.optional(
    v.pipe(
      listOf(CustomField),
      distinct<CustomField>('key', ({ object, key }) => `${object} ${key}`, 'stands twice for this object'),
      v.description('The fields that metadata may hold. Replaces the list.'),
    ),
  ),
  lead_sources: v.optional(
    v.pipe(
      listOf(LeadSourceEntry),
      distinct<LeadSourceEntry>('id', ({ id }) => id, 'stands twice'),
      distinct<LeadSourceEntry>('name', ({ name }) => normalise(name), 'stands twice'),
      v.description('Replaces the list: one that is left out is deleted, unless contacts have it.'),
    ),
  ),
  lost_reasons: v.optional(Names('Why opportunities are lost.', 'Price', 'Timing')),
  won_reasons: v.optional(Names('Why opportunities are won.', 'Quality')),
  opportunity_types: v.optional(Names('Types of opportunity.', 'New business')),
  account_types: v.optional(Names('Types of company.', 'Customer', 'Supplier')),
  contact_types: v.optional(Names('Types of contact.', 'Customer')),
  transcript_settings: v.optional(about(Metadata, 'Settings by name. Merges; null removes a name.', { summarise: true })),
  accounts_enabled: flag('Whether companies are shown.'),
  contacts_enabled: flag('Whether contacts are shown.'),
  enable_work_orders: flag('Whether work orders are shown.'),
  form_completion_notify_emails: v.optional(Emails('Who hears of a completed form.')),
  automation_error_notify_emails: v.optional(Emails('Who hears of a failed automation.')),
  automation_error_notify_phones: v.optional(
    v.pipe(
      listOf(LocalPhone, 50),
      v.transform(unique),
      v.description('Who hears of a failed automation by SMS.'),
      v.examples([['+61412345678']]),
    ),
  ),
})
export type SettingsPatch = v.InferOutput<typeof SettingsPatch>

const texts = v.array(v.string())

export const LeadSource = named('LeadSource', v.object({ id: Id, name: v.string(), is_active: v.boolean(), ...timestamps }))
export const leadSourceFields = { name: about(Name(120), 'What it is called.', 'Trade fair'), is_active: flag('Whether it is offered.') }

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
    form_completion_notify_emails: texts,
    automation_error_notify_emails: texts,
    automation_error_notify_phones: texts,
    version: timestamps.version,
    updated_at: timestamps.updated_at,
  }),
)

/** A list by itself, or under `name` in an object: what is wrong is told in terms of the form that was sent. */
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

/** Text whose merge tags all exist. */
const template = (max: number, what: string, example: string) =>
  optional(
    v.pipe(
      about(max > 255 ? Multiline(max) : SingleLine(max), what, example),
      v.check(
        (text) => unknownTags(text).length === 0,
        ({ input }) => `has ${unknownTags(input).join(', ')}, which is no merge tag: use ${TAGS}`,
      ),
    ),
  )

const BirthdayEntry = v.strictObject({
  year: about(Integer(0, 150), 'For contacts who have been with the workspace for so many years.', 1),
  email_subject: template(200, 'Subject of the email.', 'Happy birthday, {first_name}!'),
  email_body: template(20_000, `Body of the email. Merge tags: ${TAGS}.`, 'All the best, {first_name}, from {company_name}.'),
  sms_body: template(1600, 'Text of the SMS.', 'Happy birthday, {first_name}!'),
})
type BirthdayEntry = v.InferOutput<typeof BirthdayEntry>

export const BirthdayMessages = bareOrUnder(
  'messages',
  v.pipe(
    listOf(BirthdayEntry, 151),
    distinct<BirthdayEntry>('year', ({ year }) => year, 'has a template already'),
  ),
)
export type BirthdayMessages = v.InferOutput<typeof BirthdayMessages>

const text = v.nullable(v.string())
export const BirthdayMessage = named(
  'BirthdayMessage',
  v.object({ year: v.pipe(v.number(), v.integer()), email_subject: text, email_body: text, sms_body: text }),
)

const PaletteEntry = v.strictObject({ name: about(Name(60), 'The tag.', 'VIP'), color: HexColor })
export const TagPalette = bareOrUnder('tags', v.pipe(listOf(PaletteEntry), v.transform(lastByName)))
export type TagPalette = v.InferOutput<typeof TagPalette>
export const PaletteTag = named('PaletteTag', v.object({ name: v.string(), color: v.string() }))
