/*
  Writes the change of each record, field by field, and its event with a snapshot of the record, in which a missing field is null. A deleted
  record has none. Both name the user, the key, the request and the cause. p_omitted: columns that a change leaves out; p_hidden: those that
  a snapshot leaves out; p_names: columns with another name in the API; p_old and p_new: the same rows before and after, each null where
  there is none.
*/
create or replace function record_versions(p_entity text, p_key text, p_omitted text[], p_hidden text[], p_names jsonb,
  p_old jsonb[], p_new jsonb[])
  returns void language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  with versions as materialized (
    select uuidv7() as id, coalesce(record ->> 'workspace_id', record ->> 'id')::uuid as workspace_id,
      (record ->> p_key)::uuid as entity_id,
      (record ->> 'private_to')::uuid as private_to, coalesce((record ->> 'version')::int, 1) + (new is null)::int as version, v.*
    from (select v.old, v.new, coalesce(v.new, v.old) as record,
        case when v.old is null then 'created' when v.new is null then 'deleted' else 'updated' end as action,
        (select jsonb_object_agg(coalesce(p_names ->> k, k), case when v.old is null then jsonb_build_object('after', e.v)
            when v.new is not null then jsonb_build_object('before', v.old -> k, 'after', e.v)
            when is_purging() then '{}' else jsonb_build_object('before', e.v) end)
          from jsonb_each(coalesce(v.new, v.old)) e(k, v) where k <> all (p_omitted)
            and case when v.old is null or v.new is null then e.v <> 'null' else e.v is distinct from v.old -> k end) as fields
      from unnest(p_old, p_new) v(old, new)) v
    where (v.fields is not null or v.action <> 'updated')
      -- The row of a record whose deletion is in the history already.
      and (p_key <> 'id' or record ->> 'id' is distinct from current_setting('app.deleted_record', true))
      -- The automation that an auto queue is compiled into repeats what the history of the queue shows.
      and (p_entity <> 'automation' or record ->> 'queue_id' is null)
  ), noted as (
    insert into changes (id, workspace_id, private_to, request_id, key_id, user_id, cause_type, cause_id, depth, entity,
      entity_id, action, fields, version)
      select v.id, v.workspace_id, v.private_to, current_request_id(), current_key_id(), current_user_id(),
        current_cause_type(), current_cause_id(),
        current_cause_depth(), p_entity, v.entity_id, v.action, coalesce(v.fields, '{}'), v.version
      from versions v
  ), timed as (
    insert into timeline_changes (workspace_id, record_id, at, change_id)
      select v.workspace_id, r, now(), v.id from versions v, unnest(timeline_records(p_entity, v.fields, v.old, v.new)) r
  )
  insert into outbox (id, workspace_id, private_to, type, entity, entity_id, payload, needs_delivery, skip_automations,
    request_id, key_id, user_id, cause_type, cause_id, depth)
    select v.id, v.workspace_id, v.private_to, p_entity || '.' || v.action, p_entity, v.entity_id,
      coalesce((select jsonb_object_agg(coalesce(p_names ->> k, k), e.v) from jsonb_each(v.new) e(k, v)
        where k <> all (p_hidden) and e.v <> 'null'), '{}'),
      mark_for_delivery(needs_delivery(p_entity || '.' || v.action)), skips_automations(), current_request_id(),
        current_key_id(), current_user_id(),
      current_cause_type(), current_cause_id(), current_cause_depth()
    from versions v;
end $$;

-- After each statement: logs the change of every row, fifty at a time and in the order of the rows, and keeps the deleted rows of a table
-- with the argument `kept`. Deletions of some tables call it row by row (calls_of_deletions). A session reuses the plan of its first, small
-- statements, so nested loops are disabled: with them a statement over thousands of rows would take quadratic time.
create or replace function record_changes()
  returns trigger language plpgsql security definer set search_path = public, pg_temp set enable_nestloop = off as $$
begin
  if tg_level = 'ROW' then
    if old.id <> (select o.id from old_rows o limit 1) then return null; end if;
  elsif tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
  elsif not exists (select from new_rows) then
    return null;
  end if;
  declare
    -- Prefixed, so that they never collide with a column.
    p_entity constant text := tg_argv[0];
    p_key constant text := tg_argv[1];
    p_omitted constant text[] := tg_argv[2];
    p_hidden constant text[] := tg_argv[3];
    p_names constant jsonb := tg_argv[4];
    p_rows jsonb[];
  begin
    if tg_op = 'INSERT' then
      perform record_versions(p_entity, p_key, p_omitted, p_hidden, p_names, null, array_agg(j order by at))
        from (select to_jsonb(n) as j, row_number() over () as at from new_rows n) n group by (at - 1) / 50 order by (at - 1) / 50;
    elsif tg_op = 'DELETE' then
      for p_rows in select array_agg(j order by at)
        from (select to_jsonb(o) as j, row_number() over () as at from old_rows o) o group by (at - 1) / 50 order by (at - 1) / 50
      loop
        if tg_argv[5] = 'kept' then perform keep_rows(tg_table_name, p_rows); end if;
        perform record_versions(p_entity, p_key, p_omitted, p_hidden, p_names, p_rows, null);
      end loop;
    else
      perform record_versions(p_entity, p_key, p_omitted, p_hidden, p_names, array_agg(o), array_agg(n))
        from (select o.j as o, n.j as n, (row_number() over () - 1) / 50 as part from (select to_jsonb(r) as j from old_rows r) o
          join (select to_jsonb(r) as j from new_rows r) n
          on n.j ->> p_key = o.j ->> p_key and n.j ->> 'workspace_id' is not distinct from o.j ->> 'workspace_id') changed group by part;
    end if;
  end;
  return null;
