/*
  Agents and their versions. The columns of an agent are its draft. Publishing freezes them as a version; that of a voice agent is handed
  to the voice provider, and only when the provider has confirmed it, the agent and its phone numbers have it.
*/

-- The ids of the bases that an agent answers from.
create or replace function knowledge_bases_of(p_workspace uuid, p_agent uuid) returns uuid[] stable language sql as $$
  select array(select k.knowledge_base_id from knowledge_agents k where k.workspace_id = p_workspace and k.agent_id = p_agent
    order by k.knowledge_base_id)
$$;

-- What the voice provider calls these bases; null for one that it does not have yet.
create or replace function provider_knowledge_ids(p_workspace uuid, p_bases jsonb) returns jsonb stable language sql as $$
  select coalesce(jsonb_agg(c.provider_kb_id), '[]') from jsonb_array_elements_text(p_bases) i
    join knowledge_bases b on b.workspace_id = p_workspace and b.id = i::uuid
    left join knowledge_copies c on c.workspace_id = b.workspace_id and c.knowledge_base_id = b.id
$$;

-- What a version of the agent consists of (AgentContent in src/features/agents/rules/agents.ts).
create or replace function agent_content(a voice_agent_configs) returns jsonb stable language sql as $$
  select jsonb_build_object('name', a.name, 'language', a.language, 'prompt', a.prompt, 'greeting', a.greeting,
    'voice_id', a.voice_id, 'model', a.model,
    'tools', to_jsonb(a.tools), 'event_type_id', a.event_type_id, 'transfer_number', a.transfer_number)
    || case when k.ids = '{}' then '{}' else jsonb_build_object('knowledge_base_ids', to_jsonb(k.ids)) end
    from knowledge_bases_of(a.workspace_id, a.id) k(ids)
$$;

-- The content of the published version; null without one.
create or replace function published_agent_content(a voice_agent_configs) returns jsonb stable language sql as $$
  select v.content from agent_versions v where v.workspace_id = a.workspace_id and v.agent_id = a.id and v.number = a.published_version
$$;

-- Whether the voice provider calls the tools of an agent with a key that does not work: none, one that was revoked, as with the agent or
-- the member who has published it, or one that was rotated since.
create or replace function lacks_tool_key(a voice_agent_configs) returns boolean stable language sql as $$
  select a.type = 'voice' and not a.is_external and a.tool_scopes <> '{}' and not exists (
    select from agent_tool_keys t join api_keys k on k.workspace_id = t.workspace_id and k.id = t.key_id
      where t.workspace_id = a.workspace_id and t.agent_id = a.id and k.revoked_at is null and coalesce(k.expires_at > now(), true)
        and t.created_at <= a.published_at)
$$;

/*
  Begins to publish the draft of an agent, which the caller has locked, as the version p_version. The caller needs the scopes of its
  tools. A text agent is published at once; for a voice agent the request has p_lease seconds, until the background takes over. A draft
  that is published already is left, unless its tools need another key.
*/
create or replace function begin_publication(p_agent uuid, p_version uuid, p_has_voice boolean, p_lease int)
  returns void language plpgsql as $$
declare
  a voice_agent_configs;
  new_number int;
begin
  select * into a from voice_agent_configs where workspace_id = (select current_workspace()) and id = p_agent;
  if a.is_external then
    perform fail('INVALID_STATE', 'The agent was added by its id at the voice provider and is published there',
      '{"state": "external", "allowed": ["draft", "published"]}');
  end if;
  if a.status = 'publishing' then
    perform fail('CONFLICT', 'A version of this agent is being published: wait until the voice provider has confirmed it',
      jsonb_build_object('id', a.id));
  end if;
  perform assert_scopes(a.tool_scopes);
  if a.type = 'voice' and a.event_type_id is null and ('find_slots' = any (a.tools) or 'book' = any (a.tools)) then
    perform fail_paths('{event_type_id}',
      'is required for the tools find_slots and book: its event type was deleted, so choose another one');
  end if;
  if a.status = 'published' and published_agent_content(a) = agent_content(a) and not lacks_tool_key(a) then return; end if;
  if a.type = 'voice' and not p_has_voice then
    perform fail('CHANNEL_NOT_CONFIGURED', 'This service has no voice provider', '{"channel": "voice"}');
  end if;
  select coalesce(max(number), 0) + 1 into new_number from agent_versions where workspace_id = a.workspace_id and agent_id = a.id;
  insert into agent_versions (id, agent_id, number, content, tool_scopes, status, published_at, due_at)
    values (p_version, a.id, new_number, agent_content(a), a.tool_scopes, case a.type when 'voice' then 'publishing' else 'published' end,
      case a.type when 'text' then now() end, case a.type when 'voice' then now() + make_interval(secs => p_lease) end);
  update voice_agent_configs set status = case a.type when 'voice' then 'publishing' else 'published' end, publish_error = null,
      published_version = case a.type when 'voice' then published_version else new_number end,
      published_at = case a.type when 'voice' then published_at else now() end
    where workspace_id = a.workspace_id and id = a.id;
