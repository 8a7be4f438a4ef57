-- The columns that refer to a table's records. `level`: rows of a lower one may point to rows of a higher one, so that they go first.
create or replace function references_to(p_parent regclass) returns table (child regclass, col text, on_delete "char", level int) stable set search_path = public, pg_temp language sql as $$
  with recursive refs as (
    select c.conrelid::regclass as child, split_part(c.conname, '.', 2) as col, c.confdeltype as on_delete from pg_constraint c where c.contype = 'f' and c.confrelid = p_parent
  ), steps as (
    select r.child, 0 as level from refs r
    union
    select c.confrelid::regclass, s.level + 1 from steps s join pg_constraint c on c.contype = 'f' and c.conrelid = s.child
      where s.level < 20 and c.confrelid not in (p_parent, c.conrelid) and c.confrelid::regclass in (select r.child from refs r)
  )
  select r.child, r.col, r.on_delete, (select max(s.level) from steps s where s.child = r.child) from refs r
$$;

-- What no two rows of a table share: by its indexes, and by rules that no index holds. A row may lose a `flag` where it would otherwise have to go.
create or replace function unique_keys(p_table regclass) returns table (cols text[], condition text, flag text, with_nulls boolean) stable set search_path = public, pg_temp language sql as $$
  select k.cols, coalesce(k.condition, 'true'), (select a.attname::text from pg_attribute a where a.attrelid = i.indrelid and a.attname = k.condition), i.indnullsnotdistinct
    from pg_index i, lateral (select array_agg(a.attname::text order by u.n) as cols, pg_get_expr(i.indpred, i.indrelid) as condition
      from unnest(i.indkey::int2[]) with ordinality u(att, n) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = u.att) k
    where i.indrelid = p_table and i.indisunique and i.indexprs is null and 'id' <> all (k.cols)
  union all select '{workspace_id,deal_id,contact_id,bucket_id}', 'true', null, true where p_table = 'deal_stakeholders'::regclass
  union all select '{workspace_id,customer_id}', 'is_primary', 'is_primary', false where p_table = 'contacts'::regclass
$$;

-- One merge or undo at a time in a workspace. Every record must be there; `winner_id` and `loser_ids.n` name those that are not.
create or replace function lock_for_merge(p_of regclass, p_what text, p_winner uuid, p_losers uuid[]) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  there uuid[];
  issues jsonb;
begin
  perform pg_advisory_xact_lock(hashtext('merges'), hashtext(current_workspace()::text));
  if p_of = 'companies'::regclass then
    -- As whoever puts a company under another, and as whoever makes a contact the primary one: the contact first, then its company.
    perform pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(current_workspace()::text));
    perform from contacts where workspace_id = current_workspace() and (customer_id = any (p_losers) or customer_id = p_winner and is_primary) order by id for update;
  end if;
  execute format('select array(select id from %s where workspace_id = $1 and id = any ($2) order by id for update)', p_of) into there using current_workspace(), p_losers || p_winner;
  select jsonb_agg(jsonb_build_object('path', a.path, 'message', 'No such ' || p_what || ' in this workspace' || coalesce(': it was merged into ' || merged_into(a.id), '')) order by a.at) into issues
    from (select 'winner_id' as path, p_winner as id, 0 as at union all select 'loser_ids.' || (l.at - 1), l.id, l.at from unnest(p_losers) with ordinality l(id, at)) a
    where a.id is not null and a.id <> all (there);
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
end $$;

-- Of the rows that a merge moves, those that would be the same as another one by a key of their table: they are dropped, or lose the flag that only one may have.
-- The planner knows nothing of a merge that is being written and would compare each of its entries with each row.
create or replace function dedupe_moved_rows(p_table regclass, p_merge uuid, p_group uuid[], p_winner uuid, p_links text[]) returns void language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  rule record;
  ours text := (select string_agg(format('c.%I = $4', l), ' or ') from unnest(p_links) l);
  any_of text := (select string_agg(format('c.%I = any ($3)', l), ' or ') from unnest(p_links) l);
begin
  for rule in select k.*, (select string_agg(format('k.%I', c), ', ') from unnest(k.cols) c) as names, (select string_agg(format('k.%I is not null', c), ' and ') from unnest(k.cols) c) as filled
    from unique_keys(p_table) k where k.cols && p_links order by k.flag nulls first
  loop
    execute format($q$
      with placed as (
        select c.id, e.row_id is not null as moves, first_value(c.id) over s as first, row_number() over s as n
        from %1$s c left join merge_entries e on e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %2$L and e.row_id = c.id and e.action = 'moved'
          cross join lateral (select %3$s, (%4$s) as applies from jsonb_populate_record(c, coalesce(e.after, '{}')) k) k
        where c.workspace_id = $1 and (%5$s) and (e.row_id is not null or %6$s) and k.applies and (%7$s)
        window s as (partition by %3$s order by e.row_id is not null, e.place, c.id)
      )
      update merge_entries e set %8$s from placed p
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %2$L and e.row_id = p.id and p.moves and p.n > 1 $q$,
      p_table, p_table::text, rule.names, rule.condition, any_of, ours, case when rule.with_nulls then 'true' else rule.filled end,
      case when rule.flag is null then $s$action = 'dropped', survivor = p.first$s$
        else format($s$before = e.before || '{"%1$s": true}', after = e.after || '{"%1$s": false}'$s$, rule.flag) end) using current_workspace(), p_merge, p_group, p_winner;
  end loop;
end $$;

/*
  Locks every row that refers to a loser, and notes what will become of it: it moves to the winner; what was opted out and can do without is unlinked; what can be
  neither is dropped (the winner has it already) or deleted. Answers the categories that are carried in any case, because the database would delete
  their rows, or refuse to delete what they refer to.
*/
create or replace function plan_merge(p_of regclass, p_merge uuid, p_winner uuid, p_losers uuid[], p_categories jsonb, p_opted_out jsonb, p_most int) returns text[] language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  forced text[];
  t record;
  rule record;
