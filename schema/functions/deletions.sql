/*
  Deletions of contacts, companies and opportunities with many dependants. The request writes the deletion of the record into the history,
  empties its row and adds a row of deletions: from then on policies hide the record, and what goes with it, from every request
  (app.deleting). The background deletes the dependants in batches, each in a transaction that also counts them, and the row at last. All
  deleted rows name the transaction of the request, so that a restore finds them together.
*/

-- The foreign key that keeps the record, as <table>.<column>: that of an opportunity to its company, for example. Null if none does.
create or replace function key_that_keeps(p_table text, p_id uuid) returns text stable language plpgsql as $$
declare
  k record;
  is_used boolean;
begin
  for k in select f.child::text as child, f.col from foreign_keys() f where f.parent::text = p_table and f.on_delete in ('a', 'r')
      order by 1, 2 loop
    execute format('select exists (select from %I where workspace_id = $1 and %I = $2)', k.child, k.col) into is_used
      using current_workspace(), p_id;
    if is_used then return k.child || '.' || k.col; end if;
  end loop;
  return null;
end $$;

-- The name in the history of the records of a table.
create or replace function entity_in_history(p_table text) returns text stable language sql as $$
  select split_part(encode(g.tgargs, 'escape'), '\000', 1) from pg_trigger g
    where g.tgrelid = p_table::regclass and g.tgname = 'record_delete'
$$;

/*
  Raises CONFLICT for a record that no job deletes and that has more dependants than one statement deletes or unlinks in time. Those count
  whose changes are recorded or kept for a restore, which is what takes the time.
*/
create or replace function assert_few_dependants(p_table text, p_id uuid, p_what text) returns void stable
  security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  n int := 0;
  found_rows int;
  k record;
begin
  for k in select f.child::text as child, f.col from foreign_keys() f
    where f.parent::text = p_table and f.child::text <> p_table and f.on_delete in ('c', 'n')
    and (f.child::text = any (restorable_tables())
      or exists (select from pg_trigger g where g.tgrelid = f.child and g.tgname in ('record_delete', 'keep_' || f.col)))
    order by 1, 2
  loop
    execute format('select count(*) from (select from %I where workspace_id = $1 and %I = $2 limit $3) found', k.child, k.col)
      into found_rows using current_workspace(), p_id, most_at_once() + 1 - n;
    n := n + found_rows;
    if n > most_at_once() then
      perform fail('CONFLICT', format('More than %s rows belong or refer to this %s: change or delete those first', most_at_once(), p_what),
        jsonb_build_object('referenced_by', k.child, 'field', k.col));
    end if;
  end loop;
end $$;

-- Writes the deletion of a record, whose row stays for now, into the history, the events and what can be restored.
create or replace function record_deletion(p_table text, p_row jsonb)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  arguments constant text[] := (select string_to_array(encode(g.tgargs, 'escape'), '\000') from pg_trigger g
    where g.tgrelid = p_table::regclass and g.tgname = 'record_delete');
begin
  perform record_versions(arguments[1], arguments[2], arguments[3]::text[], arguments[4]::text[], arguments[5]::jsonb, array[p_row], null);
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    values (current_workspace(), current_request_id(), p_table, (p_row ->> 'id')::uuid, 'deleted', true, p_row - 'search_text');
end $$;

