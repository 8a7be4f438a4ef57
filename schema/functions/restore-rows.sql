/*
  The rows that went with a deleted record, and the references to it: what a restore collects, inserts again and links (restores.sql).
*/

/*
  Collects a deleted row and the rows that went with it as entries of `p_restore` (see merge_entries), about p_limit more at most, and
  returns how many it has added: 0 if there are no others. With p_outcome they have that, and no values. Nested loops are disabled, because
  the planner has no statistics of these entries.
*/
create or replace function collect_restored(p_deletion deleted_rows, p_restore uuid, p_limit int, p_outcome text default null)
  returns int language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  w constant uuid := p_deletion.workspace_id;
  level int := coalesce((select max(e.place) from merge_entries e where e.workspace_id = w and e.merge_id = p_restore), 0);
  added int := 0;
  n int;
begin
  loop
    level := level + 1;
    insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after, outcome)
      select w, p_restore, d.table_name, d.row_id, 'deleted', level, case when p_outcome is null then d.before else '{}' end,
        '{}', p_outcome
        from deleted_rows d
        join foreign_keys() k on k.child::text = d.table_name
        join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = k.parent::text
          and e.row_id::text = d.before ->> k.col
        left join merge_entries o on o.workspace_id = w and o.merge_id = p_restore and o.table_name = d.table_name and o.row_id = d.row_id
        where d.workspace_id = w and d.xid = p_deletion.xid and d.action = 'deleted' and (k.on_delete = 'c' or not d.is_root)
        and o.row_id is null
        limit p_limit - added
      on conflict do nothing;
    get diagnostics n = row_count;
    added := added + n;
    exit when n = 0 or added >= p_limit;
  end loop;
  if n > 0 then return added; end if;
  -- An activity that went with the last of its contacts may not refer to it itself.
  insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after, outcome)
    select w, p_restore, d.table_name, d.row_id, 'deleted', level, case when p_outcome is null then d.before else '{}' end, '{}', p_outcome
      from merge_entries e
      join deleted_rows l on l.workspace_id = w and l.xid = p_deletion.xid and l.action = 'deleted'
      and l.table_name = 'activity_contacts' and l.row_id = e.row_id
      join deleted_rows d on d.workspace_id = w and d.xid = p_deletion.xid and d.action = 'deleted'
      and d.table_name = 'activities' and not d.is_root
        and d.row_id::text = l.before ->> 'activity_id'
      left join merge_entries o on o.workspace_id = w and o.merge_id = p_restore and o.table_name = d.table_name and o.row_id = d.row_id
      where e.workspace_id = w and e.merge_id = p_restore and e.table_name = 'activity_contacts' and o.row_id is null
      limit p_limit - added
    on conflict do nothing;
  get diagnostics n = row_count;
  return added + n;
end $$;

/*
  How many references a deletion has set to null, at most p_most: of all its records, or of those of `p_restore` if there are more of them.
*/
create or replace function count_unlinked(p_deletion deleted_rows, p_restore uuid, p_most int)
  returns int stable language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  w constant uuid := p_deletion.workspace_id;
  of_all constant int := (select count(*)
    from (select from deleted_rows u where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked'
    limit p_most) found);
begin
  if of_all < p_most then return of_all; end if;
  return (select count(*) from (
    select from deleted_rows u join foreign_keys() k on k.child::text = u.table_name and k.on_delete = 'n'
      join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = k.parent::text
      and e.row_id::text = u.before ->> k.col
      where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked'
    union all
    select from deleted_rows u, jsonb_each_text(u.before -> 'custom') c(key, target)
      where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked' and lower(c.target) = p_deletion.row_id::text
    limit p_most) found);
end $$;

-- Restores the references to restored rows that their deletion set to null. A reference that leads elsewhere since then stays, and is
-- reported. That of a row which was deleted itself since then comes back with that row. At most p_limit; returns how many it has looked at.
create or replace function relink_next(p_deletion deleted_rows, p_restore uuid, p_limit int, out n int, out report jsonb)
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := p_deletion.workspace_id;
  part jsonb;
  t record;
