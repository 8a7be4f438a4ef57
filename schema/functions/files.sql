-- The file sweep's next attachments of all workspaces, in the order of their object keys. Those that were deleted keep their objects while
-- they can be restored.
create or replace function files_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  (select workspace_id, id, state from attachments where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit)
  union all (select distinct workspace_id, row_id, 'deleted' from deleted_rows
    where table_name = 'attachments' and (workspace_id, row_id) > (p_workspace, p_id) order by workspace_id, row_id limit p_limit)
  order by 1, 2 limit p_limit
$$;

-- Stores what the file sweep found: objects of attachments and files that are missing, or present again.
create or replace function sync_file_states(p_found jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update attachments a set state = f.state from jsonb_to_recordset(p_found) f(workspace_id uuid, id uuid, state text)
  where a.workspace_id = f.workspace_id and a.id = f.id and a.state <> f.state;
  update files a set state = f.state from jsonb_to_recordset(p_found) f(workspace_id uuid, id uuid, state text)
  where a.workspace_id = f.workspace_id and a.id = f.id and a.state <> f.state
$$;

-- The file sweep's next imports, as files_after for attachments.
create or replace function imports_after(p_workspace uuid, p_id uuid, p_limit int)
  returns table (workspace_id uuid, id uuid, state text) stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id, id, 'stored' from imports where (workspace_id, id) > (p_workspace, p_id) order by workspace_id, id limit p_limit
$$;

revoke execute on function files_after, sync_file_states, imports_after from public, app;
grant execute on function files_after, sync_file_states, imports_after to jobs;
