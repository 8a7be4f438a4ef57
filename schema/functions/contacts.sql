-- A changed first name is a real one.
create or replace function keep_real_first_name() returns trigger language plpgsql as $$
begin
  new.first_name_derived := false;
  return new;
end $$;
create or replace trigger keep_real_first_name before update of first_name on contacts for each row
  when (old.first_name_derived and new.first_name is distinct from old.first_name) execute function keep_real_first_name();

-- A contact's main company is always one of its employers, and its only employer becomes the main company. An insertion of nothing would
-- also run the triggers after it.
create or replace function link_main_company() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into employers (workspace_id, contact_id, customer_id) values (new.workspace_id, new.id, new.customer_id) on conflict do nothing;
  elsif exists (select from new_rows n where n.customer_id is not null) then
    insert into employers (workspace_id, contact_id, customer_id)
      select n.workspace_id, n.id, n.customer_id from new_rows n where n.customer_id is not null on conflict do nothing;
  end if;
  return null;
end $$;
create or replace trigger link_company_insert after insert on contacts referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function link_main_company();
create or replace trigger link_company_update after update of customer_id on contacts for each row
  when (new.customer_id is not null and new.customer_id is distinct from old.customer_id) execute function link_main_company();

-- An update of no contact would also run the triggers after it, so it is left out.
create or replace function choose_main_companies() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n join contacts c on c.workspace_id = n.workspace_id and c.id = n.contact_id
      where c.customer_id is null) then
    update contacts c set customer_id = n.customer_id
      from (select distinct on (workspace_id, contact_id) workspace_id, contact_id, customer_id from new_rows
        order by workspace_id, contact_id, id) n
      where c.workspace_id = n.workspace_id and c.id = n.contact_id and c.customer_id is null;
  end if;
  return null;
end $$;
-- A contact that is being deleted gets no other main company, and none that is being deleted becomes one.
create or replace function choose_main_company() returns trigger language plpgsql as $$
declare
  leaving constant uuid[] := array(select c.id from old_rows o join contacts c on c.workspace_id = o.workspace_id and c.id = o.contact_id
    where (c.customer_id = o.customer_id or c.customer_id is null) and c.id <> all (current_deletions())
      and c.id::text is distinct from current_setting('app.deleted_record', true));
begin
  if leaving = '{}' then return null; end if;
  update contacts c set is_primary = false, customer_id = (select e.customer_id from employers e
      join companies k on k.workspace_id = e.workspace_id and k.id = e.customer_id
      where e.workspace_id = c.workspace_id and e.contact_id = c.id order by e.id limit 1 for key share of k)
    where c.workspace_id = (select workspace_id from old_rows limit 1) and c.id = any (leaving);
  return null;
end $$;
create or replace trigger choose_company_insert after insert on employers referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function choose_main_companies();
create or replace trigger choose_company_delete after delete on employers referencing old table as old_rows for each statement
  when (not merge_in_progress()) execute function choose_main_company();

-- A contact that leaves a company is no longer its primary contact.
create or replace function leave_company() returns trigger language plpgsql as $$
begin
  new.is_primary := false;
  return new;
end $$;
create or replace trigger leave_company before update of customer_id on contacts for each row
  when (new.customer_id is null and old.customer_id is not null and new.is_primary) execute function leave_company();

/*
  Locks what a change of primary contacts or of main companies touches, always in the same order: the companies by id, then the contacts
  and the current primary contacts of those companies by id. Without it, two changes that meet at one company wait for each other.
  p_contacts: the contacts that change. p_companies: their new companies.
*/
create or replace function lock_primary_contacts(p_contacts uuid[], p_companies uuid[]) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  places constant uuid[] := p_companies
    || array(select customer_id from contacts where workspace_id = w and id = any (p_contacts) and customer_id is not null);
begin
  perform from companies where workspace_id = w and id = any (places) order by id for no key update;
  perform from contacts where workspace_id = w
    and id = any (p_contacts || array(select id from contacts where workspace_id = w and customer_id = any (places) and is_primary))
    order by id for update;
end $$;

-- A company has one primary contact: setting the flag clears it on the previous one. Callers lock with lock_primary_contacts
-- before they lock or change a contact; the lock on the company serialises those that do not.
create or replace function make_primary(chosen contacts) returns void language plpgsql as $$
begin
  perform from companies where workspace_id = chosen.workspace_id and id = chosen.customer_id for no key update;
  if exists (select from contacts where workspace_id = chosen.workspace_id and id = chosen.id and is_primary) then
    update contacts set is_primary = false
      where workspace_id = chosen.workspace_id and customer_id = chosen.customer_id and is_primary and id <> chosen.id;
  end if;
end $$;

-- After each statement, and after the triggers of the history, so that a contact that its statement changes twice has its changes in order.
create or replace function move_primary_flags() returns trigger language plpgsql set enable_nestloop = off as $$
declare
  chosen contacts;
begin
  if tg_op = 'UPDATE' then
    for chosen in select n.* from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.is_primary and n.customer_id is not null and not (o.is_primary and o.customer_id is not distinct from n.customer_id) loop
      perform make_primary(chosen);
    end loop;
  elsif not merge_in_progress() then
    for chosen in select * from new_rows where is_primary and customer_id is not null loop
      perform make_primary(chosen);
    end loop;
  end if;
  return null;
end $$;
create or replace trigger settle_primary_insert after insert on contacts referencing new table as new_rows
  for each statement execute function move_primary_flags();
create or replace trigger settle_primary_update after update on contacts referencing old table as old_rows new table as new_rows
  for each statement execute function move_primary_flags();

