/*
  Restoring deleted records (deleted_rows). The request restores the record; what goes with it comes back in the same transaction, or in a
  job if it is more than a request may restore (restore-jobs.sql).
*/

-- The records that have the unique values of a row, by field.
create or replace function takers_of(p_table regclass, p_row jsonb)
  returns jsonb stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  rule record;
  taker uuid;
  takers jsonb := '{}';
begin
  for rule in select k.cols[cardinality(k.cols)] as col, (select string_agg(format('o.%1$I = k.%1$I', c), ' and ')
    from unnest(k.cols) c) as same
    from unique_keys(p_table) k where k.flag is null
  loop
    execute format('select o.id from jsonb_populate_record(null::%1$s, $1) k join %1$s o on %2$s where o.workspace_id = $2 and o.id <> k.id
      limit 1', p_table, rule.same) into taker using p_row, current_workspace();
    if taker is not null then takers := takers || jsonb_build_object(rule.col, taker); end if;
  end loop;
  return takers;
end $$;

-- The name in the API of a column that an error is about.
create or replace function api_name(p_table text, p_column text) returns text immutable language sql
  return coalesce((select r.api_name from renamed_columns() r where r.table_name = p_table and r.column_name = p_column),
    case p_column when 'name_norm' then 'name' else p_column end);

-- The values of a record that are no longer among the options of the workspace's settings.
create or replace function unlisted_values(p_table text, p_row jsonb) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('table', p_table, 'id', p_row -> 'id', 'field', field, 'reason', 'unlisted')), '[]')
  from (
    select l.field from crm_settings s,
      lateral (values ('contacts', 'contact_type', s.contact_types), ('companies', 'account_type', s.account_types),
        ('opportunities', 'opportunity_type', s.opportunity_types), ('opportunities', 'lost_reasons', s.lost_reasons),
        ('opportunities', 'won_reasons', s.won_reasons)) l(of, field, options)
      where s.workspace_id = (select current_workspace()) and l.of = p_table and l.options <> '{}'
        and exists (select from jsonb_array_elements_text(case jsonb_typeof(p_row -> l.field) when 'array' then p_row -> l.field
          when 'string' then jsonb_build_array(p_row -> l.field) else '[]' end) v where norm(v) <> all (norm_all(l.options)))) each
$$;

-- Raises CONFLICT for a record that cannot come back, naming the field and the record that is in the way or missing.
create or replace function fail_restore(p_deletion deleted_rows, p_what text, p_takers jsonb, p_report jsonb)
  returns void language plpgsql as $$
declare
  missing constant text := (select r ->> 'field' from jsonb_array_elements(p_report) r
    where r ->> 'id' = p_deletion.row_id::text and r ->> 'reason' = 'gone' limit 1);
  taken constant text := (select k from jsonb_object_keys(p_takers) k limit 1);
  elsewhere constant text := (select r ->> 'field' from jsonb_array_elements(p_report) r
    where r ->> 'id' = p_deletion.row_id::text and r ->> 'reason' = 'taken' limit 1);
begin
  if missing is null and taken is not null then
    perform fail('CONFLICT', format('Another %s has this %s by now: change it first', p_what, api_name(p_deletion.table_name, taken)),
      jsonb_build_object('field', api_name(p_deletion.table_name, taken), 'id', p_takers -> taken));
  end if;
  -- Some values are unique among all workspaces.
  if missing is null and elsewhere is not null then
    perform fail('CONFLICT', format('The %1$s of this %2$s was taken by somebody else meanwhile: create another %2$s',
      api_name(p_deletion.table_name, elsewhere), p_what), jsonb_build_object('field', api_name(p_deletion.table_name, elsewhere)));
  end if;
  perform fail('CONFLICT', format('This %s belongs to a record that is no longer there: restore that first', p_what),
    jsonb_build_object('field', missing, 'id', p_deletion.before -> missing));
end $$;

-- Locks the latest deletion of a record, so that of two restores the later one finds it restored.
create or replace function lock_deletion(p_table text, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform from deleted_rows d
    where d.workspace_id = (select current_workspace()) and d.row_id = p_id and d.table_name = p_table and d.action = 'deleted'
    order by d.id desc limit 1 for update;
end $$;

-- Gives the emptied row of a record whose deletion has failed its values again, as far as that is still possible. Returns what is not.
create or replace function refill_record(p_table regclass, p_id uuid, p_restore uuid)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  arguments constant text[] := (select string_to_array(encode(g.tgargs, 'escape'), '\000') from pg_trigger g
    where g.tgrelid = p_table and g.tgname = 'record_delete');
  report constant jsonb := prepare_rows(p_table, entity_of(p_table::text), p_restore, '{deleted}');
  entry constant merge_entries := (select e from merge_entries e
    where e.workspace_id = w and e.merge_id = p_restore and e.table_name = p_table::text
    and e.row_id = p_id);
  refilled jsonb;
begin
  if entry.outcome is not null then return report; end if;
  -- The history shows that the record is there again, and not that its row was empty.
  perform set_config('app.deleted_record', p_id::text, true), set_flag('unchecked_values');
  execute format('update %1$s t set %2$s from jsonb_populate_record(null::%1$s, $3) r where t.workspace_id = $1 and t.id = $2
    returning to_jsonb(t)', p_table,
    (select string_agg(format('%1$I = r.%1$I', a.attname), ', ') from pg_attribute a
      where a.attrelid = p_table and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and entry.after ? a.attname and a.attname not in ('workspace_id', 'id', 'version', 'updated_at')))
    into refilled using w, p_id, entry.after;
  perform set_config('app.deleted_record', '', true), clear_flag('unchecked_values');
  perform record_versions(arguments[1], arguments[2], arguments[3]::text[], arguments[4]::text[],
    arguments[5]::jsonb, null, array[refilled]);
  update deletions set ended_at = now() where workspace_id = w and record_id = p_id and type = 'deletion' and ended_at is null;
  perform set_config('app.deleting', running_deletions(w), true);
  return report;
end $$;

-- The latest deletion of a record that can be restored.
create or replace function latest_deletion(p_table text, p_id uuid)
  returns deleted_rows language plpgsql security definer set search_path = public, pg_temp as $$
declare
  deletion deleted_rows;
begin
  select * into deletion from deleted_rows d
    where d.workspace_id = (select current_workspace()) and d.row_id = p_id and d.table_name = p_table
    and d.action = 'deleted' and d.id >= id_at(now() - make_interval(days => restore_days())) order by d.id desc limit 1 for update;
  return deletion;
end $$;

-- The same locks, in the same order, as other changes of the company tree, of primary contacts, and of custom fields.
create or replace function lock_for_restore(p_table regclass, p_deletion deleted_rows) returns void language plpgsql as $$
declare
  w constant uuid := p_deletion.workspace_id;
begin
  if p_table = 'companies'::regclass and exists (select from deleted_rows d where d.workspace_id = w and d.xid = p_deletion.xid
    and d.table_name = 'companies' and d.before ->> 'parent_company_id' is not null) then
    perform pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(w::text));
  elsif p_table = 'contacts'::regclass then
    perform lock_primary_contacts('{}', array_remove(array[(p_deletion.before ->> 'customer_id')::uuid], null));
  end if;
  if entity_of(p_table::text) is not null then perform has_custom_rules(w, entity_of(p_table::text)); end if;
