/*
  What the background does for the copies of bookings in calendars (src/features/calendars/work/copy-bookings.ts). Claiming one notes that
  an event is being requested before it is.
*/

-- Whether a booking has copies that are due.
create or replace function has_booking_copies_due(p_workspace uuid, p_booking uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from booking_copies where workspace_id = p_workspace and booking_id = p_booking and due_at <= now())
$$;

-- Copies that a worker has claimed (ClaimedCopy in src/features/calendars/rules/copies.ts).
create or replace function read_booking_copies(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) language plpgsql as $$
declare
  requested constant uuid[] := array(select c.id from booking_copies c where c.workspace_id = p_workspace and c.id = any (p_ids)
    and c.requested_at is not null);
begin
  update booking_copies c set requested_at = now() where c.workspace_id = p_workspace and c.id = any (p_ids) and c.requested_at is null
    and c.is_wanted and c.booking_id is not null and is_copy_connected(c);
  return query select c.id,
      jsonb_build_object('id', c.id, 'state', c.state, 'is_wanted', c.is_wanted, 'was_requested', c.id = any (requested),
      'event_id', c.event_id, 'outside_id', c.outside_id, 'meeting', c.meeting, 'meet_link', c.meet_link, 'attempts', c.attempts,
      'is_lead', coalesce(b.host_id = c.host_id, false),
      'calendar', case
        when k.id is not null then jsonb_build_object('id', k.outside_id, 'connection_id', k.connection_id, 'provider', n.provider,
        'is_connected', n.status = 'connected') end,
      'booking', case
        when b.id is not null then jsonb_build_object('id', b.id, 'event_type', t.name, 'creates_meeting', t.create_video_meeting,
        'name', b.name, 'email', b.email, 'phone', b.phone, 'notes', b.notes, 'location', b.location, 'video_meet_link', b.video_meet_link,
        'starts_at', iso(b.starts_at), 'ends_at', iso(b.ends_at), 'timezone', b.timezone) end)
    from booking_copies c left join connection_calendars k on k.workspace_id = p_workspace and k.id = c.calendar_id
      left join calendar_connections n on n.workspace_id = p_workspace and n.id = k.connection_id
      left join bookings b on b.workspace_id = p_workspace and b.id = c.booking_id
      left join scheduled_event_types t on t.workspace_id = p_workspace and t.id = b.event_type_id
    where c.workspace_id = p_workspace and c.id = any (p_ids);
end $$;

create or replace function is_copy_connected(c booking_copies) returns boolean stable language sql as $$
  select exists (select from connection_calendars k
    join calendar_connections n on n.workspace_id = k.workspace_id and n.id = k.connection_id
    where k.workspace_id = c.workspace_id and k.id = c.calendar_id and n.status = 'connected')
$$;

-- Locks the booking of a copy, as requests do, before the copy.
create or replace function lock_booking_of_copy(p_workspace uuid, p_id uuid) returns void language sql as $$
  select from bookings where workspace_id = p_workspace
    and id = (select booking_id from booking_copies where workspace_id = p_workspace and id = p_id) for update
$$;

/*
  Stores what a worker has done for a copy (CopyOutcome in src/features/calendars/rules/copies.ts). What it knows of the event is stored in
  any case; what it has concluded only if nobody has changed the copy meanwhile.
*/
create or replace function conclude_booking_copy(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
declare
  c booking_copies;
begin
  select * into c from booking_copies where workspace_id = p_workspace and id = p_id;
  if (p ->> 'removed')::boolean then
    if p_is_same then
      delete from booking_copies where workspace_id = p_workspace and id = p_id;
      return null;
    end if;
    c.outside_id := null; c.outside_version := null; c.written_starts_at := null; c.written_ends_at := null;
    c.meeting := 'none'; c.meet_link := null; c.requested_at := null;
  end if;
  c := jsonb_populate_record(c, coalesce(p -> 'written', '{}'));
  if p_is_same then
    c.state := coalesce(p ->> 'state', c.state);
    c.error := p ->> 'error';
  end if;
  update booking_copies set outside_id = c.outside_id, outside_version = c.outside_version, written_starts_at = c.written_starts_at,
      written_ends_at = c.written_ends_at, written_at = case when p ? 'written' then now() else written_at end, meeting = c.meeting,
      meet_link = c.meet_link, requested_at = c.requested_at, state = c.state, error = c.error
    where workspace_id = p_workspace and id = p_id;
  if c.meet_link is not null and p_is_same then perform store_meet_link(c); end if;
  return null;
end $$;

-- Gives the booking the link of the video meeting that the calendar of its host has created. Those who were invited without it are invited
-- again.
create or replace function store_meet_link(c booking_copies)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update bookings set video_meet_link = c.meet_link
    where workspace_id = c.workspace_id and id = c.booking_id and host_id = c.host_id and status = 'confirmed' and video_meet_link is null;
  if not found then return; end if;
  update booking_notices set send_at = now(), wake_at = now()
    where workspace_id = c.workspace_id and booking_id = c.booking_id and kind in ('confirmation', 'reschedule')
    and state = 'due' and message_id is null and send_at > now();
  insert into booking_notices (workspace_id, booking_id, contact_id, kind, channel, recipient, is_booker,
    offset_minutes, resend, send_at, wake_at)
    select n.workspace_id, n.booking_id, n.contact_id, n.kind, n.channel, n.recipient, n.is_booker, n.offset_minutes, 1, now(), now()
      from booking_notices n
      where n.workspace_id = c.workspace_id and n.booking_id = c.booking_id and n.kind in ('confirmation', 'reschedule') and n.resend = 0
      and n.state in ('due', 'sent', 'unknown') and n.message_id is not null
    on conflict (workspace_id, booking_id, kind, channel, recipient, offset_minutes, sequence, resend) do nothing;
end $$;

revoke execute on function has_booking_copies_due, read_booking_copies, lock_booking_of_copy, conclude_booking_copy, store_meet_link,
  is_copy_connected from public, app, jobs;
grant execute on function has_booking_copies_due to jobs;
