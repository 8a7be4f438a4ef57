/*
  Runs of automations. start_runs is the only way to a run: for an event, the fire of a schedule, a request, or another run. It applies the
  enrolment of the automation under a lock, and a run is unique by its key, so whatever starts it twice starts it once. claim_runs hands due
  runs to a worker for some seconds; settle_runs stores their outcome. Every move of a run requires the number of steps that the worker has
  read, so of two workers one wins.
*/

-- How often an automation may start for a record within an hour.
create or replace function max_hourly_runs() returns int immutable language sql return 20;

-- The records that a run is about, as far as they exist: a missing contact is the first one of the opportunity, and a missing company
-- follows from the others.
create or replace function run_subjects(p_workspace uuid, p_contact uuid, p_customer uuid, p_opportunity uuid)
  returns table (contact_id uuid, customer_id uuid, opportunity_id uuid) stable language sql as $$
  select c.id, k.id, o.id from (select) one
    left join opportunities o on o.workspace_id = p_workspace and o.id = p_opportunity
    left join lateral (select l.contact_id from opportunity_contacts l
      where l.workspace_id = p_workspace and l.opportunity_id = o.id and p_contact is null
      order by l.is_primary desc, l.id limit 1) l on true
    left join contacts c on c.workspace_id = p_workspace and c.id = coalesce(p_contact, l.contact_id)
    left join companies k on k.workspace_id = p_workspace and k.id = coalesce(p_customer, o.customer_id, c.customer_id)
$$;

