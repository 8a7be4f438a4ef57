-- The life of a request in the database: begin_request is the first statement of every batch, end_request the last of every write.

-- Which of the wanted scopes a key lacks. `contacts:*`, `*:read` and `*:*` stand for many.
create function lacking_scopes(granted text[], wanted text[]) returns text[] immutable language sql
  return (select array_agg(s) from unnest(wanted) s
    where not granted && array[s, split_part(s, ':', 1) || ':*', '*:' || split_part(s, ':', 2), '*:*']);
--> statement-breakpoint
-- Has something else changed what an approval was to change? Its own request does not count.
create function approval_is_stale(held approvals) returns boolean stable language sql set search_path = public
  return exists (
    select from jsonb_to_recordset(held.changes) as t(entity text, entity_id uuid, action text, version int)
    join changes c on c.workspace_id = held.workspace_id and c.entity = t.entity and c.entity_id = t.entity_id
    where t.action <> 'created' and c.version >= t.version and c.request_id is distinct from nullif(current_setting('app.request_id', true), ''));
--> statement-breakpoint
/*
  Who is calling, may they, and for which workspace? Sets the session of this transaction; anything wrong rolls the batch back.
  p: key_hash (hex) or approval_id; scopes; write; admin; direct; request_id; for a write also idempotency_key, request_hash, mode
  (run | hold | dry), require_approval, skip_automations, skip_action_ids.
  SQLSTATE WK000: an error for the caller (see fail). WK208: this Idempotency-Key's request was answered before, the detail says how.
*/
create function begin_request(p jsonb) returns jsonb security definer set search_path = public language plpgsql as $$
declare
  caller record;
  held approvals;
  kept idempotency;
  missing text[];
  mode text := coalesce(p ->> 'mode', 'run');
  writes boolean := (p ->> 'write')::boolean;
begin
  if p ? 'approval_id' then
    select * into held from approvals where id = (p ->> 'approval_id')::uuid and workspace_id = (p ->> 'workspace_id')::uuid for update;
    if held.status is distinct from 'approved' then perform fail('INVALID_STATE', 'This approval is not waiting to be run', jsonb_build_object('state', held.status, 'allowed', jsonb_build_array('approved'))); end if;
    mode := 'approved';
  end if;
  select k.id, k.workspace_id, k.user_id, k.scopes, k.level, k.expires_at, k.revoked_at, m.role, m.status into caller
    from api_keys k join memberships m on m.workspace_id = k.workspace_id and m.user_id = k.user_id
    where case when held.id is null then k.key_hash = decode(p ->> 'key_hash', 'hex') else k.workspace_id = held.workspace_id and k.id = held.key_id end;
  if caller.id is null or caller.revoked_at is not null or caller.expires_at <= now() or caller.status <> 'active' then
    perform fail('UNAUTHENTICATED', 'The API key is missing, malformed, unknown, expired or revoked');
  end if;
  missing := lacking_scopes(caller.scopes, array(select jsonb_array_elements_text(p -> 'scopes')));
  if missing is not null then
    perform fail('INSUFFICIENT_SCOPE', 'The API key lacks a scope that this call needs', jsonb_build_object('required_scopes', p -> 'scopes', 'missing_scopes', missing));
  end if;
  if writes and caller.role = 'client_viewer' then perform fail('FORBIDDEN', 'The key''s owner has the role client_viewer, which may not write'); end if;
  if writes and caller.level = 'read_only' then perform fail('FORBIDDEN', 'The key''s permission level is read_only'); end if;
  if (p ->> 'admin')::boolean and caller.role <> 'client_admin' then perform fail('FORBIDDEN', 'Only a key whose owner has the role client_admin may do this'); end if;
  if (p ->> 'direct')::boolean and caller.level <> 'execute' then perform fail('FORBIDDEN', 'Only a key of permission level execute may do this'); end if;
  if writes and mode = 'run' and not coalesce((p ->> 'direct')::boolean, false) and (caller.level = 'approval' or (p ->> 'require_approval')::boolean) then mode := 'held'; end if;
  perform set_config('app.workspace_id', caller.workspace_id::text, true), set_config('app.key_id', caller.id::text, true),
    set_config('app.user_id', caller.user_id::text, true), set_config('app.request_id', p ->> 'request_id', true), set_config('app.mode', mode, true);
  if writes then
    perform set_config('app.skip_automations', coalesce(p ->> 'skip_automations', ''), true), set_config('app.skip_action_ids', coalesce(p ->> 'skip_action_ids', ''), true),
      set_config('app.idempotency_key', coalesce(p ->> 'idempotency_key', ''), true), set_config('app.approval_id', coalesce(p ->> 'approval_id', ''), true);
  end if;
  if mode = 'approved' and not held.forced and approval_is_stale(held) then
    perform fail('APPROVAL_STALE', 'What this request was to change has changed since it was made');
  end if;
  if p ? 'idempotency_key' then
    begin
      perform set_config('lock_timeout', '5s', true);
      -- A twin that is still running holds this row: wait for it, then answer as it did.
      insert into idempotency (workspace_id, key_id, key, request_hash) values (caller.workspace_id, caller.id, p ->> 'idempotency_key', p ->> 'request_hash')
        on conflict (workspace_id, key_id, key) do update set request_hash = excluded.request_hash, outcome = null, at = now() where idempotency.at < now() - interval '24 hours';
    exception when lock_not_available then
      perform fail('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running');
    end;
    if not found then
      select * into kept from idempotency i where i.workspace_id = caller.workspace_id and i.key_id = caller.id and i.key = p ->> 'idempotency_key';
      if kept.request_hash <> p ->> 'request_hash' then perform fail('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request: send a new key'); end if;
      raise exception using errcode = 'WK208', message = 'replay', detail = kept.outcome::text;
    end if;
  end if;
  return jsonb_build_object('workspace_id', caller.workspace_id, 'key_id', caller.id, 'user_id', caller.user_id, 'level', caller.level, 'role', caller.role);
