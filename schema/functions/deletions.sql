/*
  Deletions of contacts and companies with many dependants. The request writes the deletion of the record into the history, empties its row and adds
  a row of deletions: from then on policies hide the record, and what goes with it, from every request (app.deleting). The background deletes the
  dependants in batches, each in a transaction that also counts them, and the row at last. All deleted rows name the transaction of the request, so
  that a restore finds them together.
*/

/*
  Writes count_dependants(table, workspace, id, most): the number of rows that a deletion deletes or unlinks over foreign keys, at most p_most. Most
  records have few dependants, so what is below them is read only if there are some. To be called when references have changed.
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
    n := n + (select count(*) from (select from %s where %s limit p_most - n) found);', tables, condition), '' order by tables, condition) as counts
      from paths group by 1, 2 order by 1, 2
  loop
    branches := branches || format('
  if p_table = %L and n < p_most%s then%s
  end if;', t.of, case when t.level > 1 then ' and n > 0' else '' end, t.counts);
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
  Hides the records of running deletions, and the rows that go with them, from requests. An activity goes with the last record that it is linked to
  (delete_linked_activities). Almost always nothing is being deleted, which each statement finds out once.
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
      union all values ('activities', 'num_nonnulls(customer_id, deal_id) = 0 and contact_ids <> ''{}'' and contact_ids <@ current_deletions()'),
        ('activities', 'num_nonnulls(customer_id, deal_id) = 1 and contact_ids = ''{}'' and coalesce(customer_id = any (current_deletions()), false)')) r
    group by 1 order by 1
  loop
    condition := format('(select deletes_nothing()) or not (%s)', t.goes);
    -- Made again only when it differs, because that locks the table.
    continue when condition = (select obj_description(p.oid, 'pg_policy') from pg_policy p where p.polrelid = t.of::regclass and p.polname = 'being_deleted');
    execute format('drop policy if exists being_deleted on %I', t.of);
    execute format('create policy being_deleted on %I as restrictive for select using (%s)', t.of, condition);
    execute format('comment on policy being_deleted on %I is %L', t.of, condition);
  end loop;
end $$;

-- The foreign key that keeps the record, as <table>.<column>: that of an opportunity to its company, for example. Null if none does.
create or replace function key_that_keeps(p_table text, p_id uuid) returns text stable language plpgsql as $$
declare
  k record;
  is_used boolean;
begin
  for k in select f.child::text as child, f.col from foreign_keys() f where f.parent::text = p_table and f.on_delete in ('a', 'r') order by 1, 2 loop
    execute format('select exists (select from %I where workspace_id = $1 and %I = $2)', k.child, k.col) into is_used using current_workspace(), p_id;
    if is_used then return k.child || '.' || k.col; end if;
  end loop;
  return null;
end $$;

-- Writes the deletion of a record, whose row stays for now, into the history, the events and what can be restored.
create or replace function record_deletion(p_table text, p_row jsonb) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  arguments constant text[] := (select string_to_array(encode(g.tgargs, 'escape'), '\000') from pg_trigger g
    where g.tgrelid = p_table::regclass and g.tgname = 'record_delete');
begin
  perform record_version(arguments[1], arguments[2], arguments[3]::text[], arguments[4]::text[], arguments[5]::jsonb, p_row, null);
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    values (current_workspace(), current_request_id(), p_table, (p_row ->> 'id')::uuid, 'deleted', true, p_row - 'search_text');
end $$;

-- Empties the row of a record that is being deleted: what could be found, counted or taken by its values is gone from now on.
create or replace function empty_record(p_table text, p_id uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  emptied constant text := (select string_agg(format('%I = %s', a.attname, case when not a.attnotnull then 'null'
      else coalesce(pg_get_expr(d.adbin, d.adrelid), quote_literal('')) end), ', ')
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = p_table::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.attname not in ('workspace_id', 'id', 'version') and a.atttypid not in ('boolean'::regtype, 'timestamptz'::regtype));
begin
  perform set_config('app.deleted_record', p_id::text, true), set_config('app.unchecked_values', 'on', true);
  execute format('update %I set %s where workspace_id = $1 and id = $2', p_table, emptied) using current_workspace(), p_id;
  perform set_config('app.deleted_record', '', true), set_config('app.unchecked_values', '', true);
end $$;

/*
  Begins the deletion of a record that the caller has locked, if it has more dependants than a request deletes (p_most), and returns how many it has
  otherwise. Raises the same errors as a deletion. A dry run begins it too, but names no job.
*/
create or replace function start_deletion(p_table text, p_id uuid, p_most int default most_dependants()) returns int
  volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  counted constant int := 100000;
  found_rows int := count_dependants(p_table, w, p_id, p_most + 1);
  present jsonb;
  key text;
  job uuid;
