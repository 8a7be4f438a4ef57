/*
  Auto schedules. The minute cron asks due_schedules which are due; the Worker, which has the zone data, decides for which minutes each
  fires and when it is due next, and fire_due_schedules notes that (schedule-jobs.sql). A fire is a row of schedule_runs, unique by schedule
  and minute, so whatever notices a minute twice fires it once. A message then starts the runs of its audience in parts. Each part is one
  transaction that also moves the fire on, so that a repeated message or a crash neither repeats nor leaves out anybody.
*/

-- A schedule that has fired as often as it may becomes inactive, and an inactive one is not due.
create or replace function deactivate_schedule() returns trigger language plpgsql as $$
begin
  if new.run_count >= new.max_runs then new.is_active := false; end if;
  if not new.is_active then new.next_run_at := null; end if;
  return new;
end $$;
create or replace trigger deactivate_schedule before insert or update on auto_schedules for each row execute function deactivate_schedule();

-- A schedule that is restored has missed nothing while it was deleted: it is due for the times from now on.
create or replace function pass_over_deletion() returns trigger language plpgsql as $$
begin
  new.next_run_at := now();
  return new;
end $$;
create or replace trigger pass_over_deletion before insert on auto_schedules for each row when (new.next_run_at < now())
  execute function pass_over_deletion();

/*
  Notes a fire of a schedule: for the minute p_due, or with null one by hand. Returns its id, or null if that minute has fired before.
  Without a published automation the fire has failed at once.
*/
create or replace function note_fire(s auto_schedules, p_id uuid, p_due timestamptz)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  run schedule_runs;
  automation constant text := (select a.state from automations a where a.workspace_id = s.workspace_id and a.id = s.automation_id);
begin
  insert into schedule_runs (workspace_id, id, schedule_id, due_at, settings)
    values (s.workspace_id, p_id, s.id, p_due, jsonb_build_object('audience_type', s.audience_type, 'audience_filter', s.audience_filter,
      'automation_id', s.automation_id, 'timezone', s.timezone, 'spread_minutes', s.spread_minutes, 'deliver_at_local', s.deliver_at_local))
    on conflict (workspace_id, schedule_id, due_at) do nothing returning * into run;
  if run.id is null then return null; end if;
  if automation <> 'published' then
    perform end_fire(run.id, 'INVALID_STATE', format('The automation is not published: its state is %s', automation));
    return null;
  end if;
  return run.id;
end $$;

-- Ends a fire that has not ended: with an error, or by the outcome of its audience. Its event has the figures.
create or replace function end_fire(p_run uuid, p_code text default null, p_message text default null)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  run schedule_runs;
begin
  update schedule_runs set ended_at = now(), touched_at = now(), error = case when p_code is not null then
      jsonb_build_object('code', p_code, 'message', p_message) end,
      status = case when p_code is null and runs_failed = 0 then 'completed'
        when runs_triggered + runs_skipped > 0 then 'partial' else 'failed' end
    where workspace_id = (select current_workspace()) and id = p_run and ended_at is null returning * into run;
  if run.id is null then return; end if;
  perform emit('auto_schedule.fired', 'auto_schedule', run.schedule_id,
    jsonb_build_object('schedule_run_id', run.id, 'due_at', iso(run.due_at),
    'status', run.status, 'audience_size', run.audience_size, 'runs_triggered', run.runs_triggered, 'runs_skipped', run.runs_skipped,
    'runs_failed', run.runs_failed, 'error', run.error));
end $$;

-- Fires a schedule by hand, in any state. The event enqueues the fire.
create or replace function fire_schedule_now(p_schedule uuid, p_run uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s auto_schedules;
begin
  select * into s from auto_schedules where workspace_id = (select current_workspace()) and id = p_schedule;
  if note_fire(s, p_run, null) is not null then
    perform emit('auto_schedule.fire_requested', 'auto_schedule', s.id, jsonb_build_object('schedule_run_id', p_run));
  end if;
end $$;

revoke execute on function note_fire, end_fire, fire_schedule_now from public;
grant execute on function fire_schedule_now to app;
