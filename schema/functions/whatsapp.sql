/*
  Conversations and groups of WhatsApp. A message that is sent is a row of the send ledger (messages.sql), whose triggers here put it into
  its conversation and note its outcome, so that every path to the ledger does. What the provider reports is in whatsapp-jobs.sql.
*/
create or replace function whatsapp_rank(p_status text) returns int immutable parallel safe language sql
  return array_position(array['queued', 'sent', 'failed', 'delivered', 'read'], p_status);

-- The conversation with a person, who is found by number or by hidden id; a new one begins at p_at. What was unknown of an older one is
-- added.
create or replace function whatsapp_conversation_with(p_workspace uuid, p_phone text, p_lid text, p_name text,
  p_contact uuid, p_at timestamptz)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  conversation whatsapp_conversations;
begin
  perform pg_advisory_xact_lock(hashtext('whatsapp_conversations'), hashtext(p_workspace || coalesce(p_phone, p_lid)));
  select * into conversation from whatsapp_conversations where workspace_id = p_workspace and external_phone_number = p_phone;
  if conversation.id is null then
    select * into conversation from whatsapp_conversations where workspace_id = p_workspace and lid = p_lid;
  end if;
  if conversation.id is null then
    insert into whatsapp_conversations (workspace_id, external_phone_number, lid, name, contact_id, last_message_at)
      values (p_workspace, p_phone, p_lid, p_name, coalesce(p_contact, contact_of_phone(p_phone)), p_at) returning * into conversation;
    return conversation.id;
  end if;
  update whatsapp_conversations c set name = coalesce(c.name, p_name), external_phone_number = coalesce(c.external_phone_number, p_phone),
      lid = case when c.lid is null
        and not exists (select from whatsapp_conversations o where o.workspace_id = p_workspace and o.lid = p_lid) then p_lid
          else c.lid end,
      contact_id = coalesce(c.contact_id, p_contact, contact_of_phone(p_phone))
    where c.workspace_id = p_workspace and c.id = conversation.id
    and (c.name is null and p_name is not null or c.external_phone_number is null and p_phone is not null
      or c.lid is null and p_lid is not null or c.contact_id is null);
  return conversation.id;
end $$;

-- The beginning of a message, for lists.
create or replace function whatsapp_beginning(p_text text, p_type text) returns text immutable parallel safe language sql
  return coalesce(nullif(left(btrim(regexp_replace(left(p_text, 1000), '\s+', ' ', 'g')), 200), ''), '[' || p_type || ']');

-- What is known of the delivery of a message by its key. Receipts with this key wait until the transaction has ended, and then find its
-- message.
create or replace function whatsapp_receipt_of(p_workspace uuid, p_key text)
  returns text security definer set search_path = public, pg_temp language sql as $$
  insert into whatsapp_receipts as r (workspace_id, key_id, status) values (p_workspace, p_key, 'sent')
    on conflict (workspace_id, key_id) do update set status = r.status returning r.status
$$;

-- Adds a message to its conversation or group. One that brings news makes an archived conversation active. Returns whether it was new.
create or replace function add_whatsapp_message(m whatsapp_messages)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  beginning constant text := whatsapp_beginning(m.body_text, m.type);
  is_inbound constant boolean := m.direction = 'inbound';
  receipt constant text := case when not is_inbound and m.key_id is not null then whatsapp_receipt_of(m.workspace_id, m.key_id) end;
begin
  if whatsapp_rank(receipt) > whatsapp_rank(m.status) then m.status := receipt; end if;
  insert into whatsapp_messages values (m.*) on conflict do nothing;
  if not found then return false; end if;
  update whatsapp_conversations c
      set message_count = c.message_count + 1, unread = c.unread or is_inbound, unread_count = c.unread_count + is_inbound::int,
      status = 'active', last_message_at = greatest(c.last_message_at, m.occurred_at),
      snippet = case when m.occurred_at >= c.last_message_at then beginning else c.snippet end,
      direction = case when m.occurred_at >= c.last_message_at then m.direction else c.direction end
    where c.workspace_id = m.workspace_id and c.id = m.conversation_id;
  update whatsapp_groups g set message_count = g.message_count + 1, unread = g.unread
      or is_inbound, unread_count = g.unread_count + is_inbound::int,
      last_message_at = case g.message_count when 0 then m.occurred_at else greatest(g.last_message_at, m.occurred_at) end,
      snippet = case when m.occurred_at >= g.last_message_at or g.message_count = 0 then beginning else g.snippet end,
      direction = case when m.occurred_at >= g.last_message_at or g.message_count = 0 then m.direction else g.direction end
    where g.workspace_id = m.workspace_id and g.id = m.group_id;
  return true;
