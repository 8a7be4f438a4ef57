/*
  Approval policies decide which writes wait for approval although the caller could execute them. A policy is about what a write does: the
  events that it causes, and the scopes that it needs. It is evaluated at the end of the transaction, so it holds the write however it is
  sent: as a single or a bulk call, an upsert, a merge, an import or a step of an automation. begin_request lists the policies about the
  caller; without one, nothing else happens. An executed approval is evaluated again, with the requester's key and role, and was decided by
  somebody whom each policy accepts (assert_decider).
*/

-- The active policies about a principal, which evaluates to null if there are none. Those without a role and a key are about everyone.
create or replace function policies_about(a authority) returns uuid[] stable language sql as $$
  select array_agg(p.id) from approval_policies p
    where p.workspace_id = (select current_workspace()) and p.is_active and is_about(p, a.role, a.key_id)
$$;

create or replace function is_about(p approval_policies, p_role text, p_key uuid) returns boolean immutable language sql
  return p.requester_roles = '{}' and p.requester_key_ids = '{}' or coalesce(p_role = any (p.requester_roles), false)
    or coalesce(p_key = any (p.requester_key_ids), false);

/*
  The policies that hold what this transaction has written so far, or null. A value of an opportunity counts before and after the write, and
  an unknown one (of an erased record) exceeds every bound. The start of an import counts as all its lines, and matches every policy about
  its kind of record, except those about merges and purges.
*/
create or replace function matching_policies() returns uuid[] stable set search_path = public, pg_temp language plpgsql as $$
declare
  about constant uuid[] := nullif(current_setting('app.policies', true), '');
  needed constant text[] := array(select s from unnest(nullif(current_setting('app.required', true), '')::text[]) s
    where s <> 'admin' and s not like '%:read' and split_part(s, ':', 1) not in ('approvals', 'approval-policies'));
  began constant uuid := id_at(now());
