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
    ('waiting_list_entries', 'due_at', 'derived', 'When the background looks at it next'),
    ('bookings', 'management_token', 'secret', 'Whoever has it can cancel and move the booking'),
    ('bookings', 'claimed', 'hidden', 'The counters that the booking is counted in'),
    ('bookings', 'noted_changes', 'hidden', 'Former values, for the notices about their change'),
    ('bookings', 'phone_end', 'hidden', 'The last digits of the phone number, for finding a caller'),
    ('imports', 'run_key_id', 'hidden', 'The key whose authority the import has; the change of its state names the same key'),
    ('imports', 'run_approval_id', 'hidden', 'The approval with which it was started; the change of its state has it as its cause'),
    ('imports', 'undo_id', 'hidden', 'The request id of the changes that the undo makes'),
    ('imports', 'skip_automations', 'hidden', 'An option of the request that started the import'),
    ('webhooks', 'sealed_secret', 'secret', 'Signs what the webhook sends'),
    ('webhooks', 'sealed_previous_secret', 'secret', 'Signs what the webhook sends'),
    ('incoming_webhooks', 'token_hash', 'secret', 'Whoever has it can try tokens offline'),
    ('incoming_webhooks', 'signature_secret', 'secret', 'Verifies what the webhook receives'),
    ('payment_settings', 'secret_key', 'secret', 'Moves money in the name of the workspace'),
    ('payment_settings', 'webhook_secret', 'secret', 'Verifies what the payment provider reports'),
    ('payment_settings', 'webhook_token', 'hidden', 'The last part of the address of the webhook, which GET /company/payment-settings shows')
  union all select t, 'name_norm', 'hidden', 'The normal form of the name, for search and sorting' from unnest(array['approval_policies',
    'auto_queues', 'automations', 'companies', 'contacts', 'document_templates', 'documents', 'lead_sources', 'lists', 'opportunities', 'opportunity_buckets', 'pipelines', 'products', 'roles', 'scheduled_event_types', 'skills', 'stages', 'stakeholder_types', 'training_canvases', 'whiteboards']) t
  union all select t, 'search_text', 'hidden', 'The normal form of several fields, for search' from unnest(array['companies', 'contacts', 'documents',
    'email_threads', 'opportunities', 'products', 'tasks', 'product_components', 'component_instances', 'notepads', 'whiteboards', 'work_orders', 'reputation_reviews', 'lead_results']) t
  union all select t, 'private_to', 'hidden', 'Nobody else sees the record, nor its history' from unnest(array['activities', 'messages', 'notepads']) t
  union all select 'notepads', c, 'hidden', 'Follows from the visibility, the owner and the access list' from unnest(array['readers', 'writers']) c
  union all select 'mailboxes', c, 'derived', 'What the background knows of a reading' from unnest(array['cursor', 'synced_at', 'sync_error', 'watch_expires_at', 'watch_due_at']) c
  union all select t, p || c, 'derived', 'What the background does about it next, and who is at it' from
    (values ('mailboxes', ''), ('calendar_connections', ''), ('notetakers', ''), ('transcripts', ''), ('phone_addresses', ''), ('phone_bundles', ''),
      ('phone_numbers', 'voice_sync_')) w(t, p), unnest(array['due_at', 'turn', 'claim_id', 'claimed_until', 'attempts']) c
  union all select 'conversations', c, k, r from unnest('{email_thread_id,sms_conversation_id,whatsapp_conversation_id,whatsapp_group_id,direction,snippet,unread,message_count,last_message_at}'::text[]) c,
    lateral (select case when c like '%\_id' then 'hidden' else 'derived' end, case when c like '%\_id' then 'Its id, in one of the channels' else 'What its messages change, which have events themselves' end) d(k, r)
  union all values ('email_threads', 'outside_thread_id', 'derived', 'The provider''s id of the conversation'), ('opportunities', 'value_minor', 'hidden', 'The value as an integer, for sorting'),
    ('contacts', 'first_name_derived', 'hidden', 'Whether something else stands for the first name of a person without one'),
    ('contacts', 'birthday', 'hidden', 'The month and the day of date_of_birth, for finding who has a birthday'),
    ('training_cards', 'target_id', 'hidden', 'The url as an id'),
    ('notepads', 'content', 'hidden', 'Too large for each change, which has its length and its digest'),
    ('notepads', 'title_norm', 'hidden', 'The normal form of the title, for search and sorting'),
    ('document_template_sections', 'content', 'hidden', 'Too large for each change, which has its length and its digest'),
    ('messages', 'body_text', 'hidden', 'Too large for each change: GET /messages/:message_id returns it'),
    ('messages', 'body_html', 'hidden', 'Too large for each change: GET /messages/:message_id returns it'),
    ('messages', 'dedupe_key', 'hidden', 'What makes it one message, however often it is reserved'),
    ('whatsapp_groups', 'snippet', 'hidden', 'The beginning of the latest message, which is deleted with its writer'),
    ('messages', 'outside_account_id', 'hidden', 'The provider''s id of the account that sends it'),
    ('messages', 'attempts', 'derived', 'How often it was handed to the provider'),
    ('messages', 'due_at', 'derived', 'When the background looks at it next'),
    ('calendar_connections', 'last_synced_at', 'derived', 'When a calendar of it was last read'),
    ('phone_numbers', 'provider_id', 'hidden', 'The provider''s id of the number'),
    ('phone_numbers', 'voice_provider_last_synced_at', 'derived', 'When the voice provider last got the agents'),
    ('phone_numbers', 'voice_provider_last_sync_error', 'derived', 'Why the voice provider last did not get them'),
    ('voice_agent_configs', 'prompt', 'hidden', 'Too large for each change: GET /agents/:agent_id returns it'),
    ('voice_agent_configs', 'tool_scopes', 'hidden', 'Follows from the tools'),
    ('voice_agent_configs', 'provider_version', 'derived', 'The number of the published version at the voice provider'),
    ('transcripts', 'entries', 'hidden', 'Too large for each change: GET /transcripts/:transcript_id returns them'),
    ('transcripts', 'provider_request_id', 'hidden', 'The provider''s id of the request'),
    ('phone_addresses', 'provider_id', 'hidden', 'The provider''s id of the address'),
    ('phone_bundles', 'provider_id', 'hidden', 'The provider''s id of the bundle'),
    ('phone_bundles', 'items', 'hidden', 'Erased as soon as the provider has them'),
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
    ('work_order_statuses', 'label_norm', 'hidden', 'The normal form of the label, by which it is found'),
    ('portals', 'token_hash', 'secret', 'Whoever has it can try tokens offline'),
    ('portals', 'pin_hash', 'secret', 'Whoever has it can try PINs offline'),
    ('portals', 'token_seed', 'secret', 'The token follows from it and a secret of the deployment'),
    ('portals', 'pin_seed', 'secret', 'The PIN follows from it and a secret of the deployment'),
    ('portals', 'failed_attempts', 'derived', 'How many wrong PINs were entered'),
    ('portals', 'locked_until', 'derived', 'Until when no PIN is accepted'),
    ('portals', 'last_viewed_at', 'derived', 'When the page was last shown'),
    ('lead_initiative_steps', 'fired_count', 'derived', 'How often it was taken'),
    ('lead_initiative_steps', 'reply_count', 'derived', 'How many people replied after it'),
    ('lead_results', 'website_domain', 'hidden', 'The domain of the web address, for matching'),
    ('lead_results', 'place_key', 'hidden', 'Name and city, for matching'),
    ('reputation_profiles', 'review_count', 'derived', 'The number of its reviews'),
    ('reputation_profiles', 'rating_counts', 'derived', 'The numbers of its published reviews'),
    ('whiteboards', 'generation', 'derived', 'How often the content was replaced, which the versions show'),
    ('whiteboards', 'next_index', 'derived', 'Where the next element is placed'),
    ('auto_schedules', 'next_run_at', 'derived', 'When it is due next, which follows from its expression')
$$;

-- Columns whose name in the API is another one; the history uses that name.
create or replace function renamed_columns()
  returns table (table_name text, column_name text, api_name text) immutable parallel safe language sql as $$
  values ('custom_fields', 'field_key', 'key'), ('roles', 'role_key', 'key')
$$;
