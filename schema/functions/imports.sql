/*
  What keeps the settings from making sense, as issues; with p_complete also what is missing before they can be used.
  p_rules: by object the fields that may be mapped, those of which one is required, and those to match by.
*/
create or replace function check_import(p_id uuid, p_rules jsonb, p_complete boolean) returns boolean stable language plpgsql as $$
declare
  i imports;
  rules jsonb;
  issues jsonb;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  rules := p_rules -> i.object;
  with m as (select v ->> 'column' as col, v ->> 'field' as field, n - 1 as at from jsonb_array_elements(i.mapping) with ordinality e(v, n)),
    fields as (select field from m union select jsonb_object_keys(i.defaults))
  select jsonb_agg(jsonb_build_object('path', path, 'message', message)) into issues from (
    select 'mapping.' || at || '.column' as path, 'No column of the file is called so' as message from m
      where not exists (select from import_files f, jsonb_array_elements(f.columns) c where f.workspace_id = i.workspace_id and f.import_id = i.id and c ->> 'name' = m.col)
    union all
    select 'mapping.' || at || '.field', 'No field of ' || i.object || ' that can be imported: use one of ' || (select string_agg(r, ', ') from jsonb_array_elements_text(rules -> 'fields') r) || ', or metadata.<key>' from m
      where field not like 'metadata._%' and not rules -> 'fields' ? field
    union all
    select 'mapping.' || at || '.field', 'Another column fills this field already' from m where exists (select from m n where n.field = m.field and n.at < m.at)
    union all
    select 'mapping.' || at || '.column', 'This column fills another field already' from m where exists (select from m n where n.col = m.col and n.at < m.at)
    union all
    select 'defaults.' || k, 'No field of ' || i.object || ' that can be imported' from jsonb_object_keys(i.defaults) k where k not like 'metadata._%' and not rules -> 'fields' ? k
    union all
    select 'match_by', i.object || ' are matched by ' || (select string_agg(r, ', ') from jsonb_array_elements_text(rules -> 'match') r) where not rules -> 'match' ? i.match_by
    union all
    select 'mapping', 'Map a column to ' || (select string_agg(r, ' or ') from jsonb_array_elements_text(rules -> 'required') r) || ': no record can be made without'
      where p_complete and i.mode <> 'update' and not exists (select from fields where rules -> 'required' ? field)
    union all
    select 'match_by', 'Required to find the records that are to be updated' where p_complete and i.mode <> 'create' and i.match_by is null
    union all
    select 'match_by', 'Map a column to ' || i.match_by || ', or match by another field' where p_complete and i.match_by is not null and not exists (select from m where field = i.match_by)
    union all
    select 'mapping', 'Map a column to stage too: an opportunity is moved to a stage of a pipeline'
      where p_complete and i.mode <> 'create' and exists (select from fields where field = 'pipeline') and not exists (select from fields where field = 'stage')
  ) found;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  return true;
end $$;

-- Hands an import over to the queue, in a phase: check, run (from where it stopped, if it has begun) or undo. Locked by the caller.
create or replace function start_import(p_id uuid, p_phase text, p_rules jsonb) returns void language plpgsql as $$
declare
  i imports;
  f import_files;
  allowed text[] := case p_phase when 'undo' then '{finished,failed,cancelled}' when 'run' then '{ready,checked,failed,cancelled}' else '{ready,checked}' end;
  goes_on boolean;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  select * into f from import_files where workspace_id = current_workspace() and import_id = p_id for update;
  if i.state <> all (allowed) or (p_phase = 'run' and f.phase = 'undo') then
    perform fail('INVALID_STATE', 'This import is ' || i.state || case when f.phase = 'undo' then ', and partly undone' else '' end,
      jsonb_build_object('state', i.state, 'allowed', to_jsonb(allowed)));
  end if;
  perform assert_scopes(array[i.object || ':write'] || case when p_phase = 'undo' then array[i.object || ':delete'] else '{}' end);
  goes_on := i.state in ('failed', 'cancelled');
  if p_phase <> 'undo' then perform check_import(p_id, p_rules, true); end if;
  if p_phase <> 'undo' and not goes_on then
    delete from import_rows where workspace_id = current_workspace() and import_id = p_id;
    update import_files set next_byte = first_byte, next_line = first_line, done = 0, created = 0, updated = 0, skipped = 0, failed = 0
      where workspace_id = current_workspace() and import_id = p_id;
  end if;
  update import_files set phase = p_phase, touched_at = now() where workspace_id = current_workspace() and import_id = p_id;
  update imports set state = case p_phase when 'check' then 'checking' when 'run' then 'running' else 'undoing' end, reason = null, finished_at = null,
      started_at = case when p_phase = 'run' and not goes_on then now() else started_at end, run_key_id = current_key_id(),
      undo_id = case when p_phase = 'undo' then coalesce(undo_id, uuidv7()) else undo_id end,
      skip_automations = current_setting('app.skip_automations', true) is not distinct from 'true'
    where workspace_id = current_workspace() and id = p_id;
