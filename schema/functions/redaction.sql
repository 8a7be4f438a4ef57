-- Redaction: what a purge removes from texts and JSON that mention a record.

-- The name of a JSON value, unless it is an address or a number, as in what others have sent.
create or replace function redacted_name(p_name text) returns text immutable language sql
  return case when p_name ~ '@' or p_name ~ '^\s*\+?[(]?[0-9][0-9 ().-]{5,}[0-9]\s*$' then '(purged)' else p_name end;

-- A JSON value with every scalar replaced by an empty one of the same type.
create or replace function redact(value jsonb) returns jsonb immutable language plpgsql as $$
begin
  return case jsonb_typeof(value)
    when 'object' then coalesce((select jsonb_object_agg(redacted_name(k), redact(v)) from jsonb_each(value) e(k, v)), '{}')
    when 'array' then coalesce((select jsonb_agg(redact(v) order by i) from jsonb_array_elements(value) with ordinality e(v, i)), '[]')
    when 'string' then '""' when 'number' then '0' when 'boolean' then 'false' else 'null' end;
end $$;

-- The changes of fields without their values: of all fields, or of the named ones.
create or replace function redact_changes(p_fields jsonb, p_names text[] default null) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when p_names is null or k = any (p_names) then '{}' else v end), '{}')
    from jsonb_each(p_fields) e(k, v));

-- Whether a number as a text has it (see numbers_in) is this number. One with a country code is also found after 00 or 011, and as it is
-- dialled in its country.
create or replace function is_spelling_of(p_spelled text, p_number text) returns boolean immutable language sql as $$
  select p_spelled = p_number or left(p_number, 1) = '+' and left(p_spelled, 1) <> '+'
      and (dialled = substr(p_number, 2) or p_spelled = '011' || substr(p_number, 2)
      or length(dialled) >= 7 and length(p_number) - length(dialled) between 2 and 4 and right(p_number, length(dialled)) = dialled)
    from ltrim(p_spelled, '0') dialled
$$;

-- Whether a text contains one of the ids, or one of the addresses and numbers, which are in lower case. A number may be spelled in another
-- way.
create or replace function mentions(p_text text, p_ids uuid[], p_known text[]) returns boolean immutable language plpgsql as $$
declare
  content constant text := lower(p_text);
  word text;
begin
  foreach word in array p_known || case when cardinality(p_ids) < 20 then p_ids::text[] else '{}' end loop
    if strpos(content, word) > 0 then return true; end if;
  end loop;
  if exists (select from unnest(p_known) known, unnest(numbers_in(known)) n, unnest(numbers_in(content)) spelled
    where known ~ '^[+0-9 ().-]+$' and is_spelling_of(spelled, n)) then return true; end if;
  return cardinality(p_ids) >= 20
    and exists (select from regexp_matches(content, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') m
    where m[1]::uuid = any (p_ids));
end $$;

-- A path without its segments that mention one of them.
create or replace function redact_path(p_path text, p_ids uuid[], p_known text[]) returns text immutable language sql as $$
  select string_agg(case when mentions(unescape_path(part), p_ids, p_known) then '(purged)' else part end, '/' order by n)
    from string_to_table(p_path, '/') with ordinality parts(part, n)
$$;

-- Redacts the innermost objects and lists that mention one of them, and values whose names do.
create or replace function without_mentions(value jsonb, p_ids uuid[], p_known text[]) returns jsonb immutable language plpgsql as $$
begin
  if not mentions(value::text, p_ids, p_known) then return value; end if;
  if jsonb_typeof(value) not in ('object', 'array') then return redact(value); end if;
  if exists (select from jsonb_path_query(value, case jsonb_typeof(value) when 'object' then '$.*' else '$[*]' end::jsonpath) v
    where jsonb_typeof(v) in ('string', 'number') and mentions(v #>> '{}', p_ids, p_known)) then
    return redact(value);
  end if;
  return case jsonb_typeof(value)
    when 'object' then (select jsonb_object_agg(case when is_named_so then '(purged)' else k end,
        case when is_named_so then redact(v) else without_mentions(v, p_ids, p_known) end)
      from jsonb_each(value) e(k, v), lateral (select mentions(k, p_ids, p_known) as is_named_so) n)
    else (select jsonb_agg(without_mentions(v, p_ids, p_known) order by i) from jsonb_array_elements(value) with ordinality e(v, i)) end;
end $$;

-- The texts under these names in a record or a change.
create or replace function texts_under(p_fields jsonb, p_names text[]) returns setof text immutable language sql as $$
  select distinct v #>> '{}' from unnest(p_names) n, jsonb_path_query(p_fields -> n, 'strict $.**') v where jsonb_typeof(v) = 'string'
$$;

-- Whether any name still contains the word. Reads the search indexes only.
create or replace function is_named(p_word text)
  returns boolean stable language plpgsql security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off as $$
declare
  used boolean;
begin
  execute format('select exists (select from contacts where lexemes_of(workspace_id, name_norm, email) @@ %1$L::tsquery)
    or exists (select from companies
      where lexemes_of(workspace_id, name_norm, coalesce(email || '' '', '''') || coalesce(website_url, '''')) @@ %1$L::tsquery)
    or exists (select from opportunities where lexemes_of(workspace_id, name_norm, external_id) @@ %1$L::tsquery)
    or exists (select from documents where lexemes_of(workspace_id, name_norm, norm(folder)) @@ %1$L::tsquery)',
    format('''#%s'' & ''%s''', current_workspace(), p_word)) into used;
  return used;
end $$;

-- Whether another contact or company has the same address or number. Bitmap scans only: without knowing the value, the planner would expect
-- it to be frequent and scan the table.
create or replace function is_shared(p_value text, p_id uuid) returns boolean stable security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off language plpgsql as $$
begin
  return exists (select from contacts where workspace_id = (select current_workspace()) and email = p_value and id <> p_id)
    or exists (select from contacts
      where workspace_id = (select current_workspace()) and alternate_emails <> '{}' and alternate_emails @> array[p_value] and id <> p_id)
    or exists (select from contacts where workspace_id = (select current_workspace()) and phone = p_value and id <> p_id)
    or exists (select from contacts
      where workspace_id = (select current_workspace()) and alternate_phones <> '{}' and alternate_phones @> array[p_value] and id <> p_id)
    or exists (select from contacts where workspace_id = (select current_workspace()) and landline = p_value and id <> p_id)
    or exists (select from companies where workspace_id = (select current_workspace()) and email = p_value and id <> p_id)
    or exists (select from companies where workspace_id = (select current_workspace()) and phone = p_value and id <> p_id);
end $$;

-- The addresses and numbers, in lower case, that the record has or had and no other record has.
create or replace function identifiers_of(p_entity text, p_id uuid, p_own jsonb)
  returns text[] stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(array_agg(distinct lower(v)), '{}') from (
    select texts_under(p_own, '{email,alternate_emails,phone,alternate_phones,landline}') v
    union select texts_under(c.fields, '{email,alternate_emails,phone,alternate_phones,landline}') from changes c
      where c.workspace_id = (select current_workspace()) and c.entity = p_entity and c.entity_id = p_id) v
  where length(v) > 5 and not is_shared(v, p_id)
$$;

revoke execute on function is_named, is_shared, identifiers_of from public;
