import * as v from 'valibot'
import { FIELD_OBJECTS, FIELD_TYPES, KEY_FORM } from '../domain/filters/custom-types.ts'
import { archivedOut, named, timestamps } from './common.ts'
import { about, Bool, Enum, Id, Ids, Integer, Name, optional, pageQuery, SingleLine } from './fields.ts'

const Options = v.pipe(
  v.array(Name(120), 'must be a list of options'),
  v.maxLength(200, 'must be at most 200 options'),
  v.transform((options) => [...new Set(options)]),
  v.description('What select and multi_select offer. Values that are no longer offered stay until they are changed.'),
  v.examples([['Gold', 'Silver']]),
)

export const FieldObject = about(Enum(FIELD_OBJECTS), 'What has the field.')

const changeable = {
  label: about(Name(120), 'How people see it.', 'Account tier'),
  options: v.optional(Options),
  required: v.optional(about(Bool, 'A new record must have a value, and none may be cleared.', false)),
  unique: v.optional(
    about(
      Bool,
      'No two records may share a value. For text, number, date, url, email and phone. Records that are there already are looked through in the background; where some share a value, index_status becomes failed.',
      false,
    ),
  ),
  indexed: v.optional(
    about(
      Bool,
      'Keeps an index of its values, so that sorts by it, ranges and beginnings of text cost the same among many records. At most 20 fields of an object, unique ones included; not for long_text. The index is built in the background: until it is ready these take longer and find the same.',
      false,
    ),
  ),
  help_text: optional(about(SingleLine(500), 'What people are told about it.', 'As agreed in the contract.')),
  position: v.optional(about(Integer(0, 10_000), 'Its place among the fields of the object; the last unless given.')),
}

export const NewCustomField = v.strictObject({
  object: FieldObject,
  type: about(Enum(FIELD_TYPES), 'What its values are. It does not change.', 'select'),
  ...changeable,
  key: v.optional(
    v.pipe(
      v.string('must be a name'),
      v.regex(KEY_FORM, 'must be lower-case letters, digits and _, such as tier'),
      v.description('Its name in metadata, made from the label unless given. It does not change.'),
      v.examples(['account_tier']),
    ),
  ),
})
export type NewCustomField = v.InferOutput<typeof NewCustomField>

export const CustomFieldPatch = v.strictObject({ ...v.partial(v.strictObject(changeable)).entries, archived: v.optional(archivedOut) })
export type CustomFieldPatch = v.InferOutput<typeof CustomFieldPatch>

export const CustomFieldOrder = v.strictObject({ object: FieldObject, custom_field_ids: Ids(200) })

export const CustomField = named(
  'CustomField',
  v.object({
    id: Id,
    object: v.picklist(FIELD_OBJECTS),
    key: v.pipe(v.string(), v.examples(['tier'])),
    label: v.string(),
    type: v.picklist(FIELD_TYPES),
    options: v.array(v.string()),
    required: v.boolean(),
    unique: v.boolean(),
    indexed: v.pipe(v.boolean(), v.description('Unique fields always are.')),
    index_status: v.pipe(
      v.nullable(v.picklist(['building', 'ready', 'failed'])),
      v.description('Of its index: building in the background, ready, or failed (see index_error). Null without one.'),
    ),
    index_progress: v.pipe(
      v.nullable(v.number()),
      v.description('The share of the records that are in the index, from 0 to 1.'),
      v.examples([0.42]),
    ),
    index_error: v.pipe(
      v.nullable(v.string()),
      v.description('Why the index failed. A unique field is not enforced then: change the records, and set unique again.'),
    ),
    help_text: v.nullable(v.string()),
    position: v.pipe(v.number(), v.integer()),
    archived: v.pipe(archivedOut, v.description('Kept with its values, but no longer required, and left out of catalogues.')),
    ...timestamps,
  }),
)

export const customFieldQuery = v.strictObject({
  ...pageQuery,
  object: v.optional(FieldObject),
  type: v.optional(Enum(FIELD_TYPES)),
  archived: v.optional(
    Enum(['false', 'true', 'all'], 'Which fields: `false` the active ones, `true` the archived ones, `all` both.'),
    'false',
  ),
})

const strict = about(Bool, 'Whether metadata may have no other names than the custom fields.', true)
export const CustomFieldSettings = named('CustomFieldSettings', v.object({ strict, version: timestamps.version }))
export const CustomFieldSettingsPatch = v.strictObject({ strict })
