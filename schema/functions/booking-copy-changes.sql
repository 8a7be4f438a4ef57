/*
  Changes of the events of bookings that were made in the calendars. A page of a reading shows events as they are outside: one that has
  neither the times that were last written nor the version of that writing was changed by somebody else.
*/

/*
  The copies among the events of a page that were moved or deleted outside: [{id, version, is_deleted, starts_at, ends_at}]. What was
  written after the reading began may be newer than the page, so it is written again. A copy that is being written is left to that.
*/
create or replace function outside_changes(p_workspace uuid, p_calendar uuid, p_events jsonb, p_read_at timestamptz) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  changed uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update booking_copies set seen_at = now() where workspace_id = p_workspace and calendar_id = p_calendar
    and outside_id = any (array(select e ->> 'id' from jsonb_array_elements(p_events) e where not (e ->> 'is_deleted')::boolean));
  changed := array(select c.id
      from jsonb_to_recordset(p_events) e(id text, version text, is_deleted boolean, starts_at timestamptz, ends_at timestamptz)
      join booking_copies c on c.workspace_id = p_workspace and c.calendar_id = p_calendar and c.outside_id = e.id
    where c.is_wanted and c.state = 'synced' and c.booking_id is not null and e.version is distinct from c.outside_version
      and (e.is_deleted or (e.starts_at, e.ends_at) is distinct from (c.written_starts_at, c.written_ends_at)));
  update booking_copies set state = 'pending', due_at = now(), attempts = 0
    where workspace_id = p_workspace and id = any (changed) and written_at >= p_read_at;
  return (select coalesce(jsonb_agg(outside_change(c, e.version, e.is_deleted, e.starts_at, e.ends_at)), '[]')
    from jsonb_to_recordset(p_events) e(id text, version text, is_deleted boolean, starts_at timestamptz, ends_at timestamptz)
      join booking_copies c on c.workspace_id = p_workspace and c.calendar_id = p_calendar and c.outside_id = e.id
    where c.id = any (changed) and c.state = 'synced');
end $$;

-- Notes in which calendar the event of a copy is, although a reading did not show it as an event of its own: it has become a series, is at
-- a time that is not read, or was moved to another calendar of the account.
create or replace function keep_copied_event(p_workspace uuid, p_copy uuid, p_calendar uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update booking_copies set seen_at = now(), calendar_id = p_calendar where workspace_id = p_workspace and id = p_copy
$$;

-- The other calendars of an account to which an event may have been moved, those that are used first; at most p_limit.
create or replace function other_calendars(p_workspace uuid, p_calendar uuid, p_limit int)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'outside_id', o.outside_id)), '[]') from (
    select o.id, o.outside_id from connection_calendars k
        join connection_calendars o on o.workspace_id = k.workspace_id and o.connection_id = k.connection_id and o.id <> k.id
      where k.workspace_id = p_workspace and k.id = p_calendar and o.is_writable
      order by o.busy_from or o.write_to desc, o.is_primary desc, o.id limit p_limit) o
$$;

-- The copies whose events a reading of everything between two instants has not found. At most p_limit.
create or replace function missing_copies(p_workspace uuid, p_calendar uuid, p_from timestamptz, p_to timestamptz,
  p_read_at timestamptz, p_limit int) returns jsonb
  stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(outside_change(c, null, true, null, null)), '[]')
    from (select * from booking_copies where workspace_id = p_workspace and calendar_id = p_calendar
    and is_wanted and state = 'synced' and booking_id is not null and flag is null and written_starts_at >= p_from
    and written_ends_at <= p_to and written_at < p_read_at
    and (seen_at is null or seen_at < p_read_at) order by id limit p_limit) c
$$;

create or replace function outside_change(c booking_copies, p_version text, p_deleted boolean, p_starts timestamptz, p_ends timestamptz)
  returns jsonb stable language sql as $$
  select jsonb_build_object('copy_id', c.id, 'outside_id', c.outside_id, 'booking_id', b.id,
      'change', case when p_deleted then 'deleted' else 'moved' end, 'version', p_version, 'starts_at', iso(p_starts),
      'ends_at', iso(p_ends), 'policy', t.on_external_change, 'is_lead', b.host_id = c.host_id,
        'is_open', b.status in ('pending', 'confirmed'), 'has_begun', b.starts_at <= now())
    from bookings b join scheduled_event_types t on t.workspace_id = b.workspace_id and t.id = b.event_type_id
    where b.workspace_id = c.workspace_id and b.id = c.booking_id
$$;

-- Begins a transaction in which a booking follows its event.
create or replace function follow_event(p_workspace uuid) returns void language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
end $$;

-- Locks the copy of a change, after its booking; null unless both are as the change was decided about.
create or replace function lock_changed_copy(p_workspace uuid, p_change jsonb) returns booking_copies language plpgsql as $$
declare
  c booking_copies;
begin
  perform from bookings where workspace_id = p_workspace and id = (p_change ->> 'booking_id')::uuid for update;
  select * into c from booking_copies
    where workspace_id = p_workspace and id = (p_change ->> 'copy_id')::uuid and booking_id = (p_change ->> 'booking_id')::uuid
    and is_wanted and state = 'synced' for update;
  return c;
end $$;

-- Cancels the booking of an event that was deleted outside. Returns whether it did.
create or replace function cancel_with_event(p_workspace uuid, p_change jsonb)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform follow_event(p_workspace);
  if (lock_changed_copy(p_workspace, p_change)).id is null then return false; end if;
  update bookings set status = 'cancelled', cancelled_at = now(), cancellation_reason = 'Deleted in the calendar of the host'
    where workspace_id = p_workspace and id = (p_change ->> 'booking_id')::uuid and status in ('pending', 'confirmed');
  return found;
end $$;

-- Notes that a booking did not follow a change of its event, once for each change. The event stays as it is outside until the booking
-- changes.
create or replace function flag_copy(p_workspace uuid, p_change jsonb, p_flag text)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  c booking_copies;
begin
  perform follow_event(p_workspace);
  c := lock_changed_copy(p_workspace, p_change);
  if c.id is null then return false; end if;
  update booking_copies set flag = p_flag, flagged_at = now(), outside_version = p_change ->> 'version'
    where workspace_id = p_workspace and id = c.id;
  perform emit('booking.changed_outside',
    'booking', c.booking_id, jsonb_build_object('host_id', c.host_id, 'change', p_change ->> 'change', 'reason', p_flag,
    'starts_at', p_change ->> 'starts_at', 'ends_at', p_change ->> 'ends_at'));
  return true;
end $$;

revoke execute on function outside_changes, keep_copied_event, other_calendars, missing_copies, outside_change, follow_event,
  lock_changed_copy, cancel_with_event, flag_copy from public, app, jobs;
grant execute on function outside_changes, keep_copied_event, other_calendars, missing_copies, follow_event, lock_changed_copy,
  cancel_with_event, flag_copy to jobs;
