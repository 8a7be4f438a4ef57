-- What continues a run that failed, or takes its steps again: see automations.sql.

-- Locks a run, and raises NOT_FOUND or, unless it has ended or not as demanded, INVALID_STATE. Enrolments in auto queues begin again there
-- only.
create or replace function assert_run(p_run uuid, p_ended boolean)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs;
begin
  select * into r from automation_runs where workspace_id = (select current_workspace()) and id = p_run for update;
  if r.id is null then perform fail('NOT_FOUND', 'No such run in this workspace'); end if;
  if p_ended and r.enrolment_state is not null then
    perform fail('CONFLICT', 'This run is an enrolment in an auto queue: continue it there', jsonb_build_object('id', r.automation_id));
  end if;
  if (r.ended_at is not null) <> p_ended then
    perform fail('INVALID_STATE', format('This run is %s', r.state), jsonb_build_object('state', r.state, 'allowed',
      case when p_ended then '["failed", "cancelled", "stopped", "completed"]'::jsonb else '["queued", "running", "waiting"]' end));
  end if;
end $$;

/*
  Continues runs that failed, with the step that failed: one, or at most p_limit of an automation. Returns their number. Of an automation
  whose runs of a record wait for each other, they wait again; of one that allows no second run of a record, the latest alone goes on, and
  none where another one is under way.
*/
create or replace function retry_runs(p_automation uuid, p_run uuid, p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  chosen constant uuid[] := array(select r.id from automation_runs r
    where r.workspace_id = w and r.state = 'failed' and has_record(r) and (p_run is null or r.id = p_run)
      and (p_automation is null or r.automation_id = p_automation) order by r.created_at limit p_limit for update);
  automation uuid := coalesce(p_automation, (select automation_id from automation_runs where workspace_id = w and id = p_run));
  concurrency constant text := (select v.definition #>> '{enrolment,concurrency}' from automations a
    join automation_versions v on v.workspace_id = w and v.id = a.version_id where a.workspace_id = w and a.id = automation);
  begun int;
  other uuid;
begin
  -- As start_runs does: what starts or ends at this moment either sees these runs, or is seen.
  if concurrency <> 'parallel' then
    perform pg_advisory_xact_lock(hashtext('automation_runs'), hashtext(automation::text));
    perform mark_for_delivery(bool_or(locked.due_at <= now())) from (select o.due_at from automation_runs o
      where o.workspace_id = w and o.automation_id = automation and o.ended_at is null
        and o.record_id = any (array(select r.record_id from automation_runs r where r.workspace_id = w and r.id = any (chosen)))
        order by o.id for share) locked;
  end if;
  update automation_runs r set state = case when f.waits then 'queued' else 'running' end, due_at = case when not f.waits then now() end,
      attempts = 0, error = null, reason = null, updated_at = now()
    from (select n.*, concurrency = 'queue' and (n.open_id is not null or n.nth > 1) as waits from (
        select r.id, case when concurrency <> 'parallel' then (select o.id from automation_runs o
            where o.workspace_id = w and o.automation_id = automation and o.record_id = r.record_id and o.ended_at is null limit 1) end
              as open_id,
          row_number() over (partition by coalesce(r.record_id, r.id) order by case when concurrency <> 'queue' then r.created_at end desc,
            r.id) as nth
        from automation_runs r where r.workspace_id = w and r.id = any (chosen)) n) f
    where r.workspace_id = w and r.id = f.id
      and (concurrency in ('parallel', 'queue') or f.open_id is null and f.nth = 1);
  get diagnostics begun = row_count;
  if p_run is not null and begun = 0 then
    select o.id into other from automation_runs r join automation_runs o on o.workspace_id = w and o.automation_id = r.automation_id
      and o.record_id = r.record_id and o.ended_at is null where r.workspace_id = w and r.id = p_run and r.id = any (chosen) limit 1;
    if other is not null then
      perform fail('CONFLICT', 'Another run of this record is under way', jsonb_build_object('reason', 'already_running', 'id', other));
    end if;
    if exists (select from automation_runs r where r.workspace_id = w and r.id = p_run and not has_record(r)) then
      perform fail('CONFLICT', 'The record that this run was about is gone', jsonb_build_object('reason', 'record_gone'));
    end if;
    perform fail('INVALID_STATE', 'Only a run that failed can be continued',
      (select jsonb_build_object('state', state, 'allowed', jsonb_build_array('failed'))
      from automation_runs where workspace_id = w and id = p_run));
  end if;
  return begun;
end $$;

-- Starts a run that takes the steps of another one from p_step on. Steps from there that took effect are left out, those of a loop for the
-- items for which they did (see skipKey in program.ts), and whatever that run has left out.
create or replace function replay_run(p_run uuid, p_step uuid, p_key text)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  r automation_runs;
  first automation_steps;
  added uuid;
begin
  select * into r from automation_runs where workspace_id = w and id = p_run;
  if not has_record(r) then
    perform fail('CONFLICT', 'The record that this run was about is gone', jsonb_build_object('reason', 'record_gone'));
  end if;
  select * into first from automation_steps where workspace_id = w and run_id = p_run and step_id = p_step order by sequence limit 1;
  if first.place is null then
    perform fail_field('step_id', 'is no step that this run has taken');
  end if;
  insert into automation_runs (workspace_id, automation_id, version_id, state, source, source_id, dedupe_key, record_id,
      contact_id, customer_id, opportunity_id, trigger_data, depth, place, due_at)
    values (w, r.automation_id, r.version_id, 'running', 'replay', r.id, p_key, r.record_id, r.contact_id, r.customer_id,
      r.opportunity_id, r.trigger_data,
      r.depth, jsonb_build_object('frames', first.place, 'outputs', r.place -> 'outputs',
        'skip', (select coalesce(jsonb_agg(distinct left_out), '[]') from (
          select jsonb_array_elements_text(r.place -> 'skip') as left_out
          union all select s.step_id || coalesce((select string_agg(':' || coalesce(case jsonb_typeof(i.item) when 'object' then
              i.item ->> 'id' end, f ->> 'item'), '' order by n) from jsonb_array_elements(s.place) with ordinality e(f, n),
              lateral (select f -> 'items' -> (f ->> 'item')::int as item) i where f ? 'items'), '')
            from automation_steps s where s.workspace_id = w and s.run_id = p_run and s.sequence >= first.sequence and s.state = 'done'
            and s.request_id is not null) steps)),
      now()) returning id into added;
  return added;
end $$;

revoke execute on function assert_run, retry_runs, replay_run from public;
grant execute on function assert_run, retry_runs, replay_run to app;
