-- Finds the moved rows that would equal another row by a unique key of their table. They are dropped, or lose the flag that only one row
-- may have. Nested loops are disabled, because the planner has no statistics of a merge in progress and would compare every entry with
-- every row.
create or replace function dedupe_moved_rows(p_table regclass, p_merge uuid, p_group uuid[], p_winner uuid, p_links text[])
  returns void language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  rule record;
  ours text := (select string_agg(format('c.%I = $4', l), ' or ') from unnest(p_links) l);
  any_of text := (select string_agg(format('c.%I = any ($3)', l), ' or ') from unnest(p_links) l);
begin
  for rule in select k.*, (select string_agg(format('k.%I', c), ', ') from unnest(k.cols) c) as names,
    (select string_agg(format('k.%I is not null', c), ' and ') from unnest(k.cols) c) as filled
    from unique_keys(p_table) k where k.cols && p_links order by k.flag nulls first
  loop
    execute format($q$
      with placed as (
        select c.id, e.row_id is not null as moves, first_value(c.id) over s as first, row_number() over s as n
        from %1$s c left join merge_entries e on e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %2$L and e.row_id = c.id
          and e.action = 'moved'
          cross join lateral (select %3$s, (%4$s) as applies from jsonb_populate_record(c, coalesce(e.after, '{}')) k) k
        where c.workspace_id = $1 and (%5$s) and (e.row_id is not null or %6$s) and k.applies and (%7$s)
        window s as (partition by %3$s order by e.row_id is not null, e.place, c.id)
      )
      update merge_entries e set %8$s from placed p
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %2$L and e.row_id = p.id and p.moves and p.n > 1 $q$,
      p_table, p_table::text, rule.names, rule.condition, any_of, ours, case when rule.with_nulls then 'true' else rule.filled end,
      case when rule.flag is null then $s$action = 'dropped', survivor = p.first$s$
        else format($s$before = e.before || '{"%1$s": true}', after = e.after || '{"%1$s": false}'$s$, rule.flag) end)
          using current_workspace(), p_merge, p_group, p_winner;
  end loop;
end $$;

/*
  Locks every row that refers to a loser and stores what happens to it: it moves to the winner; it is unlinked if its category was opted out
  and its reference can be null; it is dropped if the winner already has an equal row, and deleted if it can be neither moved nor unlinked.
  Returns the categories that are moved even when opted out, because the database would otherwise delete their rows or refuse the merge.
*/
create or replace function plan_merge(p_of regclass, p_merge uuid, p_winner uuid, p_losers uuid[], p_categories jsonb, p_opted_out jsonb,
  p_most int) returns text[] language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  forced text[];
  t record;
  rule record;