begin
  select array_agg(distinct coalesce(p_categories ->> (r.child || '.' || r.col), r.child::text)) into forced from references_to(p_of) r where r.on_delete <> 'n';
  for t in
    select l.child, array_agg(l.col) as cols, bool_and(l.on_delete = 'c') and exists (select from pg_attribute a where a.attrelid = l.child and a.attname = 'position') as ordered,
      string_agg(format('c.%I = any ($3)', l.col), ' or ') as found,
      string_agg(format('when c.%I = any ($3) then %L', l.col, case when l.leaves then 'unlinked' else 'moved' end), ' ') as action,
      string_agg(format('when c.%I = any ($3) then %L', l.col, l.category), ' ') as category,
      string_agg(format('when c.%I = any ($3) then array_position($3, c.%I)', l.col, l.col), ' ') as loser,
      string_agg(format('%L, c.%I', l.col, l.col), ', ') as before,
      string_agg(format('%L, case when c.%I = any ($3) then %s else c.%I end', l.col, l.col, case when l.leaves then 'null' else '$4' end, l.col), ', ') as after
    from (select r.*, c.category, p_opted_out ? c.category and c.category <> all (forced) as leaves
      from references_to(p_of) r, lateral (select coalesce(p_categories ->> (r.child || '.' || r.col), r.child::text) as category) c order by r.col) l
    group by l.child order by min(l.level), l.child::text
  loop
    execute format($q$
      insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, category, place, before, after)
      select $1, $2, %1$L, r.id, r.action, r.category, r.place, r.before || case when %2$L then jsonb_build_object('position', r.position) else '{}' end,
        r.after || case when %2$L then jsonb_build_object('position', r.place - 1 + (select coalesce(max(o.position) + 1, 0) from %4$s o where o.workspace_id = $1 and o.%3$I = $4)) else '{}' end
      from (select c.id, %5$s as position, case %6$s end as action, case %7$s end as category, row_number() over (order by case %8$s end, %5$s, c.id) as place,
          jsonb_build_object(%9$s) as before, jsonb_build_object(%10$s) as after
        from (select * from %11$s c where c.workspace_id = $1 and (%12$s) and not ($5 and c.id = any ($3 || $4)) for update) c) r $q$,
      t.child::text, t.ordered, t.cols[1], case when t.ordered then t.child::text else '(select null::uuid as workspace_id, null::uuid as ' || quote_ident(t.cols[1]) || ', 0 as position)' end,
      case when t.ordered then 'c.position' else '0' end, t.action, t.category, t.loser, t.before, t.after, t.child, t.found) using w, p_merge, p_losers, p_winner, t.child = p_of;
    perform dedupe_moved_rows(t.child, p_merge, p_losers || p_winner, p_winner, t.cols);
    for rule in select pg_get_expr(c.conbin, c.conrelid) as holds from pg_constraint c where c.contype = 'c' and c.conrelid = t.child
      and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any (c.conkey) and a.attname = any (t.cols))
    loop
      execute format($q$
        update merge_entries e set action = case e.action when 'moved' then 'dropped' else 'deleted' end where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('moved', 'unlinked')
          and exists (select from %2$s c, lateral (select (%3$s) as holds from jsonb_populate_record(c, e.after) k) k where c.workspace_id = $1 and c.id = e.row_id and not k.holds) $q$,
        t.child::text, t.child, rule.holds) using w, p_merge;
    end loop;
    execute format($q$update merge_entries e set before = to_jsonb(c) from %s c where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %L and e.action in ('dropped', 'deleted')
      and c.workspace_id = $1 and c.id = e.row_id $q$, t.child, t.child::text) using w, p_merge;
  end loop;
  if (select count(*) from merge_entries e where e.workspace_id = w and e.merge_id = p_merge) > p_most then
    perform fail('CONFLICT', format('More than %s records belong to the losers: merge fewer at a time', p_most));
  end if;
  -- Rows that point to a dropped one point to its survivor from now on.
  for t in select e.table_name, r.child, r.col from (select distinct d.table_name from merge_entries d where d.workspace_id = w and d.merge_id = p_merge and d.action = 'dropped') e, references_to(e.table_name::regclass) r
  loop
    execute format($q$
      insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
      select $1, $2, %1$L, c.id, 'adjusted', 0, jsonb_build_object(%2$L, c.%2$I), jsonb_build_object(%2$L, e.survivor)
      from merge_entries e join %3$s c on c.workspace_id = $1 and c.%2$I = e.row_id
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %4$L and e.action = 'dropped' and e.survivor is not null
      on conflict (workspace_id, merge_id, table_name, row_id) do update set before = merge_entries.before || excluded.before, after = merge_entries.after || excluded.after $q$,
      t.child::text, t.col, t.child, t.table_name) using w, p_merge;
  end loop;
  if p_of = 'opportunities'::regclass then
    -- Whose share would make more than the whole stays as a party without one.
    update merge_entries e set before = e.before || jsonb_build_object('share_percent', s.share_percent), after = e.after || '{"share_percent": null}'
      from (select m.row_id, b.share_percent, sum(b.share_percent) over (order by m.place) + (select coalesce(sum(o.share_percent), 0) from billing_parties o where o.workspace_id = w and o.opportunity_id = p_winner) as promised
        from merge_entries m join billing_parties b on b.workspace_id = w and b.id = m.row_id where m.workspace_id = w and m.merge_id = p_merge and m.table_name = 'billing_parties' and m.action = 'moved') s
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = 'billing_parties' and e.row_id = s.row_id and s.share_percent is not null and s.promised > 100;
  end if;
  return forced;
end $$;

-- Brings the planned changes about, one statement a table.
create or replace function apply_moves(p_of regclass, p_merge uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  t record;
begin
  for t in
    select e.table_name, string_agg(format('%1$I = case when e.after ? %1$L then r.%1$I else c.%1$I end', e.key), ', ') as sets
    from (select distinct m.table_name, k.key from merge_entries m, jsonb_object_keys(m.after) k(key) where m.workspace_id = w and m.merge_id = p_merge and m.action in ('moved', 'unlinked', 'adjusted')) e
    group by e.table_name order by (select min(r.level) from references_to(p_of) r where r.child = e.table_name::regclass) nulls first, e.table_name
  loop
    execute format($q$update %1$I c set %2$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$I, e.after) r
      where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('moved', 'unlinked', 'adjusted') and c.workspace_id = $1 and c.id = e.row_id $q$, t.table_name, t.sets) using w, p_merge;
  end loop;
  perform set_config('app.merge_in_progress', 'on', true);
  for t in select distinct e.table_name from merge_entries e where e.workspace_id = w and e.merge_id = p_merge and e.action in ('dropped', 'deleted') loop
    execute format($q$delete from %1$I c using merge_entries e where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %1$L and e.action in ('dropped', 'deleted') and c.workspace_id = $1 and c.id = e.row_id $q$, t.table_name)
      using w, p_merge;
  end loop;
  perform set_config('app.merge_in_progress', '', true);
