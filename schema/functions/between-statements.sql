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

create or replace function current_request_id() returns text stable parallel safe language sql
  return nullif(current_setting('app.request_id', true), '');

create or replace function skips_automations() returns boolean stable parallel safe language sql
  return current_setting('app.skip_automations', true) is not distinct from 'true';

-- Declares why the following statements of the transaction happen: request, approval, import, merge, undo, restore, automation_run,
-- incoming_webhook or provider, with its id. Depth counts the automated steps that led here. record_versions and emit store all three with
-- every change and event.
create or replace function set_cause(p_type text, p_id uuid, p_depth int default 0)
  returns void set search_path = public, pg_temp language sql as $$
  select set_config('app.cause_type', p_type, true), set_config('app.cause_id', coalesce(p_id::text, ''), true),
    set_config('app.cause_depth', p_depth::text, true)
$$;

create or replace function current_cause_type() returns text stable parallel safe language sql
  return nullif(current_setting('app.cause_type', true), '');

create or replace function current_cause_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.cause_id', true), '')::uuid;

create or replace function current_cause_depth() returns smallint stable parallel safe language sql
  return coalesce(nullif(current_setting('app.cause_depth', true), '')::smallint, 0::smallint);
