-- Phone numbers. One account at the provider has the numbers of all workspaces, so a number belongs to one of them.

/*
  Writes the row of a number before it is bought, or finds the row of a purchase whose outcome is not known. Runs as its owner, because the
  number may belong to another workspace, of which the caller learns nothing but that it is not available.
*/
create or replace function reserve_phone_number(p_id uuid, p_number text, p_name text) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  found_number phone_numbers;
begin
  perform pg_advisory_xact_lock(hashtext('phone_numbers'), hashtext(p_number));
  select * into found_number from phone_numbers where phone_number = p_number for update;
  if found_number.id is null then
    insert into phone_numbers (workspace_id, id, phone_number, friendly_name, status) values (w, p_id, p_number, p_name, 'buying');
    return;
  end if;
  if found_number.workspace_id <> w then perform fail('CONFLICT', 'This number is not available', '{}'); end if;
  if found_number.status <> 'buying' then
    perform fail('CONFLICT', 'The workspace has this number', jsonb_build_object('id', found_number.id));
  end if;
end $$;

revoke execute on function reserve_phone_number from public;
grant execute on function reserve_phone_number to app;

-- What the voice provider is to know of a number: its agents by their ids and published versions there, and the turn of this attempt.
create or replace function voice_sync_of(n phone_numbers) returns jsonb stable language sql as $$
  select jsonb_build_object('id', n.id, 'phone_number', n.phone_number, 'provider_id', n.provider_id, 'turn', n.voice_sync_turn,
    'attempts', n.voice_sync_attempts,
    'inbound_version', (select a.provider_version from voice_agent_configs a
      where a.workspace_id = n.workspace_id and a.id = n.inbound_voice_agent_config_id),
    'outbound_version', (select a.provider_version from voice_agent_configs a
      where a.workspace_id = n.workspace_id and a.id = n.outbound_voice_agent_config_id),
    'inbound', (select a.provider_agent_id from voice_agent_configs a
      where a.workspace_id = n.workspace_id and a.id = n.inbound_voice_agent_config_id),
    'outbound', (select a.provider_agent_id from voice_agent_configs a
      where a.workspace_id = n.workspace_id and a.id = n.outbound_voice_agent_config_id))
$$;

/*
  Stores the outcome of handing the agents of a number over (p: id, turn, error, wait in seconds). If another attempt has begun since,
  nobody knows which of them the provider has carried out last, so the agents are handed over again.
*/
create or replace function settle_voice_sync(p jsonb) returns void language sql as $$
  update phone_numbers n set voice_sync_turn = n.voice_sync_turn + (not o.is_latest)::int,
      voice_sync_due_at = case when not o.is_latest then now() when o.error is not null then now() + make_interval(secs => o.wait) end,
      voice_provider_last_synced_at = case when o.is_latest and o.error is null then now() else n.voice_provider_last_synced_at end,
      voice_provider_last_sync_error = case when o.is_latest then o.error else n.voice_provider_last_sync_error end
    from (select (p ->> 'id')::uuid as id, p ->> 'error' as error, (p ->> 'wait')::int as wait,
      (p ->> 'turn')::int = (select voice_sync_turn from phone_numbers
        where id = (p ->> 'id')::uuid and workspace_id = (select current_workspace())) as is_latest) o
    where n.workspace_id = (select current_workspace()) and n.id = o.id
$$;

-- Stores what is known of an address at the provider (p: id, attempts, status, provider_id, validated, error, wait), unless a later attempt
-- has begun.
create or replace function settle_phone_address(p jsonb) returns void language sql as $$
  update phone_addresses a set status = p ->> 'status', provider_id = coalesce(p ->> 'provider_id', a.provider_id),
      validated = coalesce((p ->> 'validated')::boolean, false),
      error = p ->> 'error', due_at = now() + make_interval(secs => (p ->> 'wait')::int)
    where a.workspace_id = (select current_workspace()) and a.id = (p ->> 'id')::uuid and a.status = 'creating'
    and a.attempts = (p ->> 'attempts')::int
$$;

-- The bundles whose documents name an address, at most p_limit. The index of addresses finds them, before anything else is compared.
create or replace function bundles_of_address(p_address uuid, p_limit int)
  returns uuid[] stable security definer set search_path = public, pg_temp language sql as $$
  with named as materialized (select b.workspace_id, b.id from phone_bundles b where b.address_ids @> array[p_address])
  select array(select n.id from named n where n.workspace_id = (select current_workspace()) order by n.id limit p_limit)
$$;
revoke execute on function bundles_of_address from public;
grant execute on function bundles_of_address to app;

-- The same for a bundle (p also has failure_reason).
create or replace function settle_phone_bundle(p jsonb) returns void language sql as $$
  update phone_bundles b set status = p ->> 'status', provider_id = coalesce(p ->> 'provider_id', b.provider_id), error = p ->> 'error',
      failure_reason = p ->> 'failure_reason', due_at = now() + make_interval(secs => (p ->> 'wait')::int),
      items = case when p ->> 'status' = 'creating' then b.items end,
      submitted_at = case when p ->> 'status' in ('creating', 'failed', 'draft', 'submitting') then b.submitted_at
        else coalesce(b.submitted_at, now()) end
    where b.workspace_id = (select current_workspace()) and b.id = (p ->> 'id')::uuid and b.attempts = (p ->> 'attempts')::int
$$;
