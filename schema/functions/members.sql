-- A member as the workspace and its visitors may see the person: what the person's own profile has only once they have joined, because
-- whoever knows an email address can invite it.
create or replace function member_profile(p_workspace uuid, p_user uuid) returns table (name text, picture text) stable rows 1
  language sql as $$
  select coalesce(case when m.joined_at is not null then u.full_name end, m.invite_name),
      case when m.joined_at is not null then u.avatar_url end
    from memberships m join users u on u.id = m.user_id where m.workspace_id = p_workspace and m.user_id = p_user
$$;

-- Replaces any earlier invitation, for a caller who may give its role. The listener of member.invited sends the email.
create or replace function renew_invitation(p_user uuid) returns void set search_path = public, pg_temp language plpgsql as $$
declare
  invitation uuid := uuidv7();
begin
  perform count_invitation();
  perform assert_role_grant(m.role, null) from memberships m where m.workspace_id = (select current_workspace()) and m.user_id = p_user;
  delete from invitations where workspace_id = (select current_workspace()) and user_id = p_user;
  insert into invitations (id, user_id, invited_by) values (invitation, p_user, current_user_id());
  perform emit('member.invited', 'member', p_user, jsonb_build_object('invitation_id', invitation));
end $$;

/*
  Makes the person with this email a member with the status invited, creates the person if necessary, and returns the person's id. Fields
  that are not given keep the values of an earlier membership, except the role of a removed member. A dry run and a request that is held use
  a made-up person for every address without a membership here, so that neither reveals who is registered in another workspace. p: email;
  optionally full_name, role, job_title, department, phone, office, manager_user_id.
*/
create or replace function invite_member(p jsonb) returns uuid security definer set search_path = public, pg_temp language plpgsql as $$
declare
  person uuid;
  was memberships;
begin
  if current_setting('app.mode', true) in ('dry', 'held') then
    select m.user_id into person from users u join memberships m on m.workspace_id = (select current_workspace()) and m.user_id = u.id
      where u.email = p ->> 'email';
    if person is null then
      person := gen_random_uuid();
      insert into users (id, email, status) values (person, person || '@invalid', 'invited');
    end if;
  else
    -- Locks the person's row, so that concurrent invitations run one after the other.
    insert into users (email, status) values (p ->> 'email', 'invited') on conflict (email) do update set email = excluded.email
      returning id into person;
  end if;
  perform hand('invited_user', to_jsonb(person));
  select * into was from memberships where workspace_id = (select current_workspace()) and user_id = person;
  if was.status = 'active' then
    perform fail('CONFLICT', 'This person is already a member of the workspace',
      jsonb_build_object('field', 'email', 'id', person, 'user_id', person));
  end if;
  insert into memberships as m (user_id, role, status, joined_at, invite_name, job_title, department, phone, office, manager_user_id)
    values (person, coalesce(p ->> 'role', 'client_editor'), 'invited', null, p ->> 'full_name', p ->> 'job_title', p ->> 'department',
      p ->> 'phone', p ->> 'office',
      (p ->> 'manager_user_id')::uuid)
    on conflict (workspace_id, user_id) do update set status = 'invited',
      role = coalesce(p ->> 'role', case was.status when 'invited' then m.role else 'client_editor' end),
      invite_name = coalesce(excluded.invite_name, m.invite_name), job_title = coalesce(excluded.job_title, m.job_title),
      department = coalesce(excluded.department, m.department), phone = coalesce(excluded.phone, m.phone),
        office = coalesce(excluded.office, m.office),
      manager_user_id = coalesce(excluded.manager_user_id, m.manager_user_id);
  perform renew_invitation(person);
  return person;
end $$;

-- Activates the membership of an open invitation by its token. Sets the session settings and returns the same object as begin_request.
create or replace function accept_invitation(p_token_hash text, p_full_name text, p_request_id text)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  member memberships;
begin
  select m.* into member from invitations i join memberships m on m.workspace_id = i.workspace_id and m.user_id = i.user_id
    where i.token_hash = decode(p_token_hash, 'hex') and i.expires_at > now() and m.status = 'invited' for update;
  if member.user_id is null
    then perform fail('NOT_FOUND', 'No such invitation: it has expired, was used, or a later one took its place'); end if;
  perform set_config('app.workspace_id', member.workspace_id::text, true), set_config('app.user_id', member.user_id::text, true),
    set_config('app.request_id', p_request_id, true);
  update users set status = 'active', full_name = coalesce(p_full_name, full_name, member.invite_name) where id = member.user_id;
  update memberships set status = 'active', joined_at = coalesce(joined_at, now()), invite_name = null
    where workspace_id = member.workspace_id and user_id = member.user_id;
  delete from invitations where workspace_id = member.workspace_id and user_id = member.user_id;
  perform emit('member.joined', 'member', member.user_id);
  return jsonb_build_object('workspace_id', member.workspace_id, 'key_id', null, 'user_id', member.user_id, 'level', null, 'role',
    member.role);
end $$;

revoke execute on function invite_member, accept_invitation from public;
grant execute on function invite_member, accept_invitation to app;
