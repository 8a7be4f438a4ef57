/*
  Conversations by SMS. An outbound message is a row of the send ledger (messages.sql), which triggers add to the conversation of its two
  numbers; so the messages of automations and birthdays are there too.
*/

-- The number that a message is sent from, unless it names one: the latest one that its recipient has heard from, or else the first of the
-- workspace.
create or replace function choose_sms_sender() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.sender_phone := coalesce(
    -- A look for each conversation: a join would read the numbers of all workspaces in their order.
    (select c.phone_number from sms_conversations c
      where c.workspace_id = new.workspace_id and c.external_phone_number = new.recipient and (select true from phone_numbers n
        where n.phone_number = c.phone_number and n.workspace_id = c.workspace_id and n.status = 'active' limit 1)
      order by c.last_message_at desc limit 1),
    (select n.phone_number from phone_numbers n where n.workspace_id = new.workspace_id and n.status = 'active'
      order by n.created_at, n.id limit 1));
  if new.sender_phone is null then
    perform fail('CHANNEL_NOT_CONFIGURED', 'This workspace has no phone number to send from', jsonb_build_object('channel', 'sms'));
  end if;
  return new;
end $$;
create or replace trigger choose_sender before insert on messages for each row
  when (new.channel = 'sms' and new.sender_phone is null and not merge_in_progress()) execute function choose_sms_sender();

/*
  Adds a message to the conversation of two numbers, which begins with the first one. A conversation without a contact gets that of the
  message. One that is older than the latest message changes neither the snippet nor the direction. Returns the conversation.
*/
create or replace function add_to_conversation(p_workspace uuid, p_number text, p_external text, p_contact uuid,
  p_direction text, p_body text, p_at timestamptz)
  returns uuid security definer set search_path = public, pg_temp language sql as $$
  insert into sms_conversations as c (workspace_id, phone_number, external_phone_number, contact_id, unread,
    direction, snippet, last_message_at)
    values (p_workspace, p_number, p_external, p_contact, p_direction = 'inbound', p_direction,
      left(regexp_replace(p_body, '\s+', ' ', 'g'), 160), p_at)
    on conflict (workspace_id, external_phone_number, phone_number) do update set contact_id = coalesce(c.contact_id, excluded.contact_id),
      unread = c.unread or excluded.unread, message_count = c.message_count + 1,
      direction = case when excluded.last_message_at >= c.last_message_at then excluded.direction else c.direction end,
      snippet = case when excluded.last_message_at >= c.last_message_at then excluded.snippet else c.snippet end,
      last_message_at = greatest(c.last_message_at, excluded.last_message_at)
    returning c.id
$$;

create or replace function add_sent_sms() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into sms_messages (workspace_id, id, conversation_id, direction, message_id)
    values (new.workspace_id, new.id,
      add_to_conversation(new.workspace_id, new.sender_phone, new.recipient, new.contact_id, 'outbound', new.body_text, now()),
      'outbound', new.id);
  return null;
end $$;
create or replace trigger add_sent_sms after insert on messages for each row
  when (new.channel = 'sms' and not merge_in_progress()) execute function add_sent_sms();

-- What an error of the provider says about a number: it has opted out, or gets no messages. See smsSuppressionOf in
-- src/features/sms/rules/sms.ts.
create or replace function suppress_phone(p_workspace uuid, p_phone text, p_reason text, p_note text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into suppressions as s (workspace_id, channel, address, reason, note)
    values (p_workspace, 'sms', p_phone, p_reason, left(p_note, 2000))
    on conflict (workspace_id, channel, address) do update set reason = excluded.reason, note = excluded.note
      where s.reason in ('unsubscribed', 'manual') and excluded.reason = 'hard_bounce';
  if p_reason = 'unsubscribed' then
    update contacts set sms_unsubscribed = true where workspace_id = p_workspace and not sms_unsubscribed
      and id = any (array(select c.id from contacts c where c.workspace_id = p_workspace and c.phone = p_phone order by c.id limit 100));
  end if;
end $$;

-- Marks the latest unread conversations as read, or those of p_ids; at most p_limit. Returns how many, and whether others are left.
create or replace function mark_conversations_read(p_ids uuid[], p_limit int)
  returns jsonb security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  w constant uuid := current_workspace();
  found_ids constant uuid[] := case when p_ids is null
    then array(select c.id from sms_conversations c where c.workspace_id = w and c.unread = true
      order by c.last_message_at desc, c.id desc limit p_limit + 1)
    else array(select c.id from sms_conversations c where c.workspace_id = w and c.id = any (p_ids) and c.unread = true order by c.id) end;
  updated int;
begin
  perform from sms_conversations c where c.workspace_id = w and c.id = any (found_ids[1:p_limit]) order by c.id for update;
  update sms_conversations set unread = false where workspace_id = w and id = any (found_ids[1:p_limit]) and unread;
  get diagnostics updated = row_count;
  return jsonb_build_object('updated', updated, 'has_more', cardinality(found_ids) > p_limit);
end $$;

revoke execute on function choose_sms_sender, add_to_conversation, add_sent_sms, suppress_phone from public, app;
revoke execute on function mark_conversations_read from public;
grant execute on function mark_conversations_read to app;
