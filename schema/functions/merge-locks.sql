-- The locks of merges and of their undos.

-- Whether some of these companies have a parent or subsidiaries.
create or replace function in_company_tree(p_companies uuid[]) returns boolean language sql set search_path = public, pg_temp as $$
  select exists (select from companies
    where workspace_id = (select current_workspace()) and id = any (p_companies) and parent_company_id is not null)
    or exists (select from companies where workspace_id = (select current_workspace()) and parent_company_id = any (p_companies))
$$;

-- Whether one of these contacts is the primary contact of its company.
create or replace function are_primary(p_contacts uuid[]) returns boolean language sql set search_path = public, pg_temp as $$
  select exists (select from contacts where workspace_id = (select current_workspace()) and id = any (p_contacts) and is_primary)
$$;

/*
  Locks the records of a merge or an undo, each kind in order of id, and returns those that exist. What is above these records, the company
  tree or the companies of contacts, is locked first, as other changes of it do, and only if it changes: if p_above, or if one of the
  companies is in the tree, or one of the contacts is a primary contact. A record that has become one meanwhile makes the request start
  again.
*/
create or replace function lock_merged_records(p_of regclass, p_winner uuid, p_losers uuid[], p_above boolean)
  returns uuid[] language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  records constant uuid[] := p_losers || p_winner;
  above boolean := p_above;
  there uuid[];
begin
  if p_of = 'companies'::regclass then
    above := above or in_company_tree(records);
    if above then perform pg_advisory_xact_lock(hashtext('companies.parent_company_id'), hashtext(w::text)); end if;
    perform from companies where workspace_id = w and id = any (records) order by id for update;
    -- The same order of locks as a change of a primary contact: companies before contacts.
    perform from contacts where workspace_id = w and (customer_id = any (p_losers) or customer_id = p_winner and is_primary)
      order by id for update;
  elsif p_of = 'contacts'::regclass then
    above := above or are_primary(records);
    if above then perform lock_primary_contacts(records, '{}'); end if;
  end if;
  execute format('select array(select id from %s where workspace_id = $1 and id = any ($2) and id <> all (current_deletions()) order by id
    for update)', p_of) into there
    using w, records;
  if not above and (p_of = 'companies'::regclass and in_company_tree(records) or p_of = 'contacts'::regclass and are_primary(records)) then
    raise exception using errcode = '40001', message = 'a record of the merge was linked meanwhile';
  end if;
  return there;
end $$;

-- Locks the records of a merge. An error names missing records as winner_id and loser_ids.n.
create or replace function lock_for_merge(p_of regclass, p_what text, p_winner uuid, p_losers uuid[], p_above boolean)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  there constant uuid[] := lock_merged_records(p_of, p_winner, p_losers, p_above);
  issues jsonb;
begin
  select jsonb_agg(jsonb_build_object('path', a.path, 'message', 'No such ' || p_what || ' in this workspace'
    || coalesce(': it was merged into ' || merged_into(a.id), '')) order by a.at) into issues
    from (select 'winner_id' as path, p_winner as id, 0 as at union all select 'loser_ids.' || (l.at - 1), l.id, l.at
      from unnest(p_losers) with ordinality l(id, at)) a
    where a.id <> all (there);
  if issues is not null then perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
end $$;

revoke execute on function in_company_tree, are_primary, lock_merged_records, lock_for_merge(regclass, text, uuid, uuid[], boolean)
  from public;