-- The contacts that have the address as another one, for lists of contacts by email. Runs as its owner, because the inverted index is not
-- used under row-level security.
create or replace function contacts_by_alternate(p_email text)
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select array(select id from contacts
    where workspace_id = (select current_workspace()) and alternate_emails <> '{}' and alternate_emails @> array[p_email]
      and email is distinct from p_email)
$$;

-- The same for a phone number.
create or replace function contacts_by_alternate_phone(p_phone text)
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select array(select id from contacts
    where workspace_id = (select current_workspace()) and alternate_phones <> '{}' and alternate_phones @> array[p_phone]
      and phone is distinct from p_phone)
$$;

-- The contact who has a number as any of its numbers: one that is not archived and has it as its phone comes first.
create or replace function contact_of_phone(p_phone text)
  returns uuid stable security definer set search_path = public, pg_temp language sql as $$
  select c.id from contacts c where c.workspace_id = (select current_workspace()) and c.id = any (
      array(select id from contacts where workspace_id = (select current_workspace()) and phone = p_phone
        order by archived, created_at, id limit 1)
        || contacts_by_alternate_phone(p_phone)
        || array(select id from contacts where workspace_id = (select current_workspace()) and landline = p_phone
          order by archived, created_at, id limit 1))
    order by c.archived, c.phone is distinct from p_phone, c.created_at, c.id limit 1
$$;

-- The contacts that are employed by the company and have another main company. Reads two indexes, of the company's contacts only.
create or replace function other_employees(p_company uuid)
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select array(select contact_id from employers where workspace_id = (select current_workspace()) and customer_id = p_company
    except select id from contacts where workspace_id = (select current_workspace()) and customer_id = p_company)
$$;

/*
  The company of a new contact by its email address: the only active one with the address's domain, if the workspace links contacts so. Null
  for public mail providers, and for a company that is being deleted. Runs as its owner for the inverted index.
*/
create or replace function company_by_mail_domain(p_email text)
  returns uuid volatile security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  host constant text := split_part(p_email, '@', -1);
  found uuid[];
begin
  if host = '' or is_public_mail_domain(host)
    or not exists (select from crm_settings where workspace_id = (select current_workspace()) and link_contacts_by_domain) then
    return null;
  end if;
  found := array(select id from companies where workspace_id = (select current_workspace()) and website_domain = host and archived = false
    union select id from companies
    where workspace_id = (select current_workspace()) and domains <> '{}' and domains @> array[host] and not archived
    limit 2);
  return (select c.id from companies c where c.workspace_id = (select current_workspace()) and cardinality(found) = 1 and c.id = found[1]
    for key share);
end $$;

-- The companies that have the domain beside that of their website.
create or replace function companies_by_other_domain(p_domain text)
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select array(select id from companies
    where workspace_id = (select current_workspace()) and domains <> '{}' and domains @> array[p_domain]
      and website_domain is distinct from p_domain)
$$;

revoke execute on function company_by_mail_domain, companies_by_other_domain from public;
grant execute on function company_by_mail_domain, companies_by_other_domain to app;
revoke execute on function contacts_by_alternate, contacts_by_alternate_phone, contact_of_phone, other_employees from public;
grant execute on function contacts_by_alternate, contacts_by_alternate_phone, contact_of_phone, other_employees to app;

/*
  What a contact is part of: how many, counted up to 100, and the ten newest. Every read and write of a contact returns it. The functions
  are in PL/pgSQL, which keeps plans for the session: planning such a query takes longer than running it.
*/
create or replace function stakeholder_types_of(p_contact uuid) returns json stable language plpgsql as $$
declare
  n constant int := (select count(*) from (select from stakeholder_members where contact_id = p_contact limit 101) few);
begin
  return json_build_object('count', least(n, 100), 'more', n > 100, 'newest', case when n = 0 then '[]' else (
    select json_agg(json_build_object('id', t.id, 'name', t.name) order by m.type_id desc)
    from (select workspace_id, type_id from stakeholder_members where contact_id = p_contact order by type_id desc limit 10) m
      join stakeholder_types t on t.workspace_id = m.workspace_id and t.id = m.type_id) end);
end $$;

create or replace function opportunities_of(p_contact uuid) returns json stable language plpgsql as $$
declare
  n constant int := (select count(*) from (select from opportunity_contacts where contact_id = p_contact limit 101) few);
begin
  return json_build_object('count', least(n, 100), 'more', n > 100, 'newest', case when n = 0 then '[]' else (
    select json_agg(json_build_object('id', o.id, 'name', o.name, 'status', o.status, 'role', l.role) order by l.opportunity_id desc)
    from (select workspace_id, opportunity_id, role from opportunity_contacts where contact_id = p_contact
        order by opportunity_id desc limit 10) l
      join opportunities o on o.workspace_id = l.workspace_id and o.id = l.opportunity_id) end);
end $$;

/* Private lists that the caller does not see are not counted. */
create or replace function static_lists_of(p_contact uuid) returns json stable language plpgsql as $$
declare
  n constant int := (select count(*) from (select from list_members where contact_id = p_contact limit 1) any_list);
  found constant json[] := case when n = 0 then '{}' else array(
    select json_build_object('id', l.id, 'name', l.name)
    from list_members m join lists l on l.workspace_id = m.workspace_id and l.id = m.list_id and not l.archived
    where m.contact_id = p_contact order by m.list_id desc limit 101) end;
begin
  return json_build_object('count', least(cardinality(found), 100), 'more', cardinality(found) > 100, 'newest', to_json(found[:10]));
end $$;
