create or replace function drop_opportunity_counts()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from opportunity_deltas where workspace_id = old.id;
  delete from opportunity_totals where workspace_id = old.id;
  delete from opportunity_periods where workspace_id = old.id;
  return null;
end $$;
-- A trigger instead of a foreign key, which would make every writer lock its workspace's row.
create or replace trigger drop_opportunity_counts after delete on workspaces for each row execute function drop_opportunity_counts();

/*
  Counters of opportunities: adds at most `p_limit` deltas (see count_opportunities) of a workspace, or of one of its pipelines, to the
  totals, and returns their number. A workspace has one fold at a time: a concurrent one returns 0 at once. Counts stay exact, because a
  reader adds totals and remaining deltas in one snapshot. Sequential scans are disabled, because a session may have planned this function
  when the tables were empty.
*/
create or replace function fold_opportunities(p_workspace uuid, p_limit int, p_pipeline uuid default null)
  returns int language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
declare
  chosen tid[];
  empty_totals tid[];
  empty_periods tid[];
begin
  if not pg_try_advisory_xact_lock(hashtextextended(p_workspace::text || ' opportunity counts', 0)) then return 0; end if;
  if p_pipeline is null then
    chosen := array(select ctid from opportunity_deltas where workspace_id = p_workspace limit p_limit);
  else
    chosen := array(select ctid from opportunity_deltas where workspace_id = p_workspace and pipeline_id = p_pipeline limit p_limit);
  end if;
  if cardinality(chosen) = 0 then return 0; end if;

  with folded as materialized (
    delete from opportunity_deltas where ctid = any (chosen) returning *
  ), owned as (
    select f.*, null::uuid as owner from folded f union all select f.*, f.assigned_to from folded f where f.assigned_to is not null
  ), new_totals as (
    insert into opportunity_totals as t (workspace_id, pipeline_id, assigned_to, archived, stage_id, currency, count, without_company,
      value, weighted_value, won_ms)
      select p_workspace, pipeline_id, owner, archived, stage_id, currency, sum(count), sum(without_company), sum(value),
        sum(weighted_value), sum(won_ms)
      from owned group by 2, 3, 4, 5, 6
      having sum(count) <> 0 or sum(without_company) <> 0 or sum(value) <> 0 or sum(weighted_value) <> 0 or sum(won_ms) <> 0
      order by 2, 3, 4, 5, 6
      on conflict on constraint opportunity_totals_key do update
        set count = t.count + excluded.count, without_company = t.without_company + excluded.without_company,
        value = t.value + excluded.value, weighted_value = t.weighted_value + excluded.weighted_value, won_ms = t.won_ms + excluded.won_ms
      returning t.ctid, (t.count, t.without_company, t.value, t.weighted_value, t.won_ms) = (0, 0, 0, 0, 0) as is_empty
  ), new_periods as (
    insert into opportunity_periods as t (workspace_id, pipeline_id, assigned_to, date_field, period, starts_on, stage_id, currency, count,
      without_company, value, weighted_value, won_ms)
      select p_workspace, pipeline_id, owner, f.date_field, p.period, p.starts_on, stage_id, currency, sum(count), sum(without_company),
        sum(value), sum(weighted_value), sum(won_ms)
      from owned, lateral (values ('created_at', created_on), ('opened_at', opened_on), ('closed_at', closed_on)) f(date_field, at),
        lateral (values ('day', f.at), ('month', f.at - extract(day from f.at)::int + 1)) p(period, starts_on)
      where f.at is not null group by 2, 3, 4, 5, 6, 7, 8
      having sum(count) <> 0 or sum(without_company) <> 0 or sum(value) <> 0 or sum(weighted_value) <> 0 or sum(won_ms) <> 0
      -- In the order in which ranges are read, so that a range is stored in few blocks.
      order by 2, 3, 4, 5, 6, 7, 8
      on conflict on constraint opportunity_periods_key do update
        set count = t.count + excluded.count, without_company = t.without_company + excluded.without_company,
        value = t.value + excluded.value, weighted_value = t.weighted_value + excluded.weighted_value, won_ms = t.won_ms + excluded.won_ms
      returning t.ctid, (t.count, t.without_company, t.value, t.weighted_value, t.won_ms) = (0, 0, 0, 0, 0) as is_empty
  )
  select array(select ctid from new_totals where is_empty), array(select ctid from new_periods where is_empty)
    into empty_totals, empty_periods;
  -- A row of zeros means the same as no row. Its ctid is still valid, because only the holder of the lock changes totals.
  delete from opportunity_totals where ctid = any (empty_totals);
  delete from opportunity_periods where ctid = any (empty_periods);
  return cardinality(chosen);
