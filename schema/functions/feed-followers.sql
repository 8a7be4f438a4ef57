/*
  What reads a workspace's feed in the background: tracked lists, automations and webhooks. Each has a row with the last event that it has
  processed, only while something in the workspace depends on events. Events are read in the order of their position, below the oldest open
  transaction, so that none is missed. A follower moves on in the transaction of what it has done about the events, so that each counts once.
*/

-- Follows the feed of this workspace from now on.
create or replace function follow_feed(p_follower text) returns void security definer set search_path = public, pg_temp language sql as $$
  insert into feed_followers (workspace_id, follower, xid, event_id)
    values (current_workspace(), p_follower, pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000') on conflict do nothing
$$;

create or replace function follows_feed(p_follower text) returns boolean stable language sql as $$
  select exists (select from feed_followers where workspace_id = (select current_workspace()) and follower = p_follower)
$$;

-- Whether anything in the background depends on what the transaction has written.
create or replace function has_followers() returns boolean stable language sql as $$
  select exists (select from feed_followers where workspace_id = (select current_workspace()))
$$;

-- The followers of a workspace, for the message that its events are delivered by.
create or replace function followers_of(p_workspace uuid) returns text[] stable security definer set search_path = public, pg_temp language sql as $$
  select array(select follower from feed_followers where workspace_id = p_workspace)
$$;

-- At most p_limit workspaces with events that a follower has not read. What else a tracked list waits for is in waiting_list_tracking. No transaction
-- lasts an hour, so what comes after a position has no older id, and earlier partitions are not read. Without the inner limit a semi-join would read all events.
create or replace function waiting_followers(p_limit int) returns setof uuid stable security definer set search_path = public, pg_temp
  language sql as $$
  select distinct f.workspace_id from feed_followers f cross join lateral (select from outbox o where o.workspace_id = f.workspace_id
    and (o.xid, o.id) > (f.xid, f.event_id) and o.xid < pg_snapshot_xmin(pg_current_snapshot())
    and o.id >= coalesce(id_at(uuid_extract_timestamp(f.event_id) - interval '1 hour'), f.event_id) limit 1) waiting limit p_limit
$$;

-- An event as followers read it, with what its change has changed.
create or replace function fed_event(o outbox) returns jsonb stable language sql as $$
  select jsonb_build_object('id', o.id, 'xid', o.xid, 'type', o.type, 'entity', o.entity, 'entity_id', o.entity_id, 'at', iso(o.at), 'payload', o.payload,
      'changes', c.fields, 'version', c.version, 'skip_automations', o.skip_automations, 'request_id', o.request_id, 'key_id', o.key_id, 'user_id', o.user_id,
      'cause_type', o.cause_type, 'cause_id', o.cause_id, 'depth', o.depth)
    from (select) one left join lateral (select h.fields, h.version from changes h where h.workspace_id = o.workspace_id and h.id = o.id limit 1) c on true
$$;

/*
  The next p_most events of a follower; null if the workspace has none of this name. `from` and `to` are positions, `count` is the number of events read, and
  `events` has those of the given types (null: all) with the fields that they changed. What is in a mailbox of a member starts nothing, and is sent nowhere.
*/
create or replace function read_feed(p_workspace uuid, p_follower text, p_types text[], p_most int)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  place feed_followers;
begin
  select * into place from feed_followers where workspace_id = p_workspace and follower = p_follower;
  if place is null then return null; end if;
  return (
    with fed as materialized (
      select o.* from outbox o where o.workspace_id = p_workspace and (o.xid, o.id) > (place.xid, place.event_id)
        and o.xid < pg_snapshot_xmin(pg_current_snapshot()) order by o.xid, o.id limit p_most
    )
    select jsonb_build_object(
      'from', jsonb_build_object('xid', place.xid, 'id', place.event_id),
      'to', (select jsonb_build_object('xid', xid, 'id', id) from fed order by fed.xid desc, fed.id desc limit 1),
      'count', (select count(*) from fed),
      'events', (select coalesce(jsonb_agg(fed_event(f::outbox) order by f.xid, f.id), '[]') from fed f
        where f.private_to is null and (p_types is null or f.type = any (p_types)))));
end $$;

-- Moves a follower on, in the transaction of what it has done about the events; raises CONFLICT if another delivery has done so.
create or replace function move_follower(p_workspace uuid, p_follower text, p_from jsonb, p_to jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p_to is null then return; end if;
  update feed_followers set xid = (p_to ->> 'xid')::xid8, event_id = (p_to ->> 'id')::uuid
    where workspace_id = p_workspace and follower = p_follower and xid = (p_from ->> 'xid')::xid8 and event_id = (p_from ->> 'id')::uuid;
  if not found then perform fail('CONFLICT', 'Another delivery has processed these events', '{"follower": "moved"}'); end if;
end $$;

create or replace function unfollow_feed(p_workspace uuid, p_follower text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  delete from feed_followers where workspace_id = p_workspace and follower = p_follower
$$;

revoke execute on function follow_feed, followers_of, waiting_followers, read_feed, move_follower, unfollow_feed from public, app;
grant execute on function followers_of, waiting_followers, read_feed, move_follower, unfollow_feed to jobs;
