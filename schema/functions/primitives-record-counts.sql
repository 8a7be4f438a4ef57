-- The names of tags as counts have them: null without tags, in one order otherwise.
create or replace function counted_tags(tags jsonb) returns text[] immutable parallel safe language plpgsql as $$
begin
  if tags = '[]' then return null; end if;
  return array(select distinct name from unnest(tag_names(tags)) name order by 1);
end $$;

/*
  After each statement that inserts or deletes records: what it changes of their counts (record_count_deltas). The transition table has one
  name in both cases. These functions are defined here because migration 0045 creates the triggers and computes the first totals in one
  transaction.
*/
create or replace function count_records() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  sign constant int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  case tg_table_name
    when 'contacts' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, source_id, source, tags, count)
        select workspace_id, 'contacts', archived, assigned_to, source_id, source, counted_tags(tags), sign * count(*)
        from counted_rows group by 1, 3, 4, 5, 6, 7;
    when 'companies' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, tags, count)
        select workspace_id, 'companies', archived, assigned_to, counted_tags(tags), sign * count(*) from counted_rows group by 1, 3, 4, 5;
    when 'opportunities' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, source, tags, count)
        select workspace_id, 'opportunities', archived, assigned_to, lead_source, counted_tags(tags), sign * count(*)
        from counted_rows group by 1, 3, 4, 5, 6;
    else
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, count)
        select workspace_id, 'tasks', archived, assigned_to, sign * count(*) from counted_rows group by 1, 3, 4;
  end case;
  return null;
end $$;

-- After a change of what a record is counted by.
create or replace function recount_record() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  case tg_table_name
    when 'contacts' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, source_id, source, tags, count) values
        (old.workspace_id, 'contacts', old.archived, old.assigned_to, old.source_id, old.source, counted_tags(old.tags), -1),
        (new.workspace_id, 'contacts', new.archived, new.assigned_to, new.source_id, new.source, counted_tags(new.tags), 1);
    when 'companies' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, tags, count) values
        (old.workspace_id, 'companies', old.archived, old.assigned_to, counted_tags(old.tags), -1),
        (new.workspace_id, 'companies', new.archived, new.assigned_to, counted_tags(new.tags), 1);
    when 'opportunities' then
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, source, tags, count) values
        (old.workspace_id, 'opportunities', old.archived, old.assigned_to, old.lead_source, counted_tags(old.tags), -1),
        (new.workspace_id, 'opportunities', new.archived, new.assigned_to, new.lead_source, counted_tags(new.tags), 1);
    else
      insert into record_count_deltas (workspace_id, object, archived, assigned_to, count) values
        (old.workspace_id, 'tasks', old.archived, old.assigned_to, -1), (new.workspace_id, 'tasks', new.archived, new.assigned_to, 1);
  end case;
  return null;
end $$;

-- The triggers of a table, whose records are counted by these columns.
create or replace procedure count_records_of(name text, columns text[]) language plpgsql as $$
declare
  changed constant text := format('(%s) is distinct from (%s)', (select string_agg('old.' || c, ', ') from unnest(columns) c),
    (select string_agg('new.' || c, ', ') from unnest(columns) c));
begin
  call write_trigger(format('create or replace trigger count_records_insert after insert on %I referencing new table as counted_rows
    for each statement execute function count_records()', name));
  call write_trigger(format('create or replace trigger count_records_delete after delete on %I referencing old table as counted_rows
    for each statement execute function count_records()', name));
  call write_trigger(format('create or replace trigger count_records_update after update on %I for each row when (%s)
    execute function recount_record()', name, changed));
end $$;

revoke execute on function count_records, recount_record from public;
