-- The table of the records of an entity that an import creates: its own kind of record, or what its lines refer to.
create or replace function created_table(p_entity text) returns text immutable parallel safe language sql
  return case p_entity when 'pipeline' then 'pipelines' when 'stage' then 'stages' when 'lead_source' then 'lead_sources'
    else imported_table(p_entity) end;

-- The records that other rows refer to, apart from rows that were created together with the record.
create or replace function ids_in_use(p_table regclass, p_ids uuid[])
  returns uuid[] stable language plpgsql set search_path = public, pg_temp as $$
declare
  links text;
  used uuid[];
begin
  if p_ids is null then return '{}'; end if;
  select string_agg(format('exists (select from %s c where c.workspace_id = $2 and c.%I = r.id%s)', c.conrelid::regclass, a.attname,
      case when c.conrelid = 'employers'::regclass and p_table = 'contacts'::regclass
        then ' and c.customer_id is distinct from (select o.customer_id from contacts o where o.workspace_id = $2 and o.id = r.id)'
          when c.conrelid = 'stages'::regclass then $s$
            and not exists (select from changes h where h.workspace_id = $2 and h.entity = 'stage' and h.entity_id = c.id
            and h.action = 'created' and h.request_id = (select g.request_id from changes g
              where g.workspace_id = $2 and g.entity = 'pipeline'
              and g.entity_id = r.id and g.action = 'created'))$s$
          else '' end), ' or ') into links
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
    where c.contype = 'f' and c.confrelid = p_table and c.conrelid <> all ('{stage_moves,list_members}'::regclass[]);
  links := coalesce(links, 'false') || $q$
    or exists (select from custom_fields f join custom_values v on v.workspace_id = f.workspace_id and v.field_id = f.id
    where f.workspace_id = $2 and f.type = $3 and v.number = 0 and v.text = r.id::text)$q$;
  -- Opportunities have the name of their lead source.
  if p_table = 'lead_sources'::regclass then
    links := links || $q$ or exists (select from lead_sources s join opportunities o on o.workspace_id = s.workspace_id
      and o.lead_source = s.name where s.workspace_id = $2 and s.id = r.id)$q$;
  end if;
  execute 'select array_agg(r.id) from unnest($1) r(id) where ' || links into used
    using p_ids, current_workspace(), entity_of(p_table::text);
  return coalesce(used, '{}');
end $$;

-- Restores the values of a record's columns from before a change.
create or replace function revert_change(p_table regclass, p_id uuid, p_fields jsonb)
  returns void language plpgsql set search_path = public, pg_temp as $$
declare
  before jsonb := (select jsonb_object_agg(k, v -> 'before') from jsonb_each(p_fields) e(k, v));
  names text := (select string_agg(format('%I = r.%1$I', k), ', ') from jsonb_object_keys(p_fields) k);
begin
  execute format('update %s t set %s from (select r.* from %1$s s, jsonb_populate_record(s, $1) r
      where s.workspace_id = (select current_workspace()) and s.id = $2) r
    where t.workspace_id = (select current_workspace()) and t.id = $2',
    p_table, names) using before, p_id;
end $$;

/*
  Reverts the next p_limit changes of the import, the latest first, and returns whether there may be more. A record that has been changed or
  referred to since stays, and its lines say so.
*/
create or replace function undo_import(p_id uuid, p_limit int)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  undo_request text := current_request_id();
  f import_files;
  change record;
  record_table regclass;
  outcome text;
  reason text;
  violated text;
  main text := (select imported_entity(object) from imports where workspace_id = (select current_workspace()) and id = p_id);
  processed int := 0;
  last_id uuid;
  created_ids uuid[];
  used uuid[] := '{}';
