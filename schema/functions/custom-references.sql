/*
  Custom fields whose values are ids of other records (custom_target_table has their types). Such a field is always indexed, so
  custom_values has what refers to a record. A deleted record is removed from the values, and comes back with its restore; a merge gives the
  values the winner's id.
*/

create or replace function custom_target_exists(p_workspace uuid, p_type text, p_id uuid) returns boolean stable language plpgsql as $$
begin
  return case p_type
    when 'member' then exists (select from memberships where workspace_id = p_workspace and user_id = p_id and status <> 'removed')
    when 'contact' then exists (select from contacts where workspace_id = p_workspace and id = p_id)
    when 'company' then exists (select from companies where workspace_id = p_workspace and id = p_id)
    when 'opportunity' then exists (select from opportunities where workspace_id = p_workspace and id = p_id) end;
end $$;

-- Locks the records that new values refer to against deletion, as a foreign key does. One that was deleted since its check makes the
-- request start again.
create or replace function lock_custom_targets(p_added custom_values[]) returns void language plpgsql as $$
declare
  t record;
  found_rows int;
begin
  for t in select f.workspace_id, f.type, array_agg(distinct a.text::uuid) as ids from unnest(p_added) a
      join custom_fields f on f.workspace_id = a.workspace_id and f.id = a.field_id
      where custom_target_table(f.type) is not null group by 1, 2 order by 2
  loop
    execute format('select count(*) from (select from %I where workspace_id = $1 and %I = any ($2) order by %2$I for key share) locked',
      custom_target_table(t.type), case t.type when 'member' then 'user_id' else 'id' end) into found_rows using t.workspace_id, t.ids;
    if found_rows < cardinality(t.ids) then raise exception using errcode = '40001', message = 'a record was deleted meanwhile'; end if;
  end loop;
end $$;

-- Removes deleted records from the values of these fields that refer to them, at most about p_limit, and keeps each for a restore. Returns
-- how many.
create or replace function clear_custom_values(p_workspace uuid, p_type text, p_ids uuid[], p_limit int)
  returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  f custom_fields;
  cleared int;
  n int := 0;
begin
  for f in select c.* from custom_fields c where c.type = p_type and c.workspace_id = p_workspace order by c.object, c.id loop
    exit when n >= p_limit;
    execute format($q$
      with locked as materialized (
        select r.id, r.metadata -> $4 as target from %1$I r where r.workspace_id = $1 and r.id = any (array(
          select v.record_id from custom_values v
            where v.workspace_id = $1 and v.field_id = $2 and v.number = 0 and v.text = any ($3) limit $6))
        order by r.id for update
      ), kept as (
        insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
          select $1, current_request_id(), %1$L, l.id, 'unlinked', false, jsonb_build_object('custom', jsonb_build_object($4, l.target))
            from locked l where $5
      )
      update %1$I r set metadata = r.metadata - $4 from locked l where r.workspace_id = $1 and r.id = l.id $q$, plural_of(f.object))
      using f.workspace_id, f.id, p_ids::text[], f.field_key, keeps_deleted_rows(), p_limit - n;
    get diagnostics cleared = row_count;
    n := n + cleared;
  end loop;
  return n;
end $$;

-- Removes deleted records from all values that refer to them. tg_argv[0]: the type of the fields.
create or replace function clear_custom_references()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w uuid;
begin
  if not exists (select from old_rows) or not exists (select from custom_fields c where c.type = tg_argv[0]) then return null; end if;
  for w in select distinct workspace_id from old_rows order by 1 loop
    perform clear_custom_values(w, tg_argv[0], array(select o.id from old_rows o where o.workspace_id = w), null);
  end loop;
  return null;
end $$;

-- How many values refer to a record, at most p_most.
create or replace function count_custom_values(p_workspace uuid, p_type text, p_id uuid, p_most int) returns int stable
  security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select count(*)
    from (select from custom_fields f join custom_values v on v.workspace_id = f.workspace_id and v.field_id = f.id and v.number = 0
    and v.text = p_id::text where f.workspace_id = p_workspace and f.type = p_type limit p_most) found
$$;

-- Follows the trigger that writes the history, by name: it may change rows of the same table.
create or replace trigger settle_references after delete on contacts referencing old table as old_rows for each statement
  execute function clear_custom_references('contact');
create or replace trigger settle_references after delete on companies referencing old table as old_rows for each statement
  execute function clear_custom_references('company');
create or replace trigger settle_references after delete on opportunities referencing old table as old_rows for each statement
  execute function clear_custom_references('opportunity');

-- Gives the values back that a deletion removed because they refer to a restored record. Reports the values that are others since then.
-- At most p_limit; returns how many it has looked at.
create or replace function relink_custom_next(p_deletion deleted_rows, p_restored uuid, p_limit int, out n int, out report jsonb)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := p_deletion.workspace_id;
  part jsonb;
  t record;
