/*
  What deletions remove. Triggers keep it in deleted_rows, so that a record can be restored: each deleted row, and each reference that was
  set to null. Rows of one transaction are one deletion; those that a trigger deleted, and those that refer to a deleted row by a cascade,
  went with another. Merges and purges keep nothing: a merge has its own undo, and a purge is final.
*/

-- How long a deleted record can be restored.
create or replace function restore_days() returns int immutable parallel safe language sql return 30;

create or replace function keeps_deleted_rows() returns boolean stable language sql as $$
  select not is_purging() and current_cause_type() is distinct from 'merge'
$$;

-- Keeps rows that a trigger's statement has just deleted. Refuses them while their record is being restored.
create or replace function keep_rows(p_table text, p_rows jsonb[]) returns void language plpgsql
  security definer set search_path = public, pg_temp set enable_nestloop = on as $$
begin
  if exists (select from deletions d where d.workspace_id = (select current_workspace()) and d.ended_at is null
    and d.type = 'restore') then
    perform assert_not_restoring(array(select (j ->> 'id')::uuid from unnest(p_rows) j));
  end if;
  if not keeps_deleted_rows() then return; end if;
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    select (j ->> 'workspace_id')::uuid, current_request_id(), p_table, (j ->> 'id')::uuid, 'deleted',
      pg_trigger_depth() = 1 and coalesce(current_setting('app.deletion_xid', true), '') = '', j - 'search_text'
    from unnest(p_rows) j where j ->> 'id' is distinct from current_setting('app.deleted_record', true);
end $$;

-- Keeps the deleted rows of a table whose changes are not recorded; record_changes does so for the others, and is called in the same way.
create or replace function keep_deleted() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_level = 'ROW' then
    if old.id <> (select o.id from old_rows o limit 1) then return null; end if;
  elsif not exists (select from old_rows) then
    return null;
  end if;
  perform keep_rows(tg_table_name, array(select to_jsonb(r) from old_rows r));
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
  if is_there and not has_flag('unlinks') then return null; end if;
  insert into deleted_rows (workspace_id, request_id, table_name, row_id, action, is_root, before)
    select old.workspace_id, current_request_id(), tg_table_name, (to_jsonb(old) ->> tg_argv[2])::uuid, 'unlinked', false,
      jsonb_object_agg(k, v) from jsonb_each(to_jsonb(old) - array['version', 'updated_at']) e(k, v)
      where v is distinct from to_jsonb(new) -> k;
  return null;
end $$;

-- Creates these triggers on the tables whose rows can be restored, and on those that refer to them.
create or replace procedure keep_deletions() language plpgsql as $$
declare
  kept text;
  t record;
begin
  for kept in select r from unnest(restorable_tables()) r order by 1 loop
    if kept in (select table_name from tracked_tables()) then
      -- A trigger of an earlier release would keep the rows twice until the migration drops it.
      if exists (select from pg_trigger g where g.tgrelid = kept::regclass and g.tgname = 'keep_deleted') then
        execute format('drop trigger keep_deleted on %I', kept);
      end if;
      continue;
    end if;
    call
      write_trigger(format('create or replace trigger keep_deleted after delete on %I referencing old table as old_rows for each %s
      execute function keep_deleted()', kept, calls_of_deletions(kept)));
  end loop;
  for t in
    select k.child::text as child, k.col, k.parent::text as parent,
      case k.child::text when 'memberships' then 'user_id' else 'id' end as key
      from find_foreign_keys() k
      where k.on_delete = 'n' and k.parent::text = any (restorable_tables())
  loop
    call write_trigger(format('create or replace trigger %I after update of %I on %I for each row
      when (old.%I is not null and new.%I is null and keeps_deleted_rows()) execute function keep_unlinked(%L, %L, %L)',
      'keep_' || t.col, t.col, t.child, t.col, t.col, t.col, t.parent, t.key));
  end loop;
end $$;
call keep_deletions();

revoke execute on function keep_rows, keep_deleted, keep_unlinked from public, app;
