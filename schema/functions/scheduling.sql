-- Scheduling: what decides which times are free, as one statement reads it, and how times are claimed. All decisions about local time are
-- made by the Worker, which sends days and instants.

create or replace function epoch_ms(p timestamptz) returns bigint immutable strict parallel safe language sql
  return (extract(epoch from p) * 1000)::bigint;

-- An event type by its id, slug or name.
create or replace function find_event_type(p_ref text) returns uuid stable language plpgsql as $$
declare
  found uuid;
begin
  if p_ref ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
    select id into found from scheduled_event_types where id = p_ref::uuid;
    if found is not null then return found; end if;
  end if;
  select id into found from scheduled_event_types where slug = lower(btrim(p_ref));
  if found is not null then return found; end if;
  select id into found from scheduled_event_types where name_norm = norm(p_ref);
  return found;
end $$;

-- The hosts of an event type who are members now.
create or replace function active_hosts(p_event_type uuid) returns uuid[] stable language sql as $$
  select coalesce(array_agg(m.user_id order by m.user_id), '{}') from memberships m
  where m.status = 'active'
  and m.user_id = any (array(select (h ->> 'user_id')::uuid from scheduled_event_types t, jsonb_array_elements(t.hosts) h
    where t.id = p_event_type))
$$;

-- The absences of hosts, and of everyone, that overlap a time.
create or replace function time_off_between(p_hosts uuid[], p_from timestamptz, p_to timestamptz)
  returns setof time_off stable language sql as $$
  select o.* from unnest(p_hosts) h(id), lateral (select * from time_off o where o.user_id = h.id and o.ends_at > p_from
    and o.ends_at < p_to + interval '367 days' and o.starts_at < p_to) o
  union all select * from time_off o
  where o.user_id is null and o.ends_at > p_from and o.ends_at < p_to + interval '367 days' and o.starts_at < p_to
$$;

-- The holiday calendars of the schedules by which hosts are booked, and of the company.
create or replace function holidays_of(p_event_type uuid, p_hosts uuid[]) returns setof holiday_calendars stable language sql as $$
  select c.* from holiday_calendars c where c.id = any (array(select a.holiday_calendar_id from host_availabilities(p_event_type, p_hosts) a
    union all select a.holiday_calendar_id from availabilities a where a.id = current_workspace()))
$$;

/*
  The calendars that make hosts unavailable, of those who have any, and when the one that was read first was read. `unread`: why they are
  not known at present, so that nothing can be booked with the host: the access to one has ended (`error`), or one was not read for too long
  (`stale`). They are hidden from other members; the rules of bookings apply to everybody.
*/
create or replace function host_calendars(p_hosts uuid[]) returns table (host_id uuid, unread text, read_at timestamptz, calendars jsonb)
  stable security definer set search_path = public, pg_temp language sql as $$
  select k.user_id, case when bool_or(c.status = 'error') then 'error'
      when bool_or(k.synced_at is null or k.synced_at < now() - calendar_stale_after()) then 'stale' end,
      min(k.synced_at), jsonb_agg(jsonb_build_object('connection_id', c.id, 'provider', c.provider, 'outside_id', k.outside_id,
        'zone', coalesce(k.timezone, (select timezone from workspaces where id = (select current_workspace())))) order by k.id)
    from unnest(p_hosts) h(id), lateral (select * from connection_calendars k
      where k.workspace_id = (select current_workspace()) and k.user_id = h.id and k.busy_from) k
      join calendar_connections c on c.workspace_id = k.workspace_id and c.id = k.connection_id
    group by k.user_id
$$;
revoke execute on function host_calendars from public;
grant execute on function host_calendars to app;

-- Changes whenever the rules or the outside busy times change by which a time between two instants was chosen. Claims are not part of it:
-- an exclusion constraint decides about them.
create or replace function scheduling_fingerprint(p_event_type uuid, p_hosts uuid[], p_from timestamptz, p_to timestamptz)
  returns text stable language sql as $$
  select md5(concat_ws('|', (select t.version || coalesce(' ' || p.archived, '') from scheduled_event_types t
      left join pipelines p on p.id = t.pipeline_id where t.id = p_event_type), p_hosts::text,
    (active_hosts(p_event_type))::text, (select w.timezone from workspaces w),
    (select string_agg(k.host_id::text, ',' order by k.host_id) from host_calendars(p_hosts) k where k.unread is not null),
    (select string_agg(a.id || ':' || a.version, ',' order by a.id) from (
      select id, version from host_availabilities(p_event_type, p_hosts)
      union select id, version from availabilities where user_id = any (p_hosts) and is_default
      union select id, version from availabilities where id = current_workspace()) a),
    (select string_agg(c.id || ':' || c.version, ',' order by c.id) from holidays_of(p_event_type, p_hosts) c),
    (select string_agg(o.id || ':' || o.version, ',' order by o.id) from time_off_between(p_hosts, p_from, p_to) o),
    (select string_agg(b.id || ':' || epoch_ms(b.starts_at) || ':' || epoch_ms(b.ends_at), ',' order by b.id)
      from unnest(p_hosts) h(id), lateral (select * from busy_times b where b.host_id = h.id and b.ends_at > p_from
        and b.ends_at < p_to + interval '24 hours' and b.starts_at < p_to) b)))