end $$;

-- Leaves the list of what did not come back to the response.
create or replace function note_losses(p_report jsonb, p_id uuid, p_takers jsonb) returns void language sql as $$
  select hand('restored', (select coalesce(jsonb_agg(r || jsonb_build_object('field', api_name(r ->> 'table', r ->> 'field'))
    || case when r ->> 'id' = p_id::text and p_takers ? (r ->> 'field') then jsonb_build_object('by', p_takers -> (r ->> 'field'))
      else '{}' end), '[]') from jsonb_array_elements(p_report) r))
$$;

/*
  Restores a record that was deleted in the last restore_days(), with its id, the rows that went with it and the references that were set to
  null; with in_batches a job restores these if there are many. It lets no automation react. p: table; what (the noun in errors); id;
  in_batches; for a row below a record also link and parent_id. Hands over what did not come back (restored): table, id, field,
  reason (gone, taken, changed or unlisted), and for a record's unique value `by`, the record that has it.
*/
create or replace function restore_record(p jsonb)
  returns void volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  of constant regclass := (p ->> 'table')::regclass;
  root constant uuid := (p ->> 'id')::uuid;
  this constant uuid := uuidv7();
  most constant int := case when (p ->> 'in_batches')::boolean then most_dependants() end;
  deletion deleted_rows := latest_deletion(of::text, root);
  failed deletions;
  is_there boolean;
  in_job boolean;
  takers jsonb;
  report jsonb;
  n int;
begin
  perform assert_job_ended(p ->> 'what', root);
  select * into failed from deletions d where d.workspace_id = w and d.record_id = root and d.ended_at is null order by d.id desc limit 1;
  execute format('select exists (select from %s where workspace_id = $1 and id = $2 and ($3 is null or to_jsonb(%1$s) ->> $3 = $4))', of)
    into is_there using w, root, p ->> 'link', p ->> 'parent_id';
  if is_there and failed.type is distinct from 'deletion' and (p ->> 'is_seen')::boolean is not false then
    if failed.type = 'restore' then
      perform reopen_job(failed.id), name_job(root, failed.id), hand('restored', '[]');
      return;
    end if;
    perform fail('INVALID_STATE', format('This %s is not deleted', p ->> 'what'),
      jsonb_build_object('state', 'active', 'allowed', array['deleted']));
  end if;
  if is_there and failed.type is distinct from 'deletion' or deletion.id is null
      or deletion.before ->> (p ->> 'link') <> p ->> 'parent_id' then
    perform raise_not_found(p ->> 'what', root);
  end if;
  perform set_cause('restore', deletion.row_id), set_config('app.skip_automations', 'true', true);
  perform lock_for_restore(of, deletion);

  insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
    values (w, this, deletion.table_name, deletion.row_id, 'deleted', 0, deletion.before, '{}');
  n := collect_restored(deletion, this, most + 1);
  in_job := n > most or most is not null and n + count_unlinked(deletion, this, most + 1) > most;
  if in_job then
    update merge_entries set outcome = 'pending', before = '{}'
      where workspace_id = w and merge_id = this and (table_name, row_id) <> (of::text, root);
  end if;
  perform join_unlinked(deletion, this);
  takers := takers_of(of, deletion.before);
  perform set_flag('merge_in_progress');
  report := case when is_there then refill_record(of, root, this) else restore_rows(of, entity_of(of::text), this, '{deleted}') end;
  perform clear_flag('merge_in_progress');
  if not exists (select from merge_entries e where e.workspace_id = w and e.merge_id = this and e.table_name = of::text and e.row_id = root
    and e.outcome is null) then
    perform fail_restore(deletion, p ->> 'what', takers, report);
  end if;
  if in_job then
    perform forget_restored(deletion.xid, this), start_restore(deletion, this);
  else
    report := report || restore_dependants(deletion, this);
  end if;
  perform note_losses(report || unlisted_values(of::text, deletion.before), root, takers);
end $$;

revoke execute on function takers_of, refill_record, latest_deletion, lock_for_restore, note_losses, restore_record, lock_deletion
  from public, app;
grant execute on function restore_record, lock_deletion to app;
