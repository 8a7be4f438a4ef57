export const CAPABILITIES = { voice: true, sms: true, mms: false }

/** A number of the account. */
export type OwnedNumber = {
  sid: string
  phone_number: string
  friendly_name: string
  sms_url: string
  voice_url: string
  status_callback: string
  trunk_sid: string | null
  capabilities: typeof CAPABILITIES
}

/** Numbers of the ranges that Australia and the United States keep for fiction; of other countries, made-up ones. */
export function availableIn(country: string, contains: string) {
  const prefix = country === 'AU' ? '+6149157' : country === 'US' ? '+1202555' : '+4479009'
  return Array.from({ length: 10 }, (_, n) => `${prefix}${String(country === 'US' ? 100 + n : 1570 + n).padStart(4, '0')}`)
    .filter((number) => number.includes(contains.replace(/\D/g, '')))
    .map((phone_number) => ({
      ...{ phone_number, friendly_name: phone_number, iso_country: country, locality: null, region: null, address_requirements: 'none' },
      ...{ beta: false, capabilities: { voice: true, SMS: true, MMS: false } },
    }))
}
