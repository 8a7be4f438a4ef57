-- Values that the statements of one transaction pass to each other: see the table of session settings in primitives.sql.

/*
  Hands a value to later statements of the transaction. src/data/handed.ts lists the names. All values are one object, which each call reads
  and writes: a statement that reads one for each row does so in a subselect.
*/
create or replace function hand(p_name text, p_value jsonb) returns void language sql as $$
  select set_config('app.handed',
      (coalesce(nullif(current_setting('app.handed', true), ''), '{}')::jsonb || jsonb_build_object(p_name, p_value))::text, true),
    -- The Worker of the release before reads each value in a setting of its own.
    set_config('app.' || p_name, p_value #>> '{}', true)
$$;

-- The value that was handed over last by this name, or null.
create or replace function handed(p_name text) returns jsonb stable parallel safe language sql
  return nullif(current_setting('app.handed', true), '')::jsonb -> p_name;

/*
  What holds for the statements that follow, until it is cleared:
  merge_in_progress  a merge drops rows, or its undo or a restore inserts them again: the triggers that derive values do nothing
  purging            a purge deletes rows: their history is written without values, so that it need not be redacted afterwards
  unlinks            a batch of a deletion unlinks rows of records that a later statement deletes
  unchecked_values   this system writes records of its own, which no custom field can prevent
  nothing_required   records are made that follow from something else: they need not have what custom fields and stages require
  leads_locked       the transaction has all that lead results are compared by locked
*/
create or replace function set_flag(p_flag text) returns void language sql as $$
  select set_config('app.flags', concat_ws(' ', nullif(current_setting('app.flags', true), ''), p_flag), true)
$$;

create or replace function clear_flag(p_flag text) returns void language sql as $$
  select set_config('app.flags', array_to_string(array_remove(string_to_array(current_setting('app.flags', true), ' '), p_flag), ' '), true)
$$;

-- No flag is a part of another. A transaction that functions of the release before have begun has a setting for each.
create or replace function has_flag(p_flag text) returns boolean stable language sql
  return coalesce(strpos(current_setting('app.flags', true), p_flag) > 0, false)
    or current_setting('app.' || p_flag, true) is not distinct from 'on';

create or replace function merge_in_progress() returns boolean stable language sql return has_flag('merge_in_progress');
create or replace function is_purging() returns boolean stable language sql return has_flag('purging');

create or replace function current_request_id() returns text stable parallel safe language sql
  return nullif(current_setting('app.request_id', true), '');

create or replace function skips_automations() returns boolean stable parallel safe language sql
  return current_setting('app.skip_automations', true) is not distinct from 'true';

-- Declares why the following statements of the transaction happen: request, approval, import, merge, undo, restore, automation_run,
-- incoming_webhook or provider, with its id. Depth counts the automated steps that led here. record_versions and emit store all three with
-- every change and event.
create or replace function set_cause(p_type text, p_id uuid, p_depth int default 0)
  returns void language sql as $$
  select set_config('app.cause', concat(p_type, ' ', p_id, ' ', p_depth), true)
$$;

create or replace function current_cause_type() returns text stable parallel safe language sql
  return nullif(split_part(current_setting('app.cause', true), ' ', 1), '');

create or replace function current_cause_id() returns uuid stable parallel safe language sql
  return nullif(split_part(current_setting('app.cause', true), ' ', 2), '')::uuid;

create or replace function current_cause_depth() returns smallint stable parallel safe language sql
  return coalesce(nullif(split_part(current_setting('app.cause', true), ' ', 3), '')::smallint, 0::smallint);