$$;

-- The contact of a booker: by any of the addresses, else by any of the numbers.
create or replace function match_booker(p_email text, p_phone text) returns uuid stable language plpgsql as $$
declare
  found uuid;
begin
  if p_email is not null then
    select id into found from contacts where email = p_email and not archived order by created_at, id limit 1;
    if found is not null then return found; end if;
    select id into found from contacts where id = any (contacts_by_alternate(p_email)) and not archived order by created_at, id limit 1;
    if found is not null then return found; end if;
  end if;
  if p_phone is not null then
    select id into found from contacts where phone = p_phone and not archived order by created_at, id limit 1;
    if found is not null then return found; end if;
    select id into found from contacts where id = any (contacts_by_alternate_phone(p_phone)) and not archived
      order by created_at, id limit 1;
  end if;
  return found;
end $$;

/*
  Everything that decides about the times of an event type between two instants, in the form of `Facts`
  (src/features/scheduling/rules/facts.ts); null without such an event type. p: event_type (id, slug or name) or booking_id (of a booking
  that is moved: its claims do not count), from and to (its own times unless sent), and optionally owner (whose hold does not count), caller
  (the phone number of a call), call_key and call_id (of a tool call), contact_id, email and phone (of the booker).
*/
create or replace function scheduling_facts(p jsonb) returns jsonb stable language plpgsql as $$
declare
  moved bookings := (select b from bookings b where b.id = (p ->> 'booking_id')::uuid);
  kind scheduled_event_types := (select t from scheduled_event_types t
    where t.id = case when p ? 'booking_id' then moved.event_type_id else find_event_type(p ->> 'event_type') end);
  window_from constant timestamptz := coalesce((p ->> 'from')::timestamptz, moved.starts_at) - interval '1 day';
  window_to constant timestamptz := coalesce((p ->> 'to')::timestamptz, moved.ends_at) + interval '2 days';
  hosts constant uuid[] := active_hosts(kind.id);
  booker constant uuid := coalesce((p ->> 'contact_id')::uuid, moved.contact_id, match_booker(p ->> 'email', p ->> 'phone'));
  -- The seats of which the booking that is moved has the only one: they are given back with it.
  ends_with_it constant uuid := (select s.id from seat_sessions s where s.id = (moved.claimed ->> 'session_id')::uuid and s.taken = 1);
