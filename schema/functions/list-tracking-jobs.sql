-- What the background calls for lists that track their membership: see list-tracking.sql.

/*
  What is to be evaluated next: at most p_most events of the feed, and members of static lists. Null without a tracked live list. `lists`
  are the tracked ones and those that their filters name. A reference of an event is the id of a related record, before or after the change,
  by field.
*/
create or replace function list_tracking_batch(p_workspace uuid, p_most int, p_depth int, p_most_lists int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  work feed_followers;
  span record;
  ids uuid[];
  batch jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into work from feed_followers where workspace_id = p_workspace and follower = 'lists';
  if work is null then return null; end if;
  update tracked_lists set walk_from = '00000000-0000-0000-0000-000000000000', walk_at = null
    where workspace_id = p_workspace and walk_from is null and walk_at <= now();
  -- A walk whose message is lost goes on by its wake.
  if found then perform wake_list_tracking(); end if;
  span := feed_span(work);
  ids := array(select list_id from tracked_lists where workspace_id = p_workspace);
  if ids = '{}' then
    perform pg_advisory_xact_lock(hashtext('tracked_lists'), hashtext(p_workspace::text));
    if not exists (select from tracked_lists where workspace_id = p_workspace) then perform unfollow_feed(p_workspace, 'lists'); end if;
    delete from list_touches where workspace_id = p_workspace;
    return null;
  end if;
  with fed as materialized (
    select o.*, jsonb_strip_nulls(jsonb_build_object('request_id', o.request_id, 'key_id', o.key_id, 'user_id', o.user_id,
      'cause_type', o.cause_type, 'cause_id', o.cause_id, 'depth', o.depth, 'skip_automations', o.skip_automations))::text as origin
    from outbox o where o.workspace_id = p_workspace and (o.xid, o.id) > (span.from_xid, span.from_id)
      and o.xid <= span.last and o.xid < span.below order by o.xid, o.id limit p_most
  ), named as (
    select f.xid, f.id, f.type, f.entity, f.entity_id, f.origin, c.fields from fed f
      left join lateral (select h.fields from changes h where h.workspace_id = p_workspace and h.id = f.id limit 1) c on true
      where f.entity = any ('{contact,company,opportunity,activity,task,employer,follower,opportunity_contact}')
        or f.type = 'list.updated' and c.fields ?| '{filter,search}' or f.type = 'workspace.updated' and c.fields ? 'timezone'
  )
  select jsonb_build_object(
    'from', jsonb_build_object('xid', work.xid, 'id', work.event_id, 'below', span.below),
    'to', (select jsonb_build_object('xid', xid, 'id', id) from fed order by fed.xid desc, fed.id desc limit 1),
    'count', (select count(*) from fed),
    'events', (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'entity', entity, 'entity_id', entity_id, 'origin', origin,
      'references', (select coalesce(jsonb_agg(distinct jsonb_build_array(k, v)), '[]') from jsonb_each(fields) f(k, change),
        jsonb_each(change) e(side, sent),
          jsonb_array_elements_text(case jsonb_typeof(sent) when 'array' then sent else jsonb_build_array(sent) end) v
        where k = any ('{customer_id,parent_company_id,contact_id,contact_ids,deal_id,opportunity_id}') and v is not null))
      order by xid, id), '[]') from named),
    'touches', (select coalesce(jsonb_agg(to_jsonb(t) - 'workspace_id'), '[]') from (select * from list_touches
      where workspace_id = p_workspace order by id limit p_most) t),
    'zone', (select w.timezone from workspaces w where w.id = p_workspace),
    'lists', (select jsonb_agg(to_jsonb(l)) from named_lists(ids, p_depth, p_most_lists) l),
    'tracked', (select jsonb_agg(jsonb_build_object('id', list_id, 'walk_from', walk_from)) from tracked_lists
      where workspace_id = p_workspace)
  ) into batch;
  return batch;
end $$;

-- Locks a tracked list until the end of the transaction, so that what is evaluated afterwards is not older than what another has stored.
create or replace function lock_tracked_list(p_workspace uuid, p_list uuid)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from tracked_lists where workspace_id = p_workspace and list_id = p_list for update;
  return found;
end $$;