begin
  n := 0;
  report := '[]';
  for t in
    select l.child, l.col, case l.child::text when 'memberships' then 'user_id' else 'id' end as key, array_agg(l.id) as ids,
      array_agg(l.row_id) as rows, null::text as sets
    from (select k.child, k.col, u.id, u.row_id from deleted_rows u
        join foreign_keys() k on k.child::text = u.table_name and k.on_delete = 'n'
        and u.before ? k.col
      join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = k.parent::text
        and e.row_id = (u.before ->> k.col)::uuid and e.outcome is null
      where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked' limit p_limit) l group by 1, 2
  loop
    n := n + cardinality(t.ids);
    select string_agg(distinct format('%1$I = r.%1$I', f), ', ') into t.sets from deleted_rows u, jsonb_object_keys(u.before) f
      where u.workspace_id = w and u.id = any (t.ids);
    execute format('select from %s where workspace_id = $1 and %I = any ($2) order by %2$I for update', t.child, t.key) using w, t.rows;
    execute format($q$
      with judged as (
        select u.row_id, u.before, c.%2$I is not null and (%4$L::text is null or exists (select from changes h where h.workspace_id = $1
            and h.entity = %4$L and h.entity_id = u.row_id and h.id > u.id and h.request_id is distinct from u.request_id
            and h.fields ? %2$L)) as changed
        from %1$s c join deleted_rows u on u.workspace_id = $1 and u.row_id = c.%3$I
        where c.workspace_id = $1 and c.%3$I = any ($2) and u.id = any ($3)
      ), linked as (
        update %1$s c set %5$s from (select j.row_id, p.* from judged j join %1$s o on o.workspace_id = $1 and o.%3$I = j.row_id
            cross join lateral jsonb_populate_record(o, j.before) p where not j.changed) r
          where c.workspace_id = $1 and c.%3$I = r.row_id
      )
      select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', %2$L, 'reason', 'changed')) from judged where changed $q$,
      t.child, t.col, t.key, entity_of(t.child::text), t.sets) into part using w, t.rows, t.ids;
    report := report || coalesce(part, '[]');
    update deleted_rows d set before = d.before || u.before from deleted_rows u
      where u.workspace_id = w and u.id = any (t.ids) and d.workspace_id = w and d.row_id = u.row_id and d.table_name = u.table_name
        and d.action = 'deleted' and d.id > u.id and d.before -> t.col = 'null';
    delete from deleted_rows where workspace_id = w and id = any (t.ids);
  end loop;
end $$;

-- A billing party whose share would bring the total above 100 percent comes back without it.
create or replace function fit_shares(p_restore uuid) returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with cleared as (
    update billing_parties b set share_percent = null from merge_entries e
      where e.workspace_id = (select current_workspace()) and e.merge_id = p_restore and e.table_name = 'billing_parties'
        and b.workspace_id = e.workspace_id and b.id = e.row_id and b.share_percent is not null
        and (select sum(o.share_percent) from billing_parties o where o.workspace_id = b.workspace_id
          and o.opportunity_id = b.opportunity_id) > 100
      returning b.id)
  select coalesce(jsonb_agg(jsonb_build_object('table', 'billing_parties', 'id', id, 'field', 'share_percent', 'reason', 'taken')), '[]')
    from cleared
$$;

-- Forgets the deletion of the rows that were restored. A nested loop would compare each of them with each.
create or replace function forget_restored(p_xid xid8, p_restore uuid)
  returns void language sql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
  delete from deleted_rows d using merge_entries e
    where d.workspace_id = (select current_workspace()) and d.xid = p_xid and d.action = 'deleted'
    and e.workspace_id = d.workspace_id and e.merge_id = p_restore and e.table_name = d.table_name
    and e.row_id = d.row_id and e.outcome is null
$$;

/*
  Inserts the collected rows of a restore again that have no outcome, those that others refer to first. Returns what does not come back; the
  rows of one table that cannot be inserted have an outcome then.
*/
create or replace function restore_collected(p_of regclass, p_restore uuid)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  report jsonb := '[]';
  name text;
begin
  perform set_flag('merge_in_progress');
  for name in select e.table_name from merge_entries e where e.workspace_id = w and e.merge_id = p_restore and e.outcome is null
      and e.table_name <> p_of::text group by 1
    order by (select max(r.level) from references_to(p_of) r where r.child = e.table_name::regclass) desc nulls last, min(e.place), 1
  loop
    report := report || restore_rows(name::regclass, entity_of(name), p_restore, '{deleted}');
  end loop;
  perform clear_flag('merge_in_progress');
  return report;
end $$;

-- A reference between two rows of a deletion may have been cleared before its row was deleted: the collected rows that are restored now
-- have it again.
create or replace function join_unlinked(p_deletion deleted_rows, p_restore uuid)
  returns void language sql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
  update merge_entries e set before = e.before || u.before from deleted_rows u
    where e.workspace_id = p_deletion.workspace_id and e.merge_id = p_restore and e.outcome is null and u.workspace_id = e.workspace_id
      and u.xid = p_deletion.xid and u.action = 'unlinked' and u.table_name = e.table_name and u.row_id = e.row_id
$$;

-- Restores the rows that went with a restored record, and the references to it. Returns what does not come back.
create or replace function restore_dependants(p_deletion deleted_rows, p_restore uuid)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := p_deletion.workspace_id;
  report jsonb;
begin
  report := restore_collected(p_deletion.table_name::regclass, p_restore) || fit_shares(p_restore);
  report := report || (relink_next(p_deletion, p_restore, null)).report || (relink_custom_next(p_deletion, p_deletion.row_id, null)).report;
  perform forget_restored(p_deletion.xid, p_restore);
  delete from merge_entries where workspace_id = w and merge_id = p_restore;
  return report;
end $$;

revoke execute on function collect_restored, count_unlinked, relink_next, fit_shares, forget_restored, restore_collected,
  join_unlinked, restore_dependants
  from public, app;
