import type { Check } from './slots.ts'

/** A rule that a booking passed; `host_id` is the host whom it is about. */
export type ProofCheck = Check

export const PROOF_INPUTS = ['event_type', 'company_hours', 'host_hours', 'time_off', 'bookings', 'calendar'] as const

/**
 * What a check was decided by. `version` and `changed_at` are those of the record. `read_at` is when its values were read from where they
 * come from: for records of this service in the deciding transaction, for busy times of a calendar when the calendar was read.
 */
export type ProofInput = {
  input: (typeof PROOF_INPUTS)[number]
  id: string | null
  host_id: string | null
  version: number | null
  changed_at: string | null
  read_at: string | null
}
