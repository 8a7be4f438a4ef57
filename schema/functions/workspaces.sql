-- Creates a workspace with its owner, a key with all scopes, settings and a first pipeline with p_stages
-- (src/features/pipelines/rules/pipeline.ts).
create or replace function create_workspace(
  p_name text, p_owner_email text, p_owner_name text, p_key_public_id text, p_key_hash bytea, p_stages jsonb
) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w uuid := uuidv7();
  u uuid;
  k uuid := uuidv7();
  pipeline uuid := uuidv7();
  base text := coalesce(nullif(btrim(regexp_replace(lower(p_name), '[^a-z0-9]+', '-', 'g'), '-'), ''), 'workspace');
begin
  perform set_config('app.workspace_id', w::text, true);
  insert into workspaces (id, name, slug)
    values (w, p_name, case when exists (select from workspaces where slug = base) then base || '-' || right(replace(w::text, '-', ''), 8)
    else base end);
  insert into users (email, full_name) values (lower(btrim(p_owner_email)), p_owner_name)
    on conflict (email) do update set full_name = coalesce(users.full_name, excluded.full_name) returning id into u;
  perform add_built_in_roles(w);
  perform add_work_order_statuses(w);
  insert into memberships (workspace_id, user_id, role, status) values (w, u, 'client_admin', 'active');
  insert into api_keys (workspace_id, id, user_id, name, public_id, key_hash, scopes)
    values (w, k, u, 'Owner key', p_key_public_id, p_key_hash, array['*:*']);
  insert into crm_settings (workspace_id) values (w);
  insert into pipelines (workspace_id, id, name, is_default) values (w, pipeline, 'Sales pipeline', true);
  insert into stages (workspace_id, pipeline_id, name, kind, probability, position)
    select w, pipeline, stage ->> 'name', stage ->> 'kind', (stage ->> 'probability')::numeric, at - 1
    from jsonb_array_elements(p_stages) with ordinality s(stage, at);
  return jsonb_build_object('workspace_id', w, 'user_id', u, 'key_id', k);
end $$;

revoke execute on function create_workspace from public;

-- Raises FORBIDDEN unless the workspace allows web pages of this origin to call the API.
create or replace function assert_origin(p_origin text) returns void stable language plpgsql as $$
begin
  if not exists (select from workspaces where id = (select current_workspace()) and p_origin = any (allowed_origins)) then
    perform fail('FORBIDDEN', 'The workspace does not allow web pages of this origin: add it to allowed_origins (PATCH /company)',
      jsonb_build_object('origin', left(p_origin, 255)));
  end if;
end $$;
