-- A contact's main company is always one of its employers, and its only employer becomes the main company.
create or replace function link_main_company() returns trigger language plpgsql as $$
begin
  insert into employers (workspace_id, contact_id, customer_id) values (new.workspace_id, new.id, new.customer_id) on conflict do nothing;
  return null;
end $$;
create or replace trigger link_company_insert after insert on contacts for each row
  when (new.customer_id is not null and not merge_in_progress()) execute function link_main_company();
create or replace trigger link_company_update after update of customer_id on contacts for each row
  when (new.customer_id is not null and new.customer_id is distinct from old.customer_id) execute function link_main_company();

create or replace function choose_main_company() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update contacts set customer_id = new.customer_id where workspace_id = new.workspace_id and id = new.contact_id and customer_id is null;
  else
    update contacts set is_primary = false,
      customer_id = (select e.customer_id from employers e where e.workspace_id = old.workspace_id and e.contact_id = old.contact_id
        order by e.id limit 1)
      where workspace_id = old.workspace_id and id = old.contact_id and (customer_id = old.customer_id or customer_id is null);
  end if;
  return null;
end $$;
create or replace trigger choose_company_insert after insert on employers for each row when (not merge_in_progress())
  execute function choose_main_company();
create or replace trigger choose_company_delete after delete on employers for each row when (not merge_in_progress())
  execute function choose_main_company();

-- A contact that leaves a company is no longer its primary contact.
create or replace function leave_company() returns trigger language plpgsql as $$
begin
  new.is_primary := false;
  return new;
end $$;
create or replace trigger leave_company before update of customer_id on contacts for each row
  when (new.customer_id is null and old.customer_id is not null and new.is_primary) execute function leave_company();

-- A company has one primary contact: setting the flag clears it on the previous one. The lock on the company serialises concurrent changes.
create or replace function move_primary_flag() returns trigger language plpgsql as $$
begin
  perform from companies where workspace_id = new.workspace_id and id = new.customer_id for no key update;
  if exists (select from contacts where workspace_id = new.workspace_id and id = new.id and is_primary) then
    update contacts set is_primary = false
      where workspace_id = new.workspace_id and customer_id = new.customer_id and is_primary and id <> new.id;
  end if;
  return null;
end $$;
create or replace trigger primary_insert after insert on contacts for each row
  when (new.is_primary and new.customer_id is not null and not merge_in_progress()) execute function move_primary_flag();
create or replace trigger primary_update after update of is_primary, customer_id on contacts for each row
  when (new.is_primary and new.customer_id is not null) execute function move_primary_flag();