end $$;

/*
  Sees to it that a voice agent whose tools call this API has a key with exactly their scopes, which the caller must be able to grant. p:
  the parts of a new key, which serves if the agent has none, or one that was revoked, or was rotated (`infinity`) and is then revoked.
*/
create or replace function ensure_tool_key(p_version uuid, p jsonb) returns void language plpgsql as $$
declare
  a voice_agent_configs;
begin
  select c.* into a from agent_versions v join voice_agent_configs c on c.workspace_id = v.workspace_id and c.id = v.agent_id
    where v.workspace_id = (select current_workspace()) and v.id = p_version and v.status = 'publishing';
  if a.id is null or a.tool_scopes = '{}' then return; end if;
  -- A request that waits for approval has no effect before it runs with the level of its approver.
  perform assert_key_grant(a.tool_scopes, (current_authority()).level, null, '{}');
  update api_keys set scopes = a.tool_scopes where workspace_id = a.workspace_id and revoked_at is null
    and id = (select t.key_id from agent_tool_keys t where t.workspace_id = a.workspace_id and t.agent_id = a.id
      and t.created_at < 'infinity');
  if found then return; end if;
  if p ->> 'sealed' is null then
    perform fail('UNAVAILABLE', 'The key of the tools cannot be stored: the operator of this service must set SEALING_KEYS');
  end if;
  perform revoke_tool_key(a.id);
  insert into api_keys (id, user_id, name, public_id, key_hash, scopes)
    values ((p ->> 'id')::uuid, current_user_id(), left('Voice agent ' || a.name, 120), p ->> 'public_id', decode(p ->> 'hash', 'hex'),
      a.tool_scopes);
  insert into agent_tool_keys (agent_id, key_id, sealed_key) values (a.id, (p ->> 'id')::uuid, p ->> 'sealed')
    on conflict (workspace_id, agent_id)
      do update set key_id = excluded.key_id, sealed_key = excluded.sealed_key, created_at = excluded.created_at;
end $$;

-- Revokes the key of an agent that is deleted.
create or replace function revoke_tool_key(p_agent uuid) returns void language sql as $$
  update api_keys k set revoked_at = now() from agent_tool_keys t
    where t.workspace_id = (select current_workspace()) and t.agent_id = p_agent and k.workspace_id = t.workspace_id and k.id = t.key_id
      and k.revoked_at is null
$$;

-- What an attempt to publish a version knows (Publication in src/features/agents/plans/publish.ts); null unless it is being published.
create or replace function publication_of(v agent_versions) returns jsonb stable language sql as $$
  select jsonb_build_object('id', v.id, 'workspace_id', v.workspace_id, 'agent_id', v.agent_id, 'number', v.number, 'content', v.content,
    'attempts', v.attempts, 'knowledge_ids', provider_knowledge_ids(v.workspace_id, coalesce(v.content -> 'knowledge_base_ids', '[]')),
      'provider_agent_id', a.provider_agent_id, 'sealed_tool_key',
      (select t.sealed_key from agent_tool_keys t where t.workspace_id = v.workspace_id and t.agent_id = v.agent_id))
    from voice_agent_configs a where a.workspace_id = v.workspace_id and a.id = v.agent_id and v.status = 'publishing'
$$;

