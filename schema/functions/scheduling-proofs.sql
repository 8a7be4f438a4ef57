-- What a booking was decided by, as it is in the transaction that claims its time (PROOF_INPUTS, src/features/scheduling/rules/proofs.ts).
create or replace function proof_inputs(b bookings) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('input', i.input, 'id', i.id, 'host_id', i.host_id, 'version', i.version,
    'changed_at', iso(i.changed_at), 'read_at', iso(i.read_at)) order by i.place, i.host_id)
  from (
    select 1 as place, 'event_type' as input, t.id, null::uuid as host_id, t.version, t.updated_at as changed_at, now() as read_at
      from scheduled_event_types t where t.id = b.event_type_id
    union all select 2, 'company_hours', a.id, null, a.version, a.updated_at, now() from availabilities a where a.id = current_workspace()
    union all select 3, 'host_hours', a.id, h.id, a.version, a.updated_at, now() from unnest(b.host_ids) h(id)
      left join host_availabilities(b.event_type_id, b.host_ids) a on a.user_id = h.id
    union all select 4, 'time_off', null, h.id, null, null, now() from unnest(b.host_ids) h(id)
    -- The exclusion constraint of host_claims decides about these.
    union all select 5, 'bookings', null, h.id, null, null, now() from unnest(b.host_ids) h(id)
    union all select 6, 'calendar', null, h.id, null, null,
      coalesce((select k.read_at from host_calendars(array[h.id]) k), (select max(c.read_at) from busy_times c where c.host_id = h.id
      and c.ends_at > b.starts_at - interval '1 day' and c.ends_at < b.ends_at + interval '2 days')) from unnest(b.host_ids) h(id)
  ) i
$$;

-- Stores the rules that a booking has passed: the general ones, and those of the hosts who were claimed.
create or replace function record_proof(p_booking uuid, p_checks jsonb) returns void language sql as $$
  insert into booking_proofs (booking_id, decided_at, checks, inputs)
    select b.id, now(), coalesce((select jsonb_agg(c order by n) from jsonb_array_elements(p_checks) with ordinality e(c, n)
      where c ->> 'host_id' is null or (c ->> 'host_id')::uuid = any (b.host_ids)), '[]'), proof_inputs(b)
    from bookings b where b.id = p_booking
  on conflict (workspace_id, booking_id) do update set decided_at = excluded.decided_at, checks = excluded.checks, inputs = excluded.inputs
$$;
