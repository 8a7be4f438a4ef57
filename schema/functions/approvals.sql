-- Stores a write that its dry run (mode held) found valid, until a person decides. Raises NOT_FOUND if one of its records was purged
-- meanwhile.
create or replace function create_approval(p jsonb) returns uuid security definer set search_path = public, pg_temp language sql as $$
  insert into approvals (workspace_id, resource, method, path, request, changes, required_scopes, requires_admin, policy_ids, key_id,
    requested_by, request_id, expires_at)
  select current_workspace(), p ->> 'resource', p ->> 'method', p ->> 'path', p -> 'request', with_conversations(p -> 'changes'),
    array(select jsonb_array_elements_text(p -> 'required_scopes')), (p ->> 'requires_admin')::boolean,
    array(select jsonb_array_elements_text(p -> 'policy_ids'))::uuid[], current_key_id(), current_user_id(), current_request_id(),
    coalesce((p ->> 'expires_at')::timestamptz, now() + interval '30 days')
  where assert_not_purged(p -> 'changes')
  returning id
$$;

/*
  Replaces the request of a pending approval, for a caller who has the rights that the new one needs, and keeps the first version. A dry run
  of the same caller found it valid. p: version (that it was edited from), request, changes, required_scopes,
  requires_admin, policy_ids: those that hold the new request; those of the request before stay.
*/
create or replace function edit_approval(p_id uuid, p jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  approval approvals;
  edited approvals;
begin
  select * into approval from approvals where workspace_id = (select current_workspace()) and id = p_id for update;
  perform assert_version(approval.version, (p ->> 'version')::int, 'approval');
  perform assert_pending(approval);
  perform assert_rights(current_authority(), array(select jsonb_array_elements_text(p -> 'required_scopes')), true,
    (p ->> 'requires_admin')::boolean);
  perform assert_not_purged(p -> 'changes');
  edited := approval;
  if p -> 'request' <> approval.request then
    edited.original := coalesce(approval.original, jsonb_build_object('request', approval.request, 'changes', approval.changes));
    edited.edited_by := current_user_id();
    edited.edited_key_id := current_key_id();
    edited.edited_at := now();
  end if;
  update approvals set request = p -> 'request', changes = with_conversations(p -> 'changes'),
      required_scopes = array(select jsonb_array_elements_text(p -> 'required_scopes')),
      requires_admin = (p ->> 'requires_admin')::boolean,
      policy_ids = array(select unnest(approval.policy_ids) union select jsonb_array_elements_text(p -> 'policy_ids')::uuid order by 1),
      original = edited.original, edited_by = edited.edited_by, edited_key_id = edited.edited_key_id, edited_at = edited.edited_at,
      stale_at = null
    where workspace_id = approval.workspace_id and id = approval.id;
end $$;

create or replace function assert_pending(approval approvals) returns void language plpgsql as $$
begin
  if approval.status <> 'pending' or approval.expires_at <= now() then
    perform fail('INVALID_STATE', 'Only a pending approval can be edited or decided',
      jsonb_build_object('state', case when approval.status = 'pending' then 'expired'
      else approval.status end, 'allowed', jsonb_build_array('pending')));
  end if;
end $$;

create or replace function assert_not_purged(p_changes jsonb) returns boolean language sql as $$
  select assert_condition(not exists (select from purged_records r
    join jsonb_array_elements(p_changes) c on r.workspace_id = (select current_workspace()) and r.id = (c ->> 'entity_id')::uuid),
    'NOT_FOUND', 'What this request is about was purged')
$$;

-- Records a person's decision about a pending approval. To approve a request takes all that the request needs, and a person whom its
-- policies accept; authorize and end_request repeat that when it runs.
create or replace function decide_approval(p_id uuid, p_status text, p_reason text, p_force boolean)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  approval approvals;
begin
  select * into approval from approvals where workspace_id = (select current_workspace()) and id = p_id for update;
  if approval.id is null then perform fail('NOT_FOUND', 'No such approval in this workspace'); end if;
  perform assert_pending(approval);
  if p_status = 'approved' then
    perform assert_rights(current_authority(), coalesce(approval.required_scopes, '{}'), true, approval.requires_admin);
    perform assert_decider(approval.policy_ids, current_user_id(), approval.requested_by, approval.edited_by);
  end if;
  if p_status = 'approved' and not p_force and approval_is_stale(approval) then
    perform fail('APPROVAL_STALE',
      'The record changed after this approval was requested, or its conversation went on. Review both, then send force: true to execute '
      'the request anyway');
  end if;
  update approvals set status = p_status, reason = p_reason, forced = p_force, decided_by = current_user_id(),
    decided_key_id = current_key_id(), decided_at = now()
    where workspace_id = approval.workspace_id and id = approval.id;
end $$;

/*
  Decides on each of these approvals, in order of id, and hands over the errors of those that could not be decided (decisions): an
  object of id to code, message and details.
*/
create or replace function decide_approvals(p_ids uuid[], p_status text, p_reason text, p_force boolean) returns void language plpgsql as $$
declare
  errors jsonb := '{}';
  message text;
  detail text;
begin
  for i in 1..cardinality(p_ids) loop
    begin
      perform decide_approval(p_ids[i], p_status, p_reason, p_force);
    exception when sqlstate 'WK000' then
      get stacked diagnostics message = message_text, detail = pg_exception_detail;
      errors := errors || jsonb_build_object(p_ids[i], detail::jsonb || jsonb_build_object('message', message));
    end;
  end loop;
  perform hand('decisions', errors);
end $$;

-- Stores how an approved request ended, with its response: an approval that is executed or failed always has both. The Worker formats the
-- response of an executed request from the rows that end_request stored in the transaction of the request; if a purge deleted those
-- meanwhile, there is no body. A request that has run cannot fail any longer.
create or replace function complete_approval(p_workspace uuid, p_id uuid, p_status text, p_response_status int, p_response_body jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update approvals set status = p_status, response_status = p_response_status, response_body = case when p_status = 'failed'
    or answer is not null then p_response_body end
  where workspace_id = p_workspace and id = p_id and status = 'approved' and (p_status = 'executed') = (executed_at is not null)
$$;

create or replace function load_approval(p_workspace uuid, p_id uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select to_jsonb(a) from approvals a where workspace_id = p_workspace and id = p_id
$$;

create or replace function expire_approvals() returns int security definer set search_path = public, pg_temp language sql as $$
  with expired as (update approvals set status = 'expired' where status = 'pending' and expires_at <= now() returning 1)
    select count(*)::int from expired
$$;

-- The changes of a held request, and how many messages the conversations have that it writes to: history leaves that number out.
create or replace function with_conversations(p_changes jsonb) returns jsonb stable language sql as $$
  select p_changes
      || coalesce(jsonb_agg(jsonb_build_object('entity', 'conversation', 'entity_id', c.id, 'action', 'updated', 'version', c.version + 1,
      'fields', jsonb_build_object('message_count', jsonb_build_object('before', c.message_count, 'after', c.message_count + m.sent)))),
        '[]')
    from (select id, count(*)::int as sent from (
        select case t.fields #>> '{channel,after}'
            when 'email' then (t.fields #>> '{thread_id,after}')::uuid
            when 'sms' then (select s.id from sms_conversations s where s.workspace_id = (select current_workspace())
              and s.external_phone_number = t.fields #>> '{recipient,after}'
              and s.phone_number = t.fields #>> '{sender_phone,after}') end as id
          from jsonb_to_recordset(p_changes) as t(entity text, action text, fields jsonb)
          where t.entity = 'message' and t.action = 'created') sends
        where id is not null group by id) m
      join conversations c on c.workspace_id = (select current_workspace()) and c.id = m.id and c.private_to is null
$$;

-- Whether a conversation that the request writes to has had other messages, or was closed, since the approval was requested or edited.
-- While the request itself is run, its own messages are among them.
create or replace function conversation_went_on(p_approval approvals) returns boolean stable language sql as $$
  select exists (
    select from jsonb_to_recordset(p_approval.changes) as t(entity text, entity_id uuid, version int, fields jsonb)
      join conversations c on c.workspace_id = p_approval.workspace_id and c.id = t.entity_id
    where t.entity = 'conversation' and t.fields ? 'message_count' and (c.status = 'closed' and c.version >= t.version
      or c.message_count <> (t.fields -> 'message_count' ->> case when has_written_messages(p_approval.workspace_id) then 'after'
        else 'before' end)::int))
$$;

create or replace function has_written_messages(p_workspace uuid) returns boolean stable language sql as $$
  select exists (select from changes
    where workspace_id = p_workspace and request_id = current_request_id() and entity = 'message' and action = 'created'
    and id between id_at(now() - interval '1 hour') and id_at(now() + interval '1 hour'))
$$;

-- Whether another request has changed, since the approval was requested or edited, a field that the request changes, or anything of a
-- record that it deletes, or a conversation that it writes to went on. Changes of its own request do not count. No transaction lasts an
-- hour, so the partitions of earlier changes are not read, and neither are those of the future.
create or replace function approval_is_stale(p_approval approvals)
  returns boolean stable set search_path = public, pg_temp language sql as $$
  select exists (
    select from jsonb_to_recordset(p_approval.changes) as t(entity text, entity_id uuid, action text, version int, fields jsonb)
    join changes c on c.workspace_id = p_approval.workspace_id and c.entity = t.entity and c.entity_id = t.entity_id
      and c.id between id_at(p_approval.created_at - interval '1 hour') and id_at(now() + interval '1 hour')
    where t.action <> 'created' and c.version >= t.version and c.request_id is distinct from current_request_id()
      and (t.action = 'deleted' or c.action <> 'updated' or c.fields ?| array(select jsonb_object_keys(t.fields))))
    or conversation_went_on(p_approval)
$$;

/*
  Marks pending approvals that have become stale, p_limit at most are looked at. The place where the sweep begins is random, so that every
  one has its turn when there are more, and nothing need be stored about those that are not stale.
*/
create or replace function mark_stale_approvals(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  begin_at constant timestamptz := now() + random() * interval '30 days';
  places tid[];
  marked int;
begin
  places := array(select place from (
    (select ctid as place from approvals where status = 'pending' and expires_at >= begin_at order by expires_at limit p_limit)
    union all (select ctid from approvals where status = 'pending' and expires_at < begin_at order by expires_at limit p_limit)) looked_at
    limit p_limit);
  places := array(select a.ctid from approvals a
    where a.ctid = any (places) and a.status = 'pending' and a.stale_at is null and approval_is_stale(a) for update skip locked);
  update approvals set stale_at = now() where ctid = any (places);
  get diagnostics marked = row_count;
  return marked;
end $$;

-- The event of what happened to an approval, for those who wait for it or decide about it. It names no record and no value.
create or replace function announce_approval() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  happened constant text := case when tg_op = 'INSERT' then 'requested' when new.status is distinct from old.status then new.status
    when new.edited_at is distinct from old.edited_at then 'edited'
      when new.stale_at > coalesce(old.stale_at, '-infinity') then 'stale' end;
begin
  if happened is null then return null; end if;
  -- The sweeps act in several workspaces.
  perform set_config('app.workspace_id', new.workspace_id::text, true);
  perform emit('approval.' || happened, 'approval', new.id, jsonb_build_object('status', new.status, 'resource', new.resource,
    'method', new.method, 'path', new.path, 'requested_by', new.requested_by, 'key_id', new.key_id, 'policy_ids', to_jsonb(new.policy_ids),
    'required_scopes', to_jsonb(new.required_scopes), 'requires_admin', new.requires_admin, 'expires_at', iso(new.expires_at),
    'edited_by', new.edited_by, 'decided_by', new.decided_by));
  return null;
end $$;
create or replace trigger announce after insert or update on approvals for each row execute function announce_approval();

revoke execute on function create_approval, edit_approval, decide_approval, complete_approval, load_approval, expire_approvals,
  mark_stale_approvals, announce_approval from public, app;
grant execute on function create_approval, edit_approval, decide_approval to app;
grant execute on function complete_approval, load_approval, expire_approvals, mark_stale_approvals to jobs;