end $$;
--> statement-breakpoint
/*
  The answer of a write, on its way out. A trial (held for approval, or a dry run) is rolled back here: SQLSTATE WK202 or WK200,
  whose detail carries the answer and the changes it would have made. Otherwise the answer is kept for a repetition of the
  request and, when an approval ran it, with that.
*/
create function end_request(p_answer jsonb) returns jsonb security definer set search_path = public language plpgsql as $$
declare
  mode text := current_setting('app.mode', true);
  held approvals;
begin
  if mode in ('held', 'dry') then
    raise exception using errcode = case mode when 'held' then 'WK202' else 'WK200' end, message = mode, detail = jsonb_build_object('answer', p_answer,
      'changes', (select coalesce(jsonb_agg(jsonb_build_object('entity', entity, 'entity_id', entity_id, 'action', action, 'version', version, 'fields', fields) order by id), '[]')
        from changes where workspace_id = current_workspace() and request_id = current_setting('app.request_id')),
      'events', (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'entity', entity, 'entity_id', entity_id) order by id), '[]')
        from outbox where workspace_id = current_workspace() and request_id = current_setting('app.request_id')))::text;
  end if;
  if mode = 'approved' then
    select * into held from approvals where workspace_id = current_workspace() and id = current_setting('app.approval_id')::uuid;
    if not held.forced and approval_is_stale(held) then
      perform fail('APPROVAL_STALE', 'What this request was to change has changed since it was made');
    end if;
    update approvals set status = 'executed', executed_at = now(), answer = p_answer where workspace_id = held.workspace_id and id = held.id;
  end if;
  if nullif(current_setting('app.idempotency_key', true), '') is not null then
    update idempotency set outcome = jsonb_build_object('mode', mode, 'answer', p_answer)
      where workspace_id = current_workspace() and key_id = current_key_id() and key = current_setting('app.idempotency_key');
  end if;
  return p_answer;
end $$;
--> statement-breakpoint
-- Stores a write that its trial (mode held) found valid, for a person to decide.
create function hold_request(p jsonb) returns uuid security definer set search_path = public language sql as $$
  insert into approvals (workspace_id, resource, method, path, request, changes, key_id, requested_by, request_id)
  values (current_workspace(), p ->> 'resource', p ->> 'method', p ->> 'path', p -> 'request', p -> 'changes', current_key_id(), current_user_id(), current_setting('app.request_id'))
  returning id
$$;
--> statement-breakpoint
-- A person's decision about a held request.
create function decide_approval(p_id uuid, p_status text, p_reason text, p_force boolean) returns void security definer set search_path = public language plpgsql as $$
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
--> statement-breakpoint
-- How an approved request ended. The body comes in a second step, because the Worker shapes it from the answer kept by end_request.
create function settle_approval(p_workspace uuid, p_id uuid, p_status text, p_response_status int, p_response_body jsonb) returns void security definer set search_path = public language sql as $$
  update approvals set status = p_status, response_status = p_response_status, response_body = p_response_body
  where workspace_id = p_workspace and id = p_id and (status = 'approved' or (status = p_status and response_status is null))
$$;
--> statement-breakpoint
create function load_approval(p_workspace uuid, p_id uuid) returns jsonb stable security definer set search_path = public language sql as $$
  select to_jsonb(a) from approvals a where workspace_id = p_workspace and id = p_id
$$;
--> statement-breakpoint
create function expire_approvals() returns int security definer set search_path = public language sql as $$
  with gone as (update approvals set status = 'expired' where status = 'pending' and expires_at <= now() returning 1) select count(*)::int from gone
$$;
--> statement-breakpoint
-- Approved but not run: the message that should have woken its run was lost.
create function waiting_approvals(p_limit int) returns table (workspace_id uuid, id uuid) stable security definer set search_path = public language sql as $$
  select workspace_id, id from approvals where status = 'approved' and decided_at < now() - interval '1 minute' order by expires_at limit p_limit
