call count_records_of('contacts', '{archived,assigned_to,source_id,source,tags}');
call count_records_of('companies', '{archived,assigned_to,tags}');
call count_records_of('opportunities', '{archived,assigned_to,lead_source,tags}');
call count_records_of('tasks', '{archived,assigned_to}');

create or replace function drop_record_counts()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from record_count_deltas where workspace_id = old.id;
  delete from record_counts where workspace_id = old.id;
  return null;
end $$;
-- A trigger instead of a foreign key, which would make every writer lock its workspace's row.
create or replace trigger drop_record_counts after delete on workspaces for each row execute function drop_record_counts();

-- The values that a record with these columns is counted by.
create or replace function counted_values(p_owner uuid, p_source_id uuid, p_source text, p_tags text[])
  returns table (counted_by text, value text) immutable language sql as $$
  select k.counted_by, k.value
    from (values ('all', ''), ('assigned_to', p_owner::text), ('source_id', p_source_id::text), ('source', p_source))
    k(counted_by, value) where k.value is not null
  union all select 'tag', tag from unnest(p_tags) tag
$$;

/*
  Adds at most `p_limit` deltas (see count_records) of a workspace to its counts, and returns their number. A workspace has one fold at a
  time: a concurrent one returns 0 at once. Counts stay exact, because a reader adds counts and remaining deltas in one snapshot. Sequential
  scans are disabled, because a session may have planned this function when the tables were empty.
*/
create or replace function fold_record_counts(p_workspace uuid, p_limit int)
  returns int language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
declare
  chosen tid[];
  zeros tid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended(p_workspace::text || ' record counts', 0)) then return 0; end if;
  chosen := array(select ctid from record_count_deltas where workspace_id = p_workspace limit p_limit);
  if cardinality(chosen) = 0 then return 0; end if;
  with folded as materialized (
    delete from record_count_deltas where ctid = any (chosen) returning *
  ), sums as (
    insert into record_counts as c (workspace_id, object, counted_by, value, archived, count)
      select p_workspace, f.object, k.counted_by, k.value, f.archived, sum(f.count)
      from folded f, counted_values(f.assigned_to, f.source_id, f.source, f.tags) k
      group by 2, 3, 4, 5 having sum(f.count) <> 0 order by 2, 3, 4, 5
      on conflict on constraint record_counts_key do update set count = c.count + excluded.count
      returning c.ctid, c.count = 0 as is_zero
  )
  select array(select ctid from sums where is_zero) into zeros;
  -- A row of zero means the same as no row. Its ctid is still valid, because only the holder of the lock changes counts.
  delete from record_counts where ctid = any (zeros);
  return cardinality(chosen);
end $$;

-- Runs before counts are read: folds if there are more deltas than a read should add up.
create or replace function fold_own_record_counts(p_most int default 1000)
  returns int language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
begin
  if (select count(*) from (select from record_count_deltas
    where workspace_id = (select current_workspace()) limit p_most + 1) d) <= p_most then return 0; end if;
  return fold_record_counts(current_workspace(), 20 * p_most);
end $$;

/*
  Folds the deltas of at most `p_workspaces` workspaces after `p_after` (null: from the first), and stops after about `p_limit` deltas.
  Returns the last workspace, or null when none is left.
*/
create or replace function fold_record_counts_after(p_after uuid, p_workspaces int default 100, p_limit int default 10000)
  returns uuid language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
declare
  at uuid := p_after;
  folded int := 0;
begin
  for i in 1 .. p_workspaces loop
    select workspace_id into at from record_count_deltas where workspace_id > coalesce(at, '00000000-0000-0000-0000-000000000000')
      order by workspace_id limit 1;
    exit when at is null;
    folded := folded + fold_record_counts(at, p_limit);
    exit when folded >= p_limit;
  end loop;
  return at;
end $$;

-- What the records of a workspace add to its counts.
create or replace function counted_records(p_workspace uuid)
  returns table (workspace_id uuid, object text, archived boolean, assigned_to uuid, source_id uuid, source text, tags text[],
    count bigint) stable language sql as $$
  select r.workspace_id, r.object, r.archived, r.assigned_to, r.source_id, r.source, counted_tags(r.tags), count(*) from (
    select c.workspace_id, 'contacts' as object, c.archived, c.assigned_to, c.source_id, c.source, c.tags from contacts c
    union all select c.workspace_id, 'companies', c.archived, c.assigned_to, null, null, c.tags from companies c
    union all select o.workspace_id, 'opportunities', o.archived, o.assigned_to, null, o.lead_source, o.tags from opportunities o
    union all select t.workspace_id, 'tasks', t.archived, t.assigned_to, null, null, '[]' from tasks t) r
  where r.workspace_id = p_workspace group by 1, 2, 3, 4, 5, 6, 7
$$;

/*
  Repair, for the owner of the database: recounts the records of a workspace while it is in use. One statement, and so one snapshot, deletes
  the counts and inserts new deltas, which are then folded. Concurrent writes add their own deltas.
*/
create or replace function recount_records(p_workspace uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_workspace::text || ' record counts', 0));
  with old_deltas as (delete from record_count_deltas where workspace_id = p_workspace),
    old_counts as (delete from record_counts where workspace_id = p_workspace)
  insert into record_count_deltas (workspace_id, object, archived, assigned_to, source_id, source, tags, count)
    select r.workspace_id, r.object, r.archived, r.assigned_to, r.source_id, r.source, r.tags, r.count from counted_records(p_workspace) r;
  loop
    exit when fold_record_counts(p_workspace, 50000) = 0;
  end loop;
end $$;

revoke execute on function counted_records, drop_record_counts, fold_record_counts, fold_own_record_counts,
  fold_record_counts_after, recount_records from public, app;
grant execute on function fold_own_record_counts to app;
grant execute on function fold_record_counts_after to jobs;
