/*
  The zone of a contact's local time is stored with it, so that SQL need not know how it is decided:
  src/features/contacts/rules/local-zone.ts does. Beside it is what decided it (zone_basis): fields of the contact with their values, and
  the workspace's zone if that did. The zone stands as long as its basis does. Otherwise it is null, and the background decides it
  (src/features/contacts/work/resolve-zones.ts), as it does for all contacts of a workspace whose own zone has changed.
*/

-- What the zone of a contact is decided by.
create or replace function zone_facts(c contacts) returns jsonb stable language sql
  return jsonb_build_object('timezone', c.timezone, 'state', c.state, 'country', c.country, 'phone', c.phone);

-- Whether a zone that was decided by p_basis stands for a contact with these facts.
create or replace function zone_stands(p_basis jsonb, p_facts jsonb) returns boolean stable language sql
  return p_basis is not null and p_facts @> (p_basis - 'workspace') and (not p_basis ? 'workspace'
    or p_basis ->> 'workspace' = (select w.timezone from workspaces w where w.id = current_workspace()));

-- A zone is stored if it stands: a request may have been planned with other facts. Otherwise the stored one is kept, if that still stands.
create or replace function keep_zone() returns trigger language plpgsql as $$
begin
  if zone_stands(new.zone_basis, zone_facts(new)) then return new; end if;
  if tg_op = 'UPDATE' and zone_stands(old.zone_basis, zone_facts(new)) then
    new.local_zone := old.local_zone;
    new.zone_basis := old.zone_basis;
  else
    new.local_zone := null;
    new.zone_basis := null;
  end if;
  return new;
end $$;
create or replace trigger keep_zone_insert before insert on contacts for each row execute function keep_zone();
create or replace trigger keep_zone_update before update on contacts for each row
  when ((new.local_zone, new.zone_basis, new.timezone, new.state, new.country, new.phone) is distinct from
    (old.local_zone, old.zone_basis, old.timezone, old.state, old.country, old.phone))
  execute function keep_zone();

-- Whether no update will leave a contact without a zone. p_updates: for each its id, the facts that it changes, and the basis that it
-- sends.
create or replace function zones_stay_known(p_updates jsonb) returns boolean stable language sql
  return not exists (select from jsonb_to_recordset(p_updates) u(id uuid, facts jsonb, basis jsonb)
    join contacts c on c.workspace_id = (select current_workspace()) and c.id = u.id
    where c.id = any (array(select (e ->> 'id')::uuid from jsonb_array_elements(p_updates) e))
      and not zone_stands(u.basis, zone_facts(c) || u.facts) and not zone_stands(c.zone_basis, zone_facts(c) || u.facts));

-- Notes that the zones of all contacts must be decided again. A minute later, no transaction that read the workspace's former zone is still
-- open.
create or replace function note_zone_change() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into zone_work (workspace_id, walk_from, walk_at, due_at)
    values (new.id, '00000000-0000-0000-0000-000000000000', now() + interval '1 minute', now() + interval '1 minute')
    on conflict (workspace_id) do update set walk_from = excluded.walk_from, walk_at = excluded.walk_at;
  return null;
end $$;
create or replace trigger zone_change after update of timezone on workspaces for each row when (new.timezone <> old.timezone)
  execute function note_zone_change();

-- At most p_limit workspaces with contacts whose zone must be decided, and that no message has worked on for a minute.
create or replace function claim_zone_work(p_limit int) returns setof uuid security definer set search_path = public, pg_temp
  language plpgsql as $$
begin
  insert into zone_work (workspace_id, due_at)
    with recursive unresolved(w) as (
      (select workspace_id from contacts where local_zone is null order by workspace_id limit 1)
      union all select (select c.workspace_id from contacts c where c.local_zone is null and c.workspace_id > u.w
        order by c.workspace_id limit 1)
        from unresolved u where u.w is not null
    )
    select u.w, date_trunc('milliseconds', now()) from unresolved u where u.w is not null
      and not exists (select from zone_work z where z.workspace_id = u.w) limit p_limit
    on conflict do nothing;
  return query update zone_work set due_at = now() + interval '1 minute' where workspace_id = any (array(
      select z.workspace_id from zone_work z where z.due_at <= now() order by z.due_at limit p_limit for update skip locked))
    returning workspace_id;
end $$;

/*
  The next contacts whose zone must be decided, at most p_limit: those without a zone, then those that a change of the workspace's zone may
  affect. Null if there is no work. `from` and `to`: the part of that walk which the contacts cover; `to` is null at its end.
*/
create or replace function zone_batch(p_workspace uuid, p_limit int) returns jsonb security definer set search_path = public, pg_temp
  language plpgsql as $$
declare
  work zone_work;
  ids uuid[];
  walked uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into work from zone_work where workspace_id = p_workspace;
  if work is null then return null; end if;
  ids := array(select id from contacts where workspace_id = p_workspace and local_zone is null order by id limit p_limit);
  if cardinality(ids) < p_limit and work.walk_at <= now() then
    walked := array(select id from contacts where workspace_id = p_workspace and id > work.walk_from order by id
      limit p_limit - cardinality(ids));
  end if;
  return jsonb_build_object('zone', (select w.timezone from workspaces w where w.id = p_workspace),
    'contacts', (select coalesce(jsonb_agg(zone_facts(c) || jsonb_build_object('id', c.id)), '[]') from contacts c
      where c.workspace_id = p_workspace and c.id = any (ids || walked)),
    'from', case when walked is not null then work.walk_from end,
    'to', case when cardinality(walked) = p_limit - cardinality(ids) then walked[cardinality(walked)] end);
end $$;

-- Stores the zones of a batch (local_zone and zone_basis by id) and its place in the walk. Returns whether another batch may follow at
-- once. This is no change of the contacts: it writes no version, history entry or event.
create or replace function save_zone_batch(p_workspace uuid, p_batch jsonb, p_zones jsonb, p_limit int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  changed int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from contacts where workspace_id = p_workspace
    and id = any (array(select (z ->> 'id')::uuid from jsonb_array_elements(p_zones) z))
    order by id for update;
  update contacts c set local_zone = z.local_zone, zone_basis = z.zone_basis
    from jsonb_to_recordset(p_zones) z(id uuid, local_zone text, zone_basis jsonb)
    where c.workspace_id = p_workspace and c.id = z.id and c.local_zone is distinct from z.local_zone;
  get diagnostics changed = row_count;
  update zone_work set due_at = now() + interval '1 minute',
      walk_from = case when walk_from::text = p_batch ->> 'from' then (p_batch ->> 'to')::uuid else walk_from end
    where workspace_id = p_workspace;
  update zone_work set walk_at = null where workspace_id = p_workspace and walk_from is null;
  if jsonb_array_length(p_zones) = p_limit then return changed > 0 or p_batch ->> 'from' is not null; end if;
  update zone_work set due_at = greatest(walk_at, now()) where workspace_id = p_workspace;
  delete from zone_work where workspace_id = p_workspace and walk_from is null;
  return false;
end $$;

revoke execute on function note_zone_change, claim_zone_work, zone_batch, save_zone_batch from public, app;
grant execute on function claim_zone_work, zone_batch, save_zone_batch to jobs;
