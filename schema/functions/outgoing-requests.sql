/*
  Requests to other services. A claim counts the attempt before the request is made, and gives it a lease: what a crash leaves is sent again
  with the same id, which is its idempotency key. settle_outgoing stores the outcome once, and wakes the run that waits for it.
*/

-- Claims at most p_most due requests of a workspace for p_lease seconds. `secrets`: the sealed secrets that sign it, null for a request
-- that is not signed, and none if the webhook was deleted.
create or replace function claim_outgoing(p_workspace uuid, p_claim uuid, p_most int, p_lease int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  ids constant uuid[] := array(select id from outgoing_requests where workspace_id = p_workspace and due_at <= now()
    order by due_at, id limit p_most for update skip locked);
begin
  update outgoing_requests set claim_id = p_claim, attempts = attempts + 1, due_at = now() + make_interval(secs => p_lease)
    where workspace_id = p_workspace and id = any (ids);
  return (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'method', r.method, 'url', r.url, 'headers', r.headers, 'body', r.body,
      'attempts', r.attempts, 'secrets', case when r.webhook_id is not null then (select coalesce(jsonb_agg(s), '[]') from webhooks w,
        unnest(array[w.sealed_secret, case when w.previous_expires_at > now() then w.sealed_previous_secret end]) s
        where w.workspace_id = p_workspace and w.id = r.webhook_id and s is not null) end)), '[]')
    from outgoing_requests r where r.workspace_id = p_workspace and r.id = any (ids));
end $$;

-- The outcome of a request as the run that waits for it receives it.
create or replace function outgoing_wake(r outgoing_requests) returns jsonb immutable language sql as $$
  select jsonb_build_object('key', 'outgoing:' || r.id,
    'event', jsonb_build_object('type', 'outgoing.' || r.state, 'state', r.state, 'error', r.error,
    'status', r.response -> 'status', 'body', r.response -> 'body', 'truncated', r.response -> 'truncated'))
$$;

-- Stores the outcomes of a claim: [{"id", "state", "seconds": until the next attempt, "response", "error"}], and wakes the runs that wait
-- for them.
create or replace function settle_outgoing(p_workspace uuid, p_claim uuid, p_results jsonb)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  wakes jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  with settled as (
    update outgoing_requests o set state = r.state, claim_id = null, response = coalesce(r.response, o.response), error = r.error,
        due_at = case when r.state = 'pending' then now() + make_interval(secs => r.seconds) end,
        ended_at = case when r.state <> 'pending' then now() end, headers = case when r.state = 'pending' then o.headers else '{}' end,
        body = case when r.state = 'pending' then o.body end
      from jsonb_to_recordset(p_results) r(id uuid, state text, seconds int, response jsonb, error jsonb)
      where o.workspace_id = p_workspace and o.id = r.id and o.claim_id = p_claim returning o.*
  ) select jsonb_agg(outgoing_wake(s::outgoing_requests)) into wakes from settled s where s.state <> 'pending';
  return case when wakes is null then 0 else wake_runs(p_workspace, wakes) end;
end $$;

-- Wakes runs that have begun to wait for requests which have ended already.
create or replace function wake_ended(p_workspace uuid, p_requests uuid[])
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  wakes jsonb;
begin
  -- The lock waits for an outcome that is being stored, whose transaction does not see that the run waits.
  perform from outgoing_requests where workspace_id = p_workspace and id = any (p_requests) order by id for share;
  select jsonb_agg(outgoing_wake(o)) into wakes from outgoing_requests o
    where o.workspace_id = p_workspace and o.id = any (p_requests) and o.state <> 'pending';
  return case when wakes is null then 0 else wake_runs(p_workspace, wakes) end;
end $$;

-- Stores a step in the transaction of the request that it makes to another service: the run waits for its outcome. See take_step.
create or replace function await_step(p_workspace uuid, p_run jsonb, p_finished jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if settle_runs(p_workspace,
      jsonb_build_array(with_last_step(p_run, '{}') || jsonb_build_object('awaits', 'outgoing:' || (p_finished #>> '{rows,0,0}')))) = '[]'
      then
    perform fail('CONFLICT', 'Another worker has this run', '{"run": "moved"}');
  end if;
  return p_finished;
end $$;

revoke execute on function claim_outgoing, settle_outgoing, wake_ended, await_step from public, app;
grant execute on function claim_outgoing, settle_outgoing, wake_ended, await_step to jobs;
