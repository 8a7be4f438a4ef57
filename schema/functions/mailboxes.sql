/*
  The mailboxes of members: what requests may do with them, and how the background reads them. What they contain is for their members alone:
  the rows have private_to, which restrictive policies compare with the caller (sees_personal_email).
*/

-- Stores the mailbox that a member has given access to (StoredMailbox, src/features/mailboxes/plans/connector.ts). The one that is known is
-- connected again, and read on from where it was.
create or replace function store_mailbox(p_workspace uuid, p_user uuid, p jsonb)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m mailboxes;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_config('app.user_id', p_user::text, true);
  perform set_cause('provider', null);
  perform from memberships where workspace_id = p_workspace and user_id = p_user and status = 'active' for no key update;
  perform assert_condition(found, 'NOT_FOUND', 'No such member in this workspace');
  select * into m from mailboxes where workspace_id = p_workspace and user_id = p_user for update;
  if m.account_id <> p ->> 'account_id' then
    perform fail('CONFLICT', 'The member has connected another mailbox: disconnect it first', jsonb_build_object('id', m.id));
  end if;
  insert into mailboxes (user_id, provider, account_id, account_email, aliases, due_at)
    values (p_user, p ->> 'provider', p ->> 'account_id', p ->> 'account_email', p -> 'aliases', now())
    on conflict (workspace_id, user_id)
      do update set account_email = excluded.account_email, aliases = excluded.aliases, status = 'connected', error = null,
      due_at = now(), attempts = 0, watch_due_at = null, sync_error = null
    returning * into m;
  perform keep_mailbox_sender(m);
  insert into account_grants (mailbox_id, sealed_access_token, access_expires_at, sealed_refresh_token)
    values (m.id, p ->> 'sealed_access_token', (p ->> 'access_expires_at')::timestamptz, p ->> 'sealed_refresh_token')
    on conflict (workspace_id, mailbox_id)
      do update set sealed_access_token = excluded.sealed_access_token, access_expires_at = excluded.access_expires_at,
      sealed_refresh_token = coalesce(excluded.sealed_refresh_token, account_grants.sealed_refresh_token), refresh_claim_id = null,
        refresh_claimed_until = null;
  -- Emails whose outcome is unclear waited for it.
  update messages set due_at = now()
    where workspace_id = p_workspace
    and id = any (array(select id from messages where workspace_id = p_workspace and sender_user_id = p_user
    and provider = 'gmail' and due_at is not null and status = 'unclear' and outside_account_id = m.account_id order by id for update));
  return m.id;
end $$;

-- An address that the account may no longer send as is not the sender any more.
create or replace function keep_mailbox_sender(m mailboxes) returns void language sql as $$
  update mailboxes set sender_email = null where workspace_id = m.workspace_id and id = m.id and sender_email is not null
    and not exists (select from jsonb_array_elements(m.aliases) a where a ->> 'email' = m.sender_email)
$$;

-- Stores the addresses that the provider lists now.
create or replace function refresh_mailbox(p_workspace uuid, p_mailbox uuid, p_aliases jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m mailboxes;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update mailboxes set aliases = p_aliases where workspace_id = p_workspace and id = p_mailbox and status = 'connected' returning * into m;
  if m.id is not null then perform keep_mailbox_sender(m); end if;
end $$;

create or replace function assert_mailbox_connected(p_mailbox uuid) returns void language plpgsql as $$
begin
  perform assert_account_connected('mailbox',
    (select status from mailboxes where workspace_id = (select current_workspace()) and id = p_mailbox));
end $$;

-- Ends mailboxes: they are not read any more, and the background ends the grants and deletes the rows. What was received stays.
create or replace function disconnect_mailboxes(p_mailboxes uuid[]) returns void language sql as $$
  update mailboxes set status = 'disconnected', error = null, due_at = now(), attempts = 0
    where workspace_id = (select current_workspace()) and id = any (p_mailboxes) and status <> 'disconnected'
$$;

-- A mailbox is among the connections of its member.
create or replace function show_mailbox() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'DELETE' then
    delete from member_connections where workspace_id = old.workspace_id and id = old.id;
    return null;
  end if;
  insert into member_connections (workspace_id, id, user_id, platform_type, platform_account_name, status, calendar_synced, mailbox_aliases)
    values (new.workspace_id, new.id, new.user_id, new.provider, new.account_email, new.status, false,
      jsonb_path_query_array(new.aliases, '$[*].email'))
    on conflict (workspace_id, id)
      do update set platform_account_name = excluded.platform_account_name, status = excluded.status,
      mailbox_aliases = excluded.mailbox_aliases;
  return null;
end $$;
create or replace trigger show_mailbox after insert or delete or update of account_email, status, aliases on mailboxes for each row
  execute function show_mailbox();
revoke execute on function show_mailbox from public;

-- Sending from the mailbox of another member, and seeing what was sent, takes a role that names both scopes; no wildcard does.
create or replace function assert_mailbox_sender(p_user uuid) returns void language plpgsql as $$
declare
  a constant jsonb := nullif(current_setting('app.authority', true), '')::jsonb;
begin
  if p_user = current_person() then return; end if;
  if not coalesce(names_personal_scope(a, 'personal-email:send') and names_personal_scope(a, 'personal-email:read'), false) then
    perform fail('FORBIDDEN',
      'Only the member sends from this mailbox, with a key of their own, and members of a role that names personal-email:read and '
      'personal-email:send', jsonb_build_object('sender_user_id', p_user));
  end if;
end $$;

/*
  A role that names personal-email:read lets its members read the mailboxes of others. Whenever that begins for somebody, the event
  role.mailboxes_opened says so, and its listener tells those whose mailboxes are read from then on.
*/
create or replace function announce_mailbox_reader()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  opened constant uuid := (select r.id from roles r
    where r.workspace_id = new.workspace_id and r.role_key = new.role and 'personal-email:read' = any (r.scopes));
begin
  if opened is not null and (tg_op = 'INSERT' or old.status <> 'active'
    or not exists (select from roles r where r.workspace_id = old.workspace_id and r.role_key = old.role
    and 'personal-email:read' = any (r.scopes))) then
    perform set_config('app.workspace_id', new.workspace_id::text, true);
    perform emit('role.mailboxes_opened', 'role', opened, jsonb_build_object('user_id', new.user_id));
  end if;
  return null;
end $$;
create or replace trigger announce_mailbox_reader after insert or update of role, status on memberships for each row
  when (new.status = 'active' and not merge_in_progress()) execute function announce_mailbox_reader();

create or replace function announce_mailbox_readers()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from memberships m where m.workspace_id = new.workspace_id and m.role = new.role_key and m.status = 'active') then
    perform emit('role.mailboxes_opened', 'role', new.id, '{"user_id": null}');
  end if;
  return null;
