/** Emails, SMS and WhatsApp messages are added to the timeline when they are sent or received; users create the other types. */
export const ACTIVITY_TYPES = ['call', 'meeting', 'note', 'email', 'sms', 'whatsapp'] as const
export const WRITTEN_TYPES = ['call', 'meeting', 'note'] as const
export const DIRECTIONS = ['inbound', 'outbound'] as const
/** The most contacts of an activity. */
export const MOST_CONTACTS = 100

export const NO_LINK = 'Link it to at least one of contact_id, contact_ids, customer_id and deal_id'
export const NO_DIRECTION = 'Only a call has a direction: omit or clear it'
const NOT_AMONG = 'must be one of contact_ids: leave one of the two out, or add it there'

type Maybe = string | null | undefined
type Contacts = { contact_id?: Maybe; contact_ids?: string[] | undefined }
type Facts = Contacts & { activity_type: string; customer_id?: Maybe; deal_id?: Maybe; direction?: Maybe }

/** Validates a new activity as a whole and returns errors by field. */
export function activityFaults(activity: Facts) {
  const { activity_type, contact_id, contact_ids, customer_id, deal_id, direction } = activity
  return [
    ...(contact_id || contact_ids?.length || customer_id || deal_id ? [] : [{ path: 'contact_id', message: NO_LINK }]),
    ...contactFaults(activity),
    ...(direction && activity_type !== 'call' ? [{ path: 'direction', message: NO_DIRECTION }] : []),
  ]
}

/** The main contact must be one of the contacts, if both are sent. */
export const contactFaults = ({ contact_id, contact_ids }: Contacts) =>
  contact_id && contact_ids && !contact_ids.includes(contact_id) ? [{ path: 'contact_id', message: NOT_AMONG }] : []

/**
 * The columns for the contacts as they were sent, and the further contacts in order. Without a list, `others` is undefined: a main contact
 * that was sent alone replaces only the former one. A contact_id of null leaves the list without a main contact.
 */
export function contactColumns({ contact_id, contact_ids }: Contacts) {
  if (!contact_ids) return { columns: contact_id === undefined ? {} : { contact_id }, others: undefined }
  const main = contact_id === undefined ? (contact_ids[0] ?? null) : contact_id
  const others = contact_ids.filter((id) => id !== main)
  return { columns: { contact_id: main, contact_ids: main ? [main, ...others] : others }, others }
}
