/** Emails are added to the timeline when they are sent or received; users create the other types. */
export const ACTIVITY_TYPES = ['call', 'meeting', 'note', 'email'] as const
export const WRITTEN_TYPES = ['call', 'meeting', 'note'] as const
export const DIRECTIONS = ['inbound', 'outbound'] as const

export const NO_LINK = 'Link it to at least one of contact_id, customer_id and deal_id'
export const NO_DIRECTION = 'Only a call has a direction: omit or clear it'

type Maybe = string | null | undefined
type Facts = { activity_type: string; contact_id?: Maybe; customer_id?: Maybe; deal_id?: Maybe; direction?: Maybe }

/** Validates a new activity as a whole and returns errors by field. */
export function activityFaults({ activity_type, contact_id, customer_id, deal_id, direction }: Facts) {
  return [
    ...(contact_id || customer_id || deal_id ? [] : [{ path: 'contact_id', message: NO_LINK }]),
    ...(direction && activity_type !== 'call' ? [{ path: 'direction', message: NO_DIRECTION }] : []),
  ]
}
