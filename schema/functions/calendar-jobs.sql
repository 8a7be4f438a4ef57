-- What the background does for connections of calendars, beside what it does for all accounts (accounts.sql).

create or replace function finish_calendar_grant(p_workspace uuid, p_user uuid, p jsonb)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
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

revoke execute on function finish_calendar_grant, refresh_connection_calendars from public, app;
grant execute on function finish_calendar_grant, refresh_connection_calendars to jobs;
