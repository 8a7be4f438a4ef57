/*
  The send ledger. Whoever sends a message reserves it here, in the transaction of what it is sent for; a unique key makes it one message.
  The queue then claims it (status sending), hands it to the provider and settles the outcome. due_at is when the background looks at a
  message next: a claim sets it to the end of its lease, so that an attempt that nobody ended becomes unclear, and is looked up at the
  provider before another one.
*/

-- Reserves messages; one whose dedupe_key exists stays as it is. p_messages: id, channel, purpose, contact_id, recipient, subject,
-- body_text, body_html, dedupe_key, expires_at, segments, credits, sender_phone; of emails also provider, sender_email, sender_name,
-- sender_user_id, reply_to, cc, bcc, thread_id, deal_id, customer_id, private_to.
create or replace function reserve_messages(p_messages jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into messages (workspace_id, id, channel, purpose, contact_id, recipient, subject, body_text, body_html, dedupe_key, expires_at,
      provider, sender_email, sender_name, sender_user_id, outside_account_id, reply_to, cc, bcc, thread_id, deal_id, customer_id, segments,
        credits, sender_phone, private_to)
    select current_workspace(), m.id, m.channel, m.purpose, m.contact_id, m.recipient, m.subject, m.body_text, m.body_html,
        m.dedupe_key, m.expires_at,
        coalesce(m.provider, case m.channel when 'email' then 'postmark' end), m.sender_email, m.sender_name, m.sender_user_id,
        case m.provider when 'gmail' then (select b.account_id from mailboxes b
          where b.workspace_id = (select current_workspace()) and b.user_id = m.sender_user_id) end, m.reply_to,
        coalesce(m.cc, '{}'), coalesce(m.bcc, '{}'), m.thread_id, m.deal_id, m.customer_id, m.segments,
        coalesce(m.credits, 0), m.sender_phone, m.private_to
      from jsonb_to_recordset(p_messages) m(id uuid, channel text, purpose text, contact_id uuid, recipient text,
        subject text, body_text text,
        body_html text, dedupe_key text, expires_at timestamptz, provider text, sender_email text, sender_name text,
          sender_user_id uuid, reply_to text,
        cc text[], bcc text[], thread_id uuid, deal_id uuid, customer_id uuid, segments int, credits int,
          sender_phone text, private_to uuid)
    on conflict (workspace_id, dedupe_key) do nothing
$$;

/*
  Claims the messages of a workspace that are due, at most p_limit, for p_lease seconds. A message that was being sent, and one whose
  outcome is unclear, comes with the status unclear: it is looked up. The others come as sending, with what decides whether their contact
  may still be reached.
*/
create or replace function claim_messages(p_workspace uuid, p_limit int, p_lease int) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  ids uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  ids := array(select id from messages where workspace_id = p_workspace and due_at <= now() order by due_at, id limit p_limit
    for update skip locked);
  if ids = '{}' then return '[]'; end if;
  update messages set due_at = now() + make_interval(secs => p_lease), status = case status when 'queued' then 'sending' else 'unclear' end,
      attempts = attempts + (status = 'queued')::int
    where workspace_id = p_workspace and id = any (ids);
  return (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'channel', m.channel, 'purpose', m.purpose, 'status', m.status,
      'recipient', m.recipient,
      'subject', m.subject, 'body_text', m.body_text, 'body_html', m.body_html, 'attempts', m.attempts, 'created_at', iso(m.created_at),
      'expires_at', iso(m.expires_at), 'sender_phone', m.sender_phone, 'known_ids', case when m.channel = 'sms' and m.status = 'unclear'
        then known_sms_ids(p_workspace, m.id, m.recipient)
          else '[]' end, 'sender_email', m.sender_email, 'sender_name', m.sender_name, 'reply_to', m.reply_to, 'cc', m.cc, 'bcc', m.bcc,
      'provider', m.provider, 'quote', case when m.channel = 'whatsapp' then quote_of_message(p_workspace, m.id) end,
      'mailbox_id', case when m.provider = 'gmail' then (select b.id from mailboxes b
        where b.workspace_id = p_workspace and b.user_id = m.sender_user_id
        and b.account_id = m.outside_account_id) end,
      'outside_thread_id', case
        when m.provider = 'gmail' then (select t.outside_thread_id from email_threads t
        where t.workspace_id = p_workspace and t.id = m.thread_id) end,
      'threading', (select jsonb_build_object('internet_id', e.internet_id, 'in_reply_to', e.in_reply_to, 'reference_ids', e.reference_ids)
        from email_messages e where e.workspace_id = p_workspace and e.message_id = m.id limit 1),
          'is_auto_reply', starts_with(m.dedupe_key, 'step:auto_reply:'),
          'attachments', case when m.channel <> 'email' then files_of_message(p_workspace, m.id) when m.thread_id is null then '[]' else
        (select coalesce(jsonb_agg(jsonb_build_object('name', a.name, 'content_type', a.content_type,
          'size', a.size, 'source_id', a.source_id) order by a.rank, a.id), '[]')
          from email_messages e join email_attachments a on a.workspace_id = p_workspace and a.email_message_id = e.id
          where e.workspace_id = p_workspace and e.message_id = m.id) end,
            'suppressed', exists (select from suppressions s where s.workspace_id = p_workspace and s.address = m.recipient
        and s.channel = m.channel), 'notice', case when m.purpose = 'booking' then message_notice(p_workspace, m.id) end,
      'link', case when m.purpose = 'booking' then message_link(p_workspace, m.id) end,
      'portal', case when m.purpose = 'portal' then message_portal(p_workspace, m.id) end,
      'review', case when m.purpose = 'review' then message_review(p_workspace, m.id) end,
      'contact', (select jsonb_build_object('archived', c.archived, 'email_unsubscribed', c.email_unsubscribed,
        'sms_unsubscribed', c.sms_unsubscribed, 'whatsapp_unsubscribed', c.whatsapp_unsubscribed) from contacts c
        where c.workspace_id = p_workspace and c.id = m.contact_id))), '[]')
    from messages m where m.workspace_id = p_workspace and m.id = any (ids));
