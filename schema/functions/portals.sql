-- What the token of a portal grants: nothing but the workspace, until the portal expires or is revoked. A stakeholder must belong to a type
-- that may have portals. Null for an unknown token.
create or replace function portal_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', p.workspace_id, 'scopes', '[]'::jsonb, 'expires_at', p.expires_at) from portals p
    where p.token_hash = decode(p_hash, 'hex') and p.revoked_at is null and p.expires_at > now()
      and (p.kind <> 'stakeholder' or exists (select from stakeholder_members m join stakeholder_types t on t.workspace_id = m.workspace_id
        and t.id = m.type_id where m.workspace_id = p.workspace_id and m.contact_id = p.contact_id and t.portal_eligible))
$$;
revoke execute on function portal_grant from public;
grant execute on function portal_grant to app;

-- What the page of a portal needs before anybody has entered the PIN.
create or replace function portal_door(p_hash text) returns jsonb stable language sql as $$
  select jsonb_build_object('id', p.id, 'pin_seed', p.pin_seed, 'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color))
    from portals p cross join workspaces w where p.token_hash = decode(p_hash, 'hex')
$$;

/*
  Compares the hash of a PIN: {"open": true}, {"open": false}, or {"locked": minutes}. Wrong PINs are counted for the portal and for the
  network of the visitor; p_most of them lock it for p_minutes, in which no PIN is compared.
*/
create or replace function enter_portal(p_portal uuid, p_pin_hash text, p_network text, p_most int, p_minutes int)
  returns jsonb language plpgsql as $$
declare
  network constant bytea := decode(p_network, 'hex');
  door portals;
  tries portal_attempts;
  locked timestamptz;
begin
  insert into portal_attempts (network_hash) values (network) on conflict do nothing;
  select * into tries from portal_attempts where network_hash = network for update;
  select * into door from portals where id = p_portal for update;
  locked := greatest(door.locked_until, tries.locked_until);
  if locked > now() then return jsonb_build_object('locked', ceil(extract(epoch from locked - now()) / 60)::int); end if;
  if encode(door.pin_hash, 'hex') = p_pin_hash then
    update portals set failed_attempts = 0, locked_until = null, last_viewed_at = now() where id = p_portal;
    delete from portal_attempts where network_hash = network;
    return '{"open": true}';
  end if;
  update portals set failed_attempts = case when failed_attempts + 1 >= p_most then 0 else failed_attempts + 1 end,
    locked_until = case when failed_attempts + 1 >= p_most then now() + make_interval(mins => p_minutes) end
    where id = p_portal returning locked_until into door.locked_until;
  update portal_attempts set failed_attempts = case when failed_attempts + 1 >= p_most then 0 else failed_attempts + 1 end,
    locked_until = case when failed_attempts + 1 >= p_most then now() + make_interval(mins => p_minutes) end, failed_at = now()
    where network_hash = network returning locked_until into tries.locked_until;
  locked := greatest(door.locked_until, tries.locked_until);
  return case when locked > now() then jsonb_build_object('locked', p_minutes) else '{"open": false}' end;
end $$;

-- What the page of a portal shows: at most p_most work orders, and for a stakeholder as many tasks. Null for a session of another PIN.
create or replace function portal_page(p_hash text, p_pin_seed uuid, p_most int) returns jsonb stable language plpgsql as $$
declare
  door constant portals := (select row(p.*)::portals from portals p where p.token_hash = decode(p_hash, 'hex') and p.pin_seed = p_pin_seed);
begin
  if door.id is null then return null; end if;
  return (select jsonb_build_object('kind', door.kind, 'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color),
      'zone', w.timezone, 'about', (select o.name from opportunities o where o.id = door.deal_id),
      'work_orders', portal_work_orders(door, p_most),
      'tasks', case when door.kind = 'stakeholder' then (select coalesce(jsonb_agg(jsonb_build_object('title', t.title, 'status', t.status,
        'due_at', iso(t.due_at), 'all_day', t.all_day) order by t.due_at nulls last, t.id), '[]')
          from (select t.* from task_stakeholders s join tasks t on t.workspace_id = s.workspace_id and t.id = s.task_id
            where s.contact_id = door.contact_id and not t.archived order by s.id desc limit p_most) t)
        else '[]' end)
    from workspaces w);
end $$;

create or replace function portal_work_orders(door portals, p_most int) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(jsonb_build_object('title', w.title, 'status', s.label, 'is_done', s.is_done, 'schedule_date', w.schedule_date,
      'schedule_time', w.schedule_time, 'assignee', (select p.name from member_profile(w.workspace_id, w.assigned_to) p),
        'address', w.address)
      order by w.schedule_date nulls last, w.schedule_time nulls first, w.created_at, w.id), '[]')
    from (
      (select o.* from work_orders o where door.kind = 'work_status' and o.deal_id = door.deal_id order by o.created_at, o.id limit p_most)
      union all (select o.* from work_order_stakeholders k join work_orders o on o.workspace_id = k.workspace_id and o.id = k.work_order_id
        where door.kind = 'stakeholder' and k.contact_id = door.contact_id order by k.id desc limit p_most)) w
    join work_order_statuses s on s.workspace_id = w.workspace_id and s.id = w.status_id
$$;

-- Opens a portal, or gives the one that there is for the same person and opportunity another token and PIN.
create or replace function open_portal(p portals) returns uuid language plpgsql as $$
declare
  opened uuid;
begin
  update portals set token_hash = p.token_hash, token_seed = p.token_seed, pin_hash = p.pin_hash, pin_seed = p.pin_seed,
    failed_attempts = 0, locked_until = null, revoked_at = null, expires_at = p.expires_at
    where kind = p.kind and contact_id = p.contact_id and deal_id is not distinct from p.deal_id returning id into opened;
  if opened is null then
    insert into portals (id, kind, deal_id, contact_id, token_hash, token_seed, pin_hash, pin_seed, expires_at)
      values (p.id, p.kind, p.deal_id, p.contact_id, p.token_hash, p.token_seed, p.pin_hash, p.pin_seed, p.expires_at)
      returning id into opened;
  end if;
  return opened;
end $$;

-- The seeds of the portal that a message is about, and whether it still has them: the key of the message ends with the one that it is
-- about.
create or replace function message_portal(p_workspace uuid, p_message uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('token_seed', p.token_seed, 'token_hash', encode(p.token_hash, 'hex'), 'pin_seed', p.pin_seed,
      'is_current', p.revoked_at is null and p.expires_at > now()
      and k.seed = case k.what when 'portal' then p.token_seed else p.pin_seed end)
    from (select split_part(m.dedupe_key, ':', 1) as what, split_part(m.dedupe_key, ':', 2)::uuid as seed, m.contact_id from messages m
      where m.workspace_id = p_workspace and m.id = p_message and split_part(m.dedupe_key, ':', 1) in ('portal', 'portal_pin')) k
    join portals p on p.workspace_id = p_workspace and p.contact_id = k.contact_id and k.seed in (p.token_seed, p.pin_seed)
$$;
revoke execute on function message_portal from public, app;

-- Deletes what is known of networks whose last wrong PIN is more than a day old; at most p_limit rows.
create or replace function expire_portal_attempts(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n int;
begin
  delete from portal_attempts where (workspace_id, network_hash) in (select workspace_id, network_hash from portal_attempts
    where failed_at < now() - interval '1 day' order by failed_at limit p_limit for update skip locked);
  get diagnostics n = row_count;
  return n;
end $$;
revoke execute on function expire_portal_attempts from public, app;
grant execute on function expire_portal_attempts to jobs;
