-- Undoing a merge: restoring what it deleted and changed (see unmerge_records).

/*
  Adapts rows that are to be restored to the current data: `after` of their entries contains each row as it will be. A reference to a
  deleted row is cleared, and so is a unique value that another record has taken; a row that requires the value gets an outcome instead.
  Returns what was changed.
*/
create or replace function fit_rows(p_table regclass, p_merge uuid, p_actions text[])
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  mine constant text := format($q$e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %L and e.action = any ($3)
    and e.outcome is null$q$, p_table::text);
  report jsonb := '[]';
  part jsonb;
  rule record;
begin
  for rule in
    select split_part(c.conname, '.', 2) as col, c.confrelid::regclass as parent, k.attname as key, a.attnotnull as needed
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attname = split_part(c.conname, '.', 2)
      join pg_attribute k on k.attrelid = c.confrelid and k.attnum = c.confkey[array_position(c.conkey, a.attnum)]
    where c.contype = 'f' and c.conrelid = p_table and a.attname <> 'workspace_id'
  loop
    execute format($q$
      with lost as (
        update merge_entries e
          set after = case when %1$L then e.after else e.after || '{"%2$s": null}' end, outcome = case when %1$L then 'gone' end
        where %3$s and e.after ->> %2$L is not null and not exists (select from %4$s t
          where t.workspace_id = $1 and t.%5$I = (e.after ->> %2$L)::uuid)
          and (select true from merge_entries o
            where o.workspace_id = $1 and o.merge_id = $2 and o.table_name = %6$L and o.row_id = (e.after ->> %2$L)::uuid
            and o.action in ('merged', 'dropped', 'deleted') and o.outcome is null) is null
        returning e.row_id
      ) select jsonb_agg(jsonb_build_object('table', %7$L, 'id', row_id, 'field', %2$L, 'reason', 'gone')) from lost $q$,
      rule.needed, rule.col, mine, rule.parent, rule.key, rule.parent::text, p_table::text) into part using w, p_merge, p_actions;
    report := report || coalesce(part, '[]');
  end loop;
  if p_table = 'opportunities'::regclass then
    update merge_entries e set after = e.after || '{"pipeline_id": null, "stage_entered_at": null}'
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = 'opportunities' and e.action = any (p_actions)
        and e.after -> 'stage_id' = 'null' and e.after ->> 'pipeline_id' is not null;
  end if;
  if p_table = 'contacts'::regclass then
    update merge_entries e set after = e.after || '{"is_primary": false}'
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = 'contacts' and e.action = any (p_actions)
        and e.after -> 'customer_id' = 'null' and e.after -> 'is_primary' = 'true';
  end if;
  for rule in select pg_get_expr(c.conbin, c.conrelid) as holds from pg_constraint c
    where c.contype = 'c' and c.conrelid = p_table and not 'kept' = any (p_actions) loop
    execute format($q$update merge_entries e set outcome = 'gone'
      where %s and exists (select from jsonb_populate_record(null::%s, e.after) k, lateral (select (%s) as holds) x where not x.holds)$q$,
      mine, p_table, rule.holds)
      using w, p_merge, p_actions;
  end loop;
  for rule in
    select k.*, (select string_agg(format('o.%1$I = k.%1$I', c), ' and ') from unnest(k.cols) c) as same,
      (select c from unnest(k.cols) c where c <> 'workspace_id' limit 1) as col,
      k.flag is null and cardinality(k.cols) = 2 and not (select a.attnotnull from pg_attribute a
        where a.attrelid = p_table and a.attname = k.cols[2]) as clears
    from unique_keys(p_table) k
  loop
    execute format($q$
      with lost as (
        update merge_entries e
          set after = case when %1$L then e.after || jsonb_build_object(%2$L, %3$s) else e.after end, outcome = case when %1$L then null
          else 'taken' end
        where %4$s and exists (select from jsonb_populate_record(null::%5$s, e.after || jsonb_build_object('workspace_id', $1)) k
          join %5$s o on %6$s and o.id <> e.row_id where %7$s and %8$s)
        returning e.row_id
      ) select jsonb_agg(jsonb_build_object('table', %9$L, 'id', row_id, 'field', %2$L, 'reason', 'taken')) from lost $q$,
      rule.clears or rule.flag is not null, coalesce(rule.flag, rule.col), case when rule.flag is null then 'null'
        else 'false' end, mine, p_table, rule.same,
      case when rule.flag is null then 'true' else format('k.%1$I and o.%1$I', rule.flag) end, case when rule.flag is null
        and rule.condition <> 'true' then 'false' else 'true' end, p_table::text) into part using w, p_merge, p_actions;
    report := report || coalesce(part, '[]');
  end loop;
  return report;
