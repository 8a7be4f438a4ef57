import * as v from 'valibot'
import { toHexColour } from '../domain/colours.ts'
import { toEmailAddress } from '../domain/email-addresses.ts'
import { MAX_TEXT } from '../domain/limits.ts'
import { MONEY_MAX } from '../domain/money.ts'
import { EMAIL_MAX, EMAIL_MESSAGE } from '../domain/patterns.ts'
import { toWebAddress } from '../domain/web-addresses.ts'
import { isCalendarDate, toUtcText } from '../lib/text.ts'
import { clean, describe, oneLine, optional, parse, shortEnough, text } from './pipes.ts'

export { Country, Currency } from './codes.ts'
export { JsonObject, Metadata } from './json-objects.ts'
export { describe, optional }

/** The basic schemas from which every endpoint is built. A message is shown after the field's path and says what to send instead. */

export const SAMPLE_ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const VISIBLE = /[^\s\p{C}\p{Z}]/u

// Text

/** The name of a record: one trimmed line with at least one visible character. */
export const Name = (max = 120) =>
  v.pipe(
    text('a name'),
    v.trim(),
    v.minLength(1, 'must not be empty'),
    v.check((value) => value === '' || VISIBLE.test(value), 'must have a visible character'),
    oneLine,
    shortEnough(max),
    v.description(`A name: one line of at most ${max} characters.`),
    v.examples(['Harbour Renovations']),
  )

/** One trimmed line, possibly empty. */
export const SingleLine = (max = 255) =>
  v.pipe(
    text('one line'),
    v.trim(),
    oneLine,
    shortEnough(max),
    v.description(`One line of at most ${max} characters.`),
    v.examples(['Suite 4, 12 Bridge Street']),
  )

/** Text of many lines, stored exactly as sent. */
export const Multiline = (max = MAX_TEXT) =>
  v.pipe(
    text('one or more lines'),
    clean,
    shortEnough(max),
    v.description(`Text of at most ${max} characters, stored as sent.`),
    v.examples(['Prefers calls before noon.\nAsked for a quote on the deck.']),
  )

export const Email = v.pipe(
  text('an email address, such as ana@example.com'),
  v.trim(),
  shortEnough(EMAIL_MAX),
  parse('email', toEmailAddress, EMAIL_MESSAGE),
  shortEnough(EMAIL_MAX),
  v.metadata({ format: 'email' }),
  v.description(
    'An email address, stored in lower case. An international domain is stored in its ASCII form: müller.de as xn--mller-kva.de.',
  ),
  v.examples(['ana@example.com']),
)

export const Phone = v.pipe(
  text('a phone number'),
  v.trim(),
  oneLine,
  v.check((value) => /\p{Nd}/u.test(value), 'must be a phone number, such as +61 412 345 678'),
  shortEnough(40),
  v.description("A phone number in any format, stored in E.164. Without a country prefix it is taken as a number of the record's country."),
  v.examples(['+61412345678']),
)

export const Url = v.pipe(
  text('a web address, such as https://example.com'),
  v.trim(),
  shortEnough(2000),
  parse('url', toWebAddress, 'must be a complete web address that starts with http:// or https://'),
  shortEnough(2000),
  v.metadata({ format: 'uri' }),
  v.description('A web address (http or https). An international domain is stored in its ASCII form: müller.de as xn--mller-kva.de.'),
  v.examples(['https://example.com/about']),
)

export const HexColor = v.pipe(
  text('a colour, such as #1a73e8'),
  parse('colour', toHexColour, 'must be a colour, such as #1a73e8, #18e or royalblue'),
  v.description('A colour: #rrggbb, #rgb or a CSS colour name; stored as #rrggbb.'),
  v.examples(['#1a73e8']),
)

export const TimeZoneText = v.pipe(
  text('a time zone, such as Australia/Sydney'),
  v.trim(),
  v.minLength(1, 'must not be empty: send a time zone, such as Australia/Sydney'),
  oneLine,
  shortEnough(64),
  v.description('An IANA time zone, or the name or abbreviation of an Australian state.'),
  v.examples(['Australia/Sydney']),
)

/** One of a closed list of values. */
export const Enum = <const T extends readonly [string, ...string[]]>(options: T, description = `One of ${options.join(', ')}.`) =>
  describe(v.picklist(options, `must be one of: ${options.join(', ')}`), description, options[0])

// Ids

export const Id = v.pipe(
  text('a UUID'),
  v.uuid(`must be a UUID, such as ${SAMPLE_ID}`),
  v.toLowerCase(),
  v.description('The id of a record: a UUID.'),
  v.examples([SAMPLE_ID]),
)

/** One to `max` ids, in the order sent. */
export const Ids = (max: number) =>
  v.pipe(
    v.array(Id, 'must be a list of UUIDs'),
    v.minLength(1, 'must contain at least one id'),
    v.maxLength(max, `must contain at most ${max} ids: send the rest in another request`),
    v.description(`One to ${max} ids.`),
    v.examples([[SAMPLE_ID]]),
  )

// Time

const DATE = 'must be a valid date in the form YYYY-MM-DD, such as 2026-03-31'
const INSTANT = 'must be an ISO 8601 timestamp with Z or an offset, such as 2026-03-31T09:30:00Z'

export const IsoDate = v.pipe(
  text('a date in the form YYYY-MM-DD'),
  v.check(isCalendarDate, DATE),
  v.metadata({ format: 'date' }),
  v.description('A calendar date, YYYY-MM-DD.'),
  v.examples(['2026-03-31']),
)

