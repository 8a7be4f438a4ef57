/*
  Outgoing webhooks. A webhook has the rights of the key that wrote it last, within its own scopes, and loses them with the key: its events
  are matched and read by what that key may read at the time. The follower `webhooks` of the feed adds the deliveries of events;
  webhook-deliveries.sql has what sends them.
*/

-- An enabled webhook follows the feed from now on. Its lock is also taken by what ends the following.
create or replace function start_webhook() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('webhooks'), hashtext(new.workspace_id::text));
  insert into webhook_states (workspace_id, webhook_id, since_xid)
    values (new.workspace_id, new.id, pg_snapshot_xmin(pg_current_snapshot()))
    on conflict (workspace_id, webhook_id) do update set since_xid = excluded.since_xid, failing_since = null, due_at = now();
  perform follow_feed('webhooks'), mark_for_delivery(true);
  return null;
end $$;
create or replace trigger start_new_webhook after insert on webhooks for each row when (new.status = 'enabled')
  execute function start_webhook();
create or replace trigger start_webhook after update of status on webhooks for each row
  when (old.status <> 'enabled' and new.status = 'enabled') execute function start_webhook();

-- What the enabled webhooks of a workspace receive, as it was sent. Named so that the events of the change itself are written afterwards.
create or replace function note_webhook_types() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  if w is null then return null; end if;
  perform pg_advisory_xact_lock(hashtext('webhooks'), hashtext(w::text));
  perform note_interest('webhooks', array(select distinct unnest(event_types) as t from webhooks
    where workspace_id = w and status = 'enabled' order by t));
  return null;
end $$;
create or replace trigger note_types after insert or delete or update of event_types, status on webhooks for each statement
  execute function note_webhook_types();

-- The rights of a webhook at this time; null if its key is no longer valid, or may no longer read events.
create or replace function webhook_authority(w webhooks) returns authority stable language plpgsql as $$
declare
  k api_keys;
  a authority;
begin
  select * into k from api_keys where workspace_id = w.workspace_id and id = w.key_id;
  a := key_authority('key', k);
  if a.workspace_id is null or lacking_scopes(a.scopes, '{events:read}') is not null
      or lacking_scopes(a.role_scopes, '{events:read}') is not null then
    return null;
  end if;
  if w.scopes is not null then a.scopes := intersect_scopes(a.scopes, w.scopes); end if;
  return a;
end $$;

/*
  The enabled webhooks of a workspace, at most p_most, with what decides which events they get: the kinds of records that they may read
  (null if the key is no longer valid), the position from which they follow, and the replay under way. Null without any, and the workspace
  then no longer follows.
*/
create or replace function enabled_webhooks(p_workspace uuid, p_most int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  found_webhooks jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select jsonb_agg(jsonb_build_object('id', w.id, 'event_types', w.event_types, 'filter', w.filter, 'since', s.since_xid::text,
      'readable', case when a.workspace_id is not null then entities_of(a) end,
      'replay_id', s.replay_id)) into found_webhooks
    from webhooks w join webhook_states s on s.workspace_id = p_workspace and s.webhook_id = w.id
      cross join lateral webhook_authority(w) a
    where w.workspace_id = p_workspace
    and w.id = any (array(select e.id from webhooks e where e.workspace_id = p_workspace and e.status = 'enabled'
      order by e.id limit p_most));
  if found_webhooks is null then
    perform pg_advisory_xact_lock(hashtext('webhooks'), hashtext(p_workspace::text));
    if not exists (select from webhooks where workspace_id = p_workspace and status = 'enabled') then
      perform unfollow_feed(p_workspace, 'webhooks');
    end if;
  end if;
  return found_webhooks;
end $$;

-- Disables a webhook for a reason that the system has found, with an event.
create or replace function disable_webhook(p_workspace uuid, p_webhook uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update webhooks set status = 'disabled', disabled_reason = p_reason, disabled_at = now()
    where workspace_id = p_workspace and id = p_webhook and status = 'enabled';
  if found then perform emit('webhook.disabled', 'webhook', p_webhook, jsonb_build_object('reason', p_reason)); end if;
end $$;

/*
  Adds deliveries: p_rows has webhook_id, event_id, event_type, record_id and optionally replay_id, in the order of the events. An event is
  added once for each webhook and replay. An ordered webhook sends an event when the earlier ones of its record have ended.
*/
create or replace function add_webhook_deliveries(p_workspace uuid, p_rows jsonb)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  added int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  -- What ends a delivery takes the same locks, so that it sees those that wait for it.
  perform from webhook_states where workspace_id = p_workspace and webhook_id = any (array(select distinct (r ->> 'webhook_id')::uuid
    from jsonb_array_elements(p_rows) r)) order by webhook_id for update;
  insert into webhook_deliveries (workspace_id, webhook_id, event_id, event_type, record_id, replay_id, due_at)
    select p_workspace, r.webhook_id, r.event_id, r.event_type, r.record_id, coalesce(r.replay_id, '00000000-0000-0000-0000-000000000000'),
      case when w.ordered and (row_number() over (partition by r.webhook_id, r.record_id order by r.n) > 1 or exists (
        select from webhook_deliveries d where d.workspace_id = p_workspace and d.webhook_id = r.webhook_id and d.record_id = r.record_id
          and d.state = 'pending')) then null else now() end
      from (select e.n, s.* from jsonb_array_elements(p_rows) with ordinality e(j, n),
          jsonb_to_record(e.j) as s(webhook_id uuid, event_id uuid, event_type text, record_id uuid, replay_id uuid)) r
        join webhooks w on w.workspace_id = p_workspace and w.id = r.webhook_id
      order by r.n
      on conflict (workspace_id, webhook_id, event_id, replay_id) do nothing;
  get diagnostics added = row_count;
  update webhook_states set due_at = least(due_at, now()) where workspace_id = p_workspace
    and webhook_id = any (array(select distinct (r ->> 'webhook_id')::uuid from jsonb_array_elements(p_rows) r));
  return added;
end $$;

/*
  The next p_most events of the replay of a webhook, as read_feed returns those of a follower; null without a replay. It ends at the
  position where the follower was when it began, because the follower sends what came later.
*/
create or replace function read_webhook_replay(p_workspace uuid, p_webhook uuid, p_types text[], p_most int)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s webhook_states;
begin
  select * into s from webhook_states where workspace_id = p_workspace and webhook_id = p_webhook;
  if s.replay_id is null then return null; end if;
  return (
    with fed as materialized (
      select o.* from outbox o where o.workspace_id = p_workspace and (o.xid, o.id) > (s.replay_xid, s.replay_event_id)
        and (o.xid, o.id) <= (s.replay_until_xid, s.replay_until_id) order by o.xid, o.id limit p_most
    )
    select jsonb_build_object('id', s.replay_id, 'replayed', s.replayed,
      'from', jsonb_build_object('xid', s.replay_xid, 'id', s.replay_event_id),
      'to', (select jsonb_build_object('xid', xid, 'id', id) from fed order by fed.xid desc, fed.id desc limit 1),
      'count', (select count(*) from fed),
      'events', (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'xid', f.xid, 'type', f.type, 'entity', f.entity,
          'entity_id', f.entity_id,
          'payload', f.payload, 'changes', c.fields, 'request_id', f.request_id, 'key_id', f.key_id, 'user_id', f.user_id,
          'cause_type', f.cause_type) order by f.xid, f.id), '[]')
        from fed f left join lateral (select h.fields from changes h where h.workspace_id = p_workspace and h.id = f.id limit 1) c on true
        where f.private_to is null and f.type = any (p_types))));
