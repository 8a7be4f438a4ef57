/*
  The bytes that a workspace stores. An upload reserves its size before its bytes are read, under the lock of the workspace's row, so that
  uploads at the same time cannot exceed the quota together. Triggers count the rows of files, of attachments and of what was received with
  messages; a deleted file is not counted.
*/

-- Reserves bytes for an upload. Returns null, or how many bytes are left when these are too many.
create or replace function reserve_storage(p_id uuid, p_bytes bigint, p_seconds int)
  returns bigint security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  free bigint;
begin
  insert into storage_usage (workspace_id) values (w) on conflict do nothing;
  perform from storage_usage where workspace_id = w for update;
  delete from storage_reservations where workspace_id = w and expires_at < now();
  select u.quota_bytes - u.stored_bytes - coalesce((select sum(bytes) from storage_reservations r where r.workspace_id = w), 0) into free
    from storage_usage u where u.workspace_id = w;
  if p_bytes > free then return greatest(free, 0); end if;
  insert into storage_reservations (workspace_id, id, bytes, expires_at)
    values (w, p_id, p_bytes, now() + make_interval(secs => p_seconds));
  return null;
end $$;

-- Ends a reservation: when the file is stored, which its trigger counts, and when the upload has failed.
create or replace function release_storage(p_id uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  delete from storage_reservations where workspace_id = (select current_workspace()) and id = p_id
$$;

-- Adds to the stored bytes of a workspace, or subtracts. What is received is counted even beyond the quota: only uploads are refused.
create or replace function add_stored_bytes(p_workspace uuid, p_bytes bigint)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into storage_usage (workspace_id, stored_bytes) values (p_workspace, greatest(0, p_bytes))
    on conflict (workspace_id) do update set stored_bytes = greatest(0, storage_usage.stored_bytes + p_bytes)
$$;

-- Counts the bytes of rows that were added or deleted: of all, or of those that meet the condition that the trigger names.
create or replace function count_stored_bytes()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  counted record;
begin
  if not exists (select from counted_rows) then return null; end if;
  for counted
    in execute
    format('select workspace_id, sum(size)::bigint as bytes from counted_rows where %s group by 1 having sum(size) > 0 order by 1',
    case when tg_nargs > 0 then tg_argv[0] else 'true' end)
  loop
    perform add_stored_bytes(counted.workspace_id, case tg_op when 'INSERT' then counted.bytes else -counted.bytes end);
  end loop;
  return null;
end $$;

create or replace trigger count_added_bytes after insert on files referencing new table as counted_rows
  for each statement execute function count_stored_bytes();
create or replace trigger count_deleted_bytes after delete on files referencing old table as counted_rows
  for each statement execute function count_stored_bytes();
create or replace trigger count_added_bytes after insert on attachments referencing new table as counted_rows
  for each statement execute function count_stored_bytes();
create or replace trigger count_deleted_bytes after delete on attachments referencing old table as counted_rows
  for each statement execute function count_stored_bytes();
create or replace trigger count_added_bytes after insert on email_attachments referencing new table as counted_rows
  for each statement execute function count_stored_bytes('is_stored');
create or replace trigger count_deleted_bytes after delete on email_attachments referencing old table as counted_rows
  for each statement execute function count_stored_bytes('is_stored');
create or replace trigger count_added_bytes after insert on message_media referencing new table as counted_rows
  for each statement execute function count_stored_bytes('status = ''stored''');
create or replace trigger count_deleted_bytes after delete on message_media referencing old table as counted_rows
  for each statement execute function count_stored_bytes('status = ''stored''');

-- A file of a message is counted when it has been fetched.
create or replace function count_fetched_bytes() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform add_stored_bytes(new.workspace_id, new.size);
  return null;
end $$;
create or replace trigger count_fetched_bytes after update of status on message_media for each row
  when (new.status = 'stored' and old.status <> 'stored' and new.size > 0) execute function count_fetched_bytes();

-- The image with this id that anybody may see: its workspace and type. Null for another file, and for one that was deleted.
create or replace function public_file(p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', workspace_id, 'content_type', content_type, 'sha256', sha256)
    from files where id = p_id and type = 'image' and state = 'stored'
$$;

-- The file sweep's next files, as files_after for attachments.
create or replace function stored_files_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  (select workspace_id, id, state from files where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit)
  union all (select distinct workspace_id, row_id, 'deleted' from deleted_rows
    where table_name = 'files' and (workspace_id, row_id) > (p_workspace, p_id) order by workspace_id, row_id limit p_limit)
  order by 1, 2 limit p_limit
$$;

revoke execute on function stored_files_after, add_stored_bytes, count_stored_bytes, count_fetched_bytes from public, app;
revoke execute on function reserve_storage, release_storage, public_file from public;
grant execute on function reserve_storage, release_storage, public_file to app;
grant execute on function stored_files_after to jobs;
