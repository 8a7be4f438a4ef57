/*
  Who may start an automation by hand, with records and data of their own: callers who have the scopes of its steps, because a run has the
  rights of its publisher; and all others if the publisher has said so (open_to_start).
*/

-- Notes what the version that is published now needs of those who start it (p_scopes, p_admin), and whether it is open to others.
create or replace function note_start_rights(p_automation uuid, p_scopes text[], p_admin boolean)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update automation_versions v set start_scopes = p_scopes, start_admin = p_admin, open_to_start = a.open_to_start
    from automations a where a.workspace_id = (select current_workspace()) and a.id = p_automation
    and v.workspace_id = a.workspace_id and v.id = a.version_id
$$;

-- Asserts that the caller may start runs of an automation. One that is not published starts none. A version from before its needs were
-- noted is for callers who may do everything.
create or replace function assert_may_start(p_automation uuid) returns boolean language plpgsql as $$
declare
  v automation_versions;
begin
  select o.* into v from automations a join automation_versions o on o.workspace_id = a.workspace_id and o.id = a.version_id
    where a.workspace_id = (select current_workspace()) and a.id = p_automation;
  if v.id is null or v.open_to_start then return true; end if;
  return assert_needed(coalesce(v.start_scopes, '{*:*}'), coalesce(v.start_admin, false));
end $$;

revoke execute on function note_start_rights from public;
grant execute on function note_start_rights to app;
