/*
  Inbound emails. What the mail provider posts is stored first and answered at once; the queue then reads it, stores its attachments and
  adds the message to a thread.
*/

-- Whether an inbound email still waits to be processed.
create or replace function load_inbound_email(p_workspace uuid, p_id uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from inbound_emails where workspace_id = p_workspace and id = p_id and state = 'received')
$$;

/*
  The thread of an inbound email: that of the latest message which its headers name, or else the one that the address names to which it was
  sent. A sender who was no participant of the latter needs no place in it: whoever guesses an address cannot write into a conversation. An
  email in the mailbox of a member (p_private_to) belongs to threads of this mailbox alone, and one of the workspace to none of a mailbox.
*/
create or replace function thread_of_email(p_workspace uuid, p_references text[], p_named uuid, p_from text,
  p_private_to uuid, p_outside text) returns uuid stable language sql as $$
  select coalesce(
    (select e.thread_id from email_messages e
      where e.workspace_id = p_workspace and e.internet_id = any (p_references) and e.private_to is not distinct from p_private_to
      order by e.occurred_at desc, e.id desc limit 1),
    (select t.id from email_threads t
      where t.workspace_id = p_workspace and t.id = p_named and t.private_to is not distinct from p_private_to
      and exists (select from email_participants k where k.workspace_id = p_workspace and k.thread_id = t.id and k.email = p_from)),
    (select t.id from email_threads t
      where t.workspace_id = p_workspace and t.private_to = p_private_to and t.outside_thread_id = p_outside limit 1))
$$;

-- The contacts that addresses belong to, the main address or a further one, in the order of the addresses.
create or replace function contacts_of_emails(p_workspace uuid, p_emails text[]) returns uuid[] stable language sql as $$
  select coalesce(array_agg(f.id order by f.n), '{}') from (
    select c.id, min(a.n) as n from unnest(p_emails) with ordinality a(email, n), lateral (
        select c.id from contacts c
          where c.workspace_id = p_workspace and (c.email = a.email or c.id = any (contacts_by_alternate(a.email)))
          order by c.archived, c.email is distinct from a.email, c.created_at, c.id limit 1) c group by c.id) f
$$;

/*
  Adds an email that came from outside to its thread, or to a new one, with its attachments, and writes the activity of the contact who sent
  it. p: thread_id (of a new one), named_thread_id, email (a row of email_messages), references, attachments, participants, snippet,
  activity_body; of one in a mailbox also outside_thread_id, direction and correspondents: outbound is what its member has sent at the
  provider, to these addresses, and is an activity of each contact among them, at most p_max_contacts. Returns false for one that is stored
  already, and in a mailbox for one that is from or to no contact.
*/
create or replace function add_outside_email(p_workspace uuid, p_private_to uuid, p jsonb, p_max_links int, p_max_participants int,
  p_max_contacts int default 1) returns boolean language plpgsql as $$