begin
  select array_agg(distinct coalesce(p_categories ->> (r.child || '.' || r.col), r.child::text)) into forced from references_to(p_of) r
    where r.on_delete <> 'n';
  for t in
    select l.child, array_agg(l.col) as cols, bool_and(l.on_delete = 'c')
      and exists (select from pg_attribute a where a.attrelid = l.child and a.attname = 'position') as ordered,
      string_agg(format('c.%I = any ($3)', l.col), ' or ') as found,
      string_agg(format('when c.%I = any ($3) then %L', l.col, case when l.leaves then 'unlinked' else 'moved' end), ' ') as action,
      string_agg(format('when c.%I = any ($3) then %L', l.col, l.category), ' ') as category,
      string_agg(format('when c.%I = any ($3) then array_position($3, c.%I)', l.col, l.col), ' ') as loser,
      string_agg(format('%L, c.%I', l.col, l.col), ', ') as before,
      string_agg(format('%L, case when c.%I = any ($3) then %s else c.%I end', l.col, l.col, case when l.leaves then 'null'
        else '$4' end, l.col), ', ') as after
    from (select r.*, c.category, p_opted_out ? c.category and c.category <> all (forced) as leaves
      from references_to(p_of) r, lateral (select coalesce(p_categories ->> (r.child || '.' || r.col), r.child::text) as category) c
        order by r.col) l
    group by l.child order by min(l.level), l.child::text
  loop
    execute format($q$
      insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, category, place, before, after)
      select $1, $2, %1$L, r.id, r.action, r.category, r.place,
        r.before || case when %2$L then jsonb_build_object('position', r.position) else '{}' end,
        r.after || case when %2$L then jsonb_build_object('position', r.place - 1
          + (select coalesce(max(o.position) + 1, 0) from %4$s o where o.workspace_id = $1 and o.%3$I = $4)) else '{}' end
      from (select c.id, %5$s as position, case %6$s end as action, case %7$s end as category,
        row_number() over (order by case %8$s end, %5$s, c.id) as place,
          jsonb_build_object(%9$s) as before, jsonb_build_object(%10$s) as after
        from (select * from %11$s c where c.workspace_id = $1 and (%12$s) and not ($5 and c.id = any ($3 || $4))
          order by c.id for update) c) r $q$,
      t.child::text, t.ordered, t.cols[1], case when t.ordered then t.child::text
        else '(select null::uuid as workspace_id, null::uuid as ' || quote_ident(t.cols[1]) || ', 0 as position)' end,
      case when t.ordered then 'c.position' else '0' end, t.action, t.category, t.loser, t.before, t.after, t.child, t.found)
        using w, p_merge, p_losers, p_winner, t.child = p_of;
    -- A row that could not stay without the record is moved, although its category was opted out: an opt-out deletes nothing.
    for rule in select pg_get_expr(c.conbin, c.conrelid) as holds from pg_constraint c where c.contype = 'c' and c.conrelid = t.child
      and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname = any (t.cols))
    loop
      execute format($q$
        update merge_entries e set action = 'moved',
            after = e.after || (select jsonb_object_agg(l, $4) from unnest($5) l where (e.before ->> l)::uuid = any ($3))
          where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action = 'unlinked'
            and exists (select from %2$s c, lateral (select (%3$s) as holds from jsonb_populate_record(c, e.after) k) k
              where c.workspace_id = $1 and c.id = e.row_id and not k.holds) $q$,
        t.child::text, t.child, rule.holds) using w, p_merge, p_losers, p_winner, t.cols;
    end loop;
    perform dedupe_moved_rows(t.child, p_merge, p_losers || p_winner, p_winner, t.cols);
    for rule in select pg_get_expr(c.conbin, c.conrelid) as holds from pg_constraint c where c.contype = 'c' and c.conrelid = t.child
      and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname = any (t.cols))
    loop
      execute format($q$
        update merge_entries e set action = case e.action when 'moved' then 'dropped' else 'deleted' end
          where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('moved', 'unlinked')
          and exists (select from %2$s c, lateral (select (%3$s) as holds from jsonb_populate_record(c, e.after) k) k
            where c.workspace_id = $1 and c.id = e.row_id and not k.holds) $q$,
        t.child::text, t.child, rule.holds) using w, p_merge;
    end loop;
    execute format($q$update merge_entries e set before = to_jsonb(c) from %s c
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %L and e.action in ('dropped', 'deleted') and c.workspace_id = $1
      and c.id = e.row_id $q$, t.child, t.child::text) using w, p_merge;
  end loop;
  perform plan_custom_references(p_of, p_merge, p_winner, p_losers);
  if (select count(*) from merge_entries e where e.workspace_id = w and e.merge_id = p_merge) > p_most then
    perform fail('CONFLICT', format('More than %s records belong to the losers: merge fewer at a time', p_most));
  end if;
  -- Rows that refer to a dropped row now refer to the row that replaces it.
  for t in select e.table_name, r.child, r.col
    from (select distinct d.table_name from merge_entries d where d.workspace_id = w and d.merge_id = p_merge and d.action = 'dropped') e,
    references_to(e.table_name::regclass) r
  loop
    execute format($q$
      insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
      select $1, $2, %1$L, c.id, 'adjusted', 0, jsonb_build_object(%2$L, c.%2$I), jsonb_build_object(%2$L, e.survivor)
      from merge_entries e join %3$s c on c.workspace_id = $1 and c.%2$I = e.row_id
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %4$L and e.action = 'dropped' and e.survivor is not null
      on conflict (workspace_id, merge_id, table_name, row_id) do update
        set before = merge_entries.before || excluded.before, after = merge_entries.after || excluded.after $q$,
      t.child::text, t.col, t.child, t.table_name) using w, p_merge;
  end loop;
  if p_of = 'opportunities'::regclass then
    -- A billing party whose share would bring the total above 100 percent loses its share.
    update merge_entries e
      set before = e.before || jsonb_build_object('share_percent', s.share_percent), after = e.after || '{"share_percent": null}'
      from (select m.row_id, b.share_percent, sum(b.share_percent) over (order by m.place)
        + (select coalesce(sum(o.share_percent), 0) from billing_parties o
        where o.workspace_id = w and o.opportunity_id = p_winner) as promised
        from merge_entries m join billing_parties b on b.workspace_id = w and b.id = m.row_id
          where m.workspace_id = w and m.merge_id = p_merge and m.table_name = 'billing_parties' and m.action = 'moved') s
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = 'billing_parties' and e.row_id = s.row_id
        and s.share_percent is not null and s.promised > 100;
  end if;
  return forced;
