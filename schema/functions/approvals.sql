-- Has something else changed what an approval was to change? Its own request does not count.
create or replace function approval_is_stale(held approvals) returns boolean stable set search_path = public, pg_temp language sql as $$
  select exists (
    select from jsonb_to_recordset(held.changes) as t(entity text, entity_id uuid, action text, version int)
    join changes c on c.workspace_id = held.workspace_id and c.entity = t.entity and c.entity_id = t.entity_id
    where t.action <> 'created' and c.version >= t.version and c.request_id is distinct from nullif(current_setting('app.request_id', true), ''))
$$;

-- Stores a write that its trial (mode held) found valid, for a person to decide. What the trial saw may have been purged since.
create or replace function hold_request(p jsonb) returns uuid security definer set search_path = public language sql as $$
  insert into approvals (workspace_id, resource, method, path, request, changes, key_id, requested_by, request_id)
  select current_workspace(), p ->> 'resource', p ->> 'method', p ->> 'path', p -> 'request', p -> 'changes', current_key_id(), current_user_id(), current_setting('app.request_id')
  where ensure(not exists (select from purged_records r join jsonb_array_elements(p -> 'changes') c on r.workspace_id = current_workspace() and r.id = (c ->> 'entity_id')::uuid),
    'NOT_FOUND', 'What this request is about was purged')
  returning id
$$;

-- How an approved request ended. The body comes in a second step, because the Worker shapes it from the answer kept by end_request; when a purge
-- took that away meanwhile, there is none.
create or replace function settle_approval(p_workspace uuid, p_id uuid, p_status text, p_response_status int, p_response_body jsonb) returns void security definer set search_path = public language sql as $$
  update approvals set status = p_status, response_status = p_response_status, response_body = case when p_status = 'executed' and answer is null then null else p_response_body end
  where workspace_id = p_workspace and id = p_id and (status = 'approved' or (status = p_status and response_status is null))
$$;
