/*
  Export files as text, written by PostgreSQL so that the Worker forwards it without parsing and formatting each row. The text must equal
  what src/domain/csv/write.ts and JSON.stringify write.
*/

-- Formats a number as JavaScript does. Neither strict nor with a search_path of its own, so that the planner puts its body in the place of
-- a call.
create or replace function js_number(n numeric) returns text immutable parallel safe language sql
  return case when n = 0 then '0' when abs(n) >= 1e-6 and abs(n) < 1e21 then trim_scale(n)::text
    else regexp_replace(n::float8::text, 'e([+-])0', 'e\1') end;

-- Formats JSON as JSON.stringify does: without spaces, and with keys that are array indices first, in numeric order.
create or replace function js_json(v jsonb)
  returns text immutable strict parallel safe set search_path = public, pg_temp language plpgsql as $$
begin
  case jsonb_typeof(v)
    when 'object' then
      return '{' || coalesce((select string_agg(to_json(k)::text || ':' || js_json(member), ',' order by at is null, at, n)
        from jsonb_each(v) with ordinality e(k, member, n),
          lateral (select case when k ~ '^(0|[1-9][0-9]{0,9})$' and k::numeric < 4294967295 then k::numeric end as at) i), '') || '}';
    when 'array' then
      return '[' || coalesce((select string_agg(js_json(member), ',' order by n) from jsonb_array_elements(v) with ordinality e(member, n)),
        '') || ']';
    when 'number' then return js_number(v::numeric);
    when 'string' then return to_json(v #>> '{}')::text;
    else return v::text;
  end case;
end $$;

-- Several values in one cell: `a; b`, or JSON if that could not be split again.
create or replace function export_list(texts text[])
  returns text immutable strict parallel safe set search_path = public, pg_temp language sql
  return case
    when cardinality(texts) = 0 then ''
    when exists (select from unnest(texts) t
      where t = '' or t ~ '[;[]|^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|'
        '[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]$') then js_json(to_jsonb(texts))
    else array_to_string(texts, '; ') end;

-- A JSON value in a cell: a text unchanged, a list of texts or of named objects as export_list, anything else as JSON.
create or replace function export_json(v jsonb)
  returns text immutable strict parallel safe set search_path = public, pg_temp language plpgsql as $$
declare
  texts text[];
begin
  case jsonb_typeof(v)
    when 'null' then return null;
    when 'string' then return v #>> '{}';
    when 'array' then
      if not exists (select from jsonb_array_elements(v) e
        where jsonb_typeof(e) <> 'string' and (jsonb_typeof(e) <> 'object' or jsonb_typeof(e -> 'name') is distinct from 'string')) then
        texts := array(select case jsonb_typeof(e) when 'string' then e #>> '{}' else e ->> 'name' end
          from jsonb_array_elements(v) with ordinality t(e, n) order by n);
        -- An import also divides tags at these.
        return case when jsonb_typeof(v -> 0) = 'object'
          and exists (select from unnest(texts) t where t ~ '[,|"]') then js_json(to_jsonb(texts)) else export_list(texts) end;
      end if;
    else null;
  end case;
  return js_json(v);
end $$;

-- Whether a text needs quotation marks or an apostrophe in a CSV file. A fast first check, because most texts need neither.
create or replace function is_odd_cell(t text) returns boolean immutable strict parallel safe language sql
  return t ~ '^''*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]|[",;\t\r\n]|'
    '^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|'
    '[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]$';

create or replace function csv_quoted(t text) returns text immutable strict parallel safe set search_path = public, pg_temp language sql
  return case when t ~ '[",;\t\r\n]|^[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]|'
      '[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]$'
    then '"' || replace(t, '"', '""') || '"' else t end;

-- A cell that came from a file, whose apostrophe is already an escape: `defused` in src/domain/csv/write.ts.
create or replace function csv_defused(t text) returns text immutable strict parallel safe set search_path = public, pg_temp language sql
  return csv_quoted(case when t ~ '^[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]' and t !~ '^[+-]?[0-9]+(\.[0-9]+)?$' then '''' || t else t end);

-- A text that no spreadsheet evaluates as a formula, and that `unmarked` restores: `marked` in src/domain/csv/write.ts.
create or replace function csv_cell(t text) returns text immutable strict parallel safe set search_path = public, pg_temp language sql
  return case when t ~ '^''+[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]' then csv_quoted('''' || t) else csv_defused(t) end;

-- A failed line of an import, preceded by its line number and errors.
create or replace function failed_line(p_line int, p_errors jsonb, p_values jsonb)
  returns text immutable parallel safe set search_path = public, pg_temp language sql
  return concat_ws(',', p_line::text,
    csv_defused(coalesce((select string_agg(concat_ws(': ', nullif(coalesce(e ->> 'column', e ->> 'field'), ''),
      nullif(e ->> 'message', '')), '; ' order by n)
      from jsonb_array_elements(p_errors) with ordinality t(e, n)), '')),
    (select string_agg(csv_defused(v), ',' order by n) from jsonb_array_elements_text(coalesce(p_values, '[]')) with ordinality t(v, n)))
      || E'\r\n';

-- Whether a text needs more in a cell of a workbook than the escapes of XML. A fast first check, because most texts do not.
create or replace function is_odd_text(t text) returns boolean immutable parallel safe language sql
  return octet_length(t) > 32767 or t collate "C" ~ '[\x01-\x1f\ufffe\uffff]|^[ \u00a0\u3000]|[ \u00a0\u3000]$|_x[0-9A-Fa-f]{4}_';

-- A text in the XML of a workbook. Characters that XML cannot have, and a carriage return, are _xHHHH_, and so is the beginning of a text
-- of that form: `xmlText` in src/features/exports/rules/xlsx-cells.ts.
create or replace function xlsx_escaped(t text)
  returns text immutable strict parallel safe set search_path = public, pg_temp language plpgsql as $$
declare
  c text;
begin
  t := replace(replace(replace(regexp_replace(t, '_(?=x[0-9A-Fa-f]{4}_)', '_x005F_', 'g'), '&', '&amp;'), '<', '&lt;'), '>', '&gt;');
  for c in select distinct m[1] from regexp_matches(t, '([\x01-\x08\x0b-\x1f\ufffe\uffff])', 'g') m loop
    t := replace(t, c, format('_x%s_', lpad(upper(to_hex(ascii(c))), 4, '0')));
  end loop;
  return t;
end $$;

-- The beginning of a text that a cell can have: 32,767 UTF-16 units, of which characters beyond the basic plane have two.
create or replace function xlsx_cut(t text)
  returns text immutable strict parallel safe set search_path = public, pg_temp language plpgsql as $$
declare
  fits int := least(length(t), 16383);
  beyond int := least(length(t), 32767) + 1;
  middle int;
begin
  while beyond - fits > 1 loop
    middle := (fits + beyond) / 2;
    if middle + length(regexp_replace(left(t, middle), '[^\U00010000-\U0010ffff]', '', 'g')) <= 32767 then fits := middle;
    else beyond := middle; end if;
  end loop;
  return left(t, fits);
end $$;

-- A cell of a text that is_odd_text says needs more. A cell that was cut has the style 4, by which it is found.
create or replace function xlsx_odd(t text) returns text immutable strict parallel safe set search_path = public, pg_temp language sql
  return (select case when octet_length(cut) = octet_length(t) then '<c' else '<c s="4"' end
    || ' t="inlineStr"><is><t xml:space="preserve">'
    || xlsx_escaped(cut) || '</t></is></c>' from (select case when octet_length(t) > 32767 then xlsx_cut(t) else t end as cut offset 0) c);

-- A cell of any text: `textCell` in src/features/exports/rules/xlsx-cells.ts.
create or replace function xlsx_text(t text) returns text immutable parallel safe set search_path = public, pg_temp language sql
  return case when t is null then '<c/>' when is_odd_text(t) then xlsx_odd(t)
    else '<c t="str"><v>' || replace(replace(replace(t, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') || '</v></c>' end;

-- A cell of a day. A workbook has no days before 1 March 1900 that all programs agree on.
create or replace function xlsx_day(d date) returns text immutable parallel safe language sql
  return case when d is null then '<c/>'
    when d between '1900-03-01' and '9999-12-31' then '<c s="1"><v>' || (d - '1899-12-30'::date)::text || '</v></c>'
    else '<c t="str"><v>' || d::text || '</v></c>' end;

-- A cell of the value of a custom field of a type. A value of another type, from before the field had this one, is a text.
create or replace function xlsx_custom(v jsonb, p_type text)
  returns text immutable parallel safe set search_path = public, pg_temp language sql
  return case when v is null or v = 'null' then '<c/>'
    when p_type = 'number' and jsonb_typeof(v) = 'number' then '<c><v>' || js_number(v::numeric) || '</v></c>'
    when p_type = 'boolean' and jsonb_typeof(v) = 'boolean' then '<c t="b"><v>' || v::boolean::int::text || '</v></c>'
    when p_type = 'date' and jsonb_typeof(v) = 'string' and pg_input_is_valid(v #>> '{}', 'date') then xlsx_day((v #>> '{}')::date)
    else xlsx_text(export_json(v)) end;

-- Values of related records in one cell: the first ones, and how many more there are.
create or replace function export_values(texts text[], p_most int)
  returns text immutable parallel safe set search_path = public, pg_temp language sql
  return nullif(export_list(case
    when cardinality(texts) > p_most then texts[:p_most] || format('… and %s more', cardinality(texts) - p_most)
    else texts end), '');