end $$;

-- Applies the planned changes with one statement per table.
create or replace function apply_moves(p_of regclass, p_merge uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  t record;
begin
  for t in
    select e.table_name, string_agg(format('%1$I = case when e.after ? %1$L then r.%1$I else c.%1$I end', e.key), ', ') as sets
    from (select distinct m.table_name, k.key from merge_entries m, jsonb_object_keys(m.after) k(key)
      where m.workspace_id = w and m.merge_id = p_merge and m.action in ('moved', 'unlinked', 'adjusted')) e
    group by e.table_name
      order by (select min(r.level) from references_to(p_of) r where r.child = e.table_name::regclass) nulls first, e.table_name
  loop
    execute format($q$update %1$I c set %2$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$I, e.after) r
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('moved', 'unlinked', 'adjusted')
        and c.workspace_id = $1 and c.id = e.row_id $q$, t.table_name, t.sets) using w, p_merge;
  end loop;
  perform set_flag('merge_in_progress');
  for t in select distinct e.table_name from merge_entries e
    where e.workspace_id = w and e.merge_id = p_merge and e.action in ('dropped', 'deleted') loop
    execute format($q$delete from %1$I c using merge_entries e
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('dropped', 'deleted') and c.workspace_id = $1
      and c.id = e.row_id $q$, t.table_name)
      using w, p_merge;
  end loop;
  perform clear_flag('merge_in_progress');
end $$;

