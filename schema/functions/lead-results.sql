/*
  Lead results. One that is added or changed is compared with earlier ones and with contacts: by address, phone number, website, then name
  and city. The surest key that both have decides, so two people of one business with addresses of their own are two results.
*/

-- Locks all that results are compared by, for the transaction: an import adds many, in an order that is not that of their keys.
create or replace function lock_leads() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ', current_workspace(), 'lead_results'), 0));
  perform set_flag('leads_locked');
end $$;

-- Locks what results are compared by, in one order, so that of two equal ones that are added at the same time the second finds the first.
create or replace function lock_lead_keys(r lead_results) returns void language plpgsql as $$
declare
  key text;
begin
  if has_flag('leads_locked') then return; end if;
  perform pg_advisory_xact_lock_shared(hashtextextended(concat_ws(' ', r.workspace_id, 'lead_results'), 0));
  for key in select distinct k from unnest(array['email ' || r.email, 'phone ' || r.phone, 'website ' || website_domain(r.website),
    'place ' || norm(r.name) || '|' || norm(r.city)]) k where k is not null order by 1
  loop
    perform pg_advisory_xact_lock(hashtextextended(concat_ws(' ', r.workspace_id, 'lead_results', key), 0));
  end loop;
end $$;

-- Whether a result was there before r. One that is being added finds all others: of two at the same time, the first to begin may be the
-- second here.
create or replace function was_before(l lead_results, r lead_results) returns boolean stable language sql
  return l.id <> r.id and (r.created_at >= now() - interval '1 minute' or (l.created_at, l.id) < (r.created_at, r.id));

-- The earliest result before r that is the same person or business and itself no duplicate, and by what; nothing without one. The keys of r
-- are read and not computed, because among few rows a computed key would be compared with every row, by a plan that is kept.
create or replace function same_lead(r lead_results) returns table (id uuid, matched_by text) stable language sql as $$
  select f.id, f.key from (
    (select l.id, 1 as rank, 'email' as key from lead_results l where l.workspace_id = r.workspace_id and l.email = r.email
      and l.status <> 'duplicate' and was_before(l, r) order by l.created_at, l.id limit 1)
    union all (select l.id, 2, 'phone' from lead_results l where l.workspace_id = r.workspace_id and l.phone = r.phone
      and l.status <> 'duplicate' and was_before(l, r) and (l.email = r.email) is not false
      order by l.created_at, l.id limit 1)
    union all (select l.id, 3, 'website' from lead_results l where l.workspace_id = r.workspace_id
      and l.website_domain = r.website_domain and l.status <> 'duplicate' and was_before(l, r)
      and (l.email = r.email) is not false
      and (l.phone = r.phone) is not false order by l.created_at, l.id limit 1)
    union all (select l.id, 4, 'name_and_city' from lead_results l where l.workspace_id = r.workspace_id
      and l.place_key = r.place_key and l.status <> 'duplicate' and was_before(l, r)
      and (l.email = r.email) is not false and (l.phone = r.phone) is not false
      and (l.website_domain = r.website_domain) is not false order by l.created_at, l.id limit 1)) f
  order by f.rank limit 1
$$;

-- The only contact that is this person, and by what; nothing if there is none, or more than one by the surest key that finds any.
create or replace function contact_of_lead(r lead_results) returns table (id uuid, matched_by text) stable language plpgsql as $$
declare
  own_name constant text := norm(r.name);
  own_city constant text := norm(r.city);
  found uuid[];
begin
  if r.email is not null then found := records_with('contacts', 'email', r.email); end if;
  matched_by := 'email';
  if coalesce(found, '{}') = '{}' and r.phone is not null then
    found := array(select c.id from contacts c where c.workspace_id = r.workspace_id
      and c.id = any (records_with('contacts', 'phone', r.phone)) and (c.email = r.email) is not false);
    matched_by := 'phone';
  end if;
  if coalesce(found, '{}') = '{}' and r.city is not null then
    found := array(select c.id from contacts c where c.workspace_id = r.workspace_id and not c.archived and c.name_norm = own_name
      and norm(c.city) = own_city and (c.email = r.email) is not false and (c.phone = r.phone) is not false limit 2);
    matched_by := 'name_and_city';
  end if;
  if cardinality(found) = 1 then
    id := found[1];
    return next;
  end if;