end $$;

-- A row that was the same as a dropped one takes over its flag where nobody else has it.
create or replace function inherit_flags(p_of regclass, p_merge uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  t record;
begin
  for t in select r.child, k.flag, string_agg(format('s.%I', c), ', ') as names, string_agg(format('o.%1$I = s.%1$I', c), ' and ') as same
    from (select distinct l.child from references_to(p_of) l) r, unique_keys(r.child) k, unnest(k.cols) c where k.flag is not null group by 1, 2, k.cols
  loop
    execute format($q$
      with heirs as (
        insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
        select distinct on (%3$s) $1, $2, %1$L, s.id, 'adjusted', 0, '{"%2$s": false}', '{"%2$s": true}'
        from merge_entries d join %5$s s on s.workspace_id = $1 and s.id = d.survivor
        where d.workspace_id = $1 and d.merge_id = $2 and d.table_name = %1$L and d.action = 'dropped' and (d.before ->> %2$L)::boolean and not s.%2$I
          and not exists (select from %5$s o where %4$s and o.%2$I)
        order by %3$s, d.place
        on conflict (workspace_id, merge_id, table_name, row_id) do update set before = excluded.before || merge_entries.before, after = merge_entries.after || excluded.after
        returning row_id
      )
      update %5$s c set %2$I = true from heirs where c.workspace_id = $1 and c.id = heirs.row_id $q$, t.child::text, t.flag, t.names, t.same, t.child) using current_workspace(), p_merge;
  end loop;
end $$;

-- A company's parent once the losers are it: that of the topmost loser above it, or its own; where it has none, the first of theirs that is not below them.
create or replace function merged_parent(p_winner uuid, p_losers uuid[], p_fill boolean) returns table (parent uuid, loser uuid) stable security definer set search_path = public, pg_temp language sql as $$
  with recursive up(start, id, level) as (
    select s.id, s.id, 0 from unnest(p_losers || p_winner) s(id)
    union all
    select up.start, c.parent_company_id, up.level + 1 from up join companies c on c.workspace_id = current_workspace() and c.id = up.id where c.parent_company_id is not null and up.level < 100
  ), top as (
    select id, level from up where start = p_winner and id = any (p_losers) order by level desc limit 1
  ), own as (
    select (select u.id from up u where u.start = p_winner and u.level = coalesce((select level from top), 0) + 1) as parent, (select id from top) as loser
  )
  select coalesce(own.parent, theirs.parent), case when own.parent is null then coalesce(theirs.loser, own.loser) else own.loser end
  from own left join lateral (
    select u.id as parent, u.start as loser from up u
    where own.parent is null and p_fill and u.level = 1 and u.start = any (p_losers) and u.id <> all (p_losers || p_winner)
      and not exists (select from up above where above.start = u.start and above.level > 1 and above.id = any (p_losers || p_winner))
    order by array_position(p_losers, u.start) limit 1) theirs on true
$$;

/*
  What a merge makes of the winner: `row`, the columns that change, and `fields`, each with before, after and the losers that it is from. Overrides come
  first and are not filled; a blank field takes the value of the first loser that has one, and fields that belong together are of one loser.
*/
create or replace function merge_fields(p_of regclass, p jsonb, p_was jsonb, p_losers jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  given constant jsonb := coalesce(p -> 'field_overrides', '{}');
  fills constant boolean := coalesce((p ->> 'fill_empty_fields')::boolean, true);
  winner constant uuid := (p ->> 'winner_id')::uuid;
  losers constant uuid[] := array(select (l ->> 'id')::uuid from jsonb_array_elements(p_losers) l);
  together constant jsonb := case p_of when 'opportunities'::regclass then '[{"of": ["value"], "with": ["currency"]}, {"of": ["next_action_type", "next_action_note", "next_action_at"], "with": []}]'
    else '[{"of": ["address_line1", "address_line2", "city", "state", "postal_code"], "with": ["country"]}]' end;
  becomes jsonb;
  sources jsonb := '{}';
  said text[];
  f record;
  g jsonb;
begin
  execute format('select coalesce(jsonb_object_agg(k, to_jsonb(r) -> k), ''{}'') from jsonb_populate_record(null::%s, $1) r, jsonb_object_keys($1) k', p_of) into becomes using given - 'metadata';
  becomes := p_was || becomes || jsonb_build_object('metadata', coalesce((select jsonb_object_agg(k, v) from jsonb_each(p_was -> 'metadata' || coalesce(given -> 'metadata', '{}')) e(k, v) where not (v = 'null' and given -> 'metadata' ? k)), '{}'));

  if fills then
    for f in
      select distinct on (k) k as name, l -> k as value, l -> 'id' as loser
      from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_object_keys(l) k
      where not given ? k and is_blank(becomes -> k) and not is_blank(l -> k) and not exists (select from jsonb_array_elements(together) t where t -> 'of' ? k)
        and (k <> all ('{id,workspace_id,version,created_at,updated_at,archived,metadata,alternate_emails,is_primary,parent_company_id,pipeline_id,stage_id,stage_entered_at,status,probability,closed_at,lost_reasons,won_reasons}')
          or k = becomes ->> 'status' || '_reasons')
        and exists (select from pg_attribute a where a.attrelid = p_of and a.attname = k and a.attgenerated = '')
      order by k, at
    loop
      becomes := becomes || jsonb_build_object(f.name, f.value);
      sources := sources || jsonb_build_object(f.name, jsonb_build_array(f.loser));
    end loop;
    for g in select jsonb_array_elements(together) loop
      continue when exists (select from jsonb_array_elements_text(g -> 'of') k where given ? k or not (is_blank(becomes -> k) or becomes -> k = '0'));
      select l into f from jsonb_array_elements(p_losers) with ordinality e(l, at)
        where exists (select from jsonb_array_elements_text(g -> 'of') k where not (is_blank(l -> k) or l -> k = '0'))
          and not exists (select from jsonb_array_elements_text(g -> 'with') k where not is_blank(becomes -> k) and becomes -> k is distinct from l -> k)
        order by at limit 1;
      continue when f.l is null;
      becomes := becomes || (select jsonb_object_agg(k, f.l -> k) from jsonb_array_elements_text(g -> 'of' || (g -> 'with')) k);
      sources := sources || (select jsonb_object_agg(k, jsonb_build_array(f.l -> 'id')) from jsonb_array_elements_text(g -> 'of' || (g -> 'with')) k);
    end loop;
    -- Custom values, as far as they are still possible.
    for f in
      select distinct on (k) k as name, v as value, l -> 'id' as loser
      from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_each(l -> 'metadata') m(k, v)
      where not coalesce(given -> 'metadata' ? k, false) and not is_blank(v) and is_blank(becomes -> 'metadata' -> k)
        and custom_value_issues(current_workspace(), p ->> 'entity', jsonb_build_object(k, v), false) is null
      order by k, at
    loop
      becomes := jsonb_set(becomes, array['metadata', f.name], f.value);
      sources := sources || jsonb_build_object('metadata.' || f.name, jsonb_build_array(f.loser));
    end loop;
  end if;

  if (p ->> 'append_notes')::boolean then
    said := array[btrim(becomes ->> 'notes')];
    for f in select l ->> 'notes' as notes, l -> 'id' as loser from jsonb_array_elements(p_losers) with ordinality e(l, at) where not is_blank(l -> 'notes') order by at loop
      continue when btrim(f.notes) = any (said);
      said := said || btrim(f.notes);
      becomes := becomes || jsonb_build_object('notes', concat_ws(E'\n\n', nullif(btrim(becomes ->> 'notes'), ''), f.notes));
      sources := sources || jsonb_build_object('notes', coalesce(sources -> 'notes', '[]') || jsonb_build_array(f.loser));
    end loop;
    if length(becomes ->> 'notes') > 20000 then perform fail_field('append_notes', 'The notes would be longer than 20000 characters together: merge fewer records, or leave this out'); end if;
  end if;
  if (p ->> 'union_tags')::boolean then
    for f in select t as tag, l -> 'id' as loser from jsonb_array_elements(p_losers) with ordinality e(l, at), jsonb_array_elements(l -> 'tags') with ordinality x(t, n) order by at, n loop
      continue when exists (select from jsonb_array_elements(becomes -> 'tags') t where norm(t ->> 'name') = norm(f.tag ->> 'name'));
      becomes := becomes || jsonb_build_object('tags', becomes -> 'tags' || f.tag);
      sources := sources || jsonb_build_object('tags', case when coalesce(sources -> 'tags', '[]') @> f.loser then sources -> 'tags' else coalesce(sources -> 'tags', '[]') || jsonb_build_array(f.loser) end);
    end loop;
    if jsonb_array_length(becomes -> 'tags') > 50 then perform fail_field('union_tags', 'An opportunity has at most 50 tags: merge fewer records, or leave this out'); end if;
  end if;

  if p_of = 'contacts'::regclass then
    -- Every address and number by which the person is known, as far as there is a place for it.
    if not given ? 'alternate_emails' then
      for f in select a.address, l -> 'id' as loser from jsonb_array_elements(p_losers) with ordinality e(l, at), lateral (
          select l ->> 'email' as address, 0 as n union all select x.address, x.n from jsonb_array_elements_text(l -> 'alternate_emails') with ordinality x(address, n)) a
        where a.address is not null order by at, a.n
      loop
        continue when becomes -> 'alternate_emails' ? f.address or becomes ->> 'email' = f.address;
        becomes := becomes || jsonb_build_object('alternate_emails', becomes -> 'alternate_emails' || to_jsonb(f.address));
        sources := sources || jsonb_build_object('alternate_emails', case when coalesce(sources -> 'alternate_emails', '[]') @> f.loser then sources -> 'alternate_emails' else coalesce(sources -> 'alternate_emails', '[]') || jsonb_build_array(f.loser) end);
      end loop;
      if p_was ->> 'email' <> becomes ->> 'email' and not becomes -> 'alternate_emails' ? (p_was ->> 'email') then
        becomes := becomes || jsonb_build_object('alternate_emails', becomes -> 'alternate_emails' || (p_was -> 'email'));
      end if;
      becomes := becomes || jsonb_build_object('alternate_emails', (becomes -> 'alternate_emails') - coalesce(becomes ->> 'email', ''));
    end if;
    if fills and not given ? 'landline' and is_blank(becomes -> 'landline') then
      select l ->> 'phone' as phone, l -> 'id' as loser into f from jsonb_array_elements(p_losers) with ordinality e(l, at) where l ->> 'phone' <> becomes ->> 'phone' order by at limit 1;
      if f.phone is not null then
        becomes := becomes || jsonb_build_object('landline', f.phone);
        sources := sources || jsonb_build_object('landline', jsonb_build_array(f.loser));
      end if;
    end if;
    -- Who said no stays out of reach, and a referrer is one.
    for f in select k as name, jsonb_agg(l -> 'id' order by at) as losers
      from jsonb_array_elements(p_losers) with ordinality e(l, at), unnest('{email_unsubscribed,sms_unsubscribed,voice_unsubscribed,whatsapp_unsubscribed,is_referrer}'::text[]) k
      where not given ? k and (l ->> k)::boolean and not (becomes ->> k)::boolean and (fills or k <> 'is_referrer') group by k
    loop
      becomes := becomes || jsonb_build_object(f.name, true);
      sources := sources || jsonb_build_object(f.name, f.losers);
    end loop;
    if not given ? 'is_primary' and not (becomes ->> 'is_primary')::boolean then
      select l -> 'id' as loser into f from jsonb_array_elements(p_losers) l where (l ->> 'is_primary')::boolean and l -> 'customer_id' = becomes -> 'customer_id' and not is_blank(l -> 'customer_id') limit 1;
      if f.loser is not null then
        becomes := becomes || '{"is_primary": true}';
        sources := sources || jsonb_build_object('is_primary', jsonb_build_array(f.loser));
      end if;
    end if;
  end if;
  if p_of = 'companies'::regclass then
    if not given ? 'parent_company_id' then
      select m.parent, m.loser into f from merged_parent(winner, losers, fills) m;
      becomes := becomes || jsonb_build_object('parent_company_id', f.parent);
      sources := sources || jsonb_build_object('parent_company_id', case when f.loser is null then '[]' else jsonb_build_array(f.loser) end);
    elsif exists (with recursive up(id, level) as (
        select (given ->> 'parent_company_id')::uuid, 1
        union select c.parent_company_id, up.level + 1 from up join companies c on c.workspace_id = current_workspace() and c.id = up.id where up.id <> all (losers || winner) and up.level < 50)
        select from up where up.id = any (losers || winner) or up.level = 50) then
      perform fail_field('field_overrides.parent_company_id', 'must be a company of this workspace that is none of those merged nor below one of them, with fewer than 50 above it');
    end if;
  end if;

  return jsonb_build_object(
    'row', (select coalesce(jsonb_object_agg(k, v), '{}') from jsonb_each(becomes) e(k, v) where v is distinct from p_was -> k),
    'fields', (select coalesce(jsonb_object_agg(name, jsonb_build_object('before', was, 'after', is_now, 'from', coalesce(sources -> name, '[]'))), '{}') from (
      select k as name, coalesce(p_was -> k, 'null') as was, v as is_now from jsonb_each(becomes) e(k, v) where k <> 'metadata'
      union all select 'metadata.' || k, coalesce(p_was -> 'metadata' -> k, 'null'), coalesce(becomes -> 'metadata' -> k, 'null')
        from (select jsonb_object_keys(becomes -> 'metadata') k union select jsonb_object_keys(p_was -> 'metadata')) keys) each where was <> is_now));
end $$;

/*
  Merges records into one of them. The number of statements depends on the tables that refer to the records, not on how many records or rows there are.
  p: merge_id; entity; table; what; winner_id; loser_ids; categories (names by foreign key); opted_out (names); most (rows that
  may belong to the losers); field_overrides, as columns;
  fill_empty_fields; append_notes; union_tags. The row in `merges` says what was done.
*/
create or replace function merge_records(p jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  this constant uuid := (p ->> 'merge_id')::uuid;
  of constant regclass := (p ->> 'table')::regclass;
  winner constant uuid := (p ->> 'winner_id')::uuid;
  losers constant uuid[] := array(select value::uuid from jsonb_array_elements_text(p -> 'loser_ids'));
  forced text[];
  was jsonb;
  theirs jsonb;
  change jsonb;
  sets text;
begin
  perform lock_for_merge(of, p ->> 'what', winner, losers);
  execute format('select to_jsonb(r) from %s r where r.workspace_id = $1 and r.id = $2', of) into was using w, winner;
  execute format('select jsonb_agg(to_jsonb(r) order by array_position($2, r.id)) from %s r where r.workspace_id = $1 and r.id = any ($2)', of) into theirs using w, losers;
  change := merge_fields(of, p, was, theirs);

  insert into merges (id, entity, winner_id, request_id, merged_by) values (this, p ->> 'entity', winner, nullif(current_setting('app.request_id', true), ''), current_user_id());
  forced := plan_merge(of, this, winner, losers, p -> 'categories', p -> 'opted_out', (p ->> 'most')::int);
  insert into merge_entries (merge_id, table_name, row_id, action, place, before, after) select this, of::text, (l ->> 'id')::uuid, 'merged', at, l, '{}' from jsonb_array_elements(theirs) with ordinality e(l, at);
  perform apply_moves(of, this);
  execute format('delete from %s where workspace_id = $1 and id = any ($2)', of) using w, losers;
  perform inherit_flags(of, this);
  select string_agg(format('%1$I = r.%1$I', k), ', ') into sets from jsonb_object_keys(change -> 'row') k where exists (select from pg_attribute a where a.attrelid = of and a.attname = k and a.attgenerated = '');
  if sets is not null then
    execute format('update %1$s c set %2$s from jsonb_populate_record(null::%1$s, $3) r where c.workspace_id = $1 and c.id = $2', of, sets) using w, winner, change -> 'row';
  end if;
  -- What is only checked at the end of a transaction is checked in a trial, too.
  set constraints all immediate;
  set constraints all deferred;

  update merges m set forced_categories = forced, field_changes = change -> 'fields',
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name', coalesce(l ->> 'name', concat_ws(' ', l ->> 'first_name', l ->> 'last_name')), 'email', l -> 'email', 'phone', l -> 'phone', 'external_id', l -> 'external_id') order by at)
        from jsonb_array_elements(theirs) with ordinality e(l, at)),
      moved = n.moved, dropped = n.dropped, left_behind = n.left_behind
    from (
      select jsonb_object_agg(c, coalesce(moved, 0)) as moved, coalesce(jsonb_object_agg(c, dropped) filter (where dropped > 0), '{}') as dropped,
        coalesce(jsonb_object_agg(c, jsonb_build_object('unlinked', coalesce(unlinked, 0), 'deleted', coalesce(deleted, 0))) filter (where p -> 'opted_out' ? c and c <> all (forced)), '{}') as left_behind
      from (select value as c from jsonb_each_text(p -> 'categories') union select e.category from merge_entries e where e.workspace_id = w and e.merge_id = this and e.category is not null) names
      -- A category of two tables, such as a company's contacts and their main company, counts each of its things once.
      left join (select category, max(moved) as moved, max(dropped) as dropped, max(unlinked) as unlinked, max(deleted) as deleted from (
          select category, count(*) filter (where action = 'moved') as moved, count(*) filter (where action = 'dropped') as dropped, count(*) filter (where action = 'unlinked') as unlinked, count(*) filter (where action = 'deleted') as deleted
          from merge_entries where workspace_id = w and merge_id = this group by category, table_name) by_table group by category) counted on counted.category = c) n
    where m.workspace_id = w and m.id = this;
  perform emit((p ->> 'entity') || '.merged', p ->> 'entity', winner, jsonb_build_object('merge_id', this, 'loser_ids', to_jsonb(losers)));
end $$;

/*
  Makes rows that are to be put back fit what is there now: `after` of their entries holds each as it will be. A reference to what is gone is
  cleared, as is a value that another record has by now; a row that cannot be without it gets an outcome. Answers what was changed.
*/
create or replace function fit_rows(p_table regclass, p_merge uuid, p_actions text[]) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  mine constant text := format($q$e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %L and e.action = any ($3) and e.outcome is null$q$, p_table::text);
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
        update merge_entries e set after = case when %1$L then e.after else e.after || '{"%2$s": null}' end, outcome = case when %1$L then 'gone' end
        where %3$s and e.after ->> %2$L is not null and not exists (select from %4$s t where t.workspace_id = $1 and t.%5$I = (e.after ->> %2$L)::uuid)
          and (select true from merge_entries o where o.workspace_id = $1 and o.merge_id = $2 and o.table_name = %6$L and o.row_id = (e.after ->> %2$L)::uuid and o.action in ('merged', 'dropped', 'deleted') and o.outcome is null) is null
        returning e.row_id
      ) select jsonb_agg(jsonb_build_object('table', %7$L, 'id', row_id, 'field', %2$L, 'reason', 'gone')) from lost $q$,
      rule.needed, rule.col, mine, rule.parent, rule.key, rule.parent::text, p_table::text) into part using w, p_merge, p_actions;
    report := report || coalesce(part, '[]');
  end loop;
  if p_table = 'opportunities'::regclass then
    update merge_entries e set after = e.after || '{"pipeline_id": null, "stage_entered_at": null}'
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = 'opportunities' and e.action = any (p_actions) and e.after -> 'stage_id' = 'null' and e.after ->> 'pipeline_id' is not null;
  end if;
  for rule in select pg_get_expr(c.conbin, c.conrelid) as holds from pg_constraint c where c.contype = 'c' and c.conrelid = p_table and not 'kept' = any (p_actions) loop
    execute format($q$update merge_entries e set outcome = 'gone' where %s and exists (select from jsonb_populate_record(null::%s, e.after) k, lateral (select (%s) as holds) x where not x.holds)$q$, mine, p_table, rule.holds)
      using w, p_merge, p_actions;
  end loop;
  for rule in
    select k.*, (select string_agg(format('o.%1$I = k.%1$I', c), ' and ') from unnest(k.cols) c) as same, (select c from unnest(k.cols) c where c <> 'workspace_id' limit 1) as col,
      k.flag is null and cardinality(k.cols) = 2 and not (select a.attnotnull from pg_attribute a where a.attrelid = p_table and a.attname = k.cols[2]) as clears
    from unique_keys(p_table) k
  loop
    execute format($q$
      with lost as (
        update merge_entries e set after = case when %1$L then e.after || jsonb_build_object(%2$L, %3$s) else e.after end, outcome = case when %1$L then null else 'taken' end
        where %4$s and exists (select from jsonb_populate_record(null::%5$s, e.after || jsonb_build_object('workspace_id', $1)) k join %5$s o on %6$s and o.id <> e.row_id where %7$s and %8$s)
        returning e.row_id
      ) select jsonb_agg(jsonb_build_object('table', %9$L, 'id', row_id, 'field', %2$L, 'reason', 'taken')) from lost $q$,
      rule.clears or rule.flag is not null, coalesce(rule.flag, rule.col), case when rule.flag is null then 'null' else 'false' end, mine, p_table, rule.same,
      case when rule.flag is null then 'true' else format('k.%1$I and o.%1$I', rule.flag) end, case when rule.flag is null and rule.condition <> 'true' then 'false' else 'true' end, p_table::text) into part using w, p_merge, p_actions;
    report := report || coalesce(part, '[]');
  end loop;
  return report;
