/*
  What the provider of WhatsApp reports, and the watch over pairings. A report is stored first and answered at once; the queue then
  processes it. The provider repeats reports and changes their order: a message is stored once by its id in its chat, and a status only
  rises.
*/

-- The report that waits, or null.
create or replace function load_whatsapp_event(p_workspace uuid, p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select event from whatsapp_events where workspace_id = p_workspace and id = p_id and state = 'received'
$$;

-- Ends a report; what it said is erased, unless it could not be processed.
create or replace function end_whatsapp_event(p_workspace uuid, p_id uuid, p_error text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update whatsapp_events set state = case when p_error is null then 'done' else 'failed' end, error = p_error, ended_at = now(),
      event = case when p_error is not null then event end
    where workspace_id = p_workspace and id = p_id and state = 'received'
$$;

-- The group of an id, which is added if it is not known yet.
create or replace function whatsapp_group_of(p_workspace uuid, p_jid text, p_at timestamptz) returns uuid language plpgsql as $$
declare
  found_id uuid;
begin
  insert into whatsapp_groups (workspace_id, jid, name, last_message_at) values (p_workspace, p_jid, p_jid, p_at)
    on conflict (workspace_id, jid) do nothing;
  select id into found_id from whatsapp_groups where workspace_id = p_workspace and jid = p_jid;
  return found_id;
end $$;

/*
  Stores messages of chats (ChatMessage in src/features/whatsapp/rules/events.ts); those that are known stay as they are, and those that
  were deleted with their contact stay away. One that the
  ledger is sending with the same text at the time, and whose id is not known yet, is that message: so a response that was lost is found.
  The files of messages of the types p_fetched are fetched, unless they are larger than p_max_bytes. Returns how many were new and older
  than a minute: the provider had time to report them. The chats come in the order of lock_in_channels.
*/
create or replace function receive_whatsapp_messages(p_workspace uuid, p_messages jsonb, p_fetched text[], p_max_bytes int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
  m whatsapp_messages;
  sent uuid;
  missed int := 0;
  is_new boolean;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_flag('unchecked_values');
  perform set_cause('provider', null);
  for r in select *
      from jsonb_to_recordset(p_messages) x(key_id text, group_jid text, phone text, lid text, from_me boolean,
        sender_phone text, sender_name text,
      sender_jid text, type text, text text, media_type text, media_name text, media_size int, quoted_key_id text, at timestamptz)
    order by x.group_jid is not null,
      case when x.group_jid is not null then (select g.id from whatsapp_groups g where g.workspace_id = p_workspace and g.jid = x.group_jid)
      else coalesce((select c.id from whatsapp_conversations c where c.workspace_id = p_workspace and c.external_phone_number = x.phone),
        (select c.id from whatsapp_conversations c where c.workspace_id = p_workspace and c.lid = x.lid)) end, x.at, x.key_id loop
    -- It was deleted with its contact.
    if exists (select from whatsapp_receipts d where d.workspace_id = p_workspace and d.key_id = r.key_id and d.status = 'queued') then
      continue;
    end if;
    m := null;
    m.workspace_id := p_workspace; m.id := uuidv7(); m.key_id := r.key_id; m.type := r.type; m.body_text := r.text;
    m.media_type := r.media_type;
    m.media_name := r.media_name; m.media_size := r.media_size; m.quoted_key_id := r.quoted_key_id; m.sender_jid := r.sender_jid;
    m.is_deleted := false; m.occurred_at := r.at; m.created_at := now();
    m.direction := case when r.from_me then 'outbound' else 'inbound' end;
    m.status := case when r.from_me then 'sent' else 'delivered' end;
    if r.group_jid is not null then m.group_id := whatsapp_group_of(p_workspace, r.group_jid, r.at);
    else m.conversation_id := whatsapp_conversation_with(p_workspace, r.phone, r.lid,
      case when not r.from_me then r.sender_name end, null, r.at); end if;
    if exists (select from whatsapp_messages k where k.workspace_id = p_workspace and k.key_id = r.key_id
      and k.conversation_id is not distinct from m.conversation_id and k.group_id is not distinct from m.group_id) then continue; end if;
    if r.from_me and r.type = 'reaction' and is_own_reaction(p_workspace, m) then continue; end if;
    -- The provider's times are whole seconds: a message comes after what its chat had in the same one.
    m.occurred_at := (select case
      when date_trunc('second', c.last_message_at) = r.at and c.message_count > 0 then c.last_message_at + interval '1 millisecond'
      else r.at end
      from (select last_message_at, message_count from whatsapp_conversations where workspace_id = p_workspace and id = m.conversation_id
        union all select last_message_at, message_count from whatsapp_groups where workspace_id = p_workspace and id = m.group_id) c);
    if r.from_me and r.type <> 'reaction' then
      sent := (select l.id from whatsapp_messages k join messages l on l.workspace_id = p_workspace and l.id = k.message_id
        where k.workspace_id = p_workspace and k.conversation_id is not distinct from m.conversation_id
        and k.group_id is not distinct from m.group_id
          and k.key_id is null and r.text in (k.body_text, without_management_links(k.body_text)) and l.status in ('sending', 'unclear')
          and k.occurred_at between r.at - interval '4 days' and r.at + interval '1 minute'
        order by l.status, k.id limit 1);
      if sent is not null then
        update messages set status = 'sent', provider_message_id = r.key_id, sent_at = now(), error = null, due_at = null
          where workspace_id = p_workspace and id = sent;
        continue;
      end if;
    elsif not r.from_me then
      m.sender_phone := r.sender_phone; m.sender_name := r.sender_name; m.contact_id := contact_of_phone(r.sender_phone);
    end if;
    is_new := add_whatsapp_message(m);
    if is_new and r.type = any (p_fetched) then
      perform add_message_media(p_workspace, null, m.id,
        jsonb_build_array(jsonb_build_object('source', r.key_id, 'name', r.media_name, 'content_type', r.media_type, 'size', r.media_size,
        'error', case when r.media_size > p_max_bytes then 'The file is larger than ' || p_max_bytes || ' bytes' end)));
    end if;
    if is_new and not r.from_me then
      missed := missed + (r.at < now() - interval '1 minute')::int;
      perform emit('whatsapp.received', case when m.group_id is null then 'whatsapp_conversation' else 'whatsapp_group' end,
        coalesce(m.group_id, m.conversation_id),
        jsonb_strip_nulls(jsonb_build_object('whatsapp_message_id', m.id, 'contact_id', m.contact_id,
          'sender_phone', m.sender_phone, 'type', m.type)));
    end if;
  end loop;
  return missed;
end $$;

-- Raises the status of messages; of those that are not known yet, the receipt is kept until they are. p_receipts: key_id, status.
create or replace function record_whatsapp_receipts(p_workspace uuid, p_receipts jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  insert into whatsapp_receipts as r (workspace_id, key_id, status)
    select distinct on (n.key_id) p_workspace, n.key_id, n.status from jsonb_to_recordset(p_receipts) n(key_id text, status text)
      order by n.key_id, whatsapp_rank(n.status) desc
    on conflict (workspace_id, key_id) do update set status = excluded.status
    where whatsapp_rank(excluded.status) > whatsapp_rank(r.status) and r.status <> 'queued';
  with raised as (
    update whatsapp_messages m set status = n.status
      from (select distinct on (key_id) * from jsonb_to_recordset(p_receipts) x(key_id text, status text)
        order by key_id, whatsapp_rank(status) desc) n
      where m.workspace_id = p_workspace and m.key_id = n.key_id and m.direction = 'outbound' and m.status <> 'queued'
      and whatsapp_rank(n.status) > whatsapp_rank(m.status)
      returning m.message_id, m.status
  ) update messages l set delivery_status = raised.status from raised where l.workspace_id = p_workspace and l.id = raised.message_id;
end $$;

-- Shows the text that a message has now where its former one is: in its conversation or group, if it is the latest, and on timelines.
create or replace function show_whatsapp_text(m whatsapp_messages)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  beginning constant text := whatsapp_beginning(m.body_text, m.type);
begin
  -- A custom field that is required or unknown must not keep a change of a message from being stored.
  perform set_flag('unchecked_values');
  update whatsapp_conversations c set snippet = beginning
    where c.workspace_id = m.workspace_id and c.id = m.conversation_id and c.last_message_at <= m.occurred_at;
  update whatsapp_groups g set snippet = beginning
    where g.workspace_id = m.workspace_id and g.id = m.group_id and g.last_message_at <= m.occurred_at;
  update activities a set body = coalesce(nullif(m.body_text, ''), '[' || m.type || ']')
    where a.workspace_id = m.workspace_id and a.activity_type = 'whatsapp' and a.occurred_at = m.occurred_at
    and a.metadata ->> 'whatsapp_message_id' = m.id::text;
end $$;

/*
  Changes the texts of messages as their writers have (ChatMessage in src/features/whatsapp/rules/events.ts), unless a later change came
  first. Returns the ids of those that are not known yet.
*/
create or replace function edit_whatsapp_messages(p_workspace uuid, p_messages jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
  edited whatsapp_messages;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  for r in select x.key_id, x.from_me, x.text, x.at
      from jsonb_to_recordset(p_messages) x(key_id text, from_me boolean, text text, at timestamptz) order by x.at loop
    for edited in update whatsapp_messages m set body_text = r.text, edited_at = r.at
        where m.workspace_id = p_workspace and m.key_id = r.key_id and not m.is_deleted
        and (m.direction = 'outbound') = r.from_me and (m.edited_at is null or m.edited_at < r.at) returning m.* loop
      perform show_whatsapp_text(edited);
    end loop;
  end loop;
  return (select coalesce(jsonb_agg(x.key_id), '[]') from jsonb_to_recordset(p_messages) x(key_id text)
    where not exists (select from whatsapp_messages m where m.workspace_id = p_workspace and m.key_id = x.key_id));
end $$;

-- Notes that messages were deleted in their chat; their text and their files go, as they went there.
create or replace function delete_whatsapp_messages(p_workspace uuid, p_keys text[])
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m whatsapp_messages;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  for m in update whatsapp_messages set is_deleted = true, body_text = ''
      where workspace_id = p_workspace and key_id = any (p_keys) and not is_deleted returning * loop
    delete from message_media where workspace_id = p_workspace and whatsapp_message_id = m.id;
    perform show_whatsapp_text(m);
  end loop;
end $$;

-- Returns the ids of the provider that belong to no message yet.
create or replace function unknown_whatsapp_keys(p_workspace uuid, p_keys text[])
  returns text[] stable security definer set search_path = public, pg_temp language sql as $$
  select array(select k from unnest(p_keys) k
    where not exists (select from whatsapp_messages m where m.workspace_id = p_workspace and m.key_id = k))
$$;

-- Stores groups as the provider lists them: jid, name, description, members. With p_complete the phone belongs to no other.
create or replace function store_whatsapp_groups(p_workspace uuid, p_groups jsonb, p_complete boolean) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  insert into whatsapp_groups as g (workspace_id, jid, name, description, members, member_count, members_updated_at)
    select p_workspace, n.jid, n.name, n.description, n.members, jsonb_array_length(n.members), now()
      from jsonb_to_recordset(p_groups) n(jid text, name text, description text, members jsonb)
      order by (select k.id from whatsapp_groups k where k.workspace_id = p_workspace and k.jid = n.jid), n.jid
    on conflict (workspace_id, jid) do update set name = excluded.name, description = excluded.description, members = excluded.members,
      member_count = excluded.member_count, members_updated_at = now(), is_left = false;
  if p_complete then
    update whatsapp_groups set is_left = true where workspace_id = p_workspace and not is_left
      and not jid = any (array(select g ->> 'jid' from jsonb_array_elements(p_groups) g));
  end if;
end $$;

-- The phone no longer belongs to a group.
create or replace function leave_whatsapp_group(p_workspace uuid, p_jid text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update whatsapp_groups set is_left = true where workspace_id = p_workspace and jid = p_jid and not is_left;
end $$;

create or replace function load_whatsapp_pairing(p_workspace uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(p) - 'token_hash'
    || jsonb_build_object('due_at', iso(p.due_at), 'qr_expires_at', iso(p.qr_expires_at), 'connected_at', iso(p.connected_at),
    'compared_until', iso(p.compared_until)) from whatsapp_pairings p where p.workspace_id = p_workspace
$$;

-- Stores what the watch has decided, unless a request has ended the pairing meanwhile: then the watch looks again. Returns whether it was
-- stored.
create or replace function save_whatsapp_pairing(p_workspace uuid, p_id uuid, p_was text, p jsonb)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  update whatsapp_pairings set status = n.status, qr_image = n.qr_image, qr_number = n.qr_number,
      qr_expires_at = n.qr_expires_at, attempts = n.attempts,
      phone_number = n.phone_number, display_name = n.display_name, connected_at = n.connected_at, error = n.error, due_at = n.due_at,
        compared_until = n.compared_until
    from jsonb_populate_record(null::whatsapp_pairings, p) n
    where whatsapp_pairings.workspace_id = p_workspace and whatsapp_pairings.id = p_id and whatsapp_pairings.status = p_was;
  return found;
end $$;

-- Stores the token of the path to which the provider reports.
create or replace function set_whatsapp_token(p_workspace uuid, p_id uuid, p_sealed text, p_hash text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update whatsapp_pairings set sealed_token = p_sealed, token_hash = decode(p_hash, 'hex') where workspace_id = p_workspace and id = p_id
$$;

create or replace function forget_whatsapp_pairing(p_workspace uuid, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  delete from whatsapp_pairings where workspace_id = p_workspace and id = p_id and status = 'disconnecting';
end $$;

revoke execute on function load_whatsapp_event, end_whatsapp_event, whatsapp_group_of, receive_whatsapp_messages, show_whatsapp_text,
  edit_whatsapp_messages, record_whatsapp_receipts, delete_whatsapp_messages, unknown_whatsapp_keys, store_whatsapp_groups,
    leave_whatsapp_group, load_whatsapp_pairing,
  save_whatsapp_pairing, set_whatsapp_token, forget_whatsapp_pairing from public, app;
grant execute on function load_whatsapp_event, end_whatsapp_event, receive_whatsapp_messages, edit_whatsapp_messages,
  record_whatsapp_receipts,
  delete_whatsapp_messages, unknown_whatsapp_keys, store_whatsapp_groups, leave_whatsapp_group,
    load_whatsapp_pairing, save_whatsapp_pairing,
  set_whatsapp_token, forget_whatsapp_pairing to jobs;
