/** An id, as text. */
export type Uuid = string
/** JSON, as text. */
export type Json = string
/** An array, as PostgreSQL writes it: {a,b}. */
export type List = string

/** The functions of schema/functions that the Worker's roles may call, from the catalogue of the database (dev/sql-functions.ts). */
export interface SqlFunctions {
  /** schema/functions/primitives.sql, which returns text. */
  abn_key(abn: string): unknown
  /** schema/functions/members.sql, which returns jsonb. */
  accept_invitation(token_hash: string, full_name: string, request_id: string): unknown
  /** schema/functions/outbox.sql, which returns void. */
  ack_events(done: Json, failed: Json, waiting: Json): unknown
  /** schema/functions/scheduling.sql, which returns uuid[]. */
  active_hosts(event_type: Uuid): unknown
  /** schema/functions/commission.sql, which returns void. */
  add_commission_plan(scopes: Json, p: Json, most: number): unknown
  /** schema/functions/campaigns.sql, which returns jsonb. */
  add_numbers(numbers: Json, more: Json): unknown
  /** schema/functions/campaigns.sql, which returns void. */
  add_recipient_counts(campaign: Uuid, counts: Json): unknown
  /** schema/functions/campaign-jobs.sql, which returns uuid. */
  add_recipients(campaign: Uuid, ids: List, next: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns uuid. */
  add_visitor_review(profile: Uuid, p: Json, proof: string): unknown
  /** schema/functions/webhooks.sql, which returns integer. */
  add_webhook_deliveries(workspace: Uuid, rows: Json): unknown
  /** schema/functions/knowledge-copies.sql, which returns void. */
  adopt_knowledge_base(p: Json): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  agency_commission(scopes: Json, months: number, lines: number): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  agent_content(a: string): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  all_unique_keys(): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  allows(a: string, scopes: List): unknown
  /** schema/functions/automation-failures.sql, which returns integer. */
  announce_failures(workspace: Uuid, failures: Json): unknown
  /** schema/functions/messages.sql, which returns void. */
  announce_message(m: string, what: string): unknown
  /** schema/functions/tasks.sql, which returns void. */
  announce_task(task: string): unknown
  /** schema/functions/restores.sql, which returns text. */
  api_name(table: string, column: string): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  append_to_whiteboard(id: Uuid, elements: string, facts: Json): unknown
  /** schema/functions/approvals.sql, which returns boolean. */
  approval_is_stale(approval: string): unknown
  /** schema/functions/duplicates.sql, which returns boolean. */
  are_numbered_apart(a: Json, b: Json): unknown
  /** schema/functions/duplicates.sql, which returns jsonb. */
  as_candidate(record: Json): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  ask_for_reviews(rows: Json, days: number): unknown
  /** schema/functions/review-requests.sql, which returns timestamp with time zone. */
  asked_for_review(contact: Uuid, since: string | Date): unknown
  /** schema/functions/accounts.sql, which returns void. */
  assert_account_connected(what: string, status: string): unknown
  /** schema/functions/agency.sql, which returns void. */
  assert_agency(): unknown
  /** schema/functions/commission.sql, which returns void. */
  assert_commission_owner(scopes: Json): unknown
  /** schema/functions/guards.sql, which returns boolean. */
  assert_condition(ok: boolean, code: string, message: string, details?: Json): unknown
  /** schema/functions/calendars.sql, which returns void. */
  assert_connected(connection: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_conversation_scopes(ids: List, action: string, deleted?: boolean): unknown
  /** schema/functions/policies.sql, which returns void. */
  assert_decider(policies: List, user: Uuid, requester: Uuid, editor: Uuid): unknown
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
  /** schema/functions/booking-pages.sql, which returns boolean. */
  assert_few_visits(network: string, most: number): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_grant(scopes: List, writes: boolean, admin: boolean): unknown
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
  /** schema/functions/access.sql, which returns boolean. */
  assert_key_rotation(id: Uuid): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_alias(email: string): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_connected(mailbox: Uuid): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  assert_mailbox_sender(user: Uuid): unknown
  /** schema/functions/automation-starts.sql, which returns boolean. */
  assert_may_start(automation: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_needed(scopes: List, admin: boolean): unknown
  /** schema/functions/approvals.sql, which returns boolean. */
  assert_not_purged(changes: Json): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_notepad_person(): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_notepad_writer(id: Uuid, visibility?: string, access?: Json): unknown
  /** schema/functions/stage-rules.sql, which returns void. */
  assert_opportunity(patch: Json): unknown
  /** schema/functions/workspaces.sql, which returns void. */
  assert_origin(origin: string): unknown
  /** schema/functions/access.sql, which returns boolean. */
  assert_other_admin(user: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  assert_own_account(user: Uuid): unknown
  /** schema/functions/approvals.sql, which returns void. */
  assert_pending(approval: string): unknown
  /** schema/functions/policies.sql, which returns void. */
  assert_policy(id: Uuid): unknown
  /** schema/functions/guards.sql, which returns boolean. */
  assert_record(present: number, expected: number, what: string, id: Uuid): unknown
  /** schema/functions/notepads.sql, which returns void. */
  assert_restricted_room(id: Uuid, most: number): unknown
  /** schema/functions/authority.sql, which returns void. */
  assert_rights(a: string, scopes: List, writes: boolean, admin: boolean): unknown
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
  /** schema/functions/guards.sql, which returns void. */
  assert_unchanged(record: Json, sent: Json, messages: Json): unknown
  /** schema/functions/policies.sql, which returns boolean. */
  assert_unheld(): unknown
  /** schema/functions/files.sql, which returns void. */
  assert_unowned_file(id: Uuid): unknown
  /** schema/functions/files.sql, which returns void. */
  assert_unsent_attachment(id: Uuid): unknown
  /** schema/functions/guards.sql, which returns boolean. */
  assert_version(present: number, expected: number, what: string): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  assert_whatsapp_state(allowed: Json, message: string): unknown
  /** schema/functions/message-media.sql, which returns void. */
  attach_files(key: string, files: Json, type: string): unknown
  /** schema/functions/constants.sql, which returns integer. */
  auto_reply_days(): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  automation_batch(workspace: Uuid, most: number): unknown
  /** schema/functions/outgoing-requests.sql, which returns jsonb. */
  await_step(workspace: Uuid, run: Json, finished: Json): unknown
  /** schema/functions/booking-confirmations.sql, which returns jsonb. */
  awaited_booking(id: Uuid): unknown
  /** schema/functions/booking-notices.sql, which returns boolean. */
  awaits_meet_link(b: string, creates: boolean): unknown
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
  /** schema/functions/webhooks.sql, which returns void. */
  begin_webhook_replay(webhook: Uuid, replay: Uuid, xid: string, event: Uuid, from: string | Date, to: string | Date): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  bind_whiteboard_elements(id: Uuid, generation: number, bound: Json): unknown
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
  /** schema/functions/phone-numbers.sql, which returns uuid[]. */
  bundles_of_address(address: Uuid, limit: number): unknown
  /** schema/functions/constants.sql, which returns integer. */
  burst_seconds(): unknown
  /** schema/functions/constants.sql, which returns interval. */
  calendar_catch_up(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  calendar_connections_limit(): unknown
  /** schema/functions/constants.sql, which returns interval. */
  calendar_stale_after(): unknown
  /** schema/functions/scheduling.sql, which returns jsonb. */
  call_memory(key: string, call: string): unknown
  /** schema/functions/primitives-notepads.sql, which returns text[]. */
  caller_parties(): unknown
  /** schema/functions/campaign-jobs.sql, which returns jsonb. */
  campaign_sender(config: Uuid): unknown
  /** schema/functions/campaigns.sql, which returns text. */
  campaign_skip_reason(archived: boolean, email: string, unsubscribed: boolean, suppression: string): unknown
  /** schema/functions/duplicates.sql, which returns boolean. */
  can_be_one_name(a: Json, b: Json): unknown
  /** schema/functions/automations.sql, which returns integer. */
  cancel_runs(automation: Uuid, run: Uuid, limit: number): unknown
  /** schema/functions/booking-copy-changes.sql, which returns boolean. */
  cancel_with_event(workspace: Uuid, change: Json): unknown
  /** schema/functions/filters.sql, which returns rows. */
  candidate_rows(record: string, candidates: Json, limit: number): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  case_study_counts(): unknown
  /** schema/functions/scheduling-counts.sql, which returns boolean. */
  change_counts(changes: Json): unknown
  /** schema/functions/scheduling-counts.sql, which returns void. */
  change_share(event_type: Uuid, host: Uuid, start: number, change: number): unknown
  /** schema/functions/campaigns.sql, which returns void. */
  change_subscription(recipient: Uuid, reason: string): unknown
  /** schema/functions/guards.sql, which returns jsonb. */
  changed_fields(id: Uuid): unknown
  /** schema/functions/history.sql, which returns boolean. */
  changed_in_request(entity: string, id: Uuid, action: string, field?: string): unknown
  /** schema/functions/tags.sql, which returns jsonb. */
  changed_tags(tags: Json, add: Json, remove: Json): unknown
  /** schema/functions/credits.sql, which returns jsonb. */
  charge_of(m: string): unknown
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
  /** schema/functions/primitives-words.sql, which returns tsvector. */
  chunk_lexemes(workspace: Uuid, text: string): unknown
  /** schema/functions/birthdays.sql, which returns jsonb. */
  claim_birthdays(now: string | Date, birthdays: List, limit: number): unknown
  /** schema/functions/booking-notices.sql, which returns jsonb. */
  claim_booking_notices(workspace: Uuid, booking: Uuid, now: string | Date, limit: number, lease: number): unknown
  /** schema/functions/outbox.sql, which returns rows. */
  claim_events(workspace: Uuid, limit: number): unknown
  /** schema/functions/messages.sql, which returns jsonb. */
  claim_messages(workspace: Uuid, limit: number, lease: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns jsonb. */
  claim_of(p: Json, slot: Json): unknown
  /** schema/functions/outgoing-requests.sql, which returns jsonb. */
  claim_outgoing(workspace: Uuid, claim: Uuid, most: number, lease: number): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  claim_runs(workspace: Uuid, limit: number, seconds: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns boolean. */
  claim_slots(p: Json): unknown
  /** schema/functions/scheduling-claims.sql, which returns boolean. */
  claim_together(hosts: List, from: string | Date, to: string | Date, of: Json): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  claim_token(workspace: Uuid, account: Uuid, claim: Uuid, lease: number, refused: string): unknown
  /** schema/functions/waiting-list.sql, which returns jsonb. */
  claim_waiting_list(now: string | Date, limit: number, lease: number): unknown
  /** schema/functions/webhook-deliveries.sql, which returns jsonb. */
  claim_webhook(workspace: Uuid, webhook: Uuid, claim: Uuid, most: number): unknown
  /** schema/functions/work.sql, which returns jsonb. */
  claim_work(kind: string, workspace: Uuid, claim: Uuid, limit: number, lease: number, workers: number): unknown
  /** schema/functions/zones.sql, which returns rows. */
  claim_zone_work(limit: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns jsonb. */
  claimed_now(slot: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns uuid. */
  close_hold(owner: string, state: string, booking?: Uuid): unknown
  /** schema/functions/event-streams.sql, which returns void. */
  close_stream(stream: Uuid): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_facts(month: string): unknown
  /** schema/functions/commission.sql, which returns boolean. */
  commission_is_due(month: string): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_line(id: Uuid, agency: Json, team: Json): unknown
  /** schema/functions/commission.sql, which returns rows. */
  commission_payees(): unknown
  /** schema/functions/commission.sql, which returns text. */
  commission_scope(scopes: Json): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_statement(id: Uuid, agency: Json, team: Json): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  commission_statements_of(payee: Uuid, by: Uuid, months: number, lines: number): unknown
  /** schema/functions/contacts.sql, which returns uuid[]. */
  companies_by_other_domain(domain: string): unknown
  /** schema/functions/contacts.sql, which returns uuid. */
  company_by_mail_domain(email: string): unknown
  /** schema/functions/guards.sql, which returns text. */
  comparable(value: Json): unknown
  /** schema/functions/approvals.sql, which returns void. */
  complete_approval(workspace: Uuid, id: Uuid, status: string, response_status: number, response_body: Json): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  complete_order_items(items: Json): unknown
  /** schema/functions/components.sql, which returns boolean. */
  component_fits(id: Uuid, parent: Uuid, product: Uuid): unknown
  /** schema/functions/agents.sql, which returns integer. */
  conclude_publication(workspace: Uuid, id: Uuid, is_same: boolean, p: Json): unknown
  /** schema/functions/messages.sql, which returns text[]. */
  configured_channels(workspace: Uuid): unknown
  /** schema/functions/merge-facts.sql, which returns boolean. */
  confirm_merge_facts(p: Json, digest: string): unknown
  /** schema/functions/mailboxes.sql, which returns jsonb. */
  connected_mailboxes(limit: number): unknown
  /** schema/functions/contacts.sql, which returns uuid. */
  contact_of_phone(phone: string): unknown
  /** schema/functions/contacts.sql, which returns uuid[]. */
  contacts_by_alternate(email: string): unknown
  /** schema/functions/contacts.sql, which returns uuid[]. */
  contacts_by_alternate_phone(phone: string): unknown
  /** schema/functions/opportunities.sql, which returns json. */
  contacts_of(opportunity: Uuid): unknown
  /** schema/functions/activities.sql, which returns uuid[]. */
  contacts_of_activity(workspace: Uuid, activity: Uuid, main: Uuid): unknown
  /** schema/functions/scheduling.sql, which returns uuid[]. */
  contacts_with_phone(phone: string): unknown
  /** schema/functions/memories.sql, which returns json. */
  contradicting_memories(p: string, most: number): unknown
  /** schema/functions/duplicates.sql, which returns rows. */
  contrary_values(a: Json, b: Json, shared: List): unknown
  /** schema/functions/auto-responders.sql, which returns rows. */
  conversation_texts(conversation: Uuid, limit: number): unknown
  /** schema/functions/approvals.sql, which returns boolean. */
  conversation_went_on(approval: string): unknown
  /** schema/functions/booking-copies.sql, which returns text. */
  copy_event_id(uid: string, host: Uuid): unknown
  /** schema/functions/opportunity-copies.sql, which returns void. */
  copy_opportunity(p: Json): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  copy_whiteboard_content(from: Uuid, to: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns text[]. */
  costly_order_items(items: Json, most: number | string): unknown
  /** schema/functions/scheduling-counts.sql, which returns boolean. */
  count_bookings(p: Json, kind: Uuid, moved: string, claimed: Json): unknown
  /** schema/functions/invitations.sql, which returns void. */
  count_invitation(): unknown
  /** schema/functions/reputation.sql, which returns void. */
  count_review(profile: Uuid, more: number, before: number, after: number): unknown
  /** schema/functions/primitives-record-counts.sql, which returns text[]. */
  counted_tags(tags: Json): unknown
  /** schema/functions/record-counts.sql, which returns rows. */
  counted_values(owner: Uuid, source_id: Uuid, source: string, tags: List): unknown
  /** schema/functions/scheduling-counts.sql, which returns rows. */
  counts_by_key(changes: Json): unknown
  /** schema/functions/scheduling-counts.sql, which returns jsonb. */
  counts_given_back(booking: string): unknown
  /** schema/functions/approvals.sql, which returns uuid. */
  create_approval(p: Json): unknown
  /** schema/functions/import-undo.sql, which returns text. */
  created_table(entity: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  csv_cell(t: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  csv_defused(t: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  csv_quoted(t: string): unknown
  /** schema/functions/authority.sql, which returns authority. */
  current_authority(): unknown
  /** schema/functions/session.sql, which returns smallint. */
  current_cause_depth(): unknown
  /** schema/functions/session.sql, which returns uuid. */
  current_cause_id(): unknown
  /** schema/functions/session.sql, which returns text. */
  current_cause_type(): unknown
  /** schema/functions/primitives-deletions.sql, which returns uuid[]. */
  current_deletions(): unknown
  /** schema/functions/primitives.sql, which returns uuid. */
  current_key_id(): unknown
  /** schema/functions/list-tracking.sql, which returns text. */
  current_origin(): unknown
  /** schema/functions/primitives.sql, which returns uuid. */
  current_person(): unknown
  /** schema/functions/session.sql, which returns text. */
  current_request_id(): unknown
  /** schema/functions/automations.sql, which returns jsonb. */
  current_run_depth(): unknown
  /** schema/functions/primitives.sql, which returns uuid. */
  current_user_id(): unknown
  /** schema/functions/primitives.sql, which returns uuid. */
  current_workspace(): unknown
  /** schema/functions/filters.sql, which returns double precision. */
  custom_bound(p: Json): unknown
  /** schema/functions/custom-values.sql, which returns rows. */
  custom_entries(type: string, value: Json): unknown
  /** schema/functions/primitives.sql, which returns jsonb. */
  custom_error_of(id: Uuid): unknown
  /** schema/functions/custom-references.sql, which returns text. */
  custom_field_error(workspace: Uuid, f: string, value: Json): unknown
  /** schema/functions/filters.sql, which returns boolean. */
  custom_index_ready(workspace: Uuid, field: Uuid): unknown
  /** schema/functions/custom-references.sql, which returns text[]. */
  custom_keys_of(object: string, metadata: Json, ids: List): unknown
  /** schema/functions/constants.sql, which returns numeric. */
  custom_max_amount(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  custom_max_length(key: string): unknown
  /** schema/functions/constants.sql, which returns text. */
  custom_message(key: string): unknown
  /** schema/functions/constants.sql, which returns integer. */
  custom_min_digits(key: string): unknown
  /** schema/functions/custom-values.sql, which returns double precision. */
  custom_number(type: string, value: Json): unknown
  /** schema/functions/custom-values.sql, which returns double precision[]. */
  custom_numbers(object: string, key: string, values: Json): unknown
  /** schema/functions/constants.sql, which returns text. */
  custom_pattern(key: string): unknown
  /** schema/functions/custom-values.sql, which returns text[]. */
  custom_patterns(object: string, key: string, values: Json): unknown
  /** schema/functions/custom-references.sql, which returns jsonb. */
  custom_references(object: string, metadata: Json): unknown
  /** schema/functions/custom-fields.sql, which returns rows. */
  custom_rows(workspace: Uuid, object: string, id: Uuid, metadata: Json): unknown
  /** schema/functions/custom-references.sql, which returns boolean. */
  custom_target_exists(workspace: Uuid, type: string, id: Uuid): unknown
  /** schema/functions/constants.sql, which returns text. */
  custom_target_table(key: string): unknown
  /** schema/functions/custom-values.sql, which returns text. */
  custom_text(type: string, value: string): unknown
  /** schema/functions/custom-values.sql, which returns text[]. */
  custom_texts(object: string, key: string, values: Json): unknown
  /** schema/functions/custom-values.sql, which returns text. */
  custom_type(object: string, key: string): unknown
  /** schema/functions/custom-options.sql, which returns rows. */
  custom_usages(field: Uuid, from: string, to: string, limit: number): unknown
  /** schema/functions/custom-values.sql, which returns text. */
  custom_value_error(type: string, options: List, value: Json): unknown
  /** schema/functions/custom-fields.sql, which returns jsonb. */
  custom_value_issues(workspace: Uuid, object: string, sent: Json, creates: boolean): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  deactivate_queue(queue: Uuid): unknown
  /** schema/functions/campaign-ab-tests.sql, which returns void. */
  decide_ab_test(workspace: Uuid, campaign: Uuid, winner: string): unknown
  /** schema/functions/approvals.sql, which returns void. */
  decide_approval(id: Uuid, status: string, reason: string, force: boolean): unknown
  /** schema/functions/approvals.sql, which returns void. */
  decide_approvals(ids: List, status: string, reason: string, force: boolean): unknown
  /** schema/functions/scheduling-counts.sql, which returns void. */
  defer_counts(counts: Json, shares: Json): unknown
  /** schema/functions/files.sql, which returns void. */
  delete_file(id: Uuid, version: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  delete_whatsapp_messages(workspace: Uuid, keys: List): unknown
  /** schema/functions/constants.sql, which returns text[]. */
  deleted_in_batches(): unknown
  /** schema/functions/primitives-deletions.sql, which returns boolean. */
  deletes_nothing(): unknown
  /** schema/functions/primitives-deletions.sql, which returns xid8. */
  deletion_transaction(): unknown
  /** schema/functions/requests.sql, which returns boolean. */
  delivers_events(): unknown
  /** schema/functions/primitives-mentions.sql, which returns text. */
  digest_idempotency_key(key_id: Uuid, key: string): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  disable_webhook(workspace: Uuid, webhook: Uuid, reason: string): unknown
  /** schema/functions/calendars.sql, which returns void. */
  disconnect_calendars(connections: List): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  disconnect_mailboxes(mailboxes: List): unknown
  /** schema/functions/lead-dispatch.sql, which returns jsonb. */
  dispatch_leads(now: string | Date, decisions: Json): unknown
  /** schema/functions/picklists.sql, which returns text[]. */
  distinct_names(names: List): unknown
  /** schema/functions/picklists.sql, which returns jsonb. */
  distinct_tags(tags: Json, first: boolean): unknown
  /** schema/functions/calendar-sync.sql, which returns void. */
  drop_calendar_channel(workspace: Uuid, id: Uuid, claim: Uuid): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  drop_expired_claims(hosts: List, from: string | Date, to: string | Date): unknown
  /** schema/functions/opportunities.sql, which returns jsonb. */
  dropped_reasons(kind: string, given: Json, saved: List): unknown
  /** schema/functions/birthdays.sql, which returns jsonb. */
  due_birthdays(workspace: Uuid, open: Json, limit: number): unknown
  /** schema/functions/schedule-jobs.sql, which returns jsonb. */
  due_schedules(now: string | Date, limit: number, among?: number): unknown
  /** schema/functions/suppression-lifts.sql, which returns jsonb. */
  due_suppression_lifts(limit: number, wait: number, attempts: number): unknown
  /** schema/functions/webhook-deliveries.sql, which returns rows. */
  due_webhooks(workspace: Uuid, limit: number): unknown
  /** schema/functions/work.sql, which returns jsonb. */
  due_work(kinds: List, after: Json, until: string | Date, among: number): unknown
  /** schema/functions/duplicates.sql, which returns text[]. */
  duplicate_keys(table: string): unknown
  /** schema/functions/duplicates.sql, which returns jsonb. */
  duplicates_of(table: string, id: Uuid, most: number, min_score: number): unknown
  /** schema/functions/approvals.sql, which returns void. */
  edit_approval(id: Uuid, p: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns jsonb. */
  edit_whatsapp_messages(workspace: Uuid, messages: Json): unknown
  /** schema/functions/email-jobs.sql, which returns rows. */
  email_files_after(workspace: Uuid, id: Uuid, limit: number): unknown
  /** schema/functions/email.sql, which returns jsonb. */
  email_inbox_grant(hash: string): unknown
  /** schema/functions/history.sql, which returns void. */
  emit(type: string, entity: string, entity_id: Uuid, payload?: Json, private_to?: Uuid): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  emit_booking(b: string, what: string): unknown
  /** schema/functions/webhooks.sql, which returns jsonb. */
  enabled_webhooks(workspace: Uuid, most: number): unknown
  /** schema/functions/auto-reply-jobs.sql, which returns jsonb. */
  end_auto_reply(workspace: Uuid, p: Json, finished: Json): unknown
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
  /** schema/functions/requests.sql, which returns jsonb. */
  end_preview(answer: Json): unknown
  /** schema/functions/requests.sql, which returns jsonb. */
  end_request(answer: Json): unknown
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
  /** schema/functions/auto-queues.sql, which returns jsonb. */
  enrol_in_queue(queue: Uuid, source: Uuid, rows: Json): unknown
  /** schema/functions/lead-initiatives.sql, which returns uuid[]. */
  enrol_leads(initiative: Uuid, rows: Json): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns void. */
  enrol_list_part(workspace: Uuid, id: Uuid, after: Uuid, last: Uuid, ids: List, depth: number): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  enrol_one(queue: Uuid, source: Uuid, rows: Json): unknown
  /** schema/functions/auto-queues.sql, which returns uuid. */
  enrolment_cause(): unknown
  /** schema/functions/agents.sql, which returns void. */
  ensure_tool_key(version: Uuid, p: Json): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  enter_portal(portal: Uuid, pin_hash: string, network: string, most: number, minutes: number): unknown
  /** schema/functions/webhooks.sql, which returns text[]. */
  entities_of(a: string): unknown
  /** schema/functions/deletions.sql, which returns text. */
  entity_in_history(table: string): unknown
  /** schema/functions/constants.sql, which returns text. */
  entity_of(key: string): unknown
  /** schema/functions/authority.sql, which returns rows. */
  entity_scopes(): unknown
  /** schema/functions/scheduling.sql, which returns bigint. */
  epoch_ms(p: string | Date): unknown
  /** schema/functions/guards.sql, which returns jsonb. */
  error_object(code: string, message: string, details?: Json): unknown
  /** schema/functions/primitives.sql, which returns xid8. */
  event_position(): unknown
  /** schema/functions/availabilities.sql, which returns rows. */
  event_types_with_schedule(id: Uuid): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns integer. */
  exit_enrolments(workspace: Uuid, queue: Uuid, exits: Json): unknown
  /** schema/functions/approvals.sql, which returns integer. */
  expire_approvals(): unknown
  /** schema/functions/auto-reply-jobs.sql, which returns integer. */
  expire_auto_replies(limit?: number): unknown
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
  /** schema/functions/expired-rows.sql, which returns integer. */
  expire_rows(limit?: number): unknown
  /** schema/functions/schedule-jobs.sql, which returns integer. */
  expire_schedule_runs(days: number, limit: number): unknown
  /** schema/functions/skill-runs.sql, which returns integer. */
  expire_skill_runs(limit?: number): unknown
  /** schema/functions/exports.sql, which returns text. */
  export_json(v: Json): unknown
  /** schema/functions/exports.sql, which returns text. */
  export_list(texts: List): unknown
  /** schema/functions/exports.sql, which returns text. */
  export_values(texts: List, most: number): unknown
  /** schema/functions/work.sql, which returns boolean. */
  extend_work(kind: string, workspace: Uuid, id: Uuid, claim: Uuid, lease: number, facts: Json): unknown
  /** schema/functions/guards.sql, which returns void. */
  fail(code: string, message: string, details?: Json): unknown
  /** schema/functions/accounts.sql, which returns void. */
  fail_account(workspace: Uuid, account: Uuid, error: string): unknown
  /** schema/functions/campaign-jobs.sql, which returns void. */
  fail_campaign(workspace: Uuid, campaign: Uuid, code: string, message: string): unknown
  /** schema/functions/email-drafts.sql, which returns void. */
  fail_email_draft(workspace: Uuid, draft: Uuid, code: string, message: string): unknown
  /** schema/functions/guards.sql, which returns void. */
  fail_field(field: string, message: string): unknown
  /** schema/functions/imports.sql, which returns void. */
  fail_import(workspace: Uuid, id: Uuid, reason: string): unknown
  /** schema/functions/email-jobs.sql, which returns void. */
  fail_inbound_email(workspace: Uuid, id: Uuid, error: string): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns void. */
  fail_list_enrolment(workspace: Uuid, id: Uuid, error: string): unknown
  /** schema/functions/guards.sql, which returns void. */
  fail_paths(paths: List, message: string): unknown
  /** schema/functions/restores.sql, which returns void. */
  fail_restore(deletion: string, what: string, takers: Json, report: Json): unknown
  /** schema/functions/schedule-jobs.sql, which returns void. */
  fail_schedule_run(workspace: Uuid, run: Uuid, code: string, message: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  failed_line(line: number, errors: Json, values: Json): unknown
  /** schema/functions/order-forms.sql, which returns text[]. */
  faulty_order_items(items: Json, currency: string, must_exist: boolean): unknown
  /** schema/functions/feed-followers.sql, which returns jsonb. */
  fed_event(o: string): unknown
  /** schema/functions/guards.sql, which returns jsonb. */
  field_errors(fields: Json, messages: Json): unknown
  /** schema/functions/files.sql, which returns rows. */
  files_after(workspace: Uuid, id: Uuid, limit: number): unknown
  /** schema/functions/scheduling.sql, which returns uuid. */
  find_event_type(ref: string): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  find_foreign_keys(): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  find_log_tables(): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  find_unique_keys(): unknown
  /** schema/functions/birthdays.sql, which returns void. */
  finish_birthdays(workspace: Uuid, lease: string | Date, next: string | Date): unknown
  /** schema/functions/calendar-jobs.sql, which returns uuid. */
  finish_calendar_grant(workspace: Uuid, user: Uuid, p: Json): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  finish_knowledge_entry(id: Uuid, turn: number, p: Json): unknown
  /** schema/functions/requests.sql, which returns jsonb. */
  finish_request(answer: Json): unknown
  /** schema/functions/service-requests.sql, which returns void. */
  finish_service_request_vector(id: Uuid, model: string, vector: string): unknown
  /** schema/functions/schedule-jobs.sql, which returns jsonb. */
  fire_due_schedules(fires: Json): unknown
  /** schema/functions/schedules.sql, which returns void. */
  fire_schedule_now(schedule: Uuid, run: Uuid): unknown
  /** schema/functions/opportunities.sql, which returns uuid. */
  first_stage(pipeline: Uuid): unknown
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
  /** schema/functions/feed-followers.sql, which returns boolean. */
  follows_feed(follower: string): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  foreign_keys(): unknown
  /** schema/functions/memories.sql, which returns void. */
  forget_memory(id: Uuid): unknown
  /** schema/functions/public-images.sql, which returns void. */
  forget_public_image(id: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns integer. */
  forget_unpaid_orders(limit: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  forget_whatsapp_pairing(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/whiteboards.sql, which returns text. */
  fraction_key(number: number | string): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  free_claims(booking: Uuid, claimed: Json, offers: boolean): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  free_seat(session: Uuid, offers: boolean): unknown
  /** schema/functions/duplicates.sql, which returns text. */
  further_column(table: string, key: string): unknown
  /** schema/functions/booking-copy-jobs.sql, which returns boolean. */
  has_booking_copies_due(workspace: Uuid, booking: Uuid): unknown
  /** schema/functions/custom-fields.sql, which returns boolean. */
  has_custom_rules(workspace: Uuid, object: string): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns boolean. */
  has_list_enrolments(workspace: Uuid): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  has_scopes(scopes: List): unknown
  /** schema/functions/approvals.sql, which returns boolean. */
  has_written_messages(workspace: Uuid): unknown
  /** schema/functions/accounts.sql, which returns void. */
  hold_account(workspace: Uuid, user: Uuid, purpose: string, provider: string, hash: string, sealed: string, minutes: number): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  hold_step(workspace: Uuid, run: Json, finished: Json): unknown
  /** schema/functions/scheduling.sql, which returns rows. */
  holidays_of(event_type: Uuid, hosts: List): unknown
  /** schema/functions/availabilities.sql, which returns rows. */
  host_availabilities(event_type: Uuid, hosts: List): unknown
  /** schema/functions/scheduling.sql, which returns rows. */
  host_calendars(hosts: List): unknown
  /** schema/functions/primitives-instants.sql, which returns uuid. */
  id_at(at: string | Date): unknown
  /** schema/functions/import-undo.sql, which returns uuid[]. */
  ids_in_use(table: string, ids: List): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  import_errors(errors: Json, mapping: Json, columns: Json, values: Json): unknown
  /** schema/functions/imports.sql, which returns text. */
  import_scope(object: string, action: string): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  import_write_errors(outcome: Json, messages: Json, lost: string): unknown
  /** schema/functions/constants.sql, which returns text. */
  imported_entity(key: string): unknown
  /** schema/functions/constants.sql, which returns text. */
  imported_scope(key: string): unknown
  /** schema/functions/constants.sql, which returns text. */
  imported_table(key: string): unknown
  /** schema/functions/files.sql, which returns rows. */
  imports_after(workspace: Uuid, id: Uuid, limit: number): unknown
  /** schema/functions/incoming-webhooks.sql, which returns jsonb. */
  incoming_grant(hash: string): unknown
  /** schema/functions/primitives-instants.sql, which returns timestamp with time zone. */
  instant_of(id: Uuid): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  instruction_facts(): unknown
  /** schema/functions/authority.sql, which returns text[]. */
  intersect_scopes(a: List, b: List): unknown
  /** schema/functions/members.sql, which returns uuid. */
  invite_member(p: Json): unknown
  /** schema/functions/policies.sql, which returns boolean. */
  is_about(p: string, role: string, key: Uuid): unknown
  /** schema/functions/accounts.sql, which returns boolean. */
  is_account_in_use(provider: string, account: string): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  is_address_in(address: string, ranges: List): unknown
  /** schema/functions/custom-values.sql, which returns boolean. */
  is_blank(value: Json): unknown
  /** schema/functions/scheduling.sql, which returns boolean. */
  is_call_unchanged(key: string, call: string, known: Json): unknown
  /** schema/functions/constants.sql, which returns boolean. */
  is_currency(code: string): unknown
  /** schema/functions/duplicates.sql, which returns boolean. */
  is_dismissed(a: Uuid, b: Uuid): unknown
  /** schema/functions/outbox.sql, which returns boolean. */
  is_earlier_claimed(o: string): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  is_indexable(value: number | string): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  is_jobs_session(): unknown
  /** schema/functions/memories.sql, which returns boolean. */
  is_memory_source(type: string, id: Uuid): unknown
  /** schema/functions/custom-values.sql, which returns boolean. */
  is_money(amount: Json): unknown
  /** schema/functions/exports.sql, which returns boolean. */
  is_odd_cell(t: string): unknown
  /** schema/functions/exports.sql, which returns boolean. */
  is_odd_text(t: string): unknown
  /** schema/functions/constants.sql, which returns boolean. */
  is_public_mail_domain(domain: string): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  is_purging(): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  is_readable(changes: Json, scopes: List, readable: List): unknown
  /** schema/functions/files.sql, which returns boolean. */
  is_restorable(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/redaction.sql, which returns boolean. */
  is_spelling_of(spelled: string, number: string): unknown
  /** schema/functions/primitives.sql, which returns text. */
  iso(value: string | Date): unknown
  /** schema/functions/guards.sql, which returns jsonb. */
  issues_error(issues: Json): unknown
  /** schema/functions/record-jobs.sql, which returns uuid. */
  job_that_restores(id: Uuid): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  join_waiting_list(entry: Json, most: number, line: number): unknown
  /** schema/functions/primitives.sql, which returns text. */
  joined(list: List): unknown
  /** schema/functions/exports.sql, which returns text. */
  js_json(v: Json): unknown
  /** schema/functions/exports.sql, which returns text. */
  js_number(n: number | string): unknown
  /** schema/functions/stage-rules.sql, which returns text[]. */
  json_texts(list: Json): unknown
  /** schema/functions/restorable-rows.sql, which returns boolean. */
  keeps_deleted_rows(): unknown
  /** schema/functions/authority.sql, which returns authority. */
  key_authority(kind: string, k: string): unknown
  /** schema/functions/duplicates.sql, which returns text. */
  key_column(table: string, key: string): unknown
  /** schema/functions/redaction-logs.sql, which returns integer[]. */
  keys_of(ids: List, known: List): unknown
  /** schema/functions/agents.sql, which returns uuid[]. */
  knowledge_bases_of(workspace: Uuid, agent: Uuid): unknown
  /** schema/functions/knowledge-copies.sql, which returns text. */
  knowledge_copy_key(e: string): unknown
  /** schema/functions/knowledge-copies.sql, which returns boolean. */
  knowledge_is_live(k: string): unknown
  /** schema/functions/access.sql, which returns text[]. */
  lacking_scopes(granted: List, wanted: List): unknown
  /** schema/functions/stage-rules.sql, which returns boolean. */
  lacks_field(record: Json, field: string): unknown
  /** schema/functions/lead-dispatch.sql, which returns jsonb. */
  lead_dispatch_facts(now: string | Date, initiative: Uuid, limit: number): unknown
  /** schema/functions/lead-results.sql, which returns jsonb. */
  lead_facts(ids: List): unknown
  /** schema/functions/lead-results.sql, which returns boolean. */
  lead_facts_hold(ids: List, facts: Json): unknown
  /** schema/functions/lead-initiatives.sql, which returns json. */
  lead_steps_of(initiative: Uuid): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  leave_waiting_list(id: Uuid): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  leave_whatsapp_group(workspace: Uuid, jid: string): unknown
  /** schema/functions/authority.sql, which returns integer. */
  level_rank(level: string): unknown
  /** schema/functions/primitives-words.sql, which returns tsvector. */
  lexemes_of(workspace: Uuid, name: string, address: string): unknown
  /** schema/functions/opportunity-values.sql, which returns numeric. */
  line_item_sum(workspace: Uuid, opportunity: Uuid, source: string): unknown
  /** schema/functions/opportunities.sql, which returns json. */
  line_items_of(opportunity: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  lines_with_products(lines: Json): unknown
  /** schema/functions/service-requests.sql, which returns void. */
  link_service_requests(id: Uuid, add: List, remove: List): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  link_whatsapp_group(id: Uuid, deal: Uuid, customer: Uuid, limit: number): unknown
  /** schema/functions/booking-pages.sql, which returns jsonb. */
  linked_booking(token: string): unknown
  /** schema/functions/waiting-list.sql, which returns jsonb. */
  linked_entry(id: Uuid): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  links_to(parents: List): unknown
  /** schema/functions/filters.sql, which returns text. */
  list_column(table: string): unknown
  /** schema/functions/auto-queue-jobs.sql, which returns jsonb. */
  list_enrolment_part(workspace: Uuid, most: number): unknown
  /** schema/functions/primitives.sql, which returns text[]. */
  list_entries(field: string, list: List): unknown
  /** schema/functions/list-tracking.sql, which returns text[]. */
  list_event_types(): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns jsonb. */
  list_tracking_batch(workspace: Uuid, most: number, depth: number, most_lists: number): unknown
  /** schema/functions/primitives.sql, which returns text. */
  literally(value: string): unknown
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
  /** schema/functions/booking-copy-changes.sql, which returns booking_copies. */
  lock_changed_copy(workspace: Uuid, change: Json): unknown
  /** schema/functions/commission.sql, which returns void. */
  lock_commission(p: Json): unknown
  /** schema/functions/custom-references.sql, which returns void. */
  lock_custom_targets(added: List): unknown
  /** schema/functions/restores.sql, which returns void. */
  lock_deletion(table: string, id: Uuid): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  lock_hosts(hosts: List, alone: boolean): unknown
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
  /** schema/functions/waiting-list.sql, which returns boolean. */
  lock_waiting_time(event_type: Uuid, starts_at: string | Date, email: string, phone: string, contact: Uuid): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  log_tables(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  lost_run_minutes(): unknown
  /** schema/functions/primitives.sql, which returns text[]. */
  lower_all(given: List): unknown
  /** schema/functions/constants.sql, which returns interval. */
  mail_catch_up(): unknown
  /** schema/functions/mailboxes.sql, which returns jsonb. */
  mailbox_sender(user: Uuid): unknown
  /** schema/functions/duplicates.sql, which returns text. */
  main_column(list: string): unknown
  /** schema/functions/components.sql, which returns integer. */
  make_component_instances(opportunity: Uuid, most: number): unknown
  /** schema/functions/contacts.sql, which returns void. */
  make_primary(chosen: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  make_work_orders(item: Uuid, date: string, assignee: Uuid): unknown
  /** schema/functions/guards.sql, which returns void. */
  mark_changed(records: Json, sent: Json, messages: Json): unknown
  /** schema/functions/sms.sql, which returns jsonb. */
  mark_conversations_read(ids: List, limit: number): unknown
  /** schema/functions/history.sql, which returns boolean. */
  mark_for_delivery(needed: boolean): unknown
  /** schema/functions/commission.sql, which returns void. */
  mark_payout(scopes: Json, id: Uuid, paid: boolean, reference: string): unknown
  /** schema/functions/approvals.sql, which returns integer. */
  mark_stale_approvals(limit: number): unknown
  /** schema/functions/calendar-sync.sql, which returns integer. */
  mark_stale_calendars(limit: number): unknown
  /** schema/functions/email.sql, which returns jsonb. */
  mark_threads_read(ids: List, limit: number): unknown
  /** schema/functions/scheduling.sql, which returns uuid. */
  match_booker(email: string, phone: string): unknown
  /** schema/functions/opportunities.sql, which returns text[]. */
  match_reasons(kind: string, given: List): unknown
  /** schema/functions/upserts.sql, which returns rows. */
  match_records(p: Json, unknown: Json): unknown
  /** schema/functions/upserts.sql, which returns text. */
  match_value(table: string, field: string, value: string): unknown
  /** schema/functions/policies.sql, which returns uuid[]. */
  matching_policies(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_burst_seconds(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_delivery_attempts(): unknown
  /** schema/functions/automations.sql, which returns integer. */
  max_hourly_runs(): unknown
  /** schema/functions/invitations.sql, which returns integer. */
  max_invitations(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_message_read(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_public_skills(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_reputation_slugs(): unknown
  /** schema/functions/automations.sql, which returns integer. */
  max_run_depth(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  max_tracked_lists(): unknown
  /** schema/functions/webhook-deliveries.sql, which returns integer. */
  max_webhook_leases(): unknown
  /** schema/functions/booking-pages.sql, which returns boolean. */
  may_book_on_page(contact: Uuid): unknown
  /** schema/functions/message-media.sql, which returns rows. */
  media_files_after(workspace: Uuid, id: Uuid, limit: number): unknown
  /** schema/functions/primitives-memory.sql, which returns text. */
  memory_text_key(text: string): unknown
  /** schema/functions/primitives-mentions.sql, which returns integer[]. */
  mention_keys(text: string): unknown
  /** schema/functions/redaction.sql, which returns boolean. */
  mentions(text: string, ids: List, known: List): unknown
  /** schema/functions/merge-facts.sql, which returns jsonb. */
  merge_facts(p: Json): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  merge_in_progress(): unknown
  /** schema/functions/merges.sql, which returns void. */
  merge_records(p: Json): unknown
  /** schema/functions/merges.sql, which returns jsonb. */
  merged_changes(was: Json, becomes: Json, sources: Json): unknown
  /** schema/functions/guards.sql, which returns uuid. */
  merged_into(id: Uuid): unknown
  /** schema/functions/primitives.sql, which returns text[]. */
  metadata_entries(metadata: Json): unknown
  /** schema/functions/primitives.sql, which returns text. */
  metadata_form(value: string): unknown
  /** schema/functions/filters.sql, which returns text. */
  metadata_terms(table: string): unknown
  /** schema/functions/primitives.sql, which returns text. */
  metadata_value(value: Json): unknown
  /** schema/functions/duplicates.sql, which returns double precision. */
  min_similarity(table: string): unknown
  /** schema/functions/booking-copy-changes.sql, which returns jsonb. */
  missing_copies(workspace: Uuid, calendar: Uuid, from: string | Date, to: string | Date, read_at: string | Date, limit: number): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  more_unknown_values(known: Json, more: Json, most: number): unknown
  /** schema/functions/constants.sql, which returns integer. */
  most_at_once(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  most_deletions(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  most_dependants(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  most_page_bookings(): unknown
  /** schema/functions/feed-followers.sql, which returns void. */
  move_follower(workspace: Uuid, follower: string, from: Json, to: Json): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  move_webhook_replay(workspace: Uuid, webhook: Uuid, replay: Uuid, from: Json, to: Json, added: number): unknown
  /** schema/functions/primitives-counts.sql, which returns bigint. */
  ms_to_win(status: string, created_at: string | Date, opened_at: string | Date, closed_at: string | Date): unknown
  /** schema/functions/record-jobs.sql, which returns void. */
  name_job(record: Uuid, job: Uuid): unknown
  /** schema/functions/search.sql, which returns double precision. */
  name_score(words: List, name: string): unknown
  /** schema/functions/lists.sql, which returns rows. */
  named_lists(ids: List, depth: number, most: number): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  names_personal_scope(authority: Json, scope: string): unknown
  /** schema/functions/history.sql, which returns boolean. */
  needs_delivery(type: string): unknown
  /** schema/functions/campaign-jobs.sql, which returns jsonb. */
  next_campaign_step(workspace: Uuid, campaign: Uuid, limit: number, bytes: number, lease: number, depth: number, lists: number): unknown
  /** schema/functions/knowledge.sql, which returns integer. */
  next_knowledge_sync(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/primitives.sql, which returns text. */
  norm(value: string): unknown
  /** schema/functions/primitives.sql, which returns text[]. */
  norm_all(given: List): unknown
  /** schema/functions/deletions.sql, which returns void. */
  note_accepted(accepted: boolean): unknown
  /** schema/functions/requests.sql, which returns void. */
  note_created(created: boolean): unknown
  /** schema/functions/work-orders.sql, which returns void. */
  note_feed_read(hash: string): unknown
  /** schema/functions/mailbox-jobs.sql, which returns void. */
  note_mailbox_watch(workspace: Uuid, id: Uuid, claim: Uuid, until: string | Date): unknown
  /** schema/functions/authority.sql, which returns void. */
  note_requirement(scopes: List, admin: boolean): unknown
  /** schema/functions/skill-runs.sql, which returns void. */
  note_skill_run(id: Uuid, p: Json): unknown
  /** schema/functions/automation-runs.sql, which returns void. */
  note_skips(workspace: Uuid, skips: Json): unknown
  /** schema/functions/automation-starts.sql, which returns void. */
  note_start_rights(automation: Uuid, scopes: List, admin: boolean): unknown
  /** schema/functions/primitives-notepads.sql, which returns text[]. */
  notepad_parties(visibility: string, owner: Uuid, access: Json, levels: List): unknown
  /** schema/functions/primitives-notepads.sql, which returns text. */
  notepad_search_text(title: string, content: string): unknown
  /** schema/functions/constants.sql, which returns interval. */
  notetaker_lead(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  notetaker_overtime(): unknown
  /** schema/functions/constants.sql, which returns integer. */
  notetaker_price(): unknown
  /** schema/functions/booking-notices.sql, which returns jsonb. */
  notice_contact(c: string): unknown
  /** schema/functions/booking-notices.sql, which returns jsonb. */
  notice_facts(workspace: Uuid, booking: Uuid): unknown
  /** schema/functions/calendar-sync.sql, which returns jsonb. */
  notify_calendar(channel: Uuid, hash: string): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  notify_mailbox_owners(workspace: Uuid, event: Uuid, reader: Uuid, email: Json): unknown
  /** schema/functions/mailbox-jobs.sql, which returns jsonb. */
  notify_mailboxes(provider: string, email: string, limit: number): unknown
  /** schema/functions/primitives-mentions.sql, which returns text[]. */
  numbers_in(text: string): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  offer_seats(session: Uuid): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  omit_error_values(errors: Json): unknown
  /** schema/functions/authority.sql, which returns jsonb. */
  omit_values(fields: Json): unknown
  /** schema/functions/portals.sql, which returns uuid. */
  open_portal(p: string): unknown
  /** schema/functions/event-streams.sql, which returns void. */
  open_stream(stream: Uuid, most: number, seconds: number): unknown
  /** schema/functions/mailboxes.sql, which returns jsonb. */
  opened_mailboxes(workspace: Uuid, role: Uuid, reader: Uuid): unknown
  /** schema/functions/contacts.sql, which returns json. */
  opportunities_of(contact: Uuid): unknown
  /** schema/functions/primitives-counts.sql, which returns rows. */
  opportunity_amounts(sign: number, customer: Uuid, value: number | string, probability: number | string, status: string, created_at: string | Date, opened_at: string | Date, closed_at: string | Date): unknown
  /** schema/functions/stage-rules.sql, which returns jsonb. */
  opportunity_issues(patch: Json, before: Json): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  order_form_grant(slug: string): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  order_page(slug: string): unknown
  /** schema/functions/order-forms.sql, which returns boolean. */
  order_stands(order: Uuid, event: string, paid: boolean, known: boolean, contact: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  ordered_page(slug: string, order: Uuid): unknown
  /** schema/functions/list-tracking.sql, which returns text. */
  origin_of(o: string): unknown
  /** schema/functions/contacts.sql, which returns uuid[]. */
  other_employees(company: Uuid): unknown
  /** schema/functions/outgoing-requests.sql, which returns jsonb. */
  outgoing_wake(r: string): unknown
  /** schema/functions/booking-copy-changes.sql, which returns jsonb. */
  outside_changes(workspace: Uuid, calendar: Uuid, events: Json, read_at: string | Date): unknown
  /** schema/functions/files.sql, which returns record. */
  owner_of_file(id: Uuid): unknown
  /** schema/functions/tags.sql, which returns text. */
  palette_color(name: string): unknown
  /** schema/functions/stage-rules.sql, which returns jsonb. */
  patched_opportunity(before: Json, patch: Json): unknown
  /** schema/functions/automation-failures.sql, which returns void. */
  pause_automation(workspace: Uuid, version: Uuid, reason: string): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  pause_enrolment(queue: Uuid, enrolment: Uuid): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  payee_facts(payee: Uuid, by?: Uuid): unknown
  /** schema/functions/order-forms.sql, which returns jsonb. */
  payment_grant(token: string): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  pending_causes(payee: Uuid, from: string, by?: Uuid): unknown
  /** schema/functions/personal-data.sql, which returns rows. */
  person_data(id: Uuid, most: number): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  personal_review_form(hash: string): unknown
  /** schema/functions/access.sql, which returns text[]. */
  personal_scopes(scopes: List): unknown
  /** schema/functions/opportunities.sql, which returns json. */
  placements_of(stage: Uuid, entered_at: string | Date): unknown
  /** schema/functions/booking-notices.sql, which returns void. */
  plan_booking_notices(workspace: Uuid, booking: Uuid, now: string | Date, notices: Json): unknown
  /** schema/functions/constants.sql, which returns text. */
  plural_of(key: string): unknown
  /** schema/functions/policies.sql, which returns uuid[]. */
  policies_about(a: string): unknown
  /** schema/functions/policies.sql, which returns jsonb. */
  policy_details(ids: List): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_door(hash: string): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_grant(hash: string): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_page(hash: string, pin_seed: Uuid, most: number): unknown
  /** schema/functions/portals.sql, which returns jsonb. */
  portal_work_orders(door: string, most: number): unknown
  /** schema/functions/order-forms.sql, which returns rows. */
  products_of(items: Json): unknown
  /** schema/functions/scheduling-proofs.sql, which returns jsonb. */
  proof_inputs(b: string): unknown
  /** schema/functions/agent-proposals.sql, which returns void. */
  propose_write(id: Uuid, p: Json, operation: string, grounds: Json): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  provider_knowledge_ids(workspace: Uuid, bases: Json): unknown
  /** schema/functions/storage.sql, which returns jsonb. */
  public_file(id: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  public_review_form(slug: string): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  publication_of(v: string): unknown
  /** schema/functions/automations.sql, which returns void. */
  publish_automation(automation: Uuid, types: List, awaited: List, adopted: List): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  publish_queue(queue: Uuid): unknown
  /** schema/functions/agents.sql, which returns jsonb. */
  published_agent_content(a: string): unknown
  /** schema/functions/purges.sql, which returns void. */
  purge_record(entity: string, id: Uuid, version: number): unknown
  /** schema/functions/whatsapp.sql, which returns void. */
  quote_whatsapp_message(key: string, quoted: Uuid): unknown
  /** schema/functions/guards.sql, which returns text. */
  raise_not_found(what: string, id: Uuid): unknown
  /** schema/functions/custom-fields.sql, which returns void. */
  raise_shared_value(object: string, id: Uuid, metadata: Json): unknown
  /** schema/functions/authority.sql, which returns boolean. */
  ranges_within(ranges: List, others: List): unknown
  /** schema/functions/exchange-rates.sql, which returns json. */
  rates_to(currencies: List, target: string, on: string): unknown
  /** schema/functions/whatsapp-marks.sql, which returns void. */
  react_to_whatsapp(message: Uuid, emoji: string): unknown
  /** schema/functions/agency-requests.sql, which returns service_request_notes. */
  read_agency_note(request: Uuid, note: Uuid): unknown
  /** schema/functions/feed-followers.sql, which returns jsonb. */
  read_feed(workspace: Uuid, follower: string, types: List, most: number): unknown
  /** schema/functions/knowledge-copies.sql, which returns rows. */
  read_knowledge_copies(workspace: Uuid, ids: List): unknown
  /** schema/functions/knowledge.sql, which returns rows. */
  read_knowledge_entries(workspace: Uuid, ids: List): unknown
  /** schema/functions/webhooks.sql, which returns jsonb. */
  read_webhook_replay(workspace: Uuid, webhook: Uuid, types: List, most: number): unknown
  /** schema/functions/authority.sql, which returns jsonb. */
  readable_changes(changes: Json, readable: List): unknown
  /** schema/functions/authority.sql, which returns text[]. */
  readable_entities(): unknown
  /** schema/functions/email-jobs.sql, which returns boolean. */
  receive_email(workspace: Uuid, id: Uuid, p: Json, max_links: number, max_participants: number): unknown
  /** schema/functions/mailbox-jobs.sql, which returns boolean. */
  receive_mailbox_email(workspace: Uuid, mailbox: Uuid, claim: Uuid, p: Json, max_links: number, max_participants: number, max_contacts: number): unknown
  /** schema/functions/sms-jobs.sql, which returns boolean. */
  receive_sms(workspace: Uuid, p: Json): unknown
  /** schema/functions/incoming-webhooks.sql, which returns jsonb. */
  receive_webhook(hash: string, id: Uuid, message: string, payload: Json, samples: number): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns integer. */
  receive_whatsapp_messages(workspace: Uuid, messages: Json, fetched: List, max_bytes: number): unknown
  /** schema/functions/campaigns.sql, which returns text[]. */
  recipient_marks(r: string): unknown
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
  /** schema/functions/duplicates.sql, which returns record. */
  record_similarity(a: Json, b: Json): unknown
  /** schema/functions/sms-consents.sql, which returns void. */
  record_sms_consent(p: Json): unknown
  /** schema/functions/sms-jobs.sql, which returns void. */
  record_sms_reports(workspace: Uuid, reports: Json, ranks: Json): unknown
  /** schema/functions/record-times.sql, which returns double precision. */
  record_time(workspace: Uuid, sort: string, id: Uuid): unknown
  /** schema/functions/upserts.sql, which returns void. */
  record_upserts(p: Json, outcomes: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  record_whatsapp_receipts(workspace: Uuid, receipts: Json): unknown
  /** schema/functions/redaction.sql, which returns jsonb. */
  redact(value: Json): unknown
  /** schema/functions/redaction.sql, which returns jsonb. */
  redact_changes(fields: Json, names?: List): unknown
  /** schema/functions/redaction.sql, which returns text. */
  redact_path(path: string, ids: List, known: List): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  references_to(parent: string): unknown
  /** schema/functions/calendar-jobs.sql, which returns void. */
  refresh_connection_calendars(workspace: Uuid, connection: Uuid, calendars: Json): unknown
  /** schema/functions/mailboxes.sql, which returns void. */
  refresh_mailbox(workspace: Uuid, mailbox: Uuid, aliases: Json): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  refuse_review_request(request: Uuid): unknown
  /** schema/functions/assumptions.sql, which returns void. */
  refute_assumption(index: number, rows: Json): unknown
  /** schema/functions/scheduling-claims.sql, which returns void. */
  release_booking(booking: string): unknown
  /** schema/functions/storage.sql, which returns void. */
  release_storage(id: Uuid): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  remove_enrolment(queue: Uuid, enrolment: Uuid): unknown
  /** schema/functions/lists.sql, which returns void. */
  remove_list_members(list: Uuid, ids: List): unknown
  /** schema/functions/custom-options.sql, which returns integer. */
  rename_custom_option(field: Uuid, from: string, to: string, limit: number): unknown
  /** schema/functions/history-columns.sql, which returns rows. */
  renamed_columns(): unknown
  /** schema/functions/custom-options.sql, which returns jsonb. */
  renamed_option(value: Json, from: string, to: string): unknown
  /** schema/functions/members.sql, which returns void. */
  renew_invitation(user: Uuid): unknown
  /** schema/functions/service-requests.sql, which returns void. */
  renew_service_request_vectors(workspace: Uuid, model: string): unknown
  /** schema/functions/event-streams.sql, which returns boolean. */
  renew_stream(stream: Uuid, seconds: number): unknown
  /** schema/functions/knowledge.sql, which returns boolean. */
  replace_knowledge(workspace: Uuid, id: Uuid, p: Json): unknown
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
  reported_order(order: Uuid, payment: string, event: string): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  republish_queue(queue: Uuid): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  reputation_grant(slug: string): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  reputation_page(slug: string, after: Uuid, case_study: Uuid, limit: number): unknown
  /** schema/functions/notetakers.sql, which returns void. */
  request_notetaker(booking: Uuid, id: Uuid): unknown
  /** schema/functions/primitives-mentions.sql, which returns text. */
  request_text(path: string, more_paths: List, message: string): unknown
  /** schema/functions/email.sql, which returns void. */
  reserve_email(p: Json, lease: number, max_links: number, max_participants: number): unknown
  /** schema/functions/messages.sql, which returns void. */
  reserve_messages(messages: Json): unknown
  /** schema/functions/phone-numbers.sql, which returns void. */
  reserve_phone_number(id: Uuid, number: string, name: string): unknown
  /** schema/functions/storage.sql, which returns bigint. */
  reserve_storage(id: Uuid, bytes: number | string, seconds: number): unknown
  /** schema/functions/picklists.sql, which returns text[]. */
  respelled(words: List, from: string, to: string): unknown
  /** schema/functions/auto-responders.sql, which returns text[]. */
  responder_scopes(r: string): unknown
  /** schema/functions/agents.sql, which returns boolean. */
  restore_agent_version(agent: Uuid, number: number): unknown
  /** schema/functions/restorable-rows.sql, which returns integer. */
  restore_days(): unknown
  /** schema/functions/restores.sql, which returns void. */
  restore_record(p: Json): unknown
  /** schema/functions/record-jobs.sql, which returns jsonb. */
  restoring_error(ids: List): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  resume_enrolment(queue: Uuid, enrolment: Uuid): unknown
  /** schema/functions/calendars.sql, which returns void. */
  resync_calendars(connection: Uuid): unknown
  /** schema/functions/picklists.sql, which returns jsonb. */
  retagged(tags: Json, from: string, to: string): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  retry_enrolment(queue: Uuid, enrolment: Uuid): unknown
  /** schema/functions/automation-retries.sql, which returns integer. */
  retry_runs(automation: Uuid, run: Uuid, limit: number): unknown
  /** schema/functions/import-undo.sql, which returns void. */
  revert_change(table: string, id: Uuid, fields: Json): unknown
  /** schema/functions/whiteboards.sql, which returns void. */
  revert_whiteboard(id: Uuid, version: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  review_form(p: string, request: Json): unknown
  /** schema/functions/review-requests.sql, which returns jsonb. */
  review_grant(hash: string): unknown
  /** schema/functions/phone-jobs.sql, which returns void. */
  review_phone_bundle(workspace: Uuid, id: Uuid): unknown
  /** schema/functions/review-requests.sql, which returns text. */
  review_proof(contact: Uuid): unknown
  /** schema/functions/agents.sql, which returns void. */
  revoke_tool_key(agent: Uuid): unknown
  /** schema/functions/authority.sql, which returns text[]. */
  role_reads(resources: List): unknown
  /** schema/functions/access.sql, which returns boolean. */
  role_within(r: string, other: string): unknown
  /** schema/functions/assumptions.sql, which returns void. */
  roll_back(): unknown
  /** schema/functions/requests.sql, which returns void. */
  roll_back_dry_run(mode: string, answer: Json, policies: List): unknown
  /** schema/functions/partitions.sql, which returns jsonb. */
  rotate_partitions(table: string, keep_days: number, now: string | Date): unknown
  /** schema/functions/deletion-batches.sql, which returns boolean. */
  run_deletion(workspace: Uuid, id: Uuid, claim: Uuid, limit: number): unknown
  /** schema/functions/kept-plans.sql, which returns text. */
  run_kept(select: string, values: Json): unknown
  /** schema/functions/restore-jobs.sql, which returns boolean. */
  run_restore(workspace: Uuid, id: Uuid, claim: Uuid, limit: number): unknown
  /** schema/functions/automations.sql, which returns rows. */
  run_subjects(workspace: Uuid, contact: Uuid, customer: Uuid, opportunity: Uuid): unknown
  /** schema/functions/skills.sql, which returns jsonb. */
  runnable_skills(id: Uuid, name: string): unknown
  /** schema/functions/memories.sql, which returns uuid. */
  same_memory(subject: Uuid, topic: string, text: string, at: string | Date): unknown
  /** schema/functions/campaign-ab-tests.sql, which returns text. */
  sampled_variant(percent: number, n: number | string): unknown
  /** schema/functions/birthdays.sql, which returns void. */
  save_birthdays(workspace: Uuid, rows: Json): unknown
  /** schema/functions/booking-notices.sql, which returns void. */
  save_booking_notices(workspace: Uuid, decisions: Json): unknown
  /** schema/functions/imports.sql, which returns jsonb. */
  save_import_rows(id: Uuid, p: Json): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  save_list_members(list: Uuid, records: List, members: List, origins: List, most: number): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  save_list_walk(list: Uuid, from: Uuid, to: Uuid, records: List, members: List, most: number, minutes: number): unknown
  /** schema/functions/schedule-jobs.sql, which returns uuid. */
  save_schedule_part(run: Uuid, rows: Json, next: Uuid): unknown
  /** schema/functions/waiting-list.sql, which returns void. */
  save_waiting_list(workspace: Uuid, emails: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns boolean. */
  save_whatsapp_pairing(workspace: Uuid, id: Uuid, was: string, p: Json): unknown
  /** schema/functions/zones.sql, which returns boolean. */
  save_zone_batch(workspace: Uuid, batch: Json, zones: Json, limit: number): unknown
  /** schema/functions/duplicates.sql, which returns jsonb. */
  scan_duplicates(p: Json): unknown
  /** schema/functions/filters.sql, which returns rows. */
  scan_ids(query: string, values: List): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  schedule_knowledge_syncs(base: Uuid): unknown
  /** schema/functions/scheduling.sql, which returns jsonb. */
  scheduling_facts(p: Json): unknown
  /** schema/functions/scheduling.sql, which returns text. */
  scheduling_fingerprint(event_type: Uuid, hosts: List, from: string | Date, to: string | Date): unknown
  /** schema/functions/access.sql, which returns text[]. */
  scopes_with(scope: string): unknown
  /** schema/functions/primitives.sql, which returns text. */
  search_form(value: string): unknown
  /** schema/functions/knowledge.sql, which returns rows. */
  search_knowledge(bases: List, question: string, model: string, vector: string, limit: number): unknown
  /** schema/functions/memories.sql, which returns rows. */
  search_memories(query: string, model: string, vector: string, subject: Uuid, at: string | Date, among: number, limit: number): unknown
  /** schema/functions/search.sql, which returns text[]. */
  search_patterns(query: string): unknown
  /** schema/functions/search.sql, which returns tsquery. */
  search_query(words: List, typos: boolean, address: boolean): unknown
  /** schema/functions/search.sql, which returns rows. */
  search_records(p: Json): unknown
  /** schema/functions/service-requests.sql, which returns rows. */
  search_service_requests(query: string, model: string, vector: string, among: number, limit: number): unknown
  /** schema/functions/conversations.sql, which returns conversations. */
  seen_in_inbox(channel: string, r: Json): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  sees_all_calendars(): unknown
  /** schema/functions/primitives-notepads.sql, which returns boolean. */
  sees_notepad(readers: List, caller: List): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  sees_personal_email(): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  sees_private_lists(): unknown
  /** schema/functions/primitives.sql, which returns boolean. */
  sees_row_of(owner: Uuid): unknown
  /** schema/functions/campaign-jobs.sql, which returns uuid[]. */
  segment_lists(segment: Json): unknown
  /** schema/functions/email-drafts.sql, which returns boolean. */
  send_email_draft(workspace: Uuid, draft: Uuid, version: number, email: Json, max_links: number, max_participants: number): unknown
  /** schema/functions/tasks.sql, which returns integer. */
  send_reminders(limit: number): unknown
  /** schema/functions/activities.sql, which returns void. */
  set_activity_contacts(activities: List, links: Json): unknown
  /** schema/functions/session.sql, which returns void. */
  set_cause(type: string, id: Uuid, depth?: number): unknown
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
  /** schema/functions/knowledge-copies.sql, which returns integer. */
  settle_knowledge_copy(workspace: Uuid, id: Uuid, is_same: boolean, p: Json): unknown
  /** schema/functions/knowledge.sql, which returns integer. */
  settle_knowledge_entry(workspace: Uuid, id: Uuid, is_same: boolean, p: Json): unknown
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
  /** schema/functions/authority.sql, which returns authority. */
  shared_authority(a: string, b: string): unknown
  /** schema/functions/custom-fields.sql, which returns jsonb. */
  shared_custom_value(object: string, id: Uuid, metadata: Json, taken: Json): unknown
  /** schema/functions/redaction.sql, which returns jsonb. */
  shared_text_columns(): unknown
  /** schema/functions/duplicates.sql, which returns rows. */
  shared_values(a: Json, b: Json): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  shown_case_studies(profile: Uuid): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  shown_case_study(case_study: Uuid): unknown
  /** schema/functions/reputation.sql, which returns rows. */
  shown_reviews(profile: Uuid, after: Uuid, limit: number): unknown
  /** schema/functions/reputation.sql, which returns jsonb. */
  shown_reviews_json(profile: Uuid, after: Uuid, limit: number): unknown
  /** schema/functions/service-requests.sql, which returns rows. */
  similar_service_requests(id: Uuid, least: number, among: number, limit: number): unknown
  /** schema/functions/auto-queues.sql, which returns void. */
  skip_enrolment_step(queue: Uuid, enrolment: Uuid, step: Uuid): unknown
  /** schema/functions/session.sql, which returns boolean. */
  skips_automations(): unknown
  /** schema/functions/stage-rules.sql, which returns boolean. */
  skips_stage_rules(): unknown
  /** schema/functions/filters.sql, which returns anyelement. */
  snapshot_row(row: string, snapshot: Json): unknown
  /** schema/functions/stage-rules.sql, which returns jsonb. */
  stage_issues(workspace: Uuid, stage: Uuid, record: Json, before?: Json): unknown
  /** schema/functions/contacts.sql, which returns json. */
  stakeholder_types_of(contact: Uuid): unknown
  /** schema/functions/deletions.sql, which returns integer. */
  start_deletion(table: string, id: Uuid, most?: number): unknown
  /** schema/functions/deletions.sql, which returns void. */
  start_deletions(table: string, ids: List): unknown
  /** schema/functions/automations.sql, which returns jsonb. */
  start_runs(automation: Uuid, source: string, source_id: Uuid, rows: Json): unknown
  /** schema/functions/states.sql, which returns text. */
  state_after(machine: string, transition: string, state: string): unknown
  /** schema/functions/states.sql, which returns jsonb. */
  states_after(machine: string, state: string): unknown
  /** schema/functions/contacts.sql, which returns json. */
  static_lists_of(contact: Uuid): unknown
  /** schema/functions/list-tracking-jobs.sql, which returns void. */
  stop_list_tracking(workspace: Uuid, list: Uuid, error: string): unknown
  /** schema/functions/calendars.sql, which returns uuid. */
  store_calendar_connection(user: Uuid, p: Json): unknown
  /** schema/functions/calendar-sync.sql, which returns boolean. */
  store_calendar_page(workspace: Uuid, id: Uuid, claim: Uuid, lease: number, events: Json, read_at: string | Date, full: boolean): unknown
  /** schema/functions/calendars.sql, which returns void. */
  store_connection_calendars(connection: Uuid, calendars: Json, choose: boolean): unknown
  /** schema/functions/email.sql, which returns jsonb. */
  store_inbound_email(id: Uuid, message: string): unknown
  /** schema/functions/mailboxes.sql, which returns uuid. */
  store_mailbox(workspace: Uuid, user: Uuid, p: Json): unknown
  /** schema/functions/whatsapp.sql, which returns jsonb. */
  store_whatsapp_event(id: Uuid, event: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns void. */
  store_whatsapp_groups(workspace: Uuid, groups: Json, complete: boolean): unknown
  /** schema/functions/storage.sql, which returns rows. */
  stored_files_after(workspace: Uuid, id: Uuid, limit: number): unknown
  /** schema/functions/review-requests.sql, which returns void. */
  submit_personal_review(request: Uuid, p: Json): unknown
  /** schema/functions/review-requests.sql, which returns boolean. */
  submit_public_review(profile: Uuid, p: Json, most: number): unknown
  /** schema/functions/campaigns.sql, which returns rows. */
  subscription_of(recipient: Uuid): unknown
  /** schema/functions/memories.sql, which returns void. */
  supersede_memories(id: Uuid): unknown
  /** schema/functions/supplier-catalog.sql, which returns rows. */
  supplier_offers(product: Uuid, quantity: number | string, day: string, currency: string, limit: number): unknown
  /** schema/functions/files.sql, which returns void. */
  sync_file_states(found: Json): unknown
  /** schema/functions/knowledge.sql, which returns void. */
  sync_knowledge(base: Uuid, source: string, p: Json, keys: List, is_all: boolean, most: number): unknown
  /** schema/functions/reading.sql, which returns timestamp with time zone. */
  synced_until(): unknown
  /** schema/functions/purges.sql, which returns regclass. */
  table_of(entity: string): unknown
  /** schema/functions/primitives.sql, which returns text[]. */
  tag_names(tags: Json): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  take_grant_request(hash: string): unknown
  /** schema/functions/accounts.sql, which returns jsonb. */
  take_held_account(hash: string): unknown
  /** schema/functions/automation-runs.sql, which returns jsonb. */
  take_step(workspace: Uuid, run: Json, finished: Json): unknown
  /** schema/functions/scheduling-claims.sql, which returns jsonb. */
  take_time(slot: Json, kind: Uuid, seats: number, of: Json): unknown
  /** schema/functions/automation-runs.sql, which returns integer. */
  take_turn(workspace: Uuid, run: Uuid, step: Uuid, sequence: number): unknown
  /** schema/functions/scheduling-claims.sql, which returns jsonb. */
  take_unlocked(slot: Json, of: Json): unknown
  /** schema/functions/commission.sql, which returns jsonb. */
  team_commission(scopes: Json, months: number, lines: number): unknown
  /** schema/functions/primitives.sql, which returns integer. */
  term(workspace: Uuid, entry: string): unknown
  /** schema/functions/primitives.sql, which returns text. */
  terms_expression(object: string): unknown
  /** schema/functions/primitives.sql, which returns integer[]. */
  terms_of(workspace: Uuid, entries: List, metadata: Json): unknown
  /** schema/functions/primitives-notepads.sql, which returns text. */
  text_sha256(value: string): unknown
  /** schema/functions/redaction.sql, which returns rows. */
  texts_under(fields: Json, names: List): unknown
  /** schema/functions/scheduling.sql, which returns rows. */
  time_off_between(hosts: List, from: string | Date, to: string | Date): unknown
  /** schema/functions/timeline.sql, which returns text[]. */
  timeline_part(entity: string): unknown
  /** schema/functions/timeline.sql, which returns uuid[]. */
  timeline_records(entity: string, fields: Json, old: Json, new: Json): unknown
  /** schema/functions/knowledge-copies.sql, which returns void. */
  touch_knowledge_copies(workspace: Uuid, bases: List): unknown
  /** schema/functions/training.sql, which returns text. */
  training_shown_url(type: string, url: string): unknown
  /** schema/functions/training.sql, which returns json. */
  training_target(type: string, id: Uuid): unknown
  /** schema/functions/constants.sql, which returns jsonb. */
  transitions(key: string): unknown
  /** schema/functions/personal-data.sql, which returns jsonb. */
  truncate_lists(lists: Json, most: number): unknown
  /** schema/functions/duplicates.sql, which returns text. */
  typing_slip(a: string, b: string): unknown
  /** schema/functions/primitives-words.sql, which returns integer[]. */
  typo_keys(workspace: Uuid, word: string): unknown
  /** schema/functions/import-undo.sql, which returns boolean. */
  undo_import(id: Uuid, limit: number): unknown
  /** schema/functions/service-requests.sql, which returns rows. */
  unembedded_service_requests(model: string, among: number): unknown
  /** schema/functions/primitives-mentions.sql, which returns text. */
  unescape_path(path: string): unknown
  /** schema/functions/feed-followers.sql, which returns void. */
  unfollow_feed(workspace: Uuid, follower: string): unknown
  /** schema/functions/custom-fields.sql, which returns jsonb. */
  unique_custom_values(object: string, id: Uuid, metadata: Json): unknown
  /** schema/functions/catalog.sql, which returns rows. */
  unique_keys(table: string): unknown
  /** schema/functions/agent-proposals.sql, which returns text[]. */
  unknown_evidence(evidence: Json): unknown
  /** schema/functions/custom-fields.sql, which returns text. */
  unknown_key_message(workspace: Uuid, object: string, key: string): unknown
  /** schema/functions/public-images.sql, which returns jsonb. */
  unknown_public_images(sha256: List): unknown
  /** schema/functions/suppression-lifts.sql, which returns jsonb. */
  unknown_suppressions(addresses: Json): unknown
  /** schema/functions/whatsapp-jobs.sql, which returns text[]. */
  unknown_whatsapp_keys(workspace: Uuid, keys: List): unknown
  /** schema/functions/restores.sql, which returns jsonb. */
  unlisted_values(table: string, row: Json): unknown
  /** schema/functions/merge-undo.sql, which returns void. */
  unmerge_records(p: Json): unknown
  /** schema/functions/history-columns.sql, which returns rows. */
  unrecorded_columns(): unknown
  /** schema/functions/email-events.sql, which returns jsonb. */
  unreported_recipients(limit: number): unknown
  /** schema/functions/upserts.sql, which returns jsonb. */
  upsert_rows(created: boolean): unknown
  /** schema/functions/picklists.sql, which returns rows. */
  usages(list: string, word: string, becomes: string, limit: number): unknown
  /** schema/functions/opportunities.sql, which returns json. */
  users_of(opportunity: Uuid): unknown
  /** schema/functions/primitives-counts.sql, which returns date. */
  utc_day(value: string | Date): unknown
  /** schema/functions/opportunity-values.sql, which returns jsonb. */
  value_issues(patch: Json, before: Json): unknown
  /** schema/functions/opportunity-values.sql, which returns numeric. */
  value_of_line_items(workspace: Uuid, opportunity: Uuid, source: string): unknown
  /** schema/functions/stage-rules.sql, which returns boolean. */
  valued_later(new: Json): unknown
  /** schema/functions/duplicates.sql, which returns rows. */
  values_of(record: Json, list: string): unknown
  /** schema/functions/phone-jobs.sql, which returns jsonb. */
  voice_route(number: string): unknown
  /** schema/functions/phone-numbers.sql, which returns jsonb. */
  voice_sync_of(n: string): unknown
  /** schema/functions/campaign-jobs.sql, which returns rows. */
  waiting_campaigns(limit: number, among?: number, workspace?: Uuid): unknown
  /** schema/functions/waiting-list.sql, which returns jsonb. */
  waiting_facts(e: string): unknown
  /** schema/functions/outgoing-requests.sql, which returns integer. */
  wake_ended(workspace: Uuid, requests: List): unknown
  /** schema/functions/lead-initiatives.sql, which returns void. */
  wake_initiative(initiative: Uuid, at: string | Date): unknown
  /** schema/functions/notetaker-jobs.sql, which returns boolean. */
  wake_notetaker(workspace: Uuid, id: Uuid, webhook: string): unknown
  /** schema/functions/automation-runs.sql, which returns integer. */
  wake_runs(workspace: Uuid, wakes: Json): unknown
  /** schema/functions/automation-waits.sql, which returns void. */
  wake_waits(workspace: Uuid, events: Json): unknown
  /** schema/functions/webhooks.sql, which returns void. */
  wake_webhook(webhook: Uuid): unknown
  /** schema/functions/filters.sql, which returns rows. */
  walk_ids(query: string, values: List): unknown
  /** schema/functions/mailbox-jobs.sql, which returns jsonb. */
  wanted_emails(workspace: Uuid, user: Uuid, emails: Json): unknown
  /** schema/functions/knowledge-copies.sql, which returns boolean. */
  wants_knowledge_copy(c: string): unknown
  /** schema/functions/webhook-deliveries.sql, which returns integer. */
  webhook_lease_seconds(): unknown
  /** schema/functions/primitives.sql, which returns text. */
  website_domain(url: string): unknown
  /** schema/functions/whatsapp.sql, which returns text. */
  whatsapp_beginning(text: string, type: string): unknown
  /** schema/functions/whatsapp.sql, which returns integer. */
  whatsapp_rank(status: string): unknown
  /** schema/functions/whatsapp.sql, which returns jsonb. */
  whatsapp_token_grant(hash: string): unknown
  /** schema/functions/whiteboards.sql, which returns json. */
  whiteboard_elements_in(id: Uuid, generation: number): unknown
  /** schema/functions/whiteboards.sql, which returns integer. */
  whiteboard_versions(): unknown
  /** schema/functions/approvals.sql, which returns jsonb. */
  with_conversations(changes: Json): unknown
  /** schema/functions/upserts.sql, which returns jsonb. */
  with_patch(patch: Json, later: Json): unknown
  /** schema/functions/tags.sql, which returns jsonb. */
  with_tag(tags: Json, name: string, color: string): unknown
  /** schema/functions/agent-proposals.sql, which returns void. */
  withdraw_proposal(id: Uuid): unknown
  /** schema/functions/redaction.sql, which returns jsonb. */
  without_mentions(value: Json, ids: List, known: List): unknown
  /** schema/functions/tags.sql, which returns jsonb. */
  without_tag(tags: Json, name: string): unknown
  /** schema/functions/primitives-words.sql, which returns text[]. */
  words_of(value: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_calendar(hash: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_feed_grant(hash: string): unknown
  /** schema/functions/constants-work.sql, which returns jsonb. */
  work_kind(key: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_order_clashes(p: string): unknown
  /** schema/functions/work-orders.sql, which returns jsonb. */
  work_order_clashes_between(member: Uuid, from: string, to: string): unknown
  /** schema/functions/work-orders.sql, which returns uuid. */
  work_order_status(label: string, id: Uuid): unknown
  /** schema/functions/agency-requests.sql, which returns void. */
  write_agency_note(request: Uuid, note: Uuid, content: string, edit: boolean): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_custom(v: Json, type: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_cut(t: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_day(d: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_escaped(t: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_odd(t: string): unknown
  /** schema/functions/exports.sql, which returns text. */
  xlsx_text(t: string): unknown
  /** schema/functions/zones.sql, which returns jsonb. */
  zone_batch(workspace: Uuid, limit: number): unknown
  /** schema/functions/zones.sql, which returns jsonb. */
  zone_facts(c: string): unknown
  /** schema/functions/zones.sql, which returns boolean. */
  zone_stands(basis: Json, facts: Json): unknown
  /** schema/functions/zones.sql, which returns boolean. */
  zones_stay_known(updates: Json): unknown
}
