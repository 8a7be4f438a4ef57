import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { PHONE_MESSAGE, toE164 } from '../../../domain/phone.ts'
import { countryCode } from '../../../domain/time-zones.ts'
import { invalid } from '../../../errors.ts'
import { cutText } from '../../../lib/text.ts'

/** The most results that one request converts or enrols. */
export const MAX_RESULTS = 100

type Sent = { email?: string | null | undefined; phone?: string | null | undefined; country?: string | null | undefined }

/**
 * The columns of a result: its address in lower case, and its number in E.164. A number without a country prefix is one of the country that
 * is sent with it, or else of Australia. @throws VALIDATION_ERROR for a number that is none.
 */
export function leadColumns<Input extends Sent>(input: Input): Input {
  const { email, phone, country } = input
  const number = phone && toE164(phone, countryCode(country ?? DEFAULT_COUNTRY.name) ?? DEFAULT_COUNTRY.code)
  if (phone && !number) throw invalid([{ path: 'phone', message: PHONE_MESSAGE }])
  return {
    ...input,
    ...(email !== undefined && { email: email?.toLowerCase() ?? null }),
    ...(phone !== undefined && { phone: number ?? null }),
  }
}

/** The fields of the contact of a result: the last word of the name is the family name. */
export function personOf({
  name,
  ...result
}: {
  name: string
  email: string | null
  phone: string | null
  city: string | null
  country: string | null
}) {
  const [, first = name, last] = /^(.{1,100}?)\s+(\S{1,100})$/.exec(name) ?? []
  const { email, phone, city, country } = result
  return {
    first_name: cutText(first, 100),
    ...(last && { last_name: last }),
    ...(email && { email }),
    ...(phone && { phone }),
    ...(city && { city }),
    ...(country && { country }),
  }
}
