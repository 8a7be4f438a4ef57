/*
  The contacts of an activity: contact_id is the main one, and activity_contacts has the others. activities.contact_ids lists them all, so
  that every change of them is in the history, the events and the version of the activity, on every path.
*/
create or replace function contacts_of_activity(p_workspace uuid, p_activity uuid, p_main uuid) returns uuid[] stable language sql
  return array_remove(array[p_main], null) || array(select l.contact_id from activity_contacts l where l.workspace_id = p_workspace
    and l.activity_id = p_activity and l.contact_id is distinct from p_main order by l.rank, l.id);

-- A new main contact changes the list, unless the statement sets the list itself. A restore sets that of the time of the deletion.
create or replace function list_contacts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.contact_ids = '{}' then new.contact_ids := array_remove(array[new.contact_id], null); end if;
  elsif new.contact_id is distinct from old.contact_id and (new.contact_ids = old.contact_ids or current_cause_type() = 'restore') then
    new.contact_ids := contacts_of_activity(new.workspace_id, new.id, new.contact_id);
  end if;
  return new;
end $$;
create or replace trigger list_contacts before insert or update of contact_id on activities for each row execute function list_contacts();

create or replace function settle_contacts(p_workspace uuid, p_ids uuid[])
  returns void language sql security definer set search_path = public, pg_temp as $$
  update activities a set contact_ids = contacts_of_activity(a.workspace_id, a.id, a.contact_id)
    where a.workspace_id = p_workspace and a.id = any (p_ids)
      and a.contact_ids <> contacts_of_activity(a.workspace_id, a.id, a.contact_id)
$$;

-- Lists the contacts of the activities whose further contacts have changed.
create or replace function settle_activity_contacts()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform settle_contacts(r.workspace_id, array_agg(distinct r.activity_id)) from rows r group by r.workspace_id;
  return null;
end $$;
create or replace trigger settle_insert after insert on activity_contacts referencing new table as rows for each statement
  execute function settle_activity_contacts();
create or replace trigger settle_update after update on activity_contacts referencing new table as rows for each statement
  execute function settle_activity_contacts();
create or replace trigger settle_delete after delete on activity_contacts referencing old table as rows for each statement
  execute function settle_activity_contacts();

-- Stores the further contacts of activities in place of those that they have. p_links: id, activity_id, contact_id, rank.
create or replace function set_activity_contacts(p_activities uuid[], p_links jsonb) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  with links as materialized (select r.* from jsonb_populate_recordset(null::activity_contacts, p_links) r), gone as (
    delete from activity_contacts c where c.workspace_id = w and c.activity_id = any (p_activities)
      and not exists (select from links l where l.activity_id = c.activity_id and l.contact_id = c.contact_id)
  ) insert into activity_contacts (workspace_id, id, activity_id, contact_id, rank, occurred_at)
    select w, l.id, l.activity_id, l.contact_id, l.rank, a.occurred_at from links l
      join activities a on a.workspace_id = w and a.id = l.activity_id where a.id = any (p_activities)
    on conflict (workspace_id, contact_id, activity_id) do update set rank = excluded.rank where activity_contacts.rank <> excluded.rank;
end $$;

-- The time of the activity is copied to these rows, so that an index lists a contact's activities in their order.
create or replace function take_occurred_at() returns trigger language plpgsql as $$
begin
  new.occurred_at := coalesce((select a.occurred_at from activities a where a.workspace_id = new.workspace_id and a.id = new.activity_id),
    new.occurred_at, now());
  return new;
end $$;
create or replace trigger take_occurred_at before insert on activity_contacts for each row execute function take_occurred_at();

create or replace function pass_occurred_at() returns trigger language plpgsql as $$
begin
  update activity_contacts set occurred_at = new.occurred_at where workspace_id = new.workspace_id and activity_id = new.id;
  return null;
end $$;
create or replace trigger pass_occurred_at after update of occurred_at on activities for each row
  when (new.occurred_at <> old.occurred_at) execute function pass_occurred_at();

-- Deletes an activity together with the last record that it is linked to. `tg_argv[0]` is the link's column. The rows are locked first,
-- because two records that share an activity may be deleted concurrently. One plan suits all records, and most have no activity.
create or replace function delete_linked_activities() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  linked uuid[];
begin
  if tg_argv[0] = 'contact_id' then
    -- A contact may be one of several.
    linked := array(select c.id from activities c where c.workspace_id = old.workspace_id and c.contact_id = old.id
      union all select l.activity_id from activity_contacts l where l.workspace_id = old.workspace_id and l.contact_id = old.id);
    if linked = '{}' then return old; end if;
    linked := array(select a.id from activities a where a.workspace_id = old.workspace_id and a.id = any (linked) order by a.id for update);
    delete from activities a where a.workspace_id = old.workspace_id and a.id = any (linked)
      and num_nonnulls(a.customer_id, a.deal_id) = 0 and a.contact_ids = array[old.id];
    return old;
  elsif tg_argv[0] = 'customer_id' then
    linked := array(select a.id from activities a where a.workspace_id = old.workspace_id and a.customer_id = old.id
      order by a.id for update);
  else
    linked := array(select a.id from activities a where a.workspace_id = old.workspace_id and a.deal_id = old.id order by a.id for update);
  end if;
  if linked <> '{}' then
    delete from activities a where a.workspace_id = old.workspace_id and a.id = any (linked)
      and num_nonnulls(a.customer_id, a.deal_id) = 1 and a.contact_ids = '{}';
  end if;
  return old;
end $$;
create or replace trigger take_activities before delete on contacts for each row execute function delete_linked_activities('contact_id');
create or replace trigger take_activities before delete on companies for each row execute function delete_linked_activities('customer_id');
create or replace trigger take_activities before delete on opportunities for each row execute function delete_linked_activities('deal_id');

revoke execute on function settle_contacts, settle_activity_contacts from public;
