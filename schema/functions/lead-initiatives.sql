/*
  Initiatives: steps for people who were found. A step starts an automation; the ones that steps have made for themselves are deleted with
  them. An enrolment has one task that is pending, that of its next step. See lead-dispatch.sql for who fires it.
*/

-- Each initiative has a counter. A change of it is looked at by the background at once.
create or replace function count_initiative() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into lead_dispatches as d (workspace_id, initiative_id, due_at) values (new.workspace_id, new.id, now())
    on conflict (workspace_id, initiative_id) do update set due_at = excluded.due_at, turn = d.turn + 1;
  return null;
end $$;
create or replace trigger count_initiative after insert or update on lead_initiatives for each row execute function count_initiative();

-- Has the background look at an initiative at an instant, if it would not do so before.
create or replace function wake_initiative(p_initiative uuid, p_at timestamptz) returns void
  security definer set search_path = public, pg_temp language sql as $$
  update lead_dispatches d set due_at = p_at, turn = d.turn + 1 where d.workspace_id = (select current_workspace())
    and d.initiative_id = p_initiative and (d.due_at is null or d.due_at > p_at)
$$;

-- Whether the published version of an automation sends emails.
create or replace function sends_email(p_automation uuid) returns boolean stable
  security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_path_exists(v.definition, '$.steps.** ? (@.type == "send_email")'), false)
    from (select) one left join automations a on a.workspace_id = (select current_workspace()) and a.id = p_automation
      left join automation_versions v on v.workspace_id = a.workspace_id and v.id = a.version_id
$$;

-- The active step of an initiative after this place; null after the last one.
create or replace function lead_step_after(p_initiative uuid, p_order int, p_id uuid) returns lead_initiative_steps stable
  security definer set search_path = public, pg_temp language sql as $$
  select s.* from lead_initiative_steps s
    where s.workspace_id = (select current_workspace()) and s.initiative_id = p_initiative and s.is_active
    and (s.sort_order, s.id) > (p_order, p_id) order by s.sort_order, s.id limit 1
$$;

-- Has an enrolment go to the step after this place, whose delay begins at p_now; without one it is complete.
create or replace function next_lead_step(p_enrolment uuid, p_initiative uuid, p_order int, p_id uuid, p_now timestamptz) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  s constant lead_initiative_steps := lead_step_after(p_initiative, p_order, p_id);
  due timestamptz;
begin
  if s.id is null then
    update lead_enrolments set status = 'completed', ended_at = p_now where workspace_id = w and id = p_enrolment;
    return;
  end if;
  due := p_now + make_interval(mins => s.delay);
  insert into lead_tasks (workspace_id, initiative_id, enrolment_id, step_id, is_email, scheduled_for)
    values (w, p_initiative, p_enrolment, s.id, sends_email(s.automation_id), due);
  perform wake_initiative(p_initiative, due);
end $$;

-- Tasks of a step that is deleted go to the next one at the same time; without one their enrolments are complete.
create or replace function leave_lead_step() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s lead_initiative_steps;
begin
  if exists (select from lead_initiatives i where i.workspace_id = old.workspace_id and i.id = old.initiative_id) then
    s := lead_step_after(old.initiative_id, old.sort_order, old.id);
    update lead_enrolments e set status = 'completed', ended_at = now() where s.id is null and e.workspace_id = old.workspace_id
      and e.id = any (array(select t.enrolment_id from lead_tasks t where t.workspace_id = old.workspace_id and t.step_id = old.id
        and t.status in ('pending', 'paused')));
    update lead_tasks t set step_id = s.id, is_email = coalesce(sends_email(s.automation_id), false),
        status = case when s.id is null then 'cancelled' else t.status end
      where t.workspace_id = old.workspace_id and t.step_id = old.id and t.status in ('pending', 'paused');
  end if;
  return old;
end $$;
create or replace trigger leave_lead_step before delete on lead_initiative_steps for each row execute function leave_lead_step();

-- A task whose enrolment is one too many after a merge goes to the one that is left, which has its own: it is cancelled. The undo of the
-- merge gives it back.
create or replace function change_enrolment_of_task() returns trigger security definer set search_path = public, pg_temp
  language plpgsql as $$
begin
  if new.status in ('pending', 'paused') then
    new.status := 'cancelled';
    new.reason := 'merged';
  elsif new.status = 'cancelled' and new.reason = 'merged' then
    new.status := case when exists (select from lead_enrolments e where e.workspace_id = new.workspace_id and e.id = new.enrolment_id
      and e.status = 'paused') then 'paused' else 'pending' end;
    new.reason := null;
    perform wake_initiative(new.initiative_id, now());
  end if;
  return new;
end $$;
create or replace trigger change_enrolment before update of enrolment_id on lead_tasks for each row
  when (old.enrolment_id <> new.enrolment_id) execute function change_enrolment_of_task();

create or replace function delete_quick_automation()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  delete from automations where workspace_id = old.workspace_id and id = old.automation_id;
  return null;
end $$;
create or replace trigger delete_quick_automation after delete on lead_initiative_steps for each row
  when (old.action_type is not null) execute function delete_quick_automation();

