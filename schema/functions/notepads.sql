/*
  Notepads. Restrictive policies on notepads, their versions, their history and their events ask sees_notepad; functions that row-level
  security does not bind ask it themselves. What happens to a notepad that not every member sees has private_to, so that no follower of the
  feed reads it.
*/

/*
  Asserts that the caller may change a notepad that it sees: with the level `write`, and if that changes who sees it, as its owner. A
  client_admin may do so with a notepad that every member sees, and becomes its owner.
*/
create or replace function assert_notepad_writer(p_id uuid, p_visibility text default null, p_access jsonb default null)
  returns void language plpgsql as $$
declare
  n notepads;
  caller constant text[] := caller_parties();
begin
  select * into n from notepads where id = p_id;
  if n.id is null or caller is null then return; end if;
  if not n.writers && caller then
    perform fail('FORBIDDEN', 'This notepad is shared with you for reading only: ask its owner for the level write',
      jsonb_build_object('owner_id', n.owner_id));
  end if;
  if (p_visibility is null or p_visibility = n.visibility) and (p_access is null or p_access = n.access) then return; end if;
  perform assert_notepad_person();
  if n.owner_id is distinct from current_person() and not (n.visibility = 'workspace' and (current_authority()).admin) then
    perform fail('FORBIDDEN', 'Only the owner of a notepad decides who sees it', jsonb_build_object('owner_id', n.owner_id));
  end if;
end $$;

-- What not every member sees belongs to a person, who must be the caller: nobody would see it otherwise.
create or replace function assert_notepad_person() returns void language plpgsql as $$
begin
  if current_person() is null then
    perform fail('FORBIDDEN',
      'Somebody else has made this key, so that it has no notepads of its own: use the visibility workspace, or a key '
      'that the member has made');
  end if;
end $$;

-- Asserts that a workspace has room for another restricted notepad.
create or replace function assert_restricted_room(p_id uuid, p_most int)
  returns void stable security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if (select count(*) from (select from notepads
      where workspace_id = (select current_workspace()) and visibility = 'restricted' and id <> p_id limit p_most) n) >= p_most then
    perform fail_field('visibility',
      format('A workspace has at most %s restricted notepads: make one private or open it to the workspace first', p_most));
  end if;
end $$;

/*
  Before the content changes: keeps what it was, and deletes the oldest versions beyond p_most. Where text was only added before or after
  it, nothing is lost, so that one version in ten minutes is enough. A purge leaves no version.
*/
create or replace function keep_notepad_version() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  most constant int := tg_argv[0];
  w constant uuid := old.workspace_id;
begin
  if is_purging() then
    delete from notepad_versions where workspace_id = w and notepad_id = old.id;
    return null;
  end if;
  if (starts_with(new.content, old.content) or right(new.content, length(old.content)) = old.content)
    and exists (select from notepad_versions v
    where v.workspace_id = w and v.notepad_id = old.id and v.created_at > now() - interval '10 minutes') then return null; end if;
  insert into notepad_versions (workspace_id, notepad_id, notepad_version, content) values (w, old.id, old.version, old.content);
  delete from notepad_versions where workspace_id = w and id = any (array(select v.id from notepad_versions v
    where v.workspace_id = w and v.notepad_id = old.id order by v.created_at desc, v.id desc offset most));
  return null;
end $$;
create or replace trigger keep_version after update of content on notepads for each row
  when (old.content is distinct from new.content) execute function keep_notepad_version(20);

revoke execute on function keep_notepad_version, assert_restricted_room from public;
grant execute on function assert_restricted_room to app;