/** Normalised to `YYYY-MM-DDTHH:mm:ss.sssZ`: UTC, truncated to the millisecond, years 0001 to 9999. */
export const Instant = v.pipe(
  text('an ISO 8601 timestamp, such as 2026-03-31T09:30:00Z'),
  parse('instant', toUtcText, INSTANT),
  v.metadata({ format: 'date-time' }),
  v.description('An ISO 8601 timestamp with Z or an offset. Responses have it in UTC with milliseconds.'),
  v.examples(['2026-03-31T09:30:00.000Z']),
)

/** A date stays `YYYY-MM-DD`; a timestamp is normalised as by Instant. */
export const DateOrInstant = v.pipe(
  text('a date or an ISO 8601 timestamp'),
  parse('date_or_instant', (value) => (isCalendarDate(value) ? value : toUtcText(value)), `${DATE}, or a timestamp with Z or an offset`),
  v.metadata({ anyOf: [{ format: 'date' }, { format: 'date-time' }] }),
  v.description('A calendar date, or an ISO 8601 timestamp with Z or an offset.'),
  v.examples(['2026-03-31']),
)

/** An instant in the only form that responses use. */
export const InstantOut = v.pipe(
  v.string(),
  v.check((value) => toUtcText(value) === value, 'must be UTC with milliseconds'),
  v.metadata({ format: 'date-time' }),
  v.description('A timestamp in UTC with milliseconds.'),
  v.examples(['2026-03-31T09:30:00.000Z']),
)

// Numbers

/** Counts the decimals in the number's shortest text, which is what was sent, and not in its binary fraction. */
const twoDecimals = v.check(
  (value: number) => /^-?\d+(?:\.\d{1,2})?$/.test(String(value)),
  'must have at most two decimals, such as 1250.5',
)

const amount = (min: number, max: number, what: string, description: string, example: number) =>
  v.pipe(
    v.number(`must be ${what}, such as ${example}`),
    v.minValue(min, `must be ${min} or more`),
    v.maxValue(max, `must be ${max} or less`),
    twoDecimals,
    v.description(description),
    v.examples([example]),
  )

export const Money = amount(0, MONEY_MAX, 'a number', 'An amount of money with at most two decimals.', 1250.5)

export const SignedMoney = amount(-MONEY_MAX, MONEY_MAX, 'a number', 'An amount of money with at most two decimals; may be negative.', -80)
export const Percent = amount(0, 100, 'a number from 0 to 100', 'A percentage from 0 to 100 with at most two decimals.', 12.5)

/** A whole number from `min` to `max`. */
export const Integer = (min = 0, max = 2_147_483_647) =>
  v.pipe(
    v.number(`must be a whole number from ${min} to ${max}`),
    v.integer('must be a whole number'),
    v.minValue(min, `must be ${min} or more`),
    v.maxValue(max, `must be ${max} or less`),
    v.description(`A whole number from ${min} to ${max}.`),
    v.examples([Math.min(Math.max(min, 3), max)]),
  )

export const Bool = v.pipe(v.boolean('must be true or false'), v.description('True or false.'), v.examples([true]))

// Query strings: values arrive as text. Defaults are parsed values.

export const QueryBool = v.pipe(
  v.custom<string | boolean>((value) => typeof value === 'string' || typeof value === 'boolean', 'must be true or false'),
  v.metadata({ type: 'boolean' }),
  parse('query_bool', (value) => (`${value}` === 'true' ? true : `${value}` === 'false' ? false : undefined), 'must be true or false'),
  v.description('`true` or `false`.'),
  v.examples([true]),
)

/** A number from `min` to `max`, sent as text. */
const queryNumber = <Type extends string>(type: Type, form: RegExp, message: string, min: number, max: number) =>
  v.pipe(
    v.custom<string | number>((value) => typeof value === 'string' || typeof value === 'number', message),
    v.metadata({ type }),
    parse(`query_${type}`, (value) => (form.test(`${value}`) ? Number(value) : undefined), message),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
export const QueryInt = (min: number, max: number) =>
  v.pipe(
    queryNumber('integer', /^-?\d{1,15}$/, `must be a whole number from ${min} to ${max}`, min, max),
    v.description(`A whole number from ${min} to ${max}.`),
    v.examples([Math.min(Math.max(min, 20), max)]),
  )
/** With up to three decimals. */
export const QueryDecimal = (min: number, max: number) =>
  queryNumber('number', /^-?\d{1,15}(\.\d{1,3})?$/, `must be a number from ${min} to ${max}`, min, max)

/** An Instant whose unescaped `+` may have been decoded as a space. */
export const QueryInstant = v.pipe(
  text('an ISO 8601 timestamp, such as 2026-03-31T09:30:00Z'),
  parse('query_instant', (value) => toUtcText(value.replace(/ (?=\d\d:?\d\d$)/, '+')), INSTANT),
  v.metadata({ format: 'date-time' }),
  v.description('An ISO 8601 timestamp with Z or an offset.'),
  v.examples(['2026-03-31T09:30:00Z']),
)

export const Archived = v.optional(
  Enum(['false', 'true', 'all'], 'Which records to include: `false` for active, `true` for archived, `all` for both.'),
  'false',
)

/** The query parameters of every list. */
export const pageQuery = {
  limit: v.optional(describe(QueryInt(1, 100), 'The size of a page.', 50), 50),
  after: v.optional(
    v.pipe(
      text('a cursor'),
      v.minLength(1, 'must be the page.next of an earlier response; leave it out for the first page'),
      oneLine,
      shortEnough(2000),
      v.description('The `page.next` of the previous page; leave it out for the first page.'),
    ),
  ),
}
