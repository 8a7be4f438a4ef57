-- What the background calls for schedules: see schedules.sql.

/*
  At most p_limit schedules that are due at p_now. Those that have waited longest come first, but of each workspace in turn, among the first
  p_among that are due.
*/
create or replace function due_schedules(p_now timestamptz, p_limit int, p_among int default 5000)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  with due as materialized (
    select workspace_id, id, version, cron_expression, timezone, next_run_at, end_at, max_runs, run_count, misfire_policy, grace_minutes
      from auto_schedules where next_run_at <= p_now order by next_run_at, workspace_id, id limit p_among
  ), ranked as (
    select d as schedule, row_number() over (partition by workspace_id order by next_run_at, id) as n, next_run_at from due d
  )
  select coalesce(jsonb_agg(to_jsonb(r.schedule)), '[]') from (select schedule from ranked order by n, next_run_at limit p_limit) r
$$;

/*
  Fires schedules that are due. Each of p_fires has workspace_id, id, the version and next_run_at with which it was decided, `due` (the
  minutes), `next` (when it is due next, or null) and `missed` (whether it passes over minutes). One that has changed meanwhile is left out.
  Returns [{"workspace_id", "id"}] of the fires whose audience is to be read.
*/
create or replace function fire_due_schedules(p_fires jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  f record;
  s auto_schedules;
  minute timestamptz;
  run uuid;
  fired int;
  fires jsonb := '[]';
begin
  for f in select * from jsonb_to_recordset(p_fires) r(workspace_id uuid, id uuid, version int, next_run_at timestamptz, due timestamptz[],
    next timestamptz, missed boolean) order by r.workspace_id, r.id
  loop
    perform set_config('app.workspace_id', f.workspace_id::text, true);
    select * into s from auto_schedules a where a.workspace_id = f.workspace_id and a.id = f.id and a.version = f.version
      and a.next_run_at = f.next_run_at for update;
    if not found then continue; end if;
    fired := 0;
    foreach minute in array f.due loop
      run := uuidv7();
      if note_fire(s, run, minute) is not null then
        fires := fires || jsonb_build_object('workspace_id', f.workspace_id, 'id', run);
      end if;
      if exists (select from schedule_runs r where r.workspace_id = f.workspace_id and r.id = run) then fired := fired + 1; end if;
    end loop;
    if f.missed then
      perform emit('auto_schedule.missed', 'auto_schedule', f.id, jsonb_build_object('due_at', iso(f.next_run_at), 'fired', f.due));
    end if;
    update auto_schedules a set run_count = a.run_count + fired, next_run_at = f.next where a.workspace_id = f.workspace_id and a.id = f.id;
  end loop;
  return fires;
end $$;

/*
  A fire with what its audience depends on: the lists that its filter names, to a depth of p_depth and no more than p_most, and whether its
  schedule still exists. Null if it has ended.
*/
create or replace function load_schedule_run(p_workspace uuid, p_run uuid, p_depth int, p_most int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  run schedule_runs;
  ids uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into run from schedule_runs where workspace_id = p_workspace and id = p_run and ended_at is null;
  if run.id is null then return null; end if;
  if not exists (select from auto_schedules where workspace_id = p_workspace and id = run.schedule_id) then
    perform end_fire(p_run, 'NOT_FOUND', 'The schedule was deleted');
    return null;
  end if;
  ids := array(select (v #>> '{}')::uuid from (
    select run.settings #> '{audience_filter,list_id}' as v
    union all select jsonb_path_query(run.settings, '$.audience_filter.filter.** ? (@.field == "list").value')) named
    where jsonb_typeof(v) = 'string' and pg_input_is_valid(v #>> '{}', 'uuid'));
  return jsonb_build_object('id', run.id, 'fired_at', iso(run.fired_at), 'settings', run.settings, 'last_id', run.last_id,
    'audience_size', run.audience_size, 'lists', (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from named_lists(ids, p_depth, p_most) l));
end $$;

-- Locks a fire until the end of the transaction, which moves it on from p_last; raises CONFLICT if another worker has done so.
create or replace function lock_schedule_run(p_workspace uuid, p_run uuid, p_last uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from schedule_runs
    where workspace_id = p_workspace and id = p_run and ended_at is null and last_id is not distinct from p_last for update;
  if not found then perform fail('CONFLICT', 'Another worker has moved on with this fire', '{"schedule_run": "moved"}'); end if;
end $$;

/*
  Starts the runs of a part of the audience. Each of p_rows is a row for start_runs, whose dedupe_key ends with the id of its record.
  p_next: the last record that was read; null at the end of the audience. Returns p_next.
*/
create or replace function save_schedule_part(p_run uuid, p_rows jsonb, p_next uuid)
  returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  size constant int := jsonb_array_length(p_rows);
  automation uuid;
  outcome jsonb := '{"started": 0, "skipped": {}, "runs": []}';
  skipped int;
begin
  select (settings ->> 'automation_id')::uuid into automation from schedule_runs where workspace_id = w and id = p_run;
  if size > 0 then outcome := start_runs(automation, 'schedule', p_run, p_rows); end if;
  insert into schedule_skips (workspace_id, schedule_run_id, record_id, reason)
    select w, p_run, right(r ->> 'dedupe_key', 36)::uuid, r ->> 'reason' from jsonb_array_elements(outcome -> 'runs') r
      where r ->> 'reason' is not null and r ->> 'reason' <> 'duplicate';
  -- The enrolment of the automation leaves these out, which is no failure.
  select coalesce(sum(c.value::int), 0) into skipped from jsonb_each_text(outcome -> 'skipped') c
    where c.key in ('enrolled_before', 'already_running', 'duplicate');
  update schedule_runs set last_id = p_next, touched_at = now(), audience_size = audience_size + size,
      runs_triggered = runs_triggered + (outcome ->> 'started')::int, runs_skipped = runs_skipped + skipped,
      runs_failed = runs_failed + size - (outcome ->> 'started')::int - skipped
    where workspace_id = w and id = p_run;
  if p_next is null then perform end_fire(p_run); end if;
  return p_next;
end $$;

-- Ends a fire whose audience cannot be read.
create or replace function fail_schedule_run(p_workspace uuid, p_run uuid, p_code text, p_message text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform end_fire(p_run, p_code, p_message);
end $$;

-- Deletes fires that are older than p_days, with what they have left out; at most p_limit rows of each. Returns their number.
create or replace function expire_schedule_runs(p_days int, p_limit int)
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  bound constant timestamptz := now() - make_interval(days => p_days);
  skips int;
  runs int;
begin
  delete from schedule_skips where ctid = any (array(select s.ctid from (select workspace_id, id from schedule_runs where fired_at < bound
    order by fired_at limit p_limit) r
    join schedule_skips s on s.workspace_id = r.workspace_id and s.schedule_run_id = r.id limit p_limit));
  get diagnostics skips = row_count;
  delete from schedule_runs where ctid = any (array(select r.ctid from schedule_runs r where r.fired_at < bound and r.ended_at is not null
    and not exists (select from schedule_skips s where s.workspace_id = r.workspace_id and s.schedule_run_id = r.id)
    order by r.fired_at limit p_limit));
  get diagnostics runs = row_count;
  return skips + runs;
end $$;

revoke execute on function due_schedules, fire_due_schedules, load_schedule_run, lock_schedule_run, save_schedule_part,
  fail_schedule_run, expire_schedule_runs from public, app;
grant execute on function due_schedules, fire_due_schedules, load_schedule_run, lock_schedule_run, save_schedule_part,
  fail_schedule_run, expire_schedule_runs to jobs;
