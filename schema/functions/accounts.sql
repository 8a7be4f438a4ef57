/*
  The accounts that members connect, of calendars and of mailboxes: the background finishes the grants that they give, refreshes access
  tokens, and ends what was disconnected. A row of account_grants is locked while it is decided who refreshes it, so that one worker does.
  p_account is the id of a connection or of a mailbox.
*/

-- Refuses an account with this status that is not connected; p_what names it.
create or replace function assert_account_connected(p_what text, p_status text) returns void language plpgsql as $$
begin
  if p_status <> 'connected' then
    perform fail('INVALID_STATE',
      format('The %s is %s: connect the account again', p_what, case p_status when 'error' then 'in error' else p_status end),
      jsonb_build_object('state', p_status, 'allowed', '["connected"]'::jsonb));
  end if;
end $$;

/*
  Takes the request that a state belongs to, with the member and the workspace that the account is for. It is deleted, so a state works
  once. Null for an unknown or expired one, and for the token of an account that waits.
*/
create or replace function take_grant_request(p_hash text)
  returns jsonb security definer set search_path = public, pg_temp language sql as $$
  with taken as (delete from grant_requests where state_hash = decode(p_hash, 'hex') and sealed_verifier is not null returning *)
  select jsonb_build_object('workspace_id', t.workspace_id, 'user_id', t.user_id, 'purpose', t.purpose, 'provider', t.provider,
      'sealed_verifier', t.sealed_verifier, 'workspace_name', w.name, 'member_name', u.full_name, 'member_email', u.email)
    from taken t join workspaces w on w.id = t.workspace_id join users u on u.id = t.user_id where t.expires_at > now()
$$;

-- Keeps an account that came back until its member confirms it with the token that p_hash belongs to.
create or replace function hold_account(p_workspace uuid, p_user uuid, p_purpose text, p_provider text, p_hash text,
  p_sealed text, p_minutes int) returns void
  security definer set search_path = public, pg_temp language sql as $$
  insert into grant_requests (workspace_id, id, user_id, purpose, provider, state_hash, sealed_account, expires_at)
    select p_workspace, uuidv7(), p_user, p_purpose, p_provider, decode(p_hash, 'hex'), p_sealed, now() + make_interval(mins => p_minutes)
    from memberships where workspace_id = p_workspace and user_id = p_user and status = 'active'
$$;

-- Takes the account that a token belongs to. It is deleted, so a token works once. Null for an unknown or expired one, and for a state.
create or replace function take_held_account(p_hash text)
  returns jsonb security definer set search_path = public, pg_temp language sql as $$
  with taken as (delete from grant_requests where state_hash = decode(p_hash, 'hex') and sealed_account is not null returning *)
  select jsonb_build_object('workspace_id', workspace_id, 'user_id', user_id, 'purpose', purpose, 'provider', provider,
    'sealed_account', sealed_account) from taken
    where expires_at > now()
$$;

-- The grant of an account that is connected; null for any other.
create or replace function lock_grant(p_workspace uuid, p_account uuid) returns account_grants language plpgsql as $$
declare
  g account_grants;
begin
  select * into g from account_grants where workspace_id = p_workspace and connection_id = p_account
    and exists (select from calendar_connections where workspace_id = p_workspace and id = p_account and status = 'connected') for update;
  if g.id is null then
    select * into g from account_grants where workspace_id = p_workspace and mailbox_id = p_account
      and exists (select from mailboxes where workspace_id = p_workspace and id = p_account and status = 'connected') for update;
  end if;
  return g;
end $$;

/*
  The access token of an account, if it is valid for another minute and is not the one that the provider has refused; else the refresh
  token, for the one worker that gets p_lease seconds to use it. `wait`: another one has it. `ended`: the account cannot be used.
*/
create or replace function claim_token(p_workspace uuid, p_account uuid, p_claim uuid, p_lease int, p_refused text) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  g constant account_grants := lock_grant(p_workspace, p_account);
begin
  if g.id is null then return '{"state": "ended"}'; end if;
  if g.sealed_access_token is distinct from p_refused and coalesce(g.access_expires_at > now() + interval '1 minute', true) then
    return jsonb_build_object('state', 'fresh', 'sealed_access_token', g.sealed_access_token);
  end if;
  if g.refresh_claimed_until > now() then return '{"state": "wait"}'; end if;
  update account_grants set refresh_claim_id = p_claim, refresh_claimed_until = now() + make_interval(secs => p_lease)
    where workspace_id = p_workspace and id = g.id;
  return jsonb_build_object('state', 'claimed', 'sealed_refresh_token', g.sealed_refresh_token);
end $$;