end $$;
create or replace trigger announce_mailbox_readers after update of scopes on roles for each row
  when ('personal-email:read' = any (new.scopes) and not 'personal-email:read' = any (old.scopes))
    execute function announce_mailbox_readers();
revoke execute on function announce_mailbox_reader, announce_mailbox_readers from public;

/*
  What the email about a role that opens mailboxes says (OpenedMailboxes, src/features/mailboxes/rules/opened-mailboxes.ts), also when it
  opens none any more by then: whoever had the right for a minute may have read. p_reader: the member who got it; null: all who have it.
*/
create or replace function opened_mailboxes(p_workspace uuid, p_role uuid, p_reader uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace', w.name, 'role', r.name,
    'reader', (select coalesce(u.full_name, u.email) from users u where u.id = p_reader))
    from roles r join workspaces w on w.id = r.workspace_id where r.workspace_id = p_workspace and r.id = p_role
$$;

-- Reserves the email (subject, body_text, body_html) about an event for each active member who has a mailbox, or conversations from one,
-- but not for the reader. Once for each event.
create or replace function notify_mailbox_owners(p_workspace uuid, p_event uuid, p_reader uuid, p_email jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform reserve_messages((select coalesce(jsonb_agg(p_email
      || jsonb_build_object('id', uuidv7(), 'channel', 'email', 'purpose', 'notice', 'recipient', u.email,
      'dedupe_key', format('opened_mailboxes:%s:%s', p_event, m.user_id)) order by m.user_id), '[]')
    from memberships m join users u on u.id = m.user_id
    where m.workspace_id = p_workspace and m.status = 'active' and m.user_id is distinct from p_reader
      and (exists (select from mailboxes b where b.workspace_id = p_workspace and b.user_id = m.user_id)
        or exists (select from conversations c where c.workspace_id = p_workspace and c.private_to = m.user_id))));
end $$;
revoke execute on function opened_mailboxes, notify_mailbox_owners from public, app;
grant execute on function opened_mailboxes, notify_mailbox_owners to jobs;

-- The mailbox of a member, as the sender of an email (MailboxFacts, src/features/email/plans/personal.ts); null without one.
create or replace function mailbox_sender(p_user uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('id', m.id, 'user_id', m.user_id, 'status', m.status, 'account_email', m.account_email,
      'sender_email', m.sender_email, 'full_name', u.full_name, 'aliases', m.aliases)
    from mailboxes m join users u on u.id = m.user_id where m.workspace_id = (select current_workspace()) and m.user_id = p_user
$$;

-- The members with a connected mailbox, and the addresses that these may send as; at most p_limit.
create or replace function connected_mailboxes(p_limit int)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('user_id', m.user_id, 'full_name', u.full_name, 'email', m.account_email,
      'aliases', jsonb_path_query_array(m.aliases, '$[*].email')) order by m.created_at, m.id), '[]')
    from (select * from mailboxes where workspace_id = (select current_workspace()) order by created_at, id limit p_limit) m
    join users u on u.id = m.user_id where m.status = 'connected'
$$;

create or replace function assert_mailbox_alias(p_email text)
  returns void stable security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform from mailboxes m where m.workspace_id = (select current_workspace()) and m.status = 'connected' limit 1;
  if not found then perform fail('MAILBOX_NOT_CONNECTED', 'No mailbox is connected: leave out mailbox_sender_alias'); end if;
  perform from mailboxes m where m.workspace_id = (select current_workspace()) and m.status = 'connected'
    and m.aliases @> jsonb_build_array(jsonb_build_object('email', p_email)) limit 1;
  if not found then perform fail('ALIAS_NOT_CONNECTED', 'mailbox_sender_alias is no send-as address of a connected mailbox'); end if;
end $$;

revoke execute on function mailbox_sender, connected_mailboxes, assert_mailbox_alias from public;
grant execute on function mailbox_sender, connected_mailboxes, assert_mailbox_alias to app, jobs;
revoke execute on function store_mailbox, keep_mailbox_sender, refresh_mailbox from public, app;
grant execute on function store_mailbox, refresh_mailbox to jobs;
