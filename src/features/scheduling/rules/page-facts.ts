import type { NoticeFacts } from './notice-facts.ts'

/** A time that a visitor of the page wants. Instants are milliseconds since 1970. */
export type WantedTime = Pick<
  NoticeFacts,
  'name' | 'email' | 'phone' | 'starts_at' | 'ends_at' | 'duration_minutes' | 'timezone' | 'location' | 'event_type' | 'workspace'
> & { id: string; valid_until: number | null; now: number }

/** A time that is not booked yet in the form from which notices are written. */
export const factsOfVisitor = ({ now, ...wanted }: WantedTime): NoticeFacts => ({
  ...wanted,
  version: 1,
  status: 'pending',
  updated_at: now,
  previous_starts_at: null,
  attendees: [],
  video_meet_link: null,
  awaits_link: false,
  cancellation_reason: null,
  uid: '',
  sequence: 0,
  is_moved: false,
  is_invited: false,
  booked_again: false,
  host: { name: wanted.workspace.name, email: null },
  hosts: [],
  changes: [],
  announced: 0,
  booker: null,
  contacts: [],
  suppressed: [],
  configured: ['email'],
  quiet_hours: null,
})
