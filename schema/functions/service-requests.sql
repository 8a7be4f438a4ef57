/*
  Service requests. A link is one row with the lesser id first, so that it holds for both ends; service_requests.related_ids lists the other ends, so that a
  change of links is in the history, the events and the version of both requests. Notices are added in the transaction of the change.
*/

-- Links a request with others, and ends links. The caller has asserted that the others exist; row-level security and foreign keys bind the rows to the workspace.
create or replace function link_service_requests(p_id uuid, p_add uuid[], p_remove uuid[]) returns void language plpgsql set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
begin
  delete from service_request_links l using unnest(p_remove) o(id)
    where l.workspace_id = w and l.request_id = least(p_id, o.id) and l.related_id = greatest(p_id, o.id);
  insert into service_request_links (workspace_id, request_id, related_id)
    select w, least(p_id, o.id), greatest(p_id, o.id) from unnest(p_add) o(id) order by 2, 3 on conflict do nothing;
  update service_requests r set related_ids = n.ids from (select q.id, array(select l.related_id from service_request_links l where l.workspace_id = w and l.request_id = q.id
        union all select l.request_id from service_request_links l where l.workspace_id = w and l.related_id = q.id order by 1) as ids
      from unnest(p_id || p_add || p_remove) q(id)) n
    where r.workspace_id = w and r.id = n.id and r.related_ids <> n.ids;
end $$;

-- The engineering team is notified of a new request.
create or replace function notify_engineering() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into service_request_notices (workspace_id, request_id, request_version, recipient, due_at)
    values (new.workspace_id, new.id, new.version, 'engineering', now()) on conflict do nothing;
  return null;
end $$;
create or replace trigger notify_engineering after insert on service_requests for each row execute function notify_engineering();

-- The requester is notified of a change of the status, the queue or the priority.
create or replace function notify_requester() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into service_request_notices (workspace_id, request_id, request_version, recipient, changes, due_at)
    select new.workspace_id, new.id, new.version, 'requester', jsonb_object_agg(c.name, jsonb_build_object('from', c.was, 'to', c.becomes)), now()
      from (values ('status', old.status, new.status), ('queue', old.queue, new.queue), ('priority', old.priority, new.priority)) c(name, was, becomes)
      where c.was <> c.becomes
    on conflict do nothing;
  return null;
end $$;
create or replace trigger notify_requester after update on service_requests for each row
  when (new.requester_id is not null and (old.status, old.queue, old.priority) is distinct from (new.status, new.queue, new.priority)) execute function notify_requester();

-- Notices that a worker has claimed (ClaimedNotice in src/features/service-requests/plans/notify.ts), with the request as it is.
create or replace function read_service_request_notices(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select n.id, jsonb_build_object('id', n.id, 'recipient', n.recipient, 'changes', n.changes, 'workspace_name', w.name, 'requester_name', u.full_name,
      'requester_email', u.email, 'request', jsonb_build_object('id', r.id, 'title', r.title, 'description', r.description, 'type', r.type,
        'priority', r.priority, 'status', r.status, 'queue', r.queue, 'context', r.context, 'created_at', iso(r.created_at)))
    from service_request_notices n join service_requests r on r.workspace_id = p_workspace and r.id = n.request_id
      join workspaces w on w.id = p_workspace left join users u on u.id = r.requester_id
    where n.workspace_id = p_workspace and n.id = any (p_ids)
$$;

revoke execute on function link_service_requests, notify_engineering, notify_requester from public;
revoke execute on function notify_engineering, notify_requester from app;
grant execute on function link_service_requests to app;
revoke execute on function read_service_request_notices from public, app, jobs;
