-- Custom fields: the rules that hold on every path.

-- The message for a key that is no custom field's; it names the nearest one that at most a third of the letters differ from.
create or replace function unknown_key_message(p_workspace uuid, p_object text, p_key text) returns text stable language sql as $$
  select format('Unknown custom field %s%s Define it with POST /custom-fields, or allow any key with PATCH /custom-field-settings', p_key,
    coalesce(': did you mean ' || (
      select f.field_key from custom_fields f,
        lateral (select levenshtein(regexp_replace(lower(p_key), '[[:space:]-]+', '_', 'g'), f.field_key) as typos) d
        where f.workspace_id = p_workspace and f.object = p_object and not f.archived and d.typos <= (length(f.field_key) + 2) / 3
        order by d.typos, f.field_key limit 1) || '?', '.'))
$$;

-- The issues of the values that were sent for a record, or null. A required field must be sent for a new record and never as null.
create or replace function custom_value_issues(p_workspace uuid, p_object text, p_sent jsonb, p_creates boolean)
  returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('path', 'metadata.' || field_key, 'message', message) order by field_key) from (
    select f.field_key, case
      when not is_blank(p_sent -> f.field_key) then coalesce(custom_value_error(f.type, f.options, p_sent -> f.field_key),
        case when custom_target_table(f.type) is not null
          and not custom_target_exists(p_workspace, f.type, (p_sent ->> f.field_key)::uuid)
          then 'No such ' || f.type || ' in this workspace' end)
      when f.required and not f.archived and (p_creates or p_sent ? f.field_key) then 'Required' end as message
      from custom_fields f where f.workspace_id = p_workspace and f.object = p_object
    union all
    select k, unknown_key_message(p_workspace, p_object, k) from jsonb_each(p_sent) e(k, v)
      where v <> 'null' and (select s.custom_fields_strict from crm_settings s where s.workspace_id = p_workspace)
        and not exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object and f.field_key = k)
  ) errors where message is not null
$$;

-- The rows in custom_values that a record's metadata should have.
create or replace function custom_rows(p_workspace uuid, p_object text, p_id uuid, p_metadata jsonb)
  returns setof custom_values stable language sql as $$
  select f.workspace_id, f.id, e.number, e.text, p_id, f."unique" and i.status <> 'failed' from custom_fields f
    join custom_indexes i on i.workspace_id = f.workspace_id and i.field_id = f.id
      and i.status <> 'clearing', custom_entries(f.type, p_metadata -> f.field_key) e
  where f.workspace_id = p_workspace and f.object = p_object and p_metadata ? f.field_key
$$;

-- The unique values of a record, each with the record's id.
create or replace function unique_custom_values(p_object text, p_id uuid, p_metadata jsonb) returns jsonb stable language sql
  return (select coalesce(jsonb_object_agg(concat_ws(' ', r.field_id, r.number, r.text), p_id), '{}')
    from custom_rows(current_workspace(), p_object, p_id, p_metadata) r where r.is_unique);

-- The details of the error for a unique value of the record that another one has, or null: field, id (of the other record) and issues.
-- p_taken: the values that other records of the call have taken, with those records' ids.
create or replace function shared_custom_value(p_object text, p_id uuid, p_metadata jsonb, p_taken jsonb) returns jsonb stable language sql
  return (select jsonb_build_object('field', 'metadata.' || f.field_key, 'id', o.id, 'issues', jsonb_build_array(
      jsonb_build_object('path', 'metadata.' || f.field_key, 'message', 'Another ' || p_object || ' already has this value')))
    from custom_rows(current_workspace(), p_object, p_id, p_metadata) r
      join custom_fields f on f.workspace_id = r.workspace_id and f.id = r.field_id,
      lateral (select coalesce(nullif(p_taken ->> concat_ws(' ', r.field_id, r.number, r.text), p_id::text)::uuid, (
        select v.record_id from custom_values v
          where v.workspace_id = r.workspace_id and v.field_id = r.field_id and v.number = r.number and v.text = r.text
          and v.record_id <> p_id and v.is_unique limit 1)) as id) o
    where r.is_unique and o.id is not null order by f.field_key limit 1);

-- Whether the workspace has custom fields or accepts only them. The lock keeps definitions from changing while a write is in progress.
create or replace function has_custom_rules(p_workspace uuid, p_object text) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(p_workspace::text));
  return exists (select from custom_fields f where f.workspace_id = p_workspace and f.object = p_object)
    or exists (select from crm_settings s where s.workspace_id = p_workspace and s.custom_fields_strict);
end $$;

-- Raises CONFLICT for a unique value that another record has. A bulk call has checked this before, so there it was taken concurrently: the
-- batch is repeated and checks again.
create or replace function raise_shared_value(p_object text, p_id uuid, p_metadata jsonb) returns void language plpgsql as $$
declare
  shared jsonb;
begin
  if current_setting('app.custom_refused', true) <> '' then raise exception
    using errcode = '40001', message = 'a value was taken meanwhile'; end if;
  shared := shared_custom_value(p_object, p_id, p_metadata, '{}');
  perform fail('CONFLICT', 'Another ' || p_object || ' already has this ' || coalesce(shared ->> 'field', 'value'), shared);
end $$;

