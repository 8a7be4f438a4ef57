import * as v from 'valibot'
import { FIELD_OBJECTS, FIELD_TYPES, KEY_FORM } from '../../../domain/filters/custom-types.ts'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Ids, Integer, Name, optional, pageQuery, SingleLine } from '../../../schemas/fields.ts'
import { renaming } from './picklists.ts'

const Options = v.pipe(
  v.array(Name(120), 'must be a list of options'),
  v.maxLength(200, 'must be at most 200 options'),
  v.description('The options of a select or multi_select field. Records keep values that are no longer offered until they are changed.'),
  v.examples([['Gold', 'Silver']]),
)

export const FieldObject = describe(Enum(FIELD_OBJECTS), 'The kind of record that has the field.')

const changeable = {
  label: describe(Name(120), 'The label that people see.', 'Account tier'),
  options: v.optional(Options),
  required: v.optional(describe(Bool, 'Whether a new record must have a value, and no value may be cleared.', false)),
  unique: v.optional(
    describe(
      Bool,
      'Whether no two records may share a value. For text, number, date, url, email and phone. ' +
        'Existing records are checked in the background; if some share a value, index_status becomes failed.',
      false,
    ),
  ),
  indexed: v.optional(
    describe(
      Bool,
      'Whether to index the values, so that sorting, ranges and starts_with are as fast among many records as among few. ' +
        'At most 20 fields of an object, unique ones included; not for long_text. Fields that refer to records are always indexed. ' +
        'The index is built in the background: until it is ready, these take longer but return the same.',
      false,
    ),
  ),
  help_text: optional(describe(SingleLine(500), 'An explanation for people who fill in the field.', 'As agreed in the contract.')),
  position: v.optional(describe(Integer(0, 10_000), 'The position among the fields of the object. Defaults to the end.')),
}

const FIELD_TYPE =
  'The type of the values. It cannot be changed. A value of member, contact, company or opportunity is the id of one, ' +
  'which must exist; if that record is deleted, its id is removed from the values, and if it is merged, the values get the id of the ' +
  'winner. A value of money is {"amount": 1200.5, "currency": "AUD"}, with at most two decimals and a currency of ISO 4217; ' +
  'amounts are compared within one currency and never added up.'

export const NewCustomField = v.strictObject({
  object: FieldObject,
  type: describe(Enum(FIELD_TYPES), FIELD_TYPE, 'select'),
  ...changeable,
  key: v.optional(
    v.pipe(
      v.string('must be a key, such as tier'),
      v.regex(KEY_FORM, 'must be lower-case letters, digits and _, such as tier'),
      v.description('The key in metadata. Derived from the label by default. It cannot be changed.'),
      v.examples(['account_tier']),
    ),
  ),
})
export type NewCustomField = v.InferOutput<typeof NewCustomField>

export const CustomFieldPatch = v.strictObject({ ...v.partial(v.strictObject(changeable)).entries, archived: v.optional(archivedOut) })
export type CustomFieldPatch = v.InferOutput<typeof CustomFieldPatch>

export const RenameOption = renaming({ example: 'Gold', max: 120 })

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
    indexed: v.pipe(v.boolean(), v.description('Whether the field is indexed. Unique fields and those that refer to records always are.')),
    index_status: v.pipe(
      v.nullable(v.picklist(['building', 'ready', 'failed'])),
      v.description('The state of the index: building in the background, ready, or failed (see index_error). Null without an index.'),
    ),
    index_progress: v.pipe(
      v.nullable(v.number()),
      v.description('The share of the records that are indexed, from 0 to 1.'),
      v.examples([0.42]),
    ),
    index_error: v.pipe(
      v.nullable(v.string()),
      v.description('Why the index failed. Uniqueness is then not enforced: correct the records, and set unique again.'),
    ),
    help_text: v.nullable(v.string()),
    position: v.pipe(v.number(), v.integer()),
    archived: v.pipe(
      archivedOut,
      v.description('Whether the field is archived: its values stay, but it is no longer required or listed in catalogues.'),
    ),
    ...timestamps,
  }),
)

export const customFieldQuery = v.strictObject({
  ...pageQuery,
  object: v.optional(FieldObject),
  type: v.optional(Enum(FIELD_TYPES)),
  archived: v.optional(
    Enum(['false', 'true', 'all'], 'Which fields to include: `false` for active, `true` for archived, `all` for both.'),
    'false',
  ),
})

const strict = describe(Bool, 'Whether metadata may contain only the keys of custom fields. New workspaces start with true.', true)
export const CustomFieldSettings = named('CustomFieldSettings', v.object({ strict, version: timestamps.version }))
export const CustomFieldSettingsPatch = v.strictObject({ strict })
