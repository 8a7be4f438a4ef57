import { countryOfPhone } from '../phone.ts'
import { zoneOfCountry, zoneOfState } from '../time-zones.ts'

type Maybe = string | null | undefined
type Whereabouts = { timezone?: Maybe; state?: Maybe; country?: Maybe; phone?: Maybe }
export type DecidedBy = 'timezone' | 'state' | 'phone' | 'workspace'

/** The contact's time zone: its own or, in this order, that of its state, of its phone number's country, or of the workspace. */
export function zoneOfContact(
  { timezone, state, country, phone }: Whereabouts,
  workspaceZone: string,
): { timezone: string; decided_by: DecidedBy } {
  if (timezone) return { timezone, decided_by: 'timezone' }
  const ofState = state ? zoneOfState(state, country) : undefined
  if (ofState) return { timezone: ofState, decided_by: 'state' }
  const code = phone ? countryOfPhone(phone) : undefined
  const ofPhone = code ? zoneOfCountry(code) : undefined
  if (ofPhone) return { timezone: ofPhone, decided_by: 'phone' }
  return { timezone: workspaceZone, decided_by: 'workspace' }
}