declare
  sender constant text := p #>> '{email,from_email}';
  email constant uuid := (p #>> '{email,id}')::uuid;
  sent constant boolean := coalesce(p ->> 'direction' = 'outbound', false);
  people uuid[];
  thread uuid;
  deals uuid[];
  is_new boolean;
begin
  -- A custom field that is required or unknown must not keep an email from being stored.
  perform set_flag('unchecked_values');
  perform pg_advisory_xact_lock(hashtext('inbound_emails'), hashtext(p_workspace || (p #>> '{email,internet_id}')));
  if exists (select from email_messages
      where workspace_id = p_workspace and internet_id = p #>> '{email,internet_id}' and private_to is not distinct from p_private_to) then
    return false;
  end if;
  people := (contacts_of_emails(p_workspace,
    case when sent then array(select jsonb_array_elements_text(p -> 'correspondents')) else array[sender] end))[1:p_max_contacts];
  if p_private_to is not null and people = '{}' then return false; end if;
  thread := thread_of_email(p_workspace, array(select jsonb_array_elements_text(p -> 'references')), (p ->> 'named_thread_id')::uuid,
    sender, p_private_to, p ->> 'outside_thread_id');
  is_new := thread is null;
  thread := coalesce(thread, (p ->> 'thread_id')::uuid);
  perform add_email(p || jsonb_build_object('thread',
      jsonb_build_object('id', thread, 'is_new', is_new, 'subject', p #>> '{email,subject}', 'contact_id', people[1],
      'private_to', p_private_to, 'outside_thread_id', p ->> 'outside_thread_id'),
    'email', p -> 'email' || jsonb_build_object('direction', case when sent then 'outbound' else 'inbound' end,
      'contact_id', case when not sent then people[1] end)), p_max_links, p_max_participants);
  insert into email_thread_links (workspace_id, thread_id, contact_id, last_message_at, private_to)
    select p_workspace, thread, c.id, t.last_message_at, p_private_to from email_threads t, unnest(people[2:]) c(id)
      where t.workspace_id = p_workspace and t.id = thread
      and (select count(*) from email_thread_links k
        where k.workspace_id = p_workspace and k.thread_id = thread) + cardinality(people) <= p_max_links on conflict do nothing;
  insert into email_attachments (workspace_id, id, email_message_id, name, content_type, size, rank, content_id, private_to)
    select p_workspace, a.id, email, a.name, a.content_type, a.size, a.rank, a.content_id, p_private_to
      from jsonb_to_recordset(p -> 'attachments') a(id uuid, name text, content_type text, size int, rank int, content_id text);
  deals := array(select l.deal_id from email_thread_links l
    where l.workspace_id = p_workspace and l.thread_id = thread and l.deal_id is not null limit 2);
  if people <> '{}' or cardinality(deals) = 1 then
    insert into activities (activity_type, contact_id, deal_id, direction, subject, body, metadata, occurred_at, private_to)
      select 'email', people[n], case when cardinality(deals) = 1 and n = 1 then deals[1] end,
          case when sent then 'outbound' else 'inbound' end, p #>> '{email,subject}', p ->> 'activity_body',
          jsonb_build_object('email_message_id', email, 'thread_id', thread), coalesce((p #>> '{email,occurred_at}')::timestamptz, now()),
            p_private_to
        from generate_series(1, greatest(cardinality(people), 1)) n;
  end if;
  if sent then return true; end if;
  perform emit(case when (p #>> '{email,is_automatic}')::boolean then 'email.automatic_received' else 'email.received' end,
    'email_thread', thread, jsonb_build_object('email_message_id', email, 'contact_id', people[1], 'from_email', sender,
    'subject', p #>> '{email,subject}'), p_private_to);
  return true;
end $$;

/*
  Adds what the mail provider has posted (see add_outside_email), once, whatever is repeated: the row of what was received is locked and
  ends here. Returns whether the attachments belong to a message now.
*/
create or replace function receive_email(p_workspace uuid, p_id uuid, p jsonb, p_max_links int, p_max_participants int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', p_id);
  perform from inbound_emails where workspace_id = p_workspace and id = p_id and state = 'received' for update;
  if not found then return false; end if;
  update inbound_emails set state = 'done', ended_at = now() where workspace_id = p_workspace and id = p_id;
  if not add_outside_email(p_workspace, null, p, p_max_links, p_max_participants) then return false; end if;
  if p ->> 'is_bulk' = 'false' then perform queue_email_reply(p_workspace, (p #>> '{email,id}')::uuid); end if;
  return true;
end $$;

-- Stores that an inbound email could not be processed.
create or replace function fail_inbound_email(p_workspace uuid, p_id uuid, p_error text) returns void
  security definer set search_path = public, pg_temp language sql as $$
  update inbound_emails set state = 'failed', error = p_error, ended_at = now()
    where workspace_id = p_workspace and id = p_id and state = 'received'
$$;

-- The file sweep's next objects of emails, as files_after for attachments: those of attachments, also of deleted ones, and of emails that
-- are not processed.
create or replace function email_files_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  (select workspace_id, id, 'stored' from email_attachments where (workspace_id, id) > (p_workspace, p_id)
    order by workspace_id, id limit p_limit)
  union all (select workspace_id, id, 'stored' from inbound_emails where (workspace_id, id) > (p_workspace, p_id) and state <> 'done'
    order by workspace_id, id limit p_limit)
  union all (select distinct workspace_id, row_id, 'deleted' from deleted_rows
    where table_name = 'email_attachments' and (workspace_id, row_id) > (p_workspace, p_id) order by workspace_id, row_id limit p_limit)
  order by 1, 2 limit p_limit
$$;

revoke execute on function load_inbound_email, thread_of_email, contacts_of_emails, add_outside_email, receive_email, fail_inbound_email,
  email_files_after from public, app;
grant execute on function load_inbound_email, receive_email, fail_inbound_email, email_files_after to jobs;
