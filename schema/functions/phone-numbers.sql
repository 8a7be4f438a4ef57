-- Phone numbers. One account at the provider has the numbers of all workspaces, so a number belongs to one of them.

/*
  Writes the row of a number before it is bought, or finds the row of a purchase whose outcome is not known. Runs as its owner, because the number may belong
  to another workspace, of which the caller learns nothing but that it is not available.
*/
create or replace function reserve_phone_number(p_id uuid, p_number text, p_name text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  found_number phone_numbers;
begin
  perform pg_advisory_xact_lock(hashtext('phone_numbers'), hashtext(p_number));
  select * into found_number from phone_numbers where phone_number = p_number for update;
  if found_number.id is null then
    insert into phone_numbers (workspace_id, id, phone_number, friendly_name, status) values (w, p_id, p_number, p_name, 'buying');
    return;
  end if;
  if found_number.workspace_id <> w then perform fail('CONFLICT', 'This number is not available', '{}'); end if;
  if found_number.status <> 'buying' then
    perform fail('CONFLICT', 'The workspace has this number', jsonb_build_object('id', found_number.id));
  end if;
end $$;

revoke execute on function reserve_phone_number from public;
grant execute on function reserve_phone_number to app;