begin
  if about is null then return null; end if;
  return (
    with written as materialized (
      select o.type, o.entity_id, o.payload, c.fields from outbox o left join changes c on c.workspace_id = o.workspace_id and c.id = o.id
        where o.workspace_id = (select current_workspace()) and o.request_id = current_request_id() and o.id >= began
          and o.entity <> 'approval'
    ), amounts as materialized (
      select entity_id, max(value) as value, array_agg(currency) as currencies, bool_or(w.type = 'opportunity.purged') as is_erased
        from written w, lateral (values
        ((w.payload ->> 'value')::numeric, w.payload ->> 'currency'),
        ((w.fields #>> '{value,before}')::numeric, w.fields #>> '{currency,before}')) v(value, currency)
        where w.type like 'opportunity.%' group by entity_id
    ), started as materialized (
      select imported_entity(i.object) as entity, f.total from written w
        join imports i on i.workspace_id = (select current_workspace()) and i.id = w.entity_id and i.state in ('running', 'undoing')
        join import_files f on f.workspace_id = i.workspace_id and f.import_id = i.id
        where w.type = 'import.updated' and w.fields ? 'state'
    )
    select array_agg(p.id order by p.id) from approval_policies p
      cross join lateral (select count(distinct w.entity_id) as records from written w left join amounts a on a.entity_id = w.entity_id
        where (p.events = '{}' or w.type = any (p.events)) and (p.value_over is null or (a.is_erased or a.value > p.value_over)
          and (p.currency is null or p.currency = any (a.currencies) or array_remove(a.currencies, null) = '{}'))) single
      cross join lateral (select max(s.total) as records from started s where p.events = '{}' or exists (select from unnest(p.events) e
        where split_part(e, '.', 1) = s.entity and split_part(e, '.', 2) not in ('merged', 'unmerged', 'purged'))) import
    where p.workspace_id = (select current_workspace()) and p.id = any (about)
      and (p.scopes = '{}' or exists (select from unnest(needed) s where lacking_scopes(p.scopes, array[s]) is null))
      and (greatest(single.records, import.records) > coalesce(p.more_than, 0) or p.events = '{}' and p.more_than is null));
end $$;

-- The names of policies, for messages, with their ids.
create or replace function policy_details(p_ids uuid[]) returns jsonb stable language sql as $$
  select jsonb_build_object('ids', to_jsonb(p_ids), 'policies', (select coalesce(jsonb_agg(name order by id), '[]') from approval_policies
    where workspace_id = (select current_workspace()) and id = any (p_ids)))
$$;

-- Refuses a write that a policy holds, where it cannot wait: an upload, a new key, a line of an import. The lines of an import whose start
-- was approved were approved with it, by somebody whom the policy must accept.
create or replace function assert_unheld() returns boolean language plpgsql as $$
declare
  held constant uuid[] := matching_policies();
  approval approvals;
begin
  if held is not null and current_setting('app.mode', true) = 'import' then
    select * into approval from approvals where workspace_id = (select current_workspace())
      and id = nullif(current_setting('app.approval_id', true), '')::uuid;
  end if;
  if approval.id is not null then
    perform assert_decider(held, approval.decided_by, approval.requested_by, approval.edited_by);
  elsif held is not null then
    perform fail('FORBIDDEN', case current_setting('app.mode', true) when 'import'
      then 'An approval policy holds what this import writes: start it again with require_approval'
      else 'An approval policy holds this write, which cannot wait for approval' end, policy_details(held));
  end if;
  return true;
end $$;

-- Asserts that each of these policies accepts the decision of a member about a request: the member has one of its roles, and neither made
-- nor edited the request.
create or replace function assert_decider(p_policies uuid[], p_user uuid, p_requester uuid, p_editor uuid)
  returns void language plpgsql as $$
declare
  role constant text := (select m.role from memberships m where m.workspace_id = (select current_workspace()) and m.user_id = p_user);
  refusing approval_policies;
begin
  select * into refusing from approval_policies p where p.workspace_id = (select current_workspace()) and p.id = any (p_policies)
    and (p.approver_roles <> '{}' and role <> all (p.approver_roles)
      or not p.requester_may_approve and (p_user = p_requester or p_user is not distinct from p_editor)) order by p.id limit 1;
  if refusing.id is null then return; end if;
  perform fail('FORBIDDEN', format('The approval policy "%s" takes %s', refusing.name, case
    when refusing.approver_roles <> '{}' and role <> all (refusing.approver_roles)
      then 'an approver with the role ' || array_to_string(refusing.approver_roles, ' or ')
    else 'an approver who neither made nor edited the request' end), jsonb_build_object('ids', jsonb_build_array(refusing.id)));
end $$;

/*
  Asserts what a stored policy needs beyond its own fields: roles and keys that exist, and a value only with events of opportunities. A
  workspace has at most 100 policies, because every write of a caller whom they are about evaluates them.
*/
create or replace function assert_policy(p_id uuid) returns void language plpgsql as $$
declare
  p approval_policies;
begin
  select * into p from approval_policies where workspace_id = (select current_workspace()) and id = p_id;
  perform fail_paths(array(select format('%s.%s', l.field, n - 1) from (values ('requester_roles', p.requester_roles),
      ('approver_roles', p.approver_roles)) l(field, keys), unnest(l.keys) with ordinality u(key, n)
    where not exists (select from roles r where r.workspace_id = p.workspace_id and r.role_key = key)),
      'No such role in this workspace: see GET /roles');
  perform fail_paths(array(select format('requester_key_ids.%s', n - 1) from unnest(p.requester_key_ids) with ordinality u(key, n)
    where not exists (select from api_keys k where k.workspace_id = p.workspace_id and k.id = key)), 'does not exist in this workspace');
  if p.value_over is not null and (p.events = '{}' or exists (select from unnest(p.events) e where e not like 'opportunity.%')) then
    perform fail_field('value_over', 'can only be set with events of opportunities, such as opportunity.won');
  end if;
  if p.currency is not null and p.value_over is null then perform fail_field('currency', 'can only be set with value_over'); end if;
  perform assert_condition((select count(*)
    from (select from approval_policies a where a.workspace_id = p.workspace_id limit 101) counted) <= 100,
    'CONFLICT', 'A workspace has at most 100 approval policies: delete one first');
end $$;

/*
  A key whose secret a caller receives, new or rotated, has the policies of the caller's key: one that names the caller's key or role, and
  is not about the other key, names that key from then on.
*/
create or replace function pass_policies_on() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  a constant authority := current_authority();
  owner_role constant text := (select role from memberships where workspace_id = new.workspace_id and user_id = new.user_id);
begin
  if a.workspace_id is distinct from new.workspace_id then return null; end if;
  perform assert_condition(not exists (select from approval_policies p where p.workspace_id = new.workspace_id
      and cardinality(p.requester_key_ids) >= 1000 and is_about(p, a.role, a.key_id) and not is_about(p, owner_role, new.id)),
    'CONFLICT', 'An approval policy names at most 1,000 keys');
  update approval_policies p set requester_key_ids = p.requester_key_ids || new.id
    where p.workspace_id = new.workspace_id and is_about(p, a.role, a.key_id) and not is_about(p, owner_role, new.id);
  return null;
end $$;
create or replace trigger pass_policies_on after insert on api_keys for each row execute function pass_policies_on();
create or replace trigger pass_policies_on_again after update of key_hash on api_keys for each row
  when (old.key_hash is distinct from new.key_hash) execute function pass_policies_on();

-- A caller does not escape from a policy about its role by giving a member another one, unless it may change the policy itself.
create or replace function keep_policies() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  a constant authority := current_authority();
  escaped uuid[];
begin
  if a.workspace_id is distinct from new.workspace_id or has_scopes('{approval-policies:write}') and a.admin then return new; end if;
  escaped := array(select p.id from approval_policies p where p.workspace_id = new.workspace_id and is_about(p, a.role, a.key_id)
    and old.role = any (p.requester_roles) and new.role <> all (p.requester_roles));
  if escaped <> '{}' then
    perform fail('FORBIDDEN', 'An approval policy about this role is also about you: only a client_admin who may change it can do this',
      policy_details(escaped));
  end if;
  return new;
end $$;
create or replace trigger keep_policies before update of role on memberships for each row
  when (old.role is distinct from new.role) execute function keep_policies();

-- A role that a policy names stays.
create or replace function keep_named_role() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  naming constant uuid[] := array(select p.id from approval_policies p where p.workspace_id = old.workspace_id
    and old.role_key = any (p.requester_roles || p.approver_roles) order by p.id);
begin
  if naming <> '{}' then
    perform fail('CONFLICT', 'Approval policies name this role: change them first', policy_details(naming));
  end if;
  return old;
end $$;
create or replace trigger keep_named before delete on roles for each row execute function keep_named_role();

revoke execute on function pass_policies_on, keep_policies, keep_named_role from public;
