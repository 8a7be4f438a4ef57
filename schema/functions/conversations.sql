/*
  The inbox over email, SMS and WhatsApp, groups included. The row of a conversation follows its row in the channel by triggers, so that
  every path does: sending, receiving, merges, undo. It is locked after that row, as the foreign key deletes it after it; whoever locks
  several conversations locks their rows in the channels first (lock_in_channels).
*/

-- What the inbox takes over from the row of a conversation in its channel; a WhatsApp group has a jid. The status is that in the channel:
-- open, or closed if it is archived or spam there.
create or replace function seen_in_inbox(p_channel text, r jsonb) returns conversations immutable language sql
  return jsonb_populate_record(null::conversations, r || jsonb_build_object('channel', p_channel, 'is_group', r ? 'jid',
    'title', case p_channel when 'email' then r ->> 'subject'
      when 'sms' then r ->> 'external_phone_number' else coalesce(r ->> 'name', r ->> 'external_phone_number', 'WhatsApp') end,
    'unread', case p_channel when 'email' then not (r ->> 'is_read')::boolean else (r ->> 'unread')::boolean end,
    'status', case coalesce(r ->> 'status', 'active') when 'active' then 'open' else 'closed' end));

/*
  Keeps the conversation of a row in a channel, which begins with its first message. A message that was received opens one that is snoozed
  or closed, unless it is spam in its channel; archiving it there closes it, and bringing it back opens it.
*/
create or replace function follow_channel() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n constant conversations := seen_in_inbox(tg_argv[0], to_jsonb(new));
  o conversations;
  next text := n.status;
begin
  if tg_op = 'UPDATE' then
    o := seen_in_inbox(tg_argv[0], to_jsonb(old));
    next := case when n.status <> o.status then n.status
      when n.status = 'open' and n.message_count > o.message_count and not merge_in_progress()
      and (n.unread and not o.unread or n.direction = 'inbound' and n.last_message_at > o.last_message_at) then 'open' end;
    update conversations c set contact_id = n.contact_id, title = n.title, direction = n.direction, snippet = n.snippet, unread = n.unread,
        message_count = n.message_count, last_message_at = n.last_message_at, status = coalesce(next, c.status)
      where c.workspace_id = n.workspace_id and c.id = n.id
      and (c.contact_id, c.title, c.direction, c.snippet, c.unread, c.message_count, c.last_message_at, c.status)
        is distinct from (n.contact_id, n.title, n.direction, n.snippet, n.unread, n.message_count,
          n.last_message_at, coalesce(next, c.status));
    if found or exists (select from conversations c where c.workspace_id = n.workspace_id and c.id = n.id) then return null; end if;
  end if;
  if n.message_count = 0 then return null; end if;
  insert into conversations (workspace_id, id, channel, is_group, contact_id, title, direction, snippet, unread, message_count,
    last_message_at, private_to, status)
    values (n.workspace_id, n.id, n.channel, n.is_group, n.contact_id, n.title, n.direction, n.snippet, n.unread, n.message_count,
      n.last_message_at, n.private_to, n.status);
  return null;
end $$;

create or replace trigger follow_insert after insert on email_threads for each row when (not merge_in_progress())
  execute function follow_channel('email');
create or replace trigger follow_insert after insert on sms_conversations for each row when (not merge_in_progress())
  execute function follow_channel('sms');
create or replace trigger follow_insert after insert on whatsapp_conversations for each row when (not merge_in_progress())
  execute function follow_channel('whatsapp');
create or replace trigger follow_insert after insert on whatsapp_groups for each row when (not merge_in_progress())
  execute function follow_channel('whatsapp');
create or replace trigger follow_update after update on email_threads for each row when (old.* is distinct from new.*)
  execute function follow_channel('email');
create or replace trigger follow_update after update on sms_conversations for each row when (old.* is distinct from new.*)
  execute function follow_channel('sms');
create or replace trigger follow_update after update on whatsapp_conversations for each row when (old.* is distinct from new.*)
  execute function follow_channel('whatsapp');
create or replace trigger follow_update after update on whatsapp_groups for each row when (old.* is distinct from new.*)
  execute function follow_channel('whatsapp');

