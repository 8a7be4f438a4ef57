/*
  What reads a workspace's feed in the background: tracked lists, automations and webhooks. Each has a row with the last event that it has
  processed, only while something in the workspace depends on events. Events are read in the order of their position, below the oldest open
  transaction, so that none is missed. A follower moves on in the transaction of what it has done about the events, so that each counts
  once.

  feed_interests has the types of events for which a follower is to be woken. Whoever writes such an event adds a row to feed_wakes, once in
  a transaction, and the request then sends a message. An event that nobody wants costs nothing, and the follower passes over it: it reads
  from the first position of its wakes to the last. It deletes those that it has read beyond. The tick finds the others, so a lost message
  costs a minute.
*/

-- Follows the feed of this workspace from now on.
create or replace function follow_feed(p_follower text) returns void security definer set search_path = public, pg_temp language sql as $$
  insert into feed_followers (workspace_id, follower, xid, event_id)
    values (current_workspace(), p_follower, pg_snapshot_xmin(pg_current_snapshot()), '00000000-0000-0000-0000-000000000000')
    on conflict do nothing
$$;

create or replace function follows_feed(p_follower text) returns boolean stable language sql as $$
  select exists (select from feed_followers where workspace_id = (select current_workspace()) and follower = p_follower)
$$;

-- The feed has something for a follower from one position to another (null: wherever transactions write that are open now), or it has
-- something else to do.
create or replace function wake_follower(p_workspace uuid, p_follower text, p_since xid8, p_until xid8)
  returns uuid security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  added uuid;
begin
  insert into feed_wakes (workspace_id, follower, since, until, settles) values (p_workspace, p_follower, p_since, p_until,
    case when p_until is null then greatest(pg_snapshot_xmax(pg_current_snapshot()), pg_current_xact_id()) end) returning id into added;
  perform mark_for_delivery(true);
  return added;
end $$;

/*
  From now on a follower is interested in events of these types. A transaction that is open now may already have written some, without
  knowing of the interest: the follower reads everything from what it has processed until these have ended.
*/
create or replace function note_interest(p_follower text, p_types text[]) returns void security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  if p_types = '{}' then
    delete from feed_interests where workspace_id = w and follower = p_follower;
  else
    insert into feed_interests (workspace_id, follower, types) values (w, p_follower, p_types)
      on conflict (workspace_id, follower) do update set types = excluded.types where feed_interests.types is distinct from excluded.types;
  end if;
  if not found then return; end if;
  perform set_config('app.interests', '', true), wake_follower(w, p_follower, (processed_position(p_follower)).xid, null);
end $$;

/*
  Wakes the followers that are interested in an event. What they are interested in is read once in a transaction, with the first event of
  the workspace. Only tracked lists look at what is in a mailbox of a member; they name kinds of records.
*/
create or replace function wake_followers() returns trigger set search_path = public, pg_temp language plpgsql as $$
declare
  known text := current_setting('app.interests', true);
  woken jsonb := coalesce(nullif(current_setting('app.woken', true), ''), '{}')::jsonb;
  wake jsonb;
  name text;
begin
  if known is null or not starts_with(known, new.workspace_id::text) then
    known := new.workspace_id || coalesce((select jsonb_object_agg(i.follower, i.types)::text from feed_interests i
      where i.workspace_id = new.workspace_id), '');
    perform set_config('app.interests', known, true);
  end if;
  if length(known) = 36 then return new; end if;
  for name in select key from jsonb_each(substr(known, 37)::jsonb)
    where case when key = 'lists' then value ?| array[new.entity || '.*', new.type]
    else new.private_to is null and value ?| array[new.type, split_part(new.type, '.', 1) || '.*', '*'] end
  loop
    wake := woken -> (name || new.workspace_id);
    continue when (wake ->> 'until')::xid8 >= new.xid;
    if wake is null then
      wake := jsonb_build_object('id', wake_follower(new.workspace_id, name, new.xid, new.xid));
    else
      update feed_wakes set until = new.xid where workspace_id = new.workspace_id and follower = name and id = (wake ->> 'id')::uuid;
    end if;
    woken := woken || jsonb_build_object(name || new.workspace_id, wake || jsonb_build_object('until', new.xid));
    perform set_config('app.woken', woken::text, true);
  end loop;
  return new;
end $$;
create or replace trigger wake_followers before insert on outbox for each row execute function wake_followers();

-- The followers of a workspace that have something to do, or no interest any more. A wake whose follower has left is deleted.
create or replace function followers_of(p_workspace uuid)
  returns text[] security definer set search_path = public, pg_temp language plpgsql as $$
declare
  found_followers text[];
begin
  found_followers := array(select f.follower from feed_followers f where f.workspace_id = p_workspace and (
    exists (select from feed_wakes w where w.workspace_id = p_workspace and w.follower = f.follower)
    or not exists (select from feed_interests i where i.workspace_id = p_workspace and i.follower = f.follower)
    or case f.follower when 'automations' then has_due_runs(p_workspace) or has_list_enrolments(p_workspace)
      when 'lists' then exists (select from tracked_lists l
        where l.workspace_id = p_workspace and (l.walk_from is not null or l.walk_at <= now()))
      else exists (select from webhook_states s
        where s.workspace_id = p_workspace and (s.replay_id is not null or s.due_at <= now())) end));
  if found_followers = '{}' then
    delete from feed_wakes w where w.workspace_id = p_workspace
      and not exists (select from feed_followers f where f.workspace_id = p_workspace and f.follower = w.follower);
  end if;
  return found_followers;
end $$;

