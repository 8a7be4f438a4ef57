/*
  The ends of runs. A run ends by its state, whatever sets that: `end_run` alone writes `ended_at`, so that every end has the same
  consequences: nothing is due or awaited any more, an enrolment in an auto queue has its event (announce_enrolment), and the next run of
  the record begins.
*/

-- A run has an end exactly in the states that are ends.
create or replace function end_run() returns trigger language plpgsql as $$
begin
  if new.state not in ('completed', 'failed', 'cancelled', 'stopped') then
    new.ended_at := null;
  elsif old.ended_at is null then
    new.ended_at := now();
    -- By a step of its own, as one that deletes its record: take_step stores the step all the same.
    if new.id = current_cause_id() then perform hand('ended_run', to_jsonb(new.id)); end if;
    new.due_at := null;
    new.awaits := null;
    new.updated_at := now();
  end if;
  return new;
end $$;
create or replace trigger end_run before update of state on automation_runs for each row execute function end_run();

/*
  The first run of a record that is queued begins when no other one is under way. Two transactions may end two runs at the same time:
  whoever finds that the other has ended the first one in the queue takes the next.
*/
create or replace function begin_next_run() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  next uuid;
begin
  loop
    select o.id into next from automation_runs o
      where o.workspace_id = new.workspace_id and o.automation_id = new.automation_id and o.record_id = new.record_id
      and o.state = 'queued' and not exists (select from automation_runs r where r.workspace_id = o.workspace_id
        and r.automation_id = o.automation_id and r.record_id = o.record_id and r.ended_at is null and r.state <> 'queued')
      order by o.id limit 1;
    exit when next is null;
    -- Not before the time for which a schedule has started it.
    update automation_runs set state = 'running', due_at = greatest(now(), (place ->> 'begins_at')::timestamptz), updated_at = now()
      where workspace_id = new.workspace_id and id = next and state = 'queued';
    exit when found;
  end loop;
  return null;
end $$;
create or replace trigger begin_next_run after update on automation_runs for each row
  when (old.ended_at is null and new.ended_at is not null and new.record_id is not null) execute function begin_next_run();

-- What enrolment counts by, and whose event the run awaits, follow the reference that they name when a merge or its undo moves it.
create or replace function follow_record() returns trigger language plpgsql as $$
begin
  new.record_id := coalesce(case old.record_id when old.opportunity_id then new.opportunity_id when old.contact_id then new.contact_id
    when old.customer_id then new.customer_id end, new.record_id);
  select coalesce(max(replace(new.awaits, moved.was::text, moved.becomes::text)), new.awaits) into new.awaits
      from (values (old.opportunity_id, new.opportunity_id),
      (old.contact_id, new.contact_id), (old.customer_id, new.customer_id)) moved(was, becomes)
    where moved.was <> moved.becomes and strpos(new.awaits, moved.was::text) > 0;
  return new;
end $$;
create or replace trigger follow_record before update of contact_id, customer_id, opportunity_id on automation_runs for each row
  execute function follow_record();

/*
  A run ends with the record that it is about, on every path by which that goes. The run keeps the id (record_id), by which a purge finds
  what it holds. It is a second update: a restore takes back what the first one changed, which is the reference alone, so it revives
  nothing.
*/
create or replace function end_with_record() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  still constant uuid := case old.record_id when old.opportunity_id then new.opportunity_id when old.contact_id then new.contact_id
    when old.customer_id then new.customer_id else old.record_id end;
begin
  if old.record_id is not null and still is null then
    update automation_runs set state = 'cancelled', reason = case when is_purging() then 'record_purged'
        when exists (select from contacts where workspace_id = new.workspace_id and id = new.record_id
          union all select from companies where workspace_id = new.workspace_id and id = new.record_id
          union all select from opportunities where workspace_id = new.workspace_id and id = new.record_id) then 'record_merged'
            else 'record_deleted' end
      where workspace_id = new.workspace_id and id = new.id and ended_at is null;
  end if;
  return null;
end $$;
create or replace trigger end_with_record after update of contact_id, customer_id, opportunity_id on automation_runs for each row
  when (old.ended_at is null) execute function end_with_record();

-- Whether the record that a run is about is there. A run about something else than a contact, a company or an opportunity, or about the
-- deletion of one, has no reference to it.
create or replace function has_record(r automation_runs) returns boolean immutable language sql
  return r.record_id is null or coalesce(r.record_id in (r.contact_id, r.customer_id, r.opportunity_id), false)
    or coalesce(r.trigger_data ->> 'entity_id' = r.record_id::text and (r.trigger_data ->> 'entity'
      not in ('contact', 'company', 'opportunity') or r.trigger_data ->> 'type' ~ '\.(deleted|purged)$'), false);

/*
  Ends what a merge has doubled: of the open runs that its winner now has of an automation which allows one at a time, the first goes on, or
  the last where a later one replaces it. Runs that wait for each other go on as they are.
*/
create or replace function end_doubled_runs(p_workspace uuid, p_record uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update automation_runs set state = 'cancelled', reason = 'merged'
    where workspace_id = p_workspace and ended_at is null and id = any (array(
    select d.id
        from (select r.id, row_number() over (partition by r.automation_id
          order by case when e.concurrency = 'replace' then r.created_at end desc, r.created_at, r.id) as nth
        from automation_runs r join automations a on a.workspace_id = p_workspace and a.id = r.automation_id
          join automation_versions v on v.workspace_id = p_workspace and v.id = a.version_id
          cross join lateral (select v.definition #>> '{enrolment,concurrency}' as concurrency) e
        where r.workspace_id = p_workspace and r.record_id = p_record and r.ended_at is null and e.concurrency in ('skip', 'replace')) d
        where d.nth > 1))
$$;

revoke execute on function end_run, begin_next_run, follow_record, end_with_record, has_record, end_doubled_runs from public;
