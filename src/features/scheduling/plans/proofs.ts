import { sql } from 'drizzle-orm'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import type { ProofCheck, ProofInput } from '../rules/proofs.ts'
import type { BookingProof } from '../schemas/booking-records.ts'

type Row = { decided_at: string | null; checks: ProofCheck[] | null; inputs: ProofInput[] | null }

/** The rules that a booking has passed, and how old what they were decided by was at that time. */
export function bookingProof(id: string): Plan<BookingProof> {
  const rows = plainRows<Row>(
    sql`select iso(p.decided_at), p.checks, p.inputs from bookings b left join booking_proofs p on p.booking_id = b.id where b.id = ${id}`,
    ['decided_at', 'checks', 'inputs'],
  )
  const result = mapResult(rows, ([row]): BookingProof => {
    const { decided_at = null, checks, inputs } = row ?? {}
    const ageOf = (readAt: string | null) =>
      decided_at === null || readAt === null ? null : Math.max(0, Math.round((Date.parse(decided_at) - Date.parse(readAt)) / 1_000))
    return {
      booking_id: id,
      decided_at,
      checks: checks ?? [],
      inputs: (inputs ?? []).map((input) => ({ ...input, age_seconds: ageOf(input.read_at) })),
    }
  })
  return plan([sql`select assert_exists(exists (select from bookings where id = ${id}), 'booking', ${id}::uuid)`], result)
}
