/*
  The events list.entered and list.left of lists that track their membership. A static list writes them with its member rows. The filters of
  live lists are evaluated in the background (src/features/lists/plans/tracking.ts) for the records that the events of the feed name: those
  after the cursor in feed_followers, and below the oldest open transaction. tracked_members has the members that events have announced, so
  whatever is evaluated twice changes nothing. A walk evaluates all records: for the first members, which are no news, after a change of the
  filter, and again and again for a filter that depends on the time.
*/

-- What a membership event takes from this transaction, if that has led to it, as JSON; list_tracking_batch takes the same from an event.
create or replace function current_origin() returns text stable language sql as $$
  select jsonb_strip_nulls(jsonb_build_object('request_id', current_request_id(), 'key_id', current_key_id(), 'user_id', current_user_id(),
    'cause_type', current_cause_type(), 'cause_id', current_cause_id(), 'depth', current_cause_depth(),
      'skip_automations', skips_automations()))::text
$$;

create or replace function emit_membership(p_list uuid, p_object text, p_type text, p_record uuid, p_origin text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into outbox (workspace_id, type, entity, entity_id, payload, skip_automations, request_id, key_id, user_id,
    cause_type, cause_id, depth)
    select current_workspace(), p_type, 'list', p_list, jsonb_build_object('object', p_object, 'record_id', p_record),
      coalesce(o.skip_automations, false), o.request_id, o.key_id, o.user_id, o.cause_type, o.cause_id, coalesce(o.depth, 0)
    from jsonb_to_record(coalesce(p_origin, '{}')::jsonb) o(request_id text, key_id uuid, user_id uuid, cause_type text, cause_id uuid,
      depth smallint, skip_automations boolean)
$$;

-- A list that begins to track has no first members yet; those of a static list are its rows.
create or replace function begin_list_tracking() returns trigger language plpgsql as $$
begin
  if not new.tracks_membership then
    new.tracked_since := null;
  elsif tg_op = 'INSERT' or not old.tracks_membership then
    new.tracking_error := null;
    new.tracked_since := case new.kind when 'static' then now() end;
  end if;
  return new;
end $$;
create or replace trigger begin_list_tracking before insert or update of tracks_membership on lists for each row
  execute function begin_list_tracking();

-- Something is to be evaluated that no event has announced.
create or replace function wake_list_tracking() returns void security definer set search_path = public, pg_temp language sql as $$
  select wake_follower(current_workspace(), 'lists', pg_current_xact_id(), pg_current_xact_id()) where follows_feed('lists')
$$;

-- The kinds of records, and the types of events, that change who is in a live list: list_tracking_batch looks at these.
create or replace function list_event_types() returns text[] immutable language sql
  return '{contact.*,company.*,opportunity.*,activity.*,task.*,employer.*,follower.*,opportunity_contact.*,list.updated,'
    'workspace.updated}'::text[];

-- Queues the first walk of a live list that begins to track, from the end of the feed on; and bounds the number of tracked lists.
create or replace function queue_list_tracking() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not new.tracks_membership then
    delete from tracked_lists where workspace_id = new.workspace_id and list_id = new.id;
    perform wake_list_tracking();
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('tracked_lists'), hashtext(new.workspace_id::text));
  if (select count(*) from lists where workspace_id = new.workspace_id and tracks_membership) > max_tracked_lists() then
    perform fail_field('tracks_membership', format('At most %s lists of a workspace track their membership', max_tracked_lists()));
  end if;
  if new.kind = 'live' then
    perform follow_feed('lists'), note_interest('lists', list_event_types()), wake_list_tracking();
    insert into tracked_lists (workspace_id, list_id, walk_from) values (new.workspace_id, new.id, '00000000-0000-0000-0000-000000000000');
  end if;
  return null;
end $$;
create or replace trigger queue_list_tracking_insert after insert on lists for each row when (new.tracks_membership)
  execute function queue_list_tracking();
create or replace trigger queue_list_tracking_update after update of tracks_membership on lists for each row
  when (new.tracks_membership <> old.tracks_membership) execute function queue_list_tracking();

-- The records of member rows enter or leave their lists, but not with a list that is deleted or restored as a whole. Records of lists that
-- the filters of tracked lists may name are noted.
create or replace function track_member_rows(p_rows jsonb, p_type text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  perform emit_membership(l.id, l.object, p_type, coalesce(m.contact_id, m.customer_id, m.opportunity_id), current_origin())
    from jsonb_populate_recordset(null::list_members, p_rows) m join lists l on l.workspace_id = w and l.id = m.list_id
    where l.tracks_membership and not (p_type = 'list.entered' and changed_in_request('list', l.id, 'created')) order by m.id;
  if follows_feed('lists') then
    insert into list_touches (workspace_id, object, record_id, origin)
      select w, case when m.contact_id is not null then 'contacts' when m.customer_id is not null then 'companies' else 'opportunities' end,
        coalesce(m.contact_id, m.customer_id, m.opportunity_id), current_origin()
          from jsonb_populate_recordset(null::list_members, p_rows) m;
    perform wake_list_tracking();
  end if;
end $$;

create or replace function track_members_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    perform track_member_rows(o.found, 'list.left') from (select jsonb_agg(to_jsonb(r)) as found from old_rows r) o
      where o.found is not null;
  end if;
  if tg_op <> 'DELETE' then
    perform track_member_rows(n.found, 'list.entered') from (select jsonb_agg(to_jsonb(r)) as found from new_rows r) n
      where n.found is not null;
  end if;
  return null;
end $$;
create or replace trigger track_insert after insert on list_members referencing new table as new_rows for each statement
  execute function track_members_change();
create or replace trigger track_update after update on list_members
  referencing old table as old_rows new table as new_rows for each statement
  execute function track_members_change();
create or replace trigger track_delete after delete on list_members referencing old table as old_rows for each statement
  execute function track_members_change();

revoke execute on function emit_membership, wake_list_tracking, queue_list_tracking, track_member_rows, track_members_change
  from public, app;