-- The steps of an initiative, in order, with their automations.
create or replace function lead_steps_of(p_initiative uuid) returns json stable security definer set search_path = public, pg_temp
  language sql as $$
  select coalesce(json_agg(json_build_object('id', s.id, 'initiative_id', s.initiative_id, 'sort_order', s.sort_order,
      'action_type', s.action_type,
      'action_config', s.action_config, 'delay', s.delay, 'automation_id', s.automation_id, 'is_active', s.is_active,
        'fired_count', s.fired_count,
      'reply_count', s.reply_count, 'version', s.version, 'created_at', iso(s.created_at), 'updated_at', iso(s.updated_at),
      'automation', json_build_object('id', a.id, 'name', a.name, 'state', a.state)) order by s.sort_order, s.id), '[]')
    from lead_initiative_steps s join automations a on a.workspace_id = s.workspace_id and a.id = s.automation_id
    where s.workspace_id = (select current_workspace()) and s.initiative_id = p_initiative
$$;

/*
  Enrols people (id, lead_result_id, contact_id) and schedules their first step. One who is in an initiative is left out: returns the ids of
  the results that were.
*/
create or replace function enrol_leads(p_initiative uuid, p_rows jsonb) returns uuid[] security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  w constant uuid := current_workspace();
  e record;
  enrolled uuid[] := '{}';
begin
  perform from lead_initiatives i where i.workspace_id = w and i.id = p_initiative for share;
  for e in select r.* from jsonb_to_recordset(p_rows) r(id uuid, lead_result_id uuid, contact_id uuid) order by r.contact_id, r.id
  loop
    insert into lead_enrolments (workspace_id, id, initiative_id, lead_result_id, contact_id)
      values (w, e.id, p_initiative, e.lead_result_id, e.contact_id)
      on conflict (workspace_id, contact_id) where ended_at is null do nothing;
    if found then
      enrolled := enrolled || e.id;
      perform next_lead_step(e.id, p_initiative, -1, '00000000-0000-0000-0000-000000000000', now());
    end if;
  end loop;
  return enrolled;
end $$;

-- The events of enrolments, on every path by which they begin and end.
create or replace function announce_lead_enrolment()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  about constant jsonb := jsonb_build_object('lead_enrolment_id', new.id, 'lead_result_id', new.lead_result_id,
    'contact_id', new.contact_id);
begin
  if tg_op = 'INSERT' then
    perform emit('lead_initiative.enrolled', 'lead_initiative', new.initiative_id, about);
  else
    perform emit('lead_initiative.enrolment_ended', 'lead_initiative', new.initiative_id,
      about || jsonb_build_object('status', new.status, 'end_reason', new.end_reason));
  end if;
  return null;
end $$;
create or replace trigger announce_lead_enrolment after insert on lead_enrolments for each row execute function announce_lead_enrolment();
create or replace trigger announce_lead_enrolment_end after update of ended_at on lead_enrolments for each row
  when (old.ended_at is null and new.ended_at is not null) execute function announce_lead_enrolment();

-- Pauses or resumes an enrolment, with its task. A task whose time has passed meanwhile is due at once.
create or replace function set_lead_enrolment(p_initiative uuid, p_enrolment uuid, p_to text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  e lead_enrolments;
begin
  select * into e from lead_enrolments l where l.workspace_id = w and l.initiative_id = p_initiative and l.id = p_enrolment for update;
  if e.id is null then perform fail('NOT_FOUND', 'No such enrolment in this workspace'); end if;
  if e.status <> (case p_to when 'paused' then 'active' else 'paused' end) then
    perform fail('INVALID_STATE', format('This enrolment is %s', e.status), jsonb_build_object('state', e.status, 'allowed',
      jsonb_build_array(case p_to when 'paused' then 'active' else 'paused' end)));
  end if;
  update lead_enrolments set status = p_to where workspace_id = w and id = p_enrolment;
  update lead_tasks set status = case p_to when 'paused' then 'paused' else 'pending' end
    where workspace_id = w and enrolment_id = p_enrolment and status in ('pending', 'paused');
  perform wake_initiative(p_initiative, now());
end $$;

-- Ends what a contact was enrolled in at an instant. A reply is counted for the step before it.
create or replace function end_lead_enrolments(p_workspace uuid, p_contact uuid, p_reason text, p_at timestamptz) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  e uuid;
  task uuid;
  step uuid;
begin
  update lead_enrolments l set status = 'ended', end_reason = p_reason, ended_at = now()
    where l.workspace_id = p_workspace and l.contact_id = p_contact and l.ended_at is null
      and l.created_at <= p_at returning l.id into e;
  if e is null then return; end if;
  update lead_tasks set status = 'cancelled', reason = p_reason
    where workspace_id = p_workspace and enrolment_id = e and status in ('pending', 'paused');
  if p_reason = 'replied' then
    select t.id, t.step_id into task, step from lead_tasks t
      where t.workspace_id = p_workspace and t.enrolment_id = e and t.status = 'fired'
      order by t.fired_at desc limit 1;
    update lead_tasks set replied_at = now() where workspace_id = p_workspace and id = task;
    update lead_initiative_steps set reply_count = reply_count + 1 where workspace_id = p_workspace and id = step;
  end if;
end $$;

revoke execute on function count_initiative, wake_initiative, sends_email, lead_step_after, next_lead_step, leave_lead_step,
  change_enrolment_of_task, delete_quick_automation, lead_steps_of, enrol_leads, announce_lead_enrolment, set_lead_enrolment,
  end_lead_enrolments from public;
grant execute on function wake_initiative, lead_steps_of, enrol_leads, set_lead_enrolment to app;
