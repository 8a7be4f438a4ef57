-- Inserts the three roles that every workspace has.
create or replace function add_built_in_roles(p_workspace uuid) returns void language sql set search_path = public, pg_temp as $$
  insert into roles (workspace_id, role_key, name, description, scopes, can_write, built_in)
  values (p_workspace, 'client_admin', 'Admin', 'Full access: members, roles and keys too.', '{*:*}', true, true),
    (p_workspace, 'client_editor', 'Editor', 'Reads and writes all but members, roles and keys.', '{*:*}', true, true),
    (p_workspace, 'client_viewer', 'Viewer', 'Reads, and writes nothing.', '{*:*}', false, true)
$$;
revoke execute on function add_built_in_roles from public;

-- Returns the wanted scopes that are not granted, or null. `contacts:*`, `*:read` and `*:*` are wildcards.
create or replace function lacking_scopes(granted text[], wanted text[]) returns text[] immutable language sql
  return (select array_agg(s) from unnest(wanted) s
    where not granted && array[s, split_part(s, ':', 1) || ':*', '*:' || split_part(s, ':', 2), '*:*']);

-- Raises CONFLICT unless another active client_admin remains. Locks all of them, so that two concurrent requests cannot remove the last
-- two.
create or replace function assert_other_admin(p_user uuid) returns boolean set search_path = public, pg_temp language plpgsql as $$
begin
  perform from memberships where workspace_id = current_workspace() and role = 'client_admin' and status = 'active'
    order by user_id for update;
  -- A separate statement, because its snapshot includes what committed while the first one waited for locks.
  return assert_condition(exists (select from memberships
    where workspace_id = current_workspace() and role = 'client_admin' and status = 'active' and user_id <> p_user),
    'CONFLICT', 'A workspace keeps at least one client_admin: give another member that role first');
end $$;

-- Checks scopes that depend on the input of a request, as begin_request checks the fixed ones. Queues and cron jobs have no key and pass.
create or replace function assert_scopes(p_scopes text[]) returns boolean stable language plpgsql as $$
declare
  missing text[] := (select lacking_scopes(k.scopes, p_scopes) from api_keys k where k.id = current_key_id());
begin
  if missing is not null then
    perform fail('INSUFFICIENT_SCOPE', 'The API key lacks a scope that this call needs',
      jsonb_build_object('required_scopes', to_jsonb(p_scopes), 'missing_scopes', to_jsonb(missing)));
  end if;
  perform assert_role_scopes(r, p_scopes) from memberships m join roles r on r.workspace_id = m.workspace_id and r.role_key = m.role
    where m.workspace_id = current_workspace() and m.user_id = current_user_id() and current_key_id() is not null;
  return true;
end $$;

create or replace function protect_built_in_role() returns trigger language plpgsql as $$
begin
  perform fail('CONFLICT', 'A role that every workspace has stays as it is: make one of your own',
    jsonb_build_object('role', old.role_key));
  return old;
end $$;
create or replace trigger keep before update or delete on roles for each row when (old.built_in) execute function protect_built_in_role();

-- Raises FORBIDDEN unless the role includes every wanted scope.
create or replace function assert_role_scopes(own roles, wanted text[]) returns void language plpgsql as $$
declare
  missing text[] := lacking_scopes(own.scopes, wanted);
begin
  if missing is not null then
    perform fail('FORBIDDEN', format('The role %s of the key''s owner does not include %s', own.name, array_to_string(missing, ', ')),
      jsonb_build_object('role', own.role_key, 'missing_scopes', missing));
  end if;
end $$;
