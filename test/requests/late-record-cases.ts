import type { Case } from './late-calls.ts'

const lead = 'lead_facts(array[t.id])'
const reply = (more = '{}') =>
  `jsonb_build_object('id', t.id, 'messages', (select message_count from conversations where workspace_id = $ws and id = t.conversation_id),
    'claim_id', $other, 'outcome', 'skipped',
    'incoming_id', t.incoming_id, 'credits', 0) || '${more}'`
/** The owner's key, as a request has it. */
const AS_OWNER = `select set_config('app.authority', to_jsonb(key_authority('key', k))::text, true),
  set_config('app.user_id', k.user_id::text, true)
  from api_keys k where k.workspace_id = $ws order by k.id limit 1`
const MERGE = `jsonb_build_object('table', 'contacts', 'entity', 'contact', 'winner_id', t.id, 'loser_ids',
  (select jsonb_build_array(c.id) from contacts c where c.workspace_id = $ws and c.id > t.id order by c.id limit 1))`

/** A deletion that runs. */
const job = (record: string) =>
  `insert into deletions (workspace_id, table_name, entity, record_id, due_at) values ($ws, 'contacts', 'contact', ${record}, now())`

/** What workers and second round trips store about records, messages and campaigns. */
export const RECORDS: Record<string, Case> = {
  fail_email_draft: {
    table: 'email_drafts',
    set: "status = 'scheduled', send_at = now() - interval '1 hour'",
    args: { p_draft: 't.id', p_code: "'INTERNAL'", p_message: "'late'" },
    changes: 'email_drafts',
    late: { 'a draft that was sent': "set status = 'sent'", 'a time that was put off': "set send_at = now() + interval '1 hour'" },
  },
  send_email_draft: {
    table: 'email_drafts',
    set: "status = 'scheduled', send_at = now() - interval '1 hour'",
    args: {
      p_draft: 't.id',
      p_version: 't.version',
      p_email: `jsonb_build_object('thread', jsonb_build_object('id', $other, 'is_new', true, 'subject', 'Late'),
        'attachments', '[]'::jsonb, 'participants', '[]'::jsonb, 'snippet', 'Late',
        'message', jsonb_build_object('id', $other, 'channel', 'email', 'purpose', 'email', 'recipient', 'late@example.com',
          'subject', 'Late', 'body_text', 'Late', 'dedupe_key', 'late'),
        'email', jsonb_build_object('id', $other, 'direction', 'outbound', 'from_email', 'late@example.com', 'internet_id', 'late',
          'subject', 'Late', 'body_text', 'Late'))`,
      p_max_links: '10',
      p_max_participants: '10',
    },
    changes: 'email_drafts',
    accepted: '%',
    late: {
      'another version': { p_version: 't.version - 1' },
      'a draft that was sent': "set status = 'sent'",
      'a time that was put off': "set send_at = now() + interval '1 hour'",
    },
  },
  fail_inbound_email: {
    table: 'inbound_emails',
    row: { provider_message_id: "'late'" },
    args: { p_id: 't.id', p_error: "'late'" },
    changes: 'inbound_emails',
    late: { 'an email that was received': "set state = 'done'" },
  },
  delete_file: {
    table: 'files',
    where: 'id not in (select file_id from documents where file_id is not null)',
    args: { p_id: 't.id', p_version: 't.version' },
    changes: 'files',
    late: { 'another version': { p_version: 't.version - 1' }, 'a file that was deleted': { p_id: '$other' } },
  },
  revert_whiteboard: {
    table: 'whiteboard_scenes',
    where: 'replaced_at is not null',
    args: { p_id: 't.whiteboard_id', p_version: 't.id' },
    changes: 'whiteboards',
    touches: ['whiteboard_scenes'],
    late: {
      'the present content': 'set replaced_at = null',
      'a version of another board': { p_id: '(select id from whiteboards where workspace_id = $ws and id <> t.whiteboard_id limit 1)' },
      'a version that is no longer kept': { p_version: '$other' },
    },
  },
  finish_knowledge_entry: {
    table: 'knowledge_entries',
    args: { p_id: 't.id', p_turn: 't.turn', p: `'{"error": "late"}'` },
    changes: 'knowledge_entries',
    late: { 'an earlier turn': { p_turn: 't.turn - 1' }, 'an entry that a worker has': 'set claim_id = $other' },
  },
  lock_campaign_send: {
    table: 'campaign_sends',
    key: 'campaign_id',
    set: 'is_resolved = false, last_id = null',
    before: ["update email_campaigns set status = 'sending' where workspace_id = $ws and id = $row"],
    args: { p_campaign: 't.campaign_id', p_last: 'null' },
    accepted: '%::text is not null',
    late: {
      'a later part': { p_last: '$other' },
      'an earlier part': 'set last_id = $other',
      'an audience that is resolved': 'set is_resolved = true',
      'a campaign that is paused': "update email_campaigns set status = 'paused' where workspace_id = $ws and id = $row",
    },
  },
  fail_campaign: {
    table: 'email_campaigns',
    set: "status = 'sending'",
    args: { p_campaign: 't.id', p_code: "'INTERNAL'", p_message: "'late'" },
    changes: 'email_campaigns',
    late: { 'a campaign that is paused': "set status = 'paused'", 'a campaign that was sent': "set status = 'sent'" },
  },
  decide_ab_test: {
    table: 'campaign_sends',
    key: 'campaign_id',
    set: 'winner = null',
    args: { p_campaign: 't.campaign_id', p_winner: "'a'" },
    changes: 'campaign_sends',
    late: { 'a test that is decided': "set winner = 'b'" },
  },
  settle_campaign_batch: {
    table: 'campaign_recipients',
    set: "status = 'queued', batch_id = $other",
    args: {
      p_campaign: 't.campaign_id',
      p_batch: '$other',
      p_outcomes: `jsonb_build_array(jsonb_build_object('id', t.id, 'status', 'failed', 'error', 'late'))`,
      p_refused: 'null',
      p_wait: '60',
      p_most: '9',
    },
    changes: 'campaign_recipients',
    also: ['campaign_sends', 'email_campaigns', 'campaign_windows'],
    afterwards: 'select batch_id is null and error is not null from campaign_recipients where workspace_id = $ws and id = $row',
    late: { 'another batch': { p_batch: '$row' }, 'a recipient to whom it was sent': "set status = 'sent'" },
  },
  save_whatsapp_pairing: {
    table: 'whatsapp_pairings',
    isAboutAll: true,
    args: { p_id: 't.id', p_was: "'connected'", p: `to_jsonb(t) || '{"error": "late"}'` },
    set: "status = 'connected'",
    accepted: '%',
    changes: 'whatsapp_pairings',
    late: { 'a pairing that has ended': "set status = 'disconnected'", 'another state that was read': { p_was: "'connecting'" } },
  },
  order_stands: {
    table: 'form_orders',
    set: `paid_at = null, buyer = '{"email": "nobody@late.example"}'`,
    args: { p_order: 't.id', p_event: "'late'", p_paid: 'false', p_known: 'false', p_contact: 'null', p_payer: 'null' },
    accepted: '%',
    late: {
      'an order that was deleted': { p_order: '$other' },
      'an order that is paid': 'set paid_at = now()',
      'a contact that was deleted': { p_contact: '$other' },
      'another report of the event': { p_known: 'true' },
    },
  },
  is_call_unchanged: {
    table: 'contacts',
    args: { p_key: "'late'", p_call: "'late'", p_known: "call_memory('late', 'late')" },
    accepted: '%',
    late: { 'another choice of the caller': { p_known: `'{"late": true}'` } },
  },
  lead_facts_hold: {
    table: 'lead_results',
    args: { p_ids: 'array[t.id]', p_facts: lead },
    accepted: '%',
    late: { 'another result': { p_facts: `jsonb_set(${lead}, '{0,city}', '"Late"')` }, 'a result that was deleted': { p_ids: "'{}'" } },
  },
  settle_publication: {
    table: 'agent_versions',
    set: "status = 'publishing'",
    args: { p_id: 't.id', p: `'{"provider_version": 1, "provider_agent_id": "late"}'` },
    changes: 'voice_agent_configs',
    also: ['agent_versions'],
    late: { 'a version that is published': "set status = 'published'", 'a version that has failed': "set status = 'failed'" },
  },
  /** As background work ends an attempt, while another one was requested. */
  conclude_publication: {
    table: 'agent_versions',
    set: "status = 'publishing'",
    args: { p_id: 't.id', p_is_same: 'true', p: `'{"error": "late"}'` },
    afterwards: "select status = 'failed' and error = 'late' from agent_versions where workspace_id = $ws and id = $row",
    also: ['agent_versions', 'voice_agent_configs', 'changes_open', 'outbox_open'],
    late: { 'an attempt that another one follows': { p_is_same: 'false' }, 'a version that is published': "set status = 'published'" },
  },
  end_skill_run: {
    table: 'skill_runs',
    row: { skill_id: '$other', key_id: '$other', credits_reserved: '10' },
    before: ['update credit_accounts set reserved = reserved + 10 where workspace_id = $ws'],
    args: {
      p_id: 't.id',
      p: `'{"status": "done", "steps": 1, "input_tokens": 1, "output_tokens": 1, "is_estimate": false, "credits": 1, "tool_calls": []}'`,
    },
    changes: 'skill_runs',
    late: { 'a run that has ended': "set status = 'failed'" },
  },
  end_auto_reply: {
    table: 'auto_replies',
    set: 'outcome = null, ended_at = null, claim_id = $other, claimed_until = now()',
    before: ['update auto_responders set enabled = true where workspace_id = $ws'],
    args: { p: reply(), p_finished: "'{}'" },
    changes: 'auto_replies',
    late: {
      'another message': { p: reply('{"messages": 9000}') },
      'another claim': 'set claim_id = $row',
      'a reply that has ended': "set outcome = 'sent', ended_at = now()",
      'a responder that is disabled': 'update auto_responders set enabled = false where workspace_id = $ws',
    },
  },
  save_zone_batch: {
    table: 'zone_work',
    key: 'workspace_id',
    isAboutAll: true,
    row: { walk_from: '$other', due_at: 'now()' },
    args: { p_batch: "jsonb_build_object('from', $other, 'to', $ws)", p_zones: "'[]'", p_limit: '0' },
    afterwards: 'select walk_from = $ws from zone_work where workspace_id = $ws',
    also: ['zone_work'],
    late: {
      'an earlier batch': { p_batch: "jsonb_build_object('from', '00000000-0000-0000-0000-000000000000', 'to', $ws)" },
      'a walk that has ended': 'set walk_from = null',
    },
  },
  due_suppression_lifts: {
    table: 'suppression_lifts',
    isAboutAll: true,
    key: 'address',
    set: "attempts = 2, due_at = now() - interval '1 day'",
    args: { p_limit: '1000', p_wait: '60', p_attempts: '3' },
    afterwards: 'select attempts = 3 from suppression_lifts where workspace_id = $ws and address = $row',
    also: ['suppression_lifts'],
    touches: ['suppression_lifts'],
    late: {
      'the last attempt': 'set attempts = 3',
      'an address that is suppressed again': `insert into suppressions (workspace_id, id, channel, address, reason)
        values ($ws, $other, 'email', $row, 'bounce')`,
      'a lift that is not due': "set due_at = now() + interval '1 minute'",
    },
  },
  save_birthdays: {
    table: 'contacts',
    args: {
      p_rows: `jsonb_build_array(jsonb_build_object('contact_id', t.id, 'year', 2031, 'day', '2031-01-01', 'channel',
        'email', 'result', 'no_consent'))`,
    },
    changes: 'birthday_deliveries',
    late: {
      'a message that is queued': `insert into birthday_deliveries (workspace_id, id, contact_id, year, channel, day, result)
        values ($ws, $other, $row, 2031, 'email', '2031-01-01', 'queued')`,
      'the same result': `insert into birthday_deliveries (workspace_id, id, contact_id, year, channel, day, result)
        values ($ws, $other, $row, 2031, 'email', '2031-01-01', 'no_consent')`,
    },
  },
  confirm_merge_facts: {
    table: 'contacts',
    args: { p: MERGE, p_digest: `merge_facts(${MERGE}) ->> 'digest'` },
    touches: ['contacts'],
    accepted: '%',
    late: { 'other facts': { p_digest: "'late'" }, 'no facts': { p_digest: 'null' } },
  },
  assert_record: {
    table: 'contacts',
    args: { p_present: 't.version', p_expected: 't.version', p_what: "'contact'", p_id: 't.id' },
    accepted: '%::text is not null',
    late: { 'another version': { p_expected: 't.version + 1' }, 'a record that was deleted': { p_present: 'null' } },
  },
  purge_record: {
    table: 'contacts',
    before: [AS_OWNER],
    args: { p_entity: "'contact'", p_id: 't.id', p_version: 't.version' },
    changes: 'contacts',
    touches: ['record_count_deltas'],
    late: { 'another version': { p_version: 't.version + 1' } },
  },
  'purge_record of a record that is being deleted': {
    table: 'contacts',
    before: [AS_OWNER, job('$row'), job('$other'), "select set_config('app.deleting', array[$row]::text, true)"],
    args: { p_entity: "'contact'", p_id: 't.id', p_version: 't.version + 1' },
    changes: 'deletions',
    afterwards: `select array_agg(type order by record_id = $row) = '{deletion,purge}' from deletions
      where workspace_id = $ws and record_id in ($row, $other)`,
    late: {
      'a record that is not deleted': "select set_config('app.deleting', '{}', true)",
      'a record that is being restored': "update deletions set type = 'restore' where workspace_id = $ws",
    },
  },
  'purge_record beside the deletion of another record': {
    table: 'contacts',
    before: [AS_OWNER, job('$other'), "select set_config('app.deleting', array[$other]::text, true)"],
    args: { p_entity: "'contact'", p_id: 't.id', p_version: 't.version' },
    changes: 'contacts',
    afterwards: `select type = 'deletion' and not exists (select from contacts where id = $row) from deletions
      where workspace_id = $ws and record_id = $other`,
    touches: ['record_count_deltas'],
    late: { 'another version': { p_version: 't.version + 1' } },
  },
  ensure_tool_key: {
    table: 'agent_versions',
    set: "status = 'publishing'",
    before: [AS_OWNER, `update voice_agent_configs set tool_scopes = '{contacts:read}' where workspace_id = $ws`],
    args: { p_version: 't.id', p: `jsonb_build_object('id', $other, 'sealed', 'late', 'public_id', 'late', 'hash', 'aa')` },
    changes: 'api_keys',
    late: {
      'a version that is published': "set status = 'published'",
      'an agent without tools': "update voice_agent_configs set tool_scopes = '{}' where workspace_id = $ws",
    },
  },
}
