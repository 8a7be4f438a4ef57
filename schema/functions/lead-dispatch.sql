/*
  The dispatcher of initiatives. The Worker, which knows the zones, reads what is due, decides, and hands its decisions over; under the
  locks of the counters they are checked again, so that however many do so at once, no cap and no gap is broken. Requests and the background
  use the same functions.
*/

-- What decides about a task that is due.
create or replace function lead_task_facts(t lead_tasks) returns jsonb stable
  security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('id', t.id, 'enrolment_id', t.enrolment_id, 'step_id', t.step_id, 'contact_id', c.id,
      'is_email', sends_email(s.automation_id),
      'action_type', s.action_type, 'step_is_active', s.is_active, 'consent_basis', l.consent_basis, 'recipient', jsonb_build_object(
      'archived', c.archived, 'email', c.email, 'phone', c.phone, 'email_unsubscribed', c.email_unsubscribed,
      'sms_unsubscribed', c.sms_unsubscribed, 'whatsapp_unsubscribed', c.whatsapp_unsubscribed, 'timezone', c.timezone, 'state', c.state,
      'country', c.country, 'configured', configured_channels(t.workspace_id),
      'quiet_hours', (select q.quiet_hours from crm_settings q where q.workspace_id = t.workspace_id),
      'suppressed', array(select p.channel from suppressions p
        where p.workspace_id = t.workspace_id and p.address = any (array[c.email, c.phone])
        and p.address = case p.channel when 'email' then c.email else c.phone end)))
    from lead_enrolments e join contacts c on c.workspace_id = e.workspace_id and c.id = e.contact_id
      join lead_results l on l.workspace_id = e.workspace_id and l.id = e.lead_result_id
      join lead_initiative_steps s on s.workspace_id = e.workspace_id and s.id = t.step_id
    where e.workspace_id = t.workspace_id and e.id = t.enrolment_id
$$;

/*
  The active initiatives with tasks that are due at p_now (one of them: p_initiative), longest first, with their counters and an equal share
  each of p_limit tasks: first those that send no email. is_full: whether there may be more than its share. next_due: when another task is
  due, if none is now.
*/
create or replace function lead_dispatch_facts(p_now timestamptz, p_initiative uuid, p_limit int) returns jsonb stable
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  i record;
  tasks jsonb;
  share int;
  found jsonb := '[]';
begin
  select greatest(p_limit / greatest(count(*), 1), 1) into share
    from (select from lead_initiatives n where n.workspace_id = w and n.is_active
    and (p_initiative is null or n.id = p_initiative) limit p_limit) few;
  for i in select n.*, d.local_date, d.sent, greatest(d.next_at, (select s.next_at from lead_senders s where s.workspace_id = w)) as after
    from lead_dispatches d join lead_initiatives n on n.workspace_id = w and n.id = d.initiative_id
    where d.workspace_id = w and n.is_active and (p_initiative is null or d.initiative_id = p_initiative)
    order by d.due_at nulls last, n.id limit p_limit
  loop
    select coalesce(jsonb_agg(lead_task_facts(f.t)), '[]') into tasks from (
      (select t, t.is_email as mail, t.scheduled_for as at from lead_tasks t
        where t.workspace_id = w and t.initiative_id = i.id and t.status = 'pending'
        and not t.is_email and t.scheduled_for <= p_now order by t.scheduled_for, t.id limit share)
      union all (select t, t.is_email, t.scheduled_for from lead_tasks t where t.workspace_id = w and t.initiative_id = i.id
        and t.status = 'pending' and t.is_email and t.scheduled_for <= p_now order by t.scheduled_for, t.id limit share)
      order by mail, at limit share) f;
    found := found || (to_jsonb(i) - '{after,description,name}'::text[] || jsonb_build_object('tasks', tasks,
      'is_full', jsonb_array_length(tasks) = share, 'next_at', iso(i.after),
      'workspace_zone', (select z.timezone from workspaces z where z.id = w),
        'next_due', (select iso(min(t.scheduled_for)) from lead_tasks t
        where t.workspace_id = w and t.initiative_id = i.id and t.status = 'pending' and t.scheduled_for > p_now)));
  end loop;
  return found;
end $$;

-- Starts the step of a task at p_now. Returns why not, or null. The counters are locked.
create or replace function fire_lead_task(t lead_tasks, p_day date, p_now timestamptz) returns text
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s lead_initiative_steps;
  i lead_initiatives;
  d lead_dispatches;
  e lead_enrolments;
  outcome jsonb;
  mails boolean;
