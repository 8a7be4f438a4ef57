/*
  The columns of tracked tables that history, events, dry runs and approvals leave out; `*` stands for every tracked table. A `hidden` column
  is bookkeeping; only the snapshots of events have the version and the times of a record. A `derived` column follows from others, and may
  follow later: its change alone gives the record no new version. A `secret` column appears in no response, log or export either. Every
  other column is public, under its name in the API.
  test/contract/history.test.ts compares this list with the catalogue and with the API.
*/
create or replace function unrecorded_columns()
  returns table (table_name text, column_name text, kind text, reason text) immutable parallel safe language sql as $$
  values ('*', 'workspace_id', 'hidden', 'The caller sees one workspace only'),
    ('*', 'version', 'hidden', 'Every change has the version itself'),
    ('*', 'created_at', 'hidden', 'The time of the first change'),
    ('*', 'updated_at', 'hidden', 'The time of the latest change'),
    ('api_keys', 'key_hash', 'secret', 'Whoever has it can try keys offline'),
    ('api_keys', 'previous_key_hash', 'secret', 'Whoever has it can try keys offline'),
    ('api_keys', 'first_expires_at', 'hidden', 'Bounds how far a key can be extended'),
    ('approvals', 'answer', 'hidden', 'The rows from which the response is built; response_body shows it'),
    ('approvals', 'request', 'hidden', 'Too large for each change, and shown only to those who may read all of it'),
    ('approvals', 'changes', 'hidden', 'Too large for each change, and shown only to those who may read all of it'),
    ('approvals', 'original', 'hidden', 'Too large for each change, and shown only to those who may read all of it'),
    ('approvals', 'response_body', 'hidden', 'Too large for each change, and shown only to those who may read all of it'),
    ('memberships', 'invite_name', 'hidden', 'Stands for the full name until the member has joined'),
    ('automations', 'version_id', 'hidden', 'The published version, of which version_number is the number'),
    ('waiting_list_entries', 'due_at', 'derived', 'When the background looks at it next'), ('bookings', 'management_token', 'secret', 'Whoever has it can cancel and move the booking'),
    ('bookings', 'claimed', 'hidden', 'The counters that the booking is counted in'),
    ('bookings', 'noted_changes', 'hidden', 'Former values, for the notices about their change'), ('bookings', 'phone_end', 'hidden', 'The last digits of the phone number, for finding a caller'),
    ('imports', 'run_key_id', 'hidden', 'The key whose authority the import has; the change of its state names the same key'),
    ('imports', 'run_approval_id', 'hidden', 'The approval with which it was started; the change of its state has it as its cause'),
    ('imports', 'undo_id', 'hidden', 'The request id of the changes that the undo makes'),
    ('imports', 'skip_automations', 'hidden', 'An option of the request that started the import'),
    ('webhooks', 'sealed_secret', 'secret', 'Signs what the webhook sends'),
    ('webhooks', 'sealed_previous_secret', 'secret', 'Signs what the webhook sends'),
    ('incoming_webhooks', 'token_hash', 'secret', 'Whoever has it can try tokens offline'),
    ('incoming_webhooks', 'signature_secret', 'secret', 'Verifies what the webhook receives')
  union all select t, 'name_norm', 'hidden', 'The normal form of the name, for search and sorting' from unnest(array['approval_policies',
    'auto_queues', 'automations', 'companies', 'contacts', 'lead_sources', 'lists', 'opportunities', 'opportunity_buckets', 'pipelines', 'products', 'roles', 'scheduled_event_types', 'stages', 'stakeholder_types']) t
  union all select t, 'search_text', 'hidden', 'The normal form of several fields, for search' from unnest(array['companies', 'contacts',
    'email_threads', 'opportunities', 'products', 'tasks']) t
  union all select t, 'private_to', 'hidden', 'Nobody else sees the record, nor its history' from unnest(array['activities', 'messages']) t
  union all select 'mailboxes', c, 'derived', 'What the background knows of a reading' from unnest(array['cursor', 'synced_at', 'sync_error', 'due_at', 'attempts', 'claim_id', 'claimed_until', 'watch_expires_at', 'watch_due_at']) c
  union all values ('email_threads', 'outside_thread_id', 'derived', 'The provider''s id of the conversation'), ('opportunities', 'value_minor', 'hidden', 'The value as an integer, for sorting'),
    ('contacts', 'birthday', 'hidden', 'The month and the day of date_of_birth, for finding who has a birthday'),
    ('messages', 'body_text', 'hidden', 'Too large for each change: GET /messages/:message_id returns it'),
    ('messages', 'body_html', 'hidden', 'Too large for each change: GET /messages/:message_id returns it'),
    ('messages', 'dedupe_key', 'hidden', 'What makes it one message, however often it is reserved'),
    ('messages', 'attempts', 'derived', 'How often it was handed to the provider'),
    ('messages', 'due_at', 'derived', 'When the background looks at it next'),
    ('calendar_connections', 'last_synced_at', 'derived', 'When a calendar of it was last read'),
    ('calendar_connections', 'due_at', 'derived', 'When the background ends it'), ('calendar_connections', 'attempts', 'derived', 'How often it has tried to'),
    ('phone_numbers', 'provider_id', 'hidden', 'The provider''s id of the number'),
    ('phone_numbers', 'voice_provider_last_synced_at', 'derived', 'When the voice provider last got the agents'),
    ('phone_numbers', 'voice_provider_last_sync_error', 'derived', 'Why the voice provider last did not get them'),
    ('phone_numbers', 'voice_sync_due_at', 'derived', 'When the background hands the agents over again'),
    ('phone_numbers', 'voice_sync_attempts', 'derived', 'How often the agents were handed over'),
    ('phone_numbers', 'voice_sync_turn', 'derived', 'Counts the attempts that have begun'),
    ('phone_addresses', 'provider_id', 'hidden', 'The provider''s id of the address'), ('phone_addresses', 'due_at', 'derived', 'When the background looks at it next'),
    ('phone_addresses', 'attempts', 'derived', 'How often it was looked at'),
    ('phone_bundles', 'provider_id', 'hidden', 'The provider''s id of the bundle'), ('phone_bundles', 'items', 'hidden', 'Erased as soon as the provider has them'),
    ('phone_bundles', 'due_at', 'derived', 'When the background looks at it next'), ('phone_bundles', 'attempts', 'derived', 'How often it was looked at'),
    ('automations', 'queue_id', 'hidden', 'Null in every automation that the API shows'),
    ('auto_queues', 'exit_types', 'hidden', 'The event types of the exits'),
    ('auto_queue_steps', 'wait_id', 'hidden', 'The id of its wait in the compiled automation'),
    ('lists', 'name_scope', 'hidden', 'The lists among which its name is unique'),
    ('tasks', 'series_values', 'derived', 'The values of the series in place of those that were changed for this task alone'),
    ('tasks', 'reminded_at', 'derived', 'When the event of its reminder was written'),
    ('activities', 'has_others', 'hidden', 'Whether contact_ids has more than contact_id'),
    ('companies', 'abn_key', 'hidden', 'The normal form of the business number, for matching'),
    ('companies', 'website_domain', 'hidden', 'The domain of the web address, for matching'),
    ('contacts', 'local_zone', 'derived', 'The time zone, of which the API shows the local time'),
    ('contacts', 'zone_basis', 'derived', 'What the time zone was decided by'),
    ('auto_schedules', 'run_count', 'derived', 'The number of its fires, which are listed'),
    ('notetakers', 'bot_id', 'derived', 'The provider''s id of the bot'),
    ('notetakers', 'bot_join_at', 'derived', 'What was ordered from the provider last'),
    ('notetakers', 'bot_meeting_url', 'derived', 'What was ordered from the provider last'),
    ('notetakers', 'bot_requested_at', 'derived', 'When the bot was requested from the provider'),
    ('notetakers', 'is_bot_gone', 'derived', 'Whether no bot is left that could record'),
    ('notetakers', 'ends_at', 'hidden', 'The end of the booking'),
    ('notetakers', 'attempts', 'derived', 'How often the provider was called in vain'),
    ('notetakers', 'due_at', 'derived', 'When the background looks at it next'),
    ('notetakers', 'claim_id', 'derived', 'The worker that has it'), ('notetakers', 'claimed_until', 'derived', 'Until when a worker has it'),
    ('notetakers', 'webhook_ids', 'derived', 'The latest reports of the provider'),
    ('whatsapp_pairings', 'sealed_token', 'secret', 'The token of the path to which the provider reports'),
    ('whatsapp_pairings', 'token_hash', 'secret', 'Whoever has it can try tokens offline'),
    ('whatsapp_pairings', 'qr_image', 'secret', 'Whoever scans it pairs another phone'),
    ('whatsapp_pairings', 'instance_name', 'hidden', 'The name of the connection at the provider'),
    ('whatsapp_pairings', 'qr_number', 'derived', 'How many QR codes were shown'),
    ('whatsapp_pairings', 'qr_expires_at', 'derived', 'Until when the QR code is shown'),
    ('whatsapp_pairings', 'attempts', 'derived', 'How often the watch has looked in vain'),
    ('whatsapp_pairings', 'due_at', 'derived', 'When the watch looks next'),
    ('whatsapp_pairings', 'compared_until', 'derived', 'Up to when the messages were compared with those of the provider'),
    ('whatsapp_conversations', 'lid', 'hidden', 'The id at WhatsApp of a person whose number is hidden'),
    ('whatsapp_groups', 'members', 'derived', 'Too large for each change: GET /whatsapp/groups/:group_id returns it'),
    ('whatsapp_groups', 'members_updated_at', 'derived', 'When the members were listed'),
    ('whatsapp_groups', 'unlinked', 'hidden', 'Whether it has no link'),
    ('auto_schedules', 'next_run_at', 'derived', 'When it is due next, which follows from its expression')