end $$;

-- Prepares rows that a merge or a deletion deleted for being inserted again: `after` of their entries is each row as it will be. Returns
-- what cannot come back.
create or replace function prepare_rows(p_table regclass, p_object text, p_merge uuid, p_actions text[])
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  report jsonb;
  part jsonb;
begin
  -- The version continues from that of the deletion.
  update merge_entries e
    set after = e.before || case when e.before ? 'version'
    then jsonb_build_object('version', (e.before ->> 'version')::int + 2, 'updated_at', now()) else '{}' end
    where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions);
  report := fit_rows(p_table, p_merge, p_actions);
  if p_object is not null then
    report := report || fit_custom_references(p_table, p_object, p_merge, p_actions);
    with taken as (
      select e.row_id, f.field_key from merge_entries e, custom_rows(w, p_object, e.row_id, e.after -> 'metadata') r
        join custom_fields f on f.workspace_id = w and f.id = r.field_id
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions) and r.is_unique
        and exists (select from custom_values v
          where v.workspace_id = w and v.field_id = r.field_id and v.number = r.number and v.text = r.text and v.is_unique)
    ), cleared as (
      update merge_entries e set after = jsonb_set(e.after, '{metadata}', (e.after -> 'metadata') - t.keys)
        from (select row_id, array_agg(field_key) as keys from taken group by 1) t
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.row_id = t.row_id
    ) select jsonb_agg(jsonb_build_object('table', p_table::text, 'id', row_id, 'field', 'metadata.' || field_key, 'reason', 'taken'))
      into part from taken;
    report := report || coalesce(part, '[]');
  end if;
  return report;
end $$;

-- Restores rows that a merge or a deletion deleted, as far as that is still possible. Returns what is not.
create or replace function restore_rows(p_table regclass, p_object text, p_merge uuid, p_actions text[])
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  report constant jsonb := prepare_rows(p_table, p_object, p_merge, p_actions);
  cols text;
begin
  -- A column that was added to the table since then gets its default.
  select string_agg(format('r.%I', a.attname), ', ' order by a.attnum) into cols from pg_attribute a
    where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname = any (array(select jsonb_object_keys(e.after) from merge_entries e
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions)));
  execute format($q$insert into %1$s (%2$s) select %3$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$s, e.after) r
    where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %4$L and e.action = any ($3) and e.outcome is null
      order by e.place $q$, p_table, replace(cols, 'r.', ''), cols, p_table::text) using w, p_merge, p_actions;
  if p_object is not null then
    insert into custom_values select r.* from merge_entries e, custom_rows(w, p_object, e.row_id, e.after -> 'metadata') r
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions)
        on conflict do nothing;
  end if;
  return report;
end $$;

-- Moves rows back that are still where the merge moved them. Returns those that are not.
create or replace function revert_moves(p_of regclass, p_merge uuid, p_winner uuid)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  goes constant text := $q$e.workspace_id = $1 and e.merge_id = $2 and e.action in ('moved', 'unlinked', 'adjusted')
    and e.outcome is null$q$;
  report jsonb := '[]';
  tables jsonb;
  part jsonb;
  t record;