-- Validates custom values after each statement and maintains custom_values; the flag unchecked_values is set while this system writes
-- records of its own, which no custom field can prevent. A delete takes the same lock as other writes, so that a concurrent
-- build_custom_index cannot add values of a deleted record.
create or replace function index_custom_values() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  object text := tg_argv[0];
  changed jsonb;
  issues jsonb;
  wanted custom_values[];
  added custom_values[];
  conflicting custom_values;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(o.workspace_id::text))
      from (select distinct workspace_id from old_rows) o;
    delete from custom_values v using old_rows o where v.workspace_id = o.workspace_id and v.record_id = o.id;
    return null;
  end if;
  if tg_op = 'INSERT' then
    if has_flag('unchecked_values') then return null; end if;
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object))
      then return null; end if;
    select i into issues from new_rows n, custom_value_issues(n.workspace_id, object, n.metadata, not has_flag('nothing_required')) i
      where i is not null limit 1;
  else
    if not exists (select from new_rows) then return null; end if;
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.metadata is distinct from o.metadata) then return null; end if;
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object))
      then return null; end if;
    select each.i into issues from (
      select custom_value_issues(n.workspace_id, object, (
        select jsonb_object_agg(k, n.metadata -> k)
          from (select jsonb_object_keys(n.metadata) k union select jsonb_object_keys(o.metadata)) keys
          where n.metadata -> k is distinct from o.metadata -> k and (pg_trigger_depth() = 1 or n.metadata ? k)), false) as i
      from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) each
      where each.i is not null limit 1;
  end if;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;

  select array_agg(r order by r.field_id, r.number, r.text, r.record_id) into wanted
    from new_rows n, custom_rows(n.workspace_id, object, n.id, n.metadata) r;
  if tg_op = 'UPDATE' then
    delete from custom_values v using new_rows n where v.workspace_id = n.workspace_id and v.record_id = n.id
      and not exists (select from unnest(wanted) w
        where w.field_id = v.field_id and w.record_id = v.record_id and w.number = v.number and w.text = v.text);
  end if;
  -- Waits for a concurrent transaction that inserts the same unique value.
  with inserted as (
    insert into custom_values select w.* from unnest(wanted) w
      where not exists (select from custom_values v
        where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text
        and v.record_id = w.record_id)
      order by w.field_id, w.number, w.text, w.record_id on conflict do nothing returning custom_values.*)
    select array_agg(i) into added from inserted i;
  perform lock_custom_targets(added);
  select w.* into conflicting from unnest(wanted) w where w.is_unique
    and not exists (select from custom_values v
      where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text
      and v.record_id = w.record_id) limit 1;
  if conflicting.field_id is not null then
    perform raise_shared_value(object, n.id, n.metadata) from new_rows n
      where n.workspace_id = conflicting.workspace_id and n.id = conflicting.record_id;
  end if;
  return null;
end $$;

/*
  Validates the records of a bulk call one by one, so that an invalid one does not stop the others. The errors are stored in
  app.custom_refused, and the trigger skip_rejected skips these records. p_records: id, metadata if it was sent, creates.
*/
create or replace function check_custom_values(p_object text, p_records jsonb)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  given record;
  rejected jsonb := '{}';
  taken jsonb := '{}';
  shared jsonb;
  issues jsonb;
begin
  if not has_custom_rules(current_workspace(), p_object) then return; end if;
  for given in select r.id, coalesce(r.metadata, '{}') as metadata, r.creates from rows
    from (jsonb_to_recordset(p_records) as (id uuid, metadata jsonb, creates boolean)) with ordinality as r(id, metadata, creates, at)
    where r.creates or r.metadata is not null order by r.at
  loop
    issues := custom_value_issues(current_workspace(), p_object, given.metadata, given.creates);
    if issues is not null then
      rejected := rejected || jsonb_build_object(given.id, jsonb_build_object('code', 'VALIDATION_ERROR', 'issues', issues));
      continue;
    end if;
    shared := shared_custom_value(p_object, given.id, given.metadata, taken);
    if shared is null then taken := taken || unique_custom_values(p_object, given.id, given.metadata);
    else rejected := rejected || jsonb_build_object(given.id, shared || '{"code": "CONFLICT"}');
    end if;
  end loop;
  perform set_config('app.custom_refused', rejected::text, true);
end $$;

-- Guards an update: a required field cannot be cleared, even if the record has no value for it.
create or replace function check_required_fields(p_object text, p_keys jsonb) returns boolean stable language plpgsql as $$
declare
  issues jsonb := custom_value_issues(current_workspace(), p_object, p_keys, false);
begin
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;

-- Skips a record that check_custom_values rejected. Updates by other triggers, which follow from changes of other records, still apply to
-- it.
create or replace function skip_rejected() returns trigger language plpgsql as $$
begin
  return case when pg_trigger_depth() > 1 then new end;
end $$;

create or replace procedure custom_table(name text, object text) language plpgsql as $$
begin
  call write_trigger(format('create or replace trigger refused before insert or update on %I for each row
    when (custom_error_of(new.id) is not null) execute function skip_rejected()', name));
  call write_trigger(format('create or replace trigger custom_insert after insert on %I referencing new table as new_rows for each statement
    when (not merge_in_progress()) execute function index_custom_values(%L)', name, object));
  call
    write_trigger(format('create or replace trigger custom_update after update on %I referencing old table as old_rows new table as new_rows
    for each statement
    execute function index_custom_values(%L)', name, object));
  call write_trigger(format('create or replace trigger custom_delete after delete on %I referencing old table as old_rows for each statement
    execute function index_custom_values(%L)', name, object));
end $$;

call custom_table('contacts', 'contact');
call custom_table('companies', 'company');
call custom_table('opportunities', 'opportunity');
call custom_table('products', 'product');
call custom_table('tasks', 'task');
call custom_table('activities', 'activity');

revoke execute on function index_custom_values, check_custom_values from public;
grant execute on function check_custom_values to app;
