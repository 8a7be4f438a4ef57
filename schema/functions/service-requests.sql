/*
  Service requests. A link is one row with the lesser id first, so that it holds for both ends; service_requests.related_ids lists the other
  ends, so that a change of links is in the history, the events and the version of both requests. Notices are added in the transaction of
  the change.
*/

-- Links a request with others, and ends links. The caller has asserted that the others exist; row-level security and foreign keys bind the
-- rows to the workspace.
create or replace function link_service_requests(p_id uuid, p_add uuid[], p_remove uuid[])
  returns void language plpgsql set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
begin
  delete from service_request_links l using unnest(p_remove) o(id)
    where l.workspace_id = w and l.request_id = least(p_id, o.id) and l.related_id = greatest(p_id, o.id);
  insert into service_request_links (workspace_id, request_id, related_id)
    select w, least(p_id, o.id), greatest(p_id, o.id) from unnest(p_add) o(id) order by 2, 3 on conflict do nothing;
  update service_requests r set related_ids = n.ids
    from (select q.id, array(select l.related_id from service_request_links l where l.workspace_id = w and l.request_id = q.id
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
    select new.workspace_id, new.id, new.version,
      'requester', jsonb_object_agg(c.name, jsonb_build_object('from', c.was, 'to', c.becomes)), now()
      from (values ('status', old.status, new.status), ('queue', old.queue, new.queue),
        ('priority', old.priority, new.priority)) c(name, was, becomes)
      where c.was <> c.becomes
    on conflict do nothing;
  return null;
end $$;
create or replace trigger notify_requester after update on service_requests for each row
  when (new.requester_id is not null and (old.status, old.queue, old.priority) is distinct from (new.status, new.queue, new.priority))
    execute function notify_requester();

-- Notices that a worker has claimed (ClaimedNotice in src/features/service-requests/plans/notify.ts), with the request as it is. A
-- requester who has left the workspace is no longer known.
create or replace function read_service_request_notices(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select n.id, jsonb_build_object('id', n.id, 'recipient', n.recipient, 'changes', n.changes, 'workspace_name', w.name,
      'requester_name', u.full_name,
      'requester_email', u.email, 'request', jsonb_build_object('id', r.id, 'title', r.title, 'description', r.description, 'type', r.type,
        'priority', r.priority, 'status', r.status, 'queue', r.queue, 'context', r.context, 'created_at', iso(r.created_at)))
    from service_request_notices n join service_requests r on r.workspace_id = p_workspace and r.id = n.request_id
      join workspaces w on w.id = p_workspace
      left join users u on u.id = r.requester_id and exists (select from memberships m
        where m.workspace_id = p_workspace and m.user_id = u.id and m.status = 'active')
    where n.workspace_id = p_workspace and n.id = any (p_ids)
$$;

-- A request that is added gets its vector from the request that adds it, and otherwise soon from the background.
create or replace function begin_service_request_vector()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into service_request_vectors (workspace_id, id, due_at) values (new.workspace_id, new.id, now() + interval '20 seconds')
    on conflict do nothing;
  return null;
end $$;
create or replace trigger begin_vector after insert on service_requests for each row execute function begin_service_request_vector();

-- Requests without a vector that a worker has claimed, with what they are about.
create or replace function read_service_request_texts(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select r.id, jsonb_build_object('title', r.title, 'description', r.description)
    from service_requests r where r.workspace_id = p_workspace and r.id = any (p_ids)
$$;

-- Each request that gets a vector makes up to a hundred due that have one of another model, or for which it was given up: the model was
-- changed, or the provider is there again.
create or replace function renew_service_request_vectors(p_workspace uuid, p_model text) returns void language sql as $$
  update service_request_vectors v set due_at = now(), turn = v.turn + 1
    where v.workspace_id = p_workspace and v.due_at is null and v.id = any (array(
      select o.id from service_request_vectors o where o.workspace_id = p_workspace and o.model < p_model
      union all select o.id from service_request_vectors o where o.workspace_id = p_workspace and o.model > p_model
      union all select o.id from service_request_vectors o
      where o.workspace_id = p_workspace and o.model is null and o.due_at is null limit 100))
$$;

create or replace function settle_service_request_vector(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb)
  returns int language plpgsql as $$
begin
  if p_is_same and p -> 'results' ->> 'model' is not null then
    perform renew_service_request_vectors(p_workspace, p -> 'results' ->> 'model');
  end if;
  return null;
end $$;

-- Stores the vector of a request that has just been added, unless the background is at it.
create or replace function finish_service_request_vector(p_id uuid, p_model text, p_vector text) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  update service_request_vectors v set model = p_model, embedding = p_vector::halfvec, due_at = null
    where v.workspace_id = w and v.id = p_id and v.model is null and v.claim_id is null;
  perform renew_service_request_vectors(w, p_model);
end $$;

-- The requests whose vectors are nearest to that of a request, among the latest of its workspace: those that are at least so similar.
create or replace function similar_service_requests(p_id uuid, p_least float8, p_among int, p_limit int)
  returns table (id uuid, similarity float8)
  stable security definer set search_path = public, pg_temp language sql as $$
  select n.id, n.similarity from service_request_vectors v, lateral (
      select o.id, 1 - (o.embedding <=> v.embedding) as similarity from (select c.id, c.embedding from service_request_vectors c
          where c.workspace_id = v.workspace_id and c.model = v.model and c.id <> v.id order by c.id desc limit p_among) o
        order by o.embedding <=> v.embedding, o.id limit p_limit) n
    where v.workspace_id = (select current_workspace()) and v.id = p_id and n.similarity >= p_least order by n.similarity desc, n.id
$$;

-- The requests without a vector of this model (of any request, if it is empty), at most so many.
create or replace function unembedded_service_requests(p_model text, p_among int) returns setof uuid
  stable security definer set search_path = public, pg_temp language sql as $$
  select u.id from (
      (select v.id from service_request_vectors v where v.workspace_id = (select current_workspace()) and v.model is null
        order by v.id desc limit p_among)
      union all (select v.id from service_request_vectors v where v.workspace_id = (select current_workspace()) and v.model > p_model
        order by v.model desc, v.id desc limit p_among)
      union all (select v.id from service_request_vectors v where v.workspace_id = (select current_workspace()) and v.model < p_model
        order by v.model desc, v.id desc limit p_among)) u limit p_among
$$;

/*
  The requests that a query finds: by the similarity of their vectors with that of the query, exactly, among the latest of the workspace;
  and those without a vector of this model by the number of the query's words that they have. The vector is read once: a cached plan would
  read its text for each row.
*/
create or replace function search_service_requests(p_query text, p_model text, p_vector text, p_among int, p_limit int)
  returns table (id uuid, similarity float8, words int) stable security definer set search_path = public, pg_temp language sql as $$
  with given as materialized (select p_vector::halfvec as vector),
  near as (
    select c.id, 1 - (c.embedding <=> g.vector) as similarity from given g, (select v.id, v.embedding from service_request_vectors v
        where v.workspace_id = (select current_workspace()) and v.model = p_model order by v.id desc limit p_among) c
      order by c.embedding <=> g.vector, c.id limit p_limit),
  query as materialized (
    select array(select distinct w from unnest((words_of(search_form(p_query)))[1:32]) w where length(w) > 2) as words),
  found as (
    select r.id, r.created_at, (select count(*)::int from unnest(q.words) w
        where strpos(' ' || translate(r.search_text, '.,;:!?()[]{}"/-_', '                '), ' ' || w) > 0) as n
      from query q, unembedded_service_requests(p_model, 1000) u(id)
        join service_requests r on r.workspace_id = (select current_workspace()) and r.id = u.id)
  select n.id, n.similarity, null::int from near n
  union all (select f.id, null, f.n from found f where f.n > 0 order by f.n desc, f.created_at desc, f.id limit p_limit)
$$;

revoke execute on function link_service_requests, notify_engineering, notify_requester, begin_service_request_vector,
  renew_service_request_vectors,
  finish_service_request_vector, similar_service_requests, unembedded_service_requests, search_service_requests from public;
revoke execute on function notify_engineering, notify_requester, begin_service_request_vector from app;
grant execute on function link_service_requests, renew_service_request_vectors, finish_service_request_vector, similar_service_requests,
  unembedded_service_requests, search_service_requests to app;
revoke execute on function read_service_request_notices, read_service_request_texts, settle_service_request_vector from public, app, jobs;
