-- Whether the index of a custom field has all its values.
create or replace function custom_index_ready(p_workspace uuid, p_field uuid) returns boolean stable language sql
  return exists (select from custom_indexes i where i.workspace_id = p_workspace and i.field_id = p_field and i.status = 'ready');

-- A record as it was: its row with the values of a snapshot, in which a missing value is null, and with what is generated from them.
create or replace function snapshot_row(p_row anyelement, p_snapshot jsonb) returns anyelement stable language plpgsql as $$
declare
  kind constant regclass := pg_typeof(p_row)::text::regclass;
  result p_row%type;
begin
  execute (select format('select (row(%s)::%s).* from (select ($1).*) r',
    string_agg(case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid)
        else format('r.%I', a.attname) end, ', ' order by a.attnum), kind)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = kind and a.attnum > 0 and not a.attisdropped) into result using jsonb_populate_record(p_row, p_snapshot);
  return result;
end $$;

-- An end of a range as custom_values has it: a number, or {"day": date}.
create or replace function custom_bound(p jsonb) returns float8 stable parallel safe language sql
  return case jsonb_typeof(p) when 'number' then p::float8 when 'object' then (p ->> 'day')::date - date '1970-01-01' end;

/*
  The condition under which records of the table are candidates of a filter, in words that an index has; null when no index narrows it down.
  p is one of
    {"all": [p, …]}, {"any": [p, …]}
    {"words": text}: search_text contains them all
    {"column": name, "values": […]} or {"column": "name_norm", "prefix": text}: a column that leads a b-tree
    {"list": id}: the members of a static list, of at most four thousand
    {"followed_by": [user]}: the records that these members follow, of at most four thousand
    {"field": "tags", "values": […]}, also alternate_phones and domains: by an index of their own
    {"field": name, "values": […]} and {"metadata": key, "values": […]}: equality by terms (see terms_expression)
    {"custom": key, "low": {"at", "open"}, "high": …, "currency": code}, {"custom": key, "prefix": text} and {"custom": key, "contains":
    […]}: a range of an indexed custom
      field, of at most a thousand values; only the type says whether `contains` means one option of a list
*/
-- The records that a filter of a list covers besides those with the value in the column.
create or replace function further_records(p_table text, p_filter text, p_value text)
  returns uuid[] stable set search_path = public, pg_temp language sql as $$
  select case p_table || '.' || p_filter
    when 'contacts.email' then contacts_by_alternate(p_value)
    when 'contacts.phone' then contacts_by_alternate_phone(p_value)
    when 'contacts.customer_id' then other_employees(p_value::uuid)
    when 'companies.domain' then companies_by_other_domain(p_value)
    when 'opportunities.contact_id' then array(select opportunity_id from opportunity_contacts
      where workspace_id = (select current_workspace()) and contact_id = p_value::uuid limit 4001)
  end
$$;

create or replace function candidate_condition(p_table text, p jsonb)
  returns text stable language plpgsql set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  parts text[];
  ids uuid[];
  f custom_fields;