end $$;

-- Follows messages of groups that are deleted with the contact who has written them, or restored: a group shows nothing of those that are
-- gone.
create or replace function recount_whatsapp_groups()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if not exists (select from moved where group_id is not null) then return null; end if;
  update whatsapp_groups g set message_count = g.message_count + case tg_op when 'INSERT' then r.number else - r.number end,
      direction = coalesce(l.direction, g.direction),
      snippet = case when l.id is null then '' else whatsapp_beginning(l.body_text, l.type) end,
        last_message_at = coalesce(l.occurred_at, g.last_message_at)
    from (select workspace_id, group_id, count(*) as number from moved where group_id is not null group by 1, 2) r
      left join lateral (select * from whatsapp_messages m where m.workspace_id = r.workspace_id and m.group_id = r.group_id
        order by m.occurred_at desc, m.id desc limit 1) l on true
    where g.workspace_id = r.workspace_id and g.id = r.group_id;
  return null;
end $$;
create or replace trigger recount_deleted after delete on whatsapp_messages referencing old table as moved for each statement
  execute function recount_whatsapp_groups();
create or replace trigger recount_restored after insert on whatsapp_messages referencing new table as moved for each statement
  when (merge_in_progress()) execute function recount_whatsapp_groups();

/*
  Keeps the keys of messages that were deleted, as with their contact: a receipt `queued`, which no message has. The provider still has
  these messages and reports them again, and a look at the connection would take them for missed ones.
*/
create or replace function keep_deleted_whatsapp_keys()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if not exists (select from gone) then return null; end if;
  insert into whatsapp_receipts (workspace_id, key_id, status)
    select distinct g.workspace_id, g.key_id, 'queued' from gone g
      where g.key_id is not null and g.occurred_at > now() - interval '7 days'
      and exists (select from workspaces w where w.id = g.workspace_id) order by 1, 2
    on conflict (workspace_id, key_id) do update set status = 'queued';
  return null;
end $$;
create or replace trigger keep_deleted_keys after delete on whatsapp_messages referencing old table as gone for each statement
  execute function keep_deleted_whatsapp_keys();

-- Puts a message of the send ledger into its conversation, or into the group that it goes to.
create or replace function place_whatsapp_message()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m whatsapp_messages;
  is_phone constant boolean := starts_with(new.recipient, '+');
begin
  m.workspace_id := new.workspace_id; m.id := uuidv7(); m.direction := 'outbound'; m.message_id := new.id; m.type := 'text';
  m.body_text := new.body_text;
  m.status := 'queued'; m.is_deleted := false; m.occurred_at := now(); m.created_at := now();
  if right(new.recipient, 5) = '@g.us' then
    m.group_id := (select id from whatsapp_groups where workspace_id = new.workspace_id and jid = new.recipient);
  else
    m.conversation_id := whatsapp_conversation_with(new.workspace_id, case when is_phone then new.recipient end,
      case when not is_phone then new.recipient end, null, new.contact_id, now());
  end if;
  perform add_whatsapp_message(m);
  return null;
end $$;
create or replace trigger place_whatsapp after insert on messages for each row
  when (new.channel = 'whatsapp' and not merge_in_progress()) execute function place_whatsapp_message();

