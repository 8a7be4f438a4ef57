import { TEXT_RULES } from '../../../domain/custom-values.ts'
import type { FieldType } from '../../../domain/filters/custom-types.ts'
import type { Field, Kind } from './kinds.ts'
import type { Definition } from './types.ts'

const KIND_OF: Record<FieldType, Kind> = {
  text: 'text',
  long_text: 'lines',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  select: 'option',
  multi_select: 'options',
  url: 'web_address',
  email: 'text',
  phone: 'text',
  money: 'json',
  member: 'text',
  contact: 'text',
  company: 'text',
  opportunity: 'text',
}

/** Types of custom fields whose text may be cut. */
const CUT: readonly FieldType[] = ['text', 'long_text']

/** A custom field as one that a column may fill. */
export const customField = (name: string, { type, options }: Definition): Field => ({
  name,
  kind: KIND_OF[type],
  also: [],
  ...(options.length > 0 && { options }),
  ...(CUT.includes(type) && { max: TEXT_RULES[type]?.max as number }),
})
