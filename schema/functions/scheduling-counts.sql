/*
  What bookings are counted in: counters by day, week and month, which caps are compared with, and the shares of hosts in a round robin.
  Every booking of an event type changes the same counters, so only those that have a cap are locked with the claim. The others, and the
  shares, are changed when the transaction commits. Locks are always taken in this order: counters that have a cap, those that have none,
  each in the order of their keys, shares in the order of host ids.
*/

-- Adds to the counters and subtracts from them, those with a cap first, in the order of their keys. p_changes: [subject, period, starts_on,
-- change, cap or null, whether it had a cap when it was counted]. Returns false if a cap would be exceeded; the caller rolls back.
create or replace function change_counts(p_changes jsonb) returns boolean language plpgsql as $$
declare
  c record;
begin
  for c in select * from counts_by_key(p_changes) loop
    if c.change < 0 then
      update booking_counts set taken = greatest(taken + c.change, 0)
        where subject_id = c.subject and period = c.period and starts_on = c.starts_on;
    elsif c.change > 0 then
      insert into booking_counts as b (subject_id, period, starts_on, taken) values (c.subject, c.period, c.starts_on, c.change)
        on conflict (workspace_id, subject_id, period, starts_on) do update set taken = b.taken + excluded.taken
          where c.cap is null or b.taken + excluded.taken <= c.cap;
      if not found or c.change > c.cap then return false; end if;
    end if;
  end loop;
  return true;
end $$;

-- The changes of each counter together, in the order in which counters are locked.
create or replace function counts_by_key(p_changes jsonb)
  returns table (subject uuid, period text, starts_on date, change int, cap int, capped boolean) stable language sql as $$
  select (e ->> 0)::uuid, e ->> 1, (e ->> 2)::date, sum((e ->> 3)::int)::int, min((e ->> 4)::int), bool_or((e ->> 5)::boolean) as capped
  from jsonb_array_elements(p_changes) e group by 1, 2, 3 order by capped desc, 1, 2, 3
$$;

-- Leaves changes of counters and shares to the end of the transaction. p_shares: [event type, host, what a new share starts with or null,
-- change].
create or replace function defer_counts(p_counts jsonb, p_shares jsonb) returns void language sql as $$
  select hand('deferred_counts', jsonb_build_object('counts', coalesce(d -> 'counts', '[]') || coalesce(p_counts, '[]'),
    'shares', coalesce(d -> 'shares', '[]') || coalesce(p_shares, '[]')))
  from (select handed('deferred_counts') as d) deferred
$$;

-- Counts what claim_slots has claimed in place of the booking that is given back; false if a cap would be exceeded.
create or replace function count_bookings(p jsonb, p_kind uuid, p_moved bookings, p_claimed jsonb) returns boolean language plpgsql as $$
declare
  changes constant jsonb := counts_given_back(p_moved)
    || coalesce((select jsonb_agg(jsonb_build_array(e -> 0, e -> 1, e -> 2, 1, e -> 3, e -> 3 <> 'null'))
    from jsonb_array_elements(p_claimed) c, jsonb_array_elements(c -> 'counts') e), '[]');
  added jsonb;
  others jsonb;
begin
  select jsonb_agg(jsonb_build_array(subject, period, starts_on, change, cap, true)) filter (where cap is not null and change > 0),
    jsonb_agg(jsonb_build_array(subject, period, starts_on, change, null, capped)) filter (where cap is null and change > 0 or change < 0)
    into added, others from counts_by_key(changes);
  if not change_counts(coalesce(added, '[]')) then return false; end if;
  perform defer_counts(others, (select jsonb_agg(c) from (
    select jsonb_build_array(p_kind, h, coalesce(p -> 'shares' -> h, '0'), 1) as c
      from jsonb_array_elements(p_claimed) c, jsonb_array_elements_text(c -> 'host_ids') h
    union all select jsonb_build_array(p_kind, h, 0, -1) from unnest(p_moved.host_ids) h where p_moved.claimed is not null) shares));
  return true;
end $$;

-- What a booking no longer counts for when it is given back, as changes of counters.
create or replace function counts_given_back(p_booking bookings) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_array(e -> 0, e -> 1, e -> 2, -1, null, coalesce(e -> 3, 'false'))), '[]')
  from jsonb_array_elements(p_booking.claimed -> 'counted') e
$$;

-- Changes the counters that were left to the end of the transaction, and the shares: what the bookings of a host count for in the round
-- robin.
create or replace function settle_deferred_counts() returns trigger language plpgsql as $$
declare
  deferred constant jsonb := nullif(handed('deferred_counts'), 'null');
  share record;
begin
  if deferred is null then return null; end if;
  perform hand('deferred_counts', null);
  perform change_counts(deferred -> 'counts');
  for share in select * from (
    select (e ->> 0)::uuid as kind, (e ->> 1)::uuid as host, max((e ->> 2)::int) as start, sum((e ->> 3)::int)::int as change
    from jsonb_array_elements(deferred -> 'shares') e group by 1, 2 order by host, kind) s
    where s.change <> 0
      and (s.start is not null or exists (select from host_shares h where h.event_type_id = s.kind and h.host_id = s.host))
  loop
    insert into host_shares as s (event_type_id, host_id, booked, last_booked_at)
      values (share.kind, share.host, coalesce(share.start, 0) + share.change, now())
      on conflict (workspace_id, host_id, event_type_id) do update set booked = greatest(s.booked + share.change, 0),
        last_booked_at = case when share.change > 0 then now() else s.last_booked_at end;
  end loop;
  return null;
end $$;
create constraint trigger settle_counts after insert or update of status, claimed or delete on bookings deferrable initially deferred
  for each row execute function settle_deferred_counts();
