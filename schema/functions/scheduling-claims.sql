/*
  Claims the time of hosts. Locks are always taken in this order: the call, the booker, the booking that is moved, the hosts in the order of
  their ids, the seats of a session, claims in the order of host ids, counters and shares as in scheduling-counts.sql. So two bookings never
  wait for each other. A request that may wait for one claim while it has another, or has given one back, locks its hosts alone; those for
  one host share the locks, and race for the claim. A request that any one of several hosts can serve first tries those that nobody has
  locked, one at a time and without waiting, so that requests for a round robin take different hosts at once.

  A claim is inserted with `on conflict do nothing`: a plain insert would wait for its rival while the rival waits for it.
*/

-- Locks hosts until the end of the transaction, alone or together with others that share the locks.
create or replace function lock_hosts(p_hosts uuid[], p_alone boolean) returns void language plpgsql as $$
declare
  host uuid;
begin
  for host in select distinct h from unnest(p_hosts) h order by h loop
    if p_alone then perform pg_advisory_xact_lock(hashtextextended(current_workspace()::text || host, 1));
    else perform pg_advisory_xact_lock_shared(hashtextextended(current_workspace()::text || host, 1)); end if;
  end loop;
end $$;

-- Claims these hosts together, or none of them.
create or replace function claim_together(p_hosts uuid[], p_from timestamptz, p_to timestamptz, p_of jsonb)
  returns boolean language plpgsql as $$
declare
  claimed int;
begin
  begin
    insert into host_claims (host_id, starts_at, ends_at, booking_id, session_id, hold_id, expires_at)
      select h, p_from, p_to, (p_of ->> 'booking_id')::uuid, (p_of ->> 'session_id')::uuid, (p_of ->> 'hold_id')::uuid,
        (p_of ->> 'expires_at')::timestamptz
      from (select distinct unnest(p_hosts) as h order by h) wanted on conflict do nothing;
    get diagnostics claimed = row_count;
    if claimed < cardinality(p_hosts) then raise exception using errcode = 'WKNUL'; end if;
    return true;
  exception when sqlstate 'WKNUL' then
    return false;
  end;
end $$;

-- Claims the first of several hosts, each alone a candidate, that is free and locked by nobody; null if there is none. It waits for
-- nothing: a host that is not taken is unlocked again with its subtransaction.
create or replace function take_unlocked(p_slot jsonb, p_of jsonb) returns jsonb language plpgsql as $$
declare
  claim_from constant timestamptz := (p_slot ->> 'claim_from')::timestamptz;
  claim_to constant timestamptz := (p_slot ->> 'claim_to')::timestamptz;
  host uuid;
begin
  for host in select (c ->> 0)::uuid from jsonb_array_elements(p_slot -> 'candidates') with ordinality e(c, n) order by n loop
    begin
      continue when not pg_try_advisory_xact_lock(hashtextextended(current_workspace()::text || host, 1));
      perform drop_expired_claims(array[host], claim_from, claim_to);
      if claim_together(array[host], claim_from, claim_to, p_of) then
        return jsonb_build_object('host_ids', jsonb_build_array(host));
      end if;
      raise exception using errcode = 'WKNUL';
    exception when sqlstate 'WKNUL' then null;
    end;
  end loop;
  return null;
end $$;

-- Gives one of the seats of a time back, and offers it to the first in line unless it is about to be taken again.
create or replace function free_seat(p_session uuid, p_offers boolean) returns void language plpgsql as $$
begin
  update seat_sessions set taken = taken - 1 where workspace_id = (select current_workspace()) and id = p_session;
  if found and p_offers then perform offer_seats(p_session); end if;
  delete from seat_sessions where workspace_id = (select current_workspace()) and id = p_session and taken = 0;
  if found then delete from host_claims where workspace_id = (select current_workspace()) and session_id = p_session; end if;
end $$;