$$;

-- Columns whose name in the API is another one; the history uses that name.
create or replace function renamed_columns()
  returns table (table_name text, column_name text, api_name text) immutable parallel safe language sql as $$
  values ('custom_fields', 'field_key', 'key'), ('roles', 'role_key', 'key')
$$;

/*
  Writes a record's change, field by field, and its event with a snapshot of the record, in which a missing field is null. A deleted record has
  none. Both name the user, the key, the request and the cause. p_omitted: columns that the change leaves out; p_hidden: those that the
  snapshot leaves out; p_names: columns with another name in the API.
*/
create or replace function record_version(p_entity text, p_key text, p_omitted text[], p_hidden text[], p_names jsonb, old jsonb, new jsonb)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  shown jsonb;
  change changes;
begin
  -- The automation that an auto queue is compiled into repeats what the history of the queue shows.
  if p_entity = 'automation' and coalesce(new, old) ->> 'queue_id' is not null then return; end if;
  if old is null then
    select jsonb_object_agg(coalesce(p_names ->> k, k), jsonb_build_object('after', v)) into shown from jsonb_each(new) e(k, v)
      where k <> all (p_omitted) and v <> 'null';
  elsif new is null then
    select jsonb_object_agg(coalesce(p_names ->> k, k), case when is_purging() then '{}' else jsonb_build_object('before', v) end)
      into shown from jsonb_each(old) e(k, v) where k <> all (p_omitted) and v <> 'null';
  else
    select jsonb_object_agg(coalesce(p_names ->> k, k), jsonb_build_object('before', old -> k, 'after', v)) into shown
      from jsonb_each(new) e(k, v) where k <> all (p_omitted) and v is distinct from old -> k;
    if shown is null then return; end if;
  end if;
  insert into changes (workspace_id, private_to, request_id, key_id, user_id, cause_type, cause_id, depth, entity, entity_id, action, fields, version)
    select coalesce(r ->> 'workspace_id', r ->> 'id')::uuid, (r ->> 'private_to')::uuid, current_request_id(), current_key_id(), current_user_id(),
      current_cause_type(), current_cause_id(), current_cause_depth(),
      p_entity, (r ->> p_key)::uuid, case when old is null then 'created' when new is null then 'deleted'
        else 'updated' end, coalesce(shown, '{}'),
      coalesce((r ->> 'version')::int, 1) + (new is null)::int
    from (select coalesce(new, old) as r) record
    returning * into change;
  insert into outbox (workspace_id, id, private_to, type, entity, entity_id, payload, needs_delivery, skip_automations, request_id, key_id, user_id,
    cause_type, cause_id, depth)
    values (change.workspace_id, change.id, change.private_to, p_entity || '.' || change.action, p_entity, change.entity_id,
      coalesce((select jsonb_object_agg(coalesce(p_names ->> k, k), v) from jsonb_each(new) e(k, v)
        where k <> all (p_hidden) and v <> 'null'), '{}'),
      mark_for_delivery(needs_delivery(p_entity || '.' || change.action)),
      skips_automations(), change.request_id, change.key_id, change.user_id, change.cause_type, change.cause_id, change.depth);
