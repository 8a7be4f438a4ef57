-- Redaction of what logs say: log tables, the request log, imports and approvals.

-- Returns the keys under which the indexes <table>_by_mention list these records, addresses and numbers.
create or replace function keys_of(p_ids uuid[], p_known text[]) returns int[] immutable language sql
  return mention_keys(concat_ws(' ', array_to_string(p_ids, ' '), array_to_string(p_known, ' ; ')));

-- Redacts the records in log tables: a row about one of them loses all values, another row only the values that mention one. Returns the
-- number of rows.
create or replace function redact_logs(p_ids uuid[], p_known text[])
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  keys constant int[] := keys_of(p_ids, p_known);
  t record;
  n int;
  total int := 0;
begin
  perform redact_runs(p_ids, p_known);
  -- erase_record redacts merges itself, because it knows which parts concern the record.
  for t in select * from log_tables() l where l.name <> 'merges'::regclass loop
    execute format('update %1$s r set %2$s
      from (select ctid as place, %3$s as about from %1$s r where ctid = any (array(%5$s)) and (%3$s or %4$s)) theirs
      where r.ctid = theirs.place',
      t.name, t.blanks, t.about, t.mentioned,
        case when t.has_mentions then t.candidates else format('select ctid from %s where workspace_id = $1', t.name) end)
        using current_workspace(), p_ids, p_known, keys;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end $$;

-- Returns the approvals of what a model wanted to do in a run that mentions one of the records.
create or replace function approvals_of_runs(p_ids uuid[], p_known text[])
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select array(select (c ->> 'approval_id')::uuid from skill_runs r, jsonb_array_elements(r.tool_calls) c
    where r.workspace_id = (select current_workspace())
    and c ->> 'approval_id' is not null and mentions(concat_ws(' ', r.output, r.tool_calls, r.error), p_ids, p_known))
$$;

-- Redacts what a model has written in a run that mentions one of the records: its words about them need not mention anybody.
create or replace function redact_runs(p_ids uuid[], p_known text[])
  returns void security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  update skill_runs r set output = redact(r.output),
      error = r.error || case when r.error ? 'message' then '{"message": "(purged)"}' else '{}' end::jsonb,
      tool_calls = (select coalesce(jsonb_agg(c || jsonb_build_object('input', redact(c -> 'input'), 'reason', null) order by at), '[]')
        from jsonb_array_elements(r.tool_calls) with ordinality e(c, at))
    where r.workspace_id = (select current_workspace()) and mentions(concat_ws(' ', r.output, r.tool_calls, r.error), p_ids, p_known)
$$;

-- Redacts the records in the request log: the parts of paths, and the messages, that mention one. Returns the number of rows.
create or replace function redact_requests(p_ids uuid[], p_known text[])
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  n int;
begin
  update requests r set path = redact_path(r.path, p_ids, p_known),
    more_paths = case when r.more_paths is not null then array(select redact_path(p, p_ids, p_known)
      from unnest(r.more_paths) with ordinality more(p, at) order by at) end,
    error_message = case when mentions(unescape_path(r.error_message), p_ids, p_known) then '(purged)' else r.error_message end
    where r.workspace_id = w and r.id = any (array(select q.id from requests q where (q.workspace_id = w) is true
      and mention_keys(request_text(q.path, q.more_paths, q.error_message)) && keys_of(p_ids, p_known)
      and mentions(request_text(q.path, q.more_paths, q.error_message), p_ids, p_known)));
  get diagnostics n = row_count;
  return n;
end $$;

-- Redacts the lines of imports that mention one of the records, or one of the addresses and numbers, with what was wrong with each: a line
-- is about one record, and an error quotes values of it that mention nobody by themselves. Returns the number of lines.
create or replace function redact_lines(p_ids uuid[], p_known text[])
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  n int;
begin
  update import_rows r set "values" = redact(r."values"),
    errors = (select coalesce(jsonb_agg(e - 'record_id' || '{"value": null, "message": "(purged)"}' order by at), '[]')
      from jsonb_array_elements(r.errors) with ordinality errors(e, at))
    where r.ctid = any (array(select l.ctid from import_rows l where (l.workspace_id = current_workspace()) is true
      and (l."values" is not null or l.errors <> '[]')
      and mention_keys(l.errors::text || ' ' || coalesce(l."values"::text, '')) && keys_of(p_ids, p_known)
      and mentions(l."values"::text, p_ids, p_known)));
  get diagnostics n = row_count;
  return n;
