import type { Ids } from './samples.ts'

const DAY = 86_400_000
/** Ten in the morning of a day in twelve weeks, on which nothing else is booked. */
export const FULL_START = `${new Date(Date.now() + 84 * DAY).toISOString().slice(0, 10)}T10:00:00Z`

export const waiting = (event_type: string | undefined) => ({
  body: {
    event_type,
    starts_at: FULL_START,
    email: `${crypto.randomUUID()}@example.com`,
    timezone: undefined,
    phone: undefined,
    answers: undefined,
  },
})
export const WAITING_OVER = { 'POST /scheduling-waiting-list': ({ full_event_type_id }: Ids) => waiting(full_event_type_id) }

/** The functions for the background, as in the list of all of them (roles.test.ts). */
export const WAITING_JOBS = ['claim_waiting_list', 'expire_confirmations', 'save_waiting_list']
/** What they cost with nothing due (flat-cost.test.ts). */
export const WAITING_BACKGROUND = {
  expire_confirmations: () => 'expire_confirmations(1000)',
  claim_waiting_list: () => 'claim_waiting_list(now(), 50, 300)',
}
