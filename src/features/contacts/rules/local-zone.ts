import { zoneOfAreaCode } from '../../../domain/area-codes.ts'
import { countryOfPhone } from '../../../domain/phone.ts'
import { zoneOfCountry, zoneOfState } from '../../../domain/time-zones.ts'

/** What a contact's local time depends on: its IANA zone, its state and country, and its phone number as E.164. */
export const ZONE_FIELDS = ['timezone', 'state', 'country', 'phone'] as const
export type ZoneField = (typeof ZONE_FIELDS)[number]
export type Whereabouts = Partial<Record<ZoneField, string | null | undefined>>
export type DecidedBy = 'timezone' | 'state' | 'phone' | 'workspace'

/** The fields that were looked at, with their values, and the workspace's zone if none of them decided. */
export type ZoneBasis = Partial<Record<ZoneField | 'workspace', string | null>>
type OwnZone = { timezone?: string; decided_by: DecidedBy; basis: ZoneBasis }

/** The zone that the contact's own fields decide: its own or, in this order, that of its state or of its phone number. */
export function ownZone({ timezone = null, state = null, country = null, phone = null }: Whereabouts): OwnZone {
  if (timezone) return { timezone, decided_by: 'timezone', basis: { timezone } }
  const ofState = state ? zoneOfState(state, country) : undefined
  const basis = { timezone, state, ...(state && { country }) }
  if (ofState) return { timezone: ofState, decided_by: 'state', basis }
  const ofPhone = phone ? zoneOfPhone(phone) : undefined
  if (ofPhone) return { timezone: ofPhone, decided_by: 'phone', basis: { ...basis, phone } }
  return { decided_by: 'workspace', basis: { ...basis, phone } }
}

/** The contact's time zone: that of its own fields, or else the workspace's. */
export function zoneOfContact(contact: Whereabouts, workspaceZone: string): { timezone: string; decided_by: DecidedBy } {
  const { timezone = workspaceZone, decided_by } = ownZone(contact)
  return { timezone, decided_by }
}

/** The columns in which the contact's time zone is stored (see schema/functions/zones.sql). */
export function decidedZone(contact: Whereabouts, workspaceZone: string): { local_zone: string; zone_basis: ZoneBasis } {
  const { timezone, basis } = ownZone(contact)
  if (timezone !== undefined) return { local_zone: timezone, zone_basis: basis }
  return { local_zone: workspaceZone, zone_basis: { ...basis, workspace: workspaceZone } }
}

/** In the United States and Canada the area code decides, if it lies in one zone; in other countries the country's most populous zone. */
function zoneOfPhone(phone: string): string | undefined {
  const country = countryOfPhone(phone)
  if (country === undefined) return undefined
  return country === 'US' || country === 'CA' ? zoneOfAreaCode(phone) : zoneOfCountry(country)
}
