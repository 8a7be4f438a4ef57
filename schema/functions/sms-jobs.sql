/*
  What the SMS provider posts: messages that were received, and reports about those that were sent. Both come in any order and repeatedly.
*/

-- The provider's ids of other messages to a recipient, which are not those of a message whose outcome is unclear.
create or replace function known_sms_ids(p_workspace uuid, p_id uuid, p_recipient text) returns jsonb stable security definer
  set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(k.provider_message_id), '[]') from (
    select m.provider_message_id from sms_conversations c
        join sms_messages s on s.workspace_id = c.workspace_id and s.conversation_id = c.id
        join messages m on m.workspace_id = s.workspace_id and m.id = s.message_id
      where c.workspace_id = p_workspace and c.external_phone_number = p_recipient and m.provider_message_id is not null and m.id <> p_id
      order by s.occurred_at desc limit 200) k
$$;

/*
  Stores a message that was received, once for each id of the provider, in the conversation of its numbers, with the contact who has the
  number as any of its numbers. p: provider_message_id, from, to, body, media_count, media (its files, as add_message_media), keyword (what
  it consists of), reply (a row of the send ledger). STOP and START decide whether the number gets messages. Returns whether it was stored:
  not if the number it was sent to is none of the workspace.
*/
create or replace function receive_sms(p_workspace uuid, p jsonb)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  sender constant text := p ->> 'from';
  contact uuid;
  conversation uuid;
  message constant uuid := uuidv7();
  received constant timestamptz := least(coalesce((p ->> 'received_at')::timestamptz, now()), now());
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  -- A custom field that is required or unknown must not keep a message from being stored.
  perform set_flag('unchecked_values');
  perform set_cause('provider', message);
  if not exists (select from phone_numbers where phone_number = p ->> 'to' and workspace_id = p_workspace) then return false; end if;
  perform pg_advisory_xact_lock(hashtext('receive_sms'), hashtext(p_workspace || sender));
  if exists (select from sms_messages where workspace_id = p_workspace and provider_message_id = p ->> 'provider_message_id') then
    return true;
  end if;
  contact := contact_of_phone(sender);
  conversation := add_to_conversation(p_workspace, p ->> 'to', sender, contact, 'inbound', p ->> 'body', received);
  insert into sms_messages (workspace_id, id, conversation_id, direction, provider_message_id, body, media_count, keyword, occurred_at)
    values (p_workspace, message, conversation, 'inbound', p ->> 'provider_message_id', p ->> 'body', (p ->> 'media_count')::int,
      p ->> 'keyword', received);
  perform add_message_media(p_workspace, message, null, p -> 'media');
  if contact is not null then
    insert into activities (activity_type, contact_id, direction, subject, body, metadata)
      values ('sms', contact, 'inbound', null, p ->> 'body',
        jsonb_build_object('sms_message_id', message, 'conversation_id', conversation));
  end if;
  -- Whoever has sent STOP after START, or START after STOP, is taken at the later word, in whatever order they are processed.
  if p ->> 'keyword' in ('stop', 'start') then
    perform record_sms_consent(jsonb_build_object('phone_number', sender,
      'decision', case p ->> 'keyword' when 'stop' then 'opt_out' else 'opt_in' end,
      'source', 'keyword', 'evidence', 'Replied ' || left(p ->> 'body', 40), 'occurred_at', received));
  end if;
  perform emit('sms.received', 'sms_conversation', conversation,
    jsonb_build_object('sms_message_id', message, 'contact_id', contact, 'from_phone', sender,
    'to_phone', p ->> 'to', 'keyword', p ->> 'keyword'));
  perform queue_sms_reply(p_workspace, conversation, message, contact, p);
  if p ->> 'keyword' = 'help' and p -> 'reply' is distinct from 'null'::jsonb then
    perform reserve_messages(jsonb_build_array(p -> 'reply' || jsonb_build_object('contact_id', contact,
      'body_text', replace(p #>> '{reply,body_text}', '{company}', (select left(w.name, 80) from workspaces w where w.id = p_workspace)))));
  end if;
  return true;
end $$;

/*
  Records reports about messages. p_reports: message_id, provider_message_id, status, note (the error), suppress (why the number gets no
  more messages). A report shows that the provider has accepted the message, also one whose outcome was unclear. p_ranks has the rank of
  each delivery status, which only rises.
*/
create or replace function record_sms_reports(p_workspace uuid, p_reports jsonb, p_ranks jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_flag('unchecked_values');
  perform set_cause('provider', null);
  perform from messages where workspace_id = p_workspace and channel = 'sms'
    and id = any (array(select (x ->> 'message_id')::uuid from jsonb_array_elements(p_reports) x)) order by id for update;
  perform settle_messages(p_workspace,
      coalesce(jsonb_agg(distinct jsonb_build_object('id', m.id, 'attempts', m.attempts, 'status', 'sent', 'error', null,
      'provider_message_id', x.provider_message_id, 'wait', 0)), '[]'))
    from (select distinct on (y.message_id) y.* from jsonb_to_recordset(p_reports) y(message_id uuid, provider_message_id text)
      order by 1, 2) x
      join messages m on m.workspace_id = p_workspace and m.id = x.message_id and m.channel = 'sms'
      and m.status in ('sending', 'unclear', 'queued');
  update messages m set delivery_status = x.status, error = x.note
    from (select distinct on (y.message_id) y.* from jsonb_to_recordset(p_reports) y(message_id uuid, status text, note text)
      where y.status is not null order by y.message_id, (p_ranks ->> y.status)::int desc) x
    where m.workspace_id = p_workspace and m.id = x.message_id and m.channel = 'sms'
      and (p_ranks ->> x.status)::int > coalesce((p_ranks ->> m.delivery_status)::int, -1);
  for r in select distinct m.recipient, x.suppress, x.note
    from jsonb_to_recordset(p_reports) x(message_id uuid, suppress text, note text)
      join messages m on m.workspace_id = p_workspace and m.id = x.message_id and m.channel = 'sms'
      where x.suppress is not null order by 1, 2, 3
  loop
    perform suppress_phone(p_workspace, r.recipient, r.suppress, r.note);
  end loop;
end $$;

revoke execute on function known_sms_ids, receive_sms, record_sms_reports from public, app;
grant execute on function receive_sms, record_sms_reports to jobs;
