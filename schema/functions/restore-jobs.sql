/*
  Restores of records with many dependants. The request restores the record, which is there from then on, and adds a row of deletions. The
  background first collects what went with the record: merge_entries whose merge_id is the job's id, pending. Batches restore the rows of
  one table after the other, then the references to them, each in a transaction that also counts them. An entry that has come back has no
  outcome, so nothing is done twice.
*/

-- Begins the job that restores what went with a restored record.
create or replace function start_restore(p_deletion deleted_rows, p_job uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select count(*) from deletions
      where workspace_id = p_deletion.workspace_id and ended_at is null and type = 'restore') >= most_deletions() then
    perform fail('CONFLICT',
      format('%s records with many dependants are being restored: try again when some of these jobs have ended', most_deletions()));
  end if;
  insert into deletions (workspace_id, id, type, phase, table_name, entity, record_id, xid, request_id, key_id, user_id,
      cause_type, cause_id, cause_depth, skip_automations, due_at)
    values (p_deletion.workspace_id, p_job, 'restore', 'collect', p_deletion.table_name, entity_in_history(p_deletion.table_name),
      p_deletion.row_id,
      p_deletion.xid, current_request_id(), current_key_id(), current_user_id(), current_cause_type(), current_cause_id(),
        current_cause_depth(), true, now());
  perform name_job(p_deletion.row_id, p_job);
end $$;

-- References of the rows of a batch to rows of their own table that a later batch restores: they are linked when these are there.
create or replace function defer_links(d deletions, p_table text, p_batch uuid) returns void language plpgsql as $$
declare
  c text;
begin
  for c in select k.col from foreign_keys() k where k.child::text = p_table and k.parent = k.child and k.on_delete = 'n' order by 1 loop
    with later as (
      update merge_entries e set before = e.before || jsonb_build_object(c, null) from merge_entries o, merge_entries l
        where e.workspace_id = d.workspace_id and e.merge_id = p_batch and o.workspace_id = e.workspace_id and o.merge_id = p_batch
          and o.table_name = e.table_name and o.row_id = e.row_id and l.workspace_id = e.workspace_id and l.merge_id = d.id
          and l.outcome = 'pending'
          and l.table_name = p_table and l.row_id = (e.before ->> c)::uuid
          and not exists (select from merge_entries b
            where b.workspace_id = e.workspace_id and b.merge_id = p_batch and b.row_id = l.row_id)
        returning e.row_id, o.before -> c as value
    ) insert into deleted_rows (workspace_id, xid, request_id, table_name, row_id, action, is_root, before)
      select d.workspace_id, d.xid, d.request_id, p_table, row_id, 'unlinked', false, jsonb_build_object(c, value) from later;
  end loop;
end $$;

-- Restores the next collected rows, all of one table, and returns their number.
create or replace function restore_batch(d deletions, p_limit int, out n int, out report jsonb) language plpgsql
  security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := d.workspace_id;
  this constant uuid := uuidv7();
  name constant text := (select e.table_name from merge_entries e
    where e.workspace_id = w and e.merge_id = d.id and e.outcome = 'pending' group by 1
    order by (select max(r.level) from references_to(d.table_name::regclass) r
      where r.child = e.table_name::regclass) desc nulls last, min(e.place), 1 limit 1);
  ids constant uuid[] := array(select e.row_id from merge_entries e where e.workspace_id = w and e.merge_id = d.id and e.outcome = 'pending'
    and e.table_name = name order by e.place, e.row_id limit p_limit);
begin
  n := cardinality(ids);
  report := '[]';
  if n = 0 then return; end if;
  if entity_of(name) is not null then perform has_custom_rules(w, entity_of(name)); end if;
  insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
    select w, this, name, r.row_id, 'deleted', 0, r.before, '{}' from deleted_rows r
      where r.workspace_id = w and r.row_id = any (ids) and r.xid = d.xid and r.table_name = name and r.action = 'deleted'
      on conflict do nothing;
  perform defer_links(d, name, this), set_flag('merge_in_progress');
  report := restore_rows(name::regclass, entity_of(name), this, '{deleted}');
  perform clear_flag('merge_in_progress');
  delete from deleted_rows r using merge_entries e
    where e.workspace_id = w and e.merge_id = this and e.outcome is null and r.workspace_id = w
    and r.row_id = e.row_id and r.row_id = any (ids) and r.xid = d.xid and r.table_name = name and r.action = 'deleted';
  -- A row that a purge has erased meanwhile has no entry in the batch.
  update merge_entries l set outcome = (select case when count(*) = 0 then 'gone' else min(e.outcome) end from merge_entries e
      where e.workspace_id = w and e.merge_id = this and e.table_name = name and e.row_id = l.row_id)
    where l.workspace_id = w and l.merge_id = d.id and l.table_name = name and l.row_id = any (ids);
  delete from merge_entries where workspace_id = w and merge_id = this;