-- An event as followers read it, with what its change has changed.
create or replace function fed_event(o outbox) returns jsonb stable language sql as $$
  select jsonb_build_object('id', o.id, 'xid', o.xid, 'type', o.type, 'entity', o.entity, 'entity_id', o.entity_id,
      'at', iso(o.at), 'payload', o.payload,
      'changes', c.fields, 'version', c.version, 'skip_automations', o.skip_automations, 'request_id', o.request_id,
        'key_id', o.key_id, 'user_id', o.user_id,
      'cause_type', o.cause_type, 'cause_id', o.cause_id, 'depth', o.depth)
    from (select) one left join lateral (select h.fields, h.version from changes h
      where h.workspace_id = o.workspace_id and h.id = o.id limit 1) c on true
$$;

/*
  The positions between which a follower reads on: behind the last event that it has processed, and not before the first of its wakes.
  `below`: no event will be added before this position. Null if it has no wakes.
*/
create or replace function feed_span(place feed_followers, out from_xid xid8, out from_id uuid, out last xid8, out below xid8)
  stable language plpgsql as $$
begin
  below := pg_snapshot_xmin(pg_current_snapshot());
  select min(w.since), case when bool_or(w.until is null) then below else max(w.until) end into from_xid, last from feed_wakes w
    where w.workspace_id = place.workspace_id and w.follower = place.follower;
  from_id := '00000000-0000-0000-0000-000000000000';
  if from_xid <= place.xid then
    from_xid := place.xid;
    from_id := place.event_id;
  end if;
end $$;

/*
  The next p_most events of a follower; null if the workspace has none of this name. `from` and `to` are positions, `count` is the number of
  events read, and `events` has those of the given types (null: all) with the fields that they changed. What is in a mailbox of a member
  starts nothing, and is sent nowhere.
*/
create or replace function read_feed(p_workspace uuid, p_follower text, p_types text[], p_most int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  place feed_followers;
  span record;
  fed jsonb;
begin
  select * into place from feed_followers where workspace_id = p_workspace and follower = p_follower;
  if place is null then return null; end if;
  span := feed_span(place);
  with fed as materialized (
    select o.* from outbox o where o.workspace_id = p_workspace and (o.xid, o.id) > (span.from_xid, span.from_id)
      and o.xid <= span.last and o.xid < span.below order by o.xid, o.id limit p_most
  )
  select jsonb_build_object(
    'from', jsonb_build_object('xid', place.xid, 'id', place.event_id)
      || case when (select count(*) from fed) < p_most then jsonb_build_object('below', span.below) else '{}' end,
    'to', (select jsonb_build_object('xid', xid, 'id', id) from fed order by fed.xid desc, fed.id desc limit 1),
    'count', (select count(*) from fed),
    'events', (select coalesce(jsonb_agg(fed_event(f::outbox) order by f.xid, f.id), '[]') from fed f
      where f.private_to is null and (p_types is null or f.type = any (p_types)))) into fed;
  if fed -> 'to' = 'null' then perform forget_wakes(p_workspace, p_follower, span.below); end if;
  return fed;
end $$;

/*
  Deletes the wakes of a follower that has read all events before a position. When the transactions have ended for which one has waited, all
  that they have written is before the latest position.
*/
create or replace function forget_wakes(p_workspace uuid, p_follower text, p_below xid8)
  returns void security definer set search_path = public, pg_temp
  language sql as $$
  delete from feed_wakes where workspace_id = p_workspace and follower = p_follower and until < p_below;
  update feed_wakes set until = pg_snapshot_xmax(pg_current_snapshot())
    where workspace_id = p_workspace and follower = p_follower and until is null
    and settles < p_below
$$;

-- Moves a follower on, in the transaction of what it has done about the events; raises CONFLICT if another delivery has done so.
create or replace function move_follower(p_workspace uuid, p_follower text, p_from jsonb, p_to jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p_to is null then return; end if;
  update feed_followers set xid = (p_to ->> 'xid')::xid8, event_id = (p_to ->> 'id')::uuid
    where workspace_id = p_workspace and follower = p_follower and xid = (p_from ->> 'xid')::xid8 and event_id = (p_from ->> 'id')::uuid;
  if not found then perform fail('CONFLICT', 'Another delivery has processed these events', '{"follower": "moved"}'); end if;
  perform forget_wakes(p_workspace, p_follower, coalesce((p_from ->> 'below')::xid8, (p_to ->> 'xid')::xid8));
end $$;

-- The position before which a follower of this workspace has processed every event that it has been woken for.
create or replace function processed_position(p_follower text, out xid xid8, out event_id uuid) stable
  security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  place feed_followers;
  span record;
begin
  select * into place from feed_followers f where f.workspace_id = (select current_workspace()) and f.follower = p_follower;
  span := feed_span(place);
  xid := least(span.from_xid, span.below);
  event_id := span.from_id;
  if span.from_xid is null or span.from_xid > span.below then event_id := '00000000-0000-0000-0000-000000000000'; end if;
end $$;

create or replace function unfollow_feed(p_workspace uuid, p_follower text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  delete from feed_followers where workspace_id = p_workspace and follower = p_follower;
  delete from feed_interests where workspace_id = p_workspace and follower = p_follower;
  delete from feed_wakes where workspace_id = p_workspace and follower = p_follower
$$;

revoke execute on function follow_feed, wake_follower, note_interest, wake_followers, followers_of, feed_span,
  read_feed, forget_wakes, move_follower, processed_position, unfollow_feed from public, app;
grant execute on function followers_of, read_feed, move_follower, unfollow_feed to jobs;
