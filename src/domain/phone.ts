import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { DEFAULT_COUNTRY } from './default-country.ts'

/** A full Australian number has nine digits; the shorter ones that exist (13 11 14) are valid, and the rest lack their area code. */
const AUSTRALIAN_DIGITS = 9

/**
 * The phone number a text holds, in E.164 (`+61412345678`), or undefined when it holds none that can exist.
 * `country` is the ISO 3166 alpha-2 code that a number without a country prefix belongs to. Any writing is read: spaces, brackets, dots,
 * `00` or the country's own prefix for `+`; an extension is dropped, and so are words around the number.
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

/** Australia dials abroad with 0011, which the library knows; the `00` of most of the world it takes there for the number's own. */
function plusFor00(text: string, country: string): string {
  if (country === 'AU' && /^[\s(]*00\s*11/.test(text)) return text
  return text.replace(/^[\s(]*00[\s)-]*(?=[1-9])/, '+')
}
