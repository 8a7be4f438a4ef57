/*
  Calendars of members at outside providers: connections, the calendars that a member has chosen of them, and what requests may do with
  both. The background (calendar-jobs.sql, calendar-sync.sql) reads them into busy_times.
*/

-- Stores the account to which a member has given access, with its calendars (StoredGrant, src/features/calendars/plans/store.ts). One that
-- is known is connected again.
create or replace function store_calendar_connection(p_user uuid, p jsonb) returns uuid language plpgsql as $$
declare
  w constant uuid := current_workspace();
  former constant text := (select status from calendar_connections
    where workspace_id = w and user_id = p_user and provider = p ->> 'provider' and account_id = p ->> 'account_id');
  stored uuid;
begin
  -- Locked, so that the connections of a member are counted one after the other.
  perform from memberships where workspace_id = w and user_id = p_user and status = 'active' for no key update;
  perform assert_condition(found, 'NOT_FOUND', 'No such member in this workspace');
  perform assert_condition((select count(*) from calendar_connections
    where workspace_id = w and user_id = p_user) < calendar_connections_limit() or former is not null,
    'CONFLICT', format('A member has at most %s calendar connections: delete one that is no longer used', calendar_connections_limit()));
  insert into calendar_connections (user_id, provider, account_id, account_email)
    values (p_user, p ->> 'provider', p ->> 'account_id', p ->> 'account_email')
    on conflict (workspace_id, user_id, provider, account_id)
      do update set account_email = excluded.account_email, status = 'connected', error = null, due_at = null, attempts = 0
    returning id into stored;
  insert into account_grants (connection_id, sealed_access_token, access_expires_at, sealed_refresh_token)
    values (stored, p ->> 'sealed_access_token', (p ->> 'access_expires_at')::timestamptz, p ->> 'sealed_refresh_token')
    on conflict (workspace_id, connection_id)
      do update set sealed_access_token = excluded.sealed_access_token, access_expires_at = excluded.access_expires_at,
      sealed_refresh_token = coalesce(excluded.sealed_refresh_token, account_grants.sealed_refresh_token), refresh_claim_id = null,
        refresh_claimed_until = null;
  perform store_connection_calendars(stored, p -> 'calendars', coalesce(former, 'disconnected') = 'disconnected');
  return stored;
end $$;

/*
  Stores the calendars that the provider lists for a connection. Those that it no longer lists are deleted with their busy times. With
  p_choose the primary one is chosen: it makes the member unavailable, and takes the bookings if no other calendar does.
*/
create or replace function store_connection_calendars(p_connection uuid, p_calendars jsonb, p_choose boolean)
  returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  member constant uuid := (select user_id from calendar_connections where workspace_id = w and id = p_connection);
begin
  delete from connection_calendars
    where workspace_id = w and connection_id = p_connection
    and outside_id <> all (array(select c ->> 'id' from jsonb_array_elements(p_calendars) c));
  insert into connection_calendars (connection_id, user_id, outside_id, name, timezone, is_primary, is_writable)
    select p_connection, member, c ->> 'id', c ->> 'name', c ->> 'timezone', (c ->> 'primary')::boolean, (c ->> 'writable')::boolean
      from jsonb_array_elements(p_calendars) c
    on conflict (workspace_id, connection_id, outside_id)
      do update set name = excluded.name, timezone = excluded.timezone, is_primary = excluded.is_primary,
      is_writable = excluded.is_writable, write_to = connection_calendars.write_to and excluded.is_writable;
  update connection_calendars set busy_from = true, busy_since = now(), write_to = is_writable
      and not exists (select from connection_calendars o where o.workspace_id = w and o.user_id = member and o.write_to)
    where p_choose and workspace_id = w
    and id = (select id from connection_calendars where workspace_id = w and connection_id = p_connection and is_primary
      order by id limit 1);
  update connection_calendars set due_at = now(), attempts = 0, error = null
    where workspace_id = w and connection_id = p_connection and (busy_from or write_to);
end $$;

-- Chooses what a calendar is used for; null leaves it as it is. What was read from a calendar that no longer makes the member unavailable
-- is deleted.
create or replace function choose_calendar(p_connection uuid, p_id uuid, p_busy boolean, p_write boolean)
  returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  member constant uuid := (select user_id from calendar_connections where workspace_id = w and id = p_connection);
  c connection_calendars;
begin
  perform from calendar_connections where workspace_id = w and user_id = member order by id for update;
  select * into c from connection_calendars where workspace_id = w and id = p_id and connection_id = p_connection for update;
  perform assert_exists(c.id is not null, 'calendar of this connection', p_id);
  if p_write and not c.is_writable then
    perform fail('VALIDATION_ERROR', 'The calendar cannot be written to',
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'write_to',
      'message', 'This account may only read the calendar: choose one with is_writable'))));
  end if;
  if p_write then
    update connection_calendars set write_to = false where workspace_id = w and user_id = member and write_to and id <> p_id;
  end if;
  if not p_busy and c.busy_from then
    delete from busy_times where workspace_id = w and calendar_id = p_id;
  end if;
  update connection_calendars
      set write_to = coalesce(p_write, write_to), busy_from = coalesce(p_busy, busy_from), due_at = now(), attempts = 0,
      busy_since = case when coalesce(p_busy, busy_from) then coalesce(busy_since, now()) end, stale_since = null,
      -- Events that were read while they did not count are read again.
      cursor = case when p_busy and not c.busy_from then null else cursor end,
        synced_at = case when p_busy and not c.busy_from then null else synced_at end
    where workspace_id = w and id = p_id;
end $$;

-- Has the calendars of a connection read again, as a whole.
create or replace function resync_calendars(p_connection uuid) returns void language plpgsql as $$
begin
  perform assert_connected(p_connection);
  update connection_calendars set cursor = null, due_at = now(), attempts = 0
    where workspace_id = (select current_workspace()) and connection_id = p_connection and (busy_from or write_to);
end $$;

create or replace function assert_connected(p_connection uuid) returns void language plpgsql as $$
begin
  perform assert_account_connected('connection',
    (select status from calendar_connections where workspace_id = (select current_workspace()) and id = p_connection));
end $$;

-- Ends connections: what was read from them is deleted at once, and the background ends the channels and the grant, and deletes the rows.
create or replace function disconnect_calendars(p_connections uuid[]) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  delete from busy_times where workspace_id = w
    and calendar_id = any (array(select id from connection_calendars where workspace_id = w and connection_id = any (p_connections)));
  update connection_calendars set busy_from = false, busy_since = null, write_to = false, due_at = null, stale_since = null
    where workspace_id = w and connection_id = any (p_connections);
  update calendar_connections set status = 'disconnected', error = null, due_at = now(), attempts = 0
    where workspace_id = w and id = any (p_connections) and status <> 'disconnected';
end $$;