-- Marks the row in the channel, which marks the conversation, when a request has marked the conversation.
create or replace function mark_in_channel() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  case new.channel
    when 'email' then update email_threads set is_read = not new.unread where workspace_id = new.workspace_id and id = new.id;
    when 'sms' then update sms_conversations set unread = new.unread where workspace_id = new.workspace_id and id = new.id;
    else
      update whatsapp_conversations set unread = new.unread, unread_count = case when new.unread then unread_count else 0 end
        where workspace_id = new.workspace_id and id = new.whatsapp_conversation_id;
      update whatsapp_groups set unread = new.unread, unread_count = case when new.unread then unread_count else 0 end
        where workspace_id = new.workspace_id and id = new.whatsapp_group_id;
  end case;
  return null;
end $$;
create or replace trigger mark_in_channel after update of unread on conversations for each row
  when (new.unread <> old.unread and pg_trigger_depth() = 0) execute function mark_in_channel();

-- Derives the times from the status, on every path.
create or replace function settle_inbox_status() returns trigger language plpgsql as $$
begin
  new.closed_at := case when new.status <> 'closed' then null
    when tg_op = 'UPDATE' and old.status = 'closed' then old.closed_at else now() end;
  new.snoozed_until := case when new.status = 'snoozed' then new.snoozed_until end;
  return new;
end $$;
create or replace trigger settle_status before insert or update of status, snoozed_until, closed_at on conversations for each row
  when (not merge_in_progress()) execute function settle_inbox_status();

-- Writes the events of conversations that were assigned, closed or reopened.
create or replace function announce_conversations() returns trigger language plpgsql as $$
begin
  perform emit(e.type, 'conversation', n.id,
    jsonb_build_object('channel', n.channel, 'contact_id', n.contact_id, 'assigned_to', n.assigned_to) || e.more, n.private_to)
    from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id,
      lateral (values ('conversation.assigned', n.assigned_to is not null
        and n.assigned_to is distinct from o.assigned_to, jsonb_build_object('previously_assigned_to', o.assigned_to)),
        ('conversation.closed', n.status = 'closed' and o.status <> 'closed', '{}'),
        ('conversation.reopened', n.status = 'open' and o.status <> 'open', jsonb_build_object('previous_status', o.status))) e(type,
          holds, more)
    where e.holds;
  return null;
end $$;
-- Triggers run in the order of their names: this one follows the trigger that writes the change's own event.
create or replace trigger record_update_steps after update on conversations referencing old table as old_rows new table as new_rows
  for each statement execute function announce_conversations();

/*
  Opens at most p_limit conversations whose snooze has ended, of all workspaces. Returns their number. Of two runs at the same time, each
  skips what the other has locked.
*/
create or replace function end_snoozes(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  c record;
  n int := 0;
begin
  for c in select workspace_id, id from conversations where status = 'snoozed' and snoozed_until <= now() order by snoozed_until, id
      limit p_limit for update skip locked loop
    perform set_config('app.workspace_id', c.workspace_id::text, true);
    update conversations set status = 'open' where workspace_id = c.workspace_id and id = c.id;
    n := n + 1;
  end loop;
  return n;
end $$;

-- Locks the rows of conversations in their channels, in the order in which marking them as read and storing received messages do.
create or replace function lock_in_channels(p_ids uuid[])
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  perform from email_threads
    where workspace_id = w and id = any (array(select email_thread_id from conversations where workspace_id = w and id = any (p_ids)))
    order by id for update;
  perform from sms_conversations
    where workspace_id = w and id = any (array(select sms_conversation_id from conversations where workspace_id = w and id = any (p_ids)))
    order by id for update;
  perform from whatsapp_conversations
    where workspace_id = w
    and id = any (array(select whatsapp_conversation_id from conversations where workspace_id = w and id = any (p_ids)))
    order by id for update;
  perform from whatsapp_groups
    where workspace_id = w and id = any (array(select whatsapp_group_id from conversations where workspace_id = w and id = any (p_ids)))
    order by id for update;
end $$;

revoke execute on function follow_channel, mark_in_channel, end_snoozes, lock_in_channels from public, app;
grant execute on function lock_in_channels to app;
grant execute on function end_snoozes to jobs;