end $$;

-- Returns the approvals that mention one of the records, or one of the addresses and numbers.
create or replace function approvals_mentioning(p_ids uuid[], p_known text[])
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select coalesce(array_agg(a.id), '{}') from approvals a where (a.workspace_id = current_workspace()) is true
    and mention_keys(coalesce(a.request::text, '') || ' ' || coalesce(a.changes::text, '') || ' ' || coalesce(a.answer::text, '') || ' '
      || coalesce(a.response_body::text, '') || ' ' || coalesce(a.original::text, '')) && keys_of(p_ids, p_known)
    and mentions(concat_ws(' ', a.request, a.changes, a.answer, a.response_body, a.original), p_ids, p_known)
$$;

-- Redacts the approvals that mention one of the records, or one of the addresses and numbers, and rejects those that have not run, because
-- the request that they would execute is erased. The approval of this request itself has no value of the record, because its dry run was a
-- purge too. Returns their number.
create or replace function redact_approvals(p_ids uuid[], p_known text[])
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  waiting constant uuid[] := array_remove(array(select distinct a from unnest(
    approvals_mentioning(p_ids, p_known) || approvals_of_runs(p_ids, p_known)) a),
      nullif(current_setting('app.approval_id', true), '')::uuid);
begin
  update approvals a
    set request = jsonb_build_object('params', a.request -> 'params', 'query', '{}'::jsonb, 'body', redact(a.request -> 'body')),
      answer = null, response_body = null, original = null,
    changes = (select coalesce(jsonb_agg(c || jsonb_build_object('fields', redact_changes(c -> 'fields'))), '[]')
      from jsonb_array_elements(a.changes) c),
    status = case when a.status in ('pending', 'approved') and a.executed_at is null then 'rejected' else a.status end,
    reason = case when a.status in ('pending', 'approved')
      and a.executed_at is null then 'A record that this request is about was purged' end,
    decided_at = case when a.status in ('pending', 'approved') and a.executed_at is null then now() else a.decided_at end,
    decided_by = case when a.status in ('pending', 'approved') and a.executed_at is null then current_user_id() else a.decided_by end
    where a.workspace_id = w and a.id = any (waiting);
  update changes c set fields = redact_changes(c.fields, '{reason}') from unnest(waiting) g(id)
    where c.workspace_id = w and c.entity = 'approval' and c.entity_id = g.id and c.fields ? 'reason';
  update outbox o set payload = o.payload - 'reason'
    where o.workspace_id = w and o.entity = 'approval' and o.entity_id = any (waiting) and o.payload ? 'reason'
    and o.request_id is distinct from current_request_id();
  update agent_proposals p set grounds = '{"reason": "(purged)", "evidence": []}'
    where p.workspace_id = w and p.approval_id = any (waiting);
  return coalesce(cardinality(waiting), 0);
end $$;

-- Erases the stored responses that mention one of them, but for that of the purge itself, which has no value of the record: a job that
-- purges runs after it was stored. `is true` keeps the planner from combining the index of mentions with that of the workspace, which would
-- read all of its rows. Returns their number.
create or replace function redact_responses(p_ids uuid[], p_known text[])
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  keys constant int[] := keys_of(p_ids, p_known);
  n int;
begin
  update idempotency i set outcome = '{"mode": "purged"}'
    where (i.workspace_id = w) is true and mention_keys(coalesce(i.outcome::text, '')) && keys
    and mentions(i.outcome::text, p_ids, p_known) and i.outcome ->> 'request_id' is distinct from current_request_id();
  get diagnostics n = row_count;
  return n;
end $$;

revoke execute on function redact_logs, redact_runs, approvals_of_runs, redact_requests, redact_lines,
  approvals_mentioning, redact_approvals, redact_responses from public;
