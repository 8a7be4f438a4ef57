/*
  Partitions of changes, outbox and requests: <table>_past contains everything below the first bound and <table>_open everything from the
  last bound, so there is a partition for every id without a default partition, which would prevent ordered reads. The others are named
  after the day of their lower bound.
*/
create or replace function partitions_of(p_table text)
  returns table (name text, lower_bound uuid, upper_bound uuid) stable set search_path = public, pg_temp language sql as $$
  select c.relname::text, substring(b.text from 'FROM \(''([0-9a-f-]{36})''\)')::uuid,
    substring(b.text from 'TO \(''([0-9a-f-]{36})''\)')::uuid
  from pg_inherits i join pg_class c on c.oid = i.inhrelid, lateral (select pg_get_expr(c.relpartbound, c.oid) as text) b
  where i.inhparent = p_table::regclass order by 2 nulls first
$$;

-- Creates a table that can be attached as a partition. It has no grants: rows are accessed through the partitioned table.
create or replace function new_partition(p_table text, p_name text) returns void set search_path = public, pg_temp language plpgsql as $$
begin
  execute format('create table %I (like %I including all)', p_name, p_table);
  call expect_large_workspaces(p_name);
  execute format('alter table %I enable row level security', p_name);
  execute format('alter table %I force row level security', p_name);
  execute format('create policy tenant on %I using (workspace_id = (select current_workspace()))
    with check (workspace_id = (select current_workspace()))', p_name);
end $$;

-- Moves rows to another table with the same columns and returns their number.
create or replace function move_rows(p_from text, p_to text, p_condition text)
  returns bigint set search_path = public, pg_temp language plpgsql as $$
declare
  columns constant text := (select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = p_to::regclass and attnum > 0 and not attisdropped and attgenerated = '');
  moved bigint;
begin
  execute format('with gone as (delete from %I where %s returning %s) insert into %I (%s) select %s from gone', p_from, p_condition,
    columns, p_to, columns, columns);
  get diagnostics moved = row_count;
  return moved;
end $$;

/*
  Closes the open partition at a bound and opens the next one. If the bound is in the future the partition is attached without a scan of
  many rows; ids beyond the bound (from a wrong clock) move to the new one.
*/
create or replace function close_partition(p_table text, p_lower uuid, p_upper uuid)
  returns void set search_path = public, pg_temp language plpgsql as $$
declare
  open constant text := p_table || '_open';
  closed constant text := p_table || '_' || to_char(instant_of(p_lower) at time zone 'UTC', 'YYYYMMDD');
begin
  execute format('alter table %I detach partition %I', p_table, open);
  execute format('alter table %I rename to %I', open, closed);
  perform new_partition(p_table, open);
  perform move_rows(closed, open, format('id >= %L', p_upper));
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_table, closed, p_lower, p_upper);
  execute format('alter table %I attach partition %I for values from (%L) to (maxvalue)', p_table, open, p_upper);
end $$;

/*
  Drops the partitions that end before the bound and creates <table>_past anew in their place. Undelivered events move there. If there are
  more of them than p_most, nothing is dropped: delivery has failed for weeks and must be repaired first.
*/
create or replace function drop_partitions(p_table text, p_before uuid, p_most int default 10000)
  returns int set search_path = public, pg_temp language plpgsql as $$
declare
  past constant text := p_table || '_past';
  pending constant text := case p_table when 'outbox' then 'needs_delivery and delivered_at is null' else 'false' end;
  old text[];
  bound uuid;
  t text;
  found boolean;
  n bigint;
begin
  select array_agg(name), max(upper_bound::text)::uuid into old, bound from partitions_of(p_table) where upper_bound <= p_before;
  if old is null then return 0; end if;
  if old = array[past] then
    execute format('select exists (select from %I where not (%s))', past, pending) into found;
    if not found then return 0; end if;
  end if;
  execute format('select count(*) from (select from %I where id < %L and %s limit %s) x', p_table, bound, pending, p_most + 1) into n;
  if n > p_most then
    raise warning 'partitions of % stay: more than % events before % are undelivered', p_table, p_most, instant_of(bound);
    return 0;
  end if;
  execute format('alter table %I detach partition %I', p_table, past);
  execute format('alter table %I rename to %I', past, past || '_old');
  perform new_partition(p_table, past);
  foreach t in array old loop
    if t = past then
      t := past || '_old';
    else
      execute format('alter table %I detach partition %I', p_table, t);
    end if;
    if p_table = 'outbox' then perform move_rows(t, past, pending); end if;
    execute format('drop table %I', t);
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', p_table, past, bound);
  return cardinality(old);
end $$;

/*
  Maintains a table's partitions: each covers a tenth of the retention period, one or two are prepared ahead of time, and expired ones are
  dropped. There are at most 24; beyond that the open one grows. Writers wait for at most half a second, because lock_timeout cancels the
  function, which the caller then repeats. What is dropped depends on the database's own clock only, not on p_now.
*/
create or replace function rotate_partitions(p_table text, p_keep_days int, p_now timestamptz)
  returns jsonb security definer set search_path = public, pg_temp set lock_timeout = '500ms' language plpgsql as $$
declare
  least_days constant int := case p_table when 'changes' then 90 when 'outbox' then 30 when 'requests' then 30 end;
  period constant bigint := ceil(p_keep_days / 10.0);
  first_open uuid;
  bound uuid;
  days bigint;
  closed int := 0;
begin
  if least_days is null then raise exception 'rotate_partitions: % is no table in partitions', p_table using errcode = '22023'; end if;
  if p_keep_days < least_days or p_keep_days > 36500 then
    raise exception 'rotate_partitions: % is kept for % to 36500 days, not for %', p_table, least_days, p_keep_days using errcode = '22023';
  end if;
  -- Concurrent runs take turns.
  perform pg_advisory_xact_lock(hashtext('rotate_partitions'), hashtext(p_table));
  loop
    select lower_bound into strict first_open from partitions_of(p_table) where name = p_table || '_open';
    exit when first_open > id_at(p_now + make_interval(days => period::int)) or (select count(*) from partitions_of(p_table)) >= 24;
    days := extract(epoch from greatest(p_now, instant_of(first_open)))::bigint / 86400;
    bound := id_at(to_timestamp((days / period + 1) * period * 86400));
    perform close_partition(p_table, first_open, bound);
    closed := closed + 1;
  end loop;
  return jsonb_build_object('created', closed, 'dropped',
    drop_partitions(p_table, id_at(least(p_now, clock_timestamp()) - make_interval(days => p_keep_days))));
end $$;

revoke execute on function partitions_of, new_partition, move_rows, close_partition, drop_partitions, rotate_partitions
  from public, app;
grant execute on function rotate_partitions to jobs;