/*
  Starts runs of a published automation. p_source: event, schedule, manual, webhook, automation, queue or replay; p_source_id: the id of it.
  Each of p_rows (5,000 at most) has dedupe_key, and optionally record_id, by which enrolment counts (by default the opportunity, the
  contact or the company), contact_id, customer_id, opportunity_id (a missing contact and company follow from the other records),
  trigger_data, depth, due_at, skip (ids of steps to leave out) and event_id, which stands for p_source_id. Returns {"started": n,
  "skipped": {reason: n}, "runs": [{"dedupe_key", "id", "reason"}]} in the order of p_rows. Reasons: not_published, record_deleted,
  too_deep, too_often, enrolled_before, already_running, duplicate. Raises NOT_FOUND.
*/
create or replace function start_runs(p_automation uuid, p_source text, p_source_id uuid, p_rows jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  most_steps constant int := 8; -- automated steps that may lead to a run
  a automations;
  enrolment jsonb;
  first jsonb;
  outcome jsonb;
  loops jsonb;
begin
  select * into a from automations where workspace_id = w and id = p_automation for share;
  if a.id is null then perform fail('NOT_FOUND', 'No such automation in this workspace'); end if;
  select definition -> 'enrolment',
    case when a.queue_id is not null then jsonb_build_object('step', definition #> '{steps,0,of}') else '{}' end
    into enrolment, first from automation_versions where workspace_id = w and id = a.version_id;
  if enrolment ->> 'mode' <> 'always' or enrolment ->> 'concurrency' <> 'parallel' then
    perform pg_advisory_xact_lock(hashtext('automation_runs'), hashtext(p_automation::text));
  end if;
  -- A run that ends at this moment either sees those that are queued behind it, or is seen to have ended. A worker passes over due runs
  -- that are locked here, so it is called again.
  if enrolment ->> 'concurrency' = 'queue' then
    perform mark_for_delivery(bool_or(locked.due_at <= now())) from (select r.due_at from automation_runs r
      where r.workspace_id = w and r.automation_id = a.id and r.ended_at is null
        and r.record_id = any (array(select coalesce(s ->> 'record_id', s ->> 'opportunity_id', s ->> 'contact_id',
          s ->> 'customer_id')::uuid from jsonb_array_elements(p_rows) s)) order by r.id for share) locked;
  end if;
  with sent as materialized (
    select n, r.dedupe_key, coalesce(r.record_id, r.opportunity_id, r.contact_id, r.customer_id) as record_id,
      r.contact_id, r.opportunity_id, r.customer_id, coalesce(r.trigger_data, '{}') as trigger_data, coalesce(r.depth, 0) as depth,
      r.due_at, coalesce(r.skip, '[]') as skip, r.event_id
    from jsonb_array_elements(p_rows) with ordinality e(j, n), jsonb_to_record(j) as r(dedupe_key text, record_id uuid, contact_id uuid,
      customer_id uuid, opportunity_id uuid, trigger_data jsonb, depth int, due_at timestamptz, skip jsonb, event_id uuid)
  ), found as materialized (
    select s.*, x.opportunity_id as has_opportunity, x.contact_id as has_contact, x.customer_id as has_customer
    from sent s left join lateral run_subjects(w, s.contact_id, s.customer_id, s.opportunity_id) x on true
  -- What is known of all rows is read at once, so that no plan reads the runs of the automation for each of them. Where nothing else
  -- depends on earlier runs, the unique key alone finds those that exist.
  ), known as materialized (
    select r.dedupe_key from automation_runs r
      where (enrolment ->> 'mode' <> 'always' or enrolment ->> 'concurrency' <> 'parallel'
        or p_source in ('event', 'automation', 'webhook'))
      and r.workspace_id = w and r.automation_id = a.id
      and r.dedupe_key = any (array(select s.dedupe_key from sent s))
  ), enrolled as materialized (
    select r.record_id from automation_runs r where enrolment ->> 'mode' <> 'always' and r.workspace_id = w and r.automation_id = a.id
      and r.record_id = any (array(select s.record_id from sent s where s.record_id is not null))
      and (enrolment ->> 'mode' = 'once' or r.created_at > now() - make_interval(days => (enrolment ->> 'days')::int))
  ), open as materialized (
    select r.record_id from automation_runs r
      where enrolment ->> 'concurrency' <> 'parallel' and r.workspace_id = w and r.automation_id = a.id
      and r.ended_at is null and r.record_id = any (array(select s.record_id from sent s where s.record_id is not null))
  ), refused as (
    select f.*, case
      when a.state <> 'published' then 'not_published'
      when f.opportunity_id is not null and f.has_opportunity is null or f.contact_id is not null and f.has_contact is null
        or f.customer_id is not null and f.has_customer is null then 'record_deleted'
      when f.dedupe_key in (select k.dedupe_key from known k) then 'duplicate'
      when f.depth > most_steps then 'too_deep' end as refusal
    from found f
  -- What is refused in any case neither enrols its record nor counts as a run of it.
  ), numbered as (
    select f.*, row_number() over of_its_record as nth, count(*) over (partition by f.refusal is null, f.key) as of_record
      from (select r.*, coalesce(r.record_id::text, r.dedupe_key) as key from refused r) f
      window of_its_record as (partition by f.refusal is null, f.key order by f.n)
  ), judged as materialized (
    select f.*, case
      when f.refusal is not null then f.refusal
      when f.record_id is not null and p_source in ('event', 'automation', 'webhook')
        and (select count(*) from (select from automation_runs r
        where r.workspace_id = w and r.record_id = f.record_id and r.automation_id = a.id and r.created_at > now() - interval '1 hour'
        limit max_hourly_runs()) recent) + f.nth > max_hourly_runs() then 'too_often'
      when f.record_id is not null and enrolment ->> 'mode' <> 'always'
        and (f.nth > 1 or f.record_id in (select e.record_id from enrolled e)) then 'enrolled_before'
      when f.record_id is not null and enrolment ->> 'concurrency' = 'skip'
        and (f.nth > 1 or f.record_id in (select o.record_id from open o))
        or enrolment ->> 'concurrency' = 'replace' and f.nth < f.of_record then 'already_running' end as reason,
      f.record_id is not null and enrolment ->> 'concurrency' = 'queue'
        and (f.nth > 1 or f.record_id in (select o.record_id from open o)) as waits
    from numbered f
  ), replaced as (
    update automation_runs r set state = 'cancelled', reason = 'replaced'
      from judged j where enrolment ->> 'concurrency' = 'replace' and j.reason is null and r.workspace_id = w and r.automation_id = a.id
        and r.record_id = j.record_id and r.ended_at is null
  ), added as (
    insert into automation_runs (workspace_id, automation_id, version_id, state, source, source_id, dedupe_key, record_id,
        contact_id, customer_id, opportunity_id, trigger_data, depth, place, due_at)
      select w, a.id, a.version_id, case when j.waits then 'queued' else 'running' end, p_source, coalesce(j.event_id, p_source_id),
        j.dedupe_key, j.record_id, j.has_contact, j.has_customer, j.has_opportunity, j.trigger_data, j.depth,
        jsonb_build_object('frames', '[{"in": null, "index": 0}]'::jsonb, 'outputs', '{}'::jsonb, 'skip', j.skip) || first
          || case when j.waits and j.due_at is not null then jsonb_build_object('begins_at', j.due_at) else '{}' end,
        case when not j.waits then coalesce(j.due_at, now()) end
      from judged j where j.reason is null order by j.n
      on conflict (workspace_id, automation_id, dedupe_key) do nothing returning id, dedupe_key
  ), skipped as (
    insert into automation_skips (workspace_id, automation_id, event_id, record_id, reason)
      select w, a.id, j.event_id, j.record_id, j.reason from judged j
      where j.event_id is not null and j.reason <> 'duplicate'
  ), outcomes as (
    select j.n, j.dedupe_key, r.id, j.record_id, case when r.id is null then coalesce(j.reason, 'duplicate') end as reason
      from judged j left join added r on r.dedupe_key = j.dedupe_key and j.reason is null
  )
  select jsonb_build_object('started', count(id),
    'skipped', (select coalesce(jsonb_object_agg(reason, c), '{}') from (select reason, count(*) as c
        from outcomes where reason is not null group by reason) s),
      'runs', coalesce(jsonb_agg(jsonb_build_object('dedupe_key', dedupe_key, 'id', id, 'reason', reason) order by n), '[]')),
    jsonb_agg(distinct reason) filter (where reason in ('too_deep', 'too_often')) into outcome, loops from outcomes;
  if loops is not null then
    perform emit('automation.loop_stopped', 'automation', a.id, jsonb_build_object('reasons', loops));
  end if;
  return outcome;
end $$;

-- Ends a run, or all runs of an automation that have not ended (p_run null); at most p_limit. Returns their number.
create or replace function cancel_runs(p_automation uuid, p_run uuid, p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  ended int;
begin
  update automation_runs set state = 'cancelled', reason = 'cancelled'
    where workspace_id = (select current_workspace()) and id = any (array(select r.id from automation_runs r
      where r.workspace_id = (select current_workspace()) and r.automation_id = p_automation and r.ended_at is null
      and (p_run is null or r.id = p_run)
      limit p_limit for update));
  get diagnostics ended = row_count;
  return ended;
end $$;

/*
  Publishes a version of an automation: what its definition is now. p_types are the event types that start it, p_awaited those that its runs
  may wait for. The caller becomes its publisher. Events that a published automation has not read yet start runs of the new version. Runs of
  earlier versions wait for what these await, and may begin again, so the event types of earlier versions are still read. p_adopted: the
  versions whose runs act with the rights of the caller from now on; those that lacked any go on.
*/
create or replace function publish_automation(p_automation uuid, p_types text[], p_awaited text[], p_adopted uuid[])
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  published automation_versions;
  heard_since constant pg_snapshot := coalesce((select t.since from automations a
    join automation_triggers t on t.workspace_id = w and t.automation_id = a.id
    where a.workspace_id = w and a.id = p_automation and a.state = 'published' limit 1), pg_current_snapshot());
begin
  insert into automation_versions (workspace_id, automation_id, number, definition, published_by, key_id)
    select w, a.id, coalesce(a.version_number, 0) + 1, jsonb_build_object('trigger', a.trigger,
        'conditions', a.conditions, 'steps', a.steps, 'enrolment', a.enrolment), current_user_id(), current_key_id()
      from automations a where a.workspace_id = w and a.id = p_automation
    returning * into published;
  update automations set state = 'published', version_id = published.id, version_number = published.number,
    has_changes = false, paused_reason = null,
    published_at = now(), published_by = published.published_by where workspace_id = w and id = p_automation;
  update automation_triggers t set starts = false, since = heard_since where t.workspace_id = w and t.automation_id = p_automation;
  insert into automation_triggers (workspace_id, event_type, automation_id, starts, since)
    select w, t, p_automation, t = any (p_types), heard_since
      from (select unnest(p_types || p_awaited) as t union select 'approval.executed') types
    on conflict (workspace_id, event_type, automation_id) do update set starts = excluded.starts;
  if p_adopted <> '{}' then
    update automation_versions set adopted_key_id = published.key_id
      where workspace_id = w and automation_id = p_automation and id = any (p_adopted)
      and adopted_key_id is distinct from published.key_id;
    update automation_runs set due_at = now(), updated_at = now()
      where workspace_id = w and automation_id = p_automation and ended_at is null
      and version_id = any (p_adopted) and reason = 'no_rights';
  end if;
end $$;

-- The types of events that automations are started by, or that their runs await, are known when events are written.
create or replace function note_automation_types() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if current_workspace() is null then return null; end if;
  perform pg_advisory_xact_lock(hashtext('automation_triggers'), hashtext(current_workspace()::text));
  if tg_op = 'INSERT' then perform follow_feed('automations'); end if;
  if follows_feed('automations') then perform note_interest('automations', automation_event_types(current_workspace())); end if;
  return null;
end $$;
create or replace trigger note_types after insert or delete on automation_triggers for each statement
  execute function note_automation_types();

-- A request that makes a run due, or gives a queue members of a list to enrol, sends a message.
create or replace function announce_work() returns trigger language plpgsql as $$
begin
  perform mark_for_delivery(true);
  return new;
end $$;
create or replace trigger announce_due before insert or update of due_at on automation_runs
  for each row when (new.due_at <= now() + interval '1 second')
  execute function announce_work();
create or replace trigger announce_enrolment before insert on auto_queue_list_enrolments for each row execute function announce_work();
create or replace trigger announce_active before update of state on auto_queues for each row when (new.state = 'active')
  execute function announce_work();

-- Runs that waited while the automation was paused go on. What happened meanwhile starts none.
create or replace function resume_runs() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update automation_triggers set since = pg_current_snapshot() where workspace_id = new.workspace_id and automation_id = new.id;
  update automation_runs set due_at = now(), updated_at = now()
    where workspace_id = new.workspace_id and automation_id = new.id and ended_at is null
    and state = 'waiting' and (due_at is null and (awaits is null or place #> '{wait,types}' is not null) or reason = 'no_rights');
  return null;
end $$;
create or replace trigger resume_runs after update of state on automations for each row
  when (old.state = 'paused' and new.state = 'published') execute function resume_runs();

-- The depth of runs that this transaction starts, for a row of start_runs.
create or replace function current_run_depth() returns jsonb stable language sql as $$
  select jsonb_build_object('depth', current_cause_depth() + (current_cause_type() is not distinct from 'automation_run')::int)
$$;

revoke execute on function start_runs, cancel_runs, publish_automation(uuid, text[], text[], uuid[]), resume_runs, note_automation_types,
  announce_work from public;
grant execute on function start_runs, cancel_runs, publish_automation(uuid, text[], text[], uuid[]) to app;
