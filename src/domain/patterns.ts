/**
 * The forms of text values. The database has the same patterns for custom fields (schema/functions/constants.sql), so they only use what
 * regular expressions mean alike in JavaScript and PostgreSQL. They are compared without regard to case.
 */
/** An email address with a domain name of at least two parts. A record's own address must also have the characters that RFC 5322 allows. */
export const EMAIL_PATTERN = String.raw`^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$`
export const EMAIL_MAX = 254
export const EMAIL_MESSAGE = 'must be an email address, such as ana@example.com'

/** A complete web address. */
export const URL_PATTERN = String.raw`^https?://[^\s\\]+$`

export const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'i').test(text)