end $$;

-- After each statement: logs the change of every row. A session reuses the plan of its first, small statements, so nested loops are
-- disabled: with them a statement over thousands of rows would take quadratic time.
create or replace function record_changes()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  -- Prefixed, so that they never collide with a column.
  p_entity text := tg_argv[0];
  p_key text := tg_argv[1];
  p_omitted text[] := tg_argv[2];
  p_hidden text[] := tg_argv[3];
  p_names jsonb := tg_argv[4];
begin
  if tg_op = 'INSERT' then
    perform record_version(p_entity, p_key, p_omitted, p_hidden, p_names, null, to_jsonb(n)) from new_rows n;
  elsif tg_op = 'DELETE' then
    perform record_version(p_entity, p_key, p_omitted, p_hidden, p_names, to_jsonb(o), null) from old_rows o;
  else
    perform record_version(p_entity, p_key, p_omitted, p_hidden, p_names, o.j, n.j) from (select to_jsonb(r) as j from old_rows r) o
      join (select to_jsonb(r) as j from new_rows r) n
      on n.j ->> p_key = o.j ->> p_key and n.j ->> 'workspace_id' is not distinct from o.j ->> 'workspace_id';
  end if;
  return null;
end $$;

-- Increments version and sets updated_at when a row really changes. The arguments are its generated columns, which are not computed yet, and its
-- derived ones.
create or replace function touch() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - coalesce(tg_argv, '{}') is distinct from to_jsonb(old) - coalesce(tg_argv, '{}') then
    new.version := old.version + 1;
    new.updated_at := greatest(now(), old.updated_at);
  end if;
  return new;
