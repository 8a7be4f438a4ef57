-- Generated from src/features/*/feature.ts and schema: `CONSTANTS=write npx vitest run test/contract/sql-constants.test.ts` writes it.

-- The tables with a history: the kind of record, and the column that identifies it.
create or replace function tracked_tables() returns table (table_name text, entity text, key text)
  immutable parallel safe language sql as $$
  values ('activities', 'activity', 'id'),('api_keys', 'api_key', 'id'),('approval_policies', 'approval_policy', 'id'),
      ('approvals', 'approval', 'id'),('attachments', 'attachment', 'id'),('auto_queue_steps', 'auto_queue_step', 'id'),
      ('auto_queues', 'auto_queue', 'id'),('auto_responders', 'auto_responder', 'id'),('auto_schedules', 'auto_schedule', 'id'),
      ('automations', 'automation', 'id'),('availabilities', 'availability', 'id'),('billing_parties', 'billing_party', 'id'),
      ('bookings', 'booking', 'id'),('calendar_connections', 'calendar_connection', 'id'),('companies', 'company', 'id'),
      ('component_instances', 'component_instance', 'id'),('contacts', 'contact', 'id'),('conversations', 'conversation', 'id'),
      ('crm_settings', 'crm_settings', 'workspace_id'),('custom_fields', 'custom_field', 'id'),
      ('deal_stakeholders', 'deal_stakeholder', 'id'),('dismissed_duplicates', 'dismissed_duplicate', 'id'),
      ('document_template_sections', 'document_template_section', 'id'),('document_templates', 'document_template', 'id'),
      ('documents', 'document', 'id'),('email_campaigns', 'email_campaign', 'id'),('email_configs', 'email_config', 'id'),
      ('email_drafts', 'email_draft', 'id'),('email_templates', 'email_template', 'id'),('email_threads', 'email_thread', 'id'),
      ('employers', 'employer', 'id'),('exchange_rates', 'exchange_rate', 'id'),('export_templates', 'export_template', 'id'),
      ('export_views', 'export_view', 'id'),('files', 'file', 'id'),('followers', 'follower', 'id'),
      ('holiday_calendars', 'holiday_calendar', 'id'),('imports', 'import', 'id'),('incoming_webhooks', 'incoming_webhook', 'id'),
      ('invoices', 'invoice', 'id'),('knowledge_bases', 'knowledge_base', 'id'),('knowledge_entries', 'knowledge_entry', 'id'),
      ('lead_initiative_steps', 'lead_initiative_step', 'id'),('lead_initiatives', 'lead_initiative', 'id'),
      ('lead_results', 'lead_result', 'id'),('lead_sources', 'lead_source', 'id'),('lists', 'list', 'id'),
      ('mailboxes', 'mailbox', 'id'),('memberships', 'member', 'user_id'),('memories', 'memory', 'id'),
      ('messages', 'message', 'id'),('notepads', 'notepad', 'id'),('notetakers', 'notetaker', 'id'),
      ('opportunities', 'opportunity', 'id'),('opportunity_buckets', 'opportunity_bucket', 'id'),
      ('opportunity_contacts', 'opportunity_contact', 'id'),('opportunity_products', 'opportunity_product', 'id'),
      ('opportunity_users', 'opportunity_user', 'id'),('order_forms', 'order_form', 'id'),
      ('payment_settings', 'payment_setting', 'id'),('phone_addresses', 'phone_address', 'id'),
      ('phone_bundles', 'phone_bundle', 'id'),('phone_numbers', 'phone_number', 'id'),('pipelines', 'pipeline', 'id'),
      ('portals', 'portal', 'id'),('product_components', 'product_component', 'id'),('product_costs', 'product_cost', 'id'),
      ('products', 'product', 'id'),('reputation_case_studies', 'reputation_case_study', 'id'),
      ('reputation_profiles', 'reputation_profile', 'id'),('reputation_reviews', 'reputation_review', 'id'),
      ('review_requests', 'review_request', 'id'),('roles', 'role', 'id'),('scheduled_event_types', 'scheduled_event_type', 'id'),
      ('service_request_notes', 'service_request_note', 'id'),('service_requests', 'service_request', 'id'),
      ('skills', 'skill', 'id'),('stages', 'stage', 'id'),('stakeholder_members', 'stakeholder_member', 'id'),
      ('stakeholder_types', 'stakeholder_type', 'id'),('supplier_catalog_entries', 'supplier_catalog_entry', 'id'),
      ('suppressions', 'suppression', 'id'),('task_stakeholders', 'task_stakeholder', 'id'),('tasks', 'task', 'id'),
      ('time_off', 'time_off', 'id'),('training_canvases', 'training_canvas', 'id'),('training_cards', 'training_card', 'id'),
      ('transcripts', 'transcript', 'id'),('voice_agent_configs', 'voice_agent_config', 'id'),
      ('waiting_list_entries', 'waiting_list_entry', 'id'),('webhooks', 'webhook', 'id'),
      ('whatsapp_conversations', 'whatsapp_conversation', 'id'),('whatsapp_groups', 'whatsapp_group', 'id'),
      ('whatsapp_pairings', 'whatsapp_pairing', 'id'),('whiteboards', 'whiteboard', 'id'),
      ('work_order_stakeholders', 'work_order_stakeholder', 'id'),('work_order_statuses', 'work_order_status', 'id'),
      ('work_orders', 'work_order', 'id'),('workspaces', 'workspace', 'id')
$$;

-- The scopes that reading each kind of record needs; several for a kind that is about others.
create or replace function entity_scopes() returns table (entity text, scopes text[])
  immutable parallel safe language sql as $$
  values ('activity', '{activities:read}'::text[]),('api_key', '{api-keys:read}'),('approval_policy', '{approval-policies:read}'),
      ('approval', '{approvals:read}'),('attachment', '{companies:read,contacts:read,opportunities:read}'),
      ('auto_queue_step', '{auto-queues:read}'),('auto_queue', '{auto-queues:read}'),('auto_responder', '{agent-ops:read}'),
      ('auto_schedule', '{schedules:read}'),('automation', '{automations:read}'),('availability', '{scheduling:read}'),
      ('billing_party', '{invoices:read}'),('booking', '{company:read}'),('calendar_connection', '{calendars:read}'),
      ('call_log', '{calls:read}'),('company', '{companies:read}'),('component_instance', '{products:read}'),
      ('contact', '{contacts:read}'),('conversation', '{email:read,sms:read,whatsapp:read}'),('crm_settings', '{company:read}'),
      ('custom_field', '{company:read}'),('dead_letter', '{dead-letters:read}'),('deal_stakeholder', '{opportunities:read}'),
      ('dismissed_duplicate', '{companies:read,contacts:read,opportunities:read}'),
      ('document_template_section', '{documents:read}'),('document_template', '{documents:read}'),
      ('document', '{documents:read}'),('email_campaign', '{email-campaigns:read}'),('email_config', '{email:read}'),
      ('email_draft', '{email:read}'),('email_template', '{email:read}'),('email_thread', '{email:read}'),
      ('employer', '{contacts:read}'),('exchange_rate', '{company:read}'),('export_template', '{exports:read}'),
      ('export_view', '{exports:read}'),('file', '{files:read}'),
      ('follower', '{companies:read,contacts:read,opportunities:read}'),('holiday_calendar', '{scheduling:read}'),
      ('import', '{imports:read}'),('incoming_webhook', '{webhooks:read}'),('invoice', '{invoices:read}'),
      ('knowledge_base', '{knowledge:read}'),('knowledge_entry', '{knowledge:read}'),('lead_initiative_step', '{lead-gen:read}'),
      ('lead_initiative', '{lead-gen:read}'),('lead_result', '{lead-gen:read}'),('lead_source', '{company:read}'),
      ('list', '{lists:read}'),('mailbox', '{mailboxes:read}'),('member', '{users:read}'),('memory', '{memory:read}'),
      ('message', '{email:read}'),('notepad', '{notepads:read}'),('notetaker', '{company:read}'),
      ('opportunity', '{opportunities:read}'),('opportunity_bucket', '{opportunities:read}'),
      ('opportunity_contact', '{opportunities:read}'),('opportunity_product', '{opportunities:read}'),
      ('opportunity_user', '{opportunities:read}'),('order_form', '{websites:read}'),('payment_setting', '{company:read}'),
      ('phone_address', '{phone:read}'),('phone_bundle', '{phone:read}'),('phone_number', '{phone:read}'),
      ('pipeline', '{pipelines:read}'),('portal', '{work-orders:read}'),('product_component', '{products:read}'),
      ('product_cost', '{opportunities:read}'),('product', '{products:read}'),('reputation_case_study', '{reputation:read}'),
      ('reputation_profile', '{reputation:read}'),('reputation_review', '{reputation:read}'),
      ('review_request', '{reputation:read}'),('role', '{roles:read}'),('scheduled_event_type', '{scheduling:read}'),
      ('service_request_note', '{service-requests:read}'),('service_request', '{service-requests:read}'),
      ('skill', '{agent-ops:read}'),('stage', '{pipelines:read}'),('stakeholder_member', '{contacts:read}'),
      ('stakeholder_type', '{contacts:read}'),('supplier_catalog_entry', '{products:read}'),('suppression', '{email:read}'),
      ('task_stakeholder', '{tasks:read}'),('task', '{tasks:read}'),('time_off', '{scheduling:read}'),
      ('training_canvas', '{resources:read}'),('training_card', '{resources:read}'),('transcript', '{agent-ops:read}'),
      ('voice_agent_config', '{phone:read}'),('waiting_list_entry', '{company:read}'),('webhook', '{webhooks:read}'),
      ('whatsapp_conversation', '{whatsapp:read}'),('whatsapp_group', '{whatsapp:read}'),('whatsapp_pairing', '{whatsapp:read}'),
      ('whiteboard', '{whiteboards:read}'),('work_order_stakeholder', '{work-orders:read}'),
      ('work_order_status', '{work-orders:read}'),('work_order', '{work-orders:read}'),('workspace', '{company:read}')
$$;

-- The kinds of records that only keys of a client_admin read.
create or replace function admin_entities() returns text[] immutable parallel safe language sql
  return '{api_key,dead_letter,payment_setting}'::text[];

/*
  The columns of tracked tables that history, events, dry runs and approvals leave out; `*` stands for every tracked table. A `hidden`
  column is bookkeeping; only the snapshots of events have the version and the times of a record. A `derived` column follows from others,
  and may follow later: its change alone gives the record no new version. A `secret` column appears in no response, log or export either.
  Every other column is public, under its name in the API.
*/
-- The reasons stand in the features.
create or replace function unrecorded_columns() returns table (table_name text, column_name text, kind text)
  immutable parallel safe language sql as $$
  values ('*', 'workspace_id', 'hidden'),('*', 'version', 'hidden'),('*', 'created_at', 'hidden'),('*', 'updated_at', 'hidden'),
      ('activities', 'private_to', 'hidden'),('activities', 'has_others', 'hidden'),('api_keys', 'first_expires_at', 'hidden'),
      ('api_keys', 'key_hash', 'secret'),('api_keys', 'previous_key_hash', 'secret'),('approval_policies', 'name_norm', 'hidden'),
      ('approvals', 'answer', 'hidden'),('approvals', 'request', 'hidden'),('approvals', 'changes', 'hidden'),
      ('approvals', 'original', 'hidden'),('approvals', 'response_body', 'hidden'),('auto_queue_steps', 'wait_id', 'hidden'),
      ('auto_queues', 'exit_types', 'hidden'),('auto_queues', 'name_norm', 'hidden'),
      ('auto_responders', 'phone_number_id', 'hidden'),('auto_responders', 'email_config_id', 'hidden'),
      ('auto_responders', 'key_id', 'hidden'),('auto_responders', 'tool_scopes', 'hidden'),
      ('auto_responders', 'error', 'derived'),('auto_schedules', 'run_count', 'derived'),
      ('auto_schedules', 'next_run_at', 'derived'),('automations', 'version_id', 'hidden'),('automations', 'queue_id', 'hidden'),
      ('automations', 'name_norm', 'hidden'),('availabilities', 'name_norm', 'hidden'),('bookings', 'claimed', 'hidden'),
      ('bookings', 'noted_changes', 'hidden'),('bookings', 'phone_end', 'hidden'),('bookings', 'management_token', 'secret'),
      ('calendar_connections', 'last_synced_at', 'derived'),('calendar_connections', 'due_at', 'derived'),
      ('calendar_connections', 'turn', 'derived'),('calendar_connections', 'claim_id', 'derived'),
      ('calendar_connections', 'claimed_until', 'derived'),('calendar_connections', 'attempts', 'derived'),
      ('companies', 'abn_key', 'hidden'),('companies', 'website_domain', 'hidden'),('companies', 'name_norm', 'hidden'),
      ('companies', 'search_text', 'hidden'),('component_instances', 'search_text', 'hidden'),
      ('contacts', 'first_name_derived', 'hidden'),('contacts', 'birthday', 'hidden'),('contacts', 'local_zone', 'derived'),
      ('contacts', 'zone_basis', 'derived'),('contacts', 'name_norm', 'hidden'),('contacts', 'search_text', 'hidden'),
      ('conversations', 'email_thread_id', 'hidden'),('conversations', 'sms_conversation_id', 'hidden'),
      ('conversations', 'whatsapp_conversation_id', 'hidden'),('conversations', 'whatsapp_group_id', 'hidden'),
      ('conversations', 'direction', 'derived'),('conversations', 'snippet', 'derived'),('conversations', 'unread', 'derived'),
      ('conversations', 'message_count', 'derived'),('conversations', 'last_message_at', 'derived'),
      ('document_template_sections', 'content', 'hidden'),('document_templates', 'name_norm', 'hidden'),
      ('documents', 'name_norm', 'hidden'),('documents', 'search_text', 'hidden'),
      ('email_threads', 'outside_thread_id', 'derived'),('email_threads', 'search_text', 'hidden'),
      ('export_templates', 'name_norm', 'hidden'),('export_views', 'private_to', 'hidden'),
      ('followers', 'record_created_at', 'derived'),('imports', 'run_key_id', 'hidden'),('imports', 'run_approval_id', 'hidden'),
      ('imports', 'undo_id', 'hidden'),('imports', 'skip_automations', 'hidden'),('incoming_webhooks', 'token_hash', 'secret'),
      ('incoming_webhooks', 'signature_secret', 'secret'),('knowledge_bases', 'last_syncs', 'derived'),
      ('knowledge_entries', 'text', 'hidden'),('knowledge_entries', 'source_key', 'hidden'),
      ('knowledge_entries', 'source_sha256', 'hidden'),('knowledge_entries', 'etag', 'hidden'),
      ('knowledge_entries', 'synced_at', 'derived'),('knowledge_entries', 'due_at', 'derived'),
      ('knowledge_entries', 'turn', 'derived'),('knowledge_entries', 'claim_id', 'derived'),
      ('knowledge_entries', 'claimed_until', 'derived'),('knowledge_entries', 'attempts', 'derived'),
      ('lead_initiative_steps', 'fired_count', 'derived'),('lead_initiative_steps', 'reply_count', 'derived'),
      ('lead_results', 'website_domain', 'hidden'),('lead_results', 'place_key', 'hidden'),
      ('lead_results', 'search_text', 'hidden'),('lead_sources', 'name_norm', 'hidden'),('lists', 'name_scope', 'hidden'),
      ('lists', 'name_norm', 'hidden'),('mailboxes', 'cursor', 'derived'),('mailboxes', 'synced_at', 'derived'),
      ('mailboxes', 'sync_error', 'derived'),('mailboxes', 'watch_expires_at', 'derived'),
      ('mailboxes', 'watch_due_at', 'derived'),('mailboxes', 'due_at', 'derived'),('mailboxes', 'turn', 'derived'),
      ('mailboxes', 'claim_id', 'derived'),('mailboxes', 'claimed_until', 'derived'),('mailboxes', 'attempts', 'derived'),
      ('memberships', 'invite_name', 'hidden'),('memories', 'subject_id', 'hidden'),('memories', 'topic_norm', 'hidden'),
      ('memories', 'text_key', 'hidden'),('memories', 'lexemes', 'hidden'),('messages', 'private_to', 'hidden'),
      ('messages', 'body_text', 'hidden'),('messages', 'body_html', 'hidden'),('messages', 'dedupe_key', 'hidden'),
      ('messages', 'outside_account_id', 'hidden'),('messages', 'attempts', 'derived'),('messages', 'due_at', 'derived'),
      ('notepads', 'private_to', 'hidden'),('notepads', 'readers', 'hidden'),('notepads', 'writers', 'hidden'),
      ('notepads', 'content', 'hidden'),('notepads', 'title_norm', 'hidden'),('notepads', 'search_text', 'hidden'),
      ('notetakers', 'ends_at', 'hidden'),('notetakers', 'bot_id', 'derived'),('notetakers', 'bot_join_at', 'derived'),
      ('notetakers', 'bot_meeting_url', 'derived'),('notetakers', 'bot_requested_at', 'derived'),
      ('notetakers', 'is_bot_gone', 'derived'),('notetakers', 'webhook_ids', 'derived'),('notetakers', 'due_at', 'derived'),
      ('notetakers', 'turn', 'derived'),('notetakers', 'claim_id', 'derived'),('notetakers', 'claimed_until', 'derived'),
      ('notetakers', 'attempts', 'derived'),('opportunities', 'value_minor', 'hidden'),('opportunities', 'name_norm', 'hidden'),
      ('opportunities', 'search_text', 'hidden'),('opportunity_buckets', 'name_norm', 'hidden'),
      ('opportunity_contacts', 'opportunity_created_at', 'derived'),('payment_settings', 'webhook_token', 'hidden'),
      ('payment_settings', 'secret_key', 'secret'),('payment_settings', 'webhook_secret', 'secret'),
      ('phone_addresses', 'provider_id', 'hidden'),('phone_addresses', 'due_at', 'derived'),
      ('phone_addresses', 'turn', 'derived'),('phone_addresses', 'claim_id', 'derived'),
      ('phone_addresses', 'claimed_until', 'derived'),('phone_addresses', 'attempts', 'derived'),
      ('phone_bundles', 'provider_id', 'hidden'),('phone_bundles', 'items', 'hidden'),('phone_bundles', 'due_at', 'derived'),
      ('phone_bundles', 'turn', 'derived'),('phone_bundles', 'claim_id', 'derived'),('phone_bundles', 'claimed_until', 'derived'),
      ('phone_bundles', 'attempts', 'derived'),('phone_numbers', 'provider_id', 'hidden'),
      ('phone_numbers', 'voice_provider_last_synced_at', 'derived'),
      ('phone_numbers', 'voice_provider_last_sync_error', 'derived'),('phone_numbers', 'voice_sync_due_at', 'derived'),
      ('phone_numbers', 'voice_sync_turn', 'derived'),('phone_numbers', 'voice_sync_claim_id', 'derived'),
      ('phone_numbers', 'voice_sync_claimed_until', 'derived'),('phone_numbers', 'voice_sync_attempts', 'derived'),
      ('pipelines', 'name_norm', 'hidden'),('portals', 'failed_attempts', 'derived'),('portals', 'locked_until', 'derived'),
      ('portals', 'last_viewed_at', 'derived'),('portals', 'token_hash', 'secret'),('portals', 'pin_hash', 'secret'),
      ('portals', 'token_seed', 'secret'),('portals', 'pin_seed', 'secret'),('product_components', 'search_text', 'hidden'),
      ('products', 'name_norm', 'hidden'),('products', 'search_text', 'hidden'),
      ('reputation_profiles', 'review_count', 'derived'),('reputation_profiles', 'rating_counts', 'derived'),
      ('reputation_reviews', 'form_hash', 'hidden'),('reputation_reviews', 'search_text', 'hidden'),
      ('review_requests', 'token_hash', 'secret'),('review_requests', 'token_seed', 'secret'),
      ('review_requests', 'due_at', 'derived'),('review_requests', 'turn', 'derived'),('review_requests', 'claim_id', 'derived'),
      ('review_requests', 'claimed_until', 'derived'),('review_requests', 'attempts', 'derived'),('roles', 'name_norm', 'hidden'),
      ('scheduled_event_types', 'name_norm', 'hidden'),('service_request_notes', 'content', 'hidden'),
      ('service_requests', 'search_text', 'hidden'),('skills', 'name_norm', 'hidden'),('stages', 'name_norm', 'hidden'),
      ('stakeholder_types', 'name_norm', 'hidden'),('tasks', 'series_values', 'derived'),('tasks', 'reminded_at', 'derived'),
      ('tasks', 'search_text', 'hidden'),('training_canvases', 'name_norm', 'hidden'),('training_cards', 'target_id', 'hidden'),
      ('transcripts', 'entries', 'hidden'),('transcripts', 'provider_request_id', 'hidden'),('transcripts', 'due_at', 'derived'),
      ('transcripts', 'turn', 'derived'),('transcripts', 'claim_id', 'derived'),('transcripts', 'claimed_until', 'derived'),
      ('transcripts', 'attempts', 'derived'),('voice_agent_configs', 'prompt', 'hidden'),
      ('voice_agent_configs', 'tool_scopes', 'hidden'),('voice_agent_configs', 'provider_version', 'derived'),
      ('waiting_list_entries', 'due_at', 'derived'),('webhooks', 'sealed_secret', 'secret'),
      ('webhooks', 'sealed_previous_secret', 'secret'),('whatsapp_conversations', 'lid', 'hidden'),
      ('whatsapp_groups', 'snippet', 'hidden'),('whatsapp_groups', 'unlinked', 'hidden'),
      ('whatsapp_groups', 'members', 'derived'),('whatsapp_groups', 'members_updated_at', 'derived'),
      ('whatsapp_pairings', 'instance_name', 'hidden'),('whatsapp_pairings', 'qr_number', 'derived'),
      ('whatsapp_pairings', 'qr_expires_at', 'derived'),('whatsapp_pairings', 'attempts', 'derived'),
      ('whatsapp_pairings', 'due_at', 'derived'),('whatsapp_pairings', 'compared_until', 'derived'),
      ('whatsapp_pairings', 'sealed_token', 'secret'),('whatsapp_pairings', 'token_hash', 'secret'),
      ('whatsapp_pairings', 'qr_image', 'secret'),('whiteboards', 'generation', 'derived'),
      ('whiteboards', 'next_index', 'derived'),('whiteboards', 'name_norm', 'hidden'),('whiteboards', 'search_text', 'hidden'),
      ('work_order_statuses', 'label_norm', 'hidden'),('work_orders', 'search_text', 'hidden')
