-- A custom field's index follows its definition: it is built, or its values are removed, behind the request (see build_custom_index). Writes wait for the
-- definition and it for them, so that from now on each of them keeps the index.
create or replace function define_custom_field() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  is_wanted constant boolean := tg_op <> 'DELETE' and (new.indexed or new."unique");
  known text;
  records text;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(old.workspace_id::text));
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now() where workspace_id = old.workspace_id and field_id = old.id;
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('custom_fields'), hashtext(new.workspace_id::text));
  select status into known from custom_indexes where workspace_id = new.workspace_id and field_id = new.id;
  if not is_wanted then
    update custom_indexes set status = 'clearing', cursor = null, updated_at = now() where workspace_id = new.workspace_id and field_id = new.id;
  elsif known is null or known in ('clearing', 'failed') or new."unique" and not old."unique" then
    insert into custom_indexes (workspace_id, field_id, status) values (new.workspace_id, new.id, 'building')
      on conflict (workspace_id, field_id) do update set status = 'building', done = 0, total = null, cursor = null, error = null, updated_at = now();
    records := records_with(new.object);
    -- Where there are no records there is nothing to build.
    execute format('update custom_indexes set status = ''ready'', total = 0 where workspace_id = $1 and field_id = $2 and not exists (select from %I where workspace_id = $1)', records)
      using new.workspace_id, new.id;
  end if;
  return null;
end $$;
create or replace trigger define_delete after delete on custom_fields for each row execute function define_custom_field();

create or replace function records_with(p_object text) returns text immutable language sql
  return case p_object when 'contact' then 'contacts' when 'company' then 'companies' when 'opportunity' then 'opportunities' when 'product' then 'products' end;

/*
  The next batch of a custom field's index: values of records are added to it, or of a field that has none any more are removed. Returns whether there is more.
  Each batch holds the lock that writes share, so that it sees all that were made before it and none is under way; a batch that is repeated does no harm.
  A value that two records share where it must be unique ends the work: the index has failed, and says why.
*/
create or replace function build_custom_index(p_workspace uuid, p_field uuid, p_batch int) returns boolean language plpgsql security definer set search_path = public, pg_temp as $$
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
      and (number, text, record_id) in (select number, text, record_id from custom_values where workspace_id = p_workspace and field_id = p_field limit p_batch);
    get diagnostics found_rows = row_count;
    if found_rows = p_batch then update custom_indexes set updated_at = now() where workspace_id = p_workspace and field_id = p_field;
    else delete from custom_indexes where workspace_id = p_workspace and field_id = p_field;
    end if;
    return found_rows = p_batch;
  elsif i.status is distinct from 'building' then
    return false;
  end if;
  select * into f from custom_fields where workspace_id = p_workspace and id = p_field;
  records := records_with(f.object);
  if i.total is null then
    execute format('select count(*) from %I where workspace_id = $1', records) into i.total using p_workspace;
  end if;
  begin
    execute format($x$ with batch as materialized (select id, metadata from %I where workspace_id = $1 and ($3 is null or id > $3) order by id limit $4),
      wanted as materialized (select e.number, e.text, b.id from batch b, custom_entries($5, b.metadata -> $6) e where b.metadata ? $6),
      stale as (delete from custom_values v using batch b where v.workspace_id = $1 and v.field_id = $2 and v.record_id = b.id
        and not exists (select from wanted w where w.id = v.record_id and w.number = v.number and w.text = v.text)),
      added as (insert into custom_values (workspace_id, field_id, number, text, record_id, is_unique) select $1, $2, number, text, id, $7 from wanted
        on conflict (workspace_id, field_id, number, text, record_id) do update set is_unique = excluded.is_unique where custom_values.is_unique <> excluded.is_unique)
      select count(*), (array_agg(id order by id desc))[1] from batch $x$, records) into found_rows, last
      using p_workspace, p_field, i.cursor, p_batch, f.type, f.field_key, f."unique";
  exception when unique_violation then
    update custom_indexes set status = 'failed', error = 'Some records share a value of this field, so it cannot be unique', updated_at = now()
      where workspace_id = p_workspace and field_id = p_field;
    return false;
  end;
  update custom_indexes set cursor = coalesce(last, cursor), done = done + found_rows, total = greatest(i.total, done + found_rows), updated_at = now(),
    status = case when found_rows < p_batch then 'ready' else status end where workspace_id = p_workspace and field_id = p_field;
  return found_rows = p_batch;
end $$;

-- Indexes whose message was lost: those that no batch has touched for some seconds, the oldest first.
create or replace function waiting_custom_indexes(p_limit int) returns table (workspace_id uuid, id uuid) stable language sql security definer set search_path = public, pg_temp as $$
  select i.workspace_id, i.field_id from custom_indexes i where i.status in ('building', 'clearing') and i.updated_at < now() - interval '20 seconds' order by i.updated_at limit p_limit
$$;

-- Custom values that a delete leaves would be added again by a batch that did not see it: so it waits for the batch as other writes do.
create or replace function keep_custom_values() returns trigger language plpgsql security definer set search_path = public as $$
declare
  object text := tg_argv[0];
  changed jsonb;
  issues jsonb;
  wanted custom_values[];
  lost custom_values;
begin
  if tg_op = 'DELETE' then
    perform pg_advisory_xact_lock_shared(hashtext('custom_fields'), hashtext(o.workspace_id::text)) from (select distinct workspace_id from old_rows) o;
    delete from custom_values v using old_rows o where v.workspace_id = o.workspace_id and v.record_id = o.id;
    return null;
  end if;
  if tg_op = 'INSERT' then
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select i into issues from new_rows n, custom_issues(n.workspace_id, object, n.metadata, true) i where i is not null limit 1;
  else
    if not exists (select from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) then return null; end if;
    if not exists (select from (select distinct workspace_id from new_rows) n where has_custom_rules(n.workspace_id, object)) then return null; end if;
    select each.i into issues from (
      select custom_issues(n.workspace_id, object, (
        select jsonb_object_agg(k, n.metadata -> k) from (select jsonb_object_keys(n.metadata) k union select jsonb_object_keys(o.metadata)) keys
          where n.metadata -> k is distinct from o.metadata -> k), false) as i
      from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.metadata is distinct from o.metadata) each
      where each.i is not null limit 1;
  end if;
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;

  select array_agg(r order by r.field_id, r.number, r.text, r.record_id) into wanted from new_rows n, custom_rows(n.workspace_id, object, n.id, n.metadata) r;
  if tg_op = 'UPDATE' then
    delete from custom_values v using new_rows n where v.workspace_id = n.workspace_id and v.record_id = n.id
      and not exists (select from unnest(wanted) w where w.field_id = v.field_id and w.record_id = v.record_id and w.number = v.number and w.text = v.text);
  end if;
  -- A twin that is being written elsewhere is waited for.
  insert into custom_values select w.* from unnest(wanted) w
    where not exists (select from custom_values v where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text and v.record_id = w.record_id)
    order by w.field_id, w.number, w.text, w.record_id on conflict do nothing;
  select w.* into lost from unnest(wanted) w where w.is_unique
    and not exists (select from custom_values v where v.workspace_id = w.workspace_id and v.field_id = w.field_id and v.number = w.number and v.text = w.text and v.record_id = w.record_id) limit 1;
  if lost.field_id is not null then perform refuse_shared_value(lost.workspace_id, object, lost.field_id); end if;
  return null;
end $$;

revoke execute on function build_custom_index, waiting_custom_indexes from public;
grant execute on function build_custom_index, waiting_custom_indexes to app;
