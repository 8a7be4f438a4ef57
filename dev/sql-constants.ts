import { sqlOf } from '../queues/work/kind.ts'
import { KINDS, SETS } from '../queues/work/registry.ts'
import { rowsOf, sqlOfRows } from '../queues/work/set.ts'
import { CURRENCIES } from '../src/domain/currencies.ts'
import { TEXT_RULES } from '../src/domain/custom-values.ts'
import { DELETED_IN_BATCHES, MOST_AT_ONCE, MOST_DELETIONS, MOST_DEPENDANTS } from '../src/domain/deletions.ts'
import { MAX_DELIVERY_ATTEMPTS } from '../src/domain/events.ts'
import { REFERENCE_TABLES } from '../src/domain/filters/custom-types.ts'
import { MONEY_MAX } from '../src/domain/money.ts'
import { PLURAL_OF } from '../src/domain/records.ts'
import { AUTO_QUEUE_TRANSITIONS } from '../src/features/auto-queues/rules/auto-queues.ts'
import { BURST_SECONDS, MAX_BURST_SECONDS, MAX_MESSAGE, REPLY_DAYS } from '../src/features/auto-responders/rules/auto-responders.ts'
import { AUTOMATION_TRANSITIONS } from '../src/features/automations/rules/states.ts'
import { INVOICE_TRANSITIONS } from '../src/features/billing/rules/invoices.ts'
import { COPY_TRANSITIONS } from '../src/features/calendars/rules/copies.ts'
import { CATCH_UP_MINUTES, MOST_CONNECTIONS, STALE_MINUTES } from '../src/features/calendars/rules/states.ts'
import { CAMPAIGN_TRANSITIONS } from '../src/features/campaigns/rules/states.ts'
import { DRAFT_TRANSITIONS } from '../src/features/email/rules/email-drafts.ts'
import { PUBLIC_MAIL_DOMAINS } from '../src/features/email/rules/mail-providers.ts'
import { IMPORT_TRANSITIONS } from '../src/features/imports/rules/states.ts'
import { IMPORTED } from '../src/features/imports/rules/types.ts'
import { MAX_TRACKED_LISTS } from '../src/features/lists/rules/lists.ts'
import { MAIL_CATCH_UP_MINUTES } from '../src/features/mailboxes/rules/mailboxes.ts'
import { MESSAGE_TRANSITIONS } from '../src/features/messages/rules/messages.ts'
import { LOST_MINUTES, MAX_PUBLIC } from '../src/features/models/rules/skills.ts'
import { CREDITS_PER_MINUTE, JOIN_SECONDS, NOTETAKER_TRANSITIONS, OVERTIME_MINUTES } from '../src/features/notetakers/rules/states.ts'
import { CASE_STUDY_TRANSITIONS, MAX_SLUGS, REVIEW_TRANSITIONS } from '../src/features/reputation/rules/reputation.ts'
import { REVIEW_REQUEST_TRANSITIONS } from '../src/features/reputation/rules/review-requests.ts'
import { APPROVAL_TRANSITIONS } from '../src/features/requests/rules/approvals.ts'
import { MOST_PAGE_BOOKINGS } from '../src/features/scheduling/rules/limits.ts'
import { MANAGEMENT_LINK, MANAGEMENT_TAG } from '../src/features/scheduling/rules/notice-texts.ts'
import { NOTICE_TRANSITIONS } from '../src/features/scheduling/rules/notices.ts'
import { BOOKING_TRANSITIONS, HOLD_TRANSITIONS, WAITING_TRANSITIONS } from '../src/features/scheduling/rules/states.ts'
import { REQUEST_TRANSITIONS } from '../src/features/service-requests/rules/requests.ts'
import { TASK_TRANSITIONS } from '../src/features/tasks/rules/tasks.ts'
import { filled, generated, lookup, type Value } from './sql-text.ts'