$$;

-- Columns whose name in the API is another one; the history uses that name.
create or replace function renamed_columns() returns table (table_name text, column_name text, api_name text)
  immutable parallel safe language sql as $$
  values ('custom_fields', 'field_key', 'key'),('roles', 'role_key', 'key')
$$;

-- A part of records with a timeline: its table, and the columns that refer to these records.
create or replace function timeline_part(p_key text) returns text[] immutable parallel safe language sql
  return case p_key
    when 'activity' then '{activities,deal_id,contact_id,customer_id}'
    when 'attachment' then '{attachments,opportunity_id,contact_id,customer_id}'
    when 'billing_party' then '{billing_parties,opportunity_id}'
    when 'deal_stakeholder' then '{deal_stakeholders,deal_id,contact_id}'
    when 'document' then '{documents,opportunity_id,contact_id,customer_id}'
    when 'employer' then '{employers,contact_id,customer_id}'
    when 'invoice' then '{invoices,opportunity_id}'
    when 'memory' then '{memories,opportunity_id,contact_id,customer_id}'
    when 'notepad' then '{notepads,opportunity_id,contact_id,customer_id}'
    when 'opportunity_bucket' then '{opportunity_buckets,opportunity_id}'
    when 'opportunity_contact' then '{opportunity_contacts,opportunity_id,contact_id}'
    when 'opportunity_product' then '{opportunity_products,opportunity_id}'
    when 'opportunity_user' then '{opportunity_users,opportunity_id}'
    when 'product_cost' then '{product_costs,opportunity_id}'
    when 'stakeholder_member' then '{stakeholder_members,contact_id}'
    when 'task' then '{tasks,opportunity_id,contact_id,customer_id}'
    when 'whiteboard' then '{whiteboards,opportunity_id}'
    when 'work_order' then '{work_orders,deal_id}' end::text[];

