/*
  What the background does for connections of calendars: it finishes the grants that members give, refreshes access tokens, and ends what was disconnected. A row of
  calendar_grants is locked while it is decided who refreshes it, so that one worker does.
*/

-- Takes the request that a state belongs to. It is deleted, so a state works once. Null for an unknown or expired one.
create or replace function take_calendar_grant_request(p_hash text) returns jsonb security definer set search_path = public, pg_temp language sql as $$
  with taken as (delete from calendar_grant_requests where state_hash = decode(p_hash, 'hex') returning *)
  select jsonb_build_object('workspace_id', workspace_id, 'user_id', user_id, 'provider', provider, 'sealed_verifier', sealed_verifier) from taken where expires_at > now()
$$;

create or replace function finish_calendar_grant(p_workspace uuid, p_user uuid, p jsonb) returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_config('app.user_id', p_user::text, true);
  perform set_cause('provider', null);
  return store_calendar_connection(p_user, p);
end $$;

-- Stores the calendars that the provider lists now for a connection.
create or replace function refresh_connection_calendars(p_workspace uuid, p_connection uuid, p_calendars jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from calendar_connections where workspace_id = p_workspace and id = p_connection and status = 'connected' for update;
  if found then perform store_connection_calendars(p_connection, p_calendars, false); end if;
end $$;

/*
  The access token of a connection, if it is valid for another minute and is not the one that the provider has refused; else the refresh token, for the one worker that gets
  p_lease seconds to use it. `wait`: another one has it. `ended`: the connection cannot be used.
*/
create or replace function claim_calendar_token(p_workspace uuid, p_connection uuid, p_claim uuid, p_lease int, p_refused text) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  g calendar_grants;
begin
  perform from calendar_connections where workspace_id = p_workspace and id = p_connection and status = 'connected';
  if not found then return '{"state": "ended"}'; end if;
  select * into g from calendar_grants where workspace_id = p_workspace and connection_id = p_connection for update;
  if g.id is null then return '{"state": "ended"}'; end if;
  if g.sealed_access_token is distinct from p_refused and coalesce(g.access_expires_at > now() + interval '1 minute', true) then
    return jsonb_build_object('state', 'fresh', 'sealed_access_token', g.sealed_access_token);
  end if;
  if g.refresh_claimed_until > now() then return '{"state": "wait"}'; end if;
  update calendar_grants set refresh_claim_id = p_claim, refresh_claimed_until = now() + make_interval(secs => p_lease) where workspace_id = p_workspace and id = g.id;
  return jsonb_build_object('state', 'claimed', 'sealed_refresh_token', g.sealed_refresh_token);
end $$;

-- Stores the outcome of a refresh: new tokens, or why there are none. `failed` null: it is tried again.
create or replace function settle_calendar_token(p_workspace uuid, p_connection uuid, p_claim uuid, p jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update calendar_grants set sealed_access_token = coalesce(p ->> 'sealed_access_token', sealed_access_token),
      access_expires_at = case when p ? 'sealed_access_token' then (p ->> 'access_expires_at')::timestamptz else access_expires_at end,
      sealed_refresh_token = coalesce(p ->> 'sealed_refresh_token', sealed_refresh_token), refresh_claim_id = null, refresh_claimed_until = null
    where workspace_id = p_workspace and connection_id = p_connection and refresh_claim_id = p_claim;
  if found and p ->> 'failed' is not null then perform fail_calendar_connection(p_workspace, p_connection, p ->> 'failed'); end if;
end $$;

-- Notes that a connection cannot be used until its member connects the account again, and announces it once.
create or replace function fail_calendar_connection(p_workspace uuid, p_connection uuid, p_error text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  c calendar_connections;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  update calendar_connections set status = 'error', error = p_error where workspace_id = p_workspace and id = p_connection and status = 'connected' returning * into c;
  if c.id is null then return; end if;
  update connection_calendars set due_at = null where workspace_id = p_workspace and connection_id = p_connection;
  perform emit('calendar_connection.errored', 'calendar_connection', c.id, jsonb_build_object('user_id', c.user_id, 'provider', c.provider,
    'account_email', c.account_email, 'error', c.error));
end $$;

/*
  Claims a connection that is being ended, with what the provider must know: the channels, and the grant, unless another connection to the same account is in use, which would
  lose its access too. Null if none of the workspace is due.
*/
create or replace function claim_ended_connection(p_workspace uuid, p_lease int) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  c calendar_connections;
begin
  select * into c from calendar_connections where workspace_id = p_workspace and due_at <= now() and status = 'disconnected' order by due_at, id limit 1 for update skip locked;
  if c.id is null then return null; end if;
  update calendar_connections set due_at = now() + make_interval(secs => p_lease), attempts = attempts + 1 where workspace_id = p_workspace and id = c.id;
  return (select jsonb_build_object('id', c.id, 'provider', c.provider, 'attempts', c.attempts + 1, 'sealed_access_token', g.sealed_access_token,
      'sealed_refresh_token', g.sealed_refresh_token, 'is_shared', exists (select from calendar_connections o where o.provider = c.provider and o.account_id = c.account_id
        and (o.workspace_id, o.id) <> (c.workspace_id, c.id) and o.status <> 'disconnected'),
      'channels', (select coalesce(jsonb_agg(jsonb_build_object('id', k.channel_id, 'resource_id', k.channel_resource)), '[]') from connection_calendars k
        where k.workspace_id = p_workspace and k.connection_id = c.id and k.channel_id is not null and k.channel_expires_at > now()))
    from calendar_grants g where g.workspace_id = p_workspace and g.connection_id = c.id);
end $$;

-- Deletes a connection whose end the provider has confirmed, or that has been tried often enough. One that was connected again stays.
create or replace function end_connection(p_workspace uuid, p_connection uuid) returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  delete from calendar_connections where workspace_id = p_workspace and id = p_connection and status = 'disconnected';
end $$;

revoke execute on function take_calendar_grant_request, finish_calendar_grant, refresh_connection_calendars, claim_calendar_token, settle_calendar_token,
  fail_calendar_connection, claim_ended_connection, end_connection from public, app;
grant execute on function take_calendar_grant_request, finish_calendar_grant, refresh_connection_calendars, claim_calendar_token, settle_calendar_token,
  fail_calendar_connection, claim_ended_connection, end_connection to jobs;
