/*
  Restoring deleted records. Triggers keep what a deletion removes in deleted_rows: each deleted row, and each reference that was set to
  null. Rows of one transaction are one deletion; those that a trigger deleted, and those that refer to a deleted row by a cascade, went with another. Merges and purges keep nothing: a merge
  has its own undo, and a purge is final.
*/

-- How long a deleted record can be restored.
create or replace function restore_days() returns int immutable parallel safe language sql return 30;

create or replace function keeps_deleted_rows() returns boolean stable language sql as $$
  select not is_purging() and current_cause_type() is distinct from 'merge'
$$;

-- The function asks whether anything is kept, because a condition of its triggers would be planned by each statement of a foreign key.
create or replace function keep_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from old_rows) or not keeps_deleted_rows() then return null; end if;
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    select (o.j ->> 'workspace_id')::uuid, current_request_id(), tg_table_name, (o.j ->> 'id')::uuid, 'deleted',
      pg_trigger_depth() = 1 and coalesce(current_setting('app.deletion', true), '') = '', o.j - 'search_text'
    from (select to_jsonb(r) as j from old_rows r) o where o.j ->> 'id' is distinct from current_setting('app.deleted_record', true);
  return null;
end $$;

-- Keeps the reference that a foreign key has just set to null, with the columns that were cleared along with it. A reference that a request
-- clears is no part of a deletion: its record is still there.
create or replace function keep_unlinked() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_there boolean;
begin
  execute format('select exists (select from %I where workspace_id = $1 and id = $2)', tg_argv[1])
    into is_there using old.workspace_id, (to_jsonb(old) ->> tg_argv[0])::uuid;
  -- A batch unlinks rows of records that a later statement deletes.
  if is_there and coalesce(current_setting('app.unlinks', true), '') = '' then return null; end if;
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    select old.workspace_id, current_request_id(), tg_table_name, (to_jsonb(old) ->> tg_argv[2])::uuid, 'unlinked', false,
      jsonb_object_agg(k, v) from jsonb_each(to_jsonb(old) - array['version', 'updated_at']) e(k, v)
      where v is distinct from to_jsonb(new) -> k;
  return null;
end $$;

/*
  Creates these triggers on the tables whose changes are recorded, on stage_moves, which go with an opportunity, on list_members and
  activity_contacts, on transcripts, on the parts of email threads, on what campaigns note of a contact, and on notices of bookings, on versions of agents, and on what they answer from. Excepted are tables with secrets, imports, whose file is removed with them, and connections of calendars and mailboxes, whose grants end with them.
*/
create or replace procedure keep_deletions() language plpgsql as $$
declare
  t record;
