/*
  Auto queues. A queue is compiled into an automation of the same id, with a wait and an action for each step, and an enrolment is a run of
  it: so waits, rights, retries and history are those of automations. A policy hides these automations from the API. Enrolments follow the
  latest version: claim_runs hands them over with the steps of the version that their place is about, and the worker finds the place among
  the new steps.
*/

-- Makes the steps of a queue, as they are now, the version that its enrolments follow. The caller becomes its publisher.
create or replace function publish_queue(p_queue uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  q auto_queues;
  compiled jsonb;
  enrolment jsonb;
begin
  select * into q from auto_queues where workspace_id = w and id = p_queue;
  select coalesce(jsonb_agg(part order by position, id, nth), '[]') into compiled from (
    select s.position, s.id, 1 as nth,
      jsonb_strip_nulls(jsonb_build_object('id', s.wait_id, 'of', s.id, 'type', 'wait', 'for', s.delay, 'window', s.send_window)) as part
      from auto_queue_steps s where s.workspace_id = w and s.auto_queue_id = p_queue
    union all select s.position, s.id, 2,
        coalesce(s.action, jsonb_build_object('type', 'start_automation', 'automation_id', s.automation_id))
        || jsonb_build_object('id', s.id, 'of', s.id)
      from auto_queue_steps s where s.workspace_id = w and s.auto_queue_id = p_queue) parts;
  enrolment := jsonb_strip_nulls(jsonb_build_object('concurrency', 'skip', 'days', q.re_enrolment -> 'days', 'mode',
    case q.re_enrolment ->> 'mode' when 'never' then 'once' when 'after_days' then 'again_after' else 'always' end));
  insert into automations (workspace_id, id, queue_id, name, trigger, conditions, steps, enrolment)
    values (w, q.id, q.id, 'auto queue ' || q.id, '{"type": "auto_queue"}', '[]', compiled, enrolment)
    on conflict (workspace_id, id) do update set steps = excluded.steps, enrolment = excluded.enrolment;
  perform publish_automation(q.id, '{}', q.exit_types,
    array(select v.id from automation_versions v where v.workspace_id = w and v.automation_id = q.id));
  update auto_queues set state = 'active', inactive_reason = null where workspace_id = w and id = q.id;
end $$;

-- The same for a queue that is active. Another one is compiled when it is activated; until then only its exits apply.
create or replace function republish_queue(p_queue uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  q auto_queues;
begin
  select * into q from auto_queues where workspace_id = w and id = p_queue;
  if q.state = 'active' then
    perform publish_queue(p_queue);
  else
    insert into automation_triggers (workspace_id, event_type, automation_id, starts)
      select w, t, a.id, false from automations a, unnest(q.exit_types) t where a.workspace_id = w and a.id = q.id on conflict do nothing;
  end if;
end $$;

-- No step of its enrolments is taken until it is activated again.
create or replace function deactivate_queue(p_queue uuid) returns void security definer set search_path = public, pg_temp language sql as $$
  update automations set state = 'paused', paused_reason = null where workspace_id = (select current_workspace()) and id = p_queue
$$;

-- A queue becomes inactive with its automation, also when that pauses because its publisher may no longer run it.
create or replace function sync_queue_state() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update auto_queues set state = 'inactive', inactive_reason = new.paused_reason
    where workspace_id = new.workspace_id and id = new.queue_id;
  return null;
end $$;
create or replace trigger sync_queue_state after update of state on automations for each row
  when (new.queue_id is not null and new.state = 'paused' and old.state <> 'paused') execute function sync_queue_state();

-- A queue that is restored has no enrolments, and takes none until it is activated.
create or replace function begin_inactive() returns trigger language plpgsql as $$
begin
  new.state := 'inactive';
  return new;
end $$;
create or replace trigger begin_inactive before insert on auto_queues for each row when (new.state = 'active')
  execute function begin_inactive();

-- The events of enrolments, on every path by which they begin and end.
create or replace function announce_enrolment() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  about constant jsonb := jsonb_build_object('enrolment_id', new.id, 'contact_id', new.contact_id, 'opportunity_id', new.opportunity_id);
begin
  if new.enrolment_state in ('active', 'paused') then
    perform emit('auto_queue.enrolled', 'auto_queue', new.automation_id, about);
  else
    perform emit('auto_queue.enrolment_ended', 'auto_queue', new.automation_id, about || jsonb_build_object('state', new.enrolment_state));
  end if;
  return null;
end $$;
create or replace trigger announce_enrolment after insert on automation_runs for each row
  when (new.enrolment_state is not null) execute function announce_enrolment();
create or replace trigger announce_enrolment_end after update on automation_runs for each row
  when (new.enrolment_state is not null and old.ended_at is null and new.ended_at is not null) execute function announce_enrolment();

/*
  Enrols records: see start_runs for p_rows and the result. p_source: the request, or the enrolment of a list. Reasons: not_active,
  not_found, enrolled_before, already_enrolled, too_deep, duplicate.
*/
create or replace function enrol_in_queue(p_queue uuid, p_source uuid, p_rows jsonb) returns jsonb language plpgsql as $$
declare
  outcome jsonb := start_runs(p_queue, 'queue', p_source, p_rows);
begin
  return jsonb_build_object('runs',
    (select coalesce(jsonb_agg(r || jsonb_build_object('of', case when p_rows -> (n::int - 1) ? 'opportunity_id'
    then 'opportunity' else 'contact' end, 'contact_id', (select a.contact_id from automation_runs a
      where a.workspace_id = (select current_workspace()) and a.id = (r ->> 'id')::uuid),
    'reason', case r ->> 'reason' when 'not_published' then 'not_active'
    when 'record_deleted' then 'not_found' when 'already_running' then 'already_enrolled' else r ->> 'reason' end) order by n), '[]')
    from jsonb_array_elements(outcome -> 'runs') with ordinality e(r, n)));
end $$;

-- The same for one record. Raises what prevents its enrolment, with the enrolment that is in the way.
create or replace function enrol_one(p_queue uuid, p_source uuid, p_rows jsonb) returns void language plpgsql as $$
declare
  outcome constant jsonb := enrol_in_queue(p_queue, p_source, p_rows) #> '{runs,0}';
  reason constant text := outcome ->> 'reason';
begin
  if reason = 'not_found' then
    perform fail_field(case when outcome ->> 'of' = 'opportunity' then 'opportunity_id' else 'contact_id' end,
      'does not exist in this workspace');
  elsif reason = 'too_deep' then
    perform fail('CONFLICT', 'Too many automated steps have led to this enrolment', jsonb_build_object('reason', reason));
  elsif reason is not null then
    perform fail('CONFLICT', case reason when 'already_enrolled' then 'This record is already enrolled in the queue'
      else 'This record was enrolled before, and the rule of the queue does not allow it again yet' end,
        jsonb_build_object('reason', reason,
      'id', (select r.id from automation_runs r where r.workspace_id = (select current_workspace()) and r.automation_id = p_queue
        and r.record_id = (p_rows #>> '{0,record_id}')::uuid order by r.created_at desc limit 1)));
  end if;
end $$;

-- Locks an enrolment of a queue. Raises NOT_FOUND, or INVALID_STATE unless it is in one of these states.
create or replace function lock_enrolment(p_queue uuid, p_enrolment uuid, p_allowed text[])
  returns automation_runs security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs;
begin
  select * into r from automation_runs where workspace_id = (select current_workspace()) and automation_id = p_queue and id = p_enrolment
    and enrolment_state is not null for update;
  if r.id is null then perform fail('NOT_FOUND', 'No such enrolment in this workspace'); end if;
  if r.enrolment_state <> all (p_allowed) then
    perform fail('INVALID_STATE', format('This enrolment is %s', r.enrolment_state),
      jsonb_build_object('state', r.enrolment_state, 'allowed', to_jsonb(p_allowed)));
  end if;
  return r;
end $$;

-- A step that a worker is taking at this moment is refused then (settle_runs), and taken when the enrolment is resumed.
create or replace function pause_enrolment(p_queue uuid, p_enrolment uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs := lock_enrolment(p_queue, p_enrolment, '{active}');
begin
  if r.place ? 'approval_id' or r.awaits is not null then
    perform fail('CONFLICT', 'Its step waits for an approval or for another service, which must end first',
      jsonb_build_object('id', r.place -> 'approval_id'));
  end if;
  update automation_runs set state = 'paused', place = place || jsonb_build_object('resumes_at', coalesce(due_at, now())),
    due_at = null, updated_at = now()
    where workspace_id = (select current_workspace()) and id = r.id;
end $$;

-- Goes on with what is left of its wait; a wait whose end has passed meanwhile is over.
create or replace function resume_enrolment(p_queue uuid, p_enrolment uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs := lock_enrolment(p_queue, p_enrolment, '{paused}');
begin
  update automation_runs set state = 'waiting', place = place - 'resumes_at',
    due_at = greatest(now(), (r.place ->> 'resumes_at')::timestamptz), updated_at = now()
    where workspace_id = (select current_workspace()) and id = r.id;
end $$;

create or replace function remove_enrolment(p_queue uuid, p_enrolment uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform lock_enrolment(p_queue, p_enrolment, '{active,paused,failed}');
  update automation_runs set state = 'cancelled', reason = 'cancelled'
    where workspace_id = (select current_workspace()) and id = p_enrolment;
end $$;

-- Goes on with the step that failed, unless its record was enrolled again meanwhile.
create or replace function retry_enrolment(p_queue uuid, p_enrolment uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs := lock_enrolment(p_queue, p_enrolment, '{failed}');
  later uuid;
begin
  perform pg_advisory_xact_lock(hashtext('automation_runs'), hashtext(p_queue::text));
  select id into later from automation_runs
    where workspace_id = (select current_workspace()) and automation_id = p_queue and record_id = r.record_id
    and ended_at is null;
  if later is not null then
    perform fail('CONFLICT', 'The record was enrolled again meanwhile', jsonb_build_object('reason', 'already_enrolled', 'id', later));
  end if;
  perform retry_runs(null, p_enrolment, 1);
end $$;

-- Leaves out the step that is next: the wait for it ends, and the one after it begins, as the steps of the queue are now. p_step: the step
-- that the caller expects to be next, or null.
create or replace function skip_enrolment_step(p_queue uuid, p_enrolment uuid, p_step uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs := lock_enrolment(p_queue, p_enrolment, '{active,paused}');
  w constant uuid := current_workspace();
  latest constant uuid := (select version_id from automations where workspace_id = w and id = p_queue);
  -- The steps that its place is about, and those that it follows from now on.
  former constant jsonb := (select definition -> 'steps' from automation_versions where workspace_id = w and id = r.version_id);
  steps constant jsonb := (select definition -> 'steps' from automation_versions where workspace_id = w and id = latest);
  at constant int := coalesce((r.place #>> '{frames,0,index}')::int, 0);
  skipped constant jsonb := former -> (at - at % 2 + 1);
  next int;
begin
  if r.place ? 'approval_id' or r.awaits is not null then
    perform fail('CONFLICT', 'Its step waits for an approval or for another service, which must end first',
      jsonb_build_object('id', r.place -> 'approval_id'));
  end if;
  if skipped is null then perform fail('CONFLICT', 'It has no step left'); end if;
  if p_step is not null and p_step <> (skipped ->> 'id')::uuid then
    perform fail('CONFLICT', 'Another step is next', jsonb_build_object('next_step_id', skipped -> 'id'));
  end if;
  -- After a step that was removed, the next one that is left.
  next := coalesce((select n::int from jsonb_array_elements(steps) with ordinality e(s, n) where s -> 'id' = skipped -> 'id'),
    (select e.n::int - 1 from jsonb_array_elements(former) with ordinality f(s, n)
      join jsonb_array_elements(steps) with ordinality e(s, n) on e.s -> 'id' = f.s -> 'id'
      where f.n > at and f.s ->> 'type' = 'wait' order by f.n limit 1), jsonb_array_length(steps));
  update automation_steps set state = 'skipped' where workspace_id = w and run_id = r.id and sequence = r.moves and state = 'waiting';
  insert into automation_steps (workspace_id, run_id, automation_id, sequence, step_id, type, state, place)
    values (w, r.id, p_queue, r.moves + 1, (skipped ->> 'id')::uuid, skipped ->> 'type', 'skipped', r.place -> 'frames');
  insert into automation_counts (workspace_id, automation_id, step_id, state, total)
    values (w, p_queue, (skipped ->> 'id')::uuid, 'skipped', 1)
    on conflict (workspace_id, automation_id, step_id, state) do update set total = automation_counts.total + 1;
  update automation_runs set version_id = latest, moves = moves + 1, attempts = 0,
      due_at = case when state = 'paused' then null else now() end, updated_at = now(),
      place = (place - '{waits,ended,event,resumes_at}'::text[])
        || jsonb_build_object('frames', jsonb_build_array(jsonb_build_object('in', null, 'index', next)),
        'step', steps #> array[next::text, 'of'])
        || case when state = 'paused' then jsonb_build_object('resumes_at', now()) else '{}' end
    where workspace_id = w and id = r.id;
end $$;

-- What a run that this transaction starts has as its source and the id of it, if its cause is an enrolment; null otherwise.
create or replace function enrolment_cause() returns uuid stable security definer set search_path = public, pg_temp language sql as $$
  select r.id from automation_runs r
    where r.workspace_id = (select current_workspace()) and r.id = current_cause_id() and current_cause_type() = 'automation_run'
    and r.enrolment_state is not null
$$;

revoke execute on function publish_queue, republish_queue, deactivate_queue, sync_queue_state, begin_inactive, announce_enrolment,
  enrol_in_queue, enrol_one, lock_enrolment, pause_enrolment, resume_enrolment, remove_enrolment, retry_enrolment,
  skip_enrolment_step, enrolment_cause from public;
grant execute on function publish_queue, republish_queue, deactivate_queue, enrol_in_queue, enrol_one, pause_enrolment, resume_enrolment,
  remove_enrolment, retry_enrolment, skip_enrolment_step, enrolment_cause to app;
