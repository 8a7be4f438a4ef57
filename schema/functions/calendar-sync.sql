/*
  Reading calendars into busy_times. A claim gives one worker a lease; every later step requires the claim. `due_at` is the end of the lease meanwhile, so a notification
  that comes during a reading changes it, and the calendar is read again afterwards.
*/

-- At most p_limit workspaces with calendars that are due, or with connections that are being ended.
create or replace function waiting_calendars(p_limit int) returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id from (
    (select workspace_id from connection_calendars where due_at <= now() order by due_at limit 1000)
    union all (select workspace_id from calendar_connections where due_at <= now() order by due_at limit 1000)) due
  group by workspace_id limit p_limit
$$;

-- The calendars of a workspace that are due, longest first.
create or replace function due_calendars(p_workspace uuid, p_limit int) returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(id order by due_at, id), '[]') from (select id, due_at from connection_calendars where workspace_id = p_workspace and due_at <= now()
    order by due_at, id limit p_limit) due
$$;

-- Claims a calendar that is due for p_lease seconds (ClaimedCalendar, src/services/calendars/sync.ts); null if it is not due, or another worker has it.
create or replace function claim_calendar(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k connection_calendars;
  c calendar_connections;
begin
  select * into k from connection_calendars where workspace_id = p_workspace and id = p_id and due_at <= now() and (claimed_until is null or claimed_until <= now())
    for update skip locked;
  if k.id is null then return null; end if;
  select * into c from calendar_connections where workspace_id = p_workspace and id = k.connection_id;
  if c.status <> 'connected' then
    update connection_calendars set due_at = null where workspace_id = p_workspace and id = p_id;
    return null;
  end if;
  update connection_calendars set claim_id = p_claim, claimed_until = now() + make_interval(secs => p_lease), due_at = now() + make_interval(secs => p_lease),
      attempts = attempts + 1 where workspace_id = p_workspace and id = p_id;
  return jsonb_build_object('id', k.id, 'connection_id', c.id, 'provider', c.provider, 'outside_id', k.outside_id,
    'zone', coalesce(k.timezone, (select timezone from workspaces where id = p_workspace)), 'is_used', k.busy_from or k.write_to,
    'cursor', case when k.fully_synced_at > now() - interval '1 day' then k.cursor end, 'attempts', k.attempts + 1, 'now', iso(now()),
    'is_channel_due', coalesce(k.channel_due_at <= now(), true), 'channel', case when k.channel_expires_at > now() then jsonb_build_object('id', k.channel_id,
      'resource_id', k.channel_resource) end);
end $$;

-- Locks a claimed calendar, and extends its lease. Null if the claim is over.
create or replace function hold_calendar(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int) returns connection_calendars
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k connection_calendars;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update connection_calendars set claimed_until = now() + make_interval(secs => p_lease),
      due_at = case when due_at is not distinct from claimed_until then now() + make_interval(secs => p_lease) else due_at end
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim returning * into k;
  return k;
end $$;

/*
  Stores the times of a page of events: [{source, times: [[from, to], …]}]. Events without times are those that do not count. Rows that are the same stay, so that bookings that are
  being made need not be decided again. False if the claim is over.
*/
create or replace function store_calendar_page(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int, p_events jsonb, p_read_at timestamptz, p_full boolean) returns boolean
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

-- Ends a reading that was stored whole. What a reading of everything has not found no longer exists. Returns whether the calendar is due again at once.
create or replace function finish_calendar_sync(p_workspace uuid, p_id uuid, p_claim uuid, p_cursor text, p_read_at timestamptz, p_full boolean) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k connection_calendars;
  is_same boolean;
begin
  select * into k from connection_calendars where workspace_id = p_workspace and id = p_id and claim_id = p_claim for update;
  if k.id is null then return false; end if;
  is_same := k.due_at is not distinct from k.claimed_until;
  if p_full then
    delete from busy_times where workspace_id = p_workspace and calendar_id = p_id and read_at < p_read_at;
  end if;
  update connection_calendars set cursor = p_cursor, synced_at = p_read_at, fully_synced_at = case when p_full then p_read_at else fully_synced_at end, stale_since = null,
      error = null, attempts = 0, claim_id = null, claimed_until = null, due_at = case when is_same then now() + calendar_catch_up() else now() end
    where workspace_id = p_workspace and id = p_id;
  update calendar_connections set last_synced_at = p_read_at where workspace_id = p_workspace and id = k.connection_id;
  return not is_same;
end $$;

-- Ends a claim without a reading: after a failure it is tried again in p_wait seconds; null if the calendar is no longer used.
create or replace function release_calendar(p_workspace uuid, p_id uuid, p_claim uuid, p_error text, p_wait int) returns void
  security definer set search_path = public, pg_temp language sql as $$
  update connection_calendars set error = p_error, claim_id = null, claimed_until = null,
      due_at = case when due_at is distinct from claimed_until then due_at else now() + make_interval(secs => p_wait) end
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Notes the channel before the provider is called to open it, because its first notification may come before the response.
create or replace function begin_calendar_channel(p_workspace uuid, p_id uuid, p_claim uuid, p_channel uuid, p_hash text) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update connection_calendars set channel_state = 'renewing', next_channel_id = p_channel, next_channel_secret_hash = decode(p_hash, 'hex')
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim;
  return found;
end $$;

/*
  Stores the channel that was opened, or without p that it could not be: the former one stays in use until it expires. Returns the channel that is to be stopped. A channel is
  renewed a day before it expires, or when half of a shorter life is over.
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
    update connection_calendars set channel_state = case when channel_expires_at > now() then 'active' else 'lapsed' end, next_channel_id = null,
      next_channel_secret_hash = null, channel_due_at = now() + interval '1 hour' where workspace_id = p_workspace and id = p_id;
    return null;
  end if;
  update connection_calendars set channel_state = 'active', channel_id = p_channel, channel_resource = p ->> 'resource_id', channel_secret_hash = next_channel_secret_hash,
      channel_expires_at = until, next_channel_id = null, next_channel_secret_hash = null, channel_due_at = greatest(until - interval '1 day', now() + (until - now()) / 2)
    where workspace_id = p_workspace and id = p_id;
  return case when k.channel_expires_at > now() then jsonb_build_object('id', k.channel_id, 'resource_id', k.channel_resource) end;
end $$;

-- Forgets the channel of a calendar that is no longer used.
create or replace function drop_calendar_channel(p_workspace uuid, p_id uuid, p_claim uuid) returns void security definer set search_path = public, pg_temp language sql as $$
  update connection_calendars set channel_state = null, channel_id = null, channel_resource = null, channel_secret_hash = null, channel_expires_at = null, channel_due_at = null
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Has the calendar of a channel read now, because its provider has reported a change. Null if there is no such channel, or the secret is another one.
create or replace function notify_calendar(p_channel uuid, p_hash text) returns jsonb security definer set search_path = public, pg_temp language sql as $$
  update connection_calendars set due_at = now() where due_at is not null and ((channel_id = p_channel and channel_secret_hash = decode(p_hash, 'hex'))
    or (next_channel_id = p_channel and next_channel_secret_hash = decode(p_hash, 'hex')))
  returning jsonb_build_object('workspace_id', workspace_id, 'calendar_id', id)
$$;

-- Announces, once each, that members cannot be booked because their calendars were not read for too long. Returns how many.
create or replace function mark_stale_calendars(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k record;
  marked int := 0;
begin
  for k in
    select s.*, c.status, c.provider, c.account_email from (select * from connection_calendars where busy_from and stale_since is null
        and coalesce(synced_at, busy_since) < now() - calendar_stale_after() order by coalesce(synced_at, busy_since) limit p_limit for update skip locked) s
      join calendar_connections c on c.workspace_id = s.workspace_id and c.id = s.connection_id
  loop
    perform set_config('app.workspace_id', k.workspace_id::text, true);
    update connection_calendars set stale_since = now() where workspace_id = k.workspace_id and id = k.id;
    -- An error was announced when it came.
    if k.status = 'connected' then
      perform emit('calendar_connection.stale', 'calendar_connection', k.connection_id, jsonb_build_object('user_id', k.user_id, 'provider', k.provider,
        'account_email', k.account_email, 'calendar_id', k.id, 'synced_at', iso(k.synced_at), 'error', k.error));
    end if;
    marked := marked + 1;
  end loop;
  return marked;
end $$;

revoke execute on function waiting_calendars, due_calendars, claim_calendar, hold_calendar, store_calendar_page, finish_calendar_sync, release_calendar, begin_calendar_channel,
  settle_calendar_channel, drop_calendar_channel, notify_calendar, mark_stale_calendars from public, app, jobs;
grant execute on function waiting_calendars, due_calendars, claim_calendar, store_calendar_page, finish_calendar_sync, release_calendar, begin_calendar_channel,
  settle_calendar_channel, drop_calendar_channel, notify_calendar, mark_stale_calendars to jobs;
