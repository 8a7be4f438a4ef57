-- The indexes of custom fields that are unique, or sorted and searched by ranges.

-- When a definition changes, its index is built or cleared in the background (see build_custom_index). The lock makes the definition and
-- concurrent writes wait for each other, so that every later write maintains the index.
create or replace function define_custom_field() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_wanted constant boolean := tg_op <> 'DELETE' and (new.indexed or new."unique");
  index_status text;
  records text;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(old.workspace_id::text));
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now()
      where workspace_id = old.workspace_id and field_id = old.id;
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(new.workspace_id::text));
  select status into index_status from custom_indexes where workspace_id = new.workspace_id and field_id = new.id;
  if not is_wanted then
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now()
      where workspace_id = new.workspace_id and field_id = new.id;
  elsif index_status is null or index_status in ('clearing', 'failed') or new."unique" and not old."unique" then
    insert into custom_indexes (workspace_id, field_id, status) values (new.workspace_id, new.id, 'building')
      on conflict (workspace_id, field_id) do update
        set status = 'building', done = 0, total = null, cursor = null, error = null, updated_at = now();
    records := plural_of(new.object);
    -- Without records there is nothing to build.
    execute format('update custom_indexes set status = ''ready'', total = 0 where workspace_id = $1 and field_id = $2
        and not exists (select from %I where workspace_id = $1)', records)
      using new.workspace_id, new.id;
  end if;
  return null;
end $$;
create or replace trigger define_insert after insert on custom_fields for each row execute function define_custom_field();
create or replace trigger define_update after update on custom_fields for each row execute function define_custom_field();
create or replace trigger define_delete after delete on custom_fields for each row execute function define_custom_field();

/*
  Builds or clears the next batch of a custom field's index, and returns whether there is more. Each batch excludes writers by the lock that
  they share, so it sees all committed values; repeating a batch is harmless. If two records share a value of a unique field, the index
  fails with that reason.
*/
create or replace function build_custom_index(p_workspace uuid, p_field uuid, p_batch int)
  returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
declare
  i custom_indexes;
  f custom_fields;
  records text;
  last uuid;
  found_rows int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(p_workspace::text));
  select * into i from custom_indexes where workspace_id = p_workspace and field_id = p_field for update;
  if i.status = 'clearing' then
    delete from custom_values where workspace_id = p_workspace and field_id = p_field
      and (number, text, record_id) in (select number, text, record_id from custom_values
        where workspace_id = p_workspace and field_id = p_field limit p_batch);
    get diagnostics found_rows = row_count;
    if found_rows = p_batch then update custom_indexes set updated_at = now() where workspace_id = p_workspace and field_id = p_field;
    else delete from custom_indexes where workspace_id = p_workspace and field_id = p_field;
    end if;
    return found_rows = p_batch;
  elsif i.status is distinct from 'building' then
    return false;
  end if;
  select * into f from custom_fields where workspace_id = p_workspace and id = p_field;
  records := plural_of(f.object);
  if i.total is null then
    execute format('select count(*) from %I where workspace_id = $1', records) into i.total using p_workspace;
  end if;
  begin
    execute format($x$ with batch as materialized (select id, metadata from %I where workspace_id = $1 and ($3 is null or id > $3)
      order by id limit $4),
      wanted as materialized (select e.number, e.text, b.id from batch b, custom_entries($5, b.metadata -> $6) e where b.metadata ? $6),
      stale as (delete from custom_values v using batch b where v.workspace_id = $1 and v.field_id = $2 and v.record_id = b.id
        and not exists (select from wanted w where w.id = v.record_id and w.number = v.number and w.text = v.text)),
      added as (insert into custom_values (workspace_id, field_id, number, text, record_id, is_unique) select $1, $2, number, text, id, $7
        from wanted
        on conflict (workspace_id, field_id, number, text, record_id) do update set is_unique = excluded.is_unique
          where custom_values.is_unique <> excluded.is_unique)
      select count(*), (array_agg(id order by id desc))[1] from batch $x$, records) into found_rows, last
      using p_workspace, p_field, i.cursor, p_batch, f.type, f.field_key, f."unique";
  exception when unique_violation then
    update custom_indexes
      set status = 'failed', error = 'Some records share a value of this field, so it cannot be unique', updated_at = now()
      where workspace_id = p_workspace and field_id = p_field;
    return false;
  end;
  update custom_indexes
    set cursor = coalesce(last, cursor), done = done + found_rows, total = greatest(i.total, done + found_rows), updated_at = now(),
    status = case when found_rows < p_batch then 'ready' else status end where workspace_id = p_workspace and field_id = p_field;
  return found_rows = p_batch;
end $$;

revoke execute on function define_custom_field, build_custom_index from public, app;
grant execute on function build_custom_index to jobs;