-- Empties the row of a record that is being deleted: what could be found, counted or taken by its values is gone from now on. An
-- opportunity keeps what the rules of its stage need, and loses its unique values only.
create or replace function empty_record(p_table text, p_id uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  emptied constant text := (select string_agg(format('%I = %s', a.attname, case when not a.attnotnull then 'null'
      else coalesce(pg_get_expr(d.adbin, d.adrelid), quote_literal('')) end), ', ')
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = p_table::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and (p_table <> 'opportunities' or not a.attnotnull
        and exists (select from unique_keys(p_table::regclass) k where a.attname = k.cols[cardinality(k.cols)]))
      and a.attname not in ('workspace_id', 'id', 'version') and a.atttypid not in ('boolean'::regtype, 'timestamptz'::regtype));
begin
  perform set_config('app.deleted_record', p_id::text, true), set_flag('unchecked_values');
  execute format('update %I set %s where workspace_id = $1 and id = $2', p_table, emptied) using current_workspace(), p_id;
  perform set_config('app.deleted_record', '', true), clear_flag('unchecked_values');
end $$;

-- The rows that refer to a record, over foreign keys and in custom fields; at most p_most.
create or replace function count_all_dependants(p_table text, p_workspace uuid, p_id uuid, p_most int)
  returns int stable language plpgsql as $$
declare
  n constant int := count_dependants(p_table, p_workspace, p_id, p_most);
begin
  return n + case when n < p_most then count_custom_values(p_workspace, entity_of(p_table), p_id, p_most - n) else 0 end;
end $$;

-- Adds the job that deletes a record, or purges it (is_purging), and has the response name it.
create or replace function add_deletion(p_table text, p_id uuid, p_total int)
  returns void volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  job uuid;
begin
  if (select count(*) from deletions d where d.workspace_id = w and d.ended_at is null and d.type <> 'restore') >= most_deletions() then
    perform fail('CONFLICT',
      format('%s records with many dependants are being deleted: try again when some of these jobs have ended', most_deletions()));
  end if;
  insert into deletions (workspace_id, type, table_name, entity, record_id, request_id, key_id, user_id, cause_type, cause_id, cause_depth,
    skip_automations, total, due_at)
    values (w, case when is_purging() then 'purge' else 'deletion' end, p_table, entity_in_history(p_table), p_id, current_request_id(),
      current_key_id(), current_user_id(),
      current_cause_type(), current_cause_id(), current_cause_depth(), skips_automations(), p_total, now()) returning id into job;
  perform name_job(p_id, job);
end $$;

/*
  Begins the deletion of a record that the caller has locked, if it has more dependants than a request deletes (p_most), and returns how
  many it has otherwise. Raises the same errors as a deletion, and CONFLICT while it is being restored.
*/
create or replace function start_deletion(p_table text, p_id uuid, p_most int default most_dependants()) returns int
  volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  counted constant int := 100000;
  found_rows int := count_all_dependants(p_table, w, p_id, p_most + 1);
  present jsonb;
  key text;
begin
  perform assert_not_restoring(array[p_id]);
  if found_rows <= p_most then return found_rows; end if;
  execute format('select to_jsonb(r) from %I r where workspace_id = $1 and id = $2 for update', p_table) into present using w, p_id;
  if present is null or p_id = any (current_deletions()) then return 0; end if;
  key := key_that_keeps(p_table, p_id);
  if key is not null then
    raise foreign_key_violation using message = 'a row refers to this record', constraint = key, table = split_part(key, '.', 1);
  end if;
  found_rows := count_all_dependants(p_table, w, p_id, counted + 1);
  perform add_deletion(p_table, p_id, case when found_rows <= counted then found_rows end);
  perform record_deletion(p_table, present);
  perform empty_record(p_table, p_id);
  perform set_config('app.deleting', (current_deletions() || p_id)::text, true);
  return 0;
end $$;

-- Begins the deletions of those of these records that together have more dependants than a request deletes. Records that others keep are
-- left alone.
create or replace function start_deletions(p_table text, p_ids uuid[])
  returns void volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  done int := 0;
  record_id uuid;
begin
  for record_id in execute format('select id from %I where workspace_id = $1 and id = any ($2) order by id for update', p_table)
    using current_workspace(), p_ids
  loop
    continue when key_that_keeps(p_table, record_id) is not null or job_that_restores(record_id) is not null;
    done := done + start_deletion(p_table, record_id, greatest(most_dependants() - done, 0));
  end loop;
end $$;

-- The records of a workspace that are being deleted, for the beginning of a request; empty if there are none.
create or replace function running_deletions(p_workspace uuid)
  returns text stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(array_agg(record_id)::text, '') from deletions where workspace_id = p_workspace and ended_at is null and type <> 'restore'
$$;

-- Gives the log entry of a request the status 202, if a job completes what was asked.
create or replace function note_accepted(p_accepted boolean) returns void language plpgsql as $$
begin
  if p_accepted and current_setting('app.request', true) <> '' then
    perform set_config('app.request', (current_setting('app.request')::jsonb || '{"status": 202}')::text, true);
  end if;
end $$;

revoke execute on function count_all_dependants, key_that_keeps, record_deletion, empty_record, add_deletion, start_deletion,
  start_deletions, running_deletions, assert_few_dependants from public, app;
grant execute on function start_deletion, start_deletions, assert_few_dependants to app;
