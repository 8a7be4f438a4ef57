-- Inserts the three roles that every workspace has.
create or replace function add_built_in_roles(p_workspace uuid) returns void language sql set search_path = public, pg_temp as $$
  insert into roles (workspace_id, role_key, name, description, scopes, can_write, built_in)
  values (p_workspace, 'client_admin', 'Admin', 'Full access: members, roles and keys too.', '{*:*}', true, true),
    (p_workspace, 'client_editor', 'Editor', 'Reads and writes all but members, roles and keys.', '{*:*}', true, true),
    (p_workspace, 'client_viewer', 'Viewer', 'Reads, and writes nothing.', '{*:*}', false, true)
$$;
revoke execute on function add_built_in_roles from public;

-- The scopes that include this one: itself, and those with a wildcard.
create or replace function scopes_with(scope text) returns text[] immutable language sql
  return array[scope, split_part(scope, ':', 1) || ':*', '*:' || split_part(scope, ':', 2), '*:*'];

-- Returns the wanted scopes that are not granted, or null. `contacts:*`, `*:read` and `*:*` are wildcards.
create or replace function lacking_scopes(granted text[], wanted text[]) returns text[] immutable language plpgsql as $$
declare
  scope text;
  lacking text[];
begin
  foreach scope in array coalesce(wanted, '{}') loop
    if not granted && scopes_with(scope) then lacking := lacking || scope; end if;
  end loop;
  return lacking;
end $$;

-- Raises CONFLICT unless another active client_admin remains. Locks all of them, so that two concurrent requests cannot remove the last
-- two.
create or replace function assert_other_admin(p_user uuid) returns boolean set search_path = public, pg_temp language plpgsql as $$
begin
  perform from memberships where workspace_id = (select current_workspace()) and role = 'client_admin' and status = 'active'
    order by user_id for update;
  -- A separate statement, because its snapshot includes what committed while the first one waited for locks.
  return assert_condition(exists (select from memberships
    where workspace_id = (select current_workspace()) and role = 'client_admin' and status = 'active' and user_id <> p_user),
    'CONFLICT', 'A workspace keeps at least one client_admin: give another member that role first');
end $$;

-- The scopes of mailboxes that a list names. No wildcard includes them, so whoever gives them must have them by name, and act in person.
create or replace function personal_scopes(p_scopes text[]) returns text[] immutable parallel safe language sql
  return array(select s from unnest(p_scopes) s where s in ('personal-email:read', 'personal-email:send') order by s);

-- Raises FORBIDDEN unless the caller has all that it is about to give to somebody: scopes, writing, and being a client_admin.
create or replace function assert_grant(p_scopes text[], p_writes boolean, p_admin boolean) returns boolean language plpgsql as $$
declare
  a constant authority := current_authority();
  missing constant text[] := array(select unnest(lacking_scopes(a.scopes, p_scopes))
    union select unnest(lacking_scopes(a.role_scopes, p_scopes))
    union select s from unnest(personal_scopes(p_scopes)) s where not coalesce(names_personal_scope(to_jsonb(a), s), false) order by 1);
begin
  if a.workspace_id is null or missing <> '{}' or (p_writes and (not a.can_write or a.level = 'read_only'))
      or (p_admin and not a.admin) then
    perform fail('FORBIDDEN', 'A key can only grant rights that it has itself', jsonb_build_object('missing_scopes', missing));
  end if;
  perform note_requirement(p_scopes, p_admin);
  return true;
end $$;

-- Whether the role gives no right that the other one lacks.
create or replace function role_within(r roles, other roles) returns boolean immutable language sql
  return other.id is not null and lacking_scopes(other.scopes, r.scopes) is null
    and personal_scopes(r.scopes) <@ personal_scopes(other.scopes) and (other.can_write or not r.can_write)
    and (r.role_key <> 'client_admin' or other.role_key = 'client_admin');

-- Asserts that the caller may give the role to a member: it has those rights itself, or the member's present role has them.
create or replace function assert_role_grant(p_role text, p_present text) returns boolean language plpgsql as $$
declare
  r roles;
  present roles;
begin
  select * into r from roles where workspace_id = (select current_workspace()) and role_key = p_role;
  select * into present from roles where workspace_id = (select current_workspace()) and role_key = p_present;
  return role_within(r, present) or assert_grant(r.scopes, r.can_write, r.role_key = 'client_admin');
end $$;

-- Asserts that the caller has the rights that a change gives to a role. p_patch: scopes, can_write.
create or replace function assert_role_change(p_id uuid, p_patch jsonb) returns boolean language plpgsql as $$
declare
  r roles;
  changed roles;
begin
  select * into r from roles where workspace_id = (select current_workspace()) and id = p_id;
  changed := jsonb_populate_record(r, p_patch);
  return role_within(changed, r) or assert_grant(changed.scopes, changed.can_write, false);
end $$;

-- Asserts that a key that the caller creates, or whose secret it receives, exceeds the caller in nothing: scopes, level, expiry or
-- addresses.
create or replace function assert_key_grant(p_scopes text[], p_level text, p_expires_at timestamptz, p_ranges text[])
  returns boolean language plpgsql as $$
