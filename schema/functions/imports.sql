-- The scope that an action with the records of an import needs. Activities and catalogue entries are deleted with the scope to write them.
create or replace function import_scope(p_object text, p_action text) returns text immutable parallel safe language sql
  return imported_scope(imported_entity(p_object)) || ':' || case
    when imported_entity(p_object) in ('activity', 'supplier_catalog_entry') and p_action = 'delete' then 'write' else p_action end;

-- Asserts that the key may do these actions with the import's kind of record.
create or replace function assert_import_scopes(p_id uuid, p_actions text[]) returns boolean stable language sql as $$
  select assert_scopes(array(select import_scope(i.object, a) from unnest(p_actions) a))
    from imports i where i.workspace_id = (select current_workspace()) and i.id = p_id
$$;

-- An import with its file and the custom fields of its object, for the queue.
create or replace function load_import(p_workspace uuid, p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(i) || jsonb_build_object('file', to_jsonb(f) - array['preview', 'previewed', 'suggestions', 'unknown_values'],
      'definitions', (
      select coalesce(jsonb_agg(jsonb_build_object('key', c.field_key, 'label', c.label, 'type', c.type, 'options', c.options)), '[]')
        from custom_fields c
      where c.workspace_id = p_workspace and c.object = imported_entity(i.object)),
        'zone', (select w.timezone from workspaces w where w.id = p_workspace))
  from imports i join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id
    where i.workspace_id = p_workspace and i.id = p_id
$$;

/*
  The first statement of every batch of an import, as begin_request is for requests. The batch has the current rights of the key that
  started the import. Approval policies apply: see assert_unheld. Raises CONFLICT, with the import's state, if the batch was completed
  before or the import has been stopped. p: workspace_id, import_id, phase, the state of an import in that phase; `at`, the first byte of
  the batch; `read` for a read of records, which has no position.
*/
create or replace function begin_import(p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
  actor jsonb;
begin
  if not coalesce((p ->> 'read')::boolean, false) then
    select * into f from import_files
      where workspace_id = (p ->> 'workspace_id')::uuid and import_id = (p ->> 'import_id')::uuid for update;
  end if;
  select * into i from imports where workspace_id = (p ->> 'workspace_id')::uuid and id = (p ->> 'import_id')::uuid for share;
  if i.state is distinct from p ->> 'state' or f.next_byte <> (p ->> 'at')::int then
    perform fail('CONFLICT', 'The import is being processed by another worker, or has ended',
      jsonb_build_object('import', coalesce(i.state, 'deleted')));
  end if;
  actor := begin_request(jsonb_build_object('kind', 'import', 'workspace_id', i.workspace_id, 'key_id', i.run_key_id,
    'write', true, 'mode', 'import',
    'scopes', array['imports:write', import_scope(i.object, 'write')] || case p ->> 'phase'
      when 'undo' then array[import_scope(i.object, 'delete')]
      else '{}' end,
    'request_id', case p ->> 'phase' when 'undo' then i.undo_id else i.id end,
    'skip_automations', i.skip_automations or i.run_automations is not true or p ->> 'phase' = 'undo'));
  perform set_config('app.approval_id', coalesce(i.run_approval_id::text, ''), true);
  return actor;
end $$;

-- Adds to each error or warning of a line the column and the value that it is about: the first column of the field that has a value.
create or replace function import_errors(p_errors jsonb, p_mapping jsonb, p_columns jsonb, p_values jsonb)
  returns jsonb immutable language sql
  return (select coalesce(jsonb_agg(jsonb_build_object('field', e ->> 'field', 'column', c.name, 'value', left(c.value, 200), 'message',
    e ->> 'message') || jsonb_strip_nulls(jsonb_build_object('record_id', e ->> 'record_id')) order by n_e), '[]')
    from jsonb_array_elements(p_errors) with ordinality g(e, n_e)
    left join lateral (select m.v ->> 'column' as name, p_values ->> (c.n - 1)::int as value
      from jsonb_array_elements(p_mapping) with ordinality m(v, n)
        join jsonb_array_elements(p_columns) with ordinality c(v, n) on c.v ->> 'name' = m.v ->> 'column'
      where m.v ->> 'field' = e ->> 'field' and m.v ->> 'column' = coalesce(e ->> 'column', m.v ->> 'column')
      order by coalesce(p_values ->> (c.n - 1)::int, '') = '', m.n limit 1) c on true);

-- The errors of a line without its values, which the messages quote.
create or replace function omit_error_values(p_errors jsonb) returns jsonb immutable parallel safe language sql
  return (select coalesce(jsonb_agg(e - 'record_id' || '{"value": null, "message": "Reading this needs the read scope of the record"}'
    order by n), '[]')
    from jsonb_array_elements(p_errors) with ordinality t(e, n));

-- Why a line wrote no record, with the record that has a unique value of the line already. p_outcome: an outcome of the bulk write;
-- p_messages: for each field the file's column and the message; p_lost: the message if the record does not exist.
create or replace function import_write_errors(p_outcome jsonb, p_messages jsonb, p_lost text) returns jsonb immutable language sql
  return case
    when p_outcome -> 'unknown' <> '[]'
      then (select jsonb_agg(coalesce(p_messages -> u,
        jsonb_build_object('field', u, 'message', u || ' does not exist in this workspace'))
        || case when u = p_outcome #>> '{taken,field}' then jsonb_build_object('record_id', p_outcome #> '{taken,id}') else '{}' end)
      from jsonb_array_elements_text(p_outcome -> 'unknown') u)
    when p_outcome -> 'refused' <> 'null' then (select jsonb_agg(jsonb_build_object('field', r ->> 'path', 'message', r ->> 'message',
        'record_id', p_outcome #> '{refused,id}'))
      from jsonb_array_elements(p_outcome #> '{refused,issues}') r)
    else jsonb_build_array(jsonb_build_object('field', p_outcome #> '{taken,field}', 'message', p_lost,
      'record_id', p_outcome #> '{taken,id}')) end;

-- The unknown values of an import with those of a batch, each once, in the order of the lines; at most p_most.
create or replace function more_unknown_values(p_known jsonb, p_more jsonb, p_most int) returns jsonb immutable parallel safe language sql
  return case when p_more = '[]' then p_known else (
    select jsonb_agg(v.first || jsonb_build_object('lines', v.lines) order by v.n) from (
      select (array_agg(e order by n))[1] as first, sum((e ->> 'lines')::int) as lines, min(n) as n
        from jsonb_array_elements(p_known || p_more) with ordinality t(e, n)
        group by e ->> 'field', norm(e ->> 'value'), norm(e ->> 'pipeline') order by min(n) limit p_most) v) end;

/*
  The last statement of a batch: stores the result of its lines and the position of the next batch. p: at, line, end (whether this was the
  last batch), settled (lines that were decided without the database), created and updated (each: tried, its lines; outcomes, their outcomes
  in that order; lost, the message if the record does not exist), messages (see import_write_errors), list_members (the most members of a
  list), unknown (the pipelines and stages that there are not, each with its number of lines; a former Worker sends none) and unknown_most
  (how many of these are kept).
*/
create or replace function save_import_rows(p_id uuid, p jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  i imports;
  f import_files;
  room int := 0;
  full_list constant jsonb := '[{"field": null, "message": "The list of the import is full: the record was not added to it"}]';
begin
  select * into i from imports where workspace_id = (select current_workspace()) and id = p_id;
  select * into f from import_files where workspace_id = (select current_workspace()) and import_id = p_id;
  if i.list_id is not null and f.phase = 'run' then
    perform from lists where workspace_id = i.workspace_id and id = i.list_id for no key update;
    room := (p ->> 'list_members')::int - (select count(*) from list_members m
      where m.workspace_id = i.workspace_id and m.list_id = i.list_id);
  end if;
  with given as (
    select s.line, s.status, s.record_id, s.errors, s."values"
      from jsonb_to_recordset(p -> 'settled') s(line int, status text, record_id uuid, errors jsonb, "values" jsonb)
    union all
    select (t.v ->> 'line')::int, case when d.done then k.kind else 'failed' end, case when d.done or k.kind = 'updated'
      then (outcome ->> 'id')::uuid end,
      case when d.done then t.v -> 'warnings' else import_write_errors(outcome, p -> 'messages', p #>> array[k.kind, 'lost']) end,
        t.v -> 'values'
    from (values ('created'), ('updated')) k(kind), jsonb_array_elements(p #> array[k.kind, 'tried']) with ordinality t(v, n),
      jsonb_array_elements(p #> array[k.kind, 'outcomes']) outcome, lateral (select (outcome ->> 'done')::boolean as done) d
    where (outcome ->> 'i')::int = t.n - 1
  ), listed as materialized (
    select g.*, row_number() over (order by g.line) as n from (select distinct on (record_id) line, record_id from given
      where i.list_id is not null and f.phase = 'run' and record_id is not null and status <> 'failed' order by record_id, line) g
    where not exists (select from list_members m where m.workspace_id = i.workspace_id and m.list_id = i.list_id
      and g.record_id in (m.contact_id, m.customer_id, m.opportunity_id))
  ), added as (
    insert into list_members (workspace_id, list_id, contact_id, customer_id, opportunity_id)
      select i.workspace_id, i.list_id, case i.object when 'contacts' then record_id end, case i.object when 'companies' then record_id end,
        case i.object when 'opportunities' then record_id end from listed where n <= room order by record_id on conflict do nothing
  ), stored as (
    insert into import_rows (workspace_id, import_id, line, status, record_id, errors, has_warnings, "values")
      select i.workspace_id, i.id, line, status, record_id,
        import_errors(case when is_full then errors || full_list else errors end, i.mapping, f.columns, "values"),
        status in ('created', 'updated') and (errors <> '[]' or is_full), case when status in ('failed', 'skipped') then "values" end
      from given g, lateral (select exists (select from listed l where l.line = g.line and l.n > room) as is_full) l
      order by line returning status, has_warnings
  )
  update import_files t
    set next_byte = (p ->> 'at')::int, next_line = (p ->> 'line')::int, done = t.done + n.done, created = t.created + n.created,
    updated = t.updated + n.updated,
      skipped = t.skipped + n.skipped, failed = t.failed + n.failed, warned = t.warned + n.warned, touched_at = now(),
      unknown_values = more_unknown_values(t.unknown_values, coalesce(p -> 'unknown', '[]'), (p ->> 'unknown_most')::int)
    from (select count(*) as done, count(*) filter (where status = 'created') as created,
      count(*) filter (where status = 'updated') as updated,
      count(*) filter (where status = 'skipped') as skipped, count(*) filter (where status = 'failed') as failed,
      count(*) filter (where has_warnings) as warned from stored) n
    where t.workspace_id = i.workspace_id and t.import_id = i.id;
  perform assert_unheld();
  if (p ->> 'end')::boolean then perform finish_import(p_id); end if;
  return null;
end $$;

-- Ends the phase that the import is in.
create or replace function finish_import(p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  final_state text;
begin
  update imports set state = state_after('import', 'finish', state), finished_at = now()
    where workspace_id = (select current_workspace()) and id = p_id returning state into final_state;
  perform emit('import.' || final_state, 'import', p_id,
    (select jsonb_build_object('total', total, 'done', done, 'created', created, 'updated', updated, 'skipped', skipped, 'failed', failed,
    'warned', warned, 'removed', removed, 'restored', restored, 'kept', kept) from import_files
      where workspace_id = (select current_workspace()) and import_id = p_id));
end $$;

-- Ends an import that cannot continue. Completed lines stay, and the import can be resumed.
create or replace function fail_import(p_workspace uuid, p_id uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  was text := (select state from imports where workspace_id = p_workspace and id = p_id for update);
begin
  if state_after('import', 'fail', was) is null then return; end if;
  perform set_config('app.workspace_id', p_workspace::text, true);
  update imports set state = state_after('import', 'fail', was), reason = p_reason, finished_at = now()
    where workspace_id = p_workspace and id = p_id;
  perform emit('import.failed', 'import', p_id,
    jsonb_build_object('reason', p_reason, 'phase', (select phase from import_files
    where workspace_id = p_workspace and import_id = p_id)));
end $$;

revoke execute on function load_import, begin_import, save_import_rows, finish_import, fail_import from public, app;
grant execute on function load_import, begin_import, save_import_rows, fail_import to jobs;
