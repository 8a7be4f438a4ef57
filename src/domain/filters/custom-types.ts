/** What can have custom fields. */
export const FIELD_OBJECTS = ['contact', 'company', 'opportunity', 'product'] as const
export type FieldObject = (typeof FIELD_OBJECTS)[number]

/** What the values of a custom field are. */
export const FIELD_TYPES = ['text', 'long_text', 'number', 'date', 'boolean', 'select', 'multi_select', 'url', 'email', 'phone'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

export const hasOptions = (type: FieldType): boolean => type === 'select' || type === 'multi_select'

/** Types whose values can be told apart: no two records of a workspace need share one. */
export const UNIQUE_TYPES: readonly FieldType[] = ['text', 'number', 'date', 'url', 'email', 'phone']

/** Types whose records have one value each, in an order. */
export const SORTED_TYPES: readonly FieldType[] = ['text', 'number', 'date', 'boolean', 'select', 'url', 'email', 'phone']

export const KEY_FORM = /^[a-z][a-z0-9_]{0,59}$/

/** The key of a field that was only given a label: `Account tier` becomes `account_tier`. */
export function keyFrom(label: string): string | undefined {
  const key = label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 60)
    .replace(/_+$/, '')
  return KEY_FORM.test(key) ? key : undefined
}
