/*
  Copies of bookings in the calendars of their hosts. Bookings and connections only change what a copy should be, by triggers, so on every
  path and in the same transaction; the background (booking-copy-jobs.sql) makes the provider agree.
*/

-- The id of an event: the same for each move of a booking, which keeps its UID. Hexadecimal digits are allowed by every provider.
create or replace function copy_event_id(p_uid text, p_host uuid) returns text immutable language sql
  return encode(sha256(convert_to(p_uid || p_host::text, 'UTF8')), 'hex');

-- Plans the copies of a booking as it is now: one for each host with a calendar that takes bookings. A booking that was moved keeps its
-- events.
create or replace function plan_booking_copies() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := new.workspace_id;
  hosts constant uuid[] := case when new.status = 'confirmed' then new.host_ids else '{}' end;
begin
  if tg_op = 'INSERT' and new.rescheduled_from_id is not null then
    update booking_copies set booking_id = new.id where workspace_id = w and booking_id = new.rescheduled_from_id;
  end if;
  -- The link of the event's own video meeting is no change of the event.
  if tg_op = 'UPDATE' and (new.status, new.starts_at, new.ends_at, new.host_ids, new.location, new.name, new.notes)
      is not distinct from (old.status, old.starts_at, old.ends_at, old.host_ids, old.location, old.name, old.notes)
    and exists (select from booking_copies where workspace_id = w and booking_id = new.id and meet_link = new.video_meet_link) then
    return null;
  end if;
  update booking_copies set is_wanted = host_id = any (hosts), state = 'pending', due_at = now(), attempts = 0, error = null,
    flag = null, flagged_at = null
    where workspace_id = w and booking_id = new.id;
  insert into booking_copies (workspace_id, booking_id, host_id, calendar_id, event_id)
    select w, new.id, c.user_id, c.id, copy_event_id(new.uid, c.user_id) from connection_calendars c
      where c.workspace_id = w and c.user_id = any (hosts) and c.write_to
    on conflict (workspace_id, booking_id, host_id) do nothing;
  -- The video meeting of a former host ends with the event.
  update bookings set video_meet_link = null
    where workspace_id = w and id = new.id and video_meet_link is not null and exists (select from booking_copies c
    where c.workspace_id = w and c.booking_id = new.id and c.meet_link = video_meet_link and (c.host_id <> new.host_id or not c.is_wanted));
  return null;
end $$;
create or replace trigger copy_new_booking after insert on bookings for each row
  when ((new.status = 'confirmed' or new.rescheduled_from_id is not null) and not merge_in_progress())
    execute function plan_booking_copies();
create or replace trigger copy_changed_booking after update of status, starts_at, ends_at, host_ids, location, video_meet_link, name,
  notes on bookings for each row
  when ((old.status <> new.status and new.status in ('confirmed', 'cancelled')) or (new.status = 'confirmed'
    and (new.starts_at, new.ends_at, new.host_ids, new.location, new.video_meet_link, new.name, new.notes)
      is distinct from (old.starts_at, old.ends_at, old.host_ids, old.location, old.video_meet_link, old.name, old.notes)))
        execute function plan_booking_copies();

-- The events of a booking that is purged are removed. Before the reference is cleared.
create or replace function end_booking_copies() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update booking_copies set is_wanted = false, state = 'pending', due_at = now(), attempts = 0, error = null
    where workspace_id = old.workspace_id and booking_id = old.id;
  return old;
end $$;
create or replace trigger end_booking_copies before delete on bookings for each row execute function end_booking_copies();

-- An account that is connected again takes what it could not take before.
create or replace function resume_booking_copies() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update booking_copies set state = 'pending', due_at = now(), attempts = 0, error = null where workspace_id = new.workspace_id
    and calendar_id = any (array(select id from connection_calendars where workspace_id = new.workspace_id and connection_id = new.id))
    and state in ('not_connected', 'failed');
  return null;
end $$;
create or replace trigger resume_booking_copies after update of status on calendar_connections for each row
  when (new.status = 'connected' and old.status <> 'connected') execute function resume_booking_copies();

-- A calendar that takes bookings from now on gets those of its member that are still to come, unless another calendar has them.
create or replace function adopt_booking_copies() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into booking_copies as c (workspace_id, booking_id, host_id, calendar_id, event_id)
    select new.workspace_id, b.id, new.user_id, new.id, copy_event_id(b.uid, new.user_id) from host_claims h
      join bookings b on b.workspace_id = h.workspace_id and b.id = h.booking_id
      where h.workspace_id = new.workspace_id and h.host_id = new.user_id and h.ends_at > now() and b.status = 'confirmed'
      order by h.ends_at limit 500
    on conflict (workspace_id, booking_id, host_id)
      do update set calendar_id = new.id, state = 'pending', due_at = now(), attempts = 0, error = null where c.calendar_id is null;
  return null;
end $$;
create or replace trigger adopt_booking_copies after update of write_to on connection_calendars for each row
  when (new.write_to and not old.write_to) execute function adopt_booking_copies();

revoke execute on function plan_booking_copies, end_booking_copies, resume_booking_copies, adopt_booking_copies from public, app, jobs;