end $$;

-- Notes whether a result is known. One that was converted or rejected stays as it is.
create or replace function match_lead() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  keyed lead_results := new;
  same record;
  person record;
begin
  if new.status not in ('new', 'duplicate') then return new; end if;
  perform lock_lead_keys(new);
  -- What is generated is not known yet.
  keyed.website_domain := website_domain(new.website);
  keyed.place_key := norm(new.name) || '|' || norm(new.city);
  select * into same from same_lead(keyed);
  new.duplicate_of_id := same.id;
  new.status := case when same.id is null then 'new' else 'duplicate' end;
  new.matched_by := same.matched_by;
  if new.contact_id is null then
    select * into person from contact_of_lead(new);
    new.contact_id := person.id;
    new.matched_by := coalesce(same.matched_by, person.matched_by);
  end if;
  return new;
end $$;
create or replace trigger match_new_lead before insert on lead_results for each row execute function match_lead();
create or replace trigger match_lead before update of email, phone, website, name, city on lead_results for each row
  when ((old.email, old.phone, old.website, old.name, old.city) is distinct from (new.email, new.phone, new.website, new.name, new.city))
  execute function match_lead();

-- The only company of a result: that of its website, or else the only one of its name. Null without one.
create or replace function company_of_lead(r lead_results) returns uuid stable language plpgsql as $$
declare
  domain constant text := website_domain(r.website);
  own_name constant text := norm(r.company_name);
  found uuid[] := case when domain is not null then records_with('companies', 'website_url', domain) end;
begin
  if coalesce(found, '{}') = '{}' and r.company_name is not null then
    found := array(select c.id from companies c where c.workspace_id = r.workspace_id and not c.archived
      and c.name_norm = own_name limit 2);
  end if;
  return case when cardinality(found) = 1 then found[1] end;
end $$;

-- These results, in order of id, with the contact and the company that each has or that is found for it.
create or replace function lead_facts(p_ids uuid[]) returns jsonb stable
  security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'company_name', r.company_name, 'email', r.email,
      'phone', r.phone, 'website', r.website, 'domain', r.website_domain, 'city', r.city, 'country', r.country, 'source', r.source,
      'status', r.status, 'consent_basis', r.consent_basis, 'contact_id',
      coalesce(r.contact_id, (select c.id from contact_of_lead(r) c)), 'customer_id', coalesce(r.customer_id, company_of_lead(r)),
      'blocked', case when exists (select from suppressions s where s.workspace_id = r.workspace_id and s.channel = 'email'
        and s.address = r.email) then 'suppressed' when exists (select from contacts c where c.workspace_id = r.workspace_id
        and c.id = coalesce(r.contact_id, (select c.id from contact_of_lead(r) c)) and (c.archived or c.email_unsubscribed))
        then 'unsubscribed or archived' end) order by r.id), '[]')
    from lead_results r where r.workspace_id = (select current_workspace()) and r.id = any (p_ids)
$$;

/*
  Whether these results still are as p_facts says. They are locked before, and then what upserts of contacts lock (match_records), so that
  nobody else makes the same contact meanwhile.
*/
create or replace function lead_facts_hold(p_ids uuid[], p_facts jsonb) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  lock bigint;
begin
  perform from lead_results r where r.workspace_id = w and r.id = any (p_ids) order by r.id for update;
  for lock in select distinct hashtextextended(concat_ws(' ', w, 'contacts', k, f ->> k), 0)
    from jsonb_array_elements(p_facts) f, unnest(array['email', 'phone']) k where f ->> k is not null order by 1
  loop
    perform pg_advisory_xact_lock(lock);
  end loop;
  return lead_facts(p_ids) = p_facts;
end $$;

revoke execute on function lock_leads, lock_lead_keys, was_before, same_lead, contact_of_lead, match_lead, company_of_lead, lead_facts,
  lead_facts_hold from public;
grant execute on function lock_leads, lead_facts, lead_facts_hold to app;
