import * as v from 'valibot'
import { PHONE_MESSAGE, toE164 } from '../domain/phone.ts'
import { toZone, ZONE_MESSAGE } from '../domain/time-zones.ts'
import { describe, Phone, TimeZoneText } from './fields.ts'

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