const MACHINES = {
  approval: APPROVAL_TRANSITIONS,
  auto_queue: AUTO_QUEUE_TRANSITIONS,
  automation: AUTOMATION_TRANSITIONS,
  booking: BOOKING_TRANSITIONS,
  booking_copy: COPY_TRANSITIONS,
  booking_notice: NOTICE_TRANSITIONS,
  email_campaign: CAMPAIGN_TRANSITIONS,
  email_draft: DRAFT_TRANSITIONS,
  hold: HOLD_TRANSITIONS,
  import: IMPORT_TRANSITIONS,
  invoice: INVOICE_TRANSITIONS,
  message: MESSAGE_TRANSITIONS,
  notetaker: NOTETAKER_TRANSITIONS,
  reputation_case_study: CASE_STUDY_TRANSITIONS,
  reputation_review: REVIEW_TRANSITIONS,
  review_request: REVIEW_REQUEST_TRANSITIONS,
  service_request: REQUEST_TRANSITIONS,
  task: TASK_TRANSITIONS,
  waiting_list_entry: WAITING_TRANSITIONS,
}

/** A column of the rules for custom values, by type of field. */
function rule(comment: string, name: string, type: string, column: 'message' | 'max' | 'pattern' | 'minDigits'): string {
  const entries = Object.entries(TEXT_RULES).flatMap(([field, rules]): [string, Value][] =>
    rules[column] === undefined ? [] : [[field, rules[column]]],
  )
  return lookup(comment, name, type, entries)
}

/** The values that the database needs, as SQL functions, by their file. */
export const sqlConstants = (): Record<string, string> => ({
  'schema/functions/constants.sql': constants(),
  'schema/functions/constants-work.sql': workConstants(),
})

function workConstants(): string {
  return generated(
    'the kinds and sets of queues',
    lookup('What the functions of work.sql know of a kind of background work, or of a set that is registered.', 'work_kind', 'jsonb', [
      ...KINDS.map((kind): [string, object] => [kind.name, sqlOf(kind)]),
      ...SETS.flatMap(rowsOf).map((rows): [string, object] => [rows.name, sqlOfRows(rows)]),
    ]),
  )
}

