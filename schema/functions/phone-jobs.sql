/*
  What the background does about phone numbers, addresses and bundles, and what the providers report about calls. Reports come in any order
  and repeatedly: a call is one row for each id of the provider, and moves on only.
*/

-- The workspace of a number, and who is called when no agent answers; null for a number that nobody has.
create or replace function voice_route(p_number text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', workspace_id, 'transfer_number', transfer_number) from phone_numbers
    where phone_number = p_number and status = 'active'
$$;

-- Numbers that a worker has claimed to hand their agents over.
create or replace function read_voice_syncs(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select n.id, voice_sync_of(n) from phone_numbers n where n.workspace_id = p_workspace and n.id = any (p_ids)
$$;

/*
  Stores the outcome of handing the agents of a number over (p: error). If another attempt has begun meanwhile, nobody knows which of them
  the provider has carried out last, so the agents are handed over again.
*/
create or replace function conclude_voice_sync(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
begin
  if p_is_same then
    update phone_numbers set voice_provider_last_sync_error = p ->> 'error',
        voice_provider_last_synced_at = case when p ->> 'error' is null then now() else voice_provider_last_synced_at end
      where workspace_id = p_workspace and id = p_id;
  else
    update phone_numbers set voice_sync_turn = voice_sync_turn + 1, voice_sync_due_at = now()
      where workspace_id = p_workspace and id = p_id;
  end if;
  return null;
end $$;

-- What follows from the state of a bundle at the provider. Its documents are erased as soon as the provider has them.
create or replace function conclude_phone_bundle(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
begin
  if p_is_same then
    update phone_bundles b set status = p ->> 'status', error = p ->> 'error', failure_reason = p ->> 'failure_reason',
        items = case when p ->> 'status' = 'creating' then b.items end,
        submitted_at = case when p ->> 'status' in ('creating', 'failed', 'draft', 'submitting') then b.submitted_at
          else coalesce(b.submitted_at, now()) end
      where b.workspace_id = p_workspace and b.id = p_id;
  end if;
  return null;
end $$;

-- The provider has reported about a bundle: it is looked at now.
create or replace function review_phone_bundle(p_workspace uuid, p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update phone_bundles set due_at = now(), attempts = 0
    where workspace_id = p_workspace and id = p_id and status not in ('creating', 'failed');
end $$;

/*
  Stores what providers report about calls (CallReport in src/features/phone/schemas/call-events.ts) of a number of the workspace, with the
  contact who has the other number. p_ranks has the rank of each status. When a call has ended it is on the timeline of its contact.
*/
create or replace function record_call_reports(p_workspace uuid, p_reports jsonb, p_ranks jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
  c call_logs;
  was int;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  -- A custom field that is required or unknown must not keep a call from being stored.
  perform set_flag('unchecked_values');
  for r in select *
      from jsonb_to_recordset(p_reports) x(provider text, provider_call_id text, stage int, direction text, status text, phone_number text,
      external_phone_number text, agent_id text, started_at timestamptz, ended_at timestamptz, duration_seconds int,
        ended_reason text, recording_url text,
      transcript_url text, transcript text, summary text, sentiment text, is_successful boolean,
      agent_version int, tool_calls text[], cost_cents numeric) order by x.provider_call_id, x.stage
  loop
    continue when not exists (select from phone_numbers where phone_number = r.phone_number and workspace_id = p_workspace);
    perform pg_advisory_xact_lock(hashtext('call_logs'), hashtext(p_workspace || r.provider_call_id));
    c := null;
    select * into c from call_logs where workspace_id = p_workspace and provider = r.provider and provider_call_id = r.provider_call_id;
    was := coalesce(c.stage, -1);
    if c.id is null then
      insert into call_logs (workspace_id, provider, provider_call_id, direction, status, phone_number, external_phone_number, contact_id,
          voice_agent_config_id, started_at, stage)
        values (p_workspace, r.provider, r.provider_call_id, r.direction, r.status, r.phone_number, r.external_phone_number,
          contact_of_phone(r.external_phone_number),
          (select id from voice_agent_configs where provider_agent_id = r.agent_id and workspace_id = p_workspace),
            coalesce(r.started_at, now()), r.stage)
        returning * into c;
    end if;
    perform set_cause('provider', c.id);
    update call_logs l set stage = greatest(l.stage, r.stage), started_at = least(l.started_at, r.started_at),
        status = case when (p_ranks ->> r.status)::int > (p_ranks ->> l.status)::int then r.status else l.status end,
        ended_at = newer(r.stage >= was, r.ended_at, l.ended_at),
          duration_seconds = newer(r.stage >= was, r.duration_seconds, l.duration_seconds),
        ended_reason = newer(r.stage >= was, r.ended_reason, l.ended_reason),
          recording_url = newer(r.stage >= was, r.recording_url, l.recording_url),
        transcript_url = newer(r.stage >= was, r.transcript_url, l.transcript_url),
          transcript = newer(r.stage >= was, r.transcript, l.transcript),
        summary = newer(r.stage >= was, r.summary, l.summary), sentiment = newer(r.stage >= was, r.sentiment, l.sentiment),
        is_successful = newer(r.stage >= was, r.is_successful, l.is_successful),
          cost_cents = newer(r.stage >= was, r.cost_cents, l.cost_cents),
        tool_calls = newer(r.stage >= was, r.tool_calls, l.tool_calls),
        agent_version = coalesce(published_number(p_workspace, l.voice_agent_config_id, r.agent_version), l.agent_version)
      where l.workspace_id = p_workspace and l.id = c.id returning * into c;
    if was < 1 and c.stage >= 1 and c.contact_id is not null then
      insert into activities (id, activity_type, contact_id, direction, occurred_at, duration_seconds, body, metadata)
        values (c.id, 'call', c.contact_id, c.direction, c.started_at, c.duration_seconds, c.summary,
          jsonb_build_object('call_log_id', c.id, 'status', c.status)) on conflict do nothing;
    elsif c.contact_id is not null and c.summary is not null then
      update activities set body = c.summary where workspace_id = p_workspace and id = c.id and body is null;
    end if;
    if was < 0 then perform announce_call(c, 'started'); end if;
    if was < 1 and c.stage >= 1 then perform announce_call(c, 'ended'); end if;
    if was < 2 and c.stage >= 2 then perform announce_call(c, 'analyzed'); end if;
  end loop;
end $$;

-- The number of the version of an agent that has this number at the voice provider.
create or replace function published_number(p_workspace uuid, p_agent uuid, p_provider_version int) returns int stable language sql as $$
  select max(number) from agent_versions where workspace_id = p_workspace and agent_id = p_agent and provider_version = p_provider_version
$$;

create or replace function newer(p_is_newer boolean, p_sent anyelement, p_stored anyelement) returns anyelement immutable language sql as $$
  select case when p_is_newer then coalesce(p_sent, p_stored) else coalesce(p_stored, p_sent) end
$$;

-- A call whose end is reported first has the same events as any other.
create or replace function announce_call(c call_logs, p_what text) returns void language sql as $$
  select emit('call.' || p_what, 'call_log', c.id, jsonb_build_object('direction', c.direction,
    'status', case p_what when 'started' then 'in_progress' else c.status end, 'contact_id', c.contact_id, 'phone_number', c.phone_number,
    'external_phone_number', c.external_phone_number, 'duration_seconds', case when p_what <> 'started' then c.duration_seconds end))
$$;

revoke execute on function voice_route, read_voice_syncs, conclude_voice_sync, conclude_phone_bundle, review_phone_bundle,
  record_call_reports, newer, announce_call, published_number from public, app, jobs;
grant execute on function voice_route, review_phone_bundle, record_call_reports to jobs;
