import { withArticle } from '../lib/nouns.ts'
import { type FieldType, REFERENCE_TYPES } from './filters/custom-types.ts'
import { MAX_TEXT } from './limits.ts'
import { EMAIL_MAX, EMAIL_MESSAGE, EMAIL_PATTERN, URL_PATTERN } from './patterns.ts'

/** The longest text of a custom field of one line, so that it fits an index entry. */
const MAX_LINE = 500

const ID_PATTERN = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

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
  money: {
    message: 'must be an amount with at most two decimals and a currency of ISO 4217, such as {"amount": 1200.5, "currency": "AUD"}',
  },
  ...(Object.fromEntries(
    REFERENCE_TYPES.map((type) => [type, { pattern: ID_PATTERN, message: `must be the id of ${withArticle(type)}` }]),
  ) as Record<(typeof REFERENCE_TYPES)[number], TextRule>),
}