begin
  if found_rows <= p_most then return found_rows; end if;
  execute format('select to_jsonb(r) from %I r where workspace_id = $1 and id = $2 for update', p_table) into present using w, p_id;
  if present is null or p_id = any (current_deletions()) then return 0; end if;
  key := key_that_keeps(p_table, p_id);
  if key is not null then
    raise foreign_key_violation using message = 'a row refers to this record', constraint = key, table = split_part(key, '.', 1);
  end if;
  if cardinality(current_deletions()) >= most_deletions() then
    perform fail('CONFLICT', format('%s records with many dependants are being deleted: try again when some of these jobs have ended', most_deletions()));
  end if;
  found_rows := count_dependants(p_table, w, p_id, counted + 1);
  insert into deletions (workspace_id, table_name, record_id, request_id, key_id, user_id, cause_type, cause_id, cause_depth, skip_automations, total, due_at)
    values (w, p_table, p_id, current_request_id(), current_key_id(), current_user_id(), current_cause_type(), current_cause_id(), current_cause_depth(),
      skips_automations(), case when found_rows <= counted then found_rows end, now()) returning id into job;
  perform record_deletion(p_table, present);
  perform empty_record(p_table, p_id);
  perform set_config('app.deleting', (current_deletions() || p_id)::text, true);
  if current_setting('app.mode', true) not in ('dry', 'held') then
    perform set_config('app.deletion_jobs', (coalesce(nullif(current_setting('app.deletion_jobs', true), ''), '{}')::jsonb
      || jsonb_build_object(p_id, job))::text, true);
  end if;
  return 0;
end $$;

-- Begins the deletions of those of these records that together have more dependants than a request deletes. Records that others keep are left alone.
create or replace function start_deletions(p_table text, p_ids uuid[]) returns void volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  done int := 0;
  record_id uuid;
begin
  for record_id in execute format('select id from %I where workspace_id = $1 and id = any ($2) order by id for update', p_table)
    using current_workspace(), p_ids
  loop
    continue when key_that_keeps(p_table, record_id) is not null;
    done := done + start_deletion(p_table, record_id, greatest(most_dependants() - done, 0));
  end loop;
end $$;

-- The records of a workspace that are being deleted, for the beginning of a request; empty if there are none.
create or replace function running_deletions(p_workspace uuid) returns text stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(array_agg(record_id)::text, '') from deletions where workspace_id = p_workspace and ended_at is null
$$;

/*
  Deletes activities that are linked to the record only, and unlinks the others; at most p_limit. Both are what delete_linked_activities and the
  foreign keys do, for a part of the activities.
*/
create or replace function delete_activities_of(p_table text, p_id uuid, p_limit int) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  column_name constant text := case p_table when 'contacts' then 'contact_id' else 'customer_id' end;
  linked uuid[];
begin
  execute format('select array(select id from activities where workspace_id = $1 and %I = $2 limit $3)', column_name) into linked using w, p_id, p_limit;
  if p_table = 'contacts' and cardinality(linked) < p_limit then
    linked := linked || array(select l.activity_id from activity_contacts l where l.workspace_id = w and l.contact_id = p_id and l.activity_id <> all (linked)
      limit p_limit - cardinality(linked));
  end if;
  if linked = '{}' then return 0; end if;
  perform from activities a where a.workspace_id = w and a.id = any (linked) order by a.id for update;
  if p_table = 'contacts' then
    delete from activities a where a.workspace_id = w and a.id = any (linked) and num_nonnulls(a.customer_id, a.deal_id) = 0 and a.contact_ids = array[p_id];
    perform set_config('app.unlinks', 'on', true);
    update activities a set contact_id = null where a.workspace_id = w and a.id = any (linked) and a.contact_id = p_id;
    perform set_config('app.unlinks', '', true);
    delete from activity_contacts l where l.workspace_id = w and l.activity_id = any (linked) and l.contact_id = p_id;
  else
    delete from activities a where a.workspace_id = w and a.id = any (linked) and num_nonnulls(a.customer_id, a.deal_id) = 1 and a.contact_ids = '{}';
    perform set_config('app.unlinks', 'on', true);
    update activities a set customer_id = null where a.workspace_id = w and a.id = any (linked) and a.customer_id = p_id;
    perform set_config('app.unlinks', '', true);
  end if;
  return cardinality(linked);
end $$;

