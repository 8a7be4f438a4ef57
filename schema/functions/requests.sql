/*
  The first statement of every batch: authorizes the caller (see authorize, which p is also for) and sets the session settings of the
  transaction. An error rolls the batch back. p: kind, with what identifies a caller of this kind (for an approval: approval_id and
  workspace_id; for an automation run also automation_run_id, and depth: the number of automated steps that led to it; for an incoming
  webhook incoming_request_id); origin, of a request that a web page sends; scopes; write; admin; direct; request_id; for a write also
  idempotency_key, request_hash, mode (run | hold | dry), require_approval, skip_automations, skip_action_ids and request, its log entry:
  method, path, endpoint, status. An approval, an import, an automation run and an incoming webhook are identified by ids, which are no
  secrets: only the login role of queues and cron jobs, and the owner, may act as one. SQLSTATE WK000: an error for the caller (see fail).
  WK208: the request of this Idempotency-Key has completed; the detail is its stored result.
*/
create or replace function begin_request(p jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  -- A Worker of the release before sends no kind.
  kind constant text := coalesce(p ->> 'kind', case when p ? 'approval_id' then 'approval' else 'key' end);
  caller authority;
  approval approvals;
  stored idempotency;
  mode text := coalesce(p ->> 'mode', 'run');
  writes boolean := (p ->> 'write')::boolean;
  idempotency_digest text;
begin
  if (kind in ('approval', 'import', 'automation_run', 'incoming_webhook', 'auto_reply') or p ? 'approval_id'
    or mode in ('approved', 'import'))
    and not is_jobs_session() then
    raise insufficient_privilege
      using message = 'Only the role jobs acts for an approval, an import, an automation run, an incoming webhook or an auto reply';
  end if;
  if kind = 'approval' then
    select * into approval from approvals where id = (p ->> 'approval_id')::uuid and workspace_id = (p ->> 'workspace_id')::uuid for update;
    if approval.status is distinct from 'approved' or approval.executed_at is not null and mode <> 'read'
      then perform fail('INVALID_STATE', 'This approval is not waiting to be run',
      jsonb_build_object('state', case when approval.executed_at is null then approval.status else 'executed' end,
      'allowed', jsonb_build_array('approved'))); end if;
    -- When it has run, what a provider has answered is stored, and its response is read.
    if approval.executed_at is null then mode := 'approved'; end if;
  end if;
  caller := authorize(p || jsonb_build_object('kind', kind)
    || case when kind = 'approval' then jsonb_build_object('key_id', approval.key_id, 'decided_key_id', approval.decided_key_id,
      'edited_key_id', approval.edited_key_id) else '{}' end);
  if writes and mode = 'run' and not coalesce((p ->> 'direct')::boolean, false)
    and (caller.level = 'approval' or (p ->> 'require_approval')::boolean) then mode := 'held'; end if;
  perform set_config('app.workspace_id', caller.workspace_id::text, true),
    set_config('app.key_id', coalesce(caller.key_id::text, ''), true),
    set_config('app.user_id', coalesce(caller.user_id::text, ''), true), set_config('app.request_id', p ->> 'request_id', true),
      set_config('app.mode', mode, true);
  if writes then
    perform set_config('app.policies', case when mode <> 'hold' then coalesce(policies_about(caller)::text, '') else '' end, true);
  end if;
  perform set_config('app.deleting', running_deletions(caller.workspace_id), true);
  if p ? 'origin' then perform assert_origin(p ->> 'origin'); end if;
  idempotency_digest := digest_idempotency_key(caller.key_id, p ->> 'idempotency_key');
  if writes then
    perform set_cause(case kind when 'approval' then 'approval' when 'import' then 'import' when 'automation_run' then 'automation_run'
      when 'incoming_webhook' then 'incoming_webhook' when 'auto_reply' then 'auto_reply'
      when 'provider_callback' then 'provider' else 'request' end,
      coalesce(approval.id, (p ->> 'automation_run_id')::uuid, (p ->> 'incoming_request_id')::uuid, (p ->> 'auto_reply_id')::uuid,
        (p ->> 'request_id')::uuid),
      coalesce((p ->> 'depth')::int, 0));
    perform note_requirement(array(select jsonb_array_elements_text(p -> 'scopes')), coalesce((p ->> 'admin')::boolean, false));
    perform set_config('app.skip_automations', coalesce(p ->> 'skip_automations', ''), true),
      set_config('app.skip_action_ids', coalesce(p ->> 'skip_action_ids', ''), true),
      set_config('app.approval_id', coalesce(approval.id::text, ''), true),
      set_config('app.request', (coalesce(p -> 'request', '{}')
        || jsonb_build_object('direct', p -> 'direct', 'idempotency_key', idempotency_digest))::text, true);
  end if;
  if mode = 'approved' and not approval.forced and approval_is_stale(approval) then
    perform fail('APPROVAL_STALE', 'The record changed after this approval was requested, or its conversation went on');
  end if;
  if p ? 'idempotency_key' then
    begin
      perform set_config('lock_timeout', '5s', true);
      -- A concurrent request with the same key has locked this row: wait for it, then return its stored response.
      insert into idempotency (workspace_id, key_id, key, request_hash)
        values (caller.workspace_id, caller.key_id, idempotency_digest, p ->> 'request_hash')
        on conflict (workspace_id, key_id, key) do update set request_hash = excluded.request_hash, outcome = null, at = now()
          where idempotency.at < now() - interval '24 hours';
    exception when lock_not_available then
      perform fail('IDEMPOTENCY_IN_PROGRESS', 'The first request with this Idempotency-Key is still running');
    end;
    if not found then
      select * into stored from idempotency i
        where i.workspace_id = caller.workspace_id and i.key_id = caller.key_id and i.key = idempotency_digest;
      if stored.request_hash <> p ->> 'request_hash'
        then perform fail('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request: send a new key'); end if;
      if stored.outcome ->> 'mode' = 'purged'
        then perform fail('NOT_FOUND', 'What this request was answered with was purged since'); end if;
      raise exception using errcode = 'WK208', message = 'replay', detail = stored.outcome::text;
    end if;
  end if;
  return jsonb_build_object('workspace_id', caller.workspace_id, 'key_id', caller.key_id, 'user_id', caller.user_id, 'level', caller.level,
    'role', caller.role);
end $$;

/*
  Rolls back a dry run (SQLSTATE WK200), or a write that needs approval (WK202), by raising an error. Its detail carries the result, the
  policies, and the changes and events that the write would have made. An approval has those that everybody sees.
*/
create or replace function roll_back_dry_run(p_mode text, p_answer jsonb, p_policies uuid[]) returns void language plpgsql as $$
declare
  required constant text[] := current_setting('app.required', true);
begin
  raise exception using errcode = case p_mode when 'held' then 'WK202' else 'WK200' end, message = p_mode, detail = jsonb_build_object(
    'answer', p_answer, 'policy_ids', coalesce(to_jsonb(p_policies), '[]'),
    'changes', (select coalesce(jsonb_agg(jsonb_build_object('entity', entity, 'entity_id', entity_id, 'action', action, 'version',
      version, 'fields', fields) order by id), '[]')
      from changes where workspace_id = (select current_workspace()) and request_id = current_request_id()
      and (private_to is null or p_mode = 'dry' and sees_row_of(private_to))),
    'events', (select coalesce(jsonb_agg(jsonb_build_object('type', type, 'entity', entity, 'entity_id', entity_id) order by id), '[]')
      from outbox where workspace_id = (select current_workspace()) and request_id = current_request_id()
      and (private_to is null or p_mode = 'dry' and sees_row_of(private_to))),
    'required_scopes', to_jsonb(array_remove(required, 'admin')),
    'requires_admin', 'admin' = any (required))::text;
end $$;

/*
  The last statement of a write. It rolls back a dry run, and a write that needs approval by the caller's level, by request or by a policy
  (roll_back_dry_run). Otherwise it stores the result for a repetition of the request and for the approval that ran it (which
  complete_approval then marks as executed), and logs the request (see requests).
*/
create or replace function end_request(p_answer jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  mode text := current_setting('app.mode', true);
  request constant jsonb := nullif(current_setting('app.request', true), '')::jsonb;
  approval approvals;
  policies constant uuid[] := matching_policies();
begin
  if not request ? 'direct' then
    -- The batch is repeated.
    raise serialization_failure using message = 'Functions of another release have begun this request';
  end if;
  if mode = 'run' and policies is not null then
    if (request ->> 'direct')::boolean then perform assert_unheld(); end if;
    mode := 'held';
  end if;
  if mode in ('held', 'dry') then perform roll_back_dry_run(mode, p_answer, policies); end if;
  if mode = 'approved' then
    select * into approval from approvals
      where workspace_id = (select current_workspace()) and id = current_setting('app.approval_id')::uuid;
    perform assert_decider(policies, approval.decided_by, approval.requested_by, approval.edited_by);
    if not approval.forced and approval_is_stale(approval) then
      perform fail('APPROVAL_STALE', 'The record changed after this approval was requested, or its conversation went on');
    end if;
    update approvals set executed_at = now(), answer = p_answer
      where workspace_id = approval.workspace_id and id = approval.id;
  end if;
  if request ->> 'idempotency_key' is not null then
    update idempotency set outcome = jsonb_build_object('mode', mode, 'answer', p_answer, 'request_id', current_request_id())
      where workspace_id = (select current_workspace()) and key_id = current_key_id() and key = request ->> 'idempotency_key';
  end if;
  if request ? 'method' then
    insert into requests (workspace_id, id, key_id, user_id, method, path, endpoint, status, outcome, approval_id)
      values (current_workspace(), current_request_id()::uuid, current_key_id(), current_user_id(), request ->> 'method',
        request ->> 'path', request ->> 'endpoint',
        case mode when 'hold' then 202 else (request ->> 'status')::int end, case mode when 'hold' then 'held' else 'done' end,
        case mode when 'hold' then (p_answer -> 0 ->> 0)::uuid else nullif(current_setting('app.approval_id', true), '')::uuid end)
      -- The Worker gave up and logged the request as failed, but the transaction committed late.
      on conflict (workspace_id, id) do update set outcome = excluded.outcome, approval_id = excluded.approval_id;
  end if;
  return p_answer;
end $$;

-- Returns the result of a preview by raising it, which rolls back everything else.
create or replace function end_preview(p_answer jsonb) returns jsonb language plpgsql as $$
begin
  raise exception using errcode = 'WK200', message = 'preview', detail = jsonb_build_object('answer', p_answer)::text;
end $$;

-- Calls end_request and reports whether the transaction wrote an event that must be delivered, or what followers of the feed may depend on.
create or replace function finish_request(p_answer jsonb) returns jsonb set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('rows', end_request(p_answer), 'delivers', delivers_events())
$$;

-- Whether something in the background waits for events that the transaction has written.
create or replace function delivers_events() returns boolean stable language sql as $$
  select coalesce(current_setting('app.delivers', true) = 'true', false)
$$;

/*
  Stores request log entries: p_messages are the queue's messages, each with the entries of one isolate. An entry names its key by id or by
  hash; entries of unknown keys are dropped. Up to 25 successful reads of one key and endpoint within five seconds share a row, because an
  index entry for each would cost more than the entry itself. Grouping depends on the message alone, so a message that is delivered twice
  changes nothing. The entry of a write, which end_request has logged already, adds the response. A key's last use is stored once in five
  minutes.
*/
create or replace function record_requests(p_messages jsonb)
  returns void security definer set search_path = public, pg_temp language sql as $$
  with entries as (
    select distinct on (e.id) m.n, m.message ->> 'isolate' as isolate, e.*, k.workspace_id as w, k.id as k, k.user_id as u,
      case when e.method = 'GET' and e.outcome = 'done' then floor(extract(epoch from instant_of(e.id)) / 5) end as shared
    from jsonb_array_elements(p_messages) with ordinality m(message, n)
      cross join lateral jsonb_to_recordset(m.message -> 'entries') as e(id uuid, workspace_id uuid, key_id uuid, key_hash text,
        method text, path text, endpoint text, status smallint,
        outcome text, error_code text, error_message text, error_scopes text[], approval_id uuid, replay_of uuid,
          duration_ms int, sequence int)
      cross join lateral (
        select workspace_id, id, user_id from api_keys where workspace_id = e.workspace_id and id = e.key_id
        union all select workspace_id, id, user_id from api_keys where e.key_id is null and key_hash = decode(e.key_hash, 'hex')
        union all select workspace_id, id, user_id from api_keys where e.key_id is null
          and previous_key_hash = decode(e.key_hash, 'hex')) k
    order by e.id
  ), shares as (
    select *, (row_number() over (partition by n, w, k, endpoint, status, shared order by id) - 1) / 25 as share from entries
  ), grouped as (
    select w, k, u, isolate, method, endpoint, status, outcome, array_agg(id order by id) as ids, array_agg(path order by id) as paths,
      array_agg(duration_ms order by id) as durations,
      array_agg(sequence order by id) as sequences, min(error_code) as error_code, min(error_message) as error_message,
        min(error_scopes) as error_scopes,
        (array_agg(approval_id))[1] as approval_id, (array_agg(replay_of))[1] as replay_of
    from shares group by n, isolate, w, k, u, method, endpoint, status, outcome, shared, case when shared is not null then share end, case
      when shared is null then id end
  )
  insert into requests as r (workspace_id, id, key_id, user_id, method, path, endpoint, status, outcome, error_code, error_message,
    error_scopes, approval_id, replay_of, duration_ms, isolate, sequence,
    more_ids, more_paths, more_durations, more_sequences)
  select w, ids[1], k, u, method, paths[1], endpoint, status, outcome, error_code, error_message, error_scopes, approval_id,
    replay_of, durations[1], isolate, sequences[1],
    nullif(ids[2:], '{}'), case when cardinality(ids) > 1 then array(select nullif(p, paths[1])
      from unnest(paths[2:]) with ordinality o(p, i) order by i) end,
    nullif(durations[2:], '{}'), nullif(sequences[2:], '{}')
  from grouped
  on conflict (workspace_id, id) do update
    set status = excluded.status, error_code = excluded.error_code, error_message = excluded.error_message,
    error_scopes = excluded.error_scopes,
    duration_ms = excluded.duration_ms,
    isolate = excluded.isolate, sequence = excluded.sequence where r.more_ids is null and excluded.more_ids is null;

  insert into api_key_uses as u (workspace_id, key_id, last_used_at)
  select k.workspace_id, k.id, max(instant_of(e.id))
  from jsonb_array_elements(p_messages) m
    cross join lateral jsonb_to_recordset(m -> 'entries') as e(id uuid, workspace_id uuid, key_id uuid, key_hash text)
    cross join lateral (
      select workspace_id, id from api_keys where workspace_id = e.workspace_id and id = e.key_id
      union all select workspace_id, id from api_keys where e.key_id is null and key_hash = decode(e.key_hash, 'hex')
      union all select workspace_id, id from api_keys where e.key_id is null and previous_key_hash = decode(e.key_hash, 'hex')) k
  group by 1, 2
  having not exists (select from api_key_uses o where o.workspace_id = k.workspace_id and o.key_id = k.id
    and o.last_used_at > max(instant_of(e.id)) - interval '5 minutes')
  order by 1, 2
  on conflict (workspace_id, key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)
$$;

-- Gives the log entry of a request the status that its caller receives, where only the database knows whether a record was created.
create or replace function note_created(p_created boolean) returns void language plpgsql as $$
begin
  if p_created and current_setting('app.request', true) <> '' then
    perform set_config('app.request', (current_setting('app.request')::jsonb || '{"status": 201}')::text, true);
  end if;
end $$;

revoke execute on function begin_request, end_request, record_requests from public, app;
grant execute on function begin_request, end_request to app;
grant execute on function record_requests to jobs;