-- Makes the message of the send ledger with a key a reply to another one of its chat.
create or replace function quote_whatsapp_message(p_key text, p_quoted uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update whatsapp_messages w set quoted_key_id = q.key_id from messages l, whatsapp_messages q
    where l.workspace_id = (select current_workspace()) and l.dedupe_key = p_key and w.workspace_id = l.workspace_id and w.message_id = l.id
      and q.workspace_id = l.workspace_id and q.id = p_quoted and q.conversation_id is not distinct from w.conversation_id
      and q.group_id is not distinct from w.group_id
$$;

-- What a message of the send ledger replies to, in the form of ClaimedMessage (src/features/messages/plans/outcomes.ts). Null for none, and
-- for one that was deleted since.
create or replace function quote_of_message(p_workspace uuid, p_message uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('key_id', q.key_id, 'from_me', q.direction = 'outbound', 'sender_jid', q.sender_jid,
    'sender_phone', q.sender_phone, 'text', q.body_text)
    from whatsapp_messages w join whatsapp_messages q on q.workspace_id = p_workspace and q.key_id = w.quoted_key_id
      and q.conversation_id is not distinct from w.conversation_id and q.group_id is not distinct from w.group_id
    where w.workspace_id = p_workspace and w.message_id = p_message and not q.is_deleted limit 1
$$;

-- A message that was sent has the receipt that came before its outcome.
create or replace function take_whatsapp_receipt()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  receipt constant text := whatsapp_receipt_of(new.workspace_id, new.provider_message_id);
begin
  if whatsapp_rank(receipt) > whatsapp_rank('sent') then new.delivery_status := receipt; end if;
  return new;
end $$;
create or replace trigger take_receipt before update of status on messages for each row
  when (new.channel = 'whatsapp' and new.status = 'sent' and new.status <> old.status and new.provider_message_id is not null)
    execute function take_whatsapp_receipt();

/*
  Notes the outcome of a message of the ledger. The provider may have reported it before, as one that somebody has sent on the phone: that
  row goes. A receipt that came before is applied.
*/
create or replace function settle_whatsapp_message()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  own whatsapp_messages;
  copies int;
  receipt constant text := (select r.status from whatsapp_receipts r
    where r.workspace_id = new.workspace_id and r.key_id = new.provider_message_id);
begin
  select * into own from whatsapp_messages where workspace_id = new.workspace_id and message_id = new.id;
  if own.id is null then return null; end if;
  if new.status = 'sent' and new.provider_message_id is not null and own.key_id is null then
    delete from whatsapp_messages where workspace_id = new.workspace_id and key_id = new.provider_message_id and message_id is null
      and conversation_id is not distinct from own.conversation_id and group_id is not distinct from own.group_id;
    get diagnostics copies = row_count;
    update whatsapp_conversations set message_count = message_count - copies
      where workspace_id = new.workspace_id and id = own.conversation_id and copies > 0;
    own.key_id := case when not exists (select from whatsapp_messages
      where workspace_id = new.workspace_id and key_id = new.provider_message_id)
      then new.provider_message_id end;
  end if;
  update whatsapp_messages set key_id = own.key_id, status = case when new.status = 'sent' and own.key_id = new.provider_message_id
      and whatsapp_rank(receipt) > whatsapp_rank('sent') then receipt else new.status end
    where workspace_id = new.workspace_id and id = own.id and whatsapp_messages.status = 'queued';
  return null;
end $$;
create or replace trigger settle_whatsapp after update of status on messages for each row
  when (new.channel = 'whatsapp' and new.status in ('sent', 'failed') and new.status <> old.status)
    execute function settle_whatsapp_message();

/*
  Writes the activity of a message for a contact, a deal or a company. Its id follows from the message and these records, so that a message
  has one activity for each, also when a group is linked again.
*/
create or replace function whatsapp_activity(m whatsapp_messages, p_contact uuid, p_deal uuid, p_customer uuid) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  sum constant text := md5(concat_ws(' ', m.id, coalesce(p_deal, p_customer, p_contact)));
begin
  if num_nonnulls(p_contact, p_deal, p_customer) = 0 or m.type = 'reaction' or m.status in ('queued', 'failed') then return; end if;
  -- A custom field that is required or unknown must not keep a message from being stored.
  perform set_flag('unchecked_values');
  insert into activities (workspace_id, id, activity_type, contact_id, deal_id, customer_id, direction, body, metadata, occurred_at)
    values (m.workspace_id, (left(m.id::text, 15) || left(sum, 3) || '-a' || substr(sum, 4, 3) || '-' || substr(sum, 7, 12))::uuid,
      'whatsapp', p_contact, p_deal,
      p_customer, m.direction, coalesce(nullif(m.body_text, ''), '[' || m.type || ']'),
        jsonb_strip_nulls(jsonb_build_object('whatsapp_message_id', m.id,
        'conversation_id', m.conversation_id, 'group_id', m.group_id, 'message_id', m.message_id)), m.occurred_at)
    on conflict do nothing;
end $$;

-- A message that was received, or has just been sent, is on the timeline of its contact, or of the deal and the company that its group is
-- linked to.
create or replace function show_whatsapp_message() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  linked whatsapp_groups;
begin
  if new.group_id is null then
    perform whatsapp_activity(new, (select contact_id from whatsapp_conversations
      where workspace_id = new.workspace_id and id = new.conversation_id), null, null);
    return null;
  end if;
  select * into linked from whatsapp_groups where workspace_id = new.workspace_id and id = new.group_id;
  if linked.linked_deal_id is not null then perform whatsapp_activity(new, new.contact_id, linked.linked_deal_id, null); end if;
  if linked.linked_customer_id is not null then perform whatsapp_activity(new, new.contact_id, null, linked.linked_customer_id); end if;
  return null;
end $$;
create or replace trigger show_inserted after insert on whatsapp_messages for each row
  when (new.status <> 'queued' and not merge_in_progress()) execute function show_whatsapp_message();
create or replace trigger show_sent after update of status on whatsapp_messages for each row
  when (old.status = 'queued' and new.status <> 'queued') execute function show_whatsapp_message();

-- Links a group to a deal or a company; its latest messages, at most p_limit, are on that timeline at once, and later ones as they come.
create or replace function link_whatsapp_group(p_id uuid, p_deal uuid, p_customer uuid, p_limit int) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  m whatsapp_messages;
begin
  update whatsapp_groups set linked_deal_id = coalesce(p_deal, linked_deal_id),
    linked_customer_id = coalesce(p_customer, linked_customer_id)
    where workspace_id = w and id = p_id;
  for m in select * from whatsapp_messages where workspace_id = w and group_id = p_id order by occurred_at desc, id desc limit p_limit loop
    perform whatsapp_activity(m, m.contact_id, p_deal, p_customer);
  end loop;
end $$;

-- Raises INVALID_STATE unless the pairing of the workspace has one of these states; without one it is disconnected.
create or replace function assert_whatsapp_state(p_allowed jsonb, p_message text) returns void language plpgsql as $$
declare
  state constant text := coalesce((select status from whatsapp_pairings for update), 'disconnected');
begin
  if not p_allowed ? state then perform fail('INVALID_STATE', p_message, jsonb_build_object('state', state, 'allowed', p_allowed)); end if;
end $$;

-- Stores what the provider reports. Returns the row's id and workspace.
create or replace function store_whatsapp_event(p_id uuid, p_event jsonb) returns jsonb language sql as $$
  insert into whatsapp_events (id, event) values (p_id, p_event) returning jsonb_build_object('id', id, 'workspace_id', workspace_id)
$$;

-- What the token of the provider's path grants: to store a report in its workspace. Null for an unknown one, and after the pairing was
-- ended.
create or replace function whatsapp_token_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', workspace_id, 'scopes', '["whatsapp:write"]'::jsonb) from whatsapp_pairings
    where token_hash = decode(p_hash, 'hex') and status <> 'disconnecting'
$$;

revoke execute on function recount_whatsapp_groups, keep_deleted_whatsapp_keys, whatsapp_conversation_with,
  add_whatsapp_message, whatsapp_activity,
  link_whatsapp_group, whatsapp_token_grant, place_whatsapp_message,
  settle_whatsapp_message, take_whatsapp_receipt, whatsapp_receipt_of,
  show_whatsapp_message, quote_whatsapp_message, quote_of_message from public;
revoke execute on function whatsapp_conversation_with, whatsapp_receipt_of, add_whatsapp_message, whatsapp_activity, quote_of_message
  from app;
grant execute on function link_whatsapp_group, whatsapp_token_grant, quote_whatsapp_message to app;