begin
  for t in
    select c.relname as name from pg_class c join pg_trigger g on g.tgrelid = c.oid and g.tgname = 'record_delete'
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'id'
      join pg_attribute b on b.attrelid = c.oid and b.attname = 'workspace_id'
      where c.relname not in ('imports', 'calendar_connections', 'mailboxes') and not exists (select from unrecorded_columns() u where u.table_name = c.relname and u.kind = 'secret')
    union select unnest(array['stage_moves', 'list_members', 'activity_contacts', 'booking_transcripts', 'campaign_recipients', 'campaign_clicks', 'unsubscribes', 'email_attachments',
      'email_messages', 'email_participants', 'email_thread_links', 'sms_consents', 'sms_conversations', 'sms_messages', 'whatsapp_messages', 'whatsapp_reactions', 'whatsapp_reads', 'message_media', 'booking_notices', 'call_logs',
      'notepad_versions', 'training_progress', 'agent_versions', 'knowledge_chunks', 'knowledge_agents'])
  loop
    execute format('create or replace trigger keep_deleted after delete on %I referencing old table as old_rows for each statement
      execute function keep_deleted()', t.name);
  end loop;
  for t in
    select k.child::text as child, k.col, k.parent::text as parent, case k.child::text when 'memberships' then 'user_id' else 'id' end as key
      from find_foreign_keys() k
      where k.on_delete = 'n' and exists (select from pg_trigger g where g.tgrelid = k.parent and g.tgname = 'keep_deleted')
  loop
    execute format('create or replace trigger %I after update of %I on %I for each row
      when (old.%I is not null and new.%I is null and keeps_deleted_rows()) execute function keep_unlinked(%L, %L, %L)',
      'keep_' || t.col, t.col, t.child, t.col, t.col, t.col, t.parent, t.key);
  end loop;
end $$;
call keep_deletions();

-- The records that have the unique values of a row, by field.
create or replace function takers_of(p_table regclass, p_row jsonb)
  returns jsonb stable language plpgsql security definer set search_path = public, pg_temp as $$
declare
  rule record;
  taker uuid;
  takers jsonb := '{}';
begin
  for rule in select k.cols[cardinality(k.cols)] as col, (select string_agg(format('o.%1$I = k.%1$I', c), ' and ') from unnest(k.cols) c) as same
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

-- Collects a deleted row and the rows that went with it as entries of `p_restore` (see merge_entries). Nested loops are disabled, because
-- the planner has no statistics of these entries.
create or replace function collect_deleted(p_deletion deleted_rows, p_restore uuid)
  returns void language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
declare
  w constant uuid := p_deletion.workspace_id;
  level int := 0;
  n int;
begin
  insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
    values (w, p_restore, p_deletion.table_name, p_deletion.row_id, 'deleted', level, p_deletion.before, '{}');
  loop
    level := level + 1;
    insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
      select w, p_restore, d.table_name, d.row_id, 'deleted', level, d.before, '{}' from deleted_rows d
        join foreign_keys() k on k.child::text = d.table_name
        join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = k.parent::text
          and e.row_id::text = d.before ->> k.col
        where d.workspace_id = w and d.xid = p_deletion.xid and d.action = 'deleted' and (k.on_delete = 'c' or not d.is_root)
      on conflict do nothing;
    get diagnostics n = row_count;
    exit when n = 0;
  end loop;
  -- An activity that went with the last of its contacts may not refer to it itself.
  insert into merge_entries (workspace_id, merge_id, table_name, row_id, action, place, before, after)
    select w, p_restore, d.table_name, d.row_id, 'deleted', level, d.before, '{}' from deleted_rows d
      join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = 'activity_contacts'
        and e.before ->> 'activity_id' = d.row_id::text
      where d.workspace_id = w and d.xid = p_deletion.xid and d.action = 'deleted' and d.table_name = 'activities' and not d.is_root
    on conflict do nothing;
  -- A reference between two rows of the deletion may have been cleared before its row was deleted.
  update merge_entries e set before = e.before || u.before from deleted_rows u
    where e.workspace_id = w and e.merge_id = p_restore and u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked'
      and u.table_name = e.table_name and u.row_id = e.row_id;
end $$;

-- Restores the references to restored rows that their deletion set to null. A reference that leads elsewhere since then stays, and is
-- returned. That of a row which was deleted itself since then comes back with that row.
create or replace function relink_rows(p_deletion deleted_rows, p_restore uuid)
  returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := p_deletion.workspace_id;
  report jsonb := '[]';
  part jsonb;
  t record;
begin
  for t in
    select k.child, k.col, case k.child::text when 'memberships' then 'user_id' else 'id' end as key, array_agg(u.id) as ids,
      array_agg(u.row_id) as rows, null::text as sets
    from deleted_rows u join foreign_keys() k on k.child::text = u.table_name and k.on_delete = 'n' and u.before ? k.col
      join merge_entries e on e.workspace_id = w and e.merge_id = p_restore and e.table_name = k.parent::text
        and e.row_id = (u.before ->> k.col)::uuid and e.outcome is null
    where u.workspace_id = w and u.xid = p_deletion.xid and u.action = 'unlinked' group by 1, 2
  loop
    select string_agg(distinct format('%1$I = r.%1$I', f), ', ') into t.sets from deleted_rows u, jsonb_object_keys(u.before) f
      where u.workspace_id = w and u.id = any (t.ids);
    execute format('select from %s where workspace_id = $1 and %I = any ($2) order by %2$I for update', t.child, t.key) using w, t.rows;
    execute format($q$
      with judged as (
        select u.row_id, u.before, c.%2$I is not null and (%4$L::text is null or exists (select from changes h where h.workspace_id = $1
            and h.entity = %4$L and h.entity_id = u.row_id and h.id > u.id and h.request_id is distinct from u.request_id
            and h.fields ? %2$L)) as changed
        from %1$s c join deleted_rows u on u.workspace_id = $1 and u.row_id = c.%3$I
        where c.workspace_id = $1 and c.%3$I = any ($2) and u.id = any ($3)
      ), linked as (
        update %1$s c set %5$s from (select j.row_id, p.* from judged j join %1$s o on o.workspace_id = $1 and o.%3$I = j.row_id
            cross join lateral jsonb_populate_record(o, j.before) p where not j.changed) r
          where c.workspace_id = $1 and c.%3$I = r.row_id
      )
      select jsonb_agg(jsonb_build_object('table', %1$L, 'id', row_id, 'field', %2$L, 'reason', 'changed')) from judged where changed $q$,
      t.child, t.col, t.key, entity_of(t.child::text), t.sets) into part using w, t.rows, t.ids;
    report := report || coalesce(part, '[]');
    update deleted_rows d set before = d.before || u.before from deleted_rows u
      where u.workspace_id = w and u.id = any (t.ids) and d.workspace_id = w and d.row_id = u.row_id and d.table_name = u.table_name
        and d.action = 'deleted' and d.id > u.id and d.before -> t.col = 'null';
    delete from deleted_rows where workspace_id = w and id = any (t.ids);
  end loop;
  return report;
end $$;

-- A billing party whose share would bring the total above 100 percent comes back without it.
create or replace function fit_shares(p_restore uuid) returns jsonb language sql security definer set search_path = public, pg_temp as $$
  with cleared as (
    update billing_parties b set share_percent = null from merge_entries e
      where e.workspace_id = (select current_workspace()) and e.merge_id = p_restore and e.table_name = 'billing_parties'
        and b.workspace_id = e.workspace_id and b.id = e.row_id and b.share_percent is not null
        and (select sum(o.share_percent) from billing_parties o where o.workspace_id = b.workspace_id
          and o.opportunity_id = b.opportunity_id) > 100
      returning b.id)
  select coalesce(jsonb_agg(jsonb_build_object('table', 'billing_parties', 'id', id, 'field', 'share_percent', 'reason', 'taken')), '[]')
    from cleared
$$;

-- Raises CONFLICT for a record that cannot come back, naming the field and the record that is in the way or missing.
create or replace function fail_restore(p_deletion deleted_rows, p_what text, p_takers jsonb, p_report jsonb) returns void language plpgsql as $$
declare
  missing constant text := (select r ->> 'field' from jsonb_array_elements(p_report) r
    where r ->> 'id' = p_deletion.row_id::text and r ->> 'reason' = 'gone' limit 1);
  taken constant text := (select k from jsonb_object_keys(p_takers) k limit 1);
begin
  if missing is null and taken is not null then
    perform fail('CONFLICT', format('Another %s has this %s by now: change it first', p_what, api_name(p_deletion.table_name, taken)),
      jsonb_build_object('field', api_name(p_deletion.table_name, taken), 'id', p_takers -> taken));
  end if;
  perform fail('CONFLICT', format('This %s belongs to a record that is no longer there: restore that first', p_what),
    jsonb_build_object('field', missing, 'id', p_deletion.before -> missing));
end $$;

-- Forgets the deletion of the rows that were restored. A nested loop would compare each of them with each.
create or replace function forget_restored(p_xid xid8, p_restore uuid)
  returns void language sql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
  delete from deleted_rows d using merge_entries e where d.workspace_id = (select current_workspace()) and d.xid = p_xid and d.action = 'deleted'
    and e.workspace_id = d.workspace_id and e.merge_id = p_restore and e.table_name = d.table_name and e.row_id = d.row_id and e.outcome is null
$$;

-- Locks the latest deletion of a record, so that of two restores the later one finds it restored.
create or replace function lock_deletion(p_table text, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform from deleted_rows d where d.workspace_id = (select current_workspace()) and d.row_id = p_id and d.table_name = p_table and d.action = 'deleted'
    order by d.id desc limit 1 for update;
end $$;

/*
  Restores a record that was deleted in the last restore_days(), with its id, the rows that went with it and the references that were set to
  null. It lets no automation react. p: table; what (the noun in errors); id; for a row below a record also link and parent_id. Leaves the
  list of what did not come back in app.restored: table, id, field, reason (gone, taken, changed or unlisted), and for a record's unique
  value `by`, the record that has it.
*/
create or replace function restore_record(p jsonb)
  returns void volatile security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  of constant regclass := (p ->> 'table')::regclass;
  this constant uuid := uuidv7();
  deletion deleted_rows;
  is_there boolean;
  takers jsonb;
  report jsonb := '[]';
  t record;
begin
  select * into deletion from deleted_rows d where d.workspace_id = w and d.row_id = (p ->> 'id')::uuid and d.table_name = of::text
    and d.action = 'deleted' and d.id >= id_at(now() - make_interval(days => restore_days())) order by d.id desc limit 1 for update;
  perform assert_deletion_ended(p ->> 'what', (p ->> 'id')::uuid);
  execute format('select exists (select from %s where workspace_id = $1 and id = $2 and ($3 is null or to_jsonb(%1$s) ->> $3 = $4))', of)
    into is_there using w, (p ->> 'id')::uuid, p ->> 'link', p ->> 'parent_id';
  if is_there and (p ->> 'is_seen')::boolean is not false then
    perform fail('INVALID_STATE', format('This %s is not deleted', p ->> 'what'),
      jsonb_build_object('state', 'active', 'allowed', array['deleted']));
  end if;
  if is_there or deletion.id is null or deletion.before ->> (p ->> 'link') <> p ->> 'parent_id' then
    perform raise_not_found(p ->> 'what', (p ->> 'id')::uuid);
  end if;
  perform set_cause('restore', deletion.row_id), set_config('app.skip_automations', 'true', true);
  -- The same locks, in the same order, as other changes of the company tree and of primary contacts.
  if of = 'companies'::regclass and exists (select from deleted_rows d where d.workspace_id = w and d.xid = deletion.xid
    and d.table_name = 'companies' and d.before ->> 'parent_company_id' is not null) then
    perform pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(w::text));
  elsif of = 'contacts'::regclass then
    perform lock_primary_contacts('{}', array_remove(array[(deletion.before ->> 'customer_id')::uuid], null));
  end if;

  -- Excludes changes of custom fields, as every write does.
  if entity_of(of::text) is not null then perform has_custom_rules(w, entity_of(of::text)); end if;

  perform collect_deleted(deletion, this);
  takers := takers_of(of, deletion.before);
  perform set_config('app.merge_in_progress', 'on', true);
  for t in select e.table_name as name from merge_entries e where e.workspace_id = w and e.merge_id = this group by 1
    order by e.table_name <> of::text, (select max(r.level) from references_to(of) r where r.child = e.table_name::regclass) desc nulls last,
      min(e.place), 1
  loop
    report := report || restore_rows(t.name::regclass, entity_of(t.name), this, '{deleted}');
    if t.name = of::text and not exists (select from merge_entries e where e.workspace_id = w and e.merge_id = this
      and e.table_name = t.name and e.row_id = deletion.row_id and e.outcome is null) then
      perform fail_restore(deletion, p ->> 'what', takers, report);
    end if;
  end loop;
  perform set_config('app.merge_in_progress', '', true);
  report := report || fit_shares(this) || relink_rows(deletion, this) || relink_custom_values(deletion, deletion.row_id)
    || unlisted_values(of::text, deletion.before);
  perform forget_restored(deletion.xid, this);
  delete from merge_entries where workspace_id = w and merge_id = this;
  perform set_config('app.restored', (select coalesce(jsonb_agg(r || jsonb_build_object('field', api_name(r ->> 'table', r ->> 'field'))
    || case when r ->> 'id' = deletion.row_id::text and takers ? (r ->> 'field') then jsonb_build_object('by', takers -> (r ->> 'field'))
      else '{}' end), '[]') from jsonb_array_elements(report) r)::text, true);
end $$;

revoke execute on function keep_deleted, keep_unlinked, takers_of, collect_deleted, relink_rows, fit_shares, forget_restored, restore_record, lock_deletion
  from public, app;
grant execute on function restore_record, lock_deletion to app;