end $$;

-- Records the changes of a table. The triggers carry what unrecorded_columns and renamed_columns say about it, so that no row looks it up.
create or replace procedure tracked_table(name text, entity text, key text default 'id') language plpgsql as $$
declare
  follows constant text := (select string_agg(quote_literal(attname), ', ' order by attnum) from pg_attribute
    where attrelid = name::regclass and (attgenerated <> '' or attname in (select column_name from unrecorded_columns()
      where table_name = name and kind = 'derived')));
  omitted constant text[] := array(select column_name from unrecorded_columns() where table_name in ('*', name) order by 1);
  record constant text := format('for each statement execute function record_changes(%L, %L, %L, %L, %L)', entity, key, omitted,
    array(select column_name from unnest(omitted) column_name where column_name not in ('version', 'created_at', 'updated_at')),
    coalesce((select jsonb_object_agg(column_name, api_name) from renamed_columns() where table_name = name), '{}'));
begin
  execute format('create or replace trigger touch before update on %I for each row execute function touch(%s)', name, follows);
  execute format('create or replace trigger record_insert after insert on %I referencing new table as new_rows %s', name, record);
  execute format('create or replace trigger record_update after update on %I referencing old table as old_rows new table as new_rows %s',
    name, record);
  execute format('create or replace trigger record_delete after delete on %I referencing old table as old_rows %s', name, record);
end $$;

-- Writes an event that is not simply a row's change, such as opportunity.won. p_private_to: the member who alone sees it.
create or replace function emit(p_type text, p_entity text, p_entity_id uuid, p_payload jsonb default '{}', p_private_to uuid default null)
  returns void language sql security definer set search_path = public, pg_temp as $$
  insert into outbox (type, entity, entity_id, payload, private_to, needs_delivery, skip_automations, request_id, key_id, user_id, cause_type, cause_id,
    depth)
  values (p_type, p_entity, p_entity_id, p_payload, p_private_to, mark_for_delivery(needs_delivery(p_type)), skips_automations(),
    current_request_id(), current_key_id(), current_user_id(), current_cause_type(), current_cause_id(), current_cause_depth())
$$;

-- Whether the Worker has a listener for the event type (src/services/events/listeners.ts; a test compares the two). Other events are never
-- updated.
create or replace function needs_delivery(p_type text) returns boolean immutable parallel safe language sql
  return p_type in ('approval.updated', 'attachment.deleted', 'auto_schedule.fire_requested', 'booking.attended', 'booking.cancelled', 'booking.confirmed', 'booking.late', 'booking.no_show',
    'booking.notice_requested', 'booking.reassigned', 'booking.rescheduled', 'booking.updated', 'custom_field.created', 'custom_field.deleted', 'custom_field.updated',
    'dead_letter.replayed', 'import.deleted', 'import.updated', 'member.invited');

-- Notes for finish_request that the transaction wrote an event that must be delivered.
create or replace function mark_for_delivery(p_needed boolean) returns boolean language plpgsql as $$
begin
  if p_needed then perform set_config('app.delivers', 'true', true); end if;
  return p_needed;
