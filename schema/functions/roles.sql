-- FORBIDDEN unless the role has every scope that is wanted.
create or replace function within_role(own roles, wanted text[]) returns void language plpgsql as $$
declare
  missing text[] := lacking_scopes(own.scopes, wanted);
begin
  if missing is not null then
    perform fail('FORBIDDEN', format('The role %s of the key''s owner does not include %s', own.name, array_to_string(missing, ', ')),
      jsonb_build_object('role', own.role_key, 'missing_scopes', missing));
  end if;
end $$;

-- As begin_request, for scopes that depend on what is asked. Without a key, as in a queue or a cron job, nothing is lacking.
create or replace function needs_scopes(p_scopes text[]) returns boolean stable language plpgsql as $$
declare
  missing text[] := (select lacking_scopes(k.scopes, p_scopes) from api_keys k where k.id = current_key_id());
begin
  if missing is not null then
    perform fail('INSUFFICIENT_SCOPE', 'The API key lacks a scope that this call needs', jsonb_build_object('required_scopes', to_jsonb(p_scopes), 'missing_scopes', to_jsonb(missing)));
  end if;
  perform within_role(r, p_scopes) from memberships m join roles r on r.workspace_id = m.workspace_id and r.role_key = m.role
    where m.workspace_id = current_workspace() and m.user_id = current_user_id() and current_key_id() is not null;
  return true;
end $$;

-- A new workspace with its owner, a key that may do everything, settings and a first pipeline.
create or replace function create_workspace(p_name text, p_owner_email text, p_owner_name text, p_key_public_id text, p_key_hash bytea) returns jsonb security definer set search_path = public language plpgsql as $$
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
  perform add_built_in_roles(w);
  insert into memberships (workspace_id, user_id, role, status) values (w, u, 'client_admin', 'active');
  insert into api_keys (workspace_id, id, user_id, name, public_id, key_hash, scopes) values (w, k, u, 'Owner key', p_key_public_id, p_key_hash, array['*:*']);
  insert into crm_settings (workspace_id) values (w);
  insert into pipelines (workspace_id, id, name, is_default) values (w, pipeline, 'Sales pipeline', true);
  insert into stages (workspace_id, pipeline_id, name, kind, probability, position)
    values (w, pipeline, 'New', 'open', 10, 0), (w, pipeline, 'Qualified', 'open', 30, 1), (w, pipeline, 'Proposal', 'open', 60, 2),
      (w, pipeline, 'Won', 'won', 100, 3), (w, pipeline, 'Lost', 'lost', 0, 4);
  return jsonb_build_object('workspace_id', w, 'user_id', u, 'key_id', k);
end $$;