-- Frees the seats and claims of a booking.
create or replace function free_claims(p_booking uuid, p_claimed jsonb, p_offers boolean) returns void language plpgsql as $$
begin
  perform free_seat((p_claimed ->> 'session_id')::uuid, p_offers);
  delete from host_claims where booking_id = p_booking;
end $$;

-- Deletes the claims of holds that have expired, so that they stand in nobody's way.
create or replace function drop_expired_claims(p_hosts uuid[], p_from timestamptz, p_to timestamptz) returns void language sql as $$
  delete from host_claims where id in (select id from host_claims where host_id = any (p_hosts) and ends_at > p_from
    and ends_at < p_to + interval '24 hours' and starts_at < p_to and expires_at <= now() order by host_id, id for update)
$$;

-- Claims the first set of hosts that is free at a time, or a seat of its session; null if there is none. p_of: booking_id, or hold_id and
-- expires_at.
create or replace function take_time(p_slot jsonb, p_kind uuid, p_seats int, p_of jsonb) returns jsonb language plpgsql as $$
declare
  claim_from constant timestamptz := (p_slot ->> 'claim_from')::timestamptz;
  claim_to constant timestamptz := (p_slot ->> 'claim_to')::timestamptz;
  session seat_sessions;
  h record;
begin
  if p_seats > 1 then
    insert into seat_sessions as s (event_type_id, starts_at, ends_at, host_ids, capacity, taken)
      values (p_kind, (p_slot ->> 'starts_at')::timestamptz, (p_slot ->> 'ends_at')::timestamptz,
        array(select jsonb_array_elements_text(p_slot -> 'candidates' -> 0)::uuid), p_seats, 1)
      on conflict (workspace_id, event_type_id, starts_at) do update set taken = s.taken + 1, capacity = greatest(s.capacity, p_seats)
      where s.taken < greatest(s.capacity, p_seats) and s.ends_at >= excluded.ends_at
      returning * into session;
    if session.id is null then return null; end if;
    if session.taken = 1 and not claim_together(session.host_ids, claim_from, claim_to, jsonb_build_object('session_id', session.id)) then
      return null;
    end if;
    return jsonb_build_object('host_ids', to_jsonb(session.host_ids), 'session_id', session.id);
  end if;
  for h in select array(select jsonb_array_elements_text(c)::uuid) as ids
      from jsonb_array_elements(p_slot -> 'candidates') with ordinality e(c, n) order by n loop
    if claim_together(h.ids, claim_from, claim_to, p_of) then return jsonb_build_object('host_ids', to_jsonb(h.ids)); end if;
  end loop;
  return null;
end $$;

-- What a claim of a slot is for.
create or replace function claim_of(p jsonb, p_slot jsonb) returns jsonb immutable language sql as $$
  select jsonb_build_object('booking_id', p_slot ->> 'booking_id', 'hold_id', p ->> 'hold_id', 'expires_at', p ->> 'expires_at')
$$;

/*
  Claims, for each slot, the first set of hosts that is free, if the facts are still those by which the sets were chosen. Returns false
  otherwise, and the request is rolled back and planned again. The result is left in app.claimed: for each slot host_ids, and what the
  booking is counted in. p: event_type_id, fingerprint, hosts, window_from, window_to; hold_id and expires_at of a hold, which counts for
  nothing; shares, by host: what a new one starts with; seats; owner of a hold; moved and moved_version: the booking that is given back;
  call_key, call_id and memory of a tool call; booker, email, phone and contact_id of the booker, who must still be unknown or this contact;
  slots, several for a series: booking_id; claim_from and claim_to, which include the buffers; starts_at and ends_at; candidates, a list of
  sets of hosts; counts of the event type and of hosts, as [subject, period, starts_on, cap].
*/
create or replace function claim_slots(p jsonb) returns boolean language plpgsql as $$
declare
  kind constant uuid := (p ->> 'event_type_id')::uuid;
  pool constant uuid[] := array(select jsonb_array_elements_text(p -> 'hosts')::uuid);
  is_hold constant boolean := p ? 'hold_id';
  candidates constant jsonb := p #> '{slots,0,candidates}';
  is_single constant boolean := not p ? 'moved' and jsonb_array_length(p -> 'slots') = 1;
  moved bookings;
  slot jsonb;
  early jsonb;
  taken jsonb;
  counts jsonb;
  claimed jsonb := '[]';
