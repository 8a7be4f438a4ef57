/** An email is put on the timeline when it is sent or received; the others are written by hand. */
export const ACTIVITY_TYPES = ['call', 'meeting', 'note', 'email'] as const
export const WRITTEN_TYPES = ['call', 'meeting', 'note'] as const
export const DIRECTIONS = ['inbound', 'outbound'] as const

export const NO_LINK = 'Link it to at least one of contact_id, customer_id and deal_id'
export const NO_DIRECTION = 'Only a call has a direction: leave it out, or clear it'

type Given = string | null | undefined
type Facts = { activity_type: string; contact_id?: Given; customer_id?: Given; deal_id?: Given; direction?: Given }

/** What is wrong with a new activity as a whole, by field. */
export function activityFaults({ activity_type, contact_id, customer_id, deal_id, direction }: Facts) {
  return [
    ...(contact_id || customer_id || deal_id ? [] : [{ path: 'contact_id', message: NO_LINK }]),
    ...(direction && activity_type !== 'call' ? [{ path: 'direction', message: NO_DIRECTION }] : []),
  ]
}