declare
  a constant authority := current_authority();
  own constant text[] := (select allowed_ranges from api_keys where workspace_id = (select current_workspace()) and id = a.key_id);
begin
  perform assert_grant(p_scopes, false, false);
  if level_rank(p_level) > level_rank(a.level) then
    perform fail('FORBIDDEN', 'A key can only grant a permission level that it has itself', jsonb_build_object('level', a.level));
  end if;
  if coalesce(p_expires_at, 'infinity') > a.expires_at then
    perform fail('FORBIDDEN', 'This key expires: a key that it creates, rotates or extends must expire with it or earlier (expires_at)',
      jsonb_build_object('field', 'expires_at', 'latest', iso(a.expires_at)));
  end if;
  if not ranges_within(p_ranges, coalesce(own, '{}')) then
    perform fail('FORBIDDEN',
      'This key is limited to some addresses: a key that it creates, rotates or extends must be limited to those too',
      jsonb_build_object('field', 'allowed_ranges', 'allowed_ranges', own));
  end if;
  return true;
end $$;

-- The same for a change that widens the key in anything; narrowing it is allowed to all who may change keys. A renewal lasts at most as
-- long as the key was first created for. Runs as its owner, because the app role cannot read a key's hash. p_patch: scopes, level,
-- expires_at, allowed_ranges.
create or replace function assert_key_change(p_id uuid, p_patch jsonb)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  k api_keys;
  changed api_keys;
  latest timestamptz;
begin
  select * into k from api_keys where workspace_id = (select current_workspace()) and id = p_id;
  changed := jsonb_populate_record(k, p_patch);
  if lacking_scopes(k.scopes, changed.scopes) is not null or level_rank(changed.level) > level_rank(k.level)
    or coalesce(changed.expires_at, 'infinity') > coalesce(k.expires_at, 'infinity')
    or not ranges_within(changed.allowed_ranges, k.allowed_ranges) then
    perform assert_key_grant(changed.scopes, changed.level, changed.expires_at, changed.allowed_ranges);
  end if;
  latest := case when coalesce(changed.expires_at, 'infinity') > coalesce(k.expires_at, 'infinity')
    then now() + (k.first_expires_at - k.created_at) end;
  if coalesce(changed.expires_at, 'infinity') > latest then
    perform fail('FORBIDDEN', 'A key is renewed for at most its first lifetime: create a new key instead',
      jsonb_build_object('field', 'expires_at', 'latest', iso(latest)));
  end if;
  return true;
end $$;
revoke execute on function assert_key_change from public;
grant execute on function assert_key_change to app;

-- The operator of the deployment, who acts for nobody, may change it.
create or replace function protect_built_in_role() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and nullif(current_setting('app.authority', true), '') is null then return new; end if;
  perform fail('CONFLICT', 'A role that every workspace has stays as it is: make one of your own',
    jsonb_build_object('role', old.role_key));
  return old;
end $$;
create or replace trigger keep before update or delete on roles for each row when (old.built_in) execute function protect_built_in_role();

/*
  Notes who has made a key, or its latest secret: the member behind the calling key, who is its maker, because somebody else may use a key
  in the name of its owner. Without a caller the operator makes it for its owner. A key that somebody else has made or rotated never carries
  the personal identity of its owner (see current_person), whoever rotates it later.
*/
create or replace function keep_key_maker() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  maker constant uuid := case when current_key_id() is null then new.user_id
    else (select k.created_by from api_keys k where k.workspace_id = new.workspace_id and k.id = current_key_id()) end;
begin
  if tg_op = 'INSERT' or maker is distinct from new.user_id then new.created_by := maker; end if;
  return new;
end $$;
create or replace trigger keep_maker before insert or update of key_hash on api_keys for each row execute function keep_key_maker();
revoke execute on function keep_key_maker from public;

/*
  Lets the members with a role read or send what is in the mailboxes of all members (p_scopes, by name), or no longer. Only somebody who has
  such a scope can give it to a role or a member, so that the operator of the deployment gives the first one (npm run workspace --
  mailboxes).
*/
create or replace function set_personal_scopes(p_workspace uuid, p_role text, p_scopes text[])
  returns void set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update roles r set scopes = array(select s from unnest(r.scopes) s where s <> all (personal_scopes(r.scopes))
    union select unnest(personal_scopes(p_scopes)) order by 1)
    where r.workspace_id = p_workspace and r.role_key = p_role;
  if not found then perform fail('NOT_FOUND', 'No such role in this workspace'); end if;
end $$;
revoke execute on function set_personal_scopes from public;

-- The secret that a rotation replaces works until previous_expires_at, if that is set.
create or replace function keep_previous_secret() returns trigger language plpgsql as $$
begin
  new.previous_key_hash := case when new.previous_expires_at > now() then old.key_hash end;
  return new;
end $$;
create or replace trigger keep_previous before update of key_hash on api_keys for each row
  when (old.key_hash is distinct from new.key_hash) execute function keep_previous_secret();