end $$;

-- Increments version and sets updated_at when a row really changes. The arguments are its generated columns, which are not computed yet,
-- and its derived and secret ones, which nobody sees change.
create or replace function touch() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - coalesce(tg_argv, '{}') is distinct from to_jsonb(old) - coalesce(tg_argv, '{}') then
    new.version := old.version + 1;
    new.updated_at := greatest(now(), old.updated_at);
  end if;
  return new;
end $$;

-- Records the changes of a table. The triggers carry what unrecorded_columns and renamed_columns say about it, so that no row looks it up.
create or replace procedure tracked_table(name text, entity text, key text default 'id') language plpgsql as $$
declare
  follows constant text := (select string_agg(quote_literal(attname), ', ' order by attnum) from pg_attribute
    where attrelid = name::regclass and (attgenerated <> '' or attname in (select column_name from unrecorded_columns()
      where table_name = name and kind in ('derived', 'secret'))));
  omitted constant text[] := array(select column_name from unrecorded_columns() where table_name in ('*', name) order by 1);
  arguments constant text := format('%L, %L, %L, %L, %L', entity, key, omitted,
    array(select column_name from unnest(omitted) column_name where column_name not in ('version', 'created_at', 'updated_at')),
    coalesce((select jsonb_object_agg(column_name, api_name) from renamed_columns() where table_name = name), '{}'));
  kept constant text := case when name = any (restorable_tables()) then ', ''kept''' else '' end;
begin
  call write_trigger(format('create or replace trigger touch before update on %I for each row execute function touch(%s)', name, follows));
  call write_trigger(format('create or replace trigger record_insert after insert on %I referencing new table as new_rows
    for each statement execute function record_changes(%s)', name, arguments));
  call write_trigger(format('create or replace trigger record_update after update on %I
    referencing old table as old_rows new table as new_rows for each statement execute function record_changes(%s)', name, arguments));
  call write_trigger(format('create or replace trigger record_delete after delete on %I referencing old table as old_rows
    for each %s execute function record_changes(%s%s)', name, calls_of_deletions(name), arguments, kept));
end $$;

-- Writes an event that is not simply a row's change, such as opportunity.won. p_private_to: the member who alone sees it.
create or replace function emit(p_type text, p_entity text, p_entity_id uuid, p_payload jsonb default '{}', p_private_to uuid default null)
  returns void language sql security definer set search_path = public, pg_temp as $$
  insert into outbox (type, entity, entity_id, payload, private_to, needs_delivery, skip_automations, request_id, key_id,
    user_id, cause_type, cause_id, depth)
  values (p_type, p_entity, p_entity_id, p_payload, p_private_to, mark_for_delivery(needs_delivery(p_type)), skips_automations(),
    current_request_id(), current_key_id(), current_user_id(), current_cause_type(), current_cause_id(), current_cause_depth())
$$;

-- Whether the Worker has a listener for the event type (src/features/events/plans/listeners.ts; a test compares the two). Other events are
-- never updated.
create or replace function needs_delivery(p_type text) returns boolean immutable parallel safe language sql
  return p_type in ('approval.updated', 'attachment.deleted', 'auto_schedule.fire_requested', 'booking.attended', 'booking.cancelled',
    'booking.confirmed', 'booking.late', 'booking.no_show',
    'booking.notice_requested', 'booking.reassigned', 'booking.rescheduled', 'booking.updated', 'custom_field.created',
      'custom_field.deleted', 'custom_field.updated',
    'dead_letter.replayed', 'file.deleted', 'import.deleted', 'import.updated', 'member.invited', 'role.mailboxes_opened');

-- Notes for finish_request that the transaction wrote an event that must be delivered.
create or replace function mark_for_delivery(p_needed boolean) returns boolean language plpgsql as $$
begin
  if p_needed then perform set_config('app.delivers', 'true', true); end if;
  return p_needed;
end $$;

-- Whether this request has made the change: that of p_field, if it is given. A record's latest changes are read, which costs the same with
-- any statistics; the bounds of the id exclude the other partitions.
create or replace function changed_in_request(p_entity text, p_id uuid, p_action text, p_field text default null)
  returns boolean stable language plpgsql as $$
declare
  earliest constant uuid := uuidv7(now() - clock_timestamp() - interval '1 minute');
  latest constant uuid := uuidv7(interval '1 minute');
begin
  return exists (select from changes c where c.workspace_id = (select current_workspace()) and c.entity = p_entity and c.entity_id = p_id
    and c.id between earliest and latest and c.action = p_action and c.request_id = current_request_id()
    and (p_field is null or c.fields ? p_field));
end $$;

do $$
declare
  t record;
begin
  for t in select * from tracked_tables() loop
    call tracked_table(t.table_name, t.entity, t.key);
  end loop;
end $$;

revoke execute on function record_versions, record_changes, emit from public;
grant execute on function emit to app;