begin
  select * into s from lead_initiative_steps x where x.workspace_id = t.workspace_id and x.id = t.step_id;
  select * into i from lead_initiatives x where x.workspace_id = t.workspace_id and x.id = t.initiative_id;
  select * into d from lead_dispatches x where x.workspace_id = t.workspace_id and x.initiative_id = t.initiative_id;
  select * into e from lead_enrolments x where x.workspace_id = t.workspace_id and x.id = t.enrolment_id;
  mails := sends_email(s.automation_id);
  -- A late call for a day that is over.
  if mails and d.local_date > p_day then return 'outside_window'; end if;
  if mails and d.local_date = p_day and d.sent >= i.daily_send_cap then return 'daily_cap'; end if;
  if mails and greatest(d.next_at, (select l.next_at from lead_senders l where l.workspace_id = t.workspace_id)) > p_now then
    return 'min_gap';
  end if;
  outcome := start_runs(s.automation_id, 'initiative', t.id, jsonb_build_array(jsonb_build_object('dedupe_key', 'lead-task:' || t.id,
    'record_id', e.contact_id, 'contact_id', e.contact_id, 'trigger_data', jsonb_build_object('type', 'manual', 'at', iso(p_now),
    'data', jsonb_build_object('lead_result_id', e.lead_result_id, 'initiative_id', i.id))))) #> '{runs,0}';
  if outcome ->> 'reason' = 'not_published' then return 'automation_not_published'; end if;
  update lead_tasks set status = case when outcome ->> 'reason' is null then 'fired' else 'skipped' end, reason = outcome ->> 'reason',
      run_id = (outcome ->> 'id')::uuid, fired_at = p_now, day = p_day, is_email = mails where workspace_id = t.workspace_id and id = t.id;
  update lead_tasks set status = 'cancelled' where workspace_id = t.workspace_id and enrolment_id = t.enrolment_id and status = 'pending';
  if outcome ->> 'reason' is null then
    update lead_initiative_steps set fired_count = fired_count + 1 where workspace_id = t.workspace_id and id = s.id;
    if mails then
      update lead_dispatches set sent = case when local_date = p_day then sent else 0 end + 1, local_date = p_day,
        next_at = p_now + make_interval(secs => i.min_gap_seconds)
        where workspace_id = t.workspace_id and initiative_id = i.id;
      update lead_senders set next_at = p_now + make_interval(secs => i.min_gap_seconds) where workspace_id = t.workspace_id;
    end if;
  end if;
  perform next_lead_step(t.enrolment_id, t.initiative_id, s.sort_order, s.id, p_now);
  return outcome ->> 'reason';
end $$;

-- Carries out one decision. Returns its outcome and the reason.
create or replace function apply_lead_decision(p jsonb, p_now timestamptz) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  t lead_tasks;
  s lead_initiative_steps;
  reason text := p ->> 'reason';
begin
  if p ->> 'action' = 'wait' then return jsonb_build_object('outcome', 'waiting', 'reason', reason); end if;
  if not exists (select from lead_initiatives i where i.workspace_id = w and i.id = (p ->> 'initiative_id')::uuid and i.is_active
    and i.version = (p ->> 'version')::int) then return '{"outcome": "waiting", "reason": "changed"}'; end if;
  select x.* into t from lead_tasks x where x.workspace_id = w and x.id = (p ->> 'task_id')::uuid and x.status = 'pending'
    and x.scheduled_for <= p_now for update skip locked;
  if t.id is null then return '{"outcome": "waiting", "reason": "taken"}'; end if;
  perform from lead_enrolments e where e.workspace_id = w and e.id = t.enrolment_id and e.status = 'active' for update skip locked;
  if not found then return '{"outcome": "waiting", "reason": "taken"}'; end if;
  if p ->> 'action' = 'fire' then
    reason := fire_lead_task(t, (p ->> 'day')::date, p_now);
    if reason = 'automation_not_published' then
      update lead_tasks set scheduled_for = p_now + interval '1 hour' where workspace_id = w and id = t.id;
    end if;
    return jsonb_build_object('outcome', case when reason is null then 'fired' when reason in ('daily_cap', 'min_gap', 'outside_window',
      'automation_not_published') then 'waiting' else 'skipped' end, 'reason', reason);
  end if;
  if p ->> 'action' = 'defer' then
    update lead_tasks set scheduled_for = (p ->> 'until')::timestamptz where workspace_id = w and id = t.id;
    return jsonb_build_object('outcome', 'waiting', 'reason', reason);
  end if;
  update lead_tasks x set status = case p ->> 'action' when 'skip' then 'skipped' else 'cancelled' end, reason = p ->> 'reason'
    where x.workspace_id = w and x.id = t.id;
  if p ->> 'action' = 'skip' then
    select * into s from lead_initiative_steps x where x.workspace_id = w and x.id = t.step_id;
    perform next_lead_step(t.enrolment_id, t.initiative_id, s.sort_order, s.id, p_now);
    return jsonb_build_object('outcome', 'skipped', 'reason', reason);
  end if;
  update lead_enrolments set status = 'ended', end_reason = reason, ended_at = p_now where workspace_id = w and id = t.enrolment_id;
  return jsonb_build_object('outcome', 'ended', 'reason', reason);
end $$;

/*
  Carries out the decisions about tasks that are due at p_now, in order: [{"task_id", "initiative_id", "version", "action", "reason", "day",
  "until"}]. The row of the address that sends is locked first, then the counters in order of id. Returns {"task_id", "outcome", "reason",
  "retry_at"} of each.
*/
create or replace function dispatch_leads(p_now timestamptz, p_decisions jsonb) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  p jsonb;
  outcomes jsonb := '[]';
begin
  insert into lead_senders (workspace_id, next_at) values (w, '-infinity') on conflict do nothing;
  perform from lead_senders where workspace_id = w for update;
  perform from lead_dispatches d where d.workspace_id = w and d.initiative_id = any (array(select (x ->> 'initiative_id')::uuid
    from jsonb_array_elements(p_decisions) x)) order by d.initiative_id for update;
  for p in select x from jsonb_array_elements(p_decisions) with ordinality e(x, n) order by n loop
    outcomes := outcomes || (jsonb_build_object('task_id', p -> 'task_id', 'initiative_id', p -> 'initiative_id', 'retry_at', p -> 'until')
      || apply_lead_decision(p, p_now));
  end loop;
  return outcomes;
end $$;

revoke execute on function lead_task_facts, lead_dispatch_facts, fire_lead_task, apply_lead_decision, dispatch_leads from public;
grant execute on function lead_dispatch_facts, dispatch_leads to app, jobs;