function constants(): string {
  const plurals = Object.entries(PLURAL_OF)
  return generated(
    'src/domain',
    lookup(
      'State machines: for each transition, the states that it starts from and what each changes to.',
      'transitions',
      'jsonb',
      Object.entries(MACHINES),
    ),
    lookup('The plural of an entity: the name of its table, and of what is imported.', 'plural_of', 'text', plurals),
    lookup(
      'The entity of a plural.',
      'entity_of',
      'text',
      plurals.map(([entity, plural]) => [plural, entity]),
    ),
    lookup(
      'The table of the records whose ids are the values of a custom field, by its type; null for other types.',
      'custom_target_table',
      'text',
      Object.entries(REFERENCE_TABLES),
    ),
    lookup(
      'The entity that the lines of an import become, by its object.',
      'imported_entity',
      'text',
      Object.entries(IMPORTED).map(([object, { entity }]) => [object, entity]),
    ),
    lookup('The table of an entity that is imported.', 'imported_table', 'text', [
      ...new Map(Object.values(IMPORTED).map(({ entity, table }) => [entity, table])),
    ]),
    lookup('The resource of the scopes of an entity that is imported.', 'imported_scope', 'text', [
      ...new Map(Object.values(IMPORTED).map(({ entity, scope }) => [entity, scope])),
    ]),
    rule('The message for an invalid value of a custom field, by its type.', 'custom_message', 'text', 'message'),
    rule('The most characters of a custom value.', 'custom_max_length', 'int', 'max'),
    rule('The form of a custom value, without regard to case.', 'custom_pattern', 'text', 'pattern'),
    rule('The fewest digits of a custom value.', 'custom_min_digits', 'int', 'minDigits'),
    `-- Whether amounts can have the currency (ISO 4217).
create or replace function is_currency(p_code text) returns boolean immutable parallel safe language sql
${filled("  return coalesce(p_code = any ('{", [...CURRENCIES], "}'::text[]), false);")}
`,
    `-- The largest amount of money, in any currency.
create or replace function custom_max_amount() returns numeric immutable parallel safe language sql
  return ${MONEY_MAX};
`,
    `-- Whether anyone gets an email address of the domain.
create or replace function is_public_mail_domain(p_domain text) returns boolean immutable parallel safe language sql
${filled("  return p_domain = any ('{", PUBLIC_MAIL_DOMAINS, "}'::text[]);")}
`,
    `-- After this many deliveries an event has failed.
create or replace function max_delivery_attempts() returns int immutable parallel safe language sql
  return ${MAX_DELIVERY_ATTEMPTS};
`,
    `-- The most dependants that a request deletes itself. A database may have a lower limit, as those of tests do.
create or replace function most_dependants() returns int stable language sql
  return coalesce(nullif(current_setting('app.most_dependants', true), '')::int, ${MOST_DEPENDANTS});
`,
    `-- The most dependants of a record that no job deletes. A database may have a lower limit, as those of tests do.
create or replace function most_at_once() returns int stable language sql
  return coalesce(nullif(current_setting('app.most_dependants', true), '')::int, ${MOST_AT_ONCE});
`,
    `-- The most deletions of a workspace that run at the same time, because every request compares with them.
create or replace function most_deletions() returns int immutable parallel safe language sql
  return ${MOST_DELETIONS};
`,
    `-- The tables whose records the background deletes when they have many dependants.
create or replace function deleted_in_batches() returns text[] immutable parallel safe language sql
${filled(
  "  return '{",
  DELETED_IN_BATCHES.map((entity) => PLURAL_OF[entity]),
  "}'::text[];",
)}
`,
    `-- The most lists of a workspace that track their membership.
create or replace function max_tracked_lists() returns int immutable parallel safe language sql
  return ${MAX_TRACKED_LISTS};
`,
    `-- The most slugs that a profile has had.
create or replace function max_reputation_slugs() returns int immutable parallel safe language sql
  return ${MAX_SLUGS};
`,
    `-- How long before the start of a meeting its notetaker joins.
create or replace function notetaker_lead() returns interval immutable parallel safe language sql
  return interval '${JOIN_SECONDS} seconds';
`,
    `-- How many minutes longer than the meeting a recording may last.
create or replace function notetaker_overtime() returns int immutable parallel safe language sql
  return ${OVERTIME_MINUTES};
`,
    `-- The credits that a recorded minute costs.
create or replace function notetaker_price() returns int immutable parallel safe language sql
  return ${CREDITS_PER_MINUTE};
`,
    `-- The public skills that a workspace may have.
create or replace function max_public_skills() returns int immutable parallel safe language sql
  return ${MAX_PUBLIC};
`,
    `-- The minutes after which a run of a skill is over that nobody has ended.
create or replace function lost_run_minutes() returns int immutable parallel safe language sql
  return ${LOST_MINUTES};
`,
    `-- Seconds without a further message after which a burst has ended.
create or replace function burst_seconds() returns int immutable parallel safe language sql
  return ${BURST_SECONDS};
`,
    `-- Seconds after its first message in which a burst ends.
create or replace function max_burst_seconds() returns int immutable parallel safe language sql
  return ${MAX_BURST_SECONDS};
`,
    `-- The days for which auto replies are kept.
create or replace function auto_reply_days() returns int immutable parallel safe language sql
  return ${REPLY_DAYS};
`,
    `-- A text as the reports of a provider have it: with the tag in the place of the link of a booking.
create or replace function without_management_links(p_text text) returns text immutable parallel safe language sql
  return regexp_replace(p_text,
    '${MANAGEMENT_LINK.source}',
    '${MANAGEMENT_TAG}', 'gi');
`,
    `-- Characters of a message that a model reads.
create or replace function max_message_read() returns int immutable parallel safe language sql
  return ${MAX_MESSAGE};
`,
    `-- The most bookings of a person from pages that are still to come.
create or replace function most_page_bookings() returns int immutable parallel safe language sql
  return ${MOST_PAGE_BOOKINGS};
`,
    `-- The most calendar connections of a member.
create or replace function calendar_connections_limit() returns int immutable parallel safe language sql
  return ${MOST_CONNECTIONS};
`,
    `-- After this time without a reading, the times of a calendar are not relied on.
create or replace function calendar_stale_after() returns interval immutable parallel safe language sql
  return interval '${STALE_MINUTES} minutes';
`,
    `-- How often a calendar is read without a notification of its provider.
create or replace function calendar_catch_up() returns interval immutable parallel safe language sql
  return interval '${CATCH_UP_MINUTES} minutes';
`,
    `-- How often a mailbox is read without a report of its provider.
create or replace function mail_catch_up() returns interval immutable parallel safe language sql
  return interval '${MAIL_CATCH_UP_MINUTES} minutes';
`,
  )
}
