import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { CHANNELS } from '../src/features/messages/rules/messages.ts'
import { NOTICE_KINDS, NOTICE_STATES } from '../src/features/scheduling/rules/notices.ts'
import type { AwaitedForm } from '../src/features/scheduling/rules/pages/confirm-page.ts'
import type { ProofCheck, ProofInput } from '../src/features/scheduling/rules/proofs.ts'
import { VOICE_PROVIDERS } from '../src/features/scheduling/rules/voice/providers.ts'
import { identity, instant, reference, tenant } from './columns.ts'
import { contacts } from './contacts.ts'
import { messages } from './messages.ts'
import { bookings, scheduledEventTypes } from './scheduling.ts'

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

/** What attendees are notified of: one row for each notice, recipient and channel, before its message (booking-notices.sql). */
export const bookingNotices = pgTable(
  'booking_notices',
  {
    ...identity,
    booking_id: uuid().notNull(),
    /** The contact of the booking, with whom its notices are deleted and erased. */
    contact_id: uuid(),
    kind: text({ enum: NOTICE_KINDS }).notNull(),
    channel: text({ enum: CHANNELS }).notNull(),
    /** The email address or phone number; empty if the booker has none. */
    recipient: text().notNull(),
    is_booker: boolean().notNull(),
    offset_minutes: integer().notNull().default(0),
    /** Of a notice about a change: the sequence of the booking since then. */
    sequence: integer().notNull().default(0),
    /** How often it was sent again. */
    resend: integer().notNull().default(0),
    state: text({ enum: NOTICE_STATES }).notNull().default('due'),
    /** Why it was skipped or cancelled. */
    reason: text(),
    send_at: instant().notNull(),
    /** When the background looks at it next. Null once it has ended or has a message. */
    wake_at: instant(),
    message_id: uuid(),
    sent_at: instant(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('booking_notices_key').on(
      t.workspace_id,
      t.booking_id,
      t.kind,
      t.channel,
      t.recipient,
      t.offset_minutes,
      t.sequence,
      t.resend,
    ),
    index('booking_notices_by_booking').on(t.workspace_id, t.booking_id, t.send_at, t.id),
    index('booking_notices_by_contact').on(t.workspace_id, t.contact_id, t.id),
    index('booking_notices_by_message').on(t.workspace_id, t.message_id),
    index('booking_notices_due').on(t.wake_at, t.id).where(sql`wake_at is not null`),
    reference(t.booking_id, bookings, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
    reference(t.message_id, messages, 'set null'),
  ],
)

/**
 * What visitors have sent to event types with `confirm_email`. A time is held until the visitor opens the link of an email, whose token is
 * computed from the id of the row and never stored. Bookings of known addresses are made at once; their rows are only counted. A row
 * contains no address, and is deleted after a day.
 */
export const bookingConfirmations = pgTable(
  'booking_confirmations',
  {
    ...identity,
    event_type_id: uuid().notNull(),
    /** A hash of the email address, by which the emails to it are limited. */
    email_hash: text().notNull(),
    starts_at: instant().notNull(),
    /** What the visitor has typed; null once it was booked or has expired. */
    form: jsonb().$type<AwaitedForm>(),
    booking_id: uuid(),
    expires_at: instant().notNull(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('booking_confirmations_by_address').on(t.workspace_id, t.email_hash, t.created_at),
    index('booking_confirmations_by_event_type').on(t.workspace_id, t.event_type_id, t.id),
    index('booking_confirmations_by_booking').on(t.workspace_id, t.booking_id).where(sql`booking_id is not null`),
    index('booking_confirmations_open').on(t.expires_at, t.id).where(sql`form is not null`),
    index('booking_confirmations_by_age').on(t.created_at, t.id),
    reference(t.event_type_id, scheduledEventTypes, 'cascade'),
    reference(t.booking_id, bookings, 'cascade'),
  ],
)