/*
  Text about several records: a row that is linked to a purged record and to another one stays, without its text. For each table: the entity
  of its rows in the history, and the value that replaces each text.
*/
create or replace function shared_text_columns() returns jsonb immutable parallel safe language sql
  return '{"activities":{"entity":"activity","texts":{"body":null,"outcome":null,"subject":null,"metadata":{}}},
      "automation_runs":{"entity":"automation_run","texts":{"error":null,"place":{"frames":[],"outputs":{}},"trigger_data":{}}},
      "bookings":{"entity":"booking","texts":{"name":"(purged)","email":null,"notes":null,"phone":null,"answers":[],
      "attendees":[],"cancellation_reason":null}},"documents":{"entity":"document","texts":{"name":"(purged)","folder":null}},
      "form_orders":{"entity":"form_order","texts":{"buyer":null}},"lead_results":{"entity":"lead_result","texts":{"city":null,
      "name":"(purged)","email":null,"phone":null,"website":null,"source_id":null,"company_name":null}},
      "notepads":{"entity":"notepad","texts":{"title":"(purged)","content":""}},"order_form_logs":{"entity":"order_form_log",
      "texts":{"message":null}},"tasks":{"entity":"task","texts":{"title":"(purged)","metadata":{},"description":null}},
      "transcripts":{"entity":"transcript","texts":{"entries":null,"audio_url":""}},"whiteboards":{"entity":"whiteboard",
      "texts":{"name":"(purged)","description":null}}}'::jsonb;