begin
  if p ? 'all' or p ? 'any' then
    select array_agg(candidate_condition(p_table, member)) into parts from jsonb_array_elements(coalesce(p -> 'all', p -> 'any')) member;
    if p ? 'any' and array_position(parts, null) is not null then return null; end if;
    return '(' || nullif(array_to_string(parts, case when p ? 'all' then ' and ' else ' or ' end), '') || ')';
  elsif p ? 'words' then
    return coalesce((select format('(workspace_id::text = %L and %s)', w,
      string_agg(format('(('' '' || search_text) like %L)', pattern), ' and '))
      from unnest(search_patterns(p ->> 'words')) pattern having count(*) > 0), 'false');
  elsif p ? 'column' and p ? 'prefix' then
    return
      format('(workspace_id = %1$L and archived = any(''{t,f}'') and name_norm >= norm(%2$L) and name_norm < norm(%2$L) || chr(1114111))',
      w, p ->> 'prefix');
  elsif p ? 'column' then
    return format('(workspace_id = %L and %I = any(%L)%s)', w, p ->> 'column',
      array(select case when p ->> 'column' = 'name_norm' then norm(v) else v end from jsonb_array_elements_text(p -> 'values') v),
      case when p ->> 'column' in ('name_norm', 'value_minor') then ' and archived = any(''{t,f}'')' else '' end);
  elsif p ? 'list' or p ? 'followed_by' then
    execute format('select array_agg(record_id) from (select m.%1$I as record_id from %2$I m
      where m.workspace_id = $1 and m.%3$I = any ($2) and m.%1$I is not null limit 4001) found',
      case p_table when 'contacts' then 'contact_id' when 'companies' then 'customer_id' when 'opportunities' then 'opportunity_id' end,
      case when p ? 'list' then 'list_members' else 'followers' end, case when p ? 'list' then 'list_id' else 'user_id' end)
      into ids using w, array(select jsonb_array_elements_text(coalesce(p -> 'followed_by', jsonb_build_array(p -> 'list')))::uuid);
    return case when cardinality(ids) > 4000 then null else format('(workspace_id = %L and id = any(%L))', w, coalesce(ids, '{}')) end;
  elsif p ? 'further' then
    ids := further_records(p_table, p ->> 'further', p ->> 'value');
    return case when cardinality(ids) > 4000 then null else format('(workspace_id = %L and id = any(%L))', w, ids) end;
  elsif p ->> 'field' = 'tags' then
    return format('(workspace_id = %L and tags <> ''[]'' and tag_names(tags) && %L::text[])', w,
      array(select norm(v) from jsonb_array_elements_text(p -> 'values') v));
  elsif p ->> 'field' in ('alternate_phones', 'domains') then
    return format('(workspace_id = %1$L and %2$I <> ''{}'' and %2$I && %3$L::text[])', w, p ->> 'field',
      array(select jsonb_array_elements_text(p -> 'values')));
  elsif p ? 'field' then
    return format('%s && %L::int[]', terms_expression(p_table), array(select term(w, concat(p ->> 'field', '=', v))
      from jsonb_array_elements_text(p -> 'values') v));
  elsif p ? 'metadata' then
    return format('%s && %L::int[]',
      coalesce(terms_expression(p_table), 'metadata <> ''{}'' and terms_of(workspace_id, ''{}'', metadata)'),
      term(w, 'metadata:more') || array(
        select term(w, concat('metadata.', p ->> 'metadata', '=', form)) from jsonb_array_elements(p -> 'values') v,
        unnest(array[metadata_value(v), case when jsonb_typeof(v) = 'string' then regexp_replace(v #>> '{}', '\D', '', 'g') end]) form
          where form is not null));
  end if;
  select * into f from custom_fields c where c.workspace_id = w and c.field_key = p ->> 'custom'
    and c.object = entity_of(p_table);
  if p ? 'contains' then
    return case
      when f.type = 'multi_select'
      then candidate_condition(p_table, jsonb_build_object('metadata', f.field_key, 'values', p -> 'contains')) end;
  end if;
  if not custom_index_ready(w, f.id) then return null; end if;
  execute format('select array_agg(record_id)
      from (select record_id from custom_values v where v.workspace_id = $1 and v.field_id = $2 and %s limit 1001) found',
        concat_ws(' and ',
      case
        when p ? 'prefix' then format('number = 0 and text >= %1$L and text < %1$L || chr(1114111)',
        custom_text(f.type, p ->> 'prefix')) end,
      case when p ? 'currency' then format('text = norm(%L)', p ->> 'currency') end,
      format('number %s %L', case when (p -> 'low' ->> 'open')::boolean then '>' else '>=' end,
        coalesce(custom_bound(p -> 'low' -> 'at'), '-infinity')),
      format('number %s %L', case when (p -> 'high' ->> 'open')::boolean then '<' else '<=' end,
        coalesce(custom_bound(p -> 'high' -> 'at'), 'infinity'))))
    into ids using w, f.id;
  if cardinality(ids) > 1000 then return null; end if;
  return format('(workspace_id = %L and id = any(%L))', w, coalesce(ids, '{}'));
end $$;

/*
  Rows of the table that p_record is one of (null::contacts), no more than p_limit, among which are all that a filter with these candidates
  picks; p_limit empty rows when no index narrows the filter down. Runs as its owner, because under row-level security an inverted index is
  not used; so it names the workspace itself. Only bitmaps of the indexes that the condition means read little, whatever the planner
  believes; one that does not fit into work_mem would point to whole pages.
*/
create or replace function candidate_rows(p_record anyelement, p_candidates jsonb, p_limit int)
  returns setof anyelement stable language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
declare
  object constant text := pg_typeof(p_record)::text;
  condition text;
begin
  if object not in ('contacts', 'companies', 'opportunities', 'tasks', 'activities', 'products', 'email_threads', 'product_components',
    'component_instances', 'work_orders', 'documents', 'notepads', 'whiteboards', 'reputation_reviews',
      'service_requests', 'lead_results') then
    raise exception '% have no candidates', object;
  end if;
  condition := candidate_condition(object, p_candidates);
  if condition is null then
    for i in 1..p_limit loop return next p_record; end loop;
  else
    if object in ('activities', 'email_threads') then condition := condition || ' and sees_row_of(private_to)'; end if;
    if object = 'notepads' then condition := condition || ' and sees_notepad(readers, caller_parties())'; end if;
    return query execute format('select * from %I where %s and (workspace_id = %L) is true limit $1', object,
      condition, current_workspace()) using p_limit;
  end if;
end $$;

/*
  Ids that a query finds whose conditions no index has, read in the order in which the rows are stored: one pass and a sort, instead of a
  walk along an index that fetches row by row. Runs as its caller, whom row-level security binds. Values are put in as literals, of which
  the planner knows more.
*/
create or replace function scan_ids(p_query text, p_values text[])
  returns setof uuid stable language plpgsql set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
begin
  return query execute format(p_query, variadic p_values);
end $$;

/*
  Ids that a query finds along an index that has all its columns, entry by entry and only as far as needed; the last row says so when the
  query's own limit of entries ended the walk. Runs as its caller. Without a sort only the index in the order asked for is left, whatever
  the planner believes of the workspace.
*/
create or replace function walk_ids(p_query text, p_values text[])
  returns table (id uuid, is_last boolean) stable language plpgsql set search_path = public, pg_temp
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query execute format(p_query, variadic p_values);
end $$;

revoke execute on function further_records, candidate_condition, candidate_rows from public;
grant execute on function candidate_rows to app;