end $$;

-- Puts rows back that a merge took away, as they were as far as that is still possible. Answers what is not.
create or replace function restore_rows(p_table regclass, p_object text, p_merge uuid, p_actions text[]) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  report jsonb;
  part jsonb;
  cols text;
begin
  -- Its version goes on from that of its deletion.
  update merge_entries e set after = e.before || case when e.before ? 'version' then jsonb_build_object('version', (e.before ->> 'version')::int + 2, 'updated_at', now()) else '{}' end
    where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions);
  report := fit_rows(p_table, p_merge, p_actions);
  if p_object is not null then
    with taken as (
      select e.row_id, f.field_key from merge_entries e, custom_rows(w, p_object, e.row_id, e.after -> 'metadata') r join custom_fields f on f.workspace_id = w and f.id = r.field_id
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions) and r.is_unique
        and exists (select from custom_values v where v.workspace_id = w and v.field_id = r.field_id and v.number = r.number and v.text = r.text and v.is_unique)
    ), cleared as (
      update merge_entries e set after = jsonb_set(e.after, '{metadata}', (e.after -> 'metadata') - t.keys) from (select row_id, array_agg(field_key) as keys from taken group by 1) t
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.row_id = t.row_id
    ) select jsonb_agg(jsonb_build_object('table', p_table::text, 'id', row_id, 'field', 'metadata.' || field_key, 'reason', 'taken')) into part from taken;
    report := report || coalesce(part, '[]');
  end if;
  -- A column that the table has got since then has its default.
  select string_agg(format('r.%I', a.attname), ', ' order by a.attnum) into cols from pg_attribute a where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and a.attname = any (array(select jsonb_object_keys(e.after) from merge_entries e where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions)));
  execute format($q$insert into %1$s (%2$s) select %3$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$s, e.after) r
    where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %4$L and e.action = any ($3) and e.outcome is null order by e.place $q$, p_table, replace(cols, 'r.', ''), cols, p_table::text) using w, p_merge, p_actions;
  if p_object is not null then
    insert into custom_values select r.* from merge_entries e, custom_rows(w, p_object, e.row_id, e.after -> 'metadata') r
      where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_table::text and e.action = any (p_actions) on conflict do nothing;
  end if;
  return report;
