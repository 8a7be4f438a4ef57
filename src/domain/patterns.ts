/**
 * The patterns of text values. The database uses the same ones for custom fields (schema/functions/constants.sql), so they contain only
 * what JavaScript and PostgreSQL interpret in the same way. Case is ignored.
 */
/** An email address with a domain name of at least two parts. A record's own address must also have the characters that RFC 5322 allows. */
export const EMAIL_PATTERN = String.raw`^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$`
export const EMAIL_MAX = 254
export const EMAIL_MESSAGE = 'must be an email address, such as ana@example.com'

/** A complete web address. */
export const URL_PATTERN = String.raw`^https?://[^\s\\]+$`

export const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'i').test(text)