end $$;

-- Runs before a board or a summary is read: folds if the pipeline has more deltas than a read should add up.
create or replace function fold_pipeline(p_pipeline uuid, p_most int default 5000)
  returns int language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
begin
  if (select count(*) from (select from opportunity_deltas
    where workspace_id = (select current_workspace()) and pipeline_id = p_pipeline limit p_most + 1) d) <= p_most then return 0; end if;
  return fold_opportunities(current_workspace(), 4 * p_most, p_pipeline);
end $$;

/*
  Folds the deltas of at most `p_workspaces` workspaces after `p_after` (null: from the first), and stops after about `p_limit` deltas.
  Returns the last workspace, or null when none is left.
*/
create or replace function fold_workspaces(p_after uuid, p_workspaces int default 100, p_limit int default 10000)
  returns uuid language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off as $$
declare
  at uuid := p_after;
  folded int := 0;
begin
  for i in 1 .. p_workspaces loop
    select workspace_id into at from opportunity_deltas where workspace_id > coalesce(at, '00000000-0000-0000-0000-000000000000')
      order by workspace_id limit 1;
    exit when at is null;
    folded := folded + fold_opportunities(at, p_limit);
    exit when folded >= p_limit;
  end loop;
  return at;
end $$;

/*
  Repair, for the owner of the database: recounts the opportunities of a workspace while it is in use. One statement, and so one snapshot,
  deletes the counts and inserts new deltas, which are then folded. Concurrent writes add their own deltas.
*/
create or replace function recount_opportunities(p_workspace uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_workspace::text || ' opportunity counts', 0));
  with old_deltas as (delete from opportunity_deltas where workspace_id = p_workspace),
    old_totals as (delete from opportunity_totals where workspace_id = p_workspace),
    old_periods as (delete from opportunity_periods where workspace_id = p_workspace)
  insert into opportunity_deltas (workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, created_on, opened_on, closed_on,
    count, without_company, value, weighted_value, won_ms)
    select workspace_id, pipeline_id, stage_id, currency, assigned_to, archived, utc_day(created_at), utc_day(opened_at),
      utc_day(closed_at), sum(a.count), sum(a.without_company), sum(a.value), sum(a.weighted_value), sum(a.won_ms)
    from opportunities o, opportunity_amounts(1, customer_id, o.value, probability, status, created_at, opened_at, closed_at) a
    where workspace_id = p_workspace and pipeline_id is not null and stage_id is not null
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  loop
    exit when fold_opportunities(p_workspace, 50000) = 0;
  end loop;
end $$;

revoke execute on function drop_opportunity_counts, fold_opportunities, fold_pipeline, fold_workspaces, recount_opportunities
  from public, app;
grant execute on function fold_pipeline to app;
grant execute on function fold_workspaces to jobs;

create or replace trigger count_insert after insert on opportunities referencing new table as new_rows
  for each statement execute function count_opportunities();
create or replace trigger count_update after update on opportunities referencing old table as old_rows new table as new_rows
  for each statement execute function count_opportunities();
create or replace trigger count_delete after delete on opportunities referencing old table as old_rows
  for each statement execute function count_opportunities();
