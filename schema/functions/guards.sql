-- Guards: statements of a batch that raise an error for the caller, which rolls back the whole request.

-- Raises an error that the Worker returns as `code` with `message` and `details`.
create or replace function fail(code text, message text, details jsonb default null) returns void language plpgsql as $$
begin
  raise exception using errcode = 'WK000', message = message, detail = jsonb_build_object('code', code, 'details', details)::text;
end $$;

-- Raises the error unless `ok`.
create or replace function assert_condition(ok boolean, code text, message text, details jsonb default null)
  returns boolean language plpgsql as $$
begin
  if ok is not true then perform fail(code, message, details); end if;
  return true;
end $$;

-- Checks a record that is about to be changed: `present` is its current version, read with a lock; `expected` is the version in If-Match.
create or replace function assert_version(present int, expected int, what text) returns boolean language plpgsql as $$
begin
  if present is null then perform fail('NOT_FOUND', 'No such ' || what || ' in this workspace'); end if;
  if present <> expected then
    perform fail('PRECONDITION_FAILED', 'The ' || what || ' has changed: read it again and send its ETag as If-Match',
      jsonb_build_object('version', present));
  end if;
  return true;
end $$;

-- Raises VALIDATION_ERROR for one field of the body.
create or replace function fail_field(field text, message text) returns void language sql as $$
  select fail('VALIDATION_ERROR', 'Some fields are not valid',
    jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', field, 'message', message))))
$$;

-- Raises VALIDATION_ERROR with the message for each of these places of the body, unless there are none.
create or replace function fail_paths(p_paths text[], p_message text) returns void language plpgsql as $$
begin
  if cardinality(p_paths) = 0 then return; end if;
  perform fail('VALIDATION_ERROR', 'Some fields are not valid',
    jsonb_build_object('issues', (select jsonb_agg(jsonb_build_object('path', p, 'message', p_message)) from unnest(p_paths) p)));
end $$;

-- Asserts that a list names each of p_known once: raises VALIDATION_ERROR for the index of every other or repeated id, or with p_message if
-- one is missing.
create or replace function assert_every_id(p_field text, p_ids uuid[], p_known uuid[], p_message text) returns void language plpgsql as $$
begin
  perform fail_paths(array(select format('%s.%s', p_field, n - 1) from unnest(p_ids) with ordinality u(id, n)
    where id <> all (coalesce(p_known, '{}')) order by n), 'does not exist here');
  perform fail_paths(array(select format('%s.%s', p_field, n - 1) from (
    select n, row_number() over (partition by id order by n) as nth from unnest(p_ids) with ordinality u(id, n)) each
    where nth > 1 order by n), 'is a duplicate');
  if cardinality(p_ids) < cardinality(p_known) then perform fail_field(p_field, p_message); end if;
end $$;

-- JSON as text in which an instant has one form: responses show those in stored JSON in UTC with milliseconds.
create or replace function comparable(value jsonb) returns text immutable strict parallel safe language sql
  return regexp_replace(regexp_replace(value::text, '(T\d\d:\d\d:\d\d)(\.\d+)?(\+00:00|Z)"', '\1\2Z"', 'g'),
    '(T\d\d:\d\d:\d\d)(\.0+Z"|(\.\d*[1-9])0*Z")', '\1\3Z"', 'g');

-- Raises VALIDATION_ERROR for the read-only fields that were sent with another value than the record has. A missing record is reported
-- later.
create or replace function assert_unchanged(p_record jsonb, p_sent jsonb, p_messages jsonb) returns void language plpgsql as $$
declare
  issues constant jsonb := (select jsonb_agg(jsonb_build_object('path', k, 'message', p_messages ->> k)) from jsonb_each(p_sent) e(k, v)
    where v is distinct from p_record -> k and comparable(v) is distinct from comparable(p_record -> k));
begin
  if p_record is null or issues is null then return; end if;
  perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues));
end $$;

