-- Custom fields and their values, filters, and the search over all records.

create extension if not exists fuzzystrmatch;
create extension if not exists unaccent;
--> statement-breakpoint
call tenant_table('custom_fields');
call tenant_table('custom_values', 'select');
call tenant_table('search_words', 'select');
call tenant_reference('custom_values', 'field_id', 'custom_fields', 'cascade');
call tracked_table('custom_fields', 'custom_field');
alter table custom_fields add constraint options check ((type in ('select', 'multi_select')) = (cardinality(options) > 0));
alter table custom_fields add constraint "unique" check (not "unique" or type in ('text', 'number', 'date', 'url', 'email', 'phone'));
--> statement-breakpoint

-- The forms in which filters compare text.
create function lower_all(given text[]) returns text[] immutable strict parallel safe language sql
  return array(select lower(v) from unnest(given) v);
--> statement-breakpoint
create function norm_all(given text[]) returns text[] immutable strict parallel safe language sql
  return array(select norm(v) from unnest(given) v);
--> statement-breakpoint
-- Part of a pattern that means itself.
create function literally(value text) returns text immutable strict parallel safe language sql
  return replace(replace(replace(value, '\', '\\'), '%', '\%'), '_', '\_');
--> statement-breakpoint
create function tag_names(tags jsonb) returns text[] immutable strict parallel safe language sql
  return array(select lower(t ->> 'name') from jsonb_array_elements(tags) t);
--> statement-breakpoint
create index opportunities_by_tag on opportunities using gin (workspace_id, tag_names(tags)) with (fastupdate = off);
--> statement-breakpoint
-- The opportunities with any of the tags. As its owner, for its index is not used under row-level security (see search_ids).
create function tagged_ids(p_names text[]) returns setof uuid stable language plpgsql security definer set search_path = public as $$
begin
  return query execute 'select id from opportunities where workspace_id = $1 and tag_names(tags) && $2' using current_workspace(), lower_all(p_names);
end $$;
--> statement-breakpoint
-- As begin_request, for scopes that depend on what is asked. Without a key, as in a queue or a cron job, nothing is lacking.
create function needs_scopes(p_scopes text[]) returns boolean stable language plpgsql as $$
declare
  missing text[] := (select lacking_scopes(k.scopes, p_scopes) from api_keys k where k.id = current_key_id());
begin
  if missing is not null then
    perform fail('INSUFFICIENT_SCOPE', 'The API key lacks a scope that this call needs', jsonb_build_object('required_scopes', to_jsonb(p_scopes), 'missing_scopes', to_jsonb(missing)));
  end if;
  return true;
end $$;
--> statement-breakpoint

-- Custom fields: what their values may be.

create function is_blank(value jsonb) returns boolean immutable parallel safe language sql
  return value is null or value in ('null', '[]') or jsonb_typeof(value) = 'string' and btrim(value #>> '{}') = '';
--> statement-breakpoint
-- What is wrong with a value, or null. Without `options` any option will do.
create function custom_fault(type text, options text[], value jsonb) returns text immutable parallel safe language plpgsql as $$
declare
  said text := case when jsonb_typeof(value) = 'string' then value #>> '{}' end;
begin
  case type
    when 'text' then
      if said is null or length(said) > 500 then return 'must be text of at most 500 characters'; end if;
    when 'long_text' then
      if said is null or length(said) > 20000 then return 'must be text of at most 20000 characters'; end if;
    when 'number' then
      if jsonb_typeof(value) <> 'number' or abs(value::numeric) > 1e300 or abs(value::numeric) between 1e-400 and 1e-300 then return 'must be a number'; end if;
    when 'date' then
      if said is null or said !~ '^\d{4}-\d\d-\d\d$' or not pg_input_is_valid(said, 'date') then return 'must be a date of the calendar, such as 2026-03-31'; end if;
    when 'boolean' then
      if jsonb_typeof(value) <> 'boolean' then return 'must be true or false'; end if;
    when 'select' then
      if said is null or said <> all (options) then return 'must be one of: ' || array_to_string(options, ', '); end if;
    when 'multi_select' then
      if jsonb_typeof(value) <> 'array' or exists (select from jsonb_array_elements(value) e where jsonb_typeof(e) <> 'string' or e #>> '{}' <> all (options)) then
        return 'must be a list of: ' || array_to_string(options, ', ');
      end if;
    when 'url' then
      if said is null or length(said) > 500 or said !~* '^https?://[^\s\\]+$' then return 'must be a whole web address that starts with http:// or https://, of at most 500 characters'; end if;
    when 'email' then
      if said is null or length(said) > 254 or said !~* '^[^\s@]+@[^\s@]+\.[a-z0-9-]{2,}$' then return 'must be an email address, such as ana@example.com'; end if;
    when 'phone' then
      if said is null or said !~ '^\+?[0-9 ().\-/]{5,40}$' or length(regexp_replace(said, '\D', '', 'g')) < 5 then return 'must be a phone number, such as +61 412 345 678'; end if;
  end case;
  return null;
end $$;
--> statement-breakpoint
-- A value as it is compared: see custom_values.
create function custom_number(type text, value jsonb) returns float8 immutable strict parallel safe language sql
  return case type when 'number' then (value #>> '{}')::float8 when 'date' then (value #>> '{}')::date - date '1970-01-01' when 'boolean' then (value::boolean)::int else 0 end;
--> statement-breakpoint
create function custom_text(type text, value text) returns text immutable strict parallel safe language sql
  return case when type in ('number', 'date', 'boolean', 'long_text') then '' when type = 'phone' then regexp_replace(value, '\D', '', 'g') else norm(value) end;
--> statement-breakpoint
-- The same for what a filter compares a field with.
create function custom_type(p_object text, p_key text) returns text stable language sql
  return (select f.type from custom_fields f where f.object = p_object and f.field_key = p_key);
--> statement-breakpoint
create function custom_numbers(p_object text, p_key text, p_values jsonb) returns float8[] stable language sql
  return (select array_agg(custom_number(t.type, v)) from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);
--> statement-breakpoint
create function custom_texts(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(custom_text(t.type, v #>> '{}')) from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);
--> statement-breakpoint
-- Text contains a text; a list of options has an option.
create function custom_patterns(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(case t.type when 'multi_select' then literally(said) else '%' || literally(said) || '%' end)
    from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v, custom_text(t.type, v #>> '{}') said);
--> statement-breakpoint
-- Guards a filter or a sort: each field exists, has the operator and may be compared with the value. `asked`: object, key, types that have
-- the operator (offered), those of them that fit the value (fits), and where in the request to point (field_at, op_at, value_at).
create function check_custom_conditions(asked jsonb) returns boolean stable language plpgsql as $$
declare
  issues jsonb;
begin
  select jsonb_agg(case
      when f.id is null then jsonb_build_object('path', a.field_at, 'message', 'No custom field of this object has the key ' || a.key)
      when not a.offered ? f.type then jsonb_build_object('path', a.op_at, 'message', 'is not possible for a field of type ' || f.type)
      else jsonb_build_object('path', a.value_at, 'message', 'does not fit a field of type ' || f.type) end)
    into issues
    from jsonb_to_recordset(asked) as a(object text, key text, offered jsonb, fits jsonb, field_at text, op_at text, value_at text)
    left join custom_fields f on f.object = a.object and f.field_key = a.key
    where f.id is null or not a.fits ? f.type;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;
--> statement-breakpoint

-- Custom fields: the rule on every path.

-- Everything wrong with values that were sent for a record, as issues. A field that was sent as null, or not at all for a new record, must not be required.
create function custom_issues(p_workspace uuid, p_object text, p_sent jsonb, p_creates boolean) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('path', 'metadata.' || field_key, 'message', message) order by field_key) from (
    select f.field_key, case when not is_blank(p_sent -> f.field_key) then custom_fault(f.type, f.options, p_sent -> f.field_key)
      when f.required and not f.archived and (p_creates or p_sent ? f.field_key) then 'Required' end as message
      from custom_fields f where f.workspace_id = p_workspace and f.object = p_object
    union all
    select k, 'Unknown custom field: remove it, or check its spelling' from jsonb_each(p_sent) e(k, v)
      where v <> 'null' and (select s.custom_fields_strict from crm_settings s where s.workspace_id = p_workspace)
        and not exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object and f.field_key = k)
  ) faults where message is not null
$$;
--> statement-breakpoint
-- What a value comes down to in custom_values: a row, one an option, or none where it does not fit the type.
create function custom_entries(type text, value jsonb) returns table (number float8, text text) immutable parallel safe language sql as $$
  select distinct custom_number(type, v), custom_text(type, v #>> '{}')
  from jsonb_array_elements(case when type <> 'multi_select' then jsonb_build_array(value) when jsonb_typeof(value) = 'array' then value else '[]' end) v
  where not is_blank(v) and custom_fault(case type when 'multi_select' then 'select' else type end, array[v #>> '{}'], v) is null
$$;
--> statement-breakpoint
create function custom_rows(p_workspace uuid, p_object text, p_id uuid, p_metadata jsonb) returns setof custom_values stable language sql as $$
  select f.workspace_id, f.id, e.number, e.text, p_id, f."unique" from custom_fields f, custom_entries(f.type, p_metadata -> f.field_key) e
  where f.workspace_id = p_workspace and f.object = p_object and p_metadata ? f.field_key
$$;
--> statement-breakpoint
-- Has the workspace anything to check? Definitions do not change under a write: they wait for it, and it for them.
create function has_custom_rules(p_workspace uuid, p_object text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(p_workspace::text));
  return exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object)
    or exists (select from crm_settings s where s.workspace_id = p_workspace and s.custom_fields_strict);
end $$;
--> statement-breakpoint
-- Another record has a value that must be a record's own. Inside a bulk call, which looked before, the whole batch runs again and looks again.
create function refuse_shared_value(p_workspace uuid, p_object text, p_field uuid) returns void stable language plpgsql as $$
declare
  shared text := (select 'metadata.' || f.field_key from custom_fields f where f.workspace_id = p_workspace and f.id = p_field);
begin
  if current_setting('app.custom_refused', true) <> '' then raise exception using errcode = '40001', message = 'a value was taken meanwhile'; end if;
  perform fail('CONFLICT', 'Another ' || p_object || ' already has this ' || shared, jsonb_build_object('issues', jsonb_build_array(
    jsonb_build_object('path', shared, 'message', 'Another ' || p_object || ' already has this value'))));
end $$;
--> statement-breakpoint
-- After each statement on a table with metadata: the values that changed are checked, and their index follows.
create function keep_custom_values() returns trigger language plpgsql security definer set search_path = public as $$
declare
  object text := tg_argv[0];
  changed jsonb;
  issues jsonb;
  wanted custom_values[];
  lost custom_values;
begin
  if tg_op = 'DELETE' then
    delete from custom_values v using old_rows o where v.workspace_id = o.workspace_id and v.record_id = o.id;
    return null;
  end if;
  if tg_op = 'INSERT' then
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select i into issues from new_rows n, custom_issues(n.workspace_id, object, n.metadata, true) i where i is not null limit 1;
  else
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) then return null; end if;
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select each.i into issues from (
      select custom_issues(n.workspace_id, object, (
        select jsonb_object_agg(k, n.metadata -> k) from (select jsonb_object_keys(n.metadata) k union select jsonb_object_keys(o.metadata)) keys
          where n.metadata -> k is distinct from o.metadata -> k), false) as i
      from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) each
      where each.i is not null limit 1;
  end if;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;

  select array_agg(r order by r.field_id, r.number, r.text, r.record_id) into wanted from new_rows n, custom_rows(n.workspace_id, object, n.id, n.metadata) r;
  if tg_op = 'UPDATE' then
    delete from custom_values v using new_rows n where v.workspace_id = n.workspace_id and v.record_id = n.id
      and not exists (select from unnest(wanted) w where w.field_id = v.field_id and w.record_id = v.record_id and w.number = v.number and w.text = v.text);
  end if;
  -- A twin that is being written elsewhere is waited for.
  insert into custom_values select w.* from unnest(wanted) w
    where not exists (select from custom_values v where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text and v.record_id = w.record_id)
    order by w.field_id, w.number, w.text, w.record_id on conflict do nothing;
  select w.* into lost from unnest(wanted) w where w.is_unique
    and not exists (select from custom_values v where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text and v.record_id = w.record_id) limit 1;
  if lost.field_id is not null then perform refuse_shared_value(lost.workspace_id, object, lost.field_id); end if;
  return null;
end $$;
--> statement-breakpoint
/*
  Judges the records of a bulk call one by one, so that a bad one does not stop the others: those refused are noted for the transaction, and
  skipped when they are written. p_records: id, metadata where sent, creates.
*/
create function refuse_custom_faults(p_object text, p_records jsonb) returns void language plpgsql security definer set search_path = public as $$
declare
  given record;
  refused jsonb := '{}';
  taken text[] := '{}';
  own text[];
  shared text;
  issues jsonb;
begin
  if not has_custom_rules(current_workspace(), p_object) then return; end if;
  for given in select r.id, coalesce(r.metadata, '{}') as metadata, r.creates from rows from (jsonb_to_recordset(p_records) as (id uuid, metadata jsonb, creates boolean)) with ordinality as r(id, metadata, creates, at)
    where r.creates or r.metadata is not null order by r.at
  loop
    issues := custom_issues(current_workspace(), p_object, given.metadata, given.creates);
    if issues is not null then
      refused := refused || jsonb_build_object(given.id, jsonb_build_object('code', 'VALIDATION_ERROR', 'issues', issues));
      continue;
    end if;
    select array_agg(concat_ws(' ', r.field_id, r.number, r.text)), min(f.field_key) filter (where concat_ws(' ', r.field_id, r.number, r.text) = any (taken) or exists (
        select from custom_values v where v.workspace_id = r.workspace_id and v.field_id = r.field_id and v.number = r.number and v.text = r.text and v.record_id <> r.record_id and v.is_unique))
      into own, shared from custom_rows(current_workspace(), p_object, given.id, given.metadata) r join custom_fields f on f.workspace_id = r.workspace_id and f.id = r.field_id where r.is_unique;
    if shared is null then taken := taken || own;
    else
      refused := refused || jsonb_build_object(given.id, jsonb_build_object('code', 'CONFLICT', 'issues', jsonb_build_array(
        jsonb_build_object('path', 'metadata.' || shared, 'message', 'Another ' || p_object || ' already has this value'))));
    end if;
  end loop;
  perform set_config('app.custom_refused', refused::text, true);
end $$;
--> statement-breakpoint
-- Guards an update: what is cleared must not be required, whether or not the record has it.
create function refuse_custom_nulls(p_object text, p_keys jsonb) returns boolean stable language plpgsql as $$
declare
  issues jsonb := custom_issues(current_workspace(), p_object, p_keys, false);
begin
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;
--> statement-breakpoint
create function custom_refusal(p_id uuid) returns jsonb stable parallel safe language sql
  return nullif(current_setting('app.custom_refused', true), '')::jsonb -> p_id::text;
--> statement-breakpoint
-- What follows from the other records' changes still reaches a refused one.
create function skip_refused() returns trigger language plpgsql as $$
begin
  return case when pg_trigger_depth() > 1 then new end;
end $$;
--> statement-breakpoint
create procedure custom_table(name text, object text) language plpgsql as $$
begin
  execute format('create trigger refused before insert or update on %I for each row when (custom_refusal(new.id) is not null) execute function skip_refused()', name);
  execute format('create trigger custom_insert after insert on %I referencing new table as new_rows for each statement execute function keep_custom_values(%L)', name, object);
  execute format('create trigger custom_update after update on %I referencing old table as old_rows new table as new_rows for each statement execute function keep_custom_values(%L)', name, object);
  execute format('create trigger custom_delete after delete on %I referencing old table as old_rows for each statement execute function keep_custom_values(%L)', name, object);
end $$;
--> statement-breakpoint
call custom_table('contacts', 'contact');
call custom_table('companies', 'company');
call custom_table('opportunities', 'opportunity');
call custom_table('products', 'product');
--> statement-breakpoint
-- A field that is defined later takes in the values that its records have already.
create function define_custom_field() returns trigger language plpgsql security definer set search_path = public as $$
declare
  records text := case new.object when 'contact' then 'contacts' when 'company' then 'companies' when 'opportunity' then 'opportunities' else 'products' end;
begin
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(new.workspace_id::text));
  begin
    if tg_op = 'INSERT' then
      execute format('insert into custom_values select t.workspace_id, $1, e.number, e.text, t.id, $2 from %I t, custom_entries($3, t.metadata -> $4) e where t.workspace_id = $5 and t.metadata ? $4', records)
        using new.id, new."unique", new.type, new.field_key, new.workspace_id;
    elsif new."unique" <> old."unique" then
      update custom_values set is_unique = new."unique" where workspace_id = new.workspace_id and field_id = new.id;
    end if;
  exception when unique_violation then
    perform fail('CONFLICT', 'Some records share a value of this field, so it cannot be unique', jsonb_build_object('issues', jsonb_build_array(
      jsonb_build_object('path', 'unique', 'message', 'Some records share a value of this field'))));
  end;
  return null;
end $$;
--> statement-breakpoint
create trigger define_insert after insert on custom_fields for each row execute function define_custom_field();
create trigger define_update after update on custom_fields for each row execute function define_custom_field();
--> statement-breakpoint

-- Search over all records: exact identities first, then the words of names, then words that differ from them in at most two letters.

-- The words of a text as they are searched by: letters and digits alone, without accents.
create function words_of(value text) returns text[] immutable parallel safe cost 200 language sql
  return array_remove(regexp_split_to_array(translate(public.unaccent('public.unaccent'::regdictionary, coalesce(value, '')), '''’`', ''), '[^[:alnum:]]+'), '');
--> statement-breakpoint
-- A record's words for its index: those of its name, and with an @ before them those of its address.
create function lexemes_of(name text, address text) returns tsvector immutable parallel safe cost 1000 language sql
  return array_to_tsvector(words_of(name) || array(select '@' || w from unnest(words_of(address)) w));
--> statement-breakpoint
create index contacts_by_lexeme on contacts using gin (workspace_id, lexemes_of(name_norm, email)) with (fastupdate = off);
create index companies_by_lexeme on companies using gin (workspace_id, lexemes_of(name_norm, coalesce(email || ' ', '') || coalesce(website_url, ''))) with (fastupdate = off);
create index opportunities_by_lexeme on opportunities using gin (workspace_id, lexemes_of(name_norm, external_id)) with (fastupdate = off);
create index contacts_by_alternate_email on contacts using gin (workspace_id, alternate_emails) with (fastupdate = off);
create index contacts_by_landline on contacts (workspace_id, landline) where landline is not null;
create index companies_by_phone on companies (workspace_id, phone) where phone is not null;
--> statement-breakpoint
-- Hashes of a word with up to two of its first seven letters left out (of a short word one), the workspace's own.
create function typo_keys(p_workspace uuid, p_word text) returns int[] immutable parallel safe cost 1000 language plpgsql as $$
declare
  start text := left(p_word, 7);
  once text;
  variants text[] := array[start];
begin
  for i in 1..length(start) loop
    once := left(start, i - 1) || substr(start, i + 1);
    variants := variants || once;
    if length(p_word) > 3 then
      for j in i..length(once) loop
        variants := variants || (left(once, j - 1) || substr(once, j + 1));
      end loop;
    end if;
  end loop;
  return array(select distinct (hashtextextended(p_workspace::text || v, 0) % 2147483647)::int from unnest(variants) v);
end $$;
--> statement-breakpoint
-- After each statement that names records: words that are new to the workspace are learnt.
create function learn_words() returns trigger language plpgsql security definer set search_path = public as $$
begin
  if tg_op = 'UPDATE' then
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.name_norm <> o.name_norm) then return null; end if;
  end if;
  insert into search_words (workspace_id, word, typo_keys)
    select w.workspace_id, w.word, typo_keys(w.workspace_id, w.word)
    from (select distinct n.workspace_id, word from new_rows n, unnest(words_of(n.name_norm)) word where word ~ '^[[:alpha:]]{3,60}$') w
    where not exists (select from search_words s where s.workspace_id = w.workspace_id and s.word = w.word)
    order by 1, 2 on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create procedure named_table(name text) language plpgsql as $$
begin
  execute format('create trigger learn_insert after insert on %I referencing new table as new_rows for each statement execute function learn_words()', name);
  execute format('create trigger learn_update after update on %I referencing old table as old_rows new table as new_rows for each statement execute function learn_words()', name);
end $$;
--> statement-breakpoint
call named_table('contacts');
call named_table('companies');
call named_table('opportunities');
--> statement-breakpoint
-- The words of the workspace's names that differ from this one in at most two letters (a short one in one), the nearest first.
create function similar_words(p_word text, p_limit int) returns setof text stable language plpgsql security definer set search_path = public set enable_seqscan = off set enable_indexscan = off as $$
declare
  most int := case when length(p_word) > 3 then 2 else 1 end;
begin
  return query execute 'select s.word::text from search_words s where s.typo_keys && $1 and s.workspace_id = $2 and levenshtein_less_equal(s.word, $3, $4) <= $4
    order by levenshtein_less_equal(s.word, $3, $4), similarity(s.word, $3) desc, s.word limit $5'
    using typo_keys(current_workspace(), p_word), current_workspace(), p_word, most, p_limit;
end $$;
--> statement-breakpoint
-- What an index of lexemes is asked: every word, as the beginning of one of the name's or as one of the address's (with `p_address` the last one as its
-- beginning); with `p_typos`, or a similar one.
create function search_query(p_words text[], p_typos boolean, p_address boolean) returns tsquery stable language sql as $$
  select string_agg(format('(%s)', choices), ' & ')::tsquery from (
    select format('''%s'':* | ''@%s''%s', w, w, case when p_address and at = cardinality(p_words) then ':*' else '' end)
      || coalesce((select string_agg(format(' | ''%s''', s), '') from similar_words(w, 20) s where p_typos and w ~ '^[[:alpha:]]{3,60}$'), '') as choices
    from unnest(p_words) with ordinality u(w, at)) each
$$;
--> statement-breakpoint
-- How well a name answers to the words, from 0 to 1: 0 when one of them is none of the name's.
create function name_score(p_words text[], p_name text) returns float8 immutable parallel safe language sql as $$
  select case when min(best) > 0 then 0.75 * avg(best) + 0.25 * similarity(array_to_string(p_words, ' '), array_to_string(words_of(p_name), ' ')) else 0 end
  from (
    select max(case when n = w then 1 when starts_with(n, w) then 0.9 when typos > most then 0 else 0.9 * (1 - typos::float8 / greatest(length(n), length(w))) end) as best
    from (select left(w, 60) as w, case when length(w) > 3 then 2 else 1 end as most from unnest(p_words) w) w, (select left(n, 60) as n from unnest(words_of(p_name)) n) n,
      lateral (select levenshtein_less_equal(n, w, most) as typos) d
    group by w) each
$$;
--> statement-breakpoint
create type search_match as (id uuid, name text, matched_on text, score float8);
--> statement-breakpoint
-- The first 200 records that a condition of an inverted index finds. Only a bitmap reads little, whatever the planner believes; one that does not
-- fit into work_mem would point to whole pages.
create function search_index(p_table text, p_condition text, p_words text[], p_address text) returns setof search_match stable language plpgsql security definer set search_path = public
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set work_mem = '64MB' as $$
begin
  return query execute format('select r.id, r.name_norm::text, case when s > 0 then %L else $2 end, greatest(s, 0.5)
    from (select id, name_norm from %I where workspace_id = %L and %s and not archived limit 200) r, name_score($1, r.name_norm) s',
    'name', p_table, current_workspace(), p_condition) using p_words, p_address;
end $$;
--> statement-breakpoint
/*
  The best records of each section, and a row without an id for a section whose scope the key lacks.
  p: q; sections; limit of each; where q is one: id, email, phone (E.164).
*/
create function search_records(p jsonb) returns table (section text, id uuid, title text, subtitle text, matched_on text, score float8) stable language plpgsql security definer set search_path = public as $$
declare
  w constant uuid := current_workspace();
  q constant text := norm(p ->> 'q');
  words constant text[] := (words_of(q))[1:6];
  digits constant text := case when q ~ '^[-+0-9 ().\/]+$' then ltrim(regexp_replace(q, '\D', '', 'g'), '0') else '' end;
  most constant int := (p ->> 'limit')::int;
  granted constant text[] := (select scopes from api_keys k where k.workspace_id = w and k.id = current_key_id());
  exactly text;
  address text;
  address_field text;
  shown text;
  near tsquery;
  matches search_match[];
begin
  foreach section in array array(select jsonb_array_elements_text(p -> 'sections')) loop
    if lacking_scopes(granted, array[section || ':read']) is not null then
      id := null;
      return next;
      continue;
    end if;
    case section
      when 'contacts' then
        exactly := $x$ (select id, name_norm, 'email' as field from contacts where workspace_id = $1 and email = $3 and not archived order by created_at desc limit 20)
          union all (select id, name_norm, 'alternate_emails' from contacts where workspace_id = $1 and alternate_emails @> array[$3] and $3 is not null and not archived limit 20)
          union all (select id, name_norm, 'phone' from contacts where workspace_id = $1 and phone = $4 and not archived order by created_at desc limit 20)
          union all (select id, name_norm, 'landline' from contacts where workspace_id = $1 and landline = $4 and not archived limit 20) $x$;
        address := 'email';
        address_field := 'email';
        shown := $x$ concat_ws(' ', r.first_name, r.last_name), coalesce(r.email, r.phone, (select c.name from companies c where c.workspace_id = r.workspace_id and c.id = r.customer_id)) $x$;
      when 'companies' then
        exactly := $x$ (select id, name_norm, 'email' as field from companies where workspace_id = $1 and email = $3 and not archived limit 20)
          union all (select id, name_norm, 'phone' from companies where workspace_id = $1 and phone = $4 and not archived limit 20) $x$;
        address := $x$ coalesce(email || ' ', '') || coalesce(website_url, '') $x$;
        address_field := 'website_url';
        shown := $x$ r.name, coalesce(r.website_url, r.email, r.industry) $x$;
      when 'opportunities' then
        exactly := $x$ select id, name_norm, 'email' as field from opportunities where false $x$;
        address := 'external_id';
        address_field := 'external_id';
        shown := $x$ r.name, nullif(concat_ws(' · ', (select c.name from companies c where c.workspace_id = r.workspace_id and c.id = r.customer_id),
          (select s.name from stages s where s.workspace_id = r.workspace_id and s.id = r.stage_id)), '') $x$;
    end case;
    execute format($x$ select array_agg((m.id, m.name_norm, m.field, 1)::search_match) from (
        select id, name_norm, 'id' as field from %1$I where workspace_id = $1 and id = $2 and not archived
        union all select id, name_norm, 'external_id' from %1$I where workspace_id = $1 and external_id = $5 and not archived union all %2$s) m $x$, section, exactly)
      into matches using w, (p ->> 'id')::uuid, p ->> 'email', p ->> 'phone', p ->> 'q';
    if words <> '{}' and not p ? 'id' then
      execute format($x$ select $4 || array_agg((r.id, r.name_norm, 'name', name_score($3, r.name_norm))::search_match) from (
          select id, name_norm from %I where workspace_id = $1 and archived = false and name_norm >= $2 and name_norm < $2 || chr(1114111) order by name_norm limit $5) r $x$, section)
        into matches using w, q collate "C", words, matches, most;
      matches := matches || array(select m from search_index(section, format('lexemes_of(name_norm, %s) @@ %L::tsquery', address, search_query(words, false, q ~ '@')), words, address_field) m);
      if array_to_string(words, ' ') ~ '[[:alpha:]]{3}' and (select count(distinct m.id) from unnest(matches) m) < most then
        near := coalesce(near, search_query(words, true, q ~ '@'));
        matches := matches || array(select m from search_index(section, format('lexemes_of(name_norm, %s) @@ %L::tsquery', address, near), words, address_field) m);
      end if;
    end if;
    if section = 'contacts' and length(digits) > 3 then
      matches := matches || array(select (m.id, m.name, 'phone', 0.5)::search_match from search_index(section, format('search_text like %L', '%' || digits || '%'), words, 'phone') m);
    end if;
    return query execute format($x$ select %L, r.id, %s, m.matched_on, round(m.score::numeric, 3)::float8 from (
        select * from (select distinct on (m.id) *, m.score = 1 and m.matched_on <> 'name' as exact from unnest($2) m order by m.id, exact desc, m.score desc) once
          order by once.exact desc, once.score desc, once.name, once.id limit $3) m
      join %I r on r.workspace_id = $1 and r.id = m.id order by m.exact desc, m.score desc, m.name, m.id $x$, section, shown, section) using w, matches, most;
  end loop;
end $$;
--> statement-breakpoint
revoke execute on function similar_words, search_index, search_records, refuse_custom_faults, tagged_ids from public;
grant execute on function search_records, refuse_custom_faults, tagged_ids to app;
