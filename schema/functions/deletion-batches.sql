/*
  The batches of a deletion (deletions.sql). Each deletes and unlinks a part of what refers to the record, from the bottom up, and the row
  of the record is the last.
*/

/*
  Deletes activities that are linked to the record only, and unlinks the others; at most p_limit. Both are what delete_linked_activities and
  the foreign keys do, for a part of the activities.
*/
create or replace function delete_activities_of(p_table text, p_id uuid, p_limit int)
  returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  column_name constant text := case p_table when 'contacts' then 'contact_id' when 'companies' then 'customer_id' else 'deal_id' end;
  linked uuid[];
begin
  execute format('select array(select id from activities where workspace_id = $1 and %I = $2 limit $3)', column_name)
    into linked using w, p_id, p_limit;
  if p_table = 'contacts' and cardinality(linked) < p_limit then
    linked := linked || array(select l.activity_id from activity_contacts l
      where l.workspace_id = w and l.contact_id = p_id and l.activity_id <> all (linked)
      limit p_limit - cardinality(linked));
  end if;
  if linked = '{}' then return 0; end if;
  perform from activities a where a.workspace_id = w and a.id = any (linked) order by a.id for update;
  if p_table = 'contacts' then
    delete from activities a where a.workspace_id = w and a.id = any (linked) and num_nonnulls(a.customer_id, a.deal_id) = 0
      and a.contact_ids = array[p_id];
    perform set_flag('unlinks');
    update activities a set contact_id = null where a.workspace_id = w and a.id = any (linked) and a.contact_id = p_id;
    perform clear_flag('unlinks');
    delete from activity_contacts l where l.workspace_id = w and l.activity_id = any (linked) and l.contact_id = p_id;
  else
    delete from activities a where a.workspace_id = w and a.id = any (linked) and num_nonnulls(a.customer_id, a.deal_id) = 1
      and a.contact_ids = '{}';
    perform set_flag('unlinks');
    execute format('update activities a set %1$I = null where a.workspace_id = $1 and a.id = any ($2) and a.%1$I = $3', column_name)
      using w, linked, p_id;
    perform clear_flag('unlinks');
  end if;
  return cardinality(linked);
end $$;

-- Deletes and unlinks rows that refer to these records, those that refer to such rows first; about p_limit. Returns their number: 0 if none
-- is left.
create or replace function delete_below(p_table text, p_ids uuid[], p_limit int)
  returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  n int := case when p_table = any (deleted_in_batches()) then delete_activities_of(p_table, p_ids[1], p_limit) else 0 end;
  rows_of uuid[];
  changed int;
  k record;
begin
  for k in select f.child::text as child, f.col, f.on_delete = 'n' as unlinks,
      exists (select from foreign_keys() b where b.parent = f.child and b.child <> f.child
      and b.on_delete in ('c', 'n')) as has_below from foreign_keys() f
      where f.parent::text = p_table and f.child::text <> p_table and f.on_delete in ('c', 'n') order by 1, 2
  loop
    exit when n >= p_limit;
    execute format('select array(select id from %I where workspace_id = $1 and %I = any ($2) limit $3)', k.child, k.col)
      into rows_of using w, p_ids, p_limit - n;
    continue when rows_of = '{}';
    if k.unlinks then
      perform set_flag('unlinks');
      execute format('update %I set %2$I = null where workspace_id = $1 and id = any ($2) and %2$I = any ($3)', k.child, k.col)
        using w, rows_of, p_ids;
      get diagnostics changed = row_count;
      perform clear_flag('unlinks');
    else
      if k.has_below then
        n := n + delete_below(k.child, rows_of, p_limit - n);
        exit when n >= p_limit;
      end if;
      execute format('delete from %I where workspace_id = $1 and id = any ($2)', k.child) using w, rows_of;
      get diagnostics changed = row_count;
    end if;
    n := n + changed;
  end loop;
  return n;
end $$;

-- Makes the transaction a part of the request that has begun a job: its changes name that.
create or replace function continue_request(d deletions) returns void language plpgsql as $$
begin
  perform set_cause(d.cause_type, d.cause_id, d.cause_depth);
  perform set_config('app.request_id', coalesce(d.request_id, ''), true), set_config('app.key_id', coalesce(d.key_id::text, ''), true),
    set_config('app.user_id', coalesce(d.user_id::text, ''), true),
      set_config('app.skip_automations', case when d.skip_automations then 'true' else '' end, true),
    set_flag('unchecked_values'),
      set_config('app.approval_id', case d.cause_type when 'approval' then d.cause_id::text else '' end, true);
end $$;

-- Makes the transaction a part of a deletion: what it deletes is restored with the record.
create or replace function continue_deletion(d deletions) returns void language plpgsql as $$
begin
  perform continue_request(d), set_config('app.deletion_xid', d.xid::text, true),
    set_config('app.deleted_record', d.record_id::text, true);
end $$;

-- Deletes the next dependants of a deletion or a purge that a worker has claimed, and the row of the record when none is left. Returns
-- whether it has ended; null if the claim is lost.
create or replace function run_deletion(p_workspace uuid, p_id uuid, p_claim uuid, p_limit int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d deletions;
  n int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into d from deletions where workspace_id = p_workspace and id = p_id and claim_id = p_claim and type <> 'restore' for update;
  if d.id is null then return null; end if;
  if d.ended_at is not null then return true; end if;
  perform continue_deletion(d);
  if d.type = 'purge' then
    n := purge_batch(d, p_limit);
    if n = 0 then perform erase_with_merged(entity_of(d.table_name), d.record_id); end if;
  else
    n := delete_below(d.table_name, array[d.record_id], p_limit);
    -- Nobody sees the record, so its values are not given again.
    if n < p_limit then n := n + clear_custom_values(p_workspace, entity_of(d.table_name), array[d.record_id], p_limit - n); end if;
  end if;
  if n = 0 then execute format('delete from %I where workspace_id = $1 and id = $2', d.table_name) using p_workspace, d.record_id; end if;
  update deletions set processed = processed + n, attempts = 1, state = case n when 0 then 'completed' else 'running' end,
    ended_at = case n when 0 then now() end
    where workspace_id = p_workspace and id = p_id;
  return n = 0;
end $$;

revoke execute on function delete_activities_of, delete_below, continue_request, continue_deletion, run_deletion from public, app;
grant execute on function run_deletion to jobs;
