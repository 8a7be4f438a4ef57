import { sql } from 'drizzle-orm'
import { boolean, check, date, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { EXTERNAL_CHANGES } from '../src/features/calendars/rules/copies.ts'
import { ASSIGNMENTS, CHALLENGES, type EventHost } from '../src/features/scheduling/rules/limits.ts'
import type { StoredChange } from '../src/features/scheduling/rules/notice-facts.ts'
import type { NoticeSetting } from '../src/features/scheduling/rules/notices.ts'
import type { BookerAnswer, Question } from '../src/features/scheduling/rules/questions.ts'
import { BOOKING_STATUSES, HOLD_STATES } from '../src/features/scheduling/rules/states.ts'
import { connectionCalendars } from './calendars.ts'
import { identity, instant, normalised, reference, tenant, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { opportunities, pipelines } from './opportunities.ts'
import { memberships } from './workspaces.ts'

/** What can be booked, with which hosts and by which rules. */
export const scheduledEventTypes = pgTable(
  'scheduled_event_types',
  {
    ...identity,
    name: text().notNull(),
    name_norm: normalised().notNull().generatedAlwaysAs(sql`norm(name)`),
    slug: text().notNull(),
    description: text(),
    location: text(),
    meeting_link: text(),
    /** Whether the calendar of the host creates a video meeting for each booking. */
    create_video_meeting: boolean().notNull().default(false),
    /** What happens to a booking whose event was moved or deleted in the calendar of its host. */
    on_external_change: text({ enum: EXTERNAL_CHANGES }).notNull().default('follow'),
    hosts: jsonb().$type<EventHost[]>().notNull().default([]),
    assignment: text({ enum: ASSIGNMENTS }).notNull().default('round_robin'),
    duration_minutes: integer().notNull().default(30),
    /** Further durations that may be asked for. */
    other_durations: integer().array().notNull().default([]),
    step_minutes: integer().notNull().default(30),
    /** Whether steps count from midnight on the event type's clock, rather than from the beginning of the host's working hours. */
    align_to_clock: boolean().notNull().default(false),
    buffer_before_minutes: integer().notNull().default(0),
    buffer_after_minutes: integer().notNull().default(0),
    minimum_notice_minutes: integer().notNull().default(0),
    horizon_days: integer().notNull().default(60),
    seats: integer().notNull().default(1),
    max_per_day: integer(),
    max_per_week: integer(),
    max_per_month: integer(),
    /** The zone of the place, for visits: its times are shown in it whatever the caller asks for. */
    locked_timezone: text(),
    requires_confirmation: boolean().notNull().default(false),
    /** Whether a visitor of the page confirms the email address before anything is booked, and what shows first that it is a person. */
    confirm_email: boolean().notNull().default(false),
    challenge: text({ enum: CHALLENGES }).notNull().default('none'),
    /** Whether visitors can wait for a seat of a full time, and how long a seat that is free again is kept for the first in line. */
    waiting_list: boolean().notNull().default(false),
    waiting_list_offer_minutes: integer().notNull().default(120),
    /** How many guests a visitor of the page can name, and where it leads on after a booking. */
    max_guests: integer().notNull().default(0),
    redirect_url: text(),
    pipeline_id: uuid(),
    reuse_open_opportunity: boolean().notNull().default(false),
    /** What the booker is asked. */
    questions: jsonb().$type<Question[]>().notNull().default([]),
    /** How its bookings are announced, as far as it differs from the defaults. */
    notices: jsonb().$type<NoticeSetting[]>().notNull().default([]),
    is_active: boolean().notNull().default(true),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('scheduled_event_types_by_created').on(t.workspace_id, t.created_at, t.id),
    index('scheduled_event_types_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('scheduled_event_types_by_active').on(t.workspace_id, t.is_active, t.created_at, t.id),
    index('scheduled_event_types_by_pipeline').on(t.workspace_id, t.pipeline_id),
    index('scheduled_event_types_by_schedule').using('gin', sql`hosts jsonb_path_ops`).with({ fastupdate: false }),
    uniqueIndex('scheduled_event_types_name_key').on(t.workspace_id, t.name_norm),
    uniqueIndex('scheduled_event_types_slug_key').on(t.workspace_id, t.slug),
    reference(t.pipeline_id, pipelines, 'set null'),
  ],
)

/** Busy times of members from outside, such as their calendars. Each lasts at most a day: longer ones are several rows. */
export const busyTimes = pgTable(
  'busy_times',
  {
    ...identity,
    host_id: uuid().notNull(),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    /** The calendar that it was read from. */
    calendar_id: uuid(),
    /** What the row was read from: of a calendar, the provider's id of the event. */
    source: text().notNull(),
    /** When it was read from there. */
    read_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('busy_times_by_host').on(t.workspace_id, t.host_id, t.ends_at, t.starts_at),
    index('busy_times_by_source').on(t.workspace_id, t.source, t.id),
    index('busy_times_by_calendar').on(t.workspace_id, t.calendar_id, t.source),
    check('busy_times_range', sql`starts_at < ends_at and ends_at <= starts_at + interval '24 hours'`),
    reference(t.host_id, memberships, 'cascade'),
    reference(t.calendar_id, connectionCalendars, 'cascade'),
  ],
)

export const bookings = pgTable(
  'bookings',
  {
    ...identity,
    event_type_id: uuid().notNull(),
    status: text({ enum: BOOKING_STATUSES }).notNull().default('confirmed'),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    duration_minutes: integer().notNull(),
    /** The zone in which the booker sees the time, and its wall clock when it was chosen: they differ if the rules of the zone change. */
    timezone: text().notNull(),
    wall_start: text().notNull(),
    host_id: uuid().notNull(),
    host_ids: uuid().array().notNull(),
    contact_id: uuid(),
    deal_id: uuid(),
    name: text().notNull(),
    email: text(),
    phone: text(),
    /** The last digits of the number, by which a caller who knows no more can be found. */
    phone_end: text().generatedAlwaysAs(sql`right(phone, 4)`),
    attendees: jsonb().$type<string[]>().notNull().default([]),
    notes: text(),
    /** The answers to the questions of the event type, as they were asked. */
    answers: jsonb().$type<BookerAnswer[]>().notNull().default([]),
    location: text(),
    video_meet_link: text(),
    /** That of the calendar entry; a rescheduled booking keeps it. */
    uid: text().notNull(),
    sequence: integer().notNull().default(0),
    /** What the booking was like before its latest changes of the host and the place, for the notices about them. */
    noted_changes: jsonb().$type<StoredChange[]>().notNull().default([]),
    rescheduled_from_id: uuid(),
    series_id: uuid(),
    source: text({ enum: ['api', 'voice', 'page'] })
      .notNull()
      .default('api'),
    cancelled_at: instant(),
    cancellation_reason: text(),
    /** Opens the booker's page of the booking. */
    management_token: uuid().default(sql`gen_random_uuid()`),
    management_token_expires_at: instant(),
    /** The counters that the booking was counted in; null while it claims no time. */
    claimed: jsonb().$type<Record<string, unknown>>(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('bookings_by_start').on(t.workspace_id, t.starts_at, t.id),
    index('bookings_by_created').on(t.workspace_id, t.created_at, t.id),
    index('bookings_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('bookings_by_event_type').on(t.workspace_id, t.event_type_id, t.starts_at, t.id),
    index('bookings_by_status').on(t.workspace_id, t.status, t.starts_at, t.id),
    index('bookings_by_host').on(t.workspace_id, t.host_id, t.starts_at, t.id),
    index('bookings_by_contact').on(t.workspace_id, t.contact_id, t.starts_at, t.id),
    index('bookings_by_deal').on(t.workspace_id, t.deal_id, t.starts_at, t.id),
    index('bookings_by_origin').on(t.workspace_id, t.rescheduled_from_id).where(sql`rescheduled_from_id is not null`),
    index('bookings_by_series').on(t.workspace_id, t.series_id, t.starts_at, t.id).where(sql`series_id is not null`),
    index('bookings_by_phone_end').on(t.workspace_id, t.phone_end, t.starts_at, t.id).where(sql`phone_end is not null`),
    uniqueIndex('bookings_management_token_key').on(t.management_token),
    check('bookings_range', sql`starts_at < ends_at`),
    reference(t.event_type_id, scheduledEventTypes),
    reference(t.host_id, memberships),
    reference(t.contact_id, contacts, 'set null'),
    reference(t.deal_id, opportunities, 'set null'),
  ],
)

/** A time that is kept for a call or the session of a page until it is booked, released or expired. */
export const bookingHolds = pgTable(
  'booking_holds',
  {
    ...identity,
    /** The id of the call or session. Each has one open hold. */
    owner: text().notNull(),
    event_type_id: uuid().notNull(),
    state: text({ enum: HOLD_STATES }).notNull().default('held'),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    host_ids: uuid().array().notNull(),
    /** Of a seat: the seats that it is one of. */
    session_id: uuid(),
    expires_at: instant().notNull(),
    booking_id: uuid(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('booking_holds_owner_key').on(t.workspace_id, t.owner).where(sql`state = 'held'`),
    index('booking_holds_by_event_type').on(t.workspace_id, t.event_type_id, t.id),
    index('booking_holds_due').on(t.expires_at, t.id).where(sql`state = 'held'`),
    reference(t.event_type_id, scheduledEventTypes, 'cascade'),
  ],
)

/** A host's time that a booking, session or hold claims, with buffers. An exclusion constraint, unknown to drizzle, parts claims. */
export const hostClaims = pgTable(
  'host_claims',
  {
    ...identity,
    host_id: uuid().notNull(),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    booking_id: uuid(),
    session_id: uuid(),
    hold_id: uuid(),
    /** When a hold no longer counts. */
    expires_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('host_claims_by_host').on(t.workspace_id, t.host_id, t.ends_at, t.starts_at),
    index('host_claims_by_booking').on(t.workspace_id, t.booking_id).where(sql`booking_id is not null`),
    index('host_claims_by_session').on(t.workspace_id, t.session_id).where(sql`session_id is not null`),
    index('host_claims_by_hold').on(t.workspace_id, t.hold_id).where(sql`hold_id is not null`),
    check('host_claims_range', sql`starts_at < ends_at and ends_at <= starts_at + interval '24 hours'`),
    check('host_claims_of', sql`num_nonnulls(booking_id, session_id, hold_id) = 1`),
  ],
)

/** The seats of an event type with several, at a time. */
export const seatSessions = pgTable(
  'seat_sessions',
  {
    ...identity,
    event_type_id: uuid().notNull(),
    starts_at: instant().notNull(),
    ends_at: instant().notNull(),
    host_ids: uuid().array().notNull(),
    capacity: integer().notNull(),
    taken: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('seat_sessions_start_key').on(t.workspace_id, t.event_type_id, t.starts_at),
    check('seat_sessions_taken', sql`taken between 0 and capacity`),
    reference(t.event_type_id, scheduledEventTypes, 'cascade'),
  ],
)

/** How many bookings an event type or a host has on a day, or in the week or month that begins on it. */
export const bookingCounts = pgTable(
  'booking_counts',
  {
    ...tenant,
    /** The event type or the host. */
    subject_id: uuid().notNull(),
    period: text({ enum: ['day', 'week', 'month'] }).notNull(),
    starts_on: date().notNull(),
    taken: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.subject_id, t.period, t.starts_on] }), check('booking_counts_taken', sql`taken >= 0`)],
)

/** How many bookings of an event type each host has received, from which the round robin chooses. */
export const hostShares = pgTable(
  'host_shares',
  {
    ...tenant,
    event_type_id: uuid().notNull(),
    host_id: uuid().notNull(),
    /** Also what a new host starts with: the mean of the others. */
    booked: integer().notNull(),
    last_booked_at: instant(),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.host_id, t.event_type_id] }),
    index('host_shares_by_event_type').on(t.workspace_id, t.event_type_id, t.host_id),
    reference(t.event_type_id, scheduledEventTypes, 'cascade'),
  ],
)

/** What a tool call of a voice agent has done, so that its repetition returns the same and has no second effect. */
export const voiceResults = pgTable(
  'voice_results',
  {
    ...identity,
    /** The call and the tool call, or the call and a hash of its arguments; of the last list that a caller heard, the call or caller. */
    call_key: text().notNull(),
    /** The call; of a form of a booking page, a hash of the event type and the visitor's network. */
    call_id: text(),
    booking_id: uuid(),
    outcome: text({ enum: ['booked', 'cancelled', 'rescheduled', 'requested', 'listed'] }).notNull(),
    /** The open bookings that the caller has afterwards, with their starts in milliseconds since 1970; of a list, in its order. */
    bookings: jsonb().$type<[id: string, start: number][]>(),
    created_at: instant().notNull().default(sql`now()`),
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    uniqueIndex('voice_results_key').on(t.workspace_id, t.call_key),
    index('voice_results_by_call').on(t.workspace_id, t.call_id, t.created_at, t.id).where(sql`call_id is not null`),
    index('voice_results_by_age').on(t.created_at, t.id),
  ],
)
