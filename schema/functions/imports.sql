/*
  Validates an import's settings; with p_complete it also requires what is missing before the import can start. p_rules: for each object the
  fields that can be mapped, those of which one is required, and those to match by.
*/
create or replace function check_import(p_id uuid, p_rules jsonb, p_complete boolean) returns boolean stable language plpgsql as $$
declare
  i imports;
  rules jsonb;
  issues jsonb;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  rules := p_rules -> i.object;
  with m as (select v ->> 'column' as col, v ->> 'field' as field, n - 1 as at
    from jsonb_array_elements(i.mapping) with ordinality e(v, n)),
    fields as (select field from m union select jsonb_object_keys(i.defaults))
  select jsonb_agg(jsonb_build_object('path', path, 'message', message)) into issues from (
    select 'mapping.' || at || '.column' as path, 'No column of the file is called so' as message from m
      where not exists (select from import_files f, jsonb_array_elements(f.columns) c
        where f.workspace_id = i.workspace_id and f.import_id = i.id and c ->> 'name' = m.col)
    union all
    select 'mapping.' || at || '.field', 'No field of ' || i.object || ' that can be imported: use one of '
      || (select string_agg(r, ', ') from jsonb_array_elements_text(rules -> 'fields') r) || ', or metadata.<key>' from m
      where field not like 'metadata._%' and not rules -> 'fields' ? field
    union all
    select 'mapping.' || at || '.field', 'Another column fills this field already' from m
      where exists (select from m n where n.field = m.field and n.at < m.at)
    union all
    select 'mapping.' || at || '.column', 'This column fills another field already' from m
      where exists (select from m n where n.col = m.col and n.at < m.at)
    union all
    select 'defaults.' || k, 'No field of ' || i.object || ' that can be imported' from jsonb_object_keys(i.defaults) k
      where k not like 'metadata._%' and not rules -> 'fields' ? k
    union all
    select 'match_by', i.object || ' are matched by ' || (select string_agg(r, ', ') from jsonb_array_elements_text(rules -> 'match') r)
      where not rules -> 'match' ? i.match_by
    union all
    select 'mapping', 'Map a column to ' || (select string_agg(r, ' or ') from jsonb_array_elements_text(rules -> 'required') r)
      || ': no record can be made without'
      where p_complete and i.mode <> 'update' and not exists (select from fields where rules -> 'required' ? field)
    union all
    select 'match_by', 'Required to find the records that are to be updated' where p_complete and i.mode <> 'create' and i.match_by is null
    union all
    select 'match_by', 'Map a column to ' || i.match_by || ', or match by another field'
      where p_complete and i.match_by is not null and not exists (select from m where field = i.match_by)
    union all
    select 'mapping', 'Map a column to stage too: an opportunity is moved to a stage of a pipeline'
      where p_complete and i.mode <> 'create' and exists (select from fields where field = 'pipeline')
        and not exists (select from fields where field = 'stage')
  ) errors;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;

-- Starts a phase of an import, which the queue then runs: check, run (which resumes an interrupted run) or undo. The caller has locked the
-- import.
create or replace function start_import(p_id uuid, p_phase text, p_rules jsonb) returns void language plpgsql as $$
declare
  i imports;
  f import_files;
  allowed text[] := case p_phase when 'undo' then '{finished,failed,cancelled}' when 'run' then '{ready,checked,failed,cancelled}'
    else '{ready,checked}' end;
  resumes boolean;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  select * into f from import_files where workspace_id = current_workspace() and import_id = p_id for update;
  if i.state <> all (allowed) or (p_phase = 'run' and f.phase = 'undo') then
    perform fail('INVALID_STATE', 'This import is ' || i.state || case when f.phase = 'undo' then ', and partly undone' else '' end,
      jsonb_build_object('state', i.state, 'allowed', to_jsonb(allowed)));
  end if;
  perform assert_scopes(array[i.object || ':write'] || case when p_phase = 'undo' then array[i.object || ':delete'] else '{}' end);
  resumes := i.state in ('failed', 'cancelled');
  if p_phase <> 'undo' then perform check_import(p_id, p_rules, true); end if;
  if p_phase <> 'undo' and not resumes then
    delete from import_rows where workspace_id = current_workspace() and import_id = p_id;
    update import_files set next_byte = first_byte, next_line = first_line, done = 0, created = 0, updated = 0, skipped = 0, failed = 0
      where workspace_id = current_workspace() and import_id = p_id;
  end if;
  update import_files set phase = p_phase, touched_at = now() where workspace_id = current_workspace() and import_id = p_id;
  update imports set state = case p_phase when 'check' then 'checking' when 'run' then 'running'
    else 'undoing' end, reason = null, finished_at = null,
      started_at = case when p_phase = 'run' and not resumes then now() else started_at end, run_key_id = current_key_id(),
      undo_id = case when p_phase = 'undo' then coalesce(undo_id, uuidv7()) else undo_id end,
      skip_automations = skips_automations()
    where workspace_id = current_workspace() and id = p_id;
