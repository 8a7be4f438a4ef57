import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
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

/** The ISO 3166 alpha-2 code of the country an E.164 number belongs to; undefined for numbers of no country (`+800…`). */
export function countryOfPhone(e164: string): CountryCode | undefined {
  return parsePhoneNumberFromString(e164)?.country
}

/**
 * Replaces a leading `00`. Australia's international prefix is 0011, so the library would read the more common `00` as part of the
 * number.
 */
function plusFor00(text: string, country: string): string {
  if (country === 'AU' && /^[\s(]*00\s*11/.test(text)) return text
  return text.replace(/^[\s(]*00[\s)-]*(?=[1-9])/, '+')
}
