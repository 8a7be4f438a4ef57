-- What runs wait for that is an event: see automation-runs.sql.

/*
  Runs that wait for an event of these types look at it: [{"event_id", "type", "contact_id", "customer_id", "opportunity_id"}], with a line
  for each record that an event is about. Whether it ends the wait is decided by the worker that claims the run. A run keeps the ids of 100
  events; beyond them it looks for all from the first of them on.
*/
create or replace function wake_waits(p_workspace uuid, p_events jsonb) returns void security definer set search_path = public, pg_temp
  set enable_seqscan = off language plpgsql as $$
begin
  if p_events = '[]' or not exists (select from automation_runs where workspace_id = p_workspace and awaits is not null) then
    return;
  end if;
  with named as materialized (
    select * from jsonb_to_recordset(p_events) e(event_id uuid, type text, contact_id uuid, customer_id uuid, opportunity_id uuid)
  ), met as (
    select r.id, n.event_id, n.type from named n
      join automation_runs r on r.workspace_id = p_workspace and r.contact_id = n.contact_id and r.awaits is not null
    union select r.id, n.event_id, n.type from named n
    join automation_runs r on r.workspace_id = p_workspace and r.customer_id = n.customer_id and r.awaits is not null
    union select r.id, n.event_id, n.type from named n
    join automation_runs r on r.workspace_id = p_workspace and r.opportunity_id = n.opportunity_id and r.awaits is not null
  )
  update automation_runs r set due_at = now(), updated_at = now(), place = jsonb_set(r.place, '{wait}', r.place -> 'wait' || case
      when jsonb_array_length(f.found) <= 100 then jsonb_build_object('found', f.found)
      else jsonb_build_object('looked', false, 'found', '[]'::jsonb, 'from', least((r.place #>> '{wait,found,0}')::uuid, f.first)) end)
    from (select w.id, coalesce(w.place #> '{wait,found}', '[]') || jsonb_agg(m.event_id order by m.event_id) as found,
      (array_agg(m.event_id order by m.event_id))[1] as first
      from met m join automation_runs w on w.workspace_id = p_workspace and w.id = m.id
      where w.place #> '{wait,types}' ? m.type and m.event_id > (w.place #>> '{wait,since}')::uuid group by w.workspace_id, w.id) f
    where r.workspace_id = p_workspace and r.id = f.id and r.awaits is not null and r.ended_at is null;
end $$;

-- The events that may end the wait of a run, 200 at most by id: those that have been found for it, or those since the step before if it has
-- not looked for them.
create or replace function awaited_events(r automation_runs)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(fed_event(o) order by o.id), '[]') from (
    select o.* from outbox o where r.place #>> '{wait,looked}' = 'true' and o.workspace_id = r.workspace_id and o.private_to is null
      and o.id = any (array(select jsonb_array_elements_text(coalesce(r.place #> '{wait,found}', '[]'))::uuid))
    union all
    (select o.* from outbox o
      where (r.place #>> '{wait,looked}') is distinct from 'true' and o.workspace_id = r.workspace_id and o.private_to is null
      and o.type = any (array(select jsonb_array_elements_text(r.place #> '{wait,types}'))) and o.id > (r.place #>> '{wait,since}')::uuid
      and o.id >= coalesce((r.place #>> '{wait,from}')::uuid, (r.place #>> '{wait,since}')::uuid)
      -- No record is named otherwise than by its id.
      and (o.entity_id in (r.contact_id, r.customer_id, r.opportunity_id) or strpos(o.payload::text, r.contact_id::text) > 0
        or strpos(o.payload::text, r.customer_id::text) > 0 or strpos(o.payload::text, r.opportunity_id::text) > 0)
      order by o.id limit 200)) o
$$;

/*
  The place of a run that begins to wait for an event, with the id behind which events count: that of the last step that took effect, of
  what ended the wait before, or of what started the run.
*/
create or replace function with_since(r automation_runs, p_place jsonb) returns jsonb stable language sql as $$
  select case when p_place #> '{wait,types}' is null or p_place #> '{wait,since}' is not null then p_place
    else jsonb_set(p_place, '{wait,since}',
      to_jsonb(greatest((p_place ->> 'since')::uuid, (select s.id from automation_steps s where s.workspace_id = r.workspace_id
      and s.run_id = r.id and s.sequence <= r.moves order by s.sequence desc limit 1),
        case when r.source = 'event' then r.source_id else r.id end))) end
$$;

-- Where a run is: its last step says so if the worker that took it has not brought the run to rest.
create or replace function place_of(r automation_runs) returns jsonb stable language sql as $$
  select coalesce(case when r.moves > 0 then (select s.next_place from automation_steps s
    where s.workspace_id = r.workspace_id and s.run_id = r.id and s.sequence = r.moves) end, r.place)
$$;

revoke execute on function wake_waits, awaited_events, with_since, place_of from public, app;
grant execute on function wake_waits to jobs;
