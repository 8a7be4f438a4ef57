/** An id, as text. */
export type Uuid = string
/** JSON, as text. */
export type Json = string
/** An array, as PostgreSQL writes it: {a,b}. */
export type List = string

/** The functions of schema/functions that TypeScript calls by name, from the catalogue of the database (dev/sql-functions.ts). */
export interface SqlFunctions {
  /** schema/functions/members.sql, which returns jsonb. */
  accept_invitation(token_hash: string, full_name: string, request_id: string): unknown
  /** schema/functions/outbox.sql, which returns void. */
  ack_events(done: Json, failed: Json, waiting: Json): unknown
  /** schema/functions/commission.sql, which returns void. */
  add_commission_plan(scopes: Json, p: Json, most: number): unknown
  /** schema/functions/webhooks.sql, which returns integer. */
  add_webhook_deliveries(workspace: Uuid, rows: Json): unknown
  /** schema/functions/knowledge-copies.sql, which returns void. */
  adopt_knowledge_base(p: Json): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  agency_commission(scopes: Json, months: number, lines: number): unknown
  /** schema/functions/automation-failures.sql, which returns integer. */
  announce_failures(workspace: Uuid, failures: Json): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  append_to_whiteboard(id: Uuid, elements: string, facts: Json): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  ask_for_reviews(rows: Json, days: number): unknown
  /** schema/functions/agency.sql, which returns void. */
  assert_agency(): unknown
  /** schema/functions/calendars.sql, which returns void. */
  assert_connected(connection: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_conversation_scopes(ids: List, action: string, deleted?: boolean): unknown
  /** schema/functions/picklists.sql, which returns void. */
  assert_distinct_names(path: string, entries: Json): unknown
  /** schema/functions/guards.sql, which returns void. */
  assert_every_id(field: string, ids: List, known: List, message: string): unknown
  /** schema/functions/guards.sql, which returns boolean. */
  assert_exists(ok: boolean, what: string, id: Uuid): unknown
  /** schema/functions/booking-pages.sql, which returns boolean. */
  assert_few_bookings(contact: Uuid): unknown
  /** schema/functions/booking-confirmations.sql, which returns boolean. */
  assert_few_confirmations(email_hash: string, most: number): unknown
  /** schema/functions/deletions.sql, which returns void. */
  assert_few_dependants(table: string, id: Uuid, what: string): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  assert_help_center(base: Uuid): unknown
  /** schema/functions/imports.sql, which returns boolean. */
  assert_import_scopes(id: Uuid, actions: List): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_inbox_scopes(channel: string): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_key_change(id: Uuid, patch: Json): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_key_grant(scopes: List, level: string, expires_at: string | Date, ranges: List): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_alias(email: string): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_connected(mailbox: Uuid): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_sender(user: Uuid): unknown
  /** schema/functions/automation-starts.sql, which returns boolean. */
  assert_may_start(automation: Uuid): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_notepad_person(): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_notepad_writer(id: Uuid, visibility?: string, access?: Json): unknown
  /** schema/functions/stage-rules.sql, which returns void. */
  assert_opportunity(patch: Json): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_other_admin(user: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_own_account(user: Uuid): unknown
  /** schema/functions/policies.sql, which returns void. */
  assert_policy(id: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_readable(entities: List): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_restricted_room(id: Uuid, most: number): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_role_change(id: Uuid, patch: Json): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_role_grant(role: string, present: string): unknown
  /** schema/functions/automation-retries.sql, which returns void. */
  assert_run(run: Uuid, ended: boolean): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_scopes(scopes: List): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_self_or_admin(user: Uuid): unknown
  /** schema/functions/skills.sql, which returns boolean. */
  assert_tools(tools: Json): unknown
  /** schema/functions/training.sql, which returns void. */
  assert_training_target(card: Uuid, type: string, url: string, message: string): unknown
  /** schema/functions/transcripts.sql, which returns void. */
  assert_transcript_credits(): unknown
  /** schema/functions/policies.sql, which returns boolean. */
  assert_unheld(): unknown
  /** schema/functions/files.sql, which returns void. */
  assert_unowned_file(id: Uuid): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  assert_whatsapp_state(allowed: Json, message: string): unknown
  /** schema/functions/message-media.sql, which returns void. */
  attach_files(key: string, files: Json, type: string): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  automation_batch(workspace: Uuid, most: number): unknown
  /** schema/functions/booking-confirmations.sql, which returns jsonb. */
  awaited_booking(id: Uuid): unknown
  /** schema/functions/automation-runs.sql, which returns void. */
  begin_automation_work(workspace: Uuid): unknown
  /** schema/functions/calendar-sync.sql, which returns boolean. */
  begin_calendar_channel(workspace: Uuid, id: Uuid, claim: Uuid, channel: Uuid, hash: string): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  begin_import(p: Json): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  begin_list_walk(list: Uuid, origin: string): unknown
  /** schema/functions/agents.sql, which returns void. */
  begin_publication(agent: Uuid, version: Uuid, has_voice: boolean, lease: number): unknown
  /** schema/functions/requests.sql, which returns jsonb. */
  begin_request(p: Json): unknown
  /** schema/functions/auto-responders.sql, which returns void. */
  begin_responder_run(responder: Uuid, run: Uuid, credits: number): unknown
  /** schema/functions/skill-runs.sql, which returns void. */
  begin_skill_run(p: Json): unknown
  /** schema/functions/booking-notices.sql, which returns jsonb. */
  booking_facts(workspace: Uuid, booking: Uuid): unknown
  /** schema/functions/booking-pages.sql, which returns jsonb. */
  booking_link_grant(token: string): unknown
  /** schema/functions/booking-pages.sql, which returns jsonb. */
  booking_page(): unknown
  /** schema/functions/booking-pages.sql, which returns jsonb. */
  booking_page_grant(slug: string): unknown
  /** schema/functions/custom-indexes.sql, which returns boolean. */
  build_custom_index(workspace: Uuid, field: Uuid, batch: number): unknown
  /** schema/functions/booking-copy-changes.sql, which returns boolean. */
  cancel_with_event(workspace: Uuid, change: Json): unknown
  /** schema/functions/campaigns.sql, which returns void. */
  change_subscription(recipient: Uuid, reason: string): unknown
  /** schema/functions/custom-values.sql, which returns boolean. */
  check_custom_conditions(conditions: Json): unknown
  /** schema/functions/custom-fields.sql, which returns void. */
  check_custom_values(object: string, records: Json): unknown
  /** schema/functions/stage-rules.sql, which returns void. */
  check_opportunities(patches: Json): unknown
  /** schema/functions/record-times.sql, which returns integer. */
  check_record_times(limit: number): unknown
  /** schema/functions/custom-fields.sql, which returns boolean. */
  check_required_fields(object: string, keys: Json): unknown
  /** schema/functions/calendars.sql, which returns void. */
  choose_calendar(connection: Uuid, id: Uuid, busy: boolean, write: boolean): unknown
  /** schema/functions/birthdays.sql, which returns jsonb. */
  claim_birthdays(now: string | Date, birthdays: List, limit: number): unknown
  /** schema/functions/booking-notices.sql, which returns jsonb. */
  claim_booking_notices(workspace: Uuid, booking: Uuid, now: string | Date, limit: number, lease: number): unknown
  /** schema/functions/messages.sql, which returns jsonb. */
  claim_messages(workspace: Uuid, limit: number, lease: number): unknown
  /** schema/functions/outgoing-requests.sql, which returns jsonb. */
  claim_outgoing(workspace: Uuid, claim: Uuid, most: number, lease: number): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  claim_runs(workspace: Uuid, limit: number, seconds: number): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  claim_token(workspace: Uuid, account: Uuid, claim: Uuid, lease: number, refused: string): unknown
  /** schema/functions/waiting-list.sql, which returns jsonb. */
  claim_waiting_list(now: string | Date, limit: number, lease: number): unknown
  /** schema/functions/webhook-deliveries.sql, which returns jsonb. */
  claim_webhook(workspace: Uuid, webhook: Uuid, claim: Uuid, most: number): unknown
  /** schema/functions/work.sql, which returns jsonb. */
  claim_work(kind: string, workspace: Uuid, claim: Uuid, limit: number, lease: number, workers: number): unknown
  /** schema/functions/between-statements.sql, which returns void. */
  clear_flag(flag: string): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_facts(month: string): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_line(id: Uuid, agency: Json, team: Json): unknown
  /** schema/functions/approvals.sql, which returns void. */
  complete_approval(workspace: Uuid, id: Uuid, status: string, response_status: number, response_body: Json): unknown
  /** schema/functions/opportunity-copies.sql, which returns void. */
  copy_opportunity(p: Json): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  copy_whiteboard_content(from: Uuid, to: Uuid): unknown
  /** schema/functions/approvals.sql, which returns uuid. */
  create_approval(p: Json): unknown
  /** schema/functions/primitives.sql, which returns uuid. */
  current_workspace(): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  deactivate_queue(queue: Uuid): unknown
  /** schema/functions/campaign-ab-tests.sql, which returns void. */
  decide_ab_test(workspace: Uuid, campaign: Uuid, winner: string): unknown
  /** schema/functions/approvals.sql, which returns void. */
  decide_approval(id: Uuid, status: string, reason: string, force: boolean): unknown
  /** schema/functions/approvals.sql, which returns void. */
  decide_approvals(ids: List, status: string, reason: string, force: boolean): unknown
  /** schema/functions/files.sql, which returns void. */
  delete_file(id: Uuid, version: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  delete_whatsapp_messages(workspace: Uuid, keys: List): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  disable_webhook(workspace: Uuid, webhook: Uuid, reason: string): unknown
  /** schema/functions/lead-dispatch.sql, which returns jsonb. */
  dispatch_leads(now: string | Date, decisions: Json): unknown
  /** schema/functions/calendar-sync.sql, which returns void. */
  drop_calendar_channel(workspace: Uuid, id: Uuid, claim: Uuid): unknown
  /** schema/functions/birthdays.sql, which returns jsonb. */
  due_birthdays(workspace: Uuid, open: Json, limit: number): unknown
  /** schema/functions/schedule-jobs.sql, which returns jsonb. */
  due_schedules(now: string | Date, limit: number, among?: number): unknown
  /** schema/functions/suppression-lifts.sql, which returns jsonb. */
  due_suppression_lifts(limit: number, wait: number, attempts: number): unknown
  /** schema/functions/approvals.sql, which returns void. */
  edit_approval(id: Uuid, p: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns jsonb. */
  edit_whatsapp_messages(workspace: Uuid, messages: Json): unknown
  /** schema/functions/email.sql, which returns jsonb. */
  email_inbox_grant(hash: string): unknown
  /** schema/functions/history.sql, which returns void. */
  emit(type: string, entity: string, entity_id: Uuid, payload?: Json, private_to?: Uuid): unknown
  /** schema/functions/webhooks.sql, which returns jsonb. */
  enabled_webhooks(workspace: Uuid, most: number): unknown
  /** schema/functions/email-drafts.sql, which returns void. */
  end_email_draft(draft: Uuid, message: Uuid): unknown
  /** schema/functions/incoming-webhooks.sql, which returns void. */
  end_incoming(workspace: Uuid, request: Uuid, state: string, result: Uuid, code: string, message: string): unknown
  /** schema/functions/knowledge-copies.sql, which returns void. */
  end_knowledge_copy(base: Uuid): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  end_list_tracking_batch(workspace: Uuid, from: Json, to: Json, touches: List): unknown
  /** schema/functions/skill-runs.sql, which returns integer. */
  end_lost_runs(limit: number): unknown
  /** schema/functions/notetakers.sql, which returns void. */
  end_notetaker(booking: Uuid): unknown
  /** schema/functions/skill-runs.sql, which returns void. */
  end_skill_run(id: Uuid, p: Json): unknown
  /** schema/functions/conversations.sql, which returns integer. */
  end_snoozes(limit: number): unknown
  /** schema/functions/suppression-lifts.sql, which returns void. */
  end_suppression_lifts(lifts: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  end_whatsapp_event(workspace: Uuid, id: Uuid, error: string): unknown
  /** schema/functions/work.sql, which returns integer. */
  end_work(kind: string, workspace: Uuid, id: Uuid, claim: Uuid, turn: number, p: Json): unknown
  /** schema/functions/lead-initiatives.sql, which returns uuid[]. */
  enrol_leads(initiative: Uuid, rows: Json): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns void. */
  enrol_list_part(workspace: Uuid, id: Uuid, after: Uuid, last: Uuid, ids: List, depth: number): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  enrol_one(queue: Uuid, source: Uuid, rows: Json): unknown
  /** schema/functions/agents.sql, which returns void. */
  ensure_tool_key(version: Uuid, p: Json): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  enter_portal(portal: Uuid, pin_hash: string, network: string, most: number, minutes: number): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns integer. */
  exit_enrolments(workspace: Uuid, queue: Uuid, exits: Json): unknown
  /** schema/functions/approvals.sql, which returns integer. */
  expire_approvals(): unknown
  /** schema/functions/booking-confirmations.sql, which returns integer. */
  expire_confirmations(limit: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns integer. */
  expire_holds(limit: number): unknown
  /** schema/functions/merge-undo.sql, which returns void. */
  expire_merge_undo(days: number, limit?: number): unknown
  /** schema/functions/portals.sql, which returns integer. */
  expire_portal_attempts(limit: number): unknown
  /** schema/functions/public-images.sql, which returns jsonb. */
  expire_public_images(days: number, limit: number): unknown
  /** schema/functions/schedule-jobs.sql, which returns integer. */
  expire_schedule_runs(days: number, limit: number): unknown
  /** schema/functions/work.sql, which returns boolean. */
  extend_work(kind: string, workspace: Uuid, id: Uuid, claim: Uuid, lease: number, facts: Json): unknown
  /** schema/functions/accounts.sql, which returns void. */
  fail_account(workspace: Uuid, account: Uuid, error: string): unknown
  /** schema/functions/campaign-jobs.sql, which returns void. */
  fail_campaign(workspace: Uuid, campaign: Uuid, code: string, message: string): unknown
  /** schema/functions/email-drafts.sql, which returns void. */
  fail_email_draft(workspace: Uuid, draft: Uuid, code: string, message: string): unknown
  /** schema/functions/imports.sql, which returns void. */
  fail_import(workspace: Uuid, id: Uuid, reason: string): unknown
  /** schema/functions/email-jobs.sql, which returns void. */
  fail_inbound_email(workspace: Uuid, id: Uuid, error: string): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns void. */
  fail_list_enrolment(workspace: Uuid, id: Uuid, error: string): unknown
  /** schema/functions/guards.sql, which returns void. */
  fail_paths(paths: List, message: string): unknown
  /** schema/functions/schedule-jobs.sql, which returns void. */
  fail_schedule_run(workspace: Uuid, run: Uuid, code: string, message: string): unknown
  /** schema/functions/birthdays.sql, which returns void. */
  finish_birthdays(workspace: Uuid, lease: string | Date, next: string | Date): unknown
  /** schema/functions/calendar-jobs.sql, which returns uuid. */
  finish_calendar_grant(workspace: Uuid, user: Uuid, p: Json): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  finish_knowledge_entry(id: Uuid, turn: number, p: Json): unknown
  /** schema/functions/service-requests.sql, which returns void. */
  finish_service_request_vector(id: Uuid, model: string, vector: string): unknown
  /** schema/functions/schedule-jobs.sql, which returns jsonb. */
  fire_due_schedules(fires: Json): unknown
  /** schema/functions/schedules.sql, which returns void. */
  fire_schedule_now(schedule: Uuid, run: Uuid): unknown
  /** schema/functions/booking-copy-changes.sql, which returns boolean. */
  flag_copy(workspace: Uuid, change: Json, flag: string): unknown
  /** schema/functions/record-counts.sql, which returns integer. */
  fold_own_record_counts(most?: number): unknown
  /** schema/functions/opportunity-counts.sql, which returns integer. */
  fold_pipeline(pipeline: Uuid, most?: number): unknown
  /** schema/functions/record-counts.sql, which returns uuid. */
  fold_record_counts_after(after: Uuid, workspaces?: number, limit?: number): unknown
  /** schema/functions/opportunity-counts.sql, which returns uuid. */
  fold_workspaces(after: Uuid, workspaces?: number, limit?: number): unknown
  /** schema/functions/booking-copy-changes.sql, which returns void. */
  follow_event(workspace: Uuid): unknown
  /** schema/functions/feed-followers.sql, which returns text[]. */
  followers_of(workspace: Uuid): unknown
  /** schema/functions/memories.sql, which returns void. */
  forget_memory(id: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns integer. */
  forget_unpaid_orders(limit: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  forget_whatsapp_pairing(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/between-statements.sql, which returns void. */
  hand(name: string, value: Json): unknown
  /** schema/functions/booking-copy-jobs.sql, which returns boolean. */
  has_booking_copies_due(workspace: Uuid, booking: Uuid): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns boolean. */
  has_list_enrolments(workspace: Uuid): unknown
  /** schema/functions/accounts.sql, which returns void. */
  hold_account(workspace: Uuid, user: Uuid, purpose: string, provider: string, hash: string, sealed: string, minutes: number): unknown
  /** schema/functions/incoming-webhooks.sql, which returns jsonb. */
  incoming_grant(hash: string): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  instruction_facts(): unknown
  /** schema/functions/members.sql, which returns uuid. */
  invite_member(p: Json): unknown
  /** schema/functions/accounts.sql, which returns boolean. */
  is_account_in_use(provider: string, account: string): unknown
  /** schema/functions/files.sql, which returns boolean. */
  is_restorable(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  join_waiting_list(entry: Json, most: number, line: number): unknown
  /** schema/functions/booking-copy-changes.sql, which returns void. */
  keep_copied_event(workspace: Uuid, copy: Uuid, calendar: Uuid): unknown
  /** schema/functions/lead-dispatch.sql, which returns jsonb. */
  lead_dispatch_facts(now: string | Date, initiative: Uuid, limit: number): unknown
  /** schema/functions/lead-results.sql, which returns jsonb. */
  lead_facts(ids: List): unknown
  /** schema/functions/lead-results.sql, which returns boolean. */
  lead_facts_hold(ids: List, facts: Json): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  leave_waiting_list(id: Uuid): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  leave_whatsapp_group(workspace: Uuid, jid: string): unknown
  /** schema/functions/service-requests.sql, which returns void. */
  link_service_requests(id: Uuid, add: List, remove: List): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  link_whatsapp_group(id: Uuid, deal: Uuid, customer: Uuid, limit: number): unknown
  /** schema/functions/booking-pages.sql, which returns jsonb. */
  linked_booking(token: string): unknown
  /** schema/functions/waiting-list.sql, which returns jsonb. */
  linked_entry(id: Uuid): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns jsonb. */
  list_enrolment_part(workspace: Uuid, most: number): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns jsonb. */
  list_tracking_batch(workspace: Uuid, most: number, depth: number, most_lists: number): unknown
  /** schema/functions/approvals.sql, which returns jsonb. */
  load_approval(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/email-drafts.sql, which returns jsonb. */
  load_email_draft(workspace: Uuid, draft: Uuid): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  load_import(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/email-jobs.sql, which returns boolean. */
  load_inbound_email(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/incoming-webhooks.sql, which returns jsonb. */
  load_incoming(workspace: Uuid, request: Uuid, scopes: Json): unknown
  /** schema/functions/schedule-jobs.sql, which returns jsonb. */
  load_schedule_run(workspace: Uuid, run: Uuid, depth: number, most: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns jsonb. */
  load_whatsapp_event(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns jsonb. */
  load_whatsapp_pairing(workspace: Uuid): unknown
  /** schema/functions/campaign-jobs.sql, which returns void. */
  lock_campaign_send(workspace: Uuid, campaign: Uuid, last: Uuid): unknown
  /** schema/functions/commission.sql, which returns void. */
  lock_commission(p: Json): unknown
  /** schema/functions/restores.sql, which returns void. */
  lock_deletion(table: string, id: Uuid): unknown
  /** schema/functions/conversations.sql, which returns void. */
  lock_in_channels(ids: List): unknown
  /** schema/functions/lead-results.sql, which returns void. */
  lock_leads(): unknown
  /** schema/functions/memories.sql, which returns void. */
  lock_memories(subject: Uuid): unknown
  /** schema/functions/contacts.sql, which returns void. */
  lock_primary_contacts(contacts: List, companies: List): unknown
  /** schema/functions/schedule-jobs.sql, which returns void. */
  lock_schedule_run(workspace: Uuid, run: Uuid, last: Uuid): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns boolean. */
  lock_tracked_list(workspace: Uuid, list: Uuid): unknown
  /** schema/functions/commission.sql, which returns void. */
  mark_payout(scopes: Json, id: Uuid, paid: boolean, reference: string): unknown
  /** schema/functions/approvals.sql, which returns integer. */
  mark_stale_approvals(limit: number): unknown
  /** schema/functions/calendar-sync.sql, which returns integer. */
  mark_stale_calendars(limit: number): unknown
  /** schema/functions/merges.sql, which returns void. */
  merge_records(p: Json): unknown
  /** schema/functions/feed-followers.sql, which returns void. */
  move_follower(workspace: Uuid, follower: string, from: Json, to: Json): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  move_webhook_replay(workspace: Uuid, webhook: Uuid, replay: Uuid, from: Json, to: Json, added: number): unknown
  /** schema/functions/campaign-jobs.sql, which returns jsonb. */
  next_campaign_step(workspace: Uuid, campaign: Uuid, limit: number, bytes: number, lease: number, depth: number, lists: number): unknown
  /** schema/functions/requests.sql, which returns void. */
  note_created(created: boolean): unknown
  /** schema/functions/work-orders.sql, which returns void. */
  note_feed_read(hash: string): unknown
  /** schema/functions/mailbox-jobs.sql, which returns void. */
  note_mailbox_watch(workspace: Uuid, id: Uuid, claim: Uuid, until: string | Date): unknown
  /** schema/functions/skill-runs.sql, which returns void. */
  note_skill_run(id: Uuid, p: Json): unknown
  /** schema/functions/automation-runs.sql, which returns void. */
  note_skips(workspace: Uuid, skips: Json): unknown
  /** schema/functions/automation-starts.sql, which returns void. */
  note_start_rights(automation: Uuid, scopes: List, admin: boolean): unknown
  /** schema/functions/calendar-sync.sql, which returns jsonb. */
  notify_calendar(channel: Uuid, hash: string): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  notify_mailbox_owners(workspace: Uuid, event: Uuid, reader: Uuid, email: Json): unknown
  /** schema/functions/mailbox-jobs.sql, which returns jsonb. */
  notify_mailboxes(provider: string, email: string, limit: number): unknown
  /** schema/functions/mailboxes.sql, which returns jsonb. */
  opened_mailboxes(workspace: Uuid, role: Uuid, reader: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  order_form_grant(slug: string): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  order_page(slug: string): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  ordered_page(slug: string, order: Uuid): unknown
  /** schema/functions/booking-copy-changes.sql, which returns jsonb. */
  other_calendars(workspace: Uuid, calendar: Uuid, limit: number): unknown
  /** schema/functions/automation-failures.sql, which returns void. */
  pause_automation(workspace: Uuid, version: Uuid, reason: string): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  payment_grant(token: string): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  personal_review_form(hash: string): unknown
  /** schema/functions/booking-notices.sql, which returns void. */
  plan_booking_notices(workspace: Uuid, booking: Uuid, now: string | Date, notices: Json): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_door(hash: string): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_grant(hash: string): unknown
  /** schema/functions/agent-proposals.sql, which returns void. */
  propose_write(id: Uuid, p: Json, operation: string, grounds: Json): unknown
  /** schema/functions/storage.sql, which returns jsonb. */
  public_file(id: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  public_review_form(slug: string): unknown
  /** schema/functions/automations.sql, which returns void. */
  publish_automation(automation: Uuid, types: List, awaited: List, adopted: List): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  publish_queue(queue: Uuid): unknown
  /** schema/functions/purges.sql, which returns void. */
  purge_record(entity: string, id: Uuid, version: number): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  quote_whatsapp_message(key: string, quoted: Uuid): unknown
  /** schema/functions/whatsapp-marks.sql, which returns void. */
  react_to_whatsapp(message: Uuid, emoji: string): unknown
  /** schema/functions/feed-followers.sql, which returns jsonb. */
  read_feed(workspace: Uuid, follower: string, types: List, most: number): unknown
  /** schema/functions/webhooks.sql, which returns jsonb. */
  read_webhook_replay(workspace: Uuid, webhook: Uuid, types: List, most: number): unknown
  /** schema/functions/email-jobs.sql, which returns boolean. */
  receive_email(workspace: Uuid, id: Uuid, p: Json, max_links: number, max_participants: number): unknown
  /** schema/functions/mailbox-jobs.sql, which returns boolean. */
  receive_mailbox_email(
    workspace: Uuid,
    mailbox: Uuid,
    claim: Uuid,
    p: Json,
    max_links: number,
    max_participants: number,
    max_contacts: number,
  ): unknown
  /** schema/functions/sms-jobs.sql, which returns boolean. */
  receive_sms(workspace: Uuid, p: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns integer. */
  receive_whatsapp_messages(workspace: Uuid, messages: Json, fetched: List, max_bytes: number): unknown
  /** schema/functions/phone-jobs.sql, which returns void. */
  record_call_reports(workspace: Uuid, reports: Json, ranks: Json): unknown
  /** schema/functions/dead-letters.sql, which returns boolean. */
  record_dead_letter(workspace: Uuid, queue: string, type: string, message: Json, attempts: number, error: string, most: number): unknown
  /** schema/functions/email-events.sql, which returns void. */
  record_email_events(workspace: Uuid, events: Json, ranks: Json, links: number): unknown
  /** schema/functions/order-forms.sql, which returns void. */
  record_payment(order: Uuid, p: Json): unknown
  /** schema/functions/scheduling-proofs.sql, which returns void. */
  record_proof(booking: Uuid, checks: Json): unknown
  /** schema/functions/public-images.sql, which returns integer. */
  record_public_image(p: Json, limit: number): unknown
  /** schema/functions/requests.sql, which returns void. */
  record_requests(messages: Json): unknown
  /** schema/functions/sms-consents.sql, which returns void. */
  record_sms_consent(p: Json): unknown
  /** schema/functions/sms-jobs.sql, which returns void. */
  record_sms_reports(workspace: Uuid, reports: Json, ranks: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  record_whatsapp_receipts(workspace: Uuid, receipts: Json): unknown
  /** schema/functions/calendar-jobs.sql, which returns void. */
  refresh_connection_calendars(workspace: Uuid, connection: Uuid, calendars: Json): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  refresh_mailbox(workspace: Uuid, mailbox: Uuid, aliases: Json): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  refuse_review_request(request: Uuid): unknown
  /** schema/functions/storage.sql, which returns void. */
  release_storage(id: Uuid): unknown
  /** schema/functions/lists.sql, which returns void. */
  remove_list_members(list: Uuid, ids: List): unknown
  /** schema/functions/members.sql, which returns void. */
  renew_invitation(user: Uuid): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  replace_whiteboard(id: Uuid, elements: string, app_state: string, files: string, facts: Json): unknown
  /** schema/functions/work-orders.sql, which returns void. */
  replace_work_order_status(id: Uuid, replacement: Uuid, limit: number): unknown
  /** schema/functions/dead-letters.sql, which returns void. */
  replay_dead_letters(ids: List): unknown
  /** schema/functions/automation-retries.sql, which returns uuid. */
  replay_run(run: Uuid, step: Uuid, key: string): unknown
  /** schema/functions/transcripts.sql, which returns void. */
  report_transcript(workspace: Uuid, id: Uuid, p: Json): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  reported_order(order: Uuid, payment: string, event: string, payer: string): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  republish_queue(queue: Uuid): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  reputation_grant(slug: string): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  reputation_page(slug: string, after: Uuid, case_study: Uuid, limit: number): unknown
  /** schema/functions/notetakers.sql, which returns void. */
  request_notetaker(booking: Uuid, id: Uuid): unknown
  /** schema/functions/email.sql, which returns void. */
  reserve_email(p: Json, lease: number, max_links: number, max_participants: number): unknown
  /** schema/functions/messages.sql, which returns void. */
  reserve_messages(messages: Json): unknown
  /** schema/functions/phone-numbers.sql, which returns void. */
  reserve_phone_number(id: Uuid, number: string, name: string): unknown
  /** schema/functions/calendars.sql, which returns void. */
  resync_calendars(connection: Uuid): unknown
  /** schema/functions/automation-retries.sql, which returns integer. */
  retry_runs(automation: Uuid, run: Uuid, limit: number): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  revert_whiteboard(id: Uuid, version: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  review_grant(hash: string): unknown
  /** schema/functions/phone-jobs.sql, which returns void. */
  review_phone_bundle(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/agents.sql, which returns void. */
  revoke_tool_key(agent: Uuid): unknown
  /** schema/functions/assumptions.sql, which returns void. */
  roll_back(): unknown
  /** schema/functions/partitions.sql, which returns jsonb. */
  rotate_partitions(table: string, keep_days: number, now: string | Date): unknown
  /** schema/functions/automation-records.sql, which returns jsonb. */
  run_records(workspace: Uuid, runs: List): unknown
  /** schema/functions/skills.sql, which returns jsonb. */
  runnable_skills(id: Uuid, name: string): unknown
  /** schema/functions/birthdays.sql, which returns void. */
  save_birthdays(workspace: Uuid, rows: Json): unknown
  /** schema/functions/booking-notices.sql, which returns void. */
  save_booking_notices(workspace: Uuid, decisions: Json): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  save_import_rows(id: Uuid, p: Json): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  save_waiting_list(workspace: Uuid, emails: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns boolean. */
  save_whatsapp_pairing(workspace: Uuid, id: Uuid, was: string, p: Json): unknown
  /** schema/functions/zones.sql, which returns boolean. */
  save_zone_batch(workspace: Uuid, batch: Json, zones: Json, limit: number): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  schedule_knowledge_syncs(base: Uuid): unknown
  /** schema/functions/scheduling.sql, which returns jsonb. */
  scheduling_facts(p: Json): unknown
  /** schema/functions/email-drafts.sql, which returns boolean. */
  send_email_draft(workspace: Uuid, draft: Uuid, version: number, email: Json, max_links: number, max_participants: number): unknown
  /** schema/functions/tasks.sql, which returns integer. */
  send_reminders(limit: number): unknown
  /** schema/functions/activities.sql, which returns void. */
  set_activity_contacts(activities: List, links: Json): unknown
  /** schema/functions/between-statements.sql, which returns void. */
  set_cause(type: string, id: Uuid, depth?: number): unknown
  /** schema/functions/between-statements.sql, which returns void. */
  set_flag(flag: string): unknown
  /** schema/functions/lead-initiatives.sql, which returns void. */
  set_lead_enrolment(initiative: Uuid, enrolment: Uuid, to: string): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  set_whatsapp_token(workspace: Uuid, id: Uuid, sealed: string, hash: string): unknown
  /** schema/functions/calendar-sync.sql, which returns jsonb. */
  settle_calendar_channel(workspace: Uuid, id: Uuid, channel: Uuid, p: Json): unknown
  /** schema/functions/campaign-jobs.sql, which returns void. */
  settle_campaign_batch(workspace: Uuid, campaign: Uuid, batch: Uuid, outcomes: Json, refused: string, wait: number, most: number): unknown
  /** schema/functions/email.sql, which returns void. */
  settle_email(outcome: Json): unknown
  /** schema/functions/messages.sql, which returns void. */
  settle_messages(workspace: Uuid, outcomes: Json): unknown
  /** schema/functions/outgoing-requests.sql, which returns integer. */
  settle_outgoing(workspace: Uuid, claim: Uuid, results: Json): unknown
  /** schema/functions/phone-numbers.sql, which returns void. */
  settle_phone_address(p: Json): unknown
  /** schema/functions/phone-numbers.sql, which returns void. */
  settle_phone_bundle(p: Json): unknown
  /** schema/functions/agents.sql, which returns void. */
  settle_publication(id: Uuid, p: Json): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  settle_runs(workspace: Uuid, runs: Json): unknown
  /** schema/functions/accounts.sql, which returns void. */
  settle_token(workspace: Uuid, account: Uuid, claim: Uuid, p: Json): unknown
  /** schema/functions/phone-numbers.sql, which returns void. */
  settle_voice_sync(p: Json): unknown
  /** schema/functions/webhook-deliveries.sql, which returns jsonb. */
  settle_webhook(workspace: Uuid, webhook: Uuid, claim: Uuid, results: Json): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  skip_enrolment_step(queue: Uuid, enrolment: Uuid, step: Uuid): unknown
  /** schema/functions/deletions.sql, which returns integer. */
  start_deletion(table: string, id: Uuid, most?: number): unknown
  /** schema/functions/deletions.sql, which returns void. */
  start_deletions(table: string, ids: List): unknown
  /** schema/functions/automations.sql, which returns jsonb. */
  start_runs(automation: Uuid, source: string, source_id: Uuid, rows: Json): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  stop_list_tracking(workspace: Uuid, list: Uuid, error: string): unknown
  /** schema/functions/calendars.sql, which returns uuid. */
  store_calendar_connection(user: Uuid, p: Json): unknown
  /** schema/functions/calendar-sync.sql, which returns boolean. */
  store_calendar_page(workspace: Uuid, id: Uuid, claim: Uuid, lease: number, events: Json, read_at: string | Date, full: boolean): unknown
  /** schema/functions/mailboxes.sql, which returns uuid. */
  store_mailbox(workspace: Uuid, user: Uuid, p: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  store_whatsapp_groups(workspace: Uuid, groups: Json, complete: boolean): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  submit_personal_review(request: Uuid, p: Json): unknown
  /** schema/functions/review-requests.sql, which returns boolean. */
  submit_public_review(profile: Uuid, p: Json, most: number): unknown
  /** schema/functions/memories.sql, which returns void. */
  supersede_memories(id: Uuid): unknown
  /** schema/functions/files.sql, which returns void. */
  sync_file_states(found: Json): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  take_grant_request(hash: string): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  take_held_account(hash: string): unknown
  /** schema/functions/automation-runs.sql, which returns integer. */
  take_turn(workspace: Uuid, run: Uuid, step: Uuid, sequence: number): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  team_commission(scopes: Json, months: number, lines: number): unknown
  /** schema/functions/import-undo.sql, which returns boolean. */
  undo_import(id: Uuid, limit: number): unknown
  /** schema/functions/public-images.sql, which returns jsonb. */
  unknown_public_images(sha256: List): unknown
  /** schema/functions/suppression-lifts.sql, which returns jsonb. */
  unknown_suppressions(addresses: Json): unknown
  /** schema/functions/merge-undo.sql, which returns void. */
  unmerge_records(p: Json): unknown
  /** schema/functions/email-events.sql, which returns jsonb. */
  unreported_recipients(limit: number): unknown
  /** schema/functions/phone-jobs.sql, which returns jsonb. */
  voice_route(number: string): unknown
  /** schema/functions/outgoing-requests.sql, which returns integer. */
  wake_ended(workspace: Uuid, requests: List): unknown
  /** schema/functions/notetaker-jobs.sql, which returns boolean. */
  wake_notetaker(workspace: Uuid, id: Uuid, webhook: string): unknown
  /** schema/functions/automation-runs.sql, which returns integer. */
  wake_runs(workspace: Uuid, wakes: Json): unknown
  /** schema/functions/automation-waits.sql, which returns void. */
  wake_waits(workspace: Uuid, events: Json): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  wake_webhook(webhook: Uuid): unknown
  /** schema/functions/mailbox-jobs.sql, which returns jsonb. */
  wanted_emails(workspace: Uuid, user: Uuid, emails: Json): unknown
  /** schema/functions/whatsapp.sql, which returns jsonb. */
  whatsapp_token_grant(hash: string): unknown
  /** schema/functions/agent-proposals.sql, which returns void. */
  withdraw_proposal(id: Uuid): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_calendar(hash: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_feed_grant(hash: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_order_clashes_between(member: Uuid, from: string, to: string): unknown
  /** schema/functions/agency-requests.sql, which returns void. */
  write_agency_note(request: Uuid, note: Uuid, content: string, edit: boolean, notes: number, length: number): unknown
  /** schema/functions/zones.sql, which returns jsonb. */
  zone_batch(workspace: Uuid, limit: number): unknown
}