end $$;

-- Moves a replay on, in the transaction of its deliveries, or ends it (p_to null). Raises CONFLICT if another worker has done so.
create or replace function move_webhook_replay(p_workspace uuid, p_webhook uuid, p_replay uuid, p_from jsonb, p_to jsonb, p_added int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update webhook_states set replayed = replayed + p_added, replayed_at = now(), replay_id = case when p_to is not null then replay_id end,
      replay_xid = coalesce((p_to ->> 'xid')::xid8, replay_xid), replay_event_id = coalesce((p_to ->> 'id')::uuid, replay_event_id)
    where workspace_id = p_workspace and webhook_id = p_webhook and replay_id = p_replay
      and replay_xid = (p_from ->> 'xid')::xid8 and replay_event_id = (p_from ->> 'id')::uuid;
  if not found then perform fail('CONFLICT', 'Another worker has processed these events', '{"replay": "moved"}'); end if;
end $$;

/*
  Begins a replay: the events after a position, or from a time on (p_from), up to a time or to where the follower is now. Raises NOT_FOUND,
  or INVALID_STATE for a webhook that is disabled or has a replay under way.
*/
create or replace function begin_webhook_replay(p_webhook uuid, p_replay uuid, p_xid xid8, p_event uuid,
  p_from timestamptz, p_to timestamptz)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  last constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  of webhooks;
  place feed_followers;
  until_xid xid8;
begin
  select * into of from webhooks where workspace_id = w and id = p_webhook for key share;
  if of.id is null then perform fail('NOT_FOUND', 'No such webhook in this workspace'); end if;
  if of.status <> 'enabled' then
    perform fail('INVALID_STATE', 'The webhook is disabled: enable it first', '{"state": "disabled", "allowed": ["enabled"]}');
  end if;
  select p.xid, p.event_id into place.xid, place.event_id from processed_position('webhooks') p;
  if p_to is not null then
    select o.xid into until_xid from outbox o where o.workspace_id = w and o.id < id_at(p_to) order by o.id desc limit 1;
    if until_xid is null or until_xid < place.xid then place.xid := coalesce(until_xid, '0'); place.event_id := last; end if;
  end if;
  if p_xid is null then
    p_xid := coalesce((select o.xid from outbox o where o.workspace_id = w and o.id < id_at(p_from) order by o.id desc limit 1), '0');
    p_event := last;
  end if;
  update webhook_states set replay_id = p_replay, replay_xid = p_xid, replay_event_id = p_event, replay_until_xid = place.xid,
      replay_until_id = place.event_id, replayed = 0, replayed_at = now()
    where workspace_id = w and webhook_id = p_webhook and replay_id is null;
  if not found then
    perform fail('INVALID_STATE', 'A replay of this webhook is under way: wait for its end',
      '{"state": "replaying", "allowed": ["enabled"]}');
  end if;
  perform mark_for_delivery(true);
end $$;

-- Makes the deliveries of a webhook known as due, in the transaction that adds one by hand.
create or replace function wake_webhook(p_webhook uuid) returns void security definer set search_path = public, pg_temp language sql as $$
  update webhook_states set due_at = least(due_at, now()) where workspace_id = (select current_workspace()) and webhook_id = p_webhook;
  select mark_for_delivery(true)
$$;

revoke execute on function start_webhook, note_webhook_types, webhook_authority, enabled_webhooks, disable_webhook,
  add_webhook_deliveries, read_webhook_replay, move_webhook_replay, begin_webhook_replay, wake_webhook from public, app;
grant execute on function begin_webhook_replay, wake_webhook to app;
grant execute on function enabled_webhooks, disable_webhook, add_webhook_deliveries, read_webhook_replay, move_webhook_replay to jobs;
