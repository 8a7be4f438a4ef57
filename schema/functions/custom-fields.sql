create or replace function table_of_object(p_object text) returns text immutable language sql
  return case p_object when 'contact' then 'contacts' when 'company' then 'companies' when 'opportunity' then 'opportunities' when 'product' then 'products' end;

-- Custom fields: what their values may be.

create or replace function is_blank(value jsonb) returns boolean immutable parallel safe language sql
  return value is null or value in ('null', '[]') or jsonb_typeof(value) = 'string' and btrim(value #>> '{}') = '';

-- What is wrong with a value, or null. Without `options` any option will do.
create or replace function custom_value_error(type text, options text[], value jsonb) returns text immutable parallel safe language plpgsql as $$
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

-- A value as it is compared: see custom_values.
create or replace function custom_number(type text, value jsonb) returns float8 immutable strict parallel safe language sql
  return case type when 'number' then (value #>> '{}')::float8 when 'date' then (value #>> '{}')::date - date '1970-01-01' when 'boolean' then (value::boolean)::int else 0 end;

create or replace function custom_text(type text, value text) returns text immutable strict parallel safe language sql
  return case when type in ('number', 'date', 'boolean', 'long_text') then '' when type = 'phone' then regexp_replace(value, '\D', '', 'g') else norm(value) end;

-- The same for what a filter compares a field with.
create or replace function custom_type(p_object text, p_key text) returns text stable language sql
  return (select f.type from custom_fields f where f.object = p_object and f.field_key = p_key);

create or replace function custom_numbers(p_object text, p_key text, p_values jsonb) returns float8[] stable language sql
  return (select array_agg(custom_number(t.type, v)) from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);

create or replace function custom_texts(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(custom_text(t.type, v #>> '{}')) from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v);

-- Text contains a text; a list of options has an option.
create or replace function custom_patterns(p_object text, p_key text, p_values jsonb) returns text[] stable language sql
  return (select array_agg(case t.type when 'multi_select' then literally(said) else '%' || literally(said) || '%' end)
    from (select custom_type(p_object, p_key) as type) t, jsonb_array_elements(p_values) v, custom_text(t.type, v #>> '{}') said);

-- Guards a filter or a sort: each field exists, has the operator and may be compared with the value. `asked`: object, key, types that have
-- the operator (offered), those of them that fit the value (fits), and where in the request to point (field_at, op_at, value_at).
create or replace function check_custom_conditions(asked jsonb) returns boolean stable language plpgsql as $$
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

-- Custom fields: the rule on every path.

-- Everything wrong with values that were sent for a record, as issues. A field that was sent as null, or not at all for a new record, must not be required.
create or replace function custom_value_issues(p_workspace uuid, p_object text, p_sent jsonb, p_creates boolean) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('path', 'metadata.' || field_key, 'message', message) order by field_key) from (
    select f.field_key, case when not is_blank(p_sent -> f.field_key) then custom_value_error(f.type, f.options, p_sent -> f.field_key)
      when f.required and not f.archived and (p_creates or p_sent ? f.field_key) then 'Required' end as message
      from custom_fields f where f.workspace_id = p_workspace and f.object = p_object
    union all
    select k, 'Unknown custom field: remove it, or check its spelling' from jsonb_each(p_sent) e(k, v)
      where v <> 'null' and (select s.custom_fields_strict from crm_settings s where s.workspace_id = p_workspace)
        and not exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object and f.field_key = k)
  ) faults where message is not null
$$;

-- What a value comes down to in custom_values: a row, one an option, or none where it does not fit the type.
-- A pass over a workspace asks it of each record, so the frequent types are judged here; the rules are those of custom_value_error.
create or replace function custom_entries(type text, value jsonb) returns table (number float8, text text) immutable parallel safe language plpgsql as $$
declare
  raw text;
  amount numeric;
begin
  if value is null or type is null then return; end if;
  case type
    when 'number' then
      if jsonb_typeof(value) <> 'number' then return; end if;
      amount := value;
      if amount <> 0 and abs(amount) not between 1e-300 and 1e300 then return; end if;
      return query values (amount::float8, '');
    when 'multi_select' then
      return query select distinct 0::float8, norm(v #>> '{}') from jsonb_array_elements(case jsonb_typeof(value) when 'array' then value else '[]' end) v
        where jsonb_typeof(v) = 'string' and btrim(v #>> '{}') <> '';
    when 'text', 'select' then
      if jsonb_typeof(value) <> 'string' then return; end if;
      raw := value #>> '{}';
      if btrim(raw) = '' or type = 'text' and length(raw) > 500 then return; end if;
      return query values (0::float8, norm(raw));
    else
      raw := value #>> '{}';
      if is_blank(value) or custom_value_error(type, '{}', value) is not null then return; end if;
      return query values (custom_number(type, value), custom_text(type, raw));
  end case;
end $$;

-- The values of a record that are in the indexes of its custom fields.
create or replace function custom_rows(p_workspace uuid, p_object text, p_id uuid, p_metadata jsonb) returns setof custom_values stable language sql as $$
  select f.workspace_id, f.id, e.number, e.text, p_id, f."unique" and i.status <> 'failed' from custom_fields f
    join custom_indexes i on i.workspace_id = f.workspace_id and i.field_id = f.id and i.status <> 'clearing', custom_entries(f.type, p_metadata -> f.field_key) e
  where f.workspace_id = p_workspace and f.object = p_object and p_metadata ? f.field_key
$$;

-- Has the workspace anything to check? Definitions do not change under a write: they wait for it, and it for them.
create or replace function has_custom_rules(p_workspace uuid, p_object text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(p_workspace::text));
  return exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object)
    or exists (select from crm_settings s where s.workspace_id = p_workspace and s.custom_fields_strict);
end $$;

-- Another record has a value that must be a record's own. Inside a bulk call, which looked before, the whole batch runs again and looks again.
create or replace function raise_shared_value(p_workspace uuid, p_object text, p_field uuid) returns void stable language plpgsql as $$
declare
  shared text := (select 'metadata.' || f.field_key from custom_fields f where f.workspace_id = p_workspace and f.id = p_field);
begin
  if current_setting('app.custom_refused', true) <> '' then raise exception using errcode = '40001', message = 'a value was taken meanwhile'; end if;
  perform fail('CONFLICT', 'Another ' || p_object || ' already has this ' || shared, jsonb_build_object('issues', jsonb_build_array(
    jsonb_build_object('path', shared, 'message', 'Another ' || p_object || ' already has this value'))));
end $$;

-- Custom values that a delete leaves would be added again by a batch that did not see it: so it waits for the batch as other writes do.
create or replace function index_custom_values() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  object text := tg_argv[0];
  changed jsonb;
  issues jsonb;
  wanted custom_values[];
  lost custom_values;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(o.workspace_id::text)) from (select distinct workspace_id from old_rows) o;
    delete from custom_values v using old_rows o where v.workspace_id = o.workspace_id and v.record_id = o.id;
    return null;
  end if;
  if tg_op = 'INSERT' then
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select i into issues from new_rows n, custom_value_issues(n.workspace_id, object, n.metadata, true) i where i is not null limit 1;
  else
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) then return null; end if;
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select each.i into issues from (
      select custom_value_issues(n.workspace_id, object, (
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
  if lost.field_id is not null then perform raise_shared_value(lost.workspace_id, object, lost.field_id); end if;
  return null;
end $$;

/*
  Judges the records of a bulk call one by one, so that a bad one does not stop the others: those refused are noted for the transaction, and
  skipped when they are written. p_records: id, metadata where sent, creates.
*/
create or replace function check_custom_values(p_object text, p_records jsonb) returns void language plpgsql security definer set search_path = public, pg_temp as $$
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
    issues := custom_value_issues(current_workspace(), p_object, given.metadata, given.creates);
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

-- Guards an update: what is cleared must not be required, whether or not the record has it.
create or replace function check_required_fields(p_object text, p_keys jsonb) returns boolean stable language plpgsql as $$
declare
  issues jsonb := custom_value_issues(current_workspace(), p_object, p_keys, false);
begin
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;

-- What follows from the other records' changes still reaches a refused one.
create or replace function skip_rejected() returns trigger language plpgsql as $$
begin
  return case when pg_trigger_depth() > 1 then new end;
end $$;

create or replace procedure custom_table(name text, object text) language plpgsql as $$
begin
  execute format('create or replace trigger refused before insert or update on %I for each row when (custom_error_of(new.id) is not null) execute function skip_rejected()', name);
  execute format('create or replace trigger custom_insert after insert on %I referencing new table as new_rows for each statement when (not merge_in_progress()) execute function index_custom_values(%L)', name, object);
  execute format('create or replace trigger custom_update after update on %I referencing old table as old_rows new table as new_rows for each statement execute function index_custom_values(%L)', name, object);
  execute format('create or replace trigger custom_delete after delete on %I referencing old table as old_rows for each statement execute function index_custom_values(%L)', name, object);
end $$;

-- A custom field's index follows its definition: it is built, or its values are removed, behind the request (see build_custom_index). Writes wait for the
-- definition and it for them, so that from now on each of them keeps the index.
create or replace function define_custom_field() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_wanted constant boolean := tg_op <> 'DELETE' and (new.indexed or new."unique");
  known text;
  records text;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(old.workspace_id::text));
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now() where workspace_id = old.workspace_id and field_id = old.id;
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(new.workspace_id::text));
  select status into known from custom_indexes where workspace_id = new.workspace_id and field_id = new.id;
  if not is_wanted then
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now() where workspace_id = new.workspace_id and field_id = new.id;
  elsif known is null or known in ('clearing', 'failed') or new."unique" and not old."unique" then
    insert into custom_indexes (workspace_id, field_id, status) values (new.workspace_id, new.id, 'building')
      on conflict (workspace_id, field_id) do update set status = 'building', done = 0, total = null, cursor = null, error = null, updated_at = now();
    records := table_of_object(new.object);
    -- Where there are no records there is nothing to build.
    execute format('update custom_indexes set status = ''ready'', total = 0 where workspace_id = $1 and field_id = $2 and not exists (select from %I where workspace_id = $1)', records)
      using new.workspace_id, new.id;
  end if;
  return null;
end $$;
create or replace trigger define_insert after insert on custom_fields for each row execute function define_custom_field();
create or replace trigger define_update after update on custom_fields for each row execute function define_custom_field();
create or replace trigger define_delete after delete on custom_fields for each row execute function define_custom_field();

/*
  The next batch of a custom field's index: values of records are added to it, or of a field that has none any more are removed. Returns whether there is more.
  Each batch holds the lock that writes share, so that it sees all that were made before it and none is under way; a batch that is repeated does no harm.
  A value that two records share where it must be unique ends the work: the index has failed, and says why.
*/
create or replace function build_custom_index(p_workspace uuid, p_field uuid, p_batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i custom_indexes;
  f custom_fields;
  records text;
  last uuid;
  found_rows int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(p_workspace::text));
  select * into i from custom_indexes where workspace_id = p_workspace and field_id = p_field for update;
  if i.status = 'clearing' then
    delete from custom_values where workspace_id = p_workspace and field_id = p_field
      and (number, text, record_id) in (select number, text, record_id from custom_values where workspace_id = p_workspace and field_id = p_field limit p_batch);
    get diagnostics found_rows = row_count;
    if found_rows = p_batch then update custom_indexes set updated_at = now() where workspace_id = p_workspace and field_id = p_field;
    else delete from custom_indexes where workspace_id = p_workspace and field_id = p_field;
    end if;
    return found_rows = p_batch;
  elsif i.status is distinct from 'building' then
    return false;
  end if;
  select * into f from custom_fields where workspace_id = p_workspace and id = p_field;
  records := table_of_object(f.object);
  if i.total is null then
    execute format('select count(*) from %I where workspace_id = $1', records) into i.total using p_workspace;
  end if;
  begin
    execute format($x$ with batch as materialized (select id, metadata from %I where workspace_id = $1 and ($3 is null or id > $3) order by id limit $4),
      wanted as materialized (select e.number, e.text, b.id from batch b, custom_entries($5, b.metadata -> $6) e where b.metadata ? $6),
      stale as (delete from custom_values v using batch b where v.workspace_id = $1 and v.field_id = $2 and v.record_id = b.id
        and not exists (select from wanted w where w.id = v.record_id and w.number = v.number and w.text = v.text)),
      added as (insert into custom_values (workspace_id, field_id, number, text, record_id, is_unique) select $1, $2, number, text, id, $7 from wanted
        on conflict (workspace_id, field_id, number, text, record_id) do update set is_unique = excluded.is_unique where custom_values.is_unique <> excluded.is_unique)
      select count(*), (array_agg(id order by id desc))[1] from batch $x$, records) into found_rows, last
      using p_workspace, p_field, i.cursor, p_batch, f.type, f.field_key, f."unique";
  exception when unique_violation then
    update custom_indexes set status = 'failed', error = 'Some records share a value of this field, so it cannot be unique', updated_at = now()
      where workspace_id = p_workspace and field_id = p_field;
    return false;
  end;
  update custom_indexes set cursor = coalesce(last, cursor), done = done + found_rows, total = greatest(i.total, done + found_rows), updated_at = now(),
    status = case when found_rows < p_batch then 'ready' else status end where workspace_id = p_workspace and field_id = p_field;
  return found_rows = p_batch;
end $$;

-- Indexes whose message was lost: those that no batch has touched for some seconds, the oldest first.
create or replace function waiting_custom_indexes(p_limit int) returns table (workspace_id uuid, id uuid) stable language sql security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.field_id from custom_indexes i where i.status in ('building', 'clearing') and i.updated_at < now() - interval '20 seconds' order by i.updated_at limit p_limit
$$;

call custom_table('contacts', 'contact');
call custom_table('companies', 'company');
call custom_table('opportunities', 'opportunity');
call custom_table('products', 'product');

revoke execute on function check_custom_values, build_custom_index, waiting_custom_indexes from public;
grant execute on function check_custom_values, build_custom_index, waiting_custom_indexes to app;