begin
  select * into f from import_files where workspace_id = (select current_workspace()) and import_id = p_id;
  -- All records of the batch are checked at once. Those in use are checked again below, because earlier steps may have removed the
  -- references.
  for record_table, created_ids in select created_table(entity), array_agg(entity_id) from (
      select c.entity, c.entity_id, c.action from changes c
        where c.workspace_id = (select current_workspace()) and c.request_id = p_id::text
        and c.id < coalesce(f.undo_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') order by c.id desc limit p_limit) w
    where action = 'created' and created_table(entity) is not null group by entity
  loop
    used := used || ids_in_use(record_table, created_ids);
  end loop;
  for change in select c.* from changes c
    where c.workspace_id = (select current_workspace()) and c.request_id = p_id::text
    and c.id < coalesce(f.undo_before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    order by c.id desc limit p_limit
  loop
    processed := processed + 1;
    last_id := change.id;
    record_table := case change.entity when 'employer' then 'employers' when 'opportunity_contact' then 'opportunity_contacts'
      when 'opportunity_product' then 'opportunity_products' else created_table(change.entity) end;
    continue when record_table is null;
    -- A pipeline that the import has created stays or goes with its stages.
    continue when change.entity = 'stage' and change.action = 'created' and exists (select from changes c
      where c.workspace_id = (select current_workspace()) and c.entity = 'pipeline'
      and c.entity_id = (change.fields #>> '{pipeline_id,after}')::uuid
        and c.action = 'created' and c.request_id = p_id::text);
    outcome := case change.action when 'created' then 'removed' else 'restored' end;
    reason := null;
    if exists (select from changes c
      where c.workspace_id = (select current_workspace()) and c.entity = change.entity
      and c.entity_id = change.entity_id and c.id > change.id
        and c.request_id is distinct from p_id::text and c.request_id is distinct from undo_request) then
      outcome := 'kept';
      reason := 'Changed since the import';
    elsif change.action = 'created' and change.entity = 'employer'
      and exists (select from changes c where c.workspace_id = (select current_workspace()) and c.entity = 'contact'
        and c.entity_id = (change.fields #>> '{contact_id,after}')::uuid and c.id > change.id and c.request_id is distinct from p_id::text
          and c.request_id is distinct from undo_request) then
      outcome := 'kept';
    elsif change.action = 'created' and change.entity_id = any (used) and ids_in_use(record_table, array[change.entity_id]) <> '{}' then
      outcome := 'kept';
      reason := 'In use since the import: other records refer to it';
    else
      begin
        if change.action = 'created' then
          execute format('delete from %s where workspace_id = (select current_workspace()) and id = $1', record_table)
            using change.entity_id;
        elsif change.action = 'updated' then
          perform revert_change(record_table, change.entity_id, change.fields);
          -- The first update let the stage's trigger derive these columns: restore them.
          if change.entity = 'opportunity' and change.fields ?| array['stage_id', 'pipeline_id', 'status']
            and change.fields - array['stage_id', 'pipeline_id', 'status'] <> '{}' then
            perform revert_change(record_table, change.entity_id, change.fields - array['stage_id', 'pipeline_id', 'status']);
          end if;
        end if;
      exception when others then
        get stacked diagnostics violated = constraint_name;
        if sqlstate like '40%' then raise; end if;
        outcome := 'kept';
        reason := 'It cannot be taken back' || case sqlstate when 'WK000' then ': ' || sqlerrm
          when '23505' then format(': another record has its %s', regexp_replace(violated, format('^%s_(.*)_key$', record_table), '\1'))
          else '' end;
      end;
    end if;
    if change.entity = main then
      update import_rows r set undone = outcome, undo_reason = reason
        where r.workspace_id = (select current_workspace()) and r.import_id = p_id and r.record_id = change.entity_id
        and r.undone is distinct from 'kept';
    end if;
  end loop;
  perform assert_unheld();
  update import_files set undo_before = coalesce(last_id, undo_before), touched_at = now()
    where workspace_id = (select current_workspace()) and import_id = p_id;
  if processed = p_limit then return true; end if;
  update import_files t set removed = n.removed, restored = n.restored, kept = n.kept from (
      select count(distinct record_id) filter (where undone = 'removed') as removed,
        count(distinct record_id) filter (where undone = 'restored') as restored,
        count(distinct record_id) filter (where undone = 'kept') as kept from import_rows
          where workspace_id = (select current_workspace()) and import_id = p_id) n
    where t.workspace_id = (select current_workspace()) and t.import_id = p_id;
  perform finish_import(p_id);
  return false;
end $$;

revoke execute on function undo_import from public, app;
grant execute on function undo_import to jobs;
