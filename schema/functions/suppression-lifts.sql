/*
  The mail provider has a list of suppressed addresses of its own. An address that leaves the list of a workspace, on whichever path, is
  also lifted there. The provider has one list for the deployment: lifting an address there lets nobody write to it whose own list has it.
*/
create or replace function note_suppression_lift() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  -- A workspace that is deleted has no more wishes.
  if not exists (select from workspaces where id = old.workspace_id) then return null; end if;
  insert into suppression_lifts (workspace_id, address) values (old.workspace_id, old.address)
    on conflict (workspace_id, address) do update set due_at = now(), attempts = 0;
  return null;
end $$;
create or replace trigger note_lift after delete on suppressions for each row when (old.channel = 'email')
  execute function note_suppression_lift();

-- At most p_limit addresses that are to be lifted, each not again for p_wait seconds. One that was suppressed again meanwhile is left out,
-- and so is one after p_attempts.
create or replace function due_suppression_lifts(p_limit int, p_wait int, p_attempts int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  claimed jsonb;
begin
  delete from suppression_lifts l where l.due_at <= now() and (l.attempts >= p_attempts or exists (
    select from suppressions s where s.workspace_id = l.workspace_id and s.channel = 'email' and s.address = l.address));
  with due as (
    update suppression_lifts l set due_at = now() + make_interval(secs => p_wait * (l.attempts + 1)), attempts = l.attempts + 1
      where (l.workspace_id, l.address) in (select workspace_id, address from suppression_lifts where due_at <= now() order by due_at
        limit p_limit for update skip locked)
      returning l.workspace_id, l.address
  ) select coalesce(jsonb_agg(jsonb_build_object('workspace_id', workspace_id, 'address', address)), '[]') into claimed from due;
  return claimed;
end $$;

/*
  Ends lifts (workspace_id, address, refusal: why the provider keeps the address, or null). What the provider keeps stays on the list of the
  workspace, with the reason, so that both say the same.
*/
create or replace function end_suppression_lifts(p_lifts jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  l record;
begin
  perform set_cause('provider', null);
  for l in select * from jsonb_to_recordset(p_lifts) x(workspace_id uuid, address text, refusal text) loop
    perform set_config('app.workspace_id', l.workspace_id::text, true);
    delete from suppression_lifts where workspace_id = l.workspace_id and address = l.address;
    if l.refusal is not null then perform suppress_address(l.workspace_id, l.address, 'complaint', l.refusal); end if;
  end loop;
end $$;

-- Which of these addresses, that the provider has suppressed, no workspace has on its list or has just lifted.
create or replace function unknown_suppressions(p_addresses jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(a order by a), '[]') from jsonb_array_elements_text(p_addresses) a
    where not exists (select from suppressions s where s.channel = 'email' and s.address = a)
    and not exists (select from suppression_lifts l where l.address = a)
$$;

revoke execute on function note_suppression_lift, due_suppression_lifts, end_suppression_lifts, unknown_suppressions from public, app;
grant execute on function due_suppression_lifts, end_suppression_lifts, unknown_suppressions to jobs;