-- The row that replaces a dropped one takes over its flag, unless another row has the flag.
create or replace function inherit_flags(p_of regclass, p_merge uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t record;
begin
  for t in select r.child, k.flag, string_agg(format('s.%I', c), ', ') as names, string_agg(format('o.%1$I = s.%1$I', c), ' and ') as same
    from (select distinct l.child from references_to(p_of) l) r, unique_keys(r.child) k, unnest(k.cols) c where k.flag is not null
      group by 1, 2, k.cols
  loop
    execute format($q$
      with heirs as (
        insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
        select distinct on (%3$s) $1, $2, %1$L, s.id, 'adjusted', 0, '{"%2$s": false}', '{"%2$s": true}'
        from merge_entries d join %5$s s on s.workspace_id = $1 and s.id = d.survivor
        where d.workspace_id = $1 and d.merge_id = $2 and d.table_name = %1$L and d.action = 'dropped' and (d.before ->> %2$L)::boolean
          and not s.%2$I
          and not exists (select from %5$s o where %4$s and o.%2$I)
        order by %3$s, d.place
        on conflict (workspace_id, merge_id, table_name, row_id) do update
          set before = excluded.before || merge_entries.before, after = merge_entries.after || excluded.after
        returning row_id
      )
      update %5$s c set %2$I = true from heirs
        where c.workspace_id = $1 and c.id = heirs.row_id $q$, t.child::text, t.flag, t.names, t.same, t.child)
        using current_workspace(), p_merge;
  end loop;
end $$;

/*
  Merges records into one of them. The number of statements depends on the tables that refer to the records, not on the number of records
  or rows. confirm_merge_facts has locked the records. p: merge_id; entity; table; winner_id; loser_ids; categories (names by foreign key);
  opted_out (names of categories); most (the most rows that may belong to the losers); values, the winner's columns that change, and
  sources, by field the losers that its value is from, as src/features/merges/rules decided them. The row in `merges` describes the outcome.
*/
create or replace function merge_records(p jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  this constant uuid := (p ->> 'merge_id')::uuid;
  of constant regclass := (p ->> 'table')::regclass;
  winner constant uuid := (p ->> 'winner_id')::uuid;
  losers constant uuid[] := array(select value::uuid from jsonb_array_elements_text(p -> 'loser_ids'));
  forced text[];
  was jsonb;
  theirs jsonb;
  becomes jsonb;
  sets text;
begin
  execute format('select to_jsonb(r) || jsonb_build_object(''metadata'', r.metadata - custom_keys_of($3, r.metadata, $4)) from %s r
    where r.workspace_id = $1 and r.id = $2', of) into was using w, winner, p ->> 'entity', losers;
  execute format('select jsonb_agg(to_jsonb(r) order by array_position($2, r.id)) from %s r where r.workspace_id = $1 and r.id = any ($2)',
    of) into theirs using w, losers;
  -- Converted to the column types, so that equal values compare as equal.
  execute format('select coalesce(jsonb_object_agg(k, to_jsonb(r) -> k), ''{}'')
    from jsonb_populate_record(null::%s, $1) r, jsonb_object_keys($1) k', of)
    into becomes using p -> 'values';

  insert into merges (id, entity, winner_id, request_id, merged_by)
    values (this, p ->> 'entity', winner, current_request_id(), current_user_id());
  forced := plan_merge(of, this, winner, losers, p -> 'categories', p -> 'opted_out', (p ->> 'most')::int);
  insert into merge_entries (merge_id, table_name, row_id, action, place, before, after)
    select this, of::text, (l ->> 'id')::uuid, 'merged', at, l, '{}' from jsonb_array_elements(theirs) with ordinality e(l, at);
  perform apply_moves(of, this);
  perform end_doubled_runs(w, winner);
  select string_agg(format('%1$I = r.%1$I', k), ', ') into sets from jsonb_each(becomes) e(k, v) where v is distinct from was -> k;
  if (was ->> 'parent_company_id')::uuid = any (losers) then
    -- The winner stops referring to a loser in the statement that deletes it, at whose end references are checked.
    execute format('with gone as (delete from %1$s where workspace_id = $1 and id = any ($4) returning id)
      update %1$s c set %2$s from jsonb_populate_record(null::%1$s, $3) r, (select count(*) from gone) g
      where c.workspace_id = $1 and c.id = $2', of, sets) using w, winner, becomes, losers;
    sets := null;
  else
    execute format('delete from %s where workspace_id = $1 and id = any ($2)', of) using w, losers;
  end if;
  perform inherit_flags(of, this);
  if sets is not null then
    execute format('update %1$s c set %2$s from jsonb_populate_record(null::%1$s, $3) r where c.workspace_id = $1 and c.id = $2', of, sets)
      using w, winner, becomes;
  end if;
  -- Deferred constraints are checked now, because a dry run never reaches the end of its transaction.
  set constraints all immediate; set constraints all deferred;

  update merges m set forced_categories = forced, field_changes = merged_changes(was, was || becomes, p -> 'sources'),
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name',
        coalesce(l ->> 'name', concat_ws(' ', l ->> 'first_name', l ->> 'last_name')), 'email', l -> 'email', 'phone', l -> 'phone',
        'external_id', l -> 'external_id') order by at)
        from jsonb_array_elements(theirs) with ordinality e(l, at)),
      moved = n.moved, dropped = n.dropped, left_behind = n.left_behind
    from (
      select jsonb_object_agg(c, coalesce(moved, 0)) as moved,
        coalesce(jsonb_object_agg(c, dropped) filter (where dropped > 0), '{}') as dropped,
        coalesce(jsonb_object_agg(c,
          jsonb_build_object('unlinked', coalesce(unlinked, 0), 'deleted', coalesce(deleted, 0))) filter (where p -> 'opted_out' ? c
          and c <> all (forced)), '{}') as left_behind
      from (select value as c from jsonb_each_text(p -> 'categories') union select e.category from merge_entries e
        where e.workspace_id = w and e.merge_id = this and e.category is not null) names
      -- A category may have two tables, such as a company's contacts and their employers: their rows are counted once.
      left join (select category, max(moved) as moved, max(dropped) as dropped, max(unlinked) as unlinked, max(deleted) as deleted from (
          select category, count(*) filter (where action = 'moved') as moved, count(*) filter (where action = 'dropped') as dropped,
            count(*) filter (where action = 'unlinked') as unlinked, count(*) filter (where action = 'deleted') as deleted
          from merge_entries where workspace_id = w and merge_id = this group by category, table_name) by_table
            group by category) counted on counted.category = c) n
    where m.workspace_id = w and m.id = this;
  perform emit((p ->> 'entity') || '.merged', p ->> 'entity', winner, jsonb_build_object('merge_id', this, 'loser_ids', to_jsonb(losers)));
end $$;

-- The fields that a merge changes, each with before, after, and the losers that its value is from. A custom field is metadata.<key>.
create or replace function merged_changes(p_was jsonb, p_becomes jsonb, p_sources jsonb) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(name,
      jsonb_build_object('before', was, 'after', is_now, 'from', coalesce(p_sources -> name, '[]'))), '{}') from (
    select k as name, coalesce(p_was -> k, 'null') as was, v as is_now from jsonb_each(p_becomes) e(k, v) where k <> 'metadata'
    union all select 'metadata.' || k, coalesce(p_was -> 'metadata' -> k, 'null'), coalesce(p_becomes -> 'metadata' -> k, 'null')
      from (select jsonb_object_keys(p_becomes -> 'metadata') k union select jsonb_object_keys(p_was -> 'metadata')) keys) each
    where was <> is_now);

revoke execute on function dedupe_moved_rows, plan_merge, apply_moves, inherit_flags, merge_records from public;
grant execute on function merge_records to app;