-- Deletes and unlinks rows that refer to these records, those that refer to such rows first; about p_limit. Returns their number: 0 if none is left.
create or replace function delete_below(p_table text, p_ids uuid[], p_limit int) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  n int := case when p_table = any (deleted_in_batches()) then delete_activities_of(p_table, p_ids[1], p_limit) else 0 end;
  rows_of uuid[];
  changed int;
  k record;
begin
  for k in select f.child::text as child, f.col, f.on_delete = 'n' as unlinks, exists (select from foreign_keys() b where b.parent = f.child and b.child <> f.child
      and b.on_delete in ('c', 'n')) as has_below from foreign_keys() f where f.parent::text = p_table and f.child::text <> p_table and f.on_delete in ('c', 'n') order by 1, 2
  loop
    exit when n >= p_limit;
    execute format('select array(select id from %I where workspace_id = $1 and %I = any ($2) limit $3)', k.child, k.col) into rows_of using w, p_ids, p_limit - n;
    continue when rows_of = '{}';
    if k.unlinks then
      perform set_config('app.unlinks', 'on', true);
      execute format('update %I set %2$I = null where workspace_id = $1 and id = any ($2) and %2$I = any ($3)', k.child, k.col) using w, rows_of, p_ids;
      get diagnostics changed = row_count;
      perform set_config('app.unlinks', '', true);
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

-- Makes the transaction a part of a deletion: its changes name the request that has begun it.
create or replace function continue_deletion(d deletions) returns void language plpgsql as $$
begin
  perform set_cause(d.cause_type, d.cause_id, d.cause_depth);
  perform set_config('app.request_id', coalesce(d.request_id, ''), true), set_config('app.key_id', coalesce(d.key_id::text, ''), true),
    set_config('app.user_id', coalesce(d.user_id::text, ''), true), set_config('app.skip_automations', case when d.skip_automations then 'true' else '' end, true),
    set_config('app.deletion', d.id::text, true), set_config('app.deletion_xid', d.xid::text, true), set_config('app.deleted_record', d.record_id::text, true),
    set_config('app.unchecked_values', 'on', true);
end $$;

-- Deletes the next dependants of a deletion that a worker has claimed, and the row of the record when none is left. Returns whether it has ended;
-- null if the claim is lost.
create or replace function run_deletion(p_workspace uuid, p_id uuid, p_claim uuid, p_limit int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d deletions;
  n int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into d from deletions where workspace_id = p_workspace and id = p_id and claim_id = p_claim for update;
  if d.id is null then return null; end if;
  if d.ended_at is not null then return true; end if;
  perform continue_deletion(d);
  n := delete_below(d.table_name, array[d.record_id], p_limit);
  if n = 0 then execute format('delete from %I where workspace_id = $1 and id = $2', d.table_name) using p_workspace, d.record_id; end if;
  update deletions set processed = processed + n, state = case n when 0 then 'completed' else 'running' end, ended_at = case n when 0 then now() end
    where workspace_id = p_workspace and id = p_id;
  return n = 0;
end $$;

-- Raises CONFLICT for a record that the background is still deleting.
create or replace function assert_deletion_ended(p_what text, p_id uuid) returns void stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  job constant uuid := (select d.id from deletions d where d.workspace_id = (select current_workspace()) and d.record_id = p_id and d.ended_at is null limit 1);
begin
  if job is not null then
    perform fail('CONFLICT', format('This %s is still being deleted: restore it when the job has ended', p_what), jsonb_build_object('job_id', job));
  end if;
end $$;

-- Gives the log entry of a request the status 202, if a job completes what was asked.
create or replace function note_accepted(p_accepted boolean) returns void language plpgsql as $$
begin
  if p_accepted and current_setting('app.request', true) <> '' then
    perform set_config('app.request', (current_setting('app.request')::jsonb || '{"status": 202}')::text, true);
  end if;
end $$;

-- Deletes jobs that have ended before the rows of their deletions expire, at most p_limit, and returns their number.
create or replace function expire_deletions(p_limit int) returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n int;
begin
  delete from deletions where ctid = any (array(select ctid from deletions
    where id < id_at(now() - make_interval(days => restore_days())) and ended_at is not null limit p_limit));
  get diagnostics n = row_count;
  return n;
end $$;

call hide_deletions();

revoke execute on function key_that_keeps, record_deletion, empty_record, start_deletion, start_deletions, running_deletions, delete_activities_of, delete_below,
  continue_deletion, run_deletion, assert_deletion_ended, expire_deletions from public, app;
grant execute on function start_deletion, start_deletions to app;
grant execute on function run_deletion to jobs;