end $$;

-- Restores the next references to restored rows, and returns their number.
create or replace function relink_batch(d deletions, p_deletion deleted_rows, p_limit int, out n int, out report jsonb) language plpgsql
  security definer set search_path = public, pg_temp as $$
begin
  if d.table_name = 'companies' then
    perform lock_primary_contacts('{}', array[d.record_id]);
    -- Whoever was made the primary contact since the record is there stays that.
    update deleted_rows u set before = u.before - 'is_primary'
      where u.workspace_id = d.workspace_id and u.xid = d.xid and u.action = 'unlinked'
      and u.table_name = 'contacts' and u.before -> 'is_primary' = 'true'
      and exists (select from contacts c where c.workspace_id = d.workspace_id
        and c.customer_id = d.record_id and c.is_primary and c.id <> u.row_id);
  end if;
  select r.n, r.report into n, report from relink_next(p_deletion, d.id, p_limit) r;
  if n = 0 then select r.n, r.report into n, report from relink_custom_next(p_deletion, d.record_id, p_limit) r; end if;
end $$;

-- The number of rows and references that a job restores; null if there are more than are counted.
create or replace function count_restored(d deletions, p_deletion deleted_rows)
  returns int stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  counted constant int := 100000;
  n int := (select count(*)
    from (select from merge_entries e where e.workspace_id = d.workspace_id and e.merge_id = d.id and e.outcome is not null
    limit counted + 1) found);
begin
  if n <= counted then n := n + count_unlinked(p_deletion, d.id, counted + 1); end if;
  return case when n <= counted then n end;
end $$;

-- Does the next part of a restore that a worker has claimed. Returns whether it has ended; null if the claim is lost.
create or replace function run_restore(p_workspace uuid, p_id uuid, p_claim uuid, p_limit int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  collects constant int := p_limit * 10;
  d deletions;
  deletion deleted_rows;
  is_there boolean;
  following text;
  n int;
  report jsonb := '[]';
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into d from deletions where workspace_id = p_workspace and id = p_id and claim_id = p_claim and type = 'restore' for update;
  if d.id is null then return null; end if;
  if d.ended_at is not null then return true; end if;
  perform continue_request(d);
  execute format('select true from %I where workspace_id = $1 and id = $2 for key share', d.table_name) into is_there
    using p_workspace, d.record_id;
  if is_there is null then perform fail('CONFLICT', 'The record was deleted again'); end if;
  deletion.workspace_id := p_workspace; deletion.xid := d.xid; deletion.table_name := d.table_name; deletion.row_id := d.record_id;
  case d.phase
    when 'collect' then n := collect_restored(deletion, p_id, collects, 'pending'); following := 'rows';
    when 'rows' then select r.n, r.report into n, report from restore_batch(d, p_limit) r; following := 'links';
    when 'links' then select r.n, r.report into n, report from relink_batch(d, deletion, p_limit) r; following := 'clean';
    else
      delete from merge_entries
        where ctid = any (array(select ctid from merge_entries where workspace_id = p_workspace and merge_id = p_id limit collects));
      get diagnostics n = row_count;
  end case;
  if d.phase = 'rows' and n = 0 then report := fit_shares(p_id); end if;
  update deletions set attempts = 1, processed = processed + case when phase in ('rows', 'links') then n else 0 end,
      phase = case when n = 0 then coalesce(following, phase) else phase end,
      total = case when n = 0 and phase = 'collect' then count_restored(d, deletion) else total end,
        lost = lost + jsonb_array_length(report),
      losses = (losses || array(select jsonb_set(r, '{field}', coalesce(to_jsonb(api_name(r ->> 'table', r ->> 'field')), 'null'))::text
        from jsonb_array_elements(report) r))[:100],
      state = case when n = 0 and following is null then 'completed' else state end,
        ended_at = case when n = 0 and following is null then now() end
    where workspace_id = p_workspace and id = p_id;
  return n = 0 and following is null;
end $$;

revoke execute on function start_restore, defer_links, restore_batch, relink_batch, count_restored, run_restore from public, app;
grant execute on function run_restore to jobs;
