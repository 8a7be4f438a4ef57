/*
  What merges and purges know of the tables: which refer to which, what is unique in each, and which are logs. The catalogue of the database
  tells, but it has no index for these questions, so what it says is written into functions (see remember_catalog) at the end of every
  migration. `find_…` ask the catalogue itself.
*/

create or replace function find_foreign_keys()
  returns table (parent regclass, child regclass, col text, on_delete "char") stable set search_path = public, pg_temp language sql as $$
  select c.confrelid::regclass, c.conrelid::regclass, split_part(c.conname, '.', 2), c.confdeltype from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by c.conname
$$;

/*
  Whether the deletions of a table call the triggers that see all deleted rows `row` by row, or once for each `statement`. Most statements
  of foreign keys delete nothing, and a trigger of rows is not called by them: the call for the first row does what there is to do.
*/
create or replace function calls_of_deletions(p_table text) returns text stable language sql as $$
  select case when exists (select from find_foreign_keys() k where k.child = p_table::regclass and k.on_delete = 'c'
      and k.parent <> 'workspaces'::regclass)
    and exists (select from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.oid = p_table::regclass and c.relkind = 'r' and a.attname = 'id')
    then 'row' else 'statement' end
$$;

create or replace function find_unique_keys()
  returns table (of regclass, cols text[], condition text, flag text, with_nulls boolean) stable set search_path = public,
  pg_temp language sql as $$
  select i.indrelid::regclass, k.cols, coalesce(k.condition, 'true'), (select a.attname::text from pg_attribute a
    where a.attrelid = i.indrelid and a.attname = k.condition), i.indnullsnotdistinct
    from pg_index i join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace and not c.relispartition, lateral (
      select array_agg(a.attname::text order by u.n) as cols, pg_get_expr(i.indpred, i.indrelid) as condition
      from unnest(i.indkey::int2[]) with ordinality u(att, n) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = u.att) k
    where i.indisunique and i.indexprs is null and 'id' <> all (k.cols)
  -- Rules that no index holds.
  union all select 'deal_stakeholders'::regclass, '{workspace_id,deal_id,contact_id,bucket_id}', 'true', null, true
  union all select 'contacts'::regclass, '{workspace_id,customer_id}', 'is_primary', 'is_primary', false
$$;

/*
  Log tables: those whose rows are no records of their own, for they have no history, and keep JSON. Found here, and listed nowhere. `about`
  is whether a row has one of the ids ($2) in a column, `mentioned` whether its JSON has one, or one of the addresses and numbers ($3).
  `candidates` selects the places of the rows that may: through the index <table>_by_mention, whose keys ($4) are those of mention_keys, and
  through indexes of columns. `has_mentions` is whether there is the former; a table without it is read whole. `is true` keeps the planner
  from reading all rows of the workspace instead (redact_responses).
*/
create or replace function find_log_tables()
  returns table (name regclass, about text, mentioned text, blanks text, candidates text, has_mentions boolean) stable
  set search_path = public, pg_temp language sql as $$
  with tables as materialized (
    select c.oid, c.oid::regclass as name from pg_class c
      where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('changes', 'outbox', 'idempotency')
      and c.oid <> all (array(select g.tgrelid from pg_trigger g where g.tgname = 'record_update'))
  ), cols as materialized (
    select t.oid, t.name, a.attname as col, a.attnum, a.atttypid = 'jsonb'::regtype as is_json
    from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    and a.atttypid in ('jsonb'::regtype, 'uuid'::regtype)
  )
  select k.name,
    coalesce(string_agg(format('coalesce(r.%I = any ($2), false)', k.col), ' or ' order by k.attnum) filter (where not k.is_json), 'false'),
    string_agg(format('coalesce(mentions(r.%I::text, $2, $3), false)', k.col), ' or ' order by k.attnum) filter (where k.is_json),
    string_agg(format('%1$I = case when theirs.about then redact(r.%1$I) else without_mentions(r.%1$I, $2, $3) end', k.col), ', '
      order by k.attnum) filter (where k.is_json),
    coalesce((select string_agg(distinct format('select ctid from %s where %s', k.name, found), ' union ') from (
        select format('(workspace_id = $1) is true and (%s) && $4', pg_get_expr(i.indexprs, i.indrelid))
          || coalesce(' and ' || pg_get_expr(i.indpred, i.indrelid), '') as found
          from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = k.oid and x.relname = k.name || '_by_mention'
        union all select format('workspace_id = $1 and %I = any ($2)', u.col) from pg_index i
        join cols u on u.oid = i.indrelid and u.attnum = i.indkey[1] and not u.is_json
          where i.indrelid = k.oid and i.indpred is null and not i.indisprimary and u.col <> 'workspace_id') ways),
      format('select ctid from %s where workspace_id = $1', k.name)),
    exists (select from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = k.oid and x.relname = k.name || '_by_mention')
  from (select cols.* from cols where col <> 'workspace_id') k
  where exists (select from cols w where w.oid = k.oid and w.col = 'workspace_id') group by k.oid, k.name having bool_or(k.is_json)
