-- What the background calls for automations: see automations.sql.

-- The event types of which a follower of automations needs to know: each is found by the index, however many automations it starts.
create or replace function automation_event_types(p_workspace uuid) returns text[] stable security definer set search_path = public, pg_temp
  language sql as $$
  with recursive found(t) as (
    (select event_type from automation_triggers where workspace_id = p_workspace order by event_type limit 1)
    union all
    select (select a.event_type from automation_triggers a where a.workspace_id = p_workspace and a.event_type > t
      order by a.event_type limit 1)
      from found where t is not null
  )
  select array(select t from found where t is not null
    union select unnest('{approval.executed,approval.failed,approval.rejected,approval.expired}'::text[]))
$$;

/*
  The next events for the automations of a workspace (see read_feed), and the published automations that one of them may start. Null if the
  workspace has none; then it stops following when no run is left.
*/
create or replace function automation_batch(p_workspace uuid, p_most int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  feed jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  feed := read_feed(p_workspace, 'automations', automation_event_types(p_workspace), p_most);
  if feed is null then return null; end if;
  if feed -> 'to' = 'null' and not exists (select from automation_triggers where workspace_id = p_workspace)
    and not exists (select from automation_runs where workspace_id = p_workspace and ended_at is null) then
    perform unfollow_feed(p_workspace, 'automations');
    return null;
  end if;
  return feed || jsonb_build_object('automations', (
    select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'key_id', v.key_id, 'since', t.since, 'trigger', v.definition -> 'trigger',
        'conditions', v.definition -> 'conditions', 'unreadable',
        unreadable_entities(r, array(select distinct e ->> 'entity' from jsonb_array_elements(feed -> 'events') e))) order by a.id), '[]')
      from (select distinct automation_id, since::text from automation_triggers where workspace_id = p_workspace and starts
          and event_type = any (array(select distinct e ->> 'type' from jsonb_array_elements(feed -> 'events') e))) t
        join automations a on a.workspace_id = p_workspace and a.id = t.automation_id and a.state = 'published'
        join automation_versions v on v.workspace_id = p_workspace and v.id = a.version_id
        left join api_keys k on k.workspace_id = p_workspace and k.id = v.key_id
        left join lateral key_authority('automation_run', k) r on r.workspace_id is not null),
    'queues', queues_with_exits(p_workspace, array(select distinct e ->> 'type' from jsonb_array_elements(feed -> 'events') e)));
end $$;

