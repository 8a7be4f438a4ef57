-- What the deletions of records with many dependants take from the catalogue: how the dependants are counted, and what is hidden meanwhile.

/*
  Writes count_dependants(table, workspace, id, most): the number of rows that a deletion deletes or unlinks over foreign keys, at most
  p_most. Most records have few dependants, so what is below them is read only if there are some. To be called when references have changed.
*/
create or replace procedure remember_dependants() set search_path = public, pg_temp language plpgsql as $$
declare
  branches text := '';
  t record;
begin
  for t in
    with recursive links as materialized (
      select * from find_foreign_keys() where on_delete in ('c', 'n')
    ), paths(of, child, on_delete, level, tables, condition, seen) as (
      select k.parent, k.child, k.on_delete, 1, format('%s t1', k.child), format('t1.workspace_id = p_workspace and t1.%I = p_id', k.col),
          array[k.parent, k.child]
        from links k where k.parent::text = any (deleted_in_batches())
      union all
      select p.of, k.child, k.on_delete, p.level + 1, format('%s, %s t%s', p.tables, k.child, p.level + 1),
          format('%s and t%s.workspace_id = p_workspace and t%2$s.%I = t%s.id', p.condition, p.level + 1, k.col, p.level), p.seen || k.child
        from paths p join links k on k.parent = p.child and p.on_delete = 'c' and k.child <> all (p.seen) and p.level < 4
    )
    select of, level, string_agg(format('
      select from %s where %s', tables, condition), ' union all' order by tables, condition) as found
      from paths group by 1, 2 order by 1, 2
  loop
    branches := branches || format('
  if p_table = %L and n < p_most%s then
    n := n + (select count(*) from (%s
      limit p_most - n) found);
  end if;', t.of, case when t.level > 1 then ' and n > 0' else '' end, t.found);
  end loop;
  execute format('
create or replace function count_dependants(p_table text, p_workspace uuid, p_id uuid, p_most int) returns int stable
  security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off language plpgsql as $of$
declare
  n int := 0;
begin%s
  return n;
end $of$', branches);
  revoke execute on function count_dependants from public, app;
end $$;

/*
  Hides the records of running deletions, and the rows that go with them, from requests. An activity goes with the last record that it is
  linked to (delete_linked_activities). Almost always nothing is being deleted, which each statement finds out once.
*/
create or replace procedure hide_deletions() set search_path = public, pg_temp language plpgsql as $$
declare
  condition text;
  t record;
begin
  for t in
    select r.of, string_agg(r.goes, ' or ' order by r.goes) as goes from (
      select p as of, 'id = any (current_deletions())' as goes from unnest(deleted_in_batches()) p
      union all select k.child::text, format('coalesce(%I = any (current_deletions()), false)', k.col) from find_foreign_keys() k
        where k.parent::text = any (deleted_in_batches()) and k.on_delete = 'c'
      union all
      values ('activities', 'num_nonnulls(customer_id, deal_id) = 0 and contact_ids <> ''{}'' and contact_ids <@ current_deletions()'),
        ('activities',
          'num_nonnulls(customer_id, deal_id) = 1 and contact_ids = ''{}'' and coalesce(customer_id = any (current_deletions()), false)'),
        ('activities',
          'num_nonnulls(customer_id, deal_id) = 1 and contact_ids = ''{}'' and coalesce(deal_id = any (current_deletions()), false)')) r
    group by 1 order by 1
  loop
    condition := format('(select deletes_nothing()) or not (%s)', t.goes);
    -- Made again only when it differs, because that locks the table.
    continue when condition = (select obj_description(p.oid, 'pg_policy') from pg_policy p
      where p.polrelid = t.of::regclass and p.polname = 'being_deleted');
    execute format('drop policy if exists being_deleted on %I', t.of);
    execute format('create policy being_deleted on %I as restrictive for select using (%s)', t.of, condition);
    execute format('comment on policy being_deleted on %I is %L', t.of, condition);
  end loop;
end $$;

call hide_deletions();
