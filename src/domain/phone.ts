import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import { DEFAULT_COUNTRY } from './default-country.ts'

export const PHONE_MESSAGE = 'must be a complete phone number; start it with + and the country prefix, such as +61 412 345 678'

/** A full Australian number has nine digits. Shorter service numbers (13 11 14) are valid; any other shorter number lacks its area code. */
const AUSTRALIAN_DIGITS = 9

/**
 * Parses a phone number into E.164 (`+61412345678`); undefined when the text holds no number that can exist. `country` is the ISO 3166
 * alpha-2 code for numbers without a country prefix. Spaces, brackets, dots and `00` or the country's international prefix in place of
 * `+` are accepted; an extension and surrounding words are dropped.
 */
export function toE164(text: string, country: string = DEFAULT_COUNTRY.code): string | undefined {
  const code = country.toUpperCase()
  const number = parsePhoneNumberFromString(plusFor00(text, code), isSupportedCountry(code) ? code : undefined)
  if (!number?.isPossible()) return undefined
  const lacksArea = number.countryCallingCode === '61' && number.nationalNumber.length < AUSTRALIAN_DIGITS && !number.isValid()
  return lacksArea ? undefined : number.number
}

/** What toE164 leaves out of a number, in words for a message: an extension or the words around it. */
export function droppedFromPhone(text: string, country: string = DEFAULT_COUNTRY.code): string | undefined {
  const code = country.toUpperCase()
  const number = parsePhoneNumberFromString(plusFor00(text, code), isSupportedCountry(code) ? code : undefined)
  if (!number) return undefined
  if (number.ext) return `the extension ${number.ext}`
  return /\p{L}/u.test(text) ? 'the words around it' : undefined
}

/** The ISO 3166 alpha-2 code of the country an E.164 number belongs to; undefined for numbers of no country (`+800…`). */
export function countryOfPhone(e164: string): CountryCode | undefined {
  return parsePhoneNumberFromString(e164)?.country
}

/** The countries that an E.164 number may belong to: one, or all with its prefix if its range is not known. */
export function countriesOfPhone(e164: string): CountryCode[] {
  const number = parsePhoneNumberFromString(e164)
  if (!number) return []
  return number.country ? [number.country] : getCountries().filter((code) => getCountryCallingCode(code) === number.countryCallingCode)
}

/**
 * Replaces a leading `00`. Australia's international prefix is 0011, so the library would read the more common `00` as part of the
 * number.
 */
function plusFor00(text: string, country: string): string {
  if (country === 'AU' && /^[\s(]*00\s*11/.test(text)) return text
  return text.replace(/^[\s(]*00[\s)-]*(?=[1-9])/, '+')
}

/** A plus sign that was decoded from a query string as a space. */
const withPlus = (text: string) => text.replace(/^\s(?=[\d(])/, '+')

/** Parses a phone number in a query string as toE164 does; an unescaped `+` arrives as a space. */
export const phoneInQuery = (text: string): string | undefined => toE164(withPlus(text))

/**
 * The text to search for in records with phone numbers in E.164: a number with a country prefix in E.164, and any other or a part of one by
 * its digits without the trunk zero, which is how E.164 numbers of every country end. Any other text is returned as it is.
 */
export function phoneSearch(text: string): string {
  if (!/^[\s+\d().\-/]+$/.test(text)) return text
  const digits = text.replace(/\D/g, '')
  if (digits.length < PHONE_DIGITS) return text
  const prefixed = /^\s*(\+|00)/.test(text) ? toE164(text) : undefined
  return prefixed ?? digits.replace(/^0+(?=\d{3})/, '')
}

/** Text with fewer digits is more likely part of a name or an address. */
const PHONE_DIGITS = 6
