-- Renaming the options of custom fields in the records that have them.

-- The value of a field with the option renamed; a list has it once. Options are compared exactly, as when a value is checked.
create or replace function renamed_option(value jsonb, p_from text, p_to text) returns jsonb immutable strict parallel safe language sql
  return case jsonb_typeof(value)
    when 'string' then case when value #>> '{}' = p_from then to_jsonb(p_to) else value end
    when 'array' then (select coalesce(jsonb_agg(v order by at), '[]') from (
      select case when e = to_jsonb(p_from) then to_jsonb(p_to) else e end as v, min(i) as at from jsonb_array_elements(value)
        with ordinality a(e, i) group by 1) each)
    else value end;

-- The first records that have the option of a field. Runs as its owner, because the inverted indexes are not used under row-level security;
-- only their bitmap reads little when the option is not where statistics expect it.
create or replace function custom_usages(p_field uuid, p_from text, p_to text, p_limit int)
  returns setof uuid stable language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
declare
  w constant uuid := current_workspace();
  f custom_fields;
begin
  select * into f from custom_fields where workspace_id = w and id = p_field and type in ('select', 'multi_select');
  if f.id is null then return; end if;
  return query execute
      format('select id from %I where workspace_id = $1 and %s and renamed_option(metadata -> $2, $3, $4) <> metadata -> $2 limit $5',
      plural_of(f.object),
      candidate_condition(plural_of(f.object), jsonb_build_object('metadata', f.field_key, 'values', jsonb_build_array(p_from))))
    using w, f.field_key, p_from, p_to, p_limit;
end $$;

-- Renames the option in the first records that have it, and returns their number.
create or replace function rename_custom_option(p_field uuid, p_from text, p_to text, p_limit int) returns int language plpgsql as $$
declare
  f custom_fields;
  n int;
begin
  select * into f from custom_fields where id = p_field;
  execute format('update %I set metadata = jsonb_set(metadata, array[$1], renamed_option(metadata -> $1, $2, $3))
      where id = any (array(select custom_usages($4, $2, $3, $5)))', plural_of(f.object)) using f.field_key, p_from, p_to, p_field, p_limit;
  get diagnostics n = row_count;
  return n;
end $$;

revoke execute on function custom_usages from public;
grant execute on function custom_usages to app;