-- Begins a transaction of the background for a workspace.
create or replace function begin_automation_work(p_workspace uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  select set_config('app.workspace_id', p_workspace::text, true)
$$;

-- Notes events that started no run because of the conditions: [{"automation_id", "event_id", "record_id", "reason", "failed"}].
create or replace function note_skips(p_workspace uuid, p_skips jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into automation_skips (workspace_id, automation_id, event_id, record_id, reason, failed)
    select p_workspace, s.automation_id, s.event_id, s.record_id, s.reason, s.failed
      from jsonb_to_recordset(p_skips) s(automation_id uuid, event_id uuid, record_id uuid, reason text, failed text)
      join automations a on a.workspace_id = p_workspace and a.id = s.automation_id
$$;

-- Runs that wait for one of these go on: [{"key", "event"}], where the key is what a run awaits.
create or replace function wake_runs(p_workspace uuid, p_wakes jsonb) returns int security definer set search_path = public, pg_temp
  set enable_seqscan = off language plpgsql as $$
declare
  woken int;
begin
  update automation_runs r set due_at = now(), awaits = null, updated_at = now(),
    place = r.place || jsonb_build_object('ended', 'event', 'event', k.event)
    from (select distinct on (e ->> 'key') e ->> 'key' as key, e -> 'event' as event
      from jsonb_array_elements(p_wakes) e order by e ->> 'key') k
    where r.workspace_id = p_workspace and r.awaits = k.key and r.ended_at is null;
  get diagnostics woken = row_count;
  return woken;
end $$;

-- Whether the workspace has runs that are due, for followers_of.
create or replace function has_due_runs(p_workspace uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from automation_runs r where r.workspace_id = p_workspace and r.due_at <= now()
    and (r.claimed_until is null or r.claimed_until <= now()))
$$;

-- The errors of the latest steps of a run that failed or were skipped, by the id of the step: messages may have failed since they were
-- sent.
create or replace function step_failures(p_run uuid, p_workspace uuid) returns jsonb stable language sql as $$
  select jsonb_object_agg(last.step_id, last.error) from (
    select distinct on (l.step_id) l.step_id, l.state, l.error from (select s.step_id, s.state, s.error, s.sequence from automation_steps s
        where s.workspace_id = p_workspace and s.run_id = p_run order by s.sequence desc limit 200) l
        order by l.step_id, l.sequence desc) last
    where last.state in ('failed', 'skipped') and last.error is not null
$$;

-- Whatever makes a run due, or not due, ends the claim of a worker that has it: what it does then counts as long as the run has not moved.
create or replace function end_claim() returns trigger language plpgsql as $$
begin
  new.claimed_until := null;
  return new;
end $$;
create or replace trigger end_claim before update of due_at on automation_runs for each row
  when (new.due_at is distinct from old.due_at) execute function end_claim();

/*
  Hands at most p_limit due runs to a worker for p_seconds: after that time another one gets them. Runs of an automation that is paused wait
  until it is resumed. Enrolments in an auto queue follow its latest version; `former_steps` are those that their place is about. Returns
  the runs, the versions that they follow with the rights of the keys that published or adopted them (null: none), and the records that they
  are about. `is_current` is the version that new runs follow; `unreadable` are the kinds of records, among those of the events that its
  runs know, that its key may not read.
*/
create or replace function claim_runs(p_workspace uuid, p_limit int, p_seconds int)
  returns jsonb security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  ids uuid[];
  claimed jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  ids := array(select id from automation_runs
    where workspace_id = p_workspace and due_at <= now() and (claimed_until is null or claimed_until <= now())
    order by due_at limit p_limit for update skip locked);
  if ids = '{}' then return null; end if;
  update automation_runs r set due_at = null, state = 'waiting', updated_at = now() from automations a
    where r.workspace_id = p_workspace and r.id = any (ids) and a.workspace_id = p_workspace and a.id = r.automation_id
    and a.state <> 'published';
  update automation_runs set claimed_until = now() + make_interval(secs => p_seconds), attempts = attempts + 1
    where workspace_id = p_workspace and id = any (ids) and due_at is not null;
  with mine as materialized (
    select r.*, here.place as at,
      case when a.queue_id is not null and not here.place ? 'approval_id' then a.version_id else r.version_id end as follows
      from automation_runs r join automations a on a.workspace_id = p_workspace and a.id = r.automation_id, place_of(r) here(place)
      where r.workspace_id = p_workspace and r.id = any (ids) and r.due_at is not null
  )
  select jsonb_build_object(
    'runs', (select coalesce(jsonb_agg(to_jsonb(m) - '{workspace_id,follows,at}'::text[]
        || jsonb_build_object('version_id', m.follows, 'place', m.at,
        'former_steps', (select v.definition -> 'steps' from automation_versions v
          where m.follows <> m.version_id and v.workspace_id = p_workspace
        and v.id = m.version_id), 'answers', (select jsonb_object_agg(s.sequence,
        jsonb_build_object('step_id', s.step_id, 'answer', s.answer)) from automation_steps s
          where s.workspace_id = p_workspace and s.run_id = m.id
        and s.sequence = m.moves and s.answer is not null),
          'events', case when m.at #> '{wait,types}' is not null then (select awaited_events(w) from automation_runs w
        where w.workspace_id = p_workspace and w.id = m.id) end,
          'failures', case when m.moves > 0 then step_failures(m.id, p_workspace) end,
          'response', (select p.response_body from approvals p where p.workspace_id = p_workspace
        and p.id = (m.at ->> 'approval_id')::uuid)) order by m.id), '[]') from mine m),
    'versions', (select coalesce(jsonb_object_agg(v.id, jsonb_build_object('id', v.id, 'automation_id', v.automation_id, 'number', v.number,
        'name', (select a.name from automations a where a.workspace_id = p_workspace and a.id = v.automation_id),
        'is_current', exists (select from automations a
          where a.workspace_id = p_workspace and a.id = v.automation_id and a.version_id = v.id),
        'definition', v.definition, 'key_id', k.id, 'rights', to_jsonb(r),
        'unreadable', unreadable_entities(r, array(select m.trigger_data ->> 'entity' from mine m
            where m.follows = v.id union select split_part(t, '.', 1) from mine m, jsonb_array_elements_text(m.at #> '{wait,types}') t
            where m.follows = v.id)))), '{}')
      from automation_versions v left join api_keys k on k.workspace_id = p_workspace and k.id = coalesce(v.adopted_key_id, v.key_id)
        left join lateral key_authority('automation_run', k) r on r.workspace_id is not null
      where v.workspace_id = p_workspace and v.id = any (array(select follows from mine))),
    'workspace', (select jsonb_build_object('name', w.name, 'timezone', w.timezone) from workspaces w where w.id = p_workspace),
    'contact', stored_records('contacts', p_workspace, array(select contact_id from mine where contact_id is not null)),
    'company', stored_records('companies', p_workspace, array(select customer_id from mine where customer_id is not null)),
    'opportunity', stored_records('opportunities', p_workspace, array(select opportunity_id from mine where opportunity_id is not null)))
    into claimed;
  return claimed;
end $$;

/*
  Stores the outcome of runs: [{"id", "moves": the number of steps that the worker has read, "state", "place", "due_at", "awaits", "error",
  "reason", "retry": keep counting attempts, "goes_on": the worker keeps its claim, "steps": [{"sequence", "step_id", "type", "state",
  "input", "output", "error", "attempts", "request_id", "duration_ms"}], "results": [{"sequence", "state", "output", "error"}]: of steps
  that were taken before}]. A run that has moved or ended meanwhile stays as it is, as does one that was paused; a step that has ended its
  own run is stored. Of one that goes on only what no index contains is written: its last step has its place until then. Enrolments in an
  auto queue, whose next step is indexed, are written whole. Returns the ids of those that were stored.
*/
create or replace function settle_runs(p_workspace uuid, p_runs jsonb)
  returns jsonb security definer set search_path = public, pg_temp
  -- A run is found by its id, also where there are so few that a plan would rather read them all for each step.
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off language plpgsql as $$
declare
  settled jsonb;
begin
  with moved as (
    update automation_runs r set state = case when w.is_partial or r.ended_at is not null then r.state else m.state end,
        version_id = coalesce(m.version_id, r.version_id),
        place = case when w.is_partial then r.place else coalesce(with_since(r, m.place), r.place) end,
        due_at = case when m.goes_on then r.due_at else m.due_at end, claimed_until = case when m.goes_on then r.claimed_until end,
          awaits = m.awaits, error = m.error, reason = case when r.ended_at is null then m.reason else r.reason end,
        moves = r.moves + jsonb_array_length(coalesce(m.steps, '[]')), attempts = case when m.retry then r.attempts else 0 end,
        updated_at = case when w.is_partial then r.updated_at else now() end
      from jsonb_to_recordset(p_runs) m(id uuid, version_id uuid, moves int, state text, place jsonb, due_at timestamptz, awaits text,
        error jsonb, reason text, retry boolean, rests boolean, goes_on boolean, steps jsonb, results jsonb),
        lateral (select coalesce(m.goes_on, false) and not m.place ? 'step' as is_partial) w
      where r.workspace_id = p_workspace and r.id = m.id and r.moves = m.moves
        -- Written so that no plan reads what all open runs have in common.
        and (r.state <> all ('{paused,completed,failed,cancelled,stopped}')
          or m.goes_on and to_jsonb(r.id) = (select handed('ended_run')))
        -- An event has come since a run was claimed that would go on waiting: it is due.
        and (m.rests is not true or r.claimed_until is not null)
        returning r.id, r.automation_id, r.state, m.steps, m.results, case when w.is_partial then m.place end as next_place
  ), taken as materialized (
    select r.id as run_id, r.automation_id, r.next_place, s.*
      from moved r, jsonb_to_recordset(r.steps) s(sequence int, step_id uuid, type text, state text, place jsonb,
      input jsonb, output jsonb, answer jsonb, error jsonb, attempts int, request_id uuid, duration_ms int)
  ), finished as (
    -- The message of a step may have failed before its output is stored.
    update automation_steps t
        set state = case when t.state = 'failed' and k.state = 'done' then t.state else k.state end, output = k.output,
        error = coalesce(k.error, case when t.state = 'failed' then t.error end), answer = null, next_place = null
      from (select r.id as run_id, s.* from moved r, jsonb_to_recordset(r.results) s(sequence int, state text, output jsonb, error jsonb)) k
      where t.workspace_id = p_workspace and t.run_id = k.run_id and t.sequence = k.sequence
      returning t.automation_id, t.step_id, t.state, t.request_id, old.state as was
  ), stored as (
    insert into automation_steps (workspace_id, run_id, automation_id, sequence, step_id, type, state, place, input, output, answer,
        next_place, error, attempts, request_id, duration_ms)
      select p_workspace, run_id, automation_id, sequence, step_id, type, state, place, input, output, answer,
        case when answer is not null then next_place end, error, coalesce(attempts, 1), request_id, duration_ms from taken
  ), counted as (
    insert into automation_counts (workspace_id, automation_id, step_id, state, total)
      select p_workspace, automation_id, step_id, state, sum(n) from (select automation_id, step_id, state, 1 as n from taken
          union all select automation_id, step_id, state, 1 from finished where request_id is null or state <> 'done'
          -- Its effect was none.
          union all select automation_id, step_id, was, -1 from finished where was = 'done' and state = 'failed') counted
        group by automation_id, step_id, state order by 2, 3, 4
      on conflict (workspace_id, automation_id, step_id, state) do update set total = automation_counts.total + excluded.total
  ), succeeded as (
    -- A run that succeeded ends the incident of its automation.
    delete from automation_incidents i using (select distinct automation_id from moved where state = 'completed') m
      where i.workspace_id = p_workspace and i.automation_id = m.automation_id
  )
  select coalesce(jsonb_agg(id), '[]') from moved into settled;
  return settled;
end $$;

-- The number that an assignment in turn draws, from 0: how many the step has drawn before. A run that has drawn one for the same step of
-- its own gets it again.
create or replace function take_turn(p_workspace uuid, p_run uuid, p_step uuid, p_sequence int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r automation_runs;
  drawn int;
begin
  select * into r from automation_runs where workspace_id = p_workspace and id = p_run for update;
  if r.turn ->> 'sequence' = p_sequence::text then return r.turn ->> 'number'; end if;
  insert into automation_counts (workspace_id, automation_id, step_id, state, total)
    values (p_workspace, r.automation_id, p_step, 'turn', 1)
    on conflict (workspace_id, automation_id, step_id, state) do update set total = automation_counts.total + 1
    returning total - 1 into drawn;
  update automation_runs set turn = jsonb_build_object('sequence', p_sequence, 'number', drawn)
    where workspace_id = p_workspace and id = p_run;
  return drawn;
end $$;

-- A run whose last step has more fields, and as its duration the milliseconds since the transaction began.
create or replace function with_last_step(p_run jsonb, p_more jsonb) returns jsonb language sql
  return jsonb_set(p_run, '{steps,-1}', p_run #> '{steps,-1}' || p_more
    || jsonb_build_object('duration_ms', round(extract(epoch from clock_timestamp() - now()) * 1000)));

-- Stores a step in the transaction of its effect, whose last statement is p_finished (finish_request); raises CONFLICT, which undoes the
-- effect, if the run has moved meanwhile.
create or replace function take_step(p_workspace uuid, p_run jsonb, p_finished jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
begin
  -- Nobody takes the output of a step that has ended its own run.
  if settle_runs(p_workspace, jsonb_build_array(with_last_step(p_run, jsonb_build_object('answer',
      case when p_run -> 'id' is distinct from handed('ended_run') then p_finished -> 'rows' end)))) = '[]' then
    perform fail('CONFLICT', 'Another worker has this run', '{"run": "moved"}');
  end if;
  return p_finished;
end $$;

-- The same for a step whose request waits for the approval that has been created: so does the run.
create or replace function hold_step(p_workspace uuid, p_run jsonb, p_finished jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  approval constant text := p_finished #>> '{rows,0,0}';
begin
  if settle_runs(p_workspace, jsonb_build_array(with_last_step(p_run, '{}') || jsonb_build_object('awaits', 'approval:' || approval,
    'place', p_run -> 'place' || jsonb_build_object('approval_id', approval)))) = '[]' then
    perform fail('CONFLICT', 'Another worker has this run', '{"run": "moved"}');
  end if;
  return p_finished;
end $$;

revoke execute on function end_claim, step_failures, automation_event_types, automation_batch, begin_automation_work, note_skips, wake_runs,
  has_due_runs, claim_runs, settle_runs, take_turn, with_last_step, take_step,
  hold_step from public, app;
grant execute on function automation_batch, begin_automation_work, note_skips, wake_runs, claim_runs, settle_runs, take_turn,
  take_step, hold_step to jobs;

