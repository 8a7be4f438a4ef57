-- Tenancy, references, history and events. Written by hand; tables come from schema/*.ts (0001).

-- Raises an error that the Worker answers as `code` with `message` and `details`.
create function fail(code text, message text, details jsonb default null) returns void language plpgsql as $$
begin
  raise exception using errcode = 'WK000', message = message, detail = jsonb_build_object('code', code, 'details', details)::text;
end $$;
--> statement-breakpoint
-- A guard among the statements of a request: unless `ok`, nothing of the request happens.
create function ensure(ok boolean, code text, message text, details jsonb default null) returns boolean language plpgsql as $$
begin
  if ok is not true then perform fail(code, message, details); end if;
  return true;
end $$;
--> statement-breakpoint
-- As ensure, for a record about to be changed: `present` is its version, locked; `expected` what If-Match named.
create function ensure_version(present int, expected int, what text) returns boolean language plpgsql as $$
begin
  if present is null then perform fail('NOT_FOUND', 'No such ' || what || ' in this workspace'); end if;
  if present <> expected then
    perform fail('PRECONDITION_FAILED', 'The ' || what || ' has changed: read it again and send its ETag as If-Match', jsonb_build_object('version', present));
  end if;
  return true;
end $$;
--> statement-breakpoint
-- ISO 8601 UTC with milliseconds, for instants inside JSON.
create function iso(value timestamptz) returns text immutable strict parallel safe language sql
  return to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
--> statement-breakpoint
create function current_user_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.user_id', true), '')::uuid;
--> statement-breakpoint
create function current_key_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.key_id', true), '')::uuid;
--> statement-breakpoint

-- Rows of a tenant table exist for their own workspace only, whoever asks. `rights` is what the app role may do.
create procedure tenant_table(name text, rights text default 'select, insert, update, delete') language plpgsql as $$
begin
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant on %I using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))', name);
  execute format('grant %s on %I to app', rights, name);
end $$;
--> statement-breakpoint
-- A reference within the workspace. Its constraint name tells the field: <table>.<column>.
create procedure tenant_reference(child text, col text, parent text, on_delete text default 'no action') language plpgsql as $$
begin
  execute format('alter table %I add constraint %I foreign key (workspace_id, %I) references %I (workspace_id, %I) on delete %s',
    child, child || '.' || col, col, parent, case parent when 'memberships' then 'user_id' else 'id' end,
    case on_delete when 'set null' then format('set null (%I)', col) else on_delete end);
end $$;
--> statement-breakpoint

-- One record's change, field by field, and its event, both with who did it in which request.
create function log_change(p_entity text, p_key text, old jsonb, new jsonb) returns void language plpgsql security definer set search_path = public as $$
declare
  hidden constant text[] := array['workspace_id', 'version', 'created_at', 'updated_at', 'name_norm', 'search_text', 'value_minor', 'key_hash', 'request', 'changes', 'answer', 'response_body'];
  shown jsonb;
  change changes;
begin
  if old is null then
    select jsonb_object_agg(k, jsonb_build_object('after', v)) into shown from jsonb_each(new) e(k, v) where k <> all (hidden) and v <> 'null';
  elsif new is null then
    select jsonb_object_agg(k, jsonb_build_object('before', v)) into shown from jsonb_each(old) e(k, v) where k <> all (hidden) and v <> 'null';
  else
    select jsonb_object_agg(k, jsonb_build_object('before', old -> k, 'after', v)) into shown from jsonb_each(new) e(k, v)
      where k <> all (hidden) and v is distinct from old -> k;
    if shown is null then return; end if;
  end if;
  insert into changes (workspace_id, request_id, key_id, user_id, entity, entity_id, action, fields, version)
    select coalesce(r ->> 'workspace_id', r ->> 'id')::uuid, nullif(current_setting('app.request_id', true), ''), current_key_id(), current_user_id(),
      p_entity, (r ->> p_key)::uuid, case when old is null then 'created' when new is null then 'deleted' else 'updated' end, coalesce(shown, '{}'),
      coalesce((r ->> 'version')::int, 1) + (new is null)::int
    from (select coalesce(new, old) as r) record
    returning * into change;
  insert into outbox (workspace_id, id, type, entity, entity_id, payload, skip_automations, request_id, key_id, user_id)
    values (change.workspace_id, change.id, p_entity || '.' || change.action, p_entity, change.entity_id, '{}',
      current_setting('app.skip_automations', true) is not distinct from 'true', change.request_id, change.key_id, change.user_id);
end $$;
--> statement-breakpoint
-- After each statement: what it did to every row.
create function record_changes() returns trigger language plpgsql security definer set search_path = public as $$
declare
  entity text := tg_argv[0];
  key text := tg_argv[1];
begin
  if tg_op = 'INSERT' then
    perform log_change(entity, key, null, to_jsonb(n)) from new_rows n;
  elsif tg_op = 'DELETE' then
    perform log_change(entity, key, to_jsonb(o), null) from old_rows o;
  else
    perform log_change(entity, key, o.j, n.j) from (select to_jsonb(r) as j from old_rows r) o join (select to_jsonb(r) as j from new_rows r) n
      on n.j ->> key = o.j ->> key and n.j ->> 'workspace_id' is not distinct from o.j ->> 'workspace_id';
  end if;
  return null;
end $$;
--> statement-breakpoint
-- The version and updated_at of a row move when something of it really changes. Its arguments are the generated columns, which are not known yet.
create function touch() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - coalesce(tg_argv, '{}') is distinct from to_jsonb(old) - coalesce(tg_argv, '{}') then
    new.version := old.version + 1;
    new.updated_at := greatest(now(), old.updated_at);
  end if;
  return new;
end $$;
--> statement-breakpoint
create procedure tracked_table(name text, entity text, key text default 'id') language plpgsql as $$
begin
  execute format('create trigger touch before update on %I for each row execute function touch(%s)', name,
    (select coalesce(string_agg(quote_literal(attname), ', '), '') from pg_attribute where attrelid = name::regclass and attgenerated <> ''));
  execute format('create trigger record_insert after insert on %I referencing new table as new_rows for each statement execute function record_changes(%L, %L)', name, entity, key);
  execute format('create trigger record_update after update on %I referencing old table as old_rows new table as new_rows for each statement execute function record_changes(%L, %L)', name, entity, key);
  execute format('create trigger record_delete after delete on %I referencing old table as old_rows for each statement execute function record_changes(%L, %L)', name, entity, key);
end $$;
--> statement-breakpoint
-- An event that is more than a change of a row, e.g. opportunity.won.
create function emit(p_type text, p_entity text, p_entity_id uuid, p_payload jsonb default '{}') returns void language sql security definer set search_path = public as $$
  insert into outbox (type, entity, entity_id, payload, skip_automations, request_id, key_id, user_id)
  values (p_type, p_entity, p_entity_id, p_payload, current_setting('app.skip_automations', true) is not distinct from 'true', nullif(current_setting('app.request_id', true), ''), current_key_id(), current_user_id())
$$;
--> statement-breakpoint

call tenant_table('memberships');
call tenant_table('member_connections');
call tenant_table('api_keys', 'insert, update');
call tenant_table('crm_settings', 'select, update');
call tenant_table('lead_sources');
call tenant_table('contacts');
call tenant_table('employers');
call tenant_table('companies');
call tenant_table('pipelines');
call tenant_table('stages');
call tenant_table('opportunities');
call tenant_table('stage_moves', 'select');
call tenant_table('opportunity_contacts');
call tenant_table('opportunity_users');
call tenant_table('products');
call tenant_table('opportunity_products');
call tenant_table('changes', 'select');
call tenant_table('outbox', 'select');
call tenant_table('idempotency', 'select');
call tenant_table('approvals', 'select');
--> statement-breakpoint
-- A key's hash is for begin_request alone.
grant select (workspace_id, id, user_id, name, public_id, scopes, level, expires_at, revoked_at, version, created_at, updated_at) on api_keys to app;
--> statement-breakpoint
alter table workspaces enable row level security;
alter table workspaces force row level security;
create policy tenant on workspaces using (id = (select current_workspace())) with check (id = (select current_workspace()));
grant select, update on workspaces to app;
--> statement-breakpoint
alter table users enable row level security;
alter table users force row level security;
create policy colleagues on users for select using (exists (select 1 from memberships m where m.user_id = users.id));
grant select on users to app;
--> statement-breakpoint

alter table workspaces add constraint slug_is_clean check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$');
alter table memberships add foreign key (workspace_id) references workspaces on delete cascade;
alter table crm_settings add foreign key (workspace_id) references workspaces on delete cascade;
call tenant_reference('memberships', 'manager_user_id', 'memberships', 'set null');
call tenant_reference('memberships', 'default_pipeline_id', 'pipelines', 'set null');
call tenant_reference('member_connections', 'user_id', 'memberships', 'cascade');
call tenant_reference('api_keys', 'user_id', 'memberships');
call tenant_reference('contacts', 'source_id', 'lead_sources');
call tenant_reference('contacts', 'customer_id', 'companies', 'set null');
call tenant_reference('contacts', 'referrer_opportunity_id', 'opportunities', 'set null');
call tenant_reference('employers', 'contact_id', 'contacts', 'cascade');
call tenant_reference('employers', 'customer_id', 'companies', 'cascade');
call tenant_reference('companies', 'parent_company_id', 'companies');
call tenant_reference('companies', 'assigned_to', 'memberships');
call tenant_reference('stages', 'pipeline_id', 'pipelines', 'cascade');
call tenant_reference('opportunities', 'pipeline_id', 'pipelines');
call tenant_reference('opportunities', 'stage_id', 'stages');
call tenant_reference('opportunities', 'assigned_to', 'memberships');
call tenant_reference('opportunities', 'customer_id', 'companies');
call tenant_reference('stage_moves', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('opportunity_contacts', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('opportunity_contacts', 'contact_id', 'contacts', 'cascade');
call tenant_reference('opportunity_users', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('opportunity_users', 'user_id', 'memberships', 'cascade');
call tenant_reference('opportunity_products', 'opportunity_id', 'opportunities', 'cascade');
call tenant_reference('opportunity_products', 'product_id', 'products');
--> statement-breakpoint

call tracked_table('workspaces', 'workspace');
call tracked_table('memberships', 'member', 'user_id');
call tracked_table('api_keys', 'api_key');
call tracked_table('crm_settings', 'crm_settings', 'workspace_id');
call tracked_table('lead_sources', 'lead_source');
call tracked_table('contacts', 'contact');
call tracked_table('employers', 'employer');
call tracked_table('companies', 'company');
call tracked_table('pipelines', 'pipeline');
call tracked_table('stages', 'stage');
call tracked_table('opportunities', 'opportunity');
call tracked_table('opportunity_contacts', 'opportunity_contact');
call tracked_table('opportunity_users', 'opportunity_user');
call tracked_table('products', 'product');
call tracked_table('opportunity_products', 'opportunity_product');
call tracked_table('approvals', 'approval');
--> statement-breakpoint

-- A contact's main company is one of its employers, and the only link becomes the main one.
create function link_main_company() returns trigger language plpgsql as $$
begin
  insert into employers (workspace_id, contact_id, customer_id) values (new.workspace_id, new.id, new.customer_id) on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger link_company_insert after insert on contacts for each row when (new.customer_id is not null) execute function link_main_company();
create trigger link_company_update after update of customer_id on contacts for each row when (new.customer_id is not null and new.customer_id is distinct from old.customer_id) execute function link_main_company();
--> statement-breakpoint
create function choose_main_company() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update contacts set customer_id = new.customer_id where workspace_id = new.workspace_id and id = new.contact_id and customer_id is null;
  else
    update contacts set is_primary = false,
      customer_id = (select e.customer_id from employers e where e.workspace_id = old.workspace_id and e.contact_id = old.contact_id order by e.id limit 1)
      where workspace_id = old.workspace_id and id = old.contact_id and (customer_id = old.customer_id or customer_id is null);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger choose_company_insert after insert on employers for each row execute function choose_main_company();
create trigger choose_company_delete after delete on employers for each row execute function choose_main_company();
--> statement-breakpoint
-- Who leaves a company is its primary contact no longer.
create function leave_company() returns trigger language plpgsql as $$
begin
  new.is_primary := false;
  return new;
end $$;
--> statement-breakpoint
create trigger leave_company before update of customer_id on contacts for each row
  when (new.customer_id is null and old.customer_id is not null and new.is_primary) execute function leave_company();
--> statement-breakpoint
-- One primary contact a company: who becomes it takes it from the one who was. The company's lock keeps two at once apart.
create function hand_over_primary() returns trigger language plpgsql as $$
begin
  perform from companies where workspace_id = new.workspace_id and id = new.customer_id for no key update;
  if exists (select from contacts where workspace_id = new.workspace_id and id = new.id and is_primary) then
    update contacts set is_primary = false where workspace_id = new.workspace_id and customer_id = new.customer_id and is_primary and id <> new.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger primary_insert after insert on contacts for each row when (new.is_primary and new.customer_id is not null) execute function hand_over_primary();
create trigger primary_update after update of is_primary, customer_id on contacts for each row when (new.is_primary and new.customer_id is not null) execute function hand_over_primary();
--> statement-breakpoint

-- Where a new card lands: on the first stage of the pipeline; of the default one, or else the oldest.
create function first_stage(p_pipeline uuid) returns uuid stable language sql as $$
  select s.id from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
  where s.workspace_id = current_workspace() and case when p_pipeline is null then not p.archived else p.id = p_pipeline end
  order by p.is_default desc, p.created_at, p.id, s.position, s.id limit 1
$$;
--> statement-breakpoint
-- Of the reasons given, those that the workspace's list has, as the list spells them.
create function known_reasons(p_kind text, p_given text[]) returns text[] stable language sql as $$
  select case when p_given is null then null else nullif(array(
    select o from unnest(p_given) with ordinality g(v, i)
    join unnest(case p_kind when 'lost' then s.lost_reasons else s.won_reasons end) o on norm(o) = norm(v) group by o order by min(i)), '{}') end
  from crm_settings s where s.workspace_id = current_workspace()
$$;
--> statement-breakpoint

-- A card's pipeline, status, probability, times and reasons follow the stage that it stands on, whatever put it there.
create function place_opportunity() returns trigger language plpgsql as $$
declare
  stage stages;
  landed boolean := tg_op = 'INSERT' or new.stage_id is distinct from old.stage_id;
begin
  if tg_op = 'INSERT' then new.stage_id := coalesce(new.stage_id, first_stage(new.pipeline_id)); end if;
  if new.stage_id is not null then
    select * into stage from stages where workspace_id = new.workspace_id and id = new.stage_id;
    if not found then return new; end if; -- the foreign key says so
    new.pipeline_id := stage.pipeline_id;
    if landed then
      new.status := stage.kind;
      new.stage_entered_at := now();
    end if;
    if landed or new.status <> old.status then new.probability := stage.probability; end if;
  elsif landed and tg_op = 'UPDATE' then
    new.pipeline_id := null;
    new.stage_entered_at := null;
  end if;
  if tg_op = 'UPDATE' and ((landed and new.stage_id is not null) or new.status <> old.status) then
    if new.status <> 'lost' then new.lost_reasons := null; end if;
    if new.status <> 'won' then new.won_reasons := null; end if;
  end if;
  if new.status <> 'open' then
    if tg_op = 'UPDATE' and new.status <> old.status and new.closed_at is not distinct from old.closed_at then new.closed_at := now(); end if;
    new.closed_at := coalesce(new.closed_at, now());
  elsif tg_op = 'UPDATE' and new.closed_at is not distinct from old.closed_at then
    new.closed_at := null;
  elsif new.closed_at is not null then
    perform fail('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', jsonb_build_array(jsonb_build_object('path', 'closed_at', 'message', 'Only a won or lost opportunity has closed_at: move it to such a stage'))));
  end if;
  return new;
end $$;
--> statement-breakpoint
create trigger place before insert or update of stage_id, pipeline_id, status, closed_at on opportunities for each row execute function place_opportunity();
--> statement-breakpoint
create function record_move(old opportunities, new opportunities) returns void language plpgsql security definer set search_path = public as $$
declare
  was stages;
  is_now stages;
begin
  select * into was from stages where workspace_id = new.workspace_id and id = old.stage_id;
  select * into is_now from stages where workspace_id = new.workspace_id and id = new.stage_id;
  if new.stage_id is distinct from old.stage_id then
    insert into stage_moves (workspace_id, opportunity_id, from_pipeline_id, from_stage_id, from_stage_name, to_pipeline_id, to_stage_id, to_stage_name, seconds_in_stage, moved_by)
      values (new.workspace_id, new.id, was.pipeline_id, was.id, was.name, is_now.pipeline_id, is_now.id, is_now.name,
        case when was.id is not null then extract(epoch from now() - old.stage_entered_at)::bigint end, current_user_id());
  end if;
  if old.id is not null and new.stage_id is distinct from old.stage_id then
    perform emit('opportunity.moved', 'opportunity', new.id, jsonb_build_object('from_stage_id', was.id, 'to_stage_id', is_now.id, 'from_pipeline_id', was.pipeline_id,
      'to_pipeline_id', is_now.pipeline_id, 'skip_action_ids', coalesce(nullif(current_setting('app.skip_action_ids', true), ''), '[]')::jsonb));
  end if;
  if new.status <> 'open' and new.status is distinct from old.status then
    perform emit('opportunity.' || new.status, 'opportunity', new.id, jsonb_build_object('stage_id', new.stage_id, 'value', new.value));
  end if;
end $$;
--> statement-breakpoint
create function record_moves() returns trigger language plpgsql security definer set search_path = public as $$
declare
  was opportunities;
  is_now opportunities;
begin
  for is_now in select * from new_rows where tg_op = 'INSERT' and stage_id is not null loop
    perform record_move(null, is_now);
  end loop;
  if tg_op = 'UPDATE' then
    for is_now in select n.* from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.stage_id is distinct from o.stage_id or n.status <> o.status loop
      select * into was from old_rows where workspace_id = is_now.workspace_id and id = is_now.id;
      perform record_move(was, is_now);
    end loop;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- Named so that they come after the change's own event.
create trigger record_insert_moves after insert on opportunities referencing new table as new_rows for each statement execute function record_moves();
create trigger record_update_moves after update on opportunities referencing old table as old_rows new table as new_rows for each statement execute function record_moves();
--> statement-breakpoint

-- Ids of the records whose words contain every word of the query. Runs as its owner, because under row-level
-- security a trigram index is not used; so it names the workspace itself.
create function search_ids(p_table text, p_query text) returns setof uuid stable language plpgsql security definer set search_path = public as $$
declare
  word text;
  matches text := '';
begin
  foreach word in array array(select distinct w from regexp_split_to_table(norm(p_query), ' ') w) loop
    matches := matches || format(' and search_text like %L', '%' || replace(replace(replace(word, '\', '\\'), '%', '\%'), '_', '\_') || '%');
  end loop;
  return query execute format('select id from %I where workspace_id = $1', p_table) || matches using current_workspace();
end $$;
--> statement-breakpoint
revoke execute on function log_change, record_move from public;
grant usage on schema public to app;
