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

-- Continues runs that failed, with the step that failed: one, or at most p_limit of an automation. Returns their number.
create or replace function retry_runs(p_automation uuid, p_run uuid, p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  begun int;
begin
  update automation_runs set state = 'running', due_at = now(), attempts = 0, error = null, reason = null, updated_at = now()
    where workspace_id = (select current_workspace()) and id = any (array(select r.id from automation_runs r
      where r.workspace_id = (select current_workspace()) and r.state = 'failed' and has_record(r) and (p_run is null or r.id = p_run)
        and (p_automation is null or r.automation_id = p_automation) order by r.created_at limit p_limit for update));
  get diagnostics begun = row_count;
  if p_run is not null and begun = 0 then
    if exists (select from automation_runs r
        where r.workspace_id = (select current_workspace()) and r.id = p_run and not has_record(r)) then
      perform fail('CONFLICT', 'The record that this run was about is gone', jsonb_build_object('reason', 'record_gone'));
    end if;
    perform fail('INVALID_STATE', 'Only a run that failed can be continued',
      (select jsonb_build_object('state', state, 'allowed', jsonb_build_array('failed'))
      from automation_runs where workspace_id = (select current_workspace()) and id = p_run));
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