end $$;

-- Whether this request has made the change: that of p_field, if it is given. A record's latest changes are read, which costs the same with any
-- statistics; the bounds of the id exclude the other partitions.
create or replace function changed_in_request(p_entity text, p_id uuid, p_action text, p_field text default null)
  returns boolean stable language plpgsql as $$
declare
  earliest constant uuid := uuidv7(now() - clock_timestamp() - interval '1 minute');
  latest constant uuid := uuidv7(interval '1 minute');
begin
  return exists (select from changes c where c.workspace_id = (select current_workspace()) and c.entity = p_entity and c.entity_id = p_id
    and c.id between earliest and latest and c.action = p_action and c.request_id = current_request_id()
    and (p_field is null or c.fields ? p_field));
end $$;

call tracked_table('workspaces', 'workspace');
call tracked_table('memberships', 'member', 'user_id');
call tracked_table('api_keys', 'api_key');
call tracked_table('crm_settings', 'crm_settings', 'workspace_id');
call tracked_table('lead_sources', 'lead_source');
call tracked_table('contacts', 'contact');
call tracked_table('employers', 'employer');
call tracked_table('companies', 'company');
call tracked_table('pipelines', 'pipeline');
call tracked_table('stages', 'stage');
call tracked_table('opportunities', 'opportunity');
call tracked_table('opportunity_contacts', 'opportunity_contact');
call tracked_table('opportunity_users', 'opportunity_user');
call tracked_table('products', 'product');
call tracked_table('opportunity_products', 'opportunity_product');
call tracked_table('approvals', 'approval');
call tracked_table('tasks', 'task');
call tracked_table('activities', 'activity');
call tracked_table('stakeholder_types', 'stakeholder_type');
call tracked_table('stakeholder_members', 'stakeholder_member');
call tracked_table('deal_stakeholders', 'deal_stakeholder');
call tracked_table('task_stakeholders', 'task_stakeholder');
call tracked_table('opportunity_buckets', 'opportunity_bucket');
call tracked_table('product_costs', 'product_cost');
call tracked_table('billing_parties', 'billing_party');
call tracked_table('invoices', 'invoice');
call tracked_table('attachments', 'attachment');
call tracked_table('custom_fields', 'custom_field');
call tracked_table('dismissed_duplicates', 'dismissed_duplicate');
call tracked_table('imports', 'import');
call tracked_table('exchange_rates', 'exchange_rate');
call tracked_table('roles', 'role');
call tracked_table('lists', 'list');
call tracked_table('approval_policies', 'approval_policy');
call tracked_table('automations', 'automation');
call tracked_table('messages', 'message');
call tracked_table('suppressions', 'suppression');
call tracked_table('incoming_webhooks', 'incoming_webhook');
call tracked_table('webhooks', 'webhook');
call tracked_table('auto_schedules', 'auto_schedule');
call tracked_table('availabilities', 'availability');
call tracked_table('bookings', 'booking');
call tracked_table('scheduled_event_types', 'scheduled_event_type');
call tracked_table('time_off', 'time_off');
call tracked_table('auto_queue_steps', 'auto_queue_step');
call tracked_table('auto_queues', 'auto_queue');
call tracked_table('holiday_calendars', 'holiday_calendar');
call tracked_table('email_campaigns', 'email_campaign');
call tracked_table('email_configs', 'email_config');
call tracked_table('email_threads', 'email_thread');
call tracked_table('followers', 'follower');
call tracked_table('phone_numbers', 'phone_number');
call tracked_table('whatsapp_conversations', 'whatsapp_conversation');
call tracked_table('whatsapp_groups', 'whatsapp_group');
call tracked_table('whatsapp_pairings', 'whatsapp_pairing');
call tracked_table('notetakers', 'notetaker');
call tracked_table('email_templates', 'email_template');
call tracked_table('email_drafts', 'email_draft');
call tracked_table('phone_addresses', 'phone_address');
call tracked_table('phone_bundles', 'phone_bundle');
call tracked_table('voice_agent_configs', 'voice_agent_config');
call tracked_table('calendar_connections', 'calendar_connection');
call tracked_table('mailboxes', 'mailbox');
call tracked_table('waiting_list_entries', 'waiting_list_entry');

revoke execute on function record_version, record_changes, emit from public;
grant execute on function emit to app;
