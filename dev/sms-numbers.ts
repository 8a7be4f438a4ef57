import type { Compliance } from './compliance-emulator.ts'

export const E164 = /^\+[1-9]\d{6,14}$/
const CAPABILITIES = { voice: true, sms: true, mms: false, fax: false }

/** A number of the account. */
export type OwnedNumber = {
  sid: string
  phone_number: string
  friendly_name: string
  sms_url: string
  voice_url: string
  status_callback: string
  trunk_sid: string | null
  address_sid: string | null
  bundle_sid: string | null
  capabilities: typeof CAPABILITIES
  /** Which address its country requires. */
  requires: 'none' | 'any' | 'local'
  created_at: string
}

/** What countries require of who buys a number, as Twilio lists it for its regulations. */
const REQUIRED: Record<string, { address: 'any' | 'local'; bundle: boolean }> = {
  '+61': { address: 'any', bundle: false },
  '+44': { address: 'any', bundle: true },
}
const requiredFor = (phone: string) => REQUIRED[phone.slice(0, 3)]

/** Twilio's error for a number without what its country requires. */
function missingFor(phone: string, address: boolean, bundle: boolean): { code: number; message: string } | undefined {
  const required = requiredFor(phone)
  if (required && !address) return { code: 21631, message: "Phone Number Requires an Address but the 'AddressSid' parameter was empty." }
  if (required?.bundle && !bundle) return { code: 21649, message: 'Bundle required and not provided for this country and number type' }
  return undefined
}

type Search = { country: string; type: string; contains: string; sms: boolean }
/**
 * Numbers of the ranges that Australia and the United States keep for fiction; of other countries, made-up ones. Landline numbers of
 * Australia receive no SMS.
 */
export function availableIn({ country, type, contains, sms }: Search) {
  const isLandline = country === 'AU' && type === 'Local'
  const prefix = isLandline ? '+6125550' : country === 'AU' ? '+6149157' : country === 'US' ? '+1202555' : '+4479009'
  if (isLandline && sms) return []
  return Array.from({ length: 10 }, (_, n) => `${prefix}${String(country === 'US' ? 100 + n : 1570 + n).padStart(4, '0')}`)
    .filter((number) => number.includes(contains.replace(/\D/g, '')))
    .map((phone_number) => ({
      phone_number,
      friendly_name: phone_number,
      iso_country: country,
      locality: null,
      region: null,
      postal_code: null,
      lata: null,
      rate_center: null,
      latitude: null,
      longitude: null,
      address_requirements: requiredFor(phone_number)?.address ?? 'none',
      beta: false,
      capabilities: capabilitiesOf(phone_number),
    }))
}

const capabilitiesOf = (phone: string) => ({ ...CAPABILITIES, sms: !phone.startsWith('+612') })

type Refusal = { code: number; message: string }
/** The number that a purchase adds to the account, or why it is refused. */
export function numberOf(form: URLSearchParams, { addresses, bundles }: Compliance, sid: string): OwnedNumber | Refusal {
  const field = (name: string) => form.get(name) ?? ''
  const phone_number = field('PhoneNumber')
  if (!E164.test(phone_number)) return { code: 21421, message: 'PhoneNumber is invalid' }
  const address = addresses.find((one) => one.sid === field('AddressSid'))
  const bundle = bundles.find((one) => one.sid === field('BundleSid') && one.status.endsWith('approved'))
  const missing = missingFor(phone_number, address !== undefined, bundle !== undefined)
  if (missing) return missing
  return {
    sid,
    phone_number,
    friendly_name: field('FriendlyName') || phone_number,
    sms_url: field('SmsUrl'),
    voice_url: field('VoiceUrl'),
    status_callback: field('StatusCallback'),
    trunk_sid: null,
    address_sid: address?.sid ?? null,
    bundle_sid: bundle?.sid ?? null,
    capabilities: capabilitiesOf(phone_number),
    requires: requiredFor(phone_number)?.address ?? 'none',
    created_at: new Date().toUTCString(),
  }
}
