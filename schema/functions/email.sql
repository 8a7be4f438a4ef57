/*
  Conversations by email. An outbound message is a row of the send ledger (messages.sql) and one of email_messages, written in one
  transaction with its thread. The times of a thread's links and participants are copies of the thread's, so that an index lists the threads
  of a contact or an address in order.
*/
create or replace function pass_last_message_at() returns trigger language plpgsql as $$
begin
  update email_thread_links set last_message_at = new.last_message_at where workspace_id = new.workspace_id and thread_id = new.id;
  update email_participants set last_message_at = new.last_message_at where workspace_id = new.workspace_id and thread_id = new.id;
  return null;
end $$;
create or replace trigger pass_last_message_at after update of last_message_at on email_threads for each row
  when (new.last_message_at <> old.last_message_at) execute function pass_last_message_at();

/*
  Adds a message to its thread. p: thread {id, is_new, subject, contact_id, deal_id, customer_id, private_to}; email, a row of
  email_messages; snippet; participants, addresses. A message brings an archived thread back; one that is spam stays so. An automatic one
  (RFC 3834) changes neither the state of its thread nor its place, and one that is older than the latest leaves what the thread shows.
*/
create or replace function add_email(p jsonb, p_max_links int, p_max_participants int) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  thread constant uuid := (p #>> '{thread,id}')::uuid;
  email constant email_messages := jsonb_populate_record(null::email_messages, p -> 'email');
  -- As it is stored, which is in milliseconds.
  at constant timestamptz(3) := coalesce(email.occurred_at, now());
  is_automatic constant boolean := coalesce(email.is_automatic, false);
  owner constant uuid := (p #>> '{thread,private_to}')::uuid;
begin
  if (p #>> '{thread,is_new}')::boolean then
    insert into email_threads (workspace_id, id, subject, direction, contact_id, is_read, snippet, message_count, last_message_at,
      private_to, outside_thread_id)
      values (w, thread, p #>> '{thread,subject}', email.direction, (p #>> '{thread,contact_id}')::uuid,
        email.direction = 'outbound', p ->> 'snippet', 1, at, owner, p #>> '{thread,outside_thread_id}');
  else
    update email_threads set direction = case when at >= last_message_at then email.direction else direction end,
        snippet = case when at >= last_message_at then p ->> 'snippet' else snippet end,
        is_read = is_read and email.direction = 'outbound', message_count = message_count + 1,
        last_message_at = greatest(last_message_at, at), status = case status when 'archived' then 'active' else status end
      where workspace_id = w and id = thread and not is_automatic;
    if is_automatic then update email_threads set message_count = message_count + 1 where workspace_id = w and id = thread; end if;
  end if;
  insert into email_messages (workspace_id, id, thread_id, direction, message_id, contact_id, internet_id, in_reply_to, reference_ids,
      from_email, from_name, reply_to, to_emails, cc_emails, subject, body_text, body_html, is_automatic, occurred_at, private_to)
    values (w, email.id, thread, email.direction, email.message_id, email.contact_id, email.internet_id, email.in_reply_to,
      coalesce(email.reference_ids, '{}'),
      email.from_email, email.from_name, email.reply_to, coalesce(email.to_emails, '{}'), coalesce(email.cc_emails, '{}'),
        email.subject, email.body_text,
      email.body_html, is_automatic, at, owner);
  insert into email_thread_links (workspace_id, thread_id, contact_id, deal_id, customer_id, last_message_at, private_to)
    select w, thread, l.contact_id, l.deal_id, l.customer_id, t.last_message_at, owner from email_threads t, (values
        ((p #>> '{thread,contact_id}')::uuid, null::uuid, null::uuid), (null, (p #>> '{thread,deal_id}')::uuid, null),
        (null, null, (p #>> '{thread,customer_id}')::uuid)) l(contact_id, deal_id, customer_id)
      where t.workspace_id = w and t.id = thread and num_nonnulls(l.contact_id, l.deal_id, l.customer_id) = 1
        and (select count(*) from email_thread_links k where k.workspace_id = w and k.thread_id = thread) < p_max_links
    on conflict do nothing;
  insert into email_participants (workspace_id, thread_id, email, last_message_at, private_to)
    select w, thread, a.email, t.last_message_at, t.private_to
      from email_threads t, (select distinct e as email from jsonb_array_elements_text(p -> 'participants') e) a
      where t.workspace_id = w and t.id = thread
        and (select count(*) from email_participants k where k.workspace_id = w and k.thread_id = thread) < p_max_participants
    on conflict do nothing;
end $$;

-- A file that a purge removes leaves no name in the emails that it was attached to.
create or replace function forget_file_name() returns trigger language plpgsql as $$
begin
  new.name := '(purged)';
  return new;
end $$;
create or replace trigger forget_file_name before update of source_id on email_attachments for each row
  when (old.source_id is not null and new.source_id is null and is_purging()) execute function forget_file_name();

-- Reserves an email in the send ledger and adds it to its thread, as one that is being sent: the request sends it itself, within p_lease
-- seconds; without p_lease the queue sends it. p: as add_email, message, as reserve_messages, and attachments, rows of email_attachments.
create or replace function reserve_email(p jsonb, p_lease int, p_max_links int, p_max_participants int) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  -- The thread comes first, because the message refers to it; the message of the thread comes last, because it refers to the ledger.
  if (p #>> '{thread,is_new}')::boolean then
    insert into email_threads (workspace_id, id, subject, direction, contact_id, last_message_at, private_to)
      values (current_workspace(), (p #>> '{thread,id}')::uuid, p #>> '{thread,subject}', 'outbound', (p #>> '{thread,contact_id}')::uuid,
        now(), (p #>> '{thread,private_to}')::uuid);
  end if;
  perform reserve_messages(jsonb_build_array(p -> 'message'));
  update messages set status = 'sending', attempts = 1, due_at = now() + make_interval(secs => p_lease)
    where p_lease is not null and workspace_id = (select current_workspace()) and id = (p #>> '{message,id}')::uuid;
  perform add_email(jsonb_set(p, '{thread,is_new}', 'false'), p_max_links, p_max_participants);
  insert into email_attachments (workspace_id, id, email_message_id, name, content_type, size, rank, source_id, private_to)
    select current_workspace(), a.id, (p #>> '{email,id}')::uuid, a.name, a.content_type, a.size, a.rank, a.source_id,
      (p #>> '{thread,private_to}')::uuid
      from jsonb_to_recordset(p -> 'attachments') a(id uuid, name text, content_type text, size int, rank int, source_id uuid);
end $$;

-- Stores the outcome of an attempt that the request has made itself (see settle_messages).
create or replace function settle_email(p_outcome jsonb) returns void security definer set search_path = public, pg_temp language sql as $$
  select settle_messages(current_workspace(), jsonb_build_array(p_outcome))
$$;

-- Marks the latest unread threads as read, or those of p_ids; at most p_limit. Returns how many, and whether others are left.
create or replace function mark_threads_read(p_ids uuid[], p_limit int) returns jsonb language plpgsql as $$
declare
  found_ids constant uuid[] := case when p_ids is null
    then array(select t.id from email_threads t where t.is_read = false order by t.last_message_at desc, t.id desc limit p_limit + 1)
    else array(select t.id from email_threads t where t.id = any (p_ids) and t.is_read = false order by t.id) end;
  updated int;
begin
  perform from email_threads t where t.id = any (found_ids[1:p_limit]) order by t.id for update;
  update email_threads set is_read = true where id = any (found_ids[1:p_limit]) and is_read = false;
  get diagnostics updated = row_count;
  return jsonb_build_object('updated', updated, 'has_more', cardinality(found_ids) > p_limit);
end $$;

-- What the token of an inbox grants: to store an email in its workspace. Null for an unknown one.
create or replace function email_inbox_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', workspace_id, 'scopes', '["email:write"]'::jsonb) from email_inboxes
    where token_hash = decode(p_hash, 'hex')
$$;

-- Stores that the mail provider has posted an email, once for each of its ids; one that could not be processed is tried again. Returns the
-- row's id and workspace, whether it was added, and whether it waits.
create or replace function store_inbound_email(p_id uuid, p_message text) returns jsonb language plpgsql as $$
declare
  added boolean;
begin
  insert into inbound_emails (id, provider_message_id) values (p_id, p_message) on conflict (workspace_id, provider_message_id) do nothing;
  added := found;
  update inbound_emails set state = 'received', error = null, ended_at = null where provider_message_id = p_message and state = 'failed';
  return (select jsonb_build_object('id', e.id, 'workspace_id', e.workspace_id, 'added', added, 'waits', e.state = 'received')
    from inbound_emails e where e.provider_message_id = p_message);
end $$;

revoke execute on function add_email, reserve_email, settle_email, email_inbox_grant from public;
revoke execute on function add_email from app;
grant execute on function reserve_email, settle_email, email_inbox_grant to app;
