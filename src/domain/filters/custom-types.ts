import { type PLURAL_OF, RECORD_ENTITIES } from '../records.ts'

/** The objects that can have custom fields. */
export const FIELD_OBJECTS = [...RECORD_ENTITIES, 'product', 'task', 'activity'] as const satisfies (keyof typeof PLURAL_OF)[]
export type FieldObject = (typeof FIELD_OBJECTS)[number]

/** The types of custom fields whose values are ids, with the table of what they refer to. */
export const REFERENCE_TABLES = { member: 'memberships', contact: 'contacts', company: 'companies', opportunity: 'opportunities' } as const
type ReferenceType = keyof typeof REFERENCE_TABLES
export const REFERENCE_TYPES = Object.keys(REFERENCE_TABLES) as [ReferenceType, ...ReferenceType[]]

/** The types of custom fields. */
export const FIELD_TYPES = [
  'text',
  'long_text',
  'number',
  'date',
  'boolean',
  'select',
  'multi_select',
  'url',
  'email',
  'phone',
  'money',
  ...REFERENCE_TYPES,
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

export const isReference = (type: FieldType): boolean => type in REFERENCE_TABLES

export const hasOptions = (type: FieldType): boolean => type === 'select' || type === 'multi_select'

/** Types that can be unique. */
export const UNIQUE_TYPES: readonly FieldType[] = ['text', 'number', 'date', 'url', 'email', 'phone']

/** Types with a single, ordered value per record. */
export const SORTED_TYPES: readonly FieldType[] = ['text', 'number', 'date', 'boolean', 'select', 'url', 'email', 'phone']

export const KEY_FORM = /^[a-z][a-z0-9_]{0,59}$/

/** Derives the key of a field from its label: `Account tier` becomes `account_tier`. */
export function keyFrom(label: string): string | undefined {
  const key = label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 60)
    .replace(/_$/, '')
  return KEY_FORM.test(key) ? key : undefined
}
