-- Marks claimed events as delivered, stores the error of those that failed and leaves them to the next sweep, and releases those that wait
-- for an earlier one.
create or replace function ack_events(p_done jsonb, p_failed jsonb, p_waiting jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d record;
begin
  for d in select * from jsonb_to_recordset(p_done) as t(workspace_id uuid, id uuid) loop
    update outbox o set delivered_at = clock_timestamp(), last_error = null where o.workspace_id = d.workspace_id and o.id = d.id;
  end loop;
  for d in select * from jsonb_to_recordset(p_failed) as t(workspace_id uuid, id uuid, error text) loop
    update outbox o set last_error = d.error where o.workspace_id = d.workspace_id and o.id = d.id;
  end loop;
  for d in select * from jsonb_to_recordset(p_waiting) as t(workspace_id uuid, id uuid) loop
    update outbox o set claimed_at = null, attempts = o.attempts - 1 where o.workspace_id = d.workspace_id and o.id = d.id;
  end loop;
end $$;

-- Whether an earlier event of the same record has been claimed within a minute: it is being delivered, or has failed and is tried again.
create or replace function is_earlier_claimed(o outbox) returns boolean stable language sql as $$
  select exists (select from outbox e
    where e.workspace_id = o.workspace_id and e.entity_id = o.entity_id and e.id < o.id and e.needs_delivery
    and e.delivered_at is null and e.attempts < max_delivery_attempts() and e.claimed_at >= now() - interval '1 minute')
$$;

/*
  Claims undelivered events for one minute, of one workspace or of all (the sweep), each workspace's in the order in which they were
  written. An event waits for the earlier ones of its record: while another delivery has one of them, or one has failed and is tried again.
  A partial index contains only undelivered events, so a sweep that finds none reads almost nothing.
*/
create or replace function claim_events(p_workspace uuid, p_limit int)
  returns table (event jsonb) security definer set search_path = public, pg_temp language plpgsql as $$
declare
  due uuid[];
begin
  -- Two statements, because one for both cases would get a plan that suits neither.
  if p_workspace is null then
    due := array(select o.id from outbox o
      where o.needs_delivery and o.delivered_at is null and (o.claimed_at is null or o.claimed_at < now() - interval '1 minute')
      and o.attempts < max_delivery_attempts() and not is_earlier_claimed(o)
      order by o.workspace_id, o.id limit p_limit for update skip locked);
  else
    -- Two overlapping claims would skip each other's rows, and leave those that wait for an earlier event to the next sweep.
    perform pg_advisory_xact_lock(hashtext('claim_events'), hashtext(p_workspace::text));
    due := array(select o.id from outbox o where o.workspace_id = p_workspace and o.needs_delivery and o.delivered_at is null
      and (o.claimed_at is null or o.claimed_at < now() - interval '1 minute') and o.attempts < max_delivery_attempts()
        and not is_earlier_claimed(o) order by o.id limit p_limit for update skip locked);
  end if;
  if due = '{}' then return; end if;
  return query
    with chosen as (
      select o.* from outbox o where o.id = any (due) and o.needs_delivery and o.delivered_at is null
        and (p_workspace is null or o.workspace_id = p_workspace)
    ), blocked as (
      select c.id from chosen c where exists (select from outbox e where e.workspace_id = c.workspace_id and e.entity_id = c.entity_id
        and e.id < c.id and e.needs_delivery and e.delivered_at is null and e.attempts < max_delivery_attempts() and e.id <> all (due))
    ), claimed as (
      update outbox o set claimed_at = clock_timestamp(), attempts = o.attempts + 1
        where o.id = any (due) and o.id <> all (array(select b.id from blocked b)) and o.needs_delivery and o.delivered_at is null
        and (p_workspace is null or o.workspace_id = p_workspace) returning o.*
    )
    select jsonb_build_object('workspace_id', t.workspace_id, 'id', t.id, 'type', t.type, 'entity', t.entity, 'entity_id', t.entity_id,
      'payload', t.payload,
      'changes', c.fields, 'skip_automations', t.skip_automations, 'request_id', t.request_id, 'attempts', t.attempts)
    from claimed t left join lateral (select h.fields from changes h
      where h.workspace_id = t.workspace_id and h.id = t.id limit 1) c on true order by t.id;
end $$;

revoke execute on function ack_events, claim_events from public, app;
grant execute on function ack_events, claim_events to jobs;
