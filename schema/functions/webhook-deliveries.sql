/*
  Deliveries of webhooks. A message is about one webhook, and one worker at a time has the lease of it, so a slow receiver delays no other
  webhook. A claim counts an attempt before the request is made: what a crash leaves is claimed again when the lease has ended, with the
  same id.
*/

-- How long a lease lasts, in seconds: longer than any worker takes for a claim. How many webhooks of a workspace are sent to at a time.
create or replace function webhook_lease_seconds() returns int immutable language sql return 90;
create or replace function max_webhook_leases() returns int immutable language sql return 3;

/*
  Claims at most p_most due deliveries of a webhook, one if its last attempt failed, and sets the authority of the transaction to that of
  the webhook, so that the events are read as its key may read them. Returns null if there is nothing to do, {"busy": true} if the workspace
  has enough workers, {"invalid": true} if the key is no longer valid, or the address, the sealed secrets and the deliveries.
*/
create or replace function claim_webhook(p_workspace uuid, p_webhook uuid, p_claim uuid, p_most int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s webhook_states;
  w webhooks;
  a authority;
  ids uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into s from webhook_states where workspace_id = p_workspace and webhook_id = p_webhook for update;
  if s.webhook_id is null or s.leased_until > now() then return null; end if;
  select * into w from webhooks where workspace_id = p_workspace and id = p_webhook and status = 'enabled';
  ids := array(select id from webhook_deliveries
    where workspace_id = p_workspace and webhook_id = p_webhook and state = 'pending' and due_at <= now()
    order by due_at, id limit case when s.failing_since is null then p_most else 1 end);
  if w.id is null or ids = '{}' then
    update webhook_states set due_at = case when w.id is not null then next_delivery(p_workspace, p_webhook) end, leased_until = null
      where workspace_id = p_workspace and webhook_id = p_webhook;
    return null;
  end if;
  if (select count(*) from webhook_states where workspace_id = p_workspace and leased_until > now()) >= max_webhook_leases() then
    return '{"busy": true}';
  end if;
  a := webhook_authority(w);
  if a.workspace_id is null then return '{"invalid": true}'; end if;
  perform set_config('app.authority', to_jsonb(a)::text, true), set_config('app.user_id', a.user_id::text, true),
    set_config('app.key_id', a.key_id::text, true);
  update webhook_deliveries set claim_id = p_claim, attempts = attempts + 1 where workspace_id = p_workspace and id = any (ids);
  update webhook_states set leased_until = now() + make_interval(secs => webhook_lease_seconds()),
      due_at = now() + make_interval(secs => webhook_lease_seconds()) where workspace_id = p_workspace and webhook_id = p_webhook;
  return jsonb_build_object('url', w.url, 'secret', w.sealed_secret,
    'previous_secret', case when w.previous_expires_at > now() then w.sealed_previous_secret end,
    'failing_since', iso(s.failing_since), 'now', iso(now()),
    'deliveries',
      (select jsonb_agg(jsonb_build_object('id', d.id, 'event_id', d.event_id, 'event_type', d.event_type, 'attempts', d.attempts,
      'created_at', iso(d.created_at)) order by d.due_at, d.id) from webhook_deliveries d
        where d.workspace_id = p_workspace and d.id = any (ids)));
end $$;

-- When the next delivery of a webhook is due; null without one.
create or replace function next_delivery(p_workspace uuid, p_webhook uuid) returns timestamptz stable language sql as $$
  select due_at from webhook_deliveries
    where workspace_id = p_workspace and webhook_id = p_webhook and state = 'pending' and due_at is not null
    order by due_at, id limit 1
$$;

/*
  Stores the results of a claim and ends its lease. p_results: id, state, and optionally seconds (until the next attempt), attempt (for the
  log), response, and released (no attempt was made). Lets the next event of a record go that has waited. Returns whether more is due, and
  other webhooks of the workspace that are.
*/
create or replace function settle_webhook(p_workspace uuid, p_webhook uuid, p_claim uuid, p_results jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  settled int;
  has_failed constant boolean := exists (select from jsonb_array_elements(p_results) r where r ->> 'outcome' = 'failure');
  has_succeeded constant boolean := exists (select from jsonb_array_elements(p_results) r where r ->> 'outcome' = 'success');
  more boolean;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from webhook_states where workspace_id = p_workspace and webhook_id = p_webhook for update;
  with results as materialized (
    select * from jsonb_to_recordset(p_results) as r(id uuid, state text, seconds int, attempt jsonb, response jsonb, released boolean)
  )
  update webhook_deliveries d set claim_id = null, state = r.state, attempts = d.attempts - coalesce(r.released, false)::int,
      due_at = case when r.state = 'pending' then now() + make_interval(secs => coalesce(r.seconds, 0)) end,
      log = d.log || case when r.attempt is null then '[]' else jsonb_build_array(r.attempt) end,
        response = case when r.attempt is null then d.response else r.response end,
      ended_at = case when r.state <> 'pending' then now() end
    from results r where d.workspace_id = p_workspace and d.id = r.id and d.claim_id = p_claim;
  get diagnostics settled = row_count;
  -- The lease had ended, and another worker has these deliveries.
  if settled = 0 then return '{"more": false, "others": []}'; end if;
  update webhook_deliveries n set due_at = now()
    where n.workspace_id = p_workspace and n.due_at is null and n.state = 'pending' and n.id = any (array(
    select (select x.id from webhook_deliveries x
        where x.workspace_id = p_workspace and x.webhook_id = p_webhook and x.record_id = ended.record_id
        and x.state = 'pending' order by x.id limit 1)
      from (select distinct d.record_id from webhook_deliveries d where d.workspace_id = p_workspace
        and d.id = any (array(select (r ->> 'id')::uuid from jsonb_array_elements(p_results) r)) and d.state <> 'pending') ended));
  -- By the clock: what another transaction has added while this one waited may be later than its beginning.
  update webhook_states s set leased_until = null, due_at = next_delivery(p_workspace, p_webhook),
      failing_since = case when has_succeeded then null when has_failed then coalesce(s.failing_since, now()) else s.failing_since end,
      last_delivered_at = case when has_succeeded then now() else s.last_delivered_at end,
      last_failed_at = case when has_failed then now() else s.last_failed_at end
    where s.workspace_id = p_workspace and s.webhook_id = p_webhook returning coalesce(s.due_at <= clock_timestamp(), false) into more;
  return jsonb_build_object('more', more,
    'others', coalesce((select jsonb_agg(webhook_id) from due_webhooks(p_workspace, max_webhook_leases()) d(webhook_id)
    where webhook_id <> p_webhook), '[]'));
end $$;

-- Webhooks of a workspace with due deliveries that no worker has, those that have waited longest first.
create or replace function due_webhooks(p_workspace uuid, p_limit int)
  returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  select webhook_id from webhook_states
    where workspace_id = p_workspace and due_at <= now() and (leased_until is null or leased_until <= now())
    order by due_at limit p_limit
$$;

revoke execute on function claim_webhook, next_delivery, settle_webhook, due_webhooks from public, app;
grant execute on function claim_webhook, settle_webhook, due_webhooks to jobs;
