-- The form in which the values of a key are compared: a business number without punctuation, of a web address the domain; null if there
-- is none.
create or replace function match_value(p_table text, p_field text, p_value text) returns text immutable parallel safe language sql
  return nullif(case key_column(p_table, p_field) when 'abn_key' then abn_key(p_value) when 'website_domain' then website_domain(p_value)
    else p_value end, '');

-- At most eleven records that have the value (see match_value): active ones, or archived ones if there are no active ones.
create or replace function records_with(p_table text, p_field text, p_value text)
  returns uuid[] stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  found uuid[];
begin
  execute format('select array_agg(id) from (select id, archived, min(archived::int) over () as first from (
      select id, archived from %1$I where workspace_id = $1 and %2$I = $2 %3$s) r order by archived, id limit 11) m
      where m.archived::int = m.first', p_table, key_column(p_table, p_field),
    format(case when further_column(p_table, p_field) is not null
      then 'union select id, archived from %2$I where workspace_id = $1 and %1$I <> ''{}'' and %1$I @> array[$2]' else '' end,
      further_column(p_table, p_field), p_table))
    into found using current_workspace(), p_value;
  return coalesce(found, '{}');
end $$;

-- The error of a record's new custom values, or null. p_taken: see shared_custom_value.
create or replace function custom_errors_of(p_object text, p_id uuid, p_metadata jsonb, p_creates boolean, p_taken jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  issues jsonb := custom_value_issues(current_workspace(), p_object, p_metadata, p_creates);
  shared jsonb;
begin
  if issues is not null
    then return error_object('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  shared := shared_custom_value(p_object, p_id, p_metadata, p_taken);
  return case when shared is not null
    then error_object('CONFLICT', 'Another ' || p_object || ' already has this ' || (shared ->> 'field'), shared) end;
end $$;

/*
  Matches each of p.records with a stored record or an earlier record of the call: the first key of p.on that has a value and finds a record
  decides. All keys are locked first, in one order, so that the second of two concurrent upserts of a key finds what the first one wrote. p:
  table, object, on, required, records (create, patch: columns), messages. p_unknown: for each record, the fields with unknown references.
  matched_by is the key that decided.
*/
create or replace function match_records(p jsonb, p_unknown jsonb)
  returns table (at int, id uuid, created boolean, matched_by text, patch jsonb, fault jsonb)
    security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  w constant uuid := current_workspace();
  kind constant text := p ->> 'table';
  keys constant text[] := array(select jsonb_array_elements_text(p -> 'on'));
  ruled constant boolean := has_custom_rules(w, p ->> 'object');
  claimed jsonb := '{}';
  taken jsonb := '{}';
  pending jsonb := '{}'; -- the patches of the opportunities so far, by id
  merged jsonb;
  issues jsonb;
  lock bigint;
  draft jsonb;
  new_id uuid;
  field text;
  value text;
  matches uuid[];
begin
  for lock in select distinct hashtextextended(concat_ws(' ', w, kind, k, match_value(kind, k, r -> 'patch' ->> k)), 0)
    from jsonb_array_elements(p -> 'records') r, unnest(keys) k
    where match_value(kind, k, r -> 'patch' ->> k) is not null order by 1
  loop
    perform pg_advisory_xact_lock(lock);
  end loop;
  for at, draft in select e.i - 1, e.r from jsonb_array_elements(p -> 'records') with ordinality e(r, i) order by e.i loop
    new_id := (draft -> 'create' ->> 'id')::uuid;
    patch := draft -> 'patch';
    matches := '{}';
    foreach field in array keys loop
      value := match_value(kind, field, patch ->> field);
      if value is not null then
        matches := case when claimed ? (field || ' ' || value) then array[(claimed ->> (field || ' ' || value))::uuid]
          else records_with(kind, field, value) end;
      end if;
      exit when matches <> '{}';
    end loop;
    created := cardinality(matches) <> 1;
    id := case when created then new_id else matches[1] end;
    matched_by := case when not created then field end;
    value := nullif(patch ->> 'external_id', '');
    fault := case
      when not exists (select from unnest(keys) k where match_value(kind, k, patch ->> k) is not null)
        then field_errors(jsonb_build_array(keys[1]), jsonb_build_object(keys[1],
          'Nothing here identifies the record: send at least one of: ' || array_to_string(keys, ', ')))
      when cardinality(matches) > 1
        then error_object('CONFLICT', 'More than one record has this ' || field || ': merge them, or change one by its id',
        jsonb_build_object('field', field, 'ids', matches[1:10]))
      when created and patch ->> (p ->> 'required') is null
        then field_errors(jsonb_build_array(p ->> 'required'), jsonb_build_object(p ->> 'required', 'Required, for no record matches'))
      when p_unknown -> at <> '[]' then field_errors(p_unknown -> at, p -> 'messages')
      when value is not null
        and (claimed ->> ('external_id ' || value) <> id::text or records_with(kind, 'external_id', value) <> array[id]
        and records_with(kind, 'external_id', value) <> '{}')
        then error_object('CONFLICT', 'Another record already has this external_id', jsonb_build_object('field', 'external_id', 'id',
          coalesce(nullif(claimed ->> ('external_id ' || value), id::text)::uuid, (records_with(kind, 'external_id', value))[1])))
    end;
    if fault is null and ruled and (created or patch ? 'metadata') then
      fault := custom_errors_of(p ->> 'object', id, coalesce(case when created then draft -> 'create' else patch end -> 'metadata', '{}'),
        created, taken);
    end if;
    if fault is null and kind = 'opportunities' then
      merged := with_patch(coalesce(pending -> id::text, '{}'), case when created then draft -> 'create' else patch end);
      issues := opportunity_issues(merged, case when not created then (select to_jsonb(o) from opportunities o
        where o.workspace_id = w and o.id = match_records.id) end);
      if issues is null then pending := pending || jsonb_build_object(id, merged);
      else fault := error_object('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
    end if;
    if fault is null then
      if created then patch := draft -> 'create'; else patch := patch || jsonb_build_object('id', id); end if;
      claimed := claimed || coalesce((select jsonb_object_agg(k || ' ' || match_value(kind, k, patch ->> k), id)
          from unnest(keys || '{external_id}') k where match_value(kind, k, patch ->> k) is not null), '{}')
        || coalesce((select jsonb_object_agg(k || ' ' || v, id) from unnest('{email,phone,website_url}'::text[]) k,
          jsonb_array_elements_text(case when jsonb_typeof(patch -> further_column(kind, k)) = 'array'
          then patch -> further_column(kind, k) else '[]' end) v), '{}');
      if ruled and patch ? 'metadata' then
        taken := taken || unique_custom_values(p ->> 'object', id, patch -> 'metadata');
      end if;
    end if;
    return next;
  end loop;
end $$;

-- Stores the outcome of each record (a row of match_records, with `unknown`) for the following statements. Raises the fault of a single
-- upsert.
create or replace function record_upserts(p jsonb, p_outcomes jsonb) returns void language plpgsql as $$
declare
  outcomes jsonb := (select jsonb_agg(case when f ->> 'fault' is null
    then f || jsonb_build_object('fault', field_errors(f -> 'unknown', p -> 'messages')) else f end order by (f ->> 'at')::int)
    from jsonb_array_elements(p_outcomes) f);
  fault constant jsonb := outcomes -> 0 -> 'fault';
begin
  if (p ->> 'single')::boolean then
    if fault <> 'null' then perform fail(fault ->> 'code', fault ->> 'message', nullif(fault -> 'details', 'null')); end if;
    perform note_created((outcomes -> 0 ->> 'created')::boolean);
  else
    -- If a unique value is taken concurrently, the whole batch runs again (see raise_shared_value).
    perform set_config('app.custom_refused', '{}', true);
  end if;
  perform hand('upserts', outcomes);
end $$;

create or replace function with_patch(patch jsonb, later jsonb) returns jsonb immutable language sql
  return patch || later || case when patch ? 'metadata' and later ? 'metadata'
    then jsonb_build_object('metadata', (patch -> 'metadata') || (later -> 'metadata')) else '{}' end;

create or replace aggregate patches(jsonb) (sfunc = with_patch, stype = jsonb, initcond = '{}');

-- The rows to insert, or the patches to apply. Several patches of one record are merged into one.
create or replace function upsert_rows(p_created boolean) returns jsonb stable language sql
  return (select coalesce(jsonb_agg(row), '[]') from (
    select patches(f -> 'patch' order by (f ->> 'at')::int) as row from jsonb_array_elements(handed('upserts')) f
    where (f ->> 'created')::boolean = p_created and f ->> 'fault' is null group by f ->> 'id') rows);

revoke execute on function records_with, custom_errors_of, match_records from public;
grant execute on function match_records to app;