-- Ends tracking with an error that the list shows.
create or replace function stop_list_tracking(p_workspace uuid, p_list uuid, p_error text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update lists set tracks_membership = false, tracking_error = p_error
    where workspace_id = p_workspace and id = p_list and tracks_membership;
end $$;

/*
  Stores which of the evaluated records are members of a tracked list, and writes the events of those that were not before, or are no
  longer, in the order of the records. With more than p_most members, tracking ends. p_origins: for each record the origin of its change.
*/
create or replace function save_list_members(p_list uuid, p_records uuid[], p_members uuid[], p_origins text[], p_most int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  tracked tracked_lists;
  kind_of_records text;
  entering uuid[];
  leaving uuid[];
begin
  select * into tracked from tracked_lists where workspace_id = w and list_id = p_list;
  if tracked is null then return; end if;
  entering := array(select r from unnest(p_members) r except
    select t.record_id from tracked_members t where t.workspace_id = w and t.list_id = p_list and t.record_id = any (p_members));
  leaving := array(select t.record_id from tracked_members t
    where t.workspace_id = w and t.list_id = p_list and t.record_id = any (p_records)
    except select unnest(p_members));
  if entering = '{}' and leaving = '{}' then return; end if;
  if tracked.members + cardinality(entering) - cardinality(leaving) > p_most then
    perform stop_list_tracking(w, p_list, format('The list has more than %s members', p_most));
    return;
  end if;
  insert into tracked_members (workspace_id, list_id, record_id) select w, p_list, unnest(entering);
  delete from tracked_members where workspace_id = w and list_id = p_list and record_id = any (leaving);
  update tracked_lists set members = members + cardinality(entering) - cardinality(leaving) where workspace_id = w and list_id = p_list;
  if not tracked.is_ready then return; end if;
  select l.object into kind_of_records from lists l where l.workspace_id = w and l.id = p_list;
  perform emit_membership(p_list, kind_of_records, case when r.id = any (leaving) then 'list.left' else 'list.entered' end, r.id, r.origin)
    from unnest(p_records, p_origins) with ordinality r(id, origin, n) where r.id = any (entering || leaving) order by r.n;
end $$;

/*
  The same for the part of a walk from p_from: the records up to p_to, or with p_to null all others. At the end of the walk the next one is
  due in p_minutes (null: none), and the first members of a list are known.
*/
create or replace function save_list_walk(p_list uuid, p_from uuid, p_to uuid, p_records uuid[], p_members uuid[],
  p_most int, p_minutes int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  tracked tracked_lists;
  walked uuid[];
begin
  select * into tracked from tracked_lists where workspace_id = w and list_id = p_list;
  -- Another delivery of the message has done this part.
  if tracked is null or tracked.walk_from is distinct from p_from then return; end if;
  -- Deleted members are in this part, too.
  walked := array(select unnest(p_records) union select t.record_id from tracked_members t where t.workspace_id = w and t.list_id = p_list
    and t.record_id > p_from and (p_to is null or t.record_id <= p_to) order by 1);
  perform save_list_members(p_list, walked, p_members, array_fill(tracked.walk_origin, array[cardinality(walked)]), p_most);
  if p_to is not null then
    update tracked_lists set walk_from = p_to where workspace_id = w and list_id = p_list;
    return;
  end if;
  update tracked_lists set is_ready = true, walk_from = null, walk_origin = case when walk_at <= now() then walk_origin end,
      walk_at = least(walk_at, now() + make_interval(mins => p_minutes))
    where workspace_id = w and list_id = p_list;
  update lists set tracked_since = now() where workspace_id = w and id = p_list and tracks_membership and tracked_since is null;
end $$;

-- Begins to evaluate all records of a list, because of a change with this origin; after a walk that is under way, again.
create or replace function begin_list_walk(p_list uuid, p_origin text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  select wake_list_tracking();
  update tracked_lists set walk_origin = p_origin, walk_at = case when walk_from is null then walk_at else now() end,
      walk_from = coalesce(walk_from, '00000000-0000-0000-0000-000000000000')
    where workspace_id = (select current_workspace()) and list_id = p_list
$$;

/*
  Moves on to the last event of the batch, unless another delivery has done so, and deletes the notes that were evaluated, and the wakes if
  nothing else is left to do.
*/
create or replace function end_list_tracking_batch(p_workspace uuid, p_from jsonb, p_to jsonb, p_touches uuid[])
  returns void security definer set search_path = public, pg_temp language sql as $$
  update feed_followers set xid = (p_to ->> 'xid')::xid8, event_id = (p_to ->> 'id')::uuid
    where p_to is not null and workspace_id = p_workspace and follower = 'lists' and xid = (p_from ->> 'xid')::xid8
    and event_id = (p_from ->> 'id')::uuid;
  delete from list_touches where workspace_id = p_workspace and id = any (p_touches);
  select forget_wakes(p_workspace, 'lists', (p_from ->> 'below')::xid8)
    where not exists (select from list_touches where workspace_id = p_workspace)
    and not exists (select from tracked_lists where workspace_id = p_workspace and walk_from is not null)
    and not exists (select from feed_followers f cross join lateral feed_span(f) s join outbox o on o.workspace_id = p_workspace
      and (o.xid, o.id) > (s.from_xid, s.from_id) and o.xid <= s.last and o.xid < s.below
      where f.workspace_id = p_workspace and f.follower = 'lists')
$$;

revoke execute on function list_tracking_batch, lock_tracked_list, stop_list_tracking, save_list_members, save_list_walk,
  begin_list_walk, end_list_tracking_batch from public, app;
grant execute on function list_tracking_batch, lock_tracked_list, stop_list_tracking, save_list_members, save_list_walk,
  begin_list_walk, end_list_tracking_batch to jobs;