end $$;

/*
  Stores the outcomes of attempts (id, attempts, status, error, provider_message_id, outside_thread_id, wait in seconds, suppress: why a
  phone number gets no more SMS) and writes the activity of each email and SMS that was sent to a contact or about a deal. An outcome of an
  attempt that another one has followed counts only if it is that the message was sent.
*/
create or replace function settle_messages(p_workspace uuid, p_outcomes jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  -- A custom field that is required or unknown must not keep the outcome of a message from being stored.
  perform set_flag('unchecked_values');
  perform from messages where workspace_id = p_workspace
    and id = any (array(select (o ->> 'id')::uuid from jsonb_array_elements(p_outcomes) o))
    order by id for update;
  with settled as (
    update messages m set status = o.status, error = o.error, provider_message_id = coalesce(o.provider_message_id, m.provider_message_id),
        sent_at = case o.status when 'sent' then now() end,
        due_at = case when o.status not in ('sent', 'failed') then now() + make_interval(secs => o.wait) end
      from jsonb_to_recordset(p_outcomes) o(id uuid, attempts int, status text, error text, provider_message_id text, wait int)
      where m.workspace_id = p_workspace and m.id = o.id and m.status not in ('sent', 'failed')
      and (o.status = 'sent' or o.attempts = m.attempts)
      returning m.*
  ) insert into activities (activity_type, contact_id, deal_id, customer_id, direction, subject, body, metadata, private_to)
    select s.channel, s.contact_id, s.deal_id, s.customer_id, 'outbound', s.subject, s.body_text,
        jsonb_strip_nulls(jsonb_build_object('message_id', s.id, 'thread_id', s.thread_id)), s.private_to from settled s
      where s.status = 'sent' and s.channel in ('email', 'sms') and num_nonnulls(s.contact_id, s.deal_id) > 0;
  update email_threads t set outside_thread_id = o.outside_thread_id from jsonb_to_recordset(p_outcomes) o(id uuid, outside_thread_id text)
      join messages m on m.workspace_id = p_workspace and m.id = o.id
    where o.outside_thread_id is not null and t.workspace_id = p_workspace and t.id = m.thread_id and t.private_to = m.private_to;
  perform suppress_phone(p_workspace, m.recipient, o.suppress, o.error)
    from jsonb_to_recordset(p_outcomes) o(id uuid, error text, suppress text)
    join messages m on m.workspace_id = p_workspace and m.id = o.id
    where o.suppress is not null and m.channel = 'sms';
end $$;

-- The channels through which a workspace can send.
create or replace function configured_channels(p_workspace uuid) returns text[] stable language sql as $$
  select array['email'] || array(select 'sms'
    where exists (select from phone_numbers where workspace_id = p_workspace and status = 'active'))
    || array(select 'whatsapp'
      where exists (select from whatsapp_pairings where workspace_id = p_workspace and status in ('connected', 'degraded')))
$$;

create or replace function announce_message(m messages, p_what text) returns void language sql as $$
  select emit('message.' || p_what,
    'message', m.id, jsonb_build_object('channel', m.channel, 'purpose', m.purpose, 'contact_id', m.contact_id,
    'recipient', m.recipient, 'error', m.error), m.private_to)
$$;

create or replace function announce_messages() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_message(n, 'queued') from new_rows n where n.status = 'queued';
  else
    perform announce_message(n, n.status) from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.status in ('sent', 'failed') and n.status <> o.status;
    perform announce_message(n, case n.delivery_status when 'delivered' then 'delivered' else 'undelivered' end) from new_rows n
        join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.delivery_status in ('delivered', 'undelivered', 'failed') and n.delivery_status is distinct from o.delivery_status;
  end if;
  return null;
end $$;
create or replace trigger record_insert_steps after insert on messages referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function announce_messages();
create or replace trigger record_update_steps after update on messages referencing old table as old_rows new table as new_rows
  for each statement execute function announce_messages();

-- A message that comes back with its contact is not sent late. Whether it was sent before is still looked up.
create or replace function expire_restored_message() returns trigger language plpgsql as $$
begin
  new.expires_at := least(new.expires_at, now());
  return new;
end $$;
create or replace trigger expire_restored before insert on messages for each row
  when (new.due_at is not null and merge_in_progress()) execute function expire_restored_message();

/*
  A step of a run has failed when the message that it has sent ("step:<run>:<sequence>") was not sent, or not delivered. Runs and funnels
  show it; the run itself has gone on.
*/
create or replace function fail_sending_steps() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  with sent as materialized (
    select n.workspace_id, split_part(n.dedupe_key, ':', 2)::uuid as run_id, split_part(n.dedupe_key, ':', 3)::int as sequence, n.error
      from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.dedupe_key ~ '^step:[0-9a-f-]{36}:[0-9]+$' and (n.status = 'failed' and o.status <> 'failed'
        or n.delivery_status in ('undelivered', 'failed') and n.delivery_status is distinct from o.delivery_status)
  ), failed as (
    update automation_steps t
      set state = 'failed', error = jsonb_build_object('code', 'PROVIDER_ERROR',
        'message', coalesce(s.error, 'The message was not delivered'))
      from sent s where t.workspace_id = s.workspace_id and t.run_id = s.run_id and t.sequence = s.sequence and t.state = 'done'
      returning t.workspace_id, t.automation_id, t.step_id
  )
  insert into automation_counts (workspace_id, automation_id, step_id, state, total)
    select f.workspace_id, f.automation_id, f.step_id, c.state, sum(c.change)
      from failed f, (values ('done', -1), ('failed', 1)) c(state, change)
      group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (workspace_id, automation_id, step_id, state) do update set total = greatest(automation_counts.total + excluded.total, 0);
  return null;
end $$;
create or replace trigger fail_sending_steps after update on messages referencing old table as old_rows new table as new_rows
  for each statement execute function fail_sending_steps();
revoke execute on function fail_sending_steps from public;

-- A contact who opts in again lifts the own opt-out from the suppression list, and nothing else: an address that bounced, a complaint, and
-- what a member has put there stay.
create or replace function lift_suppressions() returns trigger language plpgsql as $$
begin
  delete from suppressions s where s.workspace_id = new.workspace_id and s.reason = 'unsubscribed'
    and (s.address, s.channel) in (select a.address, a.channel
        from (values (new.email, 'email', old.email_unsubscribed, new.email_unsubscribed),
        (new.phone, 'sms', old.sms_unsubscribed, new.sms_unsubscribed),
          (new.phone, 'whatsapp', old.whatsapp_unsubscribed, new.whatsapp_unsubscribed))
        a(address, channel, was, is_now) where a.was and not a.is_now);
  return null;
end $$;
create or replace trigger lift_suppressions after update of email_unsubscribed, sms_unsubscribed, whatsapp_unsubscribed on contacts
  for each row
  when (old.email_unsubscribed and not new.email_unsubscribed or old.sms_unsubscribed and not new.sms_unsubscribed
    or old.whatsapp_unsubscribed and not new.whatsapp_unsubscribed) execute function lift_suppressions();

revoke execute on function reserve_messages, claim_messages, settle_messages, fail_sending_steps from public, app;
grant execute on function reserve_messages to app;
grant execute on function reserve_messages, claim_messages, settle_messages to jobs;