begin
  n := 0;
  report := '[]';
  for t in select l.table_name, l.key, array_agg(l.id) as ids, array_agg(l.row_id) as rows from (
      select u.table_name, k.key, u.id, u.row_id from deleted_rows u, jsonb_each_text(u.before -> 'custom') k(key, target)
        where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked' and lower(k.target) = p_restored::text
        limit p_limit) l group by 1, 2
  loop
    n := n + cardinality(t.ids);
    execute format($q$
      with judged as materialized (
        select r.id, r.metadata ? $3 as changed from %1$I r where r.workspace_id = $1 and r.id = any ($2) order by r.id for update
      ), linked as (
        update %1$I r set metadata = r.metadata || jsonb_build_object($3, $4) from judged j
          where r.workspace_id = $1 and r.id = j.id and not j.changed
      )
      select jsonb_agg(jsonb_build_object('table', %1$L, 'id', id, 'field', 'metadata.' || $3, 'reason', 'changed'))
        from judged where changed
      $q$, t.table_name) into part using w, t.rows, t.key, p_restored;
    report := report || coalesce(part, '[]');
    delete from deleted_rows where workspace_id = w and id = any (t.ids);
  end loop;
end $$;

-- Removes references to records that are not there from rows that are about to be inserted again (merge_entries), and returns them.
create or replace function fit_custom_references(p_table regclass, p_object text, p_merge uuid, p_actions text[])
  returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with gone as (
    select e.row_id, array_agg(f.field_key) as keys from merge_entries e join custom_fields f
        on f.workspace_id = e.workspace_id and f.object = p_object and custom_target_table(f.type) is not null
          and e.after -> 'metadata' ? f.field_key
      where e.workspace_id = (select current_workspace()) and e.merge_id = p_merge and e.table_name = p_table::text
      and e.action = any (p_actions)
        and custom_value_error(f.type, f.options, e.after -> 'metadata' -> f.field_key) is null
        and not custom_target_exists(e.workspace_id, f.type, (e.after -> 'metadata' ->> f.field_key)::uuid)
      group by 1
  ), cleared as (
    update merge_entries e set after = jsonb_set(e.after, '{metadata}', (e.after -> 'metadata') - g.keys) from gone g
      where e.workspace_id = (select current_workspace()) and e.merge_id = p_merge and e.table_name = p_table::text and e.row_id = g.row_id
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', p_table::text, 'id', row_id, 'field', 'metadata.' || k, 'reason', 'gone')), '[]')
    from gone, unnest(keys) k
$$;

-- Plans that the values which refer to losers get the winner's id. Rows that the merge deletes are left out.
create or replace function plan_custom_references(p_of regclass, p_merge uuid, p_winner uuid, p_losers uuid[])
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  f custom_fields;
begin
  for f in select c.* from custom_fields c where c.workspace_id = w and c.type = entity_of(p_of::text) order by c.object, c.id loop
    execute format($q$
      insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
      select $1, $2, %1$L, r.id, 'adjusted', 0, jsonb_build_object('metadata', r.metadata),
        jsonb_build_object('metadata', coalesce(e.after -> 'metadata', r.metadata) || jsonb_build_object($5, $6))
      from (select * from %1$I r where r.workspace_id = $1 and r.id = any (array(select v.record_id from custom_values v
          where v.workspace_id = $1 and v.field_id = $3 and v.number = 0 and v.text = any ($4))) and r.id <> all ($7)
          order by r.id for update) r
        left join merge_entries e on e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.row_id = r.id
      where e.action is null or e.action not in ('dropped', 'deleted')
      on conflict (workspace_id, merge_id, table_name, row_id) do update
        set before = merge_entries.before || excluded.before, after = merge_entries.after || excluded.after $q$, plural_of(f.object))
      using w, p_merge, f.id, p_losers::text[], f.field_key, p_winner, p_losers || p_winner;
  end loop;
end $$;

-- The keys of a record's metadata that refer to some of these records.
create or replace function custom_keys_of(p_object text, p_metadata jsonb, p_ids uuid[]) returns text[] stable language sql
  return array(select f.field_key from custom_fields f where f.workspace_id = (select current_workspace()) and f.object = p_object
    and custom_target_table(f.type) is not null and lower(p_metadata ->> f.field_key) = any (p_ids::text[]));

-- The records that the custom fields of a record refer to, by key: type, id and name.
create or replace function custom_references(p_object text, p_metadata jsonb) returns jsonb stable language plpgsql as $$
declare
  f custom_fields;
  target uuid;
  target_name text;
  found_targets jsonb := '{}';
begin
  for f in select c.* from custom_fields c where c.object = p_object and custom_target_table(c.type) is not null loop
    continue when is_blank(p_metadata -> f.field_key) or custom_value_error(f.type, f.options, p_metadata -> f.field_key) is not null;
    target := p_metadata ->> f.field_key;
    target_name := case f.type
      when 'contact' then (select concat_ws(' ', first_name, last_name) from contacts where id = target)
      when 'company' then (select name from companies where id = target)
      when 'opportunity' then (select name from opportunities where id = target)
      else (select coalesce(p.name, u.email) from users u, member_profile((select current_workspace()), u.id) p where u.id = target) end;
    found_targets := found_targets
      || jsonb_build_object(f.field_key, jsonb_build_object('type', f.type, 'id', target, 'name', target_name));
  end loop;
  return found_targets;
end $$;

revoke execute on function clear_custom_values, count_custom_values, clear_custom_references, relink_custom_next, fit_custom_references,
  plan_custom_references from public;