$$;

-- Writes what the catalogue says of the tables into functions. To be called when tables, references, indexes or triggers have changed:
-- every migration ends so.
create or replace procedure remember_catalog() set search_path = public, pg_temp language plpgsql as $$
begin
  execute format('
create or replace function foreign_keys()
    returns table (parent regclass, child regclass, col text, on_delete "char") stable language sql as %L', (
    select 'values ' || string_agg(format('(%L::regclass, %L::regclass, %L, %L::"char")', k.parent, k.child, k.col, k.on_delete), ', '
      order by k.parent::text, k.child::text, k.col) from find_foreign_keys() k));
  execute format('
create or replace function all_unique_keys()
    returns table (of regclass, cols text[], condition text, flag text, with_nulls boolean) stable language sql as %L', (
    select 'values '
      || string_agg(format('(%L::regclass, %L::text[], %L, %L::text, %L::boolean)', k.of, k.cols, k.condition, k.flag, k.with_nulls), ', '
      order by k.of::text, k.cols, k.condition) from find_unique_keys() k));
  execute format('
create or replace function log_tables()
    returns table (name regclass, about text, mentioned text, blanks text,
    candidates text, has_mentions boolean) stable language sql as %L', (
    select 'values '
      || string_agg(format('(%L::regclass, %L, %L, %L, %L, %L::boolean)', l.name, l.about, l.mentioned, l.blanks,
      l.candidates, l.has_mentions), ', '
      order by l.name::text) from find_log_tables() l));
  call remember_dependants();
end $$;

-- Foreign keys onto the records of a kind.
create or replace function links_to(p_parents regclass[])
  returns table (parent regclass, child regclass, col text) stable set search_path = public, pg_temp language sql as $$
  select k.parent, k.child, k.col from foreign_keys() k where k.parent = any (p_parents)
$$;

-- The columns that refer to a table's records. `level`: rows of a lower one may point to rows of a higher one, so that they go first.
create or replace function references_to(p_parent regclass)
  returns table (child regclass, col text, on_delete "char", level int) stable set search_path = public, pg_temp language sql as $$
  with recursive refs as (
    select k.child, k.col, k.on_delete from foreign_keys() k where k.parent = p_parent
  ), steps as (
    select r.child, 0 as level from refs r
    union
    select k.parent, s.level + 1 from steps s join foreign_keys() k on k.child = s.child
      where s.level < 20 and k.parent not in (p_parent, k.child) and k.parent in (select r.child from refs r)
  )
  select r.child, r.col, r.on_delete, (select max(s.level) from steps s where s.child = r.child) from refs r
$$;

-- What no two rows of a table share: by its indexes, and by rules that no index holds. A row may lose a `flag` where it would otherwise
-- have to go.
create or replace function unique_keys(p_table regclass)
  returns table (cols text[], condition text, flag text, with_nulls boolean) stable set search_path = public, pg_temp language sql as $$
  select k.cols, k.condition, k.flag, k.with_nulls from all_unique_keys() k where k.of = p_table
$$;