begin
  -- For each table, in order: the condition that a row has been moved again, the columns whose later changes are reported, and the
  -- assignments that restore the row.
  select jsonb_agg(jsonb_build_object('name', name, 'strays', coalesce(strays, 'false'), 'details', details, 'sets', sets)
    order by level, name) into tables from (
    select k.table_name as name, coalesce(min(k.level), -1) as level,
      string_agg(format($q$e.after ? %1$L and coalesce(to_jsonb(c.%2$I), 'null') <> e.after -> %1$L$q$, k.key, k.key),
        ' or ') filter (where k.level is not null) as strays,
      coalesce(jsonb_agg(k.key) filter (where k.level is null and k.key <> 'position'), '[]') as details,
      string_agg(format($q$%1$I = case when e.before ? %2$L and (%3$L or coalesce(to_jsonb(c.%1$I), 'null') = e.after -> %2$L) then r.%1$I
        else c.%1$I end$q$, k.key, k.key, k.level is not null or k.key = 'position'), ', ') as sets
    from (select distinct e.table_name, x.key, r.level from merge_entries e cross join jsonb_object_keys(e.after) x(key) left
      join references_to(p_of) r on r.child = e.table_name::regclass and r.col = x.key
      where e.workspace_id = w and e.merge_id = p_merge and e.action in ('moved', 'unlinked', 'adjusted')) k
    group by k.table_name) each;

  for t in select e ->> 'name' as name, e ->> 'strays' as strays, e -> 'details' as details from jsonb_array_elements(tables) e loop
    execute format($q$
      with marked as (
        update merge_entries e
          set outcome = coalesce((select 'changed' from %1$I c where c.workspace_id = $1 and c.id = e.row_id), 'deleted')
        where %3$s and e.table_name = %1$L
          and coalesce((select %2$s from %1$I c where c.workspace_id = $1 and c.id = e.row_id for update), true)
          returning e.row_id, e.outcome
      ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', null, 'reason', outcome))
        from marked $q$, t.name, t.strays, goes) into part using w, p_merge;
    report := report || coalesce(part, '[]');
    execute format($q$
      select jsonb_agg(jsonb_build_object('table', %1$L, 'id', e.row_id, 'field', d, 'reason', 'changed')) from merge_entries e
        join %1$I c on c.workspace_id = $1 and c.id = e.row_id, jsonb_array_elements_text($3) d
      where %2$s and e.table_name = %1$L and e.after ? d and coalesce(to_jsonb(c) -> d, 'null') not in (e.after -> d, e.before -> d) $q$,
        t.name, goes) into part using w, p_merge, t.details;
    report := report || coalesce(part, '[]');
  end loop;

  -- Rows that belong to the same record as the rows that they refer to: a row that stays cannot refer to a row that moves back, nor the
  -- reverse.
  for t in
    select c.conrelid::regclass::text as name, split_part(c.conname, '.', 2) as col, c.confrelid::regclass::text as parent,
      c.confdeltype = 'n' as clears, r.col as link,
      format($q$coalesce((select true from merge_entries p
        where p.workspace_id = $1 and p.merge_id = $2 and p.table_name = %L and p.row_id = c.%I
        and p.action in ('moved', 'dropped', 'deleted') and p.outcome is null), false)$q$,
        c.confrelid::regclass::text, split_part(c.conname, '.', 2)) as parent_goes
    from pg_constraint c join references_to(p_of) r on r.child = c.conrelid::regclass
      join pg_attribute a on a.attrelid = c.conrelid and a.attname = r.col and a.attnum = any (c.conkey)
    where c.contype = 'f' and cardinality(c.conkey) > 2 order by c.confdeltype = 'n', r.level
  loop
    if t.clears then
      execute format($q$
        with cut as (
          update %1$I c set %2$I = null where c.workspace_id = $1 and c.%3$I = $3 and c.%2$I is not null
            and case (select coalesce(e.after ->> %2$L = c.%2$I::text, false) from merge_entries e
              where %5$s and e.table_name = %1$L and e.row_id = c.id) when true then false when false then not %4$s else %4$s end
          returning c.id
        ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', id, 'field', %2$L, 'reason', 'changed'))
          from cut $q$, t.name, t.col, t.link, t.parent_goes, goes) into part using w, p_merge, p_winner;
    else
      execute format($q$
        with stays as (
          update merge_entries e set outcome = 'changed' from %1$I c
            where %3$s and e.table_name = %1$L and c.workspace_id = $1 and c.id = e.row_id and not %2$s returning e.row_id
        ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', null, 'reason', 'changed'))
          from stays $q$, t.name, t.parent_goes, goes) into part using w, p_merge;
    end if;
    report := report || coalesce(part, '[]');
  end loop;

  for t in select e ->> 'name' as name, e ->> 'sets' as sets from jsonb_array_elements(tables) e loop
    execute format($q$update %1$I c set %2$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$I, e.before) r
      where %3$s and e.table_name = %1$L and c.workspace_id = $1 and c.id = e.row_id $q$, t.name, t.sets, goes) using w, p_merge;
  end loop;
  return report;
end $$;

-- Restores the winner's fields that still have the values that the merge gave them. Returns those that do not.
create or replace function revert_fields(p_of regclass, p_merge uuid, p_winner uuid, p_fields jsonb)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  is_now jsonb;
  back jsonb := '{}';
  report jsonb := '[]';
  f record;
  sets text;
begin
  execute format('select to_jsonb(r) from %s r where r.workspace_id = $1 and r.id = $2 for update', p_of) into is_now using w, p_winner;
  if is_now is null then return jsonb_build_array(jsonb_build_object('table', p_of::text, 'id', p_winner, 'field', null, 'reason',
    'deleted')); end if;
  for f in select k as name, nullif(substr(k, 10), '') as key, v -> 'before' as before, v -> 'after' as after,
    starts_with(k, 'metadata.') as custom from jsonb_each(p_fields) e(k, v) loop
    if coalesce(case when f.custom then is_now -> 'metadata' -> f.key else is_now -> f.name end, 'null') <> f.after then
      report := report || jsonb_build_object('table', p_of::text, 'id', p_winner, 'field', f.name, 'reason', 'changed');
    elsif not f.custom then
      back := back || jsonb_build_object(f.name, f.before);
    else
      back := back || jsonb_build_object('metadata', case f.before when 'null'
        then coalesce(back -> 'metadata', is_now -> 'metadata') - f.key
        else jsonb_set(coalesce(back -> 'metadata', is_now -> 'metadata'), array[f.key], f.before) end);
    end if;
  end loop;
  insert into merge_entries (merge_id, table_name, row_id, action, place, before, after)
    values (p_merge, p_of::text, p_winner, 'kept', 0, '{}', back)
    on conflict (workspace_id, merge_id, table_name, row_id) do update set after = excluded.after;
  report := report || fit_rows(p_of, p_merge, '{kept}');
  select e.after into back from merge_entries e
    where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_of::text and e.row_id = p_winner;
  select string_agg(format('%1$I = r.%1$I', k), ', ') into sets from jsonb_object_keys(back) k where is_now ? k;
  if sets is not null then
    execute format('update %1$s c set %2$s from jsonb_populate_record(null::%1$s, $3) r where c.workspace_id = $1 and c.id = $2', p_of,
      sets) using w, p_winner, back;
  end if;
  return report;
end $$;

-- Clears the flags that other rows inherited from dropped ones, before these are restored.
create or replace function restore_flags(p_table regclass, p_merge uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  flag text;
begin
  for flag in select k.flag from unique_keys(p_table) k where k.flag is not null loop
    execute format($q$update %1$s c set %2$I = false from merge_entries e
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %3$L and e.action in ('moved', 'adjusted')
      and e.before ->> %2$L = 'false' and e.after ->> %2$L = 'true' and c.workspace_id = $1 and c.id = e.row_id
        and c.%2$I $q$, p_table, flag, p_table::text) using current_workspace(), p_merge;
  end loop;
end $$;

revoke execute on function fit_rows, prepare_rows, restore_rows, revert_moves, revert_fields, restore_flags from public;
