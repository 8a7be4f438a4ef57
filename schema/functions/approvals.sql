-- Stores a write that its trial (mode held) found valid, for a person to decide. What the trial saw may have been purged since.
create or replace function create_approval(p jsonb) returns uuid security definer set search_path = public, pg_temp language sql as $$
  insert into approvals (workspace_id, resource, method, path, request, changes, key_id, requested_by, request_id)
  select current_workspace(), p ->> 'resource', p ->> 'method', p ->> 'path', p -> 'request', p -> 'changes', current_key_id(), current_user_id(), current_setting('app.request_id')
  where assert_condition(not exists (select from purged_records r join jsonb_array_elements(p -> 'changes') c on r.workspace_id = current_workspace() and r.id = (c ->> 'entity_id')::uuid),
    'NOT_FOUND', 'What this request is about was purged')
  returning id
$$;

-- A person's decision about a held request.
create or replace function decide_approval(p_id uuid, p_status text, p_reason text, p_force boolean) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  held approvals;
begin
  select * into held from approvals where workspace_id = current_workspace() and id = p_id for update;
  if held.id is null then perform fail('NOT_FOUND', 'No such approval in this workspace'); end if;
  if held.status <> 'pending' or held.expires_at <= now() then
    perform fail('INVALID_STATE', 'Only a pending approval can be decided', jsonb_build_object('state', case when held.status = 'pending' then 'expired' else held.status end, 'allowed', jsonb_build_array('pending')));
  end if;
  if p_status = 'approved' and not p_force and approval_is_stale(held) then
    perform fail('APPROVAL_STALE', 'What this request was to change has changed since it was made: look at it again, and send force: true to run it all the same');
  end if;
  update approvals set status = p_status, reason = p_reason, forced = p_force, decided_by = current_user_id(), decided_at = now() where workspace_id = held.workspace_id and id = held.id;
end $$;

-- How an approved request ended. The body comes in a second step, because the Worker shapes it from the answer kept by end_request; when a purge
-- took that away meanwhile, there is none.
create or replace function complete_approval(p_workspace uuid, p_id uuid, p_status text, p_response_status int, p_response_body jsonb) returns void security definer set search_path = public, pg_temp language sql as $$
  update approvals set status = p_status, response_status = p_response_status, response_body = case when p_status = 'executed' and answer is null then null else p_response_body end
  where workspace_id = p_workspace and id = p_id and (status = 'approved' or (status = p_status and response_status is null))
$$;

create or replace function load_approval(p_workspace uuid, p_id uuid) returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(a) from approvals a where workspace_id = p_workspace and id = p_id
$$;

create or replace function expire_approvals() returns int security definer set search_path = public, pg_temp language sql as $$
  with gone as (update approvals set status = 'expired' where status = 'pending' and expires_at <= now() returning 1) select count(*)::int from gone
$$;

-- Approved but not run: the message that should have woken its run was lost.
create or replace function waiting_approvals(p_limit int) returns table (workspace_id uuid, id uuid) stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id, id from approvals where status = 'approved' and decided_at < now() - interval '1 minute' order by expires_at limit p_limit
$$;

-- Has something else changed what an approval was to change? Its own request does not count.
create or replace function approval_is_stale(held approvals) returns boolean stable set search_path = public, pg_temp language sql as $$
  select exists (
    select from jsonb_to_recordset(held.changes) as t(entity text, entity_id uuid, action text, version int)
    join changes c on c.workspace_id = held.workspace_id and c.entity = t.entity and c.entity_id = t.entity_id
    where t.action <> 'created' and c.version >= t.version and c.request_id is distinct from nullif(current_setting('app.request_id', true), ''))
$$;

revoke execute on function create_approval, decide_approval, complete_approval, load_approval, expire_approvals, waiting_approvals from public;
grant execute on function create_approval, decide_approval, complete_approval, load_approval, expire_approvals, waiting_approvals to app;