-- Stores the outcome of a refresh: new tokens, or why there are none. `failed` null: it is tried again.
create or replace function settle_token(p_workspace uuid, p_account uuid, p_claim uuid, p jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  settled uuid;
begin
  update account_grants set sealed_access_token = coalesce(p ->> 'sealed_access_token', sealed_access_token),
      access_expires_at = case when p ? 'sealed_access_token' then (p ->> 'access_expires_at')::timestamptz else access_expires_at end,
      sealed_refresh_token = coalesce(p ->> 'sealed_refresh_token', sealed_refresh_token), refresh_claim_id = null,
        refresh_claimed_until = null
    where workspace_id = p_workspace and id = (select id from account_grants where workspace_id = p_workspace and connection_id = p_account
        union all select id from account_grants where workspace_id = p_workspace and mailbox_id = p_account) and refresh_claim_id = p_claim
    returning id into settled;
  if settled is not null and p ->> 'failed' is not null then perform fail_account(p_workspace, p_account, p ->> 'failed'); end if;
end $$;

-- Notes that an account cannot be used until its member connects it again, and announces it once.
create or replace function fail_account(p_workspace uuid, p_account uuid, p_error text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  c calendar_connections;
  m mailboxes;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  update calendar_connections set status = 'error', error = p_error
    where workspace_id = p_workspace and id = p_account and status = 'connected' returning * into c;
  if c.id is not null then
    update connection_calendars set due_at = null where workspace_id = p_workspace and connection_id = p_account;
    perform emit('calendar_connection.errored', 'calendar_connection', c.id,
      jsonb_build_object('user_id', c.user_id, 'provider', c.provider, 'account_email', c.account_email, 'error', c.error));
    return;
  end if;
  update mailboxes set status = 'error', error = p_error, due_at = null
    where workspace_id = p_workspace and id = p_account and status = 'connected' returning * into m;
  if m.id is not null then
    perform emit('mailbox.errored', 'mailbox', m.id,
      jsonb_build_object('user_id', m.user_id, 'provider', m.provider, 'account_email', m.account_email, 'error', m.error));
  end if;
end $$;

/*
  Accounts that a worker has claimed to end them (EndedAccount, src/features/accounts/plans/end-accounts.ts), with what the provider must
  know: the channels, and the grant. Providers end all grants that an account has given, so it is kept while the account is connected
  anywhere else (is_shared).
*/
create or replace function read_ended_connections(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select c.id, jsonb_build_object('provider', c.provider, 'sealed_refresh_token', g.sealed_refresh_token,
      'is_shared', is_account_in_use(c.provider, c.account_id),
          'channels', (select coalesce(jsonb_agg(jsonb_build_object('id', k.channel_id, 'resource_id', k.channel_resource)), '[]')
        from connection_calendars k where k.workspace_id = p_workspace and k.connection_id = c.id and k.channel_id is not null
          and k.channel_expires_at > now()))
    from calendar_connections c left join account_grants g on g.workspace_id = p_workspace and g.connection_id = c.id
    where c.workspace_id = p_workspace and c.id = any (p_ids)
$$;

create or replace function read_ended_mailboxes(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select m.id, jsonb_build_object('provider', m.provider, 'sealed_refresh_token', g.sealed_refresh_token,
      'is_shared', is_account_in_use(m.provider, m.account_id), 'channels', '[]'::jsonb, 'is_watched', m.watch_expires_at > now()
        and not exists (
        select from mailboxes o where o.provider = m.provider and o.account_id = m.account_id and o.status <> 'disconnected'))
    from mailboxes m left join account_grants g on g.workspace_id = p_workspace and g.mailbox_id = m.id
    where m.workspace_id = p_workspace and m.id = any (p_ids)
$$;

-- Whether anybody uses an account, for calendars or as a mailbox.
create or replace function is_account_in_use(p_provider text, p_account text)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from calendar_connections
    where provider = case p_provider when 'gmail' then 'google' else p_provider end and account_id = p_account and status <> 'disconnected')
    or exists (select from mailboxes where provider = case p_provider when 'google' then 'gmail' else p_provider end
      and account_id = p_account and status <> 'disconnected')
$$;

-- Deletes an account whose end the provider has confirmed, or that has been tried often enough (p: ended). One that was connected again
-- stays.
create or replace function conclude_ended_account(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb)
  returns int language plpgsql as $$
begin
  if (p ->> 'ended')::boolean then
    delete from calendar_connections where workspace_id = p_workspace and id = p_id and status = 'disconnected';
    delete from mailboxes where workspace_id = p_workspace and id = p_id and status = 'disconnected';
  end if;
  return null;
end $$;

-- The calendars and the mailbox of a member who leaves the workspace are no longer read.
create or replace function disconnect_member() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform disconnect_calendars(array(select id from calendar_connections where workspace_id = new.workspace_id and user_id = new.user_id
    order by id));
  perform disconnect_mailboxes(array(select id from mailboxes where workspace_id = new.workspace_id and user_id = new.user_id));
  return null;
end $$;
create or replace trigger disconnect_member after update of status on memberships for each row
  when (new.status = 'removed' and old.status <> 'removed') execute function disconnect_member();
revoke execute on function disconnect_member from public;

revoke execute on function take_grant_request, hold_account, take_held_account, lock_grant, claim_token, settle_token, fail_account,
  read_ended_connections, read_ended_mailboxes, is_account_in_use, conclude_ended_account from public, app, jobs;
grant execute on function take_grant_request, hold_account, take_held_account, is_account_in_use, claim_token,
  settle_token, fail_account to jobs;
