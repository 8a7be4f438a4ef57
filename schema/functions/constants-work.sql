-- Generated from the kinds and sets of queues: `CONSTANTS=write npx vitest run test/contract/sql-constants.test.ts` writes it.

-- What the functions of work.sql know of a kind of background work, or of a set that is registered.
create or replace function work_kind(p_key text) returns jsonb immutable parallel safe language sql
  return case p_key
    when 'agency.clients' then '{"table":"agency_clients","key":"client_id","where":"t.ended_at is null","writes":[],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select t.client_id, to_jsonb(t) from agency_clients t where t.workspace_id = $1 and t.client_id = any ($2)",
      "settle":"conclude_client_check"}'::jsonb
    when 'agents.publish' then '{"table":"agent_versions","key":"id","where":"t.status = ''publishing''","writes":[],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_publications($1, $2)","settle":"conclude_publication"}'::jsonb
    when 'auto_reply.run' then '{"table":"auto_replies","key":"id","where":"t.outcome is null",
      "writes":["outcome","reason","category","action","incoming_id","run_id","credits","ended_at"],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_auto_replies($1, $2)",
      "settle":"settle_auto_reply"}'::jsonb
    when 'bookings.copy' then '{"table":"booking_copies","key":"id","where":"true","writes":[],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_booking_copies($1, $2)","lock":"lock_booking_of_copy",
      "settle":"conclude_booking_copy"}'::jsonb
    when 'calendars.end' then '{"table":"calendar_connections","key":"id","where":"t.status = ''disconnected''","writes":[],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_ended_connections($1, $2)","settle":"conclude_ended_account"}'::jsonb
    when 'calendars.sync' then '{"table":"connection_calendars","key":"id","where":"true","writes":["error"],"due":"due_at",
      "turn":"turn","claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_calendars($1, $2)",
      "settle":"conclude_calendar"}'::jsonb
    when 'knowledge.copy' then '{"table":"knowledge_copies","key":"id","where":"true","writes":["provider_kb_id","provider_keys"],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_knowledge_copies($1, $2)","settle":"settle_knowledge_copy"}'::jsonb
    when 'knowledge.index' then '{"table":"knowledge_entries","key":"id","where":"true","writes":[],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_knowledge_entries($1, $2)",
      "settle":"settle_knowledge_entry"}'::jsonb
    when 'leads.dispatch' then '{"table":"lead_dispatches","key":"initiative_id","where":"true","writes":[],"due":"due_at",
      "turn":"turn","claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts",
      "read":"select t.initiative_id, to_jsonb(t) from lead_dispatches t where t.workspace_id = $1 and t.initiative_id = any ($2)"}'::jsonb
    when 'mailboxes.end' then '{"table":"mailboxes","key":"id","where":"t.status = ''disconnected''","writes":[],"due":"due_at",
      "turn":"turn","claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_ended_mailboxes($1, $2)",
      "settle":"conclude_ended_account"}'::jsonb
    when 'mailboxes.sync' then '{"table":"mailboxes","key":"id","where":"t.status = ''connected''",
      "writes":["cursor","synced_at","sync_error"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_mailboxes($1, $2)"}'::jsonb
    when 'media.fetch' then '{"table":"message_media","key":"id","where":"t.status = ''waiting''",
      "writes":["status","content_type","name","size","error"],"due":"due_at","turn":"turn","claim":"claim_id",
      "until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid",
      "attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from message_media t where t.workspace_id = $1 and t.id = any ($2)"}'::jsonb
    when 'memory.embed' then '{"table":"memory_vectors","key":"id","where":"true","writes":["model","embedding","error"],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_memory_texts($1, $2)","settle":"settle_memory_vector"}'::jsonb
    when 'notetakers.run' then '{"table":"notetakers","key":"id","where":"true","writes":[],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_notetakers($1, $2)",
      "settle":"conclude_notetaker"}'::jsonb
    when 'phone.addresses' then '{"table":"phone_addresses","key":"id","where":"t.status = ''creating''",
      "writes":["status","provider_id","validated","error"],"due":"due_at","turn":"turn","claim":"claim_id",
      "until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid",
      "attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from phone_addresses t where t.workspace_id = $1 and t.id = any ($2)"}'::jsonb
    when 'phone.bundles' then '{"table":"phone_bundles","key":"id","where":"true","writes":["provider_id"],"due":"due_at",
      "turn":"turn","claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from phone_bundles t where t.workspace_id = $1 and t.id = any ($2)",
      "settle":"conclude_phone_bundle"}'::jsonb
    when 'phone.voice' then '{"table":"phone_numbers","key":"id","where":"true","writes":[],"due":"voice_sync_due_at",
      "turn":"voice_sync_turn","claim":"voice_sync_claim_id","until":"voice_sync_claimed_until",
      "free":"(t.voice_sync_claimed_until is null or t.voice_sync_claimed_until <= now())","item":"null::uuid",
      "attempts":"voice_sync_attempts","read":"select * from read_voice_syncs($1, $2)","settle":"conclude_voice_sync"}'::jsonb
    when 'records.delete' then '{"table":"deletions","key":"id","where":"t.type <> ''restore''",
      "writes":["state","error","failed_at"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from deletions t where t.workspace_id = $1 and t.id = any ($2)"}'::jsonb
    when 'records.restore' then '{"table":"deletions","key":"id","where":"t.type = ''restore''",
      "writes":["state","error","failed_at"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from deletions t where t.workspace_id = $1 and t.id = any ($2)"}'::jsonb
    when 'reviews.ask' then '{"table":"review_requests","key":"id","where":"true",
      "writes":["status","reason","sent_at","reminded_at"],"due":"due_at","turn":"turn","claim":"claim_id",
      "until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid",
      "attempts":"attempts","read":"select * from read_review_requests($1, $2)","settle":"settle_review_request"}'::jsonb
    when 'service_requests.embed' then '{"table":"service_request_vectors","key":"id","where":"true",
      "writes":["model","embedding","error"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_service_request_texts($1, $2)","settle":"settle_service_request_vector"}'::jsonb
    when 'service_requests.notify_engineering' then '{"table":"service_request_notices","key":"id",
      "where":"t.recipient = ''engineering''","writes":["status","error","message_reference"],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_service_request_notices($1, $2)"}'::jsonb
    when 'service_requests.notify_requester' then '{"table":"service_request_notices","key":"id",
      "where":"t.recipient = ''requester''","writes":["status","error","message_reference"],"due":"due_at","turn":"turn",
      "claim":"claim_id","until":"claimed_until","free":"(t.claimed_until is null or t.claimed_until <= now())",
      "item":"null::uuid","attempts":"attempts","read":"select * from read_service_request_notices($1, $2)"}'::jsonb
    when 'transcripts.send' then '{"table":"transcripts","key":"id","where":"t.status in (''queued'', ''transcribing'')",
      "writes":["status","error","provider_request_id"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select t.id, to_jsonb(t) from transcripts t where t.workspace_id = $1 and t.id = any ($2)"}'::jsonb
    when 'whatsapp.react' then '{"table":"whatsapp_reactions","key":"id","where":"true","writes":["status","error"],
      "due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_whatsapp_reactions($1, $2)","settle":"settle_whatsapp_reaction"}'::jsonb
    when 'whatsapp.read' then '{"table":"whatsapp_reads","key":"id","where":"true",
      "writes":["unread","until_at","until_id","error"],"due":"due_at","turn":"turn","claim":"claim_id","until":"claimed_until",
      "free":"(t.claimed_until is null or t.claimed_until <= now())","item":"null::uuid","attempts":"attempts",
      "read":"select * from read_whatsapp_reads($1, $2)"}'::jsonb
    when 'approval.run' then '{"table":"approvals","due":"decided_at",
      "where":"t.status = ''approved'' and t.decided_at < now() - interval ''1 minute''","free":"true","item":"t.id"}'::jsonb
    when 'automations.run' then '{"table":"automation_runs","due":"due_at",
      "where":"t.due_at <= now() and (t.claimed_until is null or t.claimed_until <= now())","free":"true",
      "item":"null::uuid"}'::jsonb
    when 'auto-queues.enrol' then '{"table":"auto_queue_list_enrolments","due":"created_at",
      "where":"t.state = ''running'' and exists (select from auto_queues q\n        where q.workspace_id = t.workspace_id and '
      'q.id = t.auto_queue_id and q.state = ''active'')",
      "free":"true","item":"null::uuid"}'::jsonb
    when 'campaign.send' then '{"table":"campaign_sends","due":"due_at","where":"t.due_at <= now()","free":"true",
      "item":"t.campaign_id"}'::jsonb
    when 'custom-index.build' then '{"table":"custom_indexes","due":"updated_at",
      "where":"t.status in (''building'', ''clearing'') and t.updated_at < now() - interval ''20 seconds''","free":"true",
      "item":"t.field_id"}'::jsonb
    when 'email.receive' then '{"table":"inbound_emails","due":"created_at",
      "where":"t.state = ''received'' and t.created_at < now() - interval ''30 seconds''","free":"true","item":"t.id"}'::jsonb
    when 'email.scheduled' then '{"table":"email_drafts","due":"send_at",
      "where":"t.status = ''scheduled'' and t.send_at <= now()","free":"true","item":"t.id"}'::jsonb
    when 'events.deliver' then '{"table":"feed_wakes","due":"at","where":"t.since < pg_snapshot_xmin(pg_current_snapshot())",
      "free":"true","item":"null::uuid"}'::jsonb
    when 'webhooks.replay' then '{"table":"webhook_states","due":"replayed_at","where":"t.replay_id is not null","free":"true",
      "item":"null::uuid"}'::jsonb
    when 'import.run' then '{"table":"imports","due":"created_at",
      "where":"t.state in (''checking'', ''running'', ''undoing'') and exists (select from import_files f\n        where '
      'f.workspace_id = t.workspace_id and f.import_id = t.id and f.touched_at < now() - interval ''1 minute'')",
      "free":"true","item":"t.id"}'::jsonb
    when 'incoming.run' then '{"table":"incoming_requests","due":"created_at",
      "where":"t.state = ''received'' and t.created_at < now() - interval ''30 seconds''","free":"true","item":"t.id"}'::jsonb
    when 'lists.track' then '{"table":"tracked_lists","due":"walk_at","where":"t.walk_at <= now()","free":"true",
      "item":"null::uuid"}'::jsonb
    when 'messages.send' then '{"table":"messages","due":"due_at","where":"t.due_at <= now()","free":"true",
      "item":"null::uuid"}'::jsonb
    when 'outgoing.send' then '{"table":"outgoing_requests","due":"due_at","where":"t.due_at <= now()","free":"true",
      "item":"null::uuid"}'::jsonb
    when 'schedule.run' then '{"table":"schedule_runs","due":"touched_at",
      "where":"t.ended_at is null and t.touched_at < now() - interval ''2 minutes''","free":"true","item":"t.id"}'::jsonb
    when 'webhook.deliver' then '{"table":"webhook_states","due":"due_at","where":"t.due_at <= now()","free":"true",
      "item":"t.webhook_id"}'::jsonb
    when 'whatsapp.receive' then '{"table":"whatsapp_events","due":"created_at",
      "where":"t.state = ''received'' and t.created_at < now() - interval ''30 seconds''","free":"true","item":"t.id"}'::jsonb
    when 'whatsapp.watch' then '{"table":"whatsapp_pairings","due":"due_at","where":"t.due_at < now() - interval ''20 seconds''",
      "free":"true","item":"null::uuid"}'::jsonb end;