-- Stores, for the transaction, the read-only fields of a bulk update that were sent with another value than the record has. p_records and
-- p_sent: the fields by record id; p_messages: by field.
create or replace function mark_changed(p_records jsonb, p_sent jsonb, p_messages jsonb) returns void language sql as $$
  select hand('changed', coalesce(jsonb_object_agg(id, messages), '{}')) from (
    select s.id, jsonb_object_agg(f.name, p_messages -> f.name) as messages
      from jsonb_each(p_sent) s(id, fields), jsonb_each(s.fields) f(name, value)
      where p_records ? s.id and f.value is distinct from p_records -> s.id -> f.name
        and comparable(f.value) is distinct from comparable(p_records -> s.id -> f.name) group by 1) changed
$$;

-- The messages for the marked fields of a record, or null.
create or replace function changed_fields(p_id uuid) returns jsonb stable language sql
  return handed('changed') -> p_id::text;

-- Errors as values, for calls that report the errors of several records.
create or replace function error_object(code text, message text, details jsonb default null) returns jsonb immutable language sql
  return jsonb_build_object('code', code, 'message', message, 'details', details);

create or replace function field_errors(p_fields jsonb, p_messages jsonb) returns jsonb immutable language sql
  return case when p_fields <> '[]' then error_object('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues',
    (select jsonb_agg(jsonb_build_object('path', f, 'message', p_messages ->> f)) from jsonb_array_elements_text(p_fields) f))) end;

-- Follows the chain of merges from a record to the current winner; null if the record was never merged.
create or replace function merged_into(p_id uuid) returns uuid stable set search_path = public, pg_temp language sql as $$
  with recursive chain(id, level) as (
    select p_id, 0
    union all
    select m.winner_id, chain.level + 1 from chain
      join merge_entries e on e.workspace_id = (select current_workspace()) and e.row_id = chain.id and e.action = 'merged'
      join merges m on m.workspace_id = e.workspace_id and m.id = e.merge_id and not m.undone where chain.level < 100
  )
  select id from chain where level > 0 order by level desc limit 1
$$;

-- Raises NOT_FOUND with `purged_at`, `merged_into` or the `job_id` that deletes the record, if one applies. Volatile, so that it sees a
-- merge that the statement waited for.
create or replace function raise_not_found(p_what text, p_id uuid) returns text language plpgsql as $$
declare
  purged constant timestamptz := (select purged_at from purged_records where workspace_id = (select current_workspace()) and id = p_id);
  winner constant uuid := merged_into(p_id);
  job constant uuid := case
    when p_id = any (current_deletions()) then (select d.id from deletions d where d.workspace_id = (select current_workspace())
    and d.record_id = p_id and d.ended_at is null and d.type <> 'restore' limit 1) end;
begin
  if purged is not null then
    perform fail('NOT_FOUND', 'No such ' || p_what || ' in this workspace: it was purged', jsonb_build_object('purged_at', iso(purged)));
  end if;
  if job is not null then
    perform fail('NOT_FOUND', 'No such ' || p_what || ' in this workspace: a job deletes it', jsonb_build_object('job_id', job));
  end if;
  perform fail('NOT_FOUND', 'No such ' || p_what || ' in this workspace' || coalesce(': it was merged into ' || winner, ''), case
    when winner is not null then jsonb_build_object('merged_into', winner) end);
  return null;
end $$;

-- As assert_version, for a record whose id is known.
create or replace function assert_record(p_present int, p_expected int, p_what text, p_id uuid) returns boolean language plpgsql as $$
begin
  if p_present is null then perform raise_not_found(p_what, p_id); end if;
  return assert_version(p_present, p_expected, p_what);
end $$;

create or replace function assert_exists(p_ok boolean, p_what text, p_id uuid) returns boolean language plpgsql as $$
begin
  if p_ok is not true then perform raise_not_found(p_what, p_id); end if;
  return true;
end $$;
