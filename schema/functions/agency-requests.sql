/*
  Service requests of clients as their agency sees them, and what the agency writes there. A request is copied into the workspace of the
  agency that looks after its workspace; a note of the agency is the only thing that another workspace writes into the client's.
*/

/*
  Holds off that a workspace is linked to an agency, which then copies what was written before. It comes before the lock on the link, and
  what reads the link is a statement of its own, which sees a link that was made meanwhile.
*/
create or replace function await_agency_link(p_client uuid) returns void set search_path = public, pg_temp language sql as $$
  select pg_advisory_xact_lock_shared(hashtext('agency_clients'), hashtext(p_client::text))
$$;

-- The agency that looks after a workspace. Its link is locked, so that what is written for the agency does not outlive the link.
create or replace function lock_agency_of(p_client uuid) returns uuid set search_path = public, pg_temp language sql as $$
  select await_agency_link(p_client);
  select workspace_id from agency_clients where client_id = p_client and ended_at is null for share
$$;

create or replace function mirror_service_request() returns trigger
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  agency constant uuid := lock_agency_of(coalesce(new.workspace_id, old.workspace_id));
begin
  if agency is null then return null; end if;
  if tg_op = 'DELETE' then
    delete from agency_requests where workspace_id = agency and id = old.id;
    return null;
  end if;
  insert into agency_requests as q (workspace_id, id, client_id, title, description, type, priority, status, queue, created_at, updated_at)
    values (agency, new.id, new.workspace_id, new.title, new.description, new.type, new.priority, new.status, new.queue, new.created_at,
      new.updated_at)
    on conflict (workspace_id, id) do update set title = excluded.title, description = excluded.description, type = excluded.type,
      priority = excluded.priority, status = excluded.status, queue = excluded.queue, updated_at = excluded.updated_at;
  return null;
end $$;
create or replace trigger mirror after insert or update or delete on service_requests for each row
  execute function mirror_service_request();

create or replace function mirror_service_request_note() returns trigger
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  agency constant uuid := lock_agency_of(new.workspace_id);
begin
  update agency_requests set note_count = note_count + 1, last_note_at = new.created_at
    where workspace_id = agency and id = new.request_id;
  return null;
end $$;
create or replace trigger mirror after insert on service_request_notes for each row execute function mirror_service_request_note();

-- The client of a request, locked, so that the agency looks after it until the end of the transaction.
create or replace function lock_request_client(p_request uuid) returns uuid
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  client uuid;
begin
  perform await_agency_link(q.client_id) from agency_requests q where q.workspace_id = (select current_workspace()) and q.id = p_request;
  select c.client_id into client from agency_requests q
    join agency_clients c on c.workspace_id = q.workspace_id and c.client_id = q.client_id and c.ended_at is null
    where q.workspace_id = (select current_workspace()) and q.id = p_request for share of c;
  if client is null then
    perform fail('NOT_FOUND', 'No such service request of a client that this agency looks after');
  end if;
  return client;
end $$;

-- A note of the agency on a request of a client that it looks after; nulls if there is none.
create or replace function read_agency_note(p_request uuid, p_note uuid) returns service_request_notes stable
  security definer set search_path = public, pg_temp language sql as $$
  select n.* from agency_requests q
    join agency_clients c on c.workspace_id = q.workspace_id and c.client_id = q.client_id and c.ended_at is null
    join service_request_notes n on n.workspace_id = c.client_id and n.id = p_note and n.request_id = q.id and n.by_agency
    where q.workspace_id = (select current_workspace()) and q.id = p_request
$$;

/*
  Adds a note of the caller to a request of a client, or with p_edit changes the caller's own. The client sees it; the request stays as it
  is. The rows are written in the client's workspace, after which the transaction is in the agency's again. The notes of both together have
  the bounds p_notes and p_length.
*/
create or replace function write_agency_note(p_request uuid, p_note uuid, p_content text, p_edit boolean, p_notes int, p_length int)
  returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  agency constant uuid := current_workspace();
  client constant uuid := lock_request_client(p_request);
  n service_request_notes;
begin
  perform from service_requests where workspace_id = client and id = p_request for update;
  if p_edit then
    select * into n from service_request_notes where workspace_id = client and id = p_note and request_id = p_request and by_agency
      for update;
    if n.id is null then perform fail('NOT_FOUND', 'No such note of the agency on this service request'); end if;
    if n.user_id is distinct from current_user_id() then perform fail('FORBIDDEN', 'Only its author may edit a note'); end if;
  end if;
  perform set_config('app.workspace_id', client::text, true);
  if p_edit then
    update service_request_notes set content = p_content, edited_at = now()
      where workspace_id = client and id = p_note and content <> p_content;
  else
    insert into service_request_notes (workspace_id, id, request_id, user_id, by_agency, content)
      values (client, p_note, p_request, current_user_id(), true, p_content);
  end if;
  perform set_config('app.workspace_id', agency::text, true);
  if (select count(*) > p_notes or sum(char_length(content)) > p_length from service_request_notes
    where workspace_id = client and request_id = p_request) then
    perform fail_field('content',
      format('The notes of a service request are at most %s, with %s characters together: create another request', p_notes, p_length));
  end if;
end $$;

revoke execute on function await_agency_link, lock_agency_of, mirror_service_request, mirror_service_request_note, lock_request_client,
  read_agency_note, write_agency_note(uuid, uuid, text, boolean, int, int) from public, app, jobs;
grant execute on function read_agency_note, write_agency_note(uuid, uuid, text, boolean, int, int) to app;
