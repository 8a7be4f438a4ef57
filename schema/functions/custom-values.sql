-- The values of custom fields: what is valid, and the normal forms in which they are compared.

create or replace function is_blank(value jsonb) returns boolean immutable parallel safe language sql
  return value is null or value in ('null', '[]') or jsonb_typeof(value) = 'string' and btrim(value #>> '{}') = '';

-- The error of a value, or null. The rules for texts are generated from src/domain/custom-values.ts.
create or replace function custom_value_error(type text, options text[], value jsonb)
  returns text immutable parallel safe language plpgsql as $$
declare
  string constant text := case when jsonb_typeof(value) = 'string' then value #>> '{}' end;
begin
  case type
    when 'number' then
      if jsonb_typeof(value) <> 'number' or not is_indexable(value::numeric) then return 'must be a number'; end if;
    when 'boolean' then
      if jsonb_typeof(value) <> 'boolean' then return 'must be true or false'; end if;
    when 'money' then
      if jsonb_typeof(value) <> 'object' or value - array['amount', 'currency'] <> '{}' or not is_currency(value ->> 'currency')
        or jsonb_typeof(value -> 'amount') is distinct from 'number' or abs((value -> 'amount')::numeric) > custom_max_amount()
        or round((value -> 'amount')::numeric, 2) <> (value -> 'amount')::numeric then return custom_message(type); end if;
    when 'select' then
      if string is null or string <> all (options) then return 'must be one of: ' || array_to_string(options, ', '); end if;
    when 'multi_select' then
      if jsonb_typeof(value) <> 'array' or exists (select from jsonb_array_elements(value) e
        where jsonb_typeof(e) <> 'string' or e #>> '{}' <> all (options)) then
        return 'must be a list of: ' || array_to_string(options, ', ');
      end if;
    else
      if string is null or length(string) > custom_max_length(type) or string !~* custom_pattern(type)
        or length(regexp_replace(string, '\D', '', 'g')) < custom_min_digits(type)
        or type = 'date' and not pg_input_is_valid(string, 'date') then return custom_message(type); end if;
  end case;
  return null;
end $$;

-- The values of a record that its copies can have too.
create or replace function without_unique_values(p_object text, p_metadata jsonb) returns jsonb stable language sql
  return p_metadata - array(select f.field_key from custom_fields f
    where f.workspace_id = (select current_workspace()) and f.object = p_object and f."unique");

-- The normal form in which a value is compared and stored in custom_values: a number or a text.
create or replace function custom_number(type text, value jsonb) returns float8 immutable strict parallel safe language sql
  return case type when 'number' then (value #>> '{}')::float8 when 'date' then (value #>> '{}')::date - date '1970-01-01' when 'boolean'
    then (value::boolean)::int else 0 end;

create or replace function custom_text(type text, value text) returns text immutable strict parallel safe language sql
  return case when type in ('number', 'date', 'boolean', 'long_text') then '' when type = 'phone' then regexp_replace(value, '\D', '', 'g')
    else norm(value) end;

-- The normal forms of the values in a filter.
create or replace function custom_type(p_object text, p_key text) returns text stable language sql
  return (select f.type from custom_fields f where f.object = p_object and f.field_key = p_key);

create or replace function custom_numbers(p_object text, p_key text, p_values jsonb) returns float8[] stable language sql
  return (select array_agg(custom_number(t.type, v))
    from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);

create or replace function custom_texts(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(custom_text(t.type, v #>> '{}'))
    from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);

-- LIKE patterns: a text contains the value; a list of options has an element that equals it.
create or replace function custom_patterns(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(case t.type when 'multi_select' then literally(pattern) else '%' || literally(pattern) || '%' end)
    from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v, custom_text(t.type, v #>> '{}') pattern);

-- Guards a filter or a sort: each field exists, supports the operator and can be compared with the value. p_conditions: object, key, the
-- types with the operator (offered), those of them that fit the value (fits), and the paths for errors (field_at, op_at, value_at).
create or replace function check_custom_conditions(p_conditions jsonb) returns boolean stable language plpgsql as $$
declare
  issues jsonb;
begin
  select jsonb_agg(case
      when f.id is null then jsonb_build_object('path', a.field_at, 'message', 'No custom field of this object has the key ' || a.key)
      when not a.offered ? f.type then jsonb_build_object('path', a.op_at, 'message', 'is not possible for a field of type ' || f.type)
      else jsonb_build_object('path', a.value_at, 'message', 'does not fit a field of type ' || f.type) end)
    into issues
    from jsonb_to_recordset(p_conditions) as a(object text, key text, offered jsonb, fits jsonb, field_at text, op_at text, value_at text)
    left join custom_fields f on f.object = a.object and f.field_key = a.key
    where f.id is null or not a.fits ? f.type;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;

-- A value's rows in custom_values: one, one for each option, or none if it does not fit the type. A scan of a workspace calls this for each
-- record, so the frequent types are checked here; the rules are those of custom_value_error.
create or replace function custom_entries(type text, value jsonb)
  returns table (number float8, text text) immutable parallel safe language plpgsql as $$
declare
  raw text;
  amount numeric;
begin
  if value is null or type is null then return; end if;
  case type
    when 'number' then
      if jsonb_typeof(value) <> 'number' then return; end if;
      amount := value;
      if not is_indexable(amount) then return; end if;
      return query values (amount::float8, '');
    when 'money' then
      if custom_value_error(type, '{}', value) is not null then return; end if;
      return query values ((value ->> 'amount')::float8, norm(value ->> 'currency'));
    when 'multi_select' then
      return query select distinct 0::float8, norm(v #>> '{}')
        from jsonb_array_elements(case jsonb_typeof(value) when 'array' then value else '[]' end) v
        where jsonb_typeof(v) = 'string' and btrim(v #>> '{}') <> '';
    when 'text', 'select' then
      if jsonb_typeof(value) <> 'string' then return; end if;
      raw := value #>> '{}';
      if btrim(raw) = '' or length(raw) > custom_max_length(type) then return; end if;
      return query values (0::float8, norm(raw));
    else
      raw := value #>> '{}';
      if is_blank(value) or custom_value_error(type, '{}', value) is not null then return; end if;
      return query values (custom_number(type, value), custom_text(type, raw));
  end case;
end $$;