$$;
--> statement-breakpoint
-- Takes undelivered events, oldest first, for one minute; of one workspace, or of all (the sweep).
create function claim_events(p_workspace uuid, p_limit int) returns table (event jsonb) security definer set search_path = public language plpgsql as $$
begin
  return query
    with due as (
      select o.workspace_id, o.id from outbox o
      where o.delivered_at is null and (p_workspace is null or o.workspace_id = p_workspace) and (o.claimed_at is null or o.claimed_at < now() - interval '1 minute') and o.attempts < 20
      order by o.at, o.id limit p_limit for update skip locked
    ), taken as (
      update outbox o set claimed_at = clock_timestamp(), attempts = o.attempts + 1 from due where o.workspace_id = due.workspace_id and o.id = due.id returning o.*
    )
    select jsonb_build_object('workspace_id', t.workspace_id, 'id', t.id, 'type', t.type, 'entity', t.entity, 'entity_id', t.entity_id, 'payload', t.payload,
      'changes', c.fields, 'skip_automations', t.skip_automations, 'request_id', t.request_id, 'attempts', t.attempts)
    from taken t left join changes c on c.workspace_id = t.workspace_id and c.id = t.id order by t.at, t.id;
end $$;
--> statement-breakpoint
-- Marks claimed events delivered, or keeps the error and leaves them to the next sweep.
create function settle_events(p_done jsonb, p_failed jsonb) returns void security definer set search_path = public language plpgsql as $$
begin
  update outbox o set delivered_at = clock_timestamp(), last_error = null
    from jsonb_to_recordset(p_done) as d(workspace_id uuid, id uuid) where o.workspace_id = d.workspace_id and o.id = d.id;
  update outbox o set last_error = f.error
    from jsonb_to_recordset(p_failed) as f(workspace_id uuid, id uuid, error text) where o.workspace_id = f.workspace_id and o.id = f.id;
end $$;
--> statement-breakpoint
-- What is kept for a time only: answers to Idempotency-Keys for a day, delivered events for 30 days.
create function forget_old(p_limit int default 10000) returns int security definer set search_path = public language plpgsql as $$
declare
  answers int;
  events int;
begin
  delete from idempotency where ctid in (select ctid from idempotency where at < now() - interval '24 hours' limit p_limit);
  get diagnostics answers = row_count;
  delete from outbox where ctid in (select ctid from outbox where delivered_at < now() - interval '30 days' limit p_limit);
  get diagnostics events = row_count;
  return answers + events;
end $$;
--> statement-breakpoint
-- A new workspace with its owner, a key that may do everything, settings and a first pipeline.
create function create_workspace(p_name text, p_owner_email text, p_owner_name text, p_key_public_id text, p_key_hash bytea) returns jsonb security definer set search_path = public language plpgsql as $$
declare
  w uuid := uuidv7();
  u uuid;
  k uuid := uuidv7();
  pipeline uuid := uuidv7();
  base text := coalesce(nullif(btrim(regexp_replace(lower(p_name), '[^a-z0-9]+', '-', 'g'), '-'), ''), 'workspace');
begin
  perform set_config('app.workspace_id', w::text, true);
  insert into workspaces (id, name, slug) values (w, p_name, case when exists (select from workspaces where slug = base) then base || '-' || right(replace(w::text, '-', ''), 8) else base end);
  insert into users (email, full_name) values (lower(btrim(p_owner_email)), p_owner_name)
    on conflict (email) do update set full_name = coalesce(users.full_name, excluded.full_name) returning id into u;
  insert into memberships (workspace_id, user_id, role, status) values (w, u, 'client_admin', 'active');
  insert into api_keys (workspace_id, id, user_id, name, public_id, key_hash, scopes) values (w, k, u, 'Owner key', p_key_public_id, p_key_hash, array['*:*']);
  insert into crm_settings (workspace_id) values (w);
  insert into pipelines (workspace_id, id, name, is_default) values (w, pipeline, 'Sales pipeline', true);
  insert into stages (workspace_id, pipeline_id, name, kind, probability, position)
    values (w, pipeline, 'New', 'open', 10, 0), (w, pipeline, 'Qualified', 'open', 30, 1), (w, pipeline, 'Proposal', 'open', 60, 2),
      (w, pipeline, 'Won', 'won', 100, 3), (w, pipeline, 'Lost', 'lost', 0, 4);
  return jsonb_build_object('workspace_id', w, 'user_id', u, 'key_id', k);
end $$;
--> statement-breakpoint
revoke execute on function create_workspace from public;
revoke execute on function begin_request, end_request, hold_request, decide_approval, settle_approval, load_approval, expire_approvals, waiting_approvals, claim_events, settle_events, forget_old from public;
grant execute on function begin_request, end_request, hold_request, decide_approval, settle_approval, load_approval, expire_approvals, waiting_approvals, claim_events, settle_events, forget_old to app;
alter role app set timezone = 'UTC';
alter role app set statement_timeout = '15s';
alter role app set lock_timeout = '8s';
