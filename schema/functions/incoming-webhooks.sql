/*
  Incoming webhooks: what other systems send to a token. A request is stored first and answered at once; the background then does what the
  webhook says, with the rights of the key that wrote the webhook last.
*/

-- What a token grants: to store a request in its workspace. Null for one that is unknown, or whose webhook is disabled.
create or replace function incoming_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', workspace_id, 'scopes', '["webhooks:write"]'::jsonb) from incoming_webhooks
    where token_hash = decode(p_hash, 'hex') and status = 'enabled'
$$;

-- Stores what the webhook of a token has received, unless it has a request with this id of the sender, and removes the payloads beyond the
-- last p_samples. Returns the request's id, whether it was known, and the workspace.
create or replace function receive_webhook(p_hash text, p_id uuid, p_message text, p_payload jsonb, p_samples int)
  returns jsonb language plpgsql as $$
declare
  w constant uuid := current_workspace();
  webhook constant uuid := (select i.id from incoming_webhooks i where i.token_hash = decode(p_hash, 'hex'));
  known uuid;
begin
  insert into incoming_requests (workspace_id, id, webhook_id, message_id, payload) values (w, p_id, webhook, p_message, p_payload)
    on conflict (workspace_id, webhook_id, message_id) do nothing;
  if not found then
    select id into known from incoming_requests where workspace_id = w and webhook_id = webhook and message_id = p_message;
  end if;
  update incoming_requests set payload = null where workspace_id = w and id = any (array(select r.id from incoming_requests r
    where r.workspace_id = w and r.webhook_id = webhook and r.payload is not null and r.state <> 'received'
    order by r.id desc offset p_samples limit 50));
  return jsonb_build_object('id', coalesce(known, p_id), 'duplicate', known is not null, 'workspace_id', w);
end $$;

-- A request that waits to be processed, with its webhook; null if there is none. `valid`: whether the key still has the scopes (p_scopes by
-- action), and may still write what the action writes.
create or replace function load_incoming(p_workspace uuid, p_request uuid, p_scopes jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r incoming_requests;
  w incoming_webhooks;
  k api_keys;
  a authority;
  wanted text[];
begin
  select * into r from incoming_requests where workspace_id = p_workspace and id = p_request and state = 'received';
  if r.id is null then return null; end if;
  select * into w from incoming_webhooks where workspace_id = p_workspace and id = r.webhook_id;
  select * into k from api_keys where workspace_id = p_workspace and id = w.key_id;
  a := key_authority('key', k);
  wanted := array(select jsonb_array_elements_text(p_scopes -> w.action));
  return jsonb_build_object('webhook_id', r.webhook_id, 'action', w.action, 'automation_id', w.automation_id,
    'mapping', w.mapping, 'match_on', w.match_on,
    'key_id', w.key_id, 'payload', r.payload, 'valid', a.workspace_id is not null and a.can_write
      and (wanted = '{}' or a.level <> 'read_only')
      and lacking_scopes(a.scopes, wanted) is null
      and lacking_scopes(a.role_scopes, wanted) is null);
end $$;

-- Stores the outcome of a request, once.
create or replace function end_incoming(p_workspace uuid, p_request uuid, p_state text, p_result uuid, p_code text, p_message text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update incoming_requests set state = p_state, result_id = p_result, error_code = p_code, error_message = p_message, ended_at = now()
    where workspace_id = p_workspace and id = p_request and state = 'received'
$$;

revoke execute on function incoming_grant, receive_webhook, load_incoming, end_incoming from public, app;
grant execute on function incoming_grant, receive_webhook to app;
grant execute on function load_incoming, end_incoming to jobs;