begin
  if kind.id is null then return null; end if;
  return case when p ? 'call_key' then jsonb_build_object('caller_zone', (select coalesce(c.timezone, c.local_zone) from contacts c
      where c.id = match_booker(null, p ->> 'caller')), 'memory', call_memory(p ->> 'call_key', p ->> 'call_id'))
        else '{}' end || jsonb_build_object(
    'workspace_id', kind.workspace_id, 'event_type', to_jsonb(kind) - 'workspace_id' - 'name_norm'
      || jsonb_build_object('pipeline_id', (select p.id from pipelines p where p.id = kind.pipeline_id and not p.archived)),
    'fingerprint', scheduling_fingerprint(kind.id, hosts, window_from, window_to),
    'workspace_zone', (select w.timezone from workspaces w), 'workspace_name', (select w.name from workspaces w),
    'workspace_color', (select w.primary_color from workspaces w),
    'holidays', (select coalesce(jsonb_object_agg(c.id, c.holidays), '{}') from holidays_of(kind.id, hosts) c),
    'company', (select to_jsonb(a) from availabilities a where a.id = current_workspace()),
    'hosts', (select coalesce(jsonb_agg(jsonb_build_object('user_id', h.id, 'name', u.name, 'picture', u.picture,
        'availability', to_jsonb(a), 'default_timezone', d.timezone, 'booked', s.booked,
        'last_booked', epoch_ms(s.last_booked_at), 'unread', k.unread, 'read_at', epoch_ms(k.read_at), 'calendars', k.calendars)
          order by h.n), '[]')
      from unnest(hosts) with ordinality h(id, n) left join member_profile(kind.workspace_id, h.id) u on true
        left join host_availabilities(kind.id, hosts) a on a.user_id = h.id
        left join availabilities d on d.user_id = h.id and d.is_default
        left join host_shares s on s.host_id = h.id and s.event_type_id = kind.id
        left join host_calendars(hosts) k on k.host_id = h.id),
    'busy', coalesce((select jsonb_agg(row) from (
      select jsonb_build_array(h.id, epoch_ms(c.starts_at), epoch_ms(c.ends_at), 'claim') as row
        from unnest(hosts) h(id), lateral (select * from host_claims c where c.host_id = h.id and c.ends_at > window_from
          and c.ends_at < window_to + interval '24 hours' and c.starts_at < window_to) c
        where (c.expires_at is null or c.expires_at > now()) and (moved.id is null or c.booking_id is distinct from moved.id)
          and (ends_with_it is null or c.session_id is distinct from ends_with_it)
          and (c.hold_id is null or not exists (select from booking_holds o where o.id = c.hold_id and o.owner = p ->> 'owner'))
      union all select jsonb_build_array(h.id, epoch_ms(b.starts_at), epoch_ms(b.ends_at), 'calendar')
        from unnest(hosts) h(id), lateral (select * from busy_times b where b.host_id = h.id and b.ends_at > window_from
          and b.ends_at < window_to + interval '24 hours' and b.starts_at < window_to) b
      union all select jsonb_build_array(o.user_id, epoch_ms(o.starts_at), epoch_ms(o.ends_at), 'time_off')
        from time_off_between(hosts, window_from, window_to) o) busy), '[]'),
    'sessions', case when kind.seats = 1 then '[]' else coalesce((select jsonb_agg(jsonb_build_array(epoch_ms(s.starts_at),
        s.taken - coalesce((moved.claimed ->> 'session_id')::uuid = s.id, false)::int
          - exists (select from booking_holds o where o.owner = p ->> 'owner' and o.state = 'held' and o.session_id = s.id)::int,
            greatest(s.capacity, kind.seats), to_jsonb(s.host_ids), epoch_ms(s.ends_at)))
      from seat_sessions s where s.event_type_id = kind.id and s.starts_at >= window_from and s.starts_at < window_to
        and s.id is distinct from ends_with_it), '[]') end,
    'counts', coalesce((select jsonb_object_agg(concat_ws(' ', c.subject_id, c.period, c.starts_on), c.taken
        - coalesce((moved.claimed -> 'counted') @> jsonb_build_array(jsonb_build_array(c.subject_id, c.period, c.starts_on)), false)::int)
      from (select h as id, 'day' as period, 1 as days from unnest(hosts) h
          union all select kind.id, d.period, d.days from (values ('day', 1), ('week', 8), ('month', 33)) d(period, days)) s,
        lateral (select * from booking_counts c where c.subject_id = s.id and c.period = s.period
          and c.starts_on between window_from::date - s.days and window_to::date + 1) c), '{}'),
    'moved', case when moved.id is not null then to_jsonb(moved) end,
    'contact', (select jsonb_build_object('id', c.id, 'first_name', c.first_name, 'last_name', c.last_name,
      'email', c.email, 'phone', c.phone,
      'zone', coalesce(c.timezone, c.local_zone), 'customer_id', c.customer_id) from contacts c where c.id = booker),
    'opportunity_id', case when kind.reuse_open_opportunity then (select o.id from opportunity_contacts l
      join opportunities o on o.id = l.opportunity_id
      where l.contact_id = booker and o.status = 'open' and not o.archived
        and (kind.pipeline_id is null or o.pipeline_id = kind.pipeline_id) order by l.opportunity_id desc limit 1) end);
end $$;

-- What earlier tool calls of a call have done, newest first. `same` is a repetition of this tool call.
create or replace function call_memory(p_key text, p_call text) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('same', m.call_key = p_key, 'outcome', m.outcome,
    'booking_id', m.booking_id, 'status', b.status,
    'event_type_id', b.event_type_id, 'starts_at', epoch_ms(b.starts_at), 'name', b.name, 'email', b.email,
      'at', epoch_ms(m.created_at), 'bookings', m.bookings) order by m.created_at desc, m.id desc), '[]')
  from (select * from voice_results where call_key = p_key
    union (select * from voice_results where call_id = p_call order by created_at desc, id desc limit 20)) m
    left join bookings b on b.id = m.booking_id
$$;

-- Locks a tool call until the end of the transaction. False if it, or another one of its call, has had an effect since p_known was read.
create or replace function is_call_unchanged(p_key text, p_call text, p_known jsonb) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(current_workspace()::text || coalesce(p_call, p_key), 2));
  return call_memory(p_key, p_call) = p_known;
end $$;

-- The people who use a phone number.
create or replace function contacts_with_phone(p_phone text) returns uuid[] stable language sql as $$
  select array(select id from contacts where phone = p_phone and not archived limit 20) || contacts_by_alternate_phone(p_phone)
    || array(select id from contacts where landline = p_phone and not archived limit 20)
$$;