-- The tables whose rows come back with the record that they were deleted with.
create or replace function restorable_tables() returns text[] immutable parallel safe language sql
  return '{activities,activity_contacts,agent_versions,approval_policies,approvals,attachments,auto_queue_steps,auto_queues,
      auto_responders,auto_schedules,automations,availabilities,billing_parties,booking_notices,booking_transcripts,call_logs,
      campaign_clicks,campaign_recipients,companies,component_instances,contacts,conversations,custom_fields,deal_stakeholders,
      dismissed_duplicates,document_template_sections,document_templates,documents,email_attachments,email_campaigns,
      email_configs,email_drafts,email_messages,email_participants,email_templates,email_thread_links,email_threads,employers,
      exchange_rates,export_templates,export_views,files,followers,holiday_calendars,invoices,knowledge_agents,knowledge_bases,
      knowledge_chunks,knowledge_entries,lead_initiative_steps,lead_initiatives,lead_results,lead_sources,list_members,lists,
      memories,message_media,messages,notepad_versions,notepads,notetakers,opportunities,opportunity_buckets,opportunity_contacts,
      opportunity_products,opportunity_users,order_forms,phone_addresses,phone_bundles,phone_numbers,pipelines,product_components,
      product_costs,products,reputation_case_studies,reputation_profiles,reputation_reviews,roles,scheduled_event_types,
      service_request_notes,service_requests,skills,sms_consents,sms_conversations,sms_messages,stage_moves,stages,
      stakeholder_members,stakeholder_types,supplier_catalog_entries,suppressions,task_stakeholders,tasks,time_off,
      training_canvases,training_cards,training_progress,transcripts,unsubscribes,voice_agent_configs,waiting_list_entries,
      whatsapp_conversations,whatsapp_groups,whatsapp_messages,whatsapp_reactions,whatsapp_reads,whiteboards,
      work_order_stakeholders,work_order_statuses,work_orders}'::text[];
