/*
  Notetakers: bots that record the meetings of bookings. Requests and bookings only change what a notetaker should do; the background
  (notetaker-jobs.sql) makes the provider agree. A notetaker follows its booking on every path, because triggers of the bookings see to it.
*/

-- Asserts that the booking can have a notetaker, and requests one unless it has one. The booking is locked.
create or replace function request_notetaker(p_booking uuid, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  b bookings := (select b from bookings b where b.workspace_id = w and b.id = p_booking);
  cost int;
  available int;
begin
  if b.status = 'cancelled' then
    perform fail('INVALID_STATE', 'The booking is cancelled', '{"state": "cancelled", "allowed": ["pending", "confirmed"]}');
  end if;
  if exists (select from notetakers where workspace_id = w and booking_id = p_booking and state not in ('failed', 'cancelled')) then
    return;
  end if;
  if b.ends_at <= now() then
    perform fail('INVALID_STATE', 'The booking is over: a notetaker can only join a meeting that is still to end',
      jsonb_build_object('state', b.status, 'allowed', '["pending", "confirmed"]'::jsonb, 'ends_at', iso(b.ends_at)));
  end if;
  if not (select notetaker_enabled from crm_settings where workspace_id = w) then
    perform fail('VALIDATION_ERROR', 'The notetaker is not enabled',
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'notetaker_enabled',
      'message', 'The notetaker is not enabled: set notetaker_enabled with PATCH /company/crm-settings'))));
  end if;
  if b.video_meet_link is null then
    perform fail('VALIDATION_ERROR', 'The booking has no meeting link',
      jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'video_meet_link',
      'message', 'The booking has no meeting link: set video_meet_link with PATCH /scheduling-bookings/:booking_id'))));
  end if;
  cost := notetaker_price() * b.duration_minutes;
  available := pay_for_recordings();
  if available < cost then
    perform fail('INSUFFICIENT_CREDITS', format('Recording the meeting costs %s credits, and the workspace has %s', cost, available),
      jsonb_build_object('required', cost, 'balance', available));
  end if;
  perform insert_notetaker(b, p_id);
end $$;

create or replace function insert_notetaker(b bookings, p_id uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into notetakers (workspace_id, id, booking_id, meeting_url, join_at, ends_at, limit_minutes)
    select b.workspace_id, p_id, b.id, b.video_meet_link, b.starts_at - notetaker_lead(), b.ends_at,
      b.duration_minutes + notetaker_overtime()
      where b.video_meet_link is not null
$$;

-- Ends the notetakers of a booking: those that have not recorded yet are cancelled, and the bots that are recording are to leave.
create or replace function end_notetakers(p_workspace uuid, p_booking uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update notetakers set state = 'cancelled', due_at = now()
    where workspace_id = p_workspace and booking_id = p_booking and state in ('requested', 'scheduled', 'joining');
  update notetakers set stop_requested_at = now(), due_at = now()
    where workspace_id = p_workspace and booking_id = p_booking and state = 'recording' and stop_requested_at is null;
end $$;

-- Ends the notetaker of a booking, unless it has ended.
create or replace function end_notetaker(p_booking uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  present constant text := (select state from notetakers where workspace_id = w and booking_id = p_booking order by id desc limit 1);
begin
  if present is null then perform fail('NOT_FOUND', 'The booking has no notetaker'); end if;
  if present in ('done', 'failed') then
    perform fail('INVALID_STATE', format('The notetaker is %s', present),
      jsonb_build_object('state', present, 'allowed', '["requested", "scheduled", "joining", "recording"]'::jsonb));
  end if;
  perform end_notetakers(w, p_booking);
end $$;

/*
  A booking that was moved is a new one: its notetaker goes with it. A bot that is in the meeting already stays with the old booking, which
  ends it, and the new one gets another. A notetaker is also ended when its booking is cancelled, loses its link or is purged.
*/
create or replace function follow_booking() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform end_notetakers(old.workspace_id, old.id);
    return old;
  end if;
  if tg_op = 'INSERT' then
    if exists (select from notetakers
        where workspace_id = new.workspace_id and booking_id = new.rescheduled_from_id and state in ('joining', 'recording')) then
      perform insert_notetaker(new, uuidv7());
    end if;
    perform move_notetakers(new, new.rescheduled_from_id);
  elsif new.status = 'cancelled' or new.video_meet_link is null then
    perform end_notetakers(new.workspace_id, new.id);
  else
    if exists (select from notetakers where workspace_id = new.workspace_id and booking_id = new.id and state = 'joining') then
      perform end_notetakers(new.workspace_id, new.id);
      perform insert_notetaker(new, uuidv7());
    end if;
    perform move_notetakers(new, new.id);
  end if;
  return new;
end $$;

-- Gives the notetakers of a booking that have not joined yet the times and the link of `b`, and `b` itself.
create or replace function move_notetakers(b bookings, p_booking uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update notetakers set booking_id = b.id, join_at = b.starts_at - notetaker_lead(), ends_at = b.ends_at,
      limit_minutes = b.duration_minutes + notetaker_overtime(), meeting_url = coalesce(b.video_meet_link, meeting_url), due_at = now()
    where workspace_id = b.workspace_id and booking_id = p_booking and state in ('requested', 'scheduled')
$$;

create or replace trigger follow_new_booking after insert on bookings for each row
  when (new.rescheduled_from_id is not null and not merge_in_progress()) execute function follow_booking();
create or replace trigger follow_changed_booking after update of status, starts_at, ends_at, video_meet_link on bookings for each row
  when ((old.status <> 'cancelled' and new.status = 'cancelled') or old.starts_at <> new.starts_at or old.ends_at <> new.ends_at
    or old.video_meet_link is distinct from new.video_meet_link) execute function follow_booking();
-- Before the reference is cleared.
create or replace trigger follow_deleted_booking before delete on bookings for each row execute function follow_booking();

-- Charges what the workspace of the transaction owes for recordings, as far as it has credits. Returns the credits that are left.
create or replace function pay_for_recordings() returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  perform charge_recording(w, n.id)
    from (select id from notetakers where workspace_id = w and credits_charged < credits order by id limit 100 for update) n;
  return coalesce((select balance from credit_accounts where workspace_id = w), 0);
end $$;

/*
  Charges a recording once. The balance is never negative: what it does not cover remains to be charged (credits_charged < credits), when
  credits are granted and when the next notetaker is requested. The reference of each entry names the part that it charges, and is unique.
*/
create or replace function charge_recording(p_workspace uuid, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n notetakers;
  part int;
  rest int;
begin
  select * into n from notetakers where workspace_id = p_workspace and id = p_id for update;
  if not found then return; end if;
  select least(balance, n.credits - n.credits_charged) into part from credit_accounts where workspace_id = p_workspace for update;
  if coalesce(part, 0) = 0 then return; end if;
  update credit_accounts set balance = balance - part where workspace_id = p_workspace returning balance into rest;
  insert into credit_entries (workspace_id, kind, amount, balance, units, reference, created_at)
    values (p_workspace, 'charge', -part, rest, n.recorded_minutes, format('notetaker:%s:%s', p_id, n.credits_charged), clock_timestamp());
  update notetakers set credits_charged = credits_charged + part where workspace_id = p_workspace and id = p_id;
end $$;

revoke execute on function insert_notetaker, end_notetakers, follow_booking, move_notetakers, charge_recording, pay_for_recordings,
  request_notetaker, end_notetaker
  from public, app, jobs;
grant execute on function request_notetaker, end_notetaker to app, jobs;
