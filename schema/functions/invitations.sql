-- How many invitations a workspace may send by email in a day of UTC, repeated ones included.
create or replace function max_invitations() returns int immutable parallel safe language sql
  return 200;

-- Counts an invitation of the workspace. Raises RATE_LIMITED when the day's are used up. What a rolled back request counted does not count.
create or replace function count_invitation() returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into invitation_counts as c (workspace_id, day, sent) values (current_workspace(), utc_day(now()), 1)
    on conflict (workspace_id) do update set day = excluded.day, sent = case when c.day = excluded.day then c.sent + 1 else 1 end
      where c.day <> excluded.day or c.sent < max_invitations();
  if not found then
    perform fail('RATE_LIMITED', format('This workspace has sent %s invitations today: send others after midnight UTC', max_invitations()),
      jsonb_build_object('limit', 'invitations', 'retry_after',
        ceil(extract(epoch from (utc_day(now()) + 1)::timestamp at time zone 'UTC' - now()))));
  end if;
end $$;

revoke execute on function count_invitation from public;
grant execute on function count_invitation to app;
