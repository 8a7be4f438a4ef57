/*
  Reading calendars into busy_times (src/features/calendars/work/read-calendars.ts). A notification that comes during a reading sets due_at,
  so the calendar is read again afterwards.
*/

-- Calendars that a worker has claimed (ClaimedCalendar, src/features/calendars/plans/sync.ts).
create or replace function read_calendars(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select k.id, jsonb_build_object('id', k.id, 'connection_id', c.id, 'provider', c.provider, 'outside_id', k.outside_id,
      'zone', coalesce(k.timezone, (select timezone from workspaces where id = p_workspace)), 'is_connected', c.status = 'connected',
      'is_used', k.busy_from or k.write_to, 'cursor', case when k.fully_synced_at > now() - interval '1 day' then k.cursor end,
        'now', iso(now()),
      'is_channel_due', coalesce(k.channel_due_at <= now(), true), 'channel', case when k.channel_expires_at > now() then
        jsonb_build_object('id', k.channel_id, 'resource_id', k.channel_resource) end)
    from connection_calendars k join calendar_connections c on c.workspace_id = p_workspace and c.id = k.connection_id
    where k.workspace_id = p_workspace and k.id = any (p_ids)
$$;

-- A calendar whose claim holds, with its lease renewed; null if the claim is lost.
create or replace function hold_calendar(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int) returns connection_calendars
  security definer set search_path = public, pg_temp language sql as $$
  select k from connection_calendars k
    where extend_work('calendars.sync', p_workspace, p_id, p_claim, p_lease, '{}') and k.workspace_id = p_workspace and k.id = p_id
$$;

/*
  Stores the times of a page of events: [{source, times: [[from, to], …]}]. Events without times are those that do not count. Rows that are
  the same stay, so that bookings that are being made need not be decided again. False if the claim is over.
*/
create or replace function store_calendar_page(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int, p_events jsonb,
  p_read_at timestamptz, p_full boolean) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k constant connection_calendars := hold_calendar(p_workspace, p_id, p_claim, p_lease);
  sources constant text[] := array(select e ->> 'source' from jsonb_array_elements(p_events) e);
begin
  if k.id is null then return false; end if;
  if not k.busy_from then return true; end if;
  with wanted as (select e ->> 'source' as source, (t ->> 0)::timestamptz as starts_at, (t ->> 1)::timestamptz as ends_at
      from jsonb_array_elements(p_events) e, jsonb_array_elements(e -> 'times') t)
  delete from busy_times b where b.workspace_id = p_workspace and b.calendar_id = p_id and b.source = any (sources)
    and not exists (select from wanted w where w.source = b.source and w.starts_at = b.starts_at and w.ends_at = b.ends_at);
  insert into busy_times (workspace_id, host_id, calendar_id, source, starts_at, ends_at, read_at)
    select distinct p_workspace, k.user_id, p_id, e ->> 'source', (t ->> 0)::timestamptz, (t ->> 1)::timestamptz, p_read_at
      from jsonb_array_elements(p_events) e, jsonb_array_elements(e -> 'times') t
      where not exists (select from busy_times b where b.workspace_id = p_workspace and b.calendar_id = p_id and b.source = e ->> 'source'
        and b.starts_at = (t ->> 0)::timestamptz and b.ends_at = (t ->> 1)::timestamptz);
  if p_full then
    update busy_times set read_at = p_read_at where workspace_id = p_workspace and calendar_id = p_id and source = any (sources);
  end if;
  return true;
end $$;

/*
  Ends a reading that was stored whole (p: reading, with since, cursor, read_at, is_full), whatever was reported meanwhile. What a reading
  of everything has not found no longer exists. One that began before its calendar counted has not stored all its times, and one of changes
  does not stand for the reading of everything that was requested meanwhile: after either everything is read.
*/
create or replace function conclude_calendar(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
declare
  began_at constant timestamptz := (p #>> '{reading,read_at}')::timestamptz;
  is_full constant boolean := (p #>> '{reading,is_full}')::boolean;
  read connection_calendars;
begin
  if began_at is null then return null; end if;
  select * into read from connection_calendars where workspace_id = p_workspace and id = p_id for update;
  if read.busy_from and read.busy_since > began_at or not is_full and read.cursor is distinct from p #>> '{reading,since}' then
    return null;
  end if;
  if is_full then
    delete from busy_times b where b.workspace_id = p_workspace and b.calendar_id = p_id and b.read_at < began_at;
  end if;
  update connection_calendars set cursor = p #>> '{reading,cursor}', synced_at = began_at, stale_since = null, error = null,
      fully_synced_at = case when is_full then began_at else fully_synced_at end
    where workspace_id = p_workspace and id = p_id;
  update calendar_connections c set last_synced_at = began_at from connection_calendars k
    where k.workspace_id = p_workspace and k.id = p_id and c.workspace_id = p_workspace and c.id = k.connection_id;
  return null;
end $$;

-- Notes the channel before the provider is called to open it, because its first notification may come before the response.
create or replace function begin_calendar_channel(p_workspace uuid, p_id uuid, p_claim uuid, p_channel uuid, p_hash text) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update connection_calendars set channel_state = 'renewing', next_channel_id = p_channel, next_channel_secret_hash = decode(p_hash, 'hex')
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim;
  return found;
end $$;

/*
  Stores the channel that was opened, or without p that it could not be: the former one stays in use until it expires. Returns the channel
  that is to be stopped. A channel is renewed a day before it expires, or when half of a shorter life is over.
*/
create or replace function settle_calendar_channel(p_workspace uuid, p_id uuid, p_channel uuid, p jsonb) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k connection_calendars;
  until constant timestamptz := (p ->> 'expires_at')::timestamptz;
begin
  select * into k from connection_calendars where workspace_id = p_workspace and id = p_id and next_channel_id = p_channel for update;
  if k.id is null then return null; end if;
  if p is null then
    update connection_calendars
      set channel_state = case when channel_expires_at > now() then 'active' else 'lapsed' end, next_channel_id = null,
      next_channel_secret_hash = null, channel_due_at = now() + interval '1 hour' where workspace_id = p_workspace and id = p_id;
    return null;
  end if;
  update connection_calendars
      set channel_state = 'active', channel_id = p_channel, channel_resource = p ->> 'resource_id',
        channel_secret_hash = next_channel_secret_hash,
      channel_expires_at = until, next_channel_id = null, next_channel_secret_hash = null,
        channel_due_at = greatest(until - interval '1 day', now() + (until - now()) / 2)
    where workspace_id = p_workspace and id = p_id;
  return case when k.channel_expires_at > now() then jsonb_build_object('id', k.channel_id, 'resource_id', k.channel_resource) end;
end $$;

-- Forgets the channel of a calendar that is no longer used.
create or replace function drop_calendar_channel(p_workspace uuid, p_id uuid, p_claim uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update connection_calendars
    set channel_state = null, channel_id = null, channel_resource = null, channel_secret_hash = null,
      channel_expires_at = null, channel_due_at = null
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Has the calendar of a channel read now, because its provider has reported a change. Null if there is no such channel, or the secret is
-- another one.
create or replace function notify_calendar(p_channel uuid, p_hash text)
  returns jsonb security definer set search_path = public, pg_temp language sql as $$
  update connection_calendars set due_at = now()
    where due_at is not null and ((channel_id = p_channel and channel_secret_hash = decode(p_hash, 'hex'))
    or (next_channel_id = p_channel and next_channel_secret_hash = decode(p_hash, 'hex')))
  returning jsonb_build_object('workspace_id', workspace_id, 'calendar_id', id)
$$;

-- Announces, once each, that members cannot be booked because their calendars were not read for too long. Returns how many.
create or replace function mark_stale_calendars(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k record;
  marked int := 0;
begin
  for k in
    select s.*, c.status, c.provider, c.account_email from (select * from connection_calendars where busy_from and stale_since is null
        and coalesce(synced_at, busy_since) < now() - calendar_stale_after() order by coalesce(synced_at, busy_since) limit p_limit
        for update skip locked) s
      join calendar_connections c on c.workspace_id = s.workspace_id and c.id = s.connection_id
  loop
    perform set_config('app.workspace_id', k.workspace_id::text, true);
    update connection_calendars set stale_since = now() where workspace_id = k.workspace_id and id = k.id;
    -- An error was announced when it came.
    if k.status = 'connected' then
      perform emit('calendar_connection.stale', 'calendar_connection', k.connection_id,
        jsonb_build_object('user_id', k.user_id, 'provider', k.provider,
        'account_email', k.account_email, 'calendar_id', k.id, 'synced_at', iso(k.synced_at), 'error', k.error));
    end if;
    marked := marked + 1;
  end loop;
  return marked;
end $$;

revoke execute on function read_calendars, hold_calendar, conclude_calendar, store_calendar_page, begin_calendar_channel,
  settle_calendar_channel, drop_calendar_channel, notify_calendar, mark_stale_calendars from public, app, jobs;
grant execute on function store_calendar_page, begin_calendar_channel, settle_calendar_channel, drop_calendar_channel, notify_calendar,
  mark_stale_calendars to jobs;
