import { sql } from 'drizzle-orm'
import { jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { ProofCheck, ProofInput } from '../src/domain/scheduling/proofs.ts'
import { VOICE_PROVIDERS } from '../src/domain/scheduling/voice/providers.ts'
import { identity, instant, reference, tenant } from './columns.ts'
import { bookings } from './scheduling.ts'

/** What a booking was checked against when its time was claimed, last by a move or a change of its host. */
export const bookingProofs = pgTable(
  'booking_proofs',
  {
    ...identity,
    booking_id: uuid().notNull(),
    /** When the time was claimed, in the transaction that did so. */
    decided_at: instant().notNull(),
    checks: jsonb().$type<ProofCheck[]>().notNull(),
    inputs: jsonb().$type<ProofInput[]>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('booking_proofs_booking_key').on(t.workspace_id, t.booking_id),
    reference(t.booking_id, bookings, 'cascade'),
  ],
)

/** The secrets by which requests of voice providers are recognised. */
export const voiceProviders = pgTable(
  'voice_providers',
  {
    ...tenant,
    provider: text({ enum: VOICE_PROVIDERS }).notNull(),
    /** Sealed (src/lib/seal.ts). */
    sealed_secret: text().notNull(),
    updated_at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.provider] })],
)
