import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { PHONE_MESSAGE, toE164 } from '../../../domain/phone.ts'
import { countryCode, toZone, ZONE_MESSAGE } from '../../../domain/time-zones.ts'

type Maybe = string | null | undefined
type Read = { phone?: Maybe; timezone?: Maybe; country?: Maybe; domains?: string[] | null | undefined }
export type Issue = { path: string; message: string }

/**
 * Normalises a company's phone number to E.164 and its time zone to the IANA name, both according to `country` (Australia when unknown).
 * Domains are distinct. `issues` lists the values that cannot be parsed.
 */
export function normaliseCompany<Fields extends Read>(fields: Fields, country: Maybe): { columns: Fields; issues: Issue[] } {
  const columns = { ...fields }
  const issues: Issue[] = []
  if (typeof fields.phone === 'string') columns.phone = toE164(fields.phone, (country && countryCode(country)) || DEFAULT_COUNTRY.code)
  if (typeof fields.timezone === 'string') columns.timezone = toZone(fields.timezone, country)
  if (fields.domains !== undefined) columns.domains = [...new Set(fields.domains ?? [])]
  if ('phone' in fields && fields.phone && !columns.phone) issues.push({ path: 'phone', message: PHONE_MESSAGE })
  if ('timezone' in fields && fields.timezone && !columns.timezone) issues.push({ path: 'timezone', message: ZONE_MESSAGE })
  return { columns, issues }
}

/** Whether the country is needed to parse these fields. */
export const needsCountry = ({ phone, timezone }: Read): boolean =>
  (typeof phone === 'string' && !/^\s*(\+|00)/.test(phone)) || (typeof timezone === 'string' && !timezone.includes('/'))
