import type { FieldType } from './filters/custom-types.ts'
import { MAX_TEXT } from './limits.ts'
import { EMAIL_MAX, EMAIL_MESSAGE, EMAIL_PATTERN, URL_PATTERN } from './patterns.ts'

/** The longest text of a custom field of one line, so that it fits an index entry. */
const MAX_LINE = 500

/** The rules for a text of a type: its maximum length in characters, and its pattern. */
type TextRule = { message: string; max?: number; pattern?: string; minDigits?: number }

/**
 * The rules for the values of custom fields. The database checks them, because definitions are stored there and hold on every path
 * (custom_value_error); it reads them from schema/functions/constants.sql, which is generated from here.
 */
export const TEXT_RULES: Partial<Record<FieldType, TextRule>> = {
  text: { max: MAX_LINE, message: `must be text of at most ${MAX_LINE} characters` },
  long_text: { max: MAX_TEXT, message: `must be text of at most ${MAX_TEXT} characters` },
  date: { pattern: String.raw`^\d{4}-\d\d-\d\d$`, message: 'must be a date of the calendar, such as 2026-03-31' },
  url: {
    max: MAX_LINE,
    pattern: URL_PATTERN,
    message: `must be a whole web address that starts with http:// or https://, of at most ${MAX_LINE} characters`,
  },
  email: { max: EMAIL_MAX, pattern: EMAIL_PATTERN, message: EMAIL_MESSAGE },
  phone: {
    pattern: String.raw`^\+?[0-9 ().\-/]{5,40}$`,
    minDigits: 5,
    message: 'must be a phone number, such as +61 412 345 678',
  },
}
