/*
  Runs of skills and their credits. A run reserves the most that it may cost before a model is asked, and is settled once: what it has used
  is charged, and the rest refunded. Budgets of a day count what is reserved as used, under the lock on the balance, so parallel runs cannot
  exceed them together.
*/

-- Begins a run. p: id, skill_id, credits, skill_limit. Raises INSUFFICIENT_CREDITS, with what to do, unless the balance and the budgets
-- allow it.
create or replace function begin_skill_run(p jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  cost constant int := (p ->> 'credits')::int;
  available int;
begin
  select balance into available from credit_accounts where workspace_id = w for update;
  if coalesce(available, 0) < cost then
    perform fail('INSUFFICIENT_CREDITS',
      format('The run reserves %s credits, and the workspace has %s: send a lower max_credits, or have credits granted', cost,
      coalesce(available, 0)), jsonb_build_object('required', cost, 'balance', coalesce(available, 0)));
  end if;
  perform spend_model_day((p ->> 'skill_id')::uuid, cost, (p ->> 'skill_limit')::int, 'credits_per_day of the skill');
  perform spend_model_day(w, cost, (select model_credits_per_day from crm_settings where workspace_id = w),
    'model_credits_per_day of the workspace');
  update credit_accounts set balance = balance - cost, reserved = reserved + cost where workspace_id = w;
  perform add_run_entry(w, (p ->> 'id')::uuid, 'reserve', -cost);
  insert into skill_runs (workspace_id, id, skill_id, key_id, credits_reserved)
    values (w, (p ->> 'id')::uuid, (p ->> 'skill_id')::uuid, current_key_id(), cost);
end $$;

-- Adds credits to those of today, up to a limit. The balance of the workspace is locked.
create or replace function spend_model_day(p_subject uuid, p_credits int, p_limit int, p_what text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  today constant date := (now() at time zone 'UTC')::date;
  spent int;
begin
  insert into model_days as d (workspace_id, day, subject_id, credits) values (current_workspace(), today, p_subject, p_credits)
    on conflict (workspace_id, day, subject_id) do update set credits = d.credits + excluded.credits returning credits into spent;
  if spent > p_limit then
    perform fail('INSUFFICIENT_CREDITS',
      format('%s is %s, of which %s are used or reserved today (UTC): raise it, send a lower max_credits, or wait until tomorrow',
      p_what, p_limit, spent - p_credits), jsonb_build_object('required', p_credits, 'budget', p_limit, 'used', spent - p_credits));
  end if;
end $$;

create or replace function add_run_entry(p_workspace uuid, p_run uuid, p_kind text, p_amount int) returns void
  security definer set search_path = public, pg_temp language sql as $$
  insert into credit_entries (workspace_id, kind, amount, balance, reference, created_at)
    select p_workspace, p_kind, p_amount, a.balance, format('skill_run:%s:%s', p_run, p_kind), clock_timestamp() from credit_accounts a
      where a.workspace_id = p_workspace
$$;

-- Notes what a run has used so far, and called, for the case that its Worker dies.
create or replace function note_skill_run(p_id uuid, p jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update skill_runs set steps = (p ->> 'steps')::int, input_tokens = (p ->> 'input_tokens')::int,
      output_tokens = (p ->> 'output_tokens')::int,
      is_estimate = (p ->> 'is_estimate')::boolean, credits = least((p ->> 'credits')::int, credits_reserved),
        tool_calls = p -> 'tool_calls'
    where workspace_id = (select current_workspace()) and id = p_id and status = 'running'
$$;

-- Ends a run of the workspace of the transaction with its outcome, once: status, output, error, and what note_skill_run takes.
create or replace function end_skill_run(p_id uuid, p jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform note_skill_run(p_id, p);
  perform settle_skill_run(current_workspace(), p_id, p);
end $$;

create or replace function settle_skill_run(p_workspace uuid, p_id uuid, p jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r skill_runs;
  rest int;
begin
  update skill_runs set status = p ->> 'status', output = p -> 'output', error = nullif(p -> 'error', 'null'), ended_at = clock_timestamp()
    where workspace_id = p_workspace and id = p_id and status = 'running' returning * into r;
  if r.id is null then return; end if;
  rest := r.credits_reserved - r.credits;
  update credit_accounts set balance = balance + rest, reserved = reserved - r.credits_reserved where workspace_id = p_workspace;
  if r.credits > 0 then perform add_run_entry(p_workspace, p_id, 'settle', 0); end if;
  if rest > 0 then perform add_run_entry(p_workspace, p_id, 'refund', rest); end if;
  update model_days set credits = credits - rest
    where workspace_id = p_workspace and day = (r.created_at at time zone 'UTC')::date and subject_id in (r.skill_id, p_workspace);
end $$;

/*
  Ends runs whose Worker has died, at most p_limit. What was noted is charged; nobody knows what the last answer took, so the usage is
  marked as an estimate.
*/
create or replace function end_lost_runs(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
  ended int := 0;
begin
  for r in select workspace_id, id from skill_runs
    where status = 'running' and created_at < now() - make_interval(mins => lost_run_minutes())
    order by created_at limit p_limit for update skip locked
  loop
    update skill_runs set is_estimate = true where workspace_id = r.workspace_id and id = r.id;
    perform settle_skill_run(r.workspace_id, r.id, jsonb_build_object('status', 'failed', 'error', jsonb_build_object('code', 'UNAVAILABLE',
      'message', 'The run was interrupted: what it had done until then stands in tool_calls')));
    ended := ended + 1;
  end loop;
  return ended;
end $$;

-- Deletes runs and the credits of days that are older than 30 days, at most p_limit of each, and returns their number.
create or replace function expire_skill_runs(p_limit int default 10000) returns int
  security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  runs int;
  days int;
begin
  delete from skill_runs where ctid = any (array(select ctid from skill_runs where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics runs = row_count;
  delete from model_days where ctid = any (array(select ctid from model_days where day < now()::date - 30 limit p_limit));
  get diagnostics days = row_count;
  return runs + days;
end $$;

revoke execute on function begin_skill_run, spend_model_day, add_run_entry, note_skill_run, end_skill_run, settle_skill_run,
  end_lost_runs, expire_skill_runs
  from public, app, jobs;
grant execute on function begin_skill_run, note_skill_run, end_skill_run to app, jobs;
grant execute on function end_lost_runs, expire_skill_runs to jobs;