create or replace function read_publications(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select v.id, publication_of(v) from agent_versions v where v.workspace_id = p_workspace and v.id = any (p_ids)
$$;

/*
  Stores the outcome of publishing a version (p: provider_agent_id, provider_version, error, wait). The first outcome that is final
  counts. A confirmed version moves the phone numbers that have the agent: they are handed over again by the work on numbers.
*/
create or replace function conclude_publication(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
declare
  v agent_versions;
  is_last boolean;
begin
  select * into v from agent_versions where workspace_id = p_workspace and id = p_id for update;
  if v.id is null or v.status <> 'publishing' then return null; end if;
  if p ->> 'error' is null then
    update agent_versions set status = 'published', published_at = now(), provider_version = (p ->> 'provider_version')::int,
      error = null
      where workspace_id = p_workspace and id = p_id;
    update voice_agent_configs set status = 'published', published_version = v.number, published_at = now(), publish_error = null,
        provider_agent_id = p ->> 'provider_agent_id', provider_version = (p ->> 'provider_version')::int
      where workspace_id = p_workspace and id = v.agent_id;
    update phone_numbers set voice_sync_turn = voice_sync_turn + 1, voice_sync_due_at = now(), voice_sync_attempts = 0
      where workspace_id = p_workspace and (inbound_voice_agent_config_id = v.agent_id or outbound_voice_agent_config_id = v.agent_id);
    return null;
  end if;
  -- Another attempt was requested meanwhile and follows, so this one is not the last.
  is_last := p ->> 'wait' is null and p_is_same;
  update agent_versions set status = case when is_last then 'failed' else status end, error = p ->> 'error'
    where workspace_id = p_workspace and id = p_id;
  update voice_agent_configs set publish_error = p ->> 'error',
      status = case when not is_last then status when published_version is null then 'draft' else 'published' end
    where workspace_id = p_workspace and id = v.agent_id;
  return (p ->> 'wait')::int;
end $$;

-- The outcome of the request's own attempt, in the caller's workspace.
create or replace function settle_publication(p_id uuid, p jsonb) returns void language plpgsql as $$
declare
  seconds int := conclude_publication((select current_workspace()), p_id, true, p);
begin
  update agent_versions set due_at = now() + make_interval(secs => seconds)
    where workspace_id = (select current_workspace()) and id = p_id;
end $$;

-- Makes a version the draft again. Returns whether the agent has it.
create or replace function restore_agent_version(p_agent uuid, p_number int) returns boolean language sql as $$
  with changed as (
    update voice_agent_configs a set name = c.name, language = c.language, prompt = c.prompt, greeting = c.greeting,
      voice_id = c.voice_id, model = c.model,
        tools = c.tools, event_type_id = (select e.id from scheduled_event_types e where e.workspace_id = a.workspace_id
          and e.id = c.event_type_id),
        transfer_number = c.transfer_number, tool_scopes = v.tool_scopes
      from agent_versions v, jsonb_to_record(v.content) c(name text, language text, prompt text, greeting text, voice_id text,
        model text, tools text[],
        event_type_id uuid, transfer_number text)
      where a.workspace_id = (select current_workspace()) and a.id = p_agent and v.workspace_id = a.workspace_id and v.agent_id = a.id
        and v.number = p_number
        and v.status = 'published'
      returning a.id)
  select exists (select from changed)
$$;

revoke execute on function agent_content, published_agent_content, lacks_tool_key, begin_publication, ensure_tool_key, revoke_tool_key,
  publication_of,
  read_publications,
  conclude_publication, settle_publication, restore_agent_version from public, app, jobs;
grant execute on function agent_content, published_agent_content, lacks_tool_key, begin_publication, ensure_tool_key, revoke_tool_key,
  publication_of,
  conclude_publication, settle_publication, restore_agent_version to app, jobs;

/*
  What GET /ai-instructions says about the caller and the workspace (InstructionFacts in src/features/agents/rules/instructions.ts):
  pipelines and custom fields only as far as the caller may read them, and at most 50 and 200 of them.
*/
create or replace function instruction_facts() returns jsonb stable language sql as $$
  select jsonb_build_object(
    'workspace', (select jsonb_build_object('name', w.name, 'timezone', w.timezone) from workspaces w
      where w.id = (select current_workspace())),
    'caller', jsonb_build_object('scopes', to_jsonb(a.scopes), 'role', a.role, 'level', a.level),
    'pipelines', case when has_scopes('{pipelines:read}') then (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'name', p.name,
      'is_default', p.is_default,
        'stages', (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'kind', s.kind) order by s.position), '[]')
          from stages s where s.workspace_id = p.workspace_id and s.pipeline_id = p.id)) order by p.is_default desc, p.name_norm, p.id),
            '[]')
      from (select * from pipelines where workspace_id = (select current_workspace()) and not archived order by is_default desc,
        name_norm, id limit 50) p)
      else '[]' end,
    'custom_fields', case when has_scopes('{company:read}') then (select coalesce(jsonb_agg(jsonb_build_object('object', f.object, 'key',
      f.field_key, 'label', f.label,
        'type', f.type, 'required', f.required) order by f.object, f.position, f.id), '[]')
      from (select * from custom_fields where workspace_id = (select current_workspace()) and not archived order by position,
        id limit 200) f) else '[]' end)
  from current_authority() a
$$;
revoke execute on function instruction_facts from public, jobs;
grant execute on function instruction_facts to app;
