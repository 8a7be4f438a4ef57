import * as v from 'valibot'
import { PHONE_MESSAGE, phoneInQuery, phoneSearch, toE164 } from '../domain/phone.ts'
import { toZone, ZONE_MESSAGE } from '../domain/time-zones.ts'
import { toCompanyDomain } from '../domain/web-addresses.ts'
import { describe, Phone, TimeZoneText } from './fields.ts'
import { oneLine, parse, shortEnough, text } from './pipes.ts'

/** Replaces text by the result of `read`, or refuses it with `message`. */
const parseAs = (read: (text: string) => string | undefined, message: string) =>
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const value = read(dataset.value)
    if (value !== undefined) return value
    addIssue({ message })
    return NEVER
  })

/** For records without a country. */
export const LocalPhone = v.pipe(
  describe(Phone, 'A phone number, stored in E.164. Without a country prefix it is taken as Australian.'),
  parseAs((text) => toE164(text), PHONE_MESSAGE),
)

export const Zone = v.pipe(
  TimeZoneText,
  parseAs((text) => toZone(text), ZONE_MESSAGE),
)

/** A phone number in a query string, as E.164. */
export const QueryPhone = v.pipe(
  text('a phone number'),
  oneLine,
  shortEnough(40),
  parse(
    'query_phone',
    phoneInQuery,
    'must be a complete phone number; start it with + (in a URL %2B) and the country prefix, such as +61 412 345 678',
  ),
  v.description('A phone number in any format, also among the alternate ones. Without a country prefix it is taken as Australian.'),
  v.examples(['+61412345678']),
)

/** The text to search for in records with phone numbers: a number is searched in the form in which it is stored. */
/** A phone number in a body that names no country, as E.164. */
export const BodyPhone = v.pipe(
  text('a phone number'),
  oneLine,
  shortEnough(40),
  parse('phone', (value: string) => toE164(value), PHONE_MESSAGE),
  v.description('A phone number in any format. Without a country prefix it is taken as Australian.'),
  v.examples(['+61412345678']),
)

export const asPhoneSearch = parse('phone_search', (words: string) => phoneSearch(words), 'must be text')

/** The domain of one company, from a domain or a web address. */
export const Domain = v.pipe(
  text('a domain, such as example.com'),
  v.trim(),
  shortEnough(253),
  parse(
    'company_domain',
    toCompanyDomain,
    'must be a domain of one company, such as example.com, not of a host that many share, such as facebook.com',
  ),
  v.description('A domain, stored in ASCII without www: müller.de as xn--mller-kva.de.'),
  v.examples(['example.com']),
)