end $$;

-- Takes rows back that still stand where a merge put them. Answers what does not.
create or replace function revert_moves(p_of regclass, p_merge uuid, p_winner uuid) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  goes constant text := $q$e.workspace_id = $1 and e.merge_id = $2 and e.action in ('moved', 'unlinked', 'adjusted') and e.outcome is null$q$;
  report jsonb := '[]';
  tables jsonb;
  part jsonb;
  t record;
begin
  -- Of each table, in order: how a row tells that it has gone elsewhere, which details of one that has not are others by now, and how all is put back.
  select jsonb_agg(jsonb_build_object('name', name, 'strays', coalesce(strays, 'false'), 'details', details, 'sets', sets) order by level, name) into tables from (
    select k.table_name as name, coalesce(min(k.level), -1) as level,
      string_agg(format($q$e.after ? %1$L and coalesce(to_jsonb(c.%2$I), 'null') <> e.after -> %1$L$q$, k.key, k.key), ' or ') filter (where k.level is not null) as strays,
      coalesce(jsonb_agg(k.key) filter (where k.level is null and k.key <> 'position'), '[]') as details,
      string_agg(format($q$%1$I = case when e.before ? %2$L and (%3$L or coalesce(to_jsonb(c.%1$I), 'null') = e.after -> %2$L) then r.%1$I else c.%1$I end$q$, k.key, k.key, k.level is not null or k.key = 'position'), ', ') as sets
    from (select distinct e.table_name, x.key, r.level from merge_entries e cross join jsonb_object_keys(e.after) x(key) left join references_to(p_of) r on r.child = e.table_name::regclass and r.col = x.key
      where e.workspace_id = w and e.merge_id = p_merge and e.action in ('moved', 'unlinked', 'adjusted')) k
    group by k.table_name) each;

  for t in select e ->> 'name' as name, e ->> 'strays' as strays, e -> 'details' as details from jsonb_array_elements(tables) e loop
    execute format($q$
      with marked as (
        update merge_entries e set outcome = coalesce((select 'changed' from %1$I c where c.workspace_id = $1 and c.id = e.row_id), 'deleted')
        where %3$s and e.table_name = %1$L and coalesce((select %2$s from %1$I c where c.workspace_id = $1 and c.id = e.row_id for update), true) returning e.row_id, e.outcome
      ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', null, 'reason', outcome)) from marked $q$, t.name, t.strays, goes) into part using w, p_merge;
    report := report || coalesce(part, '[]');
    execute format($q$
      select jsonb_agg(jsonb_build_object('table', %1$L, 'id', e.row_id, 'field', d, 'reason', 'changed')) from merge_entries e join %1$I c on c.workspace_id = $1 and c.id = e.row_id, jsonb_array_elements_text($3) d
      where %2$s and e.table_name = %1$L and e.after ? d and coalesce(to_jsonb(c) -> d, 'null') not in (e.after -> d, e.before -> d) $q$, t.name, goes) into part using w, p_merge, t.details;
    report := report || coalesce(part, '[]');
  end loop;

  -- Rows that are of one record with those that they point to: what stays cannot point to what goes, nor the other way round.
  for t in
    select c.conrelid::regclass::text as name, split_part(c.conname, '.', 2) as col, c.confrelid::regclass::text as parent, c.confdeltype = 'n' as clears, r.col as link,
      format($q$coalesce((select true from merge_entries p where p.workspace_id = $1 and p.merge_id = $2 and p.table_name = %L and p.row_id = c.%I and p.action in ('moved', 'dropped', 'deleted') and p.outcome is null), false)$q$,
        c.confrelid::regclass::text, split_part(c.conname, '.', 2)) as parent_goes
    from pg_constraint c join references_to(p_of) r on r.child = c.conrelid::regclass join pg_attribute a on a.attrelid = c.conrelid and a.attname = r.col and a.attnum = any (c.conkey)
    where c.contype = 'f' and cardinality(c.conkey) > 2 order by c.confdeltype = 'n', r.level
  loop
    if t.clears then
      execute format($q$
        with cut as (
          update %1$I c set %2$I = null where c.workspace_id = $1 and c.%3$I = $3 and c.%2$I is not null
            and case (select coalesce(e.after ->> %2$L = c.%2$I::text, false) from merge_entries e where %5$s and e.table_name = %1$L and e.row_id = c.id) when true then false when false then not %4$s else %4$s end
          returning c.id
        ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', id, 'field', %2$L, 'reason', 'changed')) from cut $q$, t.name, t.col, t.link, t.parent_goes, goes) into part using w, p_merge, p_winner;
    else
      execute format($q$
        with stays as (
          update merge_entries e set outcome = 'changed' from %1$I c where %3$s and e.table_name = %1$L and c.workspace_id = $1 and c.id = e.row_id and not %2$s returning e.row_id
        ) select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', null, 'reason', 'changed')) from stays $q$, t.name, t.parent_goes, goes) into part using w, p_merge;
    end if;
    report := report || coalesce(part, '[]');
  end loop;

  for t in select e ->> 'name' as name, e ->> 'sets' as sets from jsonb_array_elements(tables) e loop
    execute format($q$update %1$I c set %2$s from merge_entries e cross join lateral jsonb_populate_record(null::%1$I, e.before) r
      where %3$s and e.table_name = %1$L and c.workspace_id = $1 and c.id = e.row_id $q$, t.name, t.sets, goes) using w, p_merge;
  end loop;
  return report;
end $$;

-- What a winner's changed fields were before, where they still are as the merge made them. Answers what is not.
create or replace function revert_fields(p_of regclass, p_merge uuid, p_winner uuid, p_fields jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  is_now jsonb;
  back jsonb := '{}';
  report jsonb := '[]';
  f record;
  sets text;
begin
  execute format('select to_jsonb(r) from %s r where r.workspace_id = $1 and r.id = $2 for update', p_of) into is_now using w, p_winner;
  if is_now is null then return jsonb_build_array(jsonb_build_object('table', p_of::text, 'id', p_winner, 'field', null, 'reason', 'deleted')); end if;
  for f in select k as name, nullif(substr(k, 10), '') as key, v -> 'before' as before, v -> 'after' as after, starts_with(k, 'metadata.') as custom from jsonb_each(p_fields) e(k, v) loop
    if coalesce(case when f.custom then is_now -> 'metadata' -> f.key else is_now -> f.name end, 'null') <> f.after then
      report := report || jsonb_build_object('table', p_of::text, 'id', p_winner, 'field', f.name, 'reason', 'changed');
    elsif not f.custom then
      back := back || jsonb_build_object(f.name, f.before);
    else
      back := back || jsonb_build_object('metadata', case f.before when 'null' then coalesce(back -> 'metadata', is_now -> 'metadata') - f.key else jsonb_set(coalesce(back -> 'metadata', is_now -> 'metadata'), array[f.key], f.before) end);
    end if;
  end loop;
  insert into merge_entries (merge_id, table_name, row_id, action, place, before, after) values (p_merge, p_of::text, p_winner, 'kept', 0, '{}', back);
  report := report || fit_rows(p_of, p_merge, '{kept}');
  select e.after into back from merge_entries e where e.workspace_id = w and e.merge_id = p_merge and e.table_name = p_of::text and e.row_id = p_winner;
  select string_agg(format('%1$I = r.%1$I', k), ', ') into sets from jsonb_object_keys(back) k where is_now ? k;
  if sets is not null then
    execute format('update %1$s c set %2$s from jsonb_populate_record(null::%1$s, $3) r where c.workspace_id = $1 and c.id = $2', p_of, sets) using w, p_winner, back;
  end if;
  return report;
end $$;

-- Before dropped rows come back, the flags that others took over from them are taken from those.
create or replace function restore_flags(p_table regclass, p_merge uuid) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  flag text;
begin
  for flag in select k.flag from unique_keys(p_table) k where k.flag is not null loop
    execute format($q$update %1$s c set %2$I = false from merge_entries e where e.workspace_id = $1 and e.merge_id = $2 and e.table_name = %3$L and e.action in ('moved', 'adjusted')
      and e.before ->> %2$L = 'false' and e.after ->> %2$L = 'true' and c.workspace_id = $1 and c.id = e.row_id and c.%2$I $q$, p_table, flag, p_table::text) using current_workspace(), p_merge;
  end loop;
end $$;

-- What a merge did to each row is forgotten; which records were the losers is not.
create or replace function expire_merge_rows(p_workspace uuid, p_merge uuid) returns void language sql security definer set search_path = public, pg_temp as $$
  delete from merge_entries where workspace_id = p_workspace and merge_id = p_merge and action <> 'merged';
  update merge_entries set before = '{}', after = '{}' where workspace_id = p_workspace and merge_id = p_merge;
  update merges set undoable = false where workspace_id = p_workspace and id = p_merge;
$$;

-- The same for merges of every workspace that can be undone no more.
create or replace function expire_merge_undo(p_days int, p_limit int default 200) returns void language sql security definer set search_path = public, pg_temp as $$
  select expire_merge_rows(old.workspace_id, old.id) from (select workspace_id, id from merges where undoable and created_at < now() - make_interval(days => p_days) order by created_at limit p_limit) old
$$;

/*
  Undoes a merge: the losers come back under their old ids, and what was theirs to them, as far as it still is where the merge put it. What is not is
  left, and reported in `changed_since` of the merge.
  p: merge_id; entity; table.
*/
create or replace function unmerge_records(p jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  of constant regclass := (p ->> 'table')::regclass;
  this merges;
  further uuid;
  report jsonb;
  t record;
begin
  perform lock_for_merge(of, p ->> 'entity', null, '{}');
  select * into this from merges m where m.workspace_id = w and m.id = (p ->> 'merge_id')::uuid and m.entity = p ->> 'entity' for update;
  if this.id is null then perform fail('NOT_FOUND', 'No such merge in this workspace'); end if;
  if this.undone then perform fail('INVALID_STATE', 'This merge is undone already', jsonb_build_object('state', 'undone', 'allowed', array['merged'])); end if;
  if not this.undoable or this.created_at < now() - make_interval(days => (p ->> 'days')::int) then
    perform fail('INVALID_STATE', format('A merge can be undone for %s days', p ->> 'days'), jsonb_build_object('state', 'expired', 'allowed', array['merged']));
  end if;
  select m.id into further from merges m join merge_entries e on e.workspace_id = w and e.merge_id = m.id and e.action = 'merged' and e.row_id = this.winner_id where m.workspace_id = w and not m.undone;
  if further is not null then
    perform fail('INVALID_STATE', 'The winner was merged itself since then: undo that merge first', jsonb_build_object('state', 'merged_on', 'allowed', array['merged'], 'merge_id', further, 'merged_into', merged_into(this.winner_id)));
  end if;
  perform set_config('app.merge_in_progress', 'on', true);
  report := revert_fields(of, this.id, this.winner_id, this.field_changes);
  report := report || restore_rows(of, this.entity, this.id, '{merged}');
  for t in
    select e.name, (select max(r.level) from references_to(of) r where r.child = e.name::regclass) as level
    from (select distinct d.table_name as name from merge_entries d where d.workspace_id = w and d.merge_id = this.id and d.action in ('dropped', 'deleted')) e order by level desc, e.name
  loop
    -- A flag that was handed down goes back first.
    perform restore_flags(t.name::regclass, this.id);
    report := report || restore_rows(t.name::regclass, null, this.id, '{dropped,deleted}');
  end loop;
  report := report || revert_moves(of, this.id, this.winner_id);
  perform set_config('app.merge_in_progress', '', true);
  set constraints all immediate;
  set constraints all deferred;
  update merges m set undone = true, undone_at = now(), undone_by = current_user_id(), changed_since = report where m.workspace_id = w and m.id = this.id;
  perform expire_merge_rows(w, this.id);
  perform emit(this.entity || '.unmerged', this.entity, this.winner_id, jsonb_build_object('merge_id', this.id, 'restored_ids', (select jsonb_agg(l -> 'id') from jsonb_array_elements(this.losers) l)));
end $$;

revoke execute on function lock_for_merge, dedupe_moved_rows, plan_merge, apply_moves, inherit_flags, merged_parent, merge_fields, merge_records, fit_rows, restore_rows, revert_moves, revert_fields, restore_flags, expire_merge_rows, expire_merge_undo, unmerge_records from public;
grant execute on function merge_records, expire_merge_undo, unmerge_records to app;