begin
  if p ? 'call_key' and not is_call_unchanged(p ->> 'call_key', p ->> 'call_id', p -> 'memory') then return false; end if;
  if p ? 'booker' then
    perform pg_advisory_xact_lock(hashtextextended(current_workspace() || (p ->> 'booker'), 0));
    if match_booker(p ->> 'email', p ->> 'phone') is distinct from (p ->> 'contact_id')::uuid then return false; end if;
  end if;
  if p ? 'moved' then select * into moved from bookings where id = (p ->> 'moved')::uuid for update; end if;
  -- What this caller holds is to become the booking, so it must be free first.
  if is_single and (p ->> 'seats')::int <= 1 and jsonb_array_length(candidates) > 1 and not jsonb_path_exists(candidates, '$[*][1]')
    and not exists (select from booking_holds where owner = p ->> 'owner' and state = 'held') then
    early := take_unlocked(p #> '{slots,0}', claim_of(p, p #> '{slots,0}'));
  end if;
  if early is null then perform lock_hosts(pool || moved.host_ids, not is_single or jsonb_array_length(candidates) > 1); end if;
  if p ? 'moved' and moved.version is distinct from (p ->> 'moved_version')::int then return false; end if;
  if scheduling_fingerprint(kind, pool, (p ->> 'window_from')::timestamptz, (p ->> 'window_to')::timestamptz) <> p ->> 'fingerprint' then
    return false;
  end if;
  for slot in select s from jsonb_array_elements(p -> 'slots') s where early is null loop
    perform drop_expired_claims(pool, (slot ->> 'claim_from')::timestamptz, (slot ->> 'claim_to')::timestamptz);
  end loop;
  if p ? 'owner' then
    perform close_hold(p ->> 'owner', case when is_hold then 'released' else 'booked' end, (p #>> '{slots,0,booking_id}')::uuid);
  end if;
  if moved.claimed is not null then perform free_claims(moved.id, moved.claimed, false); end if;

  for slot in select s from jsonb_array_elements(p -> 'slots') with ordinality e(s, n) order by n loop
    taken := coalesce(early, take_time(slot, kind, (p ->> 'seats')::int, claim_of(p, slot)));
    if taken is null then return false; end if;
    counts := coalesce((select jsonb_agg(e) from jsonb_array_elements(slot -> 'counts') e
      where (e ->> 0)::uuid = kind or (taken -> 'host_ids') @> jsonb_build_array(e -> 0)), '[]');
    claimed := claimed || jsonb_build_object('host_ids', taken -> 'host_ids', 'counts', counts, 'claimed', jsonb_build_object('session_id',
      taken -> 'session_id', 'counted',
        coalesce((select jsonb_agg(e - 3 || jsonb_build_array(e -> 3 <> 'null')) from jsonb_array_elements(counts) e), '[]')));
  end loop;
  -- Only now, because a booking may be moved within the time that it gives back.
  perform offer_seats((moved.claimed ->> 'session_id')::uuid);
  perform hand('claimed', claimed);
  return is_hold or count_bookings(p, kind, moved, claimed);
end $$;

-- What claim_slots has claimed in this transaction for one of its slots.
create or replace function claimed_now(p_slot int)
  returns jsonb stable language sql return handed('claimed') -> p_slot;

-- Gives back the time, the seat and the counts of a booking that has been cancelled or deleted.
create or replace function release_booking(p_booking bookings) returns void language plpgsql as $$
begin
  if p_booking.claimed is null then return; end if;
  perform free_claims(p_booking.id, p_booking.claimed, true);
  perform defer_counts(counts_given_back(p_booking),
    (select jsonb_agg(jsonb_build_array(p_booking.event_type_id, h, null, -1)) from unnest(p_booking.host_ids) h));
end $$;

-- A booking that is cancelled, or whose contact is purged, gives its time back on every path.
create or replace function release_booking_time() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform release_booking(old);
    return old;
  end if;
  if new.status = 'cancelled' and old.status <> 'cancelled' then
    if new.claimed is not null then perform release_booking(old); end if;
    new.claimed := null;
  end if;
  return new;
end $$;
create or replace trigger release_time before update of status on bookings for each row execute function release_booking_time();
create or replace trigger release_deleted after delete on bookings for each row execute function release_booking_time();

-- Ends the open hold of a call or a page's session, and frees its time.
create or replace function close_hold(p_owner text, p_state text, p_booking uuid default null) returns uuid language plpgsql as $$
declare
  hold booking_holds;
begin
  update booking_holds set state = p_state, booking_id = p_booking where owner = p_owner and state = 'held' returning * into hold;
  if hold.session_id is not null then perform free_seat(hold.session_id, p_state <> 'booked'); end if;
  if hold.id is not null then delete from host_claims where hold_id = hold.id; end if;
  return hold.id;
end $$;

-- Writes the event of a change of a booking, which notices and reminders follow. `moved_to_id` is the booking that has replaced it.
create or replace function emit_booking(b bookings, p_what text) returns void language sql as $$
  select emit('booking.' || p_what, 'booking', b.id, jsonb_build_object('event_type_id', b.event_type_id, 'starts_at', iso(b.starts_at),
    'ends_at', iso(b.ends_at), 'host_id', b.host_id, 'contact_id', b.contact_id, 'deal_id', b.deal_id,
      'rescheduled_from_id', b.rescheduled_from_id,
    'moved_to_id', (select m.id from bookings m where m.rescheduled_from_id = b.id order by m.id desc limit 1)))
$$;

create or replace function announce_bookings() returns trigger language plpgsql as $$
begin
  if not exists (select from new_rows) then return null; end if;
  if tg_op = 'UPDATE' then
    perform emit_booking(b, b.status) from new_rows n join old_rows o on o.id = n.id and o.status <> n.status,
      lateral (select * from bookings where id = n.id) b;
  else
    perform emit_booking(b, case when b.rescheduled_from_id is not null then 'rescheduled'
      when b.status = 'pending' then 'requested' else b.status end)
      from new_rows n, lateral (select * from bookings where id = n.id) b where not merge_in_progress();
  end if;
  return null;
end $$;
create or replace trigger status_insert after insert on bookings referencing new table as new_rows
  for each statement execute function announce_bookings();
create or replace trigger status_update after update on bookings referencing old table as old_rows new table as new_rows
  for each statement execute function announce_bookings();

-- Ends holds whose time is over, at most p_limit, and frees their time. Claims that have expired count for nothing before that; seats are
-- taken until then.
create or replace function expire_holds(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n int := 0;
  hold record;
begin
  for hold in with due as (select workspace_id, id from booking_holds where state = 'held' and expires_at <= now() order by expires_at, id
      limit p_limit for update skip locked),
      expired as (update booking_holds h set state = 'expired' from due where h.workspace_id = due.workspace_id and h.id = due.id
        returning h.workspace_id, h.id, h.session_id),
      freed as (delete from host_claims c using expired e where c.workspace_id = e.workspace_id and c.hold_id = e.id)
    select * from expired order by workspace_id, session_id, id
  loop
    n := n + 1;
    continue when hold.session_id is null;
    perform set_config('app.workspace_id', hold.workspace_id::text, true);
    update waiting_list_entries set state = 'lapsed', due_at = null
      where workspace_id = hold.workspace_id and id = hold.id and state = 'offered';
    perform free_seat(hold.session_id, true);
  end loop;
  delete from voice_results
    where (workspace_id, id) in (select workspace_id, id from voice_results where created_at < now() - interval '2 days'
      order by created_at limit p_limit);
  return n;
end $$;
revoke execute on function expire_holds from public, app;
grant execute on function expire_holds to jobs;