end $$;

create or replace function cancel_import(p_id uuid) returns void language plpgsql as $$
declare
  was text := (select state from imports where workspace_id = current_workspace() and id = p_id);
begin
  if was not in ('checking', 'running') then
    perform fail('INVALID_STATE', 'This import is ' || was || ': only one that is running can be cancelled',
      jsonb_build_object('state', was, 'allowed', array['checking', 'running']));
  end if;
  update imports set state = case was when 'checking' then 'ready' else 'cancelled' end, finished_at = case was when 'running'
    then now() end
    where workspace_id = current_workspace() and id = p_id;
end $$;

-- An import with its file and the custom fields of its object, for the queue.
create or replace function load_import(p_workspace uuid, p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(i) || jsonb_build_object('file', to_jsonb(f) - array['preview', 'suggestions'], 'definitions', (
      select coalesce(jsonb_agg(jsonb_build_object('key', c.field_key, 'label', c.label, 'type', c.type, 'options', c.options)), '[]')
        from custom_fields c
      where c.workspace_id = p_workspace and c.object = case i.object when 'contacts' then 'contact' when 'companies' then 'company'
        else 'opportunity' end))
  from imports i join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id
    where i.workspace_id = p_workspace and i.id = p_id
$$;

/*
  The first statement of every batch of an import, as begin_request is for requests. The batch has the current rights of the key that
  started the import. Raises CONFLICT, with the import's state, if the batch was completed before or the import has been stopped. p:
  workspace_id, import_id, phase; `at`, the first byte of the batch; `read` for a read of records, which has no position.
*/
create or replace function begin_import(p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
begin
  if not coalesce((p ->> 'read')::boolean, false) then
    select * into f from import_files
      where workspace_id = (p ->> 'workspace_id')::uuid and import_id = (p ->> 'import_id')::uuid for update;
  end if;
  select * into i from imports where workspace_id = (p ->> 'workspace_id')::uuid and id = (p ->> 'import_id')::uuid for share;
  if i.state is distinct from (case p ->> 'phase' when 'check' then 'checking' when 'run' then 'running' else 'undoing' end)
    or f.next_byte <> (p ->> 'at')::int then
    perform fail('CONFLICT', 'This import is worked on elsewhere, or no more', jsonb_build_object('import', coalesce(i.state, 'deleted')));
  end if;
  return begin_request(jsonb_build_object('kind', 'import', 'workspace_id', i.workspace_id, 'key_id', i.run_key_id, 'write', true, 'mode', 'import',
    'scopes', array['imports:write', i.object || ':write'] || case p ->> 'phase' when 'undo' then array[i.object || ':delete']
      else '{}' end,
    'request_id', case p ->> 'phase' when 'undo' then i.undo_id else i.id end, 'skip_automations', i.skip_automations));
end $$;

-- Adds to each error of a line the column and the value that it is about.
create or replace function import_errors(p_errors jsonb, p_mapping jsonb, p_columns jsonb, p_values jsonb)
  returns jsonb immutable language sql
  return (select coalesce(jsonb_agg(jsonb_build_object('field', e ->> 'field', 'column', m ->> 'column', 'value',
    left(p_values ->> (c.n - 1)::int, 200), 'message', e ->> 'message') order by n_e), '[]')
    from jsonb_array_elements(p_errors) with ordinality g(e, n_e)
    left join jsonb_array_elements(p_mapping) m on m ->> 'field' = e ->> 'field'
    left join jsonb_array_elements(p_columns) with ordinality c(v, n) on c.v ->> 'name' = m ->> 'column');

-- Why a line wrote no record. p_outcome: an outcome of the bulk write; p_messages: for each field the file's column and the message;
-- p_lost: the message if the record does not exist.
create or replace function import_write_errors(p_outcome jsonb, p_messages jsonb, p_lost text) returns jsonb immutable language sql
  return case
    when p_outcome -> 'unknown' <> '[]'
      then (select jsonb_agg(coalesce(p_messages -> u, jsonb_build_object('field', u, 'message', 'No such record in this workspace')))
      from jsonb_array_elements_text(p_outcome -> 'unknown') u)
    when p_outcome -> 'refused' <> 'null' then (select jsonb_agg(jsonb_build_object('field', r ->> 'path', 'message', r ->> 'message'))
      from jsonb_array_elements(p_outcome #> '{refused,issues}') r)
    else jsonb_build_array(jsonb_build_object('field', null, 'message', p_lost)) end;

/*
  The last statement of a batch: stores the result of its lines and the position of the next batch. p: at, line, end (whether this was the
  last batch), settled (lines that were decided without the database), created and updated (each: tried, its lines; outcomes, their outcomes
  in that order; lost, the message if the record does not exist), messages (see import_write_errors).
*/
create or replace function save_import_rows(p_id uuid, p jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  select * into f from import_files where workspace_id = current_workspace() and import_id = p_id;
  with given as (
    select s.line, s.status, s.record_id, s.errors, s."values"
      from jsonb_to_recordset(p -> 'settled') s(line int, status text, record_id uuid, errors jsonb, "values" jsonb)
    union all
    select (t.v ->> 'line')::int, case when d.done then k.kind else 'failed' end, case when d.done or k.kind = 'updated'
      then (outcome ->> 'id')::uuid end,
      case when d.done then '[]' else import_write_errors(outcome, p -> 'messages', p #>> array[k.kind, 'lost']) end, t.v -> 'values'
    from (values ('created'), ('updated')) k(kind), jsonb_array_elements(p #> array[k.kind, 'tried']) with ordinality t(v, n),
      jsonb_array_elements(p #> array[k.kind, 'outcomes']) outcome, lateral (select (outcome ->> 'done')::boolean as done) d
    where (outcome ->> 'i')::int = t.n - 1
  ), stored as (
    insert into import_rows (workspace_id, import_id, line, status, record_id, errors, "values")
      select i.workspace_id, i.id, line, status, record_id, import_errors(errors, i.mapping, f.columns, "values"), case
        when status in ('failed', 'skipped') then "values" end
      from given order by line returning status
  )
  update import_files t
    set next_byte = (p ->> 'at')::int, next_line = (p ->> 'line')::int, done = t.done + n.done, created = t.created + n.created,
    updated = t.updated + n.updated,
      skipped = t.skipped + n.skipped, failed = t.failed + n.failed, touched_at = now()
    from (select count(*) as done, count(*) filter (where status = 'created') as created,
      count(*) filter (where status = 'updated') as updated,
      count(*) filter (where status = 'skipped') as skipped, count(*) filter (where status = 'failed') as failed from stored) n
    where t.workspace_id = i.workspace_id and t.import_id = i.id;
  if (p ->> 'end')::boolean then perform finish_import(p_id, case f.phase when 'check' then 'checked' else 'finished' end); end if;
  return null;
end $$;

create or replace function finish_import(p_id uuid, p_state text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update imports set state = p_state, finished_at = now() where workspace_id = current_workspace() and id = p_id;
  perform emit('import.' || p_state, 'import', p_id,
    (select jsonb_build_object('total', total, 'done', done, 'created', created, 'updated', updated, 'skipped', skipped, 'failed', failed,
    'removed', removed, 'restored', restored, 'kept', kept) from import_files
      where workspace_id = current_workspace() and import_id = p_id));
end $$;

-- Ends an import that cannot continue. Completed lines stay, and the import can be resumed.
create or replace function fail_import(p_workspace uuid, p_id uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  was text := (select state from imports where workspace_id = p_workspace and id = p_id for update);
begin
  if was is null or was not in ('checking', 'running', 'undoing') then return; end if;
  perform set_config('app.workspace_id', p_workspace::text, true);
  update imports set state = case was when 'checking' then 'ready' else 'failed' end, reason = p_reason, finished_at = now()
    where workspace_id = p_workspace and id = p_id;
  perform emit('import.failed', 'import', p_id,
    jsonb_build_object('reason', p_reason, 'phase', (select phase from import_files
    where workspace_id = p_workspace and import_id = p_id)));
end $$;

-- Imports whose queue message was probably lost: in progress, but without a batch for a minute.
create or replace function waiting_imports(p_limit int)
  returns table (workspace_id uuid, id uuid) stable security definer set search_path = public, pg_temp language sql as $$
  select i.workspace_id, i.id from imports i join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id
  where i.state in ('checking', 'running', 'undoing') and f.touched_at < now() - interval '1 minute' order by f.touched_at limit p_limit
$$;

revoke execute on function load_import, begin_import, save_import_rows, finish_import, fail_import, waiting_imports from public;
grant execute on function load_import, begin_import, save_import_rows, fail_import, waiting_imports to app;