end $$;

create or replace function cancel_import(p_id uuid) returns void language plpgsql as $$
declare
  was text := (select state from imports where workspace_id = current_workspace() and id = p_id);
begin
  if was not in ('checking', 'running') then
    perform fail('INVALID_STATE', 'This import is ' || was || ': only one that is running can be cancelled', jsonb_build_object('state', was, 'allowed', array['checking', 'running']));
  end if;
  update imports set state = case was when 'checking' then 'ready' else 'cancelled' end, finished_at = case was when 'running' then now() end
    where workspace_id = current_workspace() and id = p_id;
end $$;

-- For the queue: an import with its file and the custom fields of its object.
create or replace function load_import(p_workspace uuid, p_id uuid) returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(i) || jsonb_build_object('file', to_jsonb(f) - array['preview', 'suggestions'], 'definitions', (
      select coalesce(jsonb_agg(jsonb_build_object('key', c.field_key, 'label', c.label, 'type', c.type, 'options', c.options)), '[]') from custom_fields c
      where c.workspace_id = p_workspace and c.object = case i.object when 'contacts' then 'contact' when 'companies' then 'company' else 'opportunity' end))
  from imports i join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id where i.workspace_id = p_workspace and i.id = p_id
$$;

/*
  The first statement of every batch of an import, as begin_request is of a request's: it runs by the authority that the key which started it has
  now. A batch that was done before, or whose import was stopped meanwhile, is refused: CONFLICT, with the import's state in the details.
  p: workspace_id, import_id, phase; `at`, the byte that the batch begins with; `read` for a look at records, which needs no place.
*/
create or replace function begin_import(p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
  hash text;
begin
  if not coalesce((p ->> 'read')::boolean, false) then
    select * into f from import_files where workspace_id = (p ->> 'workspace_id')::uuid and import_id = (p ->> 'import_id')::uuid for update;
  end if;
  select * into i from imports where workspace_id = (p ->> 'workspace_id')::uuid and id = (p ->> 'import_id')::uuid for share;
  if i.state is distinct from (case p ->> 'phase' when 'check' then 'checking' when 'run' then 'running' else 'undoing' end) or f.next_byte <> (p ->> 'at')::int then
    perform fail('CONFLICT', 'This import is worked on elsewhere, or no more', jsonb_build_object('import', coalesce(i.state, 'deleted')));
  end if;
  select encode(k.key_hash, 'hex') into hash from api_keys k where k.workspace_id = i.workspace_id and k.id = i.run_key_id;
  return begin_request(jsonb_build_object('key_hash', coalesce(hash, ''), 'write', true, 'mode', 'import',
    'scopes', array['imports:write', i.object || ':write'] || case p ->> 'phase' when 'undo' then array[i.object || ':delete'] else '{}' end,
    'request_id', case p ->> 'phase' when 'undo' then i.undo_id else i.id end, 'skip_automations', i.skip_automations));
end $$;

-- Errors of a line with the column and the value that each is about.
create or replace function import_errors(p_errors jsonb, p_mapping jsonb, p_columns jsonb, p_values jsonb) returns jsonb immutable language sql
  return (select coalesce(jsonb_agg(jsonb_build_object('field', e ->> 'field', 'column', m ->> 'column', 'value', left(p_values ->> (c.n - 1)::int, 200), 'message', e ->> 'message') order by n_e), '[]')
    from jsonb_array_elements(p_errors) with ordinality g(e, n_e)
    left join jsonb_array_elements(p_mapping) m on m ->> 'field' = e ->> 'field'
    left join jsonb_array_elements(p_columns) with ordinality c(v, n) on c.v ->> 'name' = m ->> 'column');

-- Why the database wrote no record: `fate` as the Worker's outcome of a bulk write has it; p_said: by what it calls a field, the file's name of it and the message.
create or replace function import_row_error(fate jsonb, p_said jsonb, p_lost text) returns jsonb immutable language sql
  return case
    when fate -> 'unknown' <> '[]' then (select jsonb_agg(coalesce(p_said -> u, jsonb_build_object('field', u, 'message', 'No such record in this workspace'))) from jsonb_array_elements_text(fate -> 'unknown') u)
    when fate -> 'refused' <> 'null' then (select jsonb_agg(jsonb_build_object('field', r ->> 'path', 'message', r ->> 'message')) from jsonb_array_elements(fate #> '{refused,issues}') r)
    else jsonb_build_array(jsonb_build_object('field', null, 'message', p_lost)) end;

/*
  The last statement of a batch: what became of its lines, and where the next one begins. p: at, line, end (no line follows), settled (lines
  that were decided without the database), created and updated (each: tried, the lines; fates, what became of them, in their order; lost, what to
  say where the record is not there), said (see import_row_error).
*/
create or replace function save_import_rows(p_id uuid, p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
begin
  select * into i from imports where workspace_id = current_workspace() and id = p_id;
  select * into f from import_files where workspace_id = current_workspace() and import_id = p_id;
  with given as (
    select s.line, s.status, s.record_id, s.errors, s."values" from jsonb_to_recordset(p -> 'settled') s(line int, status text, record_id uuid, errors jsonb, "values" jsonb)
    union all
    select (t.v ->> 'line')::int, case when d.done then k.kind else 'failed' end, case when d.done or k.kind = 'updated' then (fate ->> 'id')::uuid end,
      case when d.done then '[]' else import_row_error(fate, p -> 'said', p #>> array[k.kind, 'lost']) end, t.v -> 'values'
    from (values ('created'), ('updated')) k(kind), jsonb_array_elements(p #> array[k.kind, 'tried']) with ordinality t(v, n),
      jsonb_array_elements(p #> array[k.kind, 'fates']) fate, lateral (select (fate ->> 'done')::boolean as done) d
    where (fate ->> 'i')::int = t.n - 1
  ), kept as (
    insert into import_rows (workspace_id, import_id, line, status, record_id, errors, "values")
      select i.workspace_id, i.id, line, status, record_id, import_errors(errors, i.mapping, f.columns, "values"), case when status in ('failed', 'skipped') then "values" end
      from given order by line returning status
  )
  update import_files t set next_byte = (p ->> 'at')::int, next_line = (p ->> 'line')::int, done = t.done + n.done, created = t.created + n.created, updated = t.updated + n.updated,
      skipped = t.skipped + n.skipped, failed = t.failed + n.failed, touched_at = now()
    from (select count(*) as done, count(*) filter (where status = 'created') as created, count(*) filter (where status = 'updated') as updated,
      count(*) filter (where status = 'skipped') as skipped, count(*) filter (where status = 'failed') as failed from kept) n
    where t.workspace_id = i.workspace_id and t.import_id = i.id;
  if (p ->> 'end')::boolean then perform finish_import(p_id, case f.phase when 'check' then 'checked' else 'finished' end); end if;
  return null;
end $$;

create or replace function finish_import(p_id uuid, p_state text) returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update imports set state = p_state, finished_at = now() where workspace_id = current_workspace() and id = p_id;
  perform emit('import.' || p_state, 'import', p_id, (select jsonb_build_object('total', total, 'done', done, 'created', created, 'updated', updated, 'skipped', skipped, 'failed', failed,
    'removed', removed, 'restored', restored, 'kept', kept) from import_files where workspace_id = current_workspace() and import_id = p_id));
end $$;

-- The import cannot go on: what is done stays done, and it can be started again from there.
create or replace function fail_import(p_workspace uuid, p_id uuid, p_reason text) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  was text := (select state from imports where workspace_id = p_workspace and id = p_id for update);
begin
  if was is null or was not in ('checking', 'running', 'undoing') then return; end if;
  perform set_config('app.workspace_id', p_workspace::text, true);
  update imports set state = case was when 'checking' then 'ready' else 'failed' end, reason = p_reason, finished_at = now() where workspace_id = p_workspace and id = p_id;
  perform emit('import.failed', 'import', p_id, jsonb_build_object('reason', p_reason, 'phase', (select phase from import_files where workspace_id = p_workspace and import_id = p_id)));
end $$;

-- Under way and not touched for a minute: the message that should have gone on with it was lost.
create or replace function waiting_imports(p_limit int) returns table (workspace_id uuid, id uuid) stable security definer set search_path = public, pg_temp language sql as $$
  select i.workspace_id, i.id from imports i join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id
  where i.state in ('checking', 'running', 'undoing') and f.touched_at < now() - interval '1 minute' order by f.touched_at limit p_limit
$$;

-- Undoing: the import's changes are taken back one by one, the latest first.

-- Which of the records something else has come to refer to. What comes into being with a record does not count.
create or replace function ids_in_use(p_table regclass, p_ids uuid[]) returns uuid[] stable language plpgsql set search_path = public, pg_temp as $$
declare
  links text;
  used uuid[];
begin
  if p_ids is null then return '{}'; end if;
  select string_agg(format('exists (select from %s c where c.workspace_id = $2 and c.%I = r.id%s)', c.conrelid::regclass, a.attname,
      case when c.conrelid = 'employers'::regclass and p_table = 'contacts'::regclass
        then ' and c.customer_id is distinct from (select o.customer_id from contacts o where o.workspace_id = $2 and o.id = r.id)' else '' end), ' or ') into links
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
    where c.contype = 'f' and c.confrelid = p_table and c.conrelid <> 'stage_moves'::regclass;
  execute 'select array_agg(r.id) from unnest($1) r(id) where ' || links into used using p_ids, current_workspace();
  return coalesce(used, '{}');
end $$;

-- Gives the columns of a record the values that they had before a change.
create or replace function revert_change(p_table regclass, p_id uuid, p_fields jsonb) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  before jsonb := (select jsonb_object_agg(k, v -> 'before') from jsonb_each(p_fields) e(k, v));
  names text := (select string_agg(format('%I = r.%1$I', k), ', ') from jsonb_object_keys(p_fields) k);
begin
  execute format('update %s t set %s from (select r.* from %1$s s, jsonb_populate_record(s, $1) r where s.workspace_id = current_workspace() and s.id = $2) r where t.workspace_id = current_workspace() and t.id = $2',
    p_table, names) using before, p_id;
end $$;

/*
  Takes back the next p_limit changes of the import, and answers whether there may be more. A record that something else changed or came to refer
  to since then stays as it is, and its lines say so.
*/
create or replace function undo_import(p_id uuid, p_limit int) returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  undo_request text := current_setting('app.request_id');
  f import_files;
  change record;
  its_table regclass;
  fate text;
  why text;
  main text := (select case object when 'contacts' then 'contact' when 'companies' then 'company' else 'opportunity' end from imports where workspace_id = current_workspace() and id = p_id);
  looked int := 0;
  last_id uuid;
  made uuid[];
  used uuid[] := '{}';
begin
  select * into f from import_files where workspace_id = current_workspace() and import_id = p_id;
  -- Looked at together first: few are in use, and those may be so by what is taken back before them.
  for its_table, made in select case entity when 'contact' then 'contacts' when 'company' then 'companies' else 'opportunities' end, array_agg(entity_id) from (
      select c.entity, c.entity_id, c.action from changes c where c.workspace_id = current_workspace() and c.request_id = p_id::text
        and c.id < coalesce(f.undo_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') order by c.id desc limit p_limit) w
    where action = 'created' and entity in ('contact', 'company', 'opportunity') group by entity
  loop
    used := used || ids_in_use(its_table, made);
  end loop;
  for change in select c.* from changes c where c.workspace_id = current_workspace() and c.request_id = p_id::text and c.id < coalesce(f.undo_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by c.id desc limit p_limit
  loop
    looked := looked + 1;
    last_id := change.id;
    its_table := case change.entity when 'contact' then 'contacts' when 'company' then 'companies' when 'opportunity' then 'opportunities' when 'employer' then 'employers' end;
    continue when its_table is null;
    fate := case change.action when 'created' then 'removed' else 'restored' end;
    why := null;
    if exists (select from changes c where c.workspace_id = current_workspace() and c.entity = change.entity and c.entity_id = change.entity_id and c.id > change.id
        and c.request_id is distinct from p_id::text and c.request_id is distinct from undo_request) then
      fate := 'kept';
      why := 'Changed since the import';
    elsif change.action = 'created' and change.entity = 'employer' and exists (select from changes c where c.workspace_id = current_workspace() and c.entity = 'contact'
        and c.entity_id = (change.fields #>> '{contact_id,after}')::uuid and c.id > change.id and c.request_id is distinct from p_id::text and c.request_id is distinct from undo_request) then
      fate := 'kept';
    elsif change.action = 'created' and change.entity_id = any (used) and ids_in_use(its_table, array[change.entity_id]) <> '{}' then
      fate := 'kept';
      why := 'In use since the import: other records refer to it';
    else
      begin
        if change.action = 'created' then
          execute format('delete from %s where workspace_id = current_workspace() and id = $1', its_table) using change.entity_id;
        elsif change.action = 'updated' then
          perform revert_change(its_table, change.entity_id, change.fields);
          -- What follows from a stage by itself was otherwise.
          if change.entity = 'opportunity' and change.fields ?| array['stage_id', 'pipeline_id', 'status'] and change.fields - array['stage_id', 'pipeline_id', 'status'] <> '{}' then
            perform revert_change(its_table, change.entity_id, change.fields - array['stage_id', 'pipeline_id', 'status']);
          end if;
        end if;
      exception when others then
        if sqlstate like '40%' then raise; end if;
        fate := 'kept';
        why := 'It cannot be taken back' || case sqlstate when 'WK000' then ': ' || sqlerrm else '' end;
      end;
    end if;
    if change.entity = main then
      update import_rows r set undone = fate, undo_reason = why where r.workspace_id = current_workspace() and r.import_id = p_id and r.record_id = change.entity_id
        and r.undone is distinct from 'kept';
    end if;
  end loop;
  update import_files set undo_before = coalesce(last_id, undo_before), touched_at = now() where workspace_id = current_workspace() and import_id = p_id;
  if looked = p_limit then return true; end if;
  update import_files t set removed = n.removed, restored = n.restored, kept = n.kept from (
      select count(distinct record_id) filter (where undone = 'removed') as removed, count(distinct record_id) filter (where undone = 'restored') as restored,
        count(distinct record_id) filter (where undone = 'kept') as kept from import_rows where workspace_id = current_workspace() and import_id = p_id) n
    where t.workspace_id = current_workspace() and t.import_id = p_id;
  perform finish_import(p_id, 'undone');
  return false;
end $$;

/*
  Takes one of the places that a key has for event streams, until it is renewed or runs out: an isolate that ends cannot give its places back.
  Raises RATE_LIMITED where all are taken.
*/
create or replace function open_stream(p_stream uuid, p_most int, p_seconds int) returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  for place in 1..p_most loop
    insert into stream_leases (workspace_id, key_id, slot, stream_id, expires_at)
      values (current_workspace(), current_key_id(), place, p_stream, now() + make_interval(secs => p_seconds))
      on conflict (workspace_id, key_id, slot) do update set stream_id = excluded.stream_id, expires_at = excluded.expires_at where stream_leases.expires_at < now();
    if found then return; end if;
  end loop;
  perform fail('RATE_LIMITED', format('This key follows %s imports already: end one of these streams, or wait', p_most));
end $$;

-- Keeps a stream's place; false when it has run out and another has it.
create or replace function renew_stream(p_stream uuid, p_seconds int) returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update stream_leases set expires_at = now() + make_interval(secs => p_seconds)
    where workspace_id = current_workspace() and key_id = current_key_id() and stream_id = p_stream;
  return found;
end $$;

create or replace function close_stream(p_stream uuid) returns void security definer set search_path = public, pg_temp language sql as $$
  delete from stream_leases where workspace_id = current_workspace() and key_id = current_key_id() and stream_id = p_stream
$$;

revoke execute on function load_import, begin_import, save_import_rows, finish_import, fail_import, waiting_imports, undo_import, open_stream, renew_stream, close_stream from public;
grant execute on function load_import, begin_import, save_import_rows, fail_import, waiting_imports, undo_import, open_stream, renew_stream, close_stream to app;
