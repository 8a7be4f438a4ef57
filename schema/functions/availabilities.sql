-- Availability schedules of members.

-- The availability schedule of each host in which an event type is booked: the one that the event type names for the host, else the host's
-- default one. Hosts without hours of their own have none.
create or replace function host_availabilities(p_event_type uuid, p_hosts uuid[]) returns setof availabilities stable language sql as $$
  select a.* from unnest(p_hosts) h(id)
    left join (select (e ->> 'user_id')::uuid as host_id, (e ->> 'availability_schedule_id')::uuid as schedule_id
      from scheduled_event_types t, jsonb_array_elements(t.hosts) e where t.id = p_event_type) named on named.host_id = h.id,
    lateral (select * from availabilities where id = named.schedule_id and user_id = h.id
      union all select * from availabilities where user_id = h.id and is_default order by is_default limit 1) a
$$;

-- The event types that name an availability schedule. It runs as its owner and names the workspace, because under row-level security a
-- condition about what hosts contain uses no index.
create or replace function event_types_with_schedule(p_id uuid) returns setof uuid
  stable security definer set search_path = public, pg_temp language sql as $$
  select t.id from scheduled_event_types t where t.workspace_id = (select current_workspace())
    and t.hosts @> jsonb_build_array(jsonb_build_object('availability_schedule_id', p_id))
$$;

-- An absence ends after it begins, also if only one of the two is changed.
create or replace function refuse_time_off() returns trigger language plpgsql as $$
begin
  perform fail_field('ends_at', 'must be after starts_at, by at most 366 days');
  return null;
end $$;
create or replace trigger refuse_time_off before insert or update of starts_at, ends_at on time_off for each row
  when (new.starts_at >= new.ends_at or new.ends_at > new.starts_at + interval '366 days') execute function refuse_time_off();

revoke execute on function event_types_with_schedule from public;
grant execute on function event_types_with_schedule to app;
