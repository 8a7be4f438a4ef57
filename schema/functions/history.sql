-- Why what follows in this transaction happens: request, approval, import, merge, undo, restore, automation_run or provider, and the id of it; depth
-- counts the automated steps that led to it. Every change and event has these (see log_change and emit).
create or replace function set_cause(p_type text, p_id uuid, p_depth int default 0) returns void set search_path = public, pg_temp language sql as $$
  select set_config('app.cause_type', p_type, true), set_config('app.cause_id', coalesce(p_id::text, ''), true), set_config('app.cause_depth', p_depth::text, true)
$$;

create or replace function current_cause_type() returns text stable parallel safe language sql
  return nullif(current_setting('app.cause_type', true), '');
create or replace function current_cause_id() returns uuid stable parallel safe language sql
  return nullif(current_setting('app.cause_id', true), '')::uuid;
create or replace function current_cause_depth() returns smallint stable parallel safe language sql
  return coalesce(nullif(current_setting('app.cause_depth', true), '')::smallint, 0::smallint);

-- Whether a listener of the Worker wants events of the type (src/services/events/listeners.ts; a test compares). Others are written as they are and never updated.
create or replace function needs_delivery(p_type text) returns boolean immutable parallel safe language sql
  return p_type in ('approval.updated', 'attachment.deleted', 'custom_field.created', 'custom_field.deleted', 'custom_field.updated', 'import.deleted', 'import.updated', 'member.invited');

-- Remembers for end_request that the transaction wrote an event that is to be delivered.
create or replace function note_delivery(p_needed boolean) returns boolean language plpgsql as $$
begin
  if p_needed then perform set_config('app.delivers', 'true', true); end if;
  return p_needed;
end $$;

-- One record's change, field by field, and its event, both with who did it in which request and why.
create or replace function log_change(p_entity text, p_key text, old jsonb, new jsonb) returns void language plpgsql security definer set search_path = public, pg_temp as $$
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
  insert into changes (workspace_id, request_id, key_id, user_id, cause_type, cause_id, depth, entity, entity_id, action, fields, version)
    select coalesce(r ->> 'workspace_id', r ->> 'id')::uuid, nullif(current_setting('app.request_id', true), ''), current_key_id(), current_user_id(),
      current_cause_type(), current_cause_id(), current_cause_depth(),
      p_entity, (r ->> p_key)::uuid, case when old is null then 'created' when new is null then 'deleted' else 'updated' end, coalesce(shown, '{}'),
      coalesce((r ->> 'version')::int, 1) + (new is null)::int
    from (select coalesce(new, old) as r) record
    returning * into change;
  insert into outbox (workspace_id, id, type, entity, entity_id, payload, needs_delivery, skip_automations, request_id, key_id, user_id, cause_type, cause_id, depth)
    values (change.workspace_id, change.id, p_entity || '.' || change.action, p_entity, change.entity_id, '{}', note_delivery(needs_delivery(p_entity || '.' || change.action)),
      current_setting('app.skip_automations', true) is not distinct from 'true', change.request_id, change.key_id, change.user_id, change.cause_type, change.cause_id, change.depth);
end $$;

-- An event that is more than a change of a row, e.g. opportunity.won.
create or replace function emit(p_type text, p_entity text, p_entity_id uuid, p_payload jsonb default '{}') returns void language sql security definer set search_path = public, pg_temp as $$
  insert into outbox (type, entity, entity_id, payload, needs_delivery, skip_automations, request_id, key_id, user_id, cause_type, cause_id, depth)
  values (p_type, p_entity, p_entity_id, p_payload, note_delivery(needs_delivery(p_type)), current_setting('app.skip_automations', true) is not distinct from 'true',
    nullif(current_setting('app.request_id', true), ''), current_key_id(), current_user_id(), current_cause_type(), current_cause_id(), current_cause_depth())
$$;

-- A session keeps the plan that its first, small statements had. Without nested loops it serves a statement over thousands of rows too: their cost would be the square of their number.

-- After each statement: what it did to every row.
create or replace function record_changes() returns trigger language plpgsql security definer set search_path = public set enable_nestloop = off as $$
declare
  -- Not called as any column may be.
  p_entity text := tg_argv[0];
  p_key text := tg_argv[1];
begin
  if tg_op = 'INSERT' then
    perform log_change(p_entity, p_key, null, to_jsonb(n)) from new_rows n;
  elsif tg_op = 'DELETE' then
    perform log_change(p_entity, p_key, to_jsonb(o), null) from old_rows o;
  else
    perform log_change(p_entity, p_key, o.j, n.j) from (select to_jsonb(r) as j from old_rows r) o join (select to_jsonb(r) as j from new_rows r) n
      on n.j ->> p_key = o.j ->> p_key and n.j ->> 'workspace_id' is not distinct from o.j ->> 'workspace_id';
  end if;
  return null;
end $$;

create or replace function record_moves() returns trigger language plpgsql security definer set search_path = public set enable_nestloop = off as $$
declare
  card opportunities;
  move record;
begin
  for card in select * from new_rows where tg_op = 'INSERT' and stage_id is not null loop
    perform record_move(null, card);
  end loop;
  if tg_op = 'UPDATE' then
    for move in select row(o.*)::opportunities as was, row(n.*)::opportunities as is_now from new_rows n join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id where n.stage_id is distinct from o.stage_id or n.status <> o.status loop
      perform record_move(move.was, move.is_now);
    end loop;
  end if;
  return null;
end $$;
