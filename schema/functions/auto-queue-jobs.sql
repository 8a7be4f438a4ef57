-- What the background calls for auto queues: see auto-queues.sql.

/*
  Ends enrolments of a queue: [{"contact_ids", "opportunity_id", "at", "exit": {"type", "event_type", "event_id"}}], one for each event that
  an exit matched. An event about an opportunity also ends the enrolments of its contacts, and one about a contact those of opportunities of
  which it is the main contact. An event from before the enrolment ends nothing.
*/
create or replace function exit_enrolments(p_workspace uuid, p_queue uuid, p_exits jsonb)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  ended int;
begin
  with named as materialized (
    select distinct i.id, (e ->> 'at')::timestamptz as at, e -> 'exit' as exit from jsonb_array_elements(p_exits) e cross join lateral (
      select (e ->> 'contact_id')::uuid as id union select (e ->> 'opportunity_id')::uuid
      union select l.contact_id from opportunity_contacts l
      where l.workspace_id = p_workspace and l.opportunity_id = (e ->> 'opportunity_id')::uuid) i
      where i.id is not null
  ), met as (
    select distinct on (r.id) r.id, n.exit from named n cross join lateral (
      select r.id, r.created_at from automation_runs r
        where r.workspace_id = p_workspace and r.automation_id = p_queue and r.record_id = n.id and r.ended_at is null
      union select r.id, r.created_at from automation_runs r
      where r.workspace_id = p_workspace and r.contact_id = n.id and r.automation_id = p_queue and r.ended_at is null) r
      where r.created_at <= n.at order by r.id, n.at
  )
  update automation_runs r set state = 'stopped', reason = 'exited', place = r.place || jsonb_build_object('exit', m.exit)
    from met m where r.workspace_id = p_workspace and r.id = m.id and r.ended_at is null;
  get diagnostics ended = row_count;
  return ended;
end $$;

-- The queues that one of these event types may end enrolments of, for automation_batch.
create or replace function queues_with_exits(p_workspace uuid, p_types text[])
  returns jsonb stable security definer set search_path = public, pg_temp
  language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'exits', q.exits) order by q.id), '[]') from auto_queues q
    where q.workspace_id = p_workspace and q.id = any (array(select t.automation_id from automation_triggers t
      where t.workspace_id = p_workspace and t.event_type = any (p_types) and not t.starts))
$$;

-- Whether members of a list are to be enrolled, for followers_of.
create or replace function has_list_enrolments(p_workspace uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from auto_queue_list_enrolments e join auto_queues q on q.workspace_id = p_workspace and q.id = e.auto_queue_id
    where e.workspace_id = p_workspace and e.state = 'running' and q.state = 'active')
$$;

/*
  The next records of a list that is being enrolled: the next members of a static list, or the next records of its kind for a live one,
  whose filter the worker evaluates; archived ones only where the filter mentions them. Null if there is none to do. The enrolment of a list
  waits while its queue is not active. A list that was deleted has no list_id.
*/
create or replace function list_enrolment_part(p_workspace uuid, p_most int)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  e auto_queue_list_enrolments;
  l lists;
  with_archived boolean;
  ids uuid[];
begin
  select n.* into e from auto_queue_list_enrolments n join auto_queues q on q.workspace_id = p_workspace and q.id = n.auto_queue_id
    where n.workspace_id = p_workspace and n.state = 'running' and q.state = 'active' order by n.id limit 1;
  if e.id is null then return null; end if;
  select * into l from lists where workspace_id = p_workspace and id = e.list_id;
  with_archived := coalesce(l.filter @? '$.** ? (@.field == "archived")', false);
  ids := case
    when l.kind = 'static' and l.object = 'contacts' then array(select m.contact_id from list_members m
      where m.workspace_id = p_workspace and m.list_id = l.id
      and m.contact_id > e.after_id order by m.contact_id limit p_most)
    when l.kind = 'static' then array(select m.opportunity_id from list_members m where m.workspace_id = p_workspace and m.list_id = l.id
      and m.contact_id is null and m.customer_id is null and m.opportunity_id > e.after_id order by m.opportunity_id limit p_most)
    when l.object = 'contacts' then array(select c.id from contacts c
      where c.workspace_id = p_workspace and c.id > e.after_id and (with_archived or not c.archived) order by c.id limit p_most)
    else array(select o.id from opportunities o where o.workspace_id = p_workspace and o.id > e.after_id
      and (with_archived or not o.archived) order by o.id limit p_most) end;
  return jsonb_build_object('id', e.id, 'auto_queue_id', e.auto_queue_id, 'list_id', l.id, 'object', l.object, 'live', l.kind = 'live',
    'key_id', e.key_id, 'after', e.after_id, 'ids', to_jsonb(ids));
end $$;

-- Enrols these records of a list, and moves on behind p_last; null: the list has come to its end. Does nothing if another worker has moved
-- on.
create or replace function enrol_list_part(p_workspace uuid, p_id uuid, p_after uuid, p_last uuid, p_ids uuid[], p_depth int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  e auto_queue_list_enrolments;
  o text;
  runs jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into e from auto_queue_list_enrolments
    where workspace_id = p_workspace and id = p_id and state = 'running' and after_id = p_after and list_id is not null
    for update;
  if e.id is null then return; end if;
  select case object when 'contacts' then 'contact' else 'opportunity' end into o from lists
    where workspace_id = p_workspace and id = e.list_id;
  runs := enrol_in_queue(e.auto_queue_id, e.id,
    (select jsonb_agg(jsonb_build_object('dedupe_key', e.id || ':' || i, 'record_id', i, o || '_id', i, 'depth', p_depth,
    'trigger_data', jsonb_build_object('type', 'list', 'record', o, 'list_id', e.list_id))) from unnest(p_ids) i)) -> 'runs';
  update auto_queue_list_enrolments
      set after_id = coalesce(p_last, after_id), enrolled = e.enrolled + (select count(*) from jsonb_array_elements(runs) r
        where r ->> 'id' is not null),
      state = case when p_last is null then 'completed' else 'running' end, ended_at = case when p_last is null then now() end,
      skipped = (select coalesce(jsonb_object_agg(reason, total), '{}') from (select reason, sum(n) as total from (
        select r ->> 'reason' as reason, 1 as n from jsonb_array_elements(runs) r where r ->> 'id' is null
        union all select k, v::int from jsonb_each_text(e.skipped) s(k, v)) each group by reason) summed)
    where workspace_id = p_workspace and id = e.id;
end $$;

-- The event of an enrolment of a list that has ended.
create or replace function announce_list_enrolment()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform emit('auto_queue.list_enrolment_ended', 'auto_queue', new.auto_queue_id,
    jsonb_build_object('list_enrolment_id', new.id, 'list_id', new.list_id, 'state', new.state, 'enrolled', new.enrolled));
  return null;
end $$;
create or replace trigger announce_list_enrolment after update of state on auto_queue_list_enrolments for each row
  when (old.state = 'running' and new.state <> 'running') execute function announce_list_enrolment();

-- Ends the enrolment of a list that cannot go on.
create or replace function fail_list_enrolment(p_workspace uuid, p_id uuid, p_error text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update auto_queue_list_enrolments set state = 'failed', error = p_error, ended_at = now()
    where workspace_id = p_workspace and id = p_id and state = 'running';
end $$;

revoke execute on function exit_enrolments, queues_with_exits, has_list_enrolments, list_enrolment_part,
  enrol_list_part, fail_list_enrolment, announce_list_enrolment from public, app;
grant execute on function exit_enrolments, has_list_enrolments, list_enrolment_part, enrol_list_part,
  fail_list_enrolment to jobs;
