import { zoneOfAreaCode } from '../area-codes.ts'
import { countryOfPhone } from '../phone.ts'
import { zoneOfCountry, zoneOfState } from '../time-zones.ts'

type Maybe = string | null | undefined
type Whereabouts = { timezone?: Maybe; state?: Maybe; country?: Maybe; phone?: Maybe }
export type DecidedBy = 'timezone' | 'state' | 'phone' | 'workspace'

/** The contact's time zone: its own or, in this order, that of its state, of its phone number, or of the workspace. */
export function zoneOfContact(
  { timezone, state, country, phone }: Whereabouts,
  workspaceZone: string,
): { timezone: string; decided_by: DecidedBy } {
  if (timezone) return { timezone, decided_by: 'timezone' }
  const ofState = state ? zoneOfState(state, country) : undefined
  if (ofState) return { timezone: ofState, decided_by: 'state' }
  const ofPhone = phone ? zoneOfPhone(phone) : undefined
  if (ofPhone) return { timezone: ofPhone, decided_by: 'phone' }
  return { timezone: workspaceZone, decided_by: 'workspace' }
}

/** In the United States and Canada the area code decides, if it lies in one zone; in other countries the country's most populous zone. */
function zoneOfPhone(phone: string): string | undefined {
  const country = countryOfPhone(phone)
  if (country === undefined) return undefined
  return country === 'US' || country === 'CA' ? zoneOfAreaCode(phone) : zoneOfCountry(country)
}
