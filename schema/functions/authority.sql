-- The scopes that both lists include.
create or replace function intersect_scopes(a text[], b text[]) returns text[] immutable language sql
  return case when '*:*' = any (a) then b when '*:*' = any (b) then a else array(
    select distinct (case x.resource when '*' then y.resource else x.resource end) || ':' || (case x.action when '*' then y.action
      else x.action end)
    from (select split_part(s, ':', 1) as resource, split_part(s, ':', 2) as action from unnest(a) s) x,
      (select split_part(s, ':', 1) as resource, split_part(s, ':', 2) as action from unnest(b) s) y
    where (x.resource = y.resource or '*' in (x.resource, y.resource)) and (x.action = y.action or '*' in (x.action, y.action))) end;

create or replace function level_rank(p_level text) returns int immutable language sql
  return case p_level when 'read_only' then 0 when 'approval' then 1 when 'execute' then 2 end;

/*
  Authority. A principal is whoever acts in a transaction: a key, an approved request, an import, an automation run, the holder of a public
  token, or a provider that calls back. Its rights are what the scopes, the role, the level and the expiry of everyone involved allow:
  the owner of a key bounds the key, and an approved request has the rights that its requester and its approver share. `authorize` is the
  only function that decides this. It stores its result for the transaction, and all that depends on rights later (assert_scopes,
  has_scopes, readable_entities, assert_role_grant, assert_key_grant) asks current_authority().
*/

-- Whether an address is in one of the ranges. Without ranges every address is; an unknown address is in none.
create or replace function is_address_in(p_address text, p_ranges text[]) returns boolean immutable parallel safe language sql as $$
  select p_ranges = '{}' or coalesce(pg_input_is_valid(p_address, 'inet') and exists (
    select from unnest(p_ranges) r where pg_input_is_valid(r, 'inet') and p_address::inet <<= r::inet), false)
$$;

-- Whether every address of the ranges is in the others.
create or replace function ranges_within(p_ranges text[], p_others text[]) returns boolean immutable parallel safe language sql as $$
  select p_others = '{}' or p_ranges <> '{}' and not exists (select from unnest(p_ranges) r where not exists (
    select from unnest(p_others) o where r::inet <<= o::inet))
$$;

-- The rights of a key as its owner's role bounds them, and whether its owner acts in person (see current_person); null for a key that is
-- unknown, revoked or expired, or whose owner is not active.
create or replace function key_authority(p_kind text, k api_keys) returns authority stable language plpgsql as $$
declare
  a authority;
begin
  if k.id is null or k.revoked_at is not null or k.expires_at <= now() then return null; end if;
  select p_kind, k.workspace_id, k.id, k.user_id, k.scopes, m.role, r.name, r.scopes, k.level, r.can_write, m.role = 'client_admin',
    k.expires_at, coalesce(p_kind in ('key', 'approval') and k.created_by = k.user_id, false) into a
    from memberships m join roles r on r.workspace_id = m.workspace_id and r.role_key = m.role
    where m.workspace_id = k.workspace_id and m.user_id = k.user_id and m.status = 'active';
  return a;
end $$;

-- Raises INSUFFICIENT_SCOPE or FORBIDDEN unless the rights include all that is wanted.
create or replace function assert_rights(a authority, p_scopes text[], p_writes boolean, p_admin boolean)
  returns void stable language plpgsql as $$
declare
  missing text[] := lacking_scopes(a.scopes, p_scopes);
begin
  if missing is not null then
    perform fail('INSUFFICIENT_SCOPE', 'The API key lacks a scope that this call needs',
      jsonb_build_object('required_scopes', p_scopes, 'missing_scopes', missing));
  end if;
  missing := lacking_scopes(a.role_scopes, p_scopes);
  if missing is not null then
    perform fail('FORBIDDEN', format('The role %s of the key''s owner does not include %s', a.role_name, array_to_string(missing, ', ')),
      jsonb_build_object('role', a.role, 'missing_scopes', missing));
  end if;
  if p_writes and not a.can_write then
    perform fail('FORBIDDEN', format('The key''s owner has the role %s, which may not write', a.role_name),
      jsonb_build_object('role', a.role));
  end if;
  if p_writes and a.level = 'read_only' then perform fail('FORBIDDEN', 'The key''s permission level is read_only'); end if;
  if p_admin and not a.admin
    then perform fail('FORBIDDEN', 'Only a key whose owner has the role client_admin may do this'); end if;
end $$;

-- The rights that two principals share, in the name of the first; the second decided that it may act.
create or replace function shared_authority(a authority, b authority) returns authority immutable language plpgsql as $$
begin
  a.scopes := intersect_scopes(a.scopes, b.scopes);
  a.role_scopes := intersect_scopes(a.role_scopes, b.role_scopes);
  a.can_write := a.can_write and b.can_write;
  a.admin := a.admin and b.admin;
  a.level := b.level;
  a.expires_at := least(a.expires_at, b.expires_at);
  return a;
end $$;

/*
  Decides what a principal may do, raises unless that includes all that is wanted, and stores it for the transaction. p: kind; scopes,
  write, admin, direct (wanted); and by kind
    key                             key_hash (hex), and the address of the client, if it is known
    approval workspace_id, key_id, decided_key_id and edited_key_id: the keys of the requester, of the approver, and of
                                    the editor if there was one
    import, automation_run,         workspace_id and key_id: the key that started the import, published the automation, or wrote the
    incoming_webhook, auto_reply    webhook or the auto responder last
    public_token, provider_callback grant: workspace_id, scopes, and optionally expires_at, as the token or the signature proves them
  Raises UNAUTHENTICATED for a principal that is unknown, revoked or expired, otherwise INSUFFICIENT_SCOPE or FORBIDDEN.
*/
create or replace function authorize(p jsonb) returns authority security definer set search_path = public, pg_temp language plpgsql as $$
declare
  kind constant text := p ->> 'kind';
  wanted constant text[] := array(select jsonb_array_elements_text(p -> 'scopes'));
  writes constant boolean := coalesce((p ->> 'write')::boolean, false);
  admin constant boolean := coalesce((p ->> 'admin')::boolean, false);
  own api_keys;
  a authority;
  approver authority;
  other uuid;
begin
  if kind = 'key' then
    select * into own from api_keys where key_hash = decode(p ->> 'key_hash', 'hex');
    if not found then
      select * into own from api_keys where previous_key_hash = decode(p ->> 'key_hash', 'hex') and previous_expires_at > now();
    end if;
    a := key_authority(kind, own);
    if a.workspace_id is not null and not is_address_in(p ->> 'address', own.allowed_ranges) then
      perform fail('FORBIDDEN', 'This API key may not be used from this address: see allowed_ranges of the key',
        jsonb_build_object('address', p -> 'address'));
    end if;
  elsif kind in ('approval', 'import', 'automation_run', 'incoming_webhook', 'auto_reply') then
    select * into own from api_keys where workspace_id = (p ->> 'workspace_id')::uuid and id = (p ->> 'key_id')::uuid;
    a := key_authority(kind, own);
  elsif kind in ('public_token', 'provider_callback') and coalesce((p #>> '{grant,expires_at}')::timestamptz > now(), true) then
    a := row(kind, p #>> '{grant,workspace_id}', null, null, array(select jsonb_array_elements_text(p #> '{grant,scopes}')), null, null,
      '{*:*}', 'execute', true, false, p #>> '{grant,expires_at}', false)::authority;
  end if;
  if a.workspace_id is null then
    perform fail('UNAUTHENTICATED',
      case when kind in ('public_token', 'provider_callback') then 'This link or signature is unknown or expired'
      else 'The API key is unknown, expired or revoked: send a current one as "Authorization: Bearer wck_…"' end);
  end if;
  perform assert_rights(a, wanted, writes, admin);
  if (p ->> 'direct')::boolean and a.level <> 'execute' and not (coalesce((p ->> 'every_level')::boolean, false) and a.level = 'approval')
    then perform fail('FORBIDDEN', 'Only a key of permission level execute may do this'); end if;
  if kind = 'approval' then
    foreach other in array array[p ->> 'decided_key_id'] || nullif(array[p ->> 'edited_key_id'], '{null}') loop
      select * into own from api_keys where workspace_id = a.workspace_id and id = other;
      approver := key_authority('key', own);
      if approver.workspace_id is null or approver.level <> 'execute' then
        perform fail('FORBIDDEN', 'The key that approved or edited this request is no longer valid: request the change again');
      end if;
      perform assert_rights(approver, wanted, writes, admin);
      a := shared_authority(a, approver);
      -- Whoever edits a request says what is done: that is the requester in person only if it is the same member.
      a.in_person := a.in_person
        and (other is distinct from (p ->> 'edited_key_id')::uuid or approver.in_person and approver.user_id = a.user_id);
    end loop;
  end if;
  perform set_config('app.authority', to_jsonb(a)::text, true);
  return a;
end $$;

-- What the principal of this transaction may do; null where there is none, as in cron jobs.
create or replace function current_authority() returns authority stable language sql
  return jsonb_populate_record(null::authority, nullif(current_setting('app.authority', true), '')::jsonb);

-- Whether an authority includes all of these scopes.
create or replace function allows(a authority, p_scopes text[]) returns boolean immutable language sql
  return coalesce(lacking_scopes(a.scopes, p_scopes) is null and lacking_scopes(a.role_scopes, p_scopes) is null
    and a.workspace_id is not null, false);

-- Whether the caller has all of these scopes. Without a caller nobody has any.
create or replace function has_scopes(p_scopes text[]) returns boolean stable language sql as $$
  select allows(a, p_scopes) from current_authority() a
$$;

-- Those of these resources that the role of the key's owner may read, whatever the scopes of the key.
create or replace function role_reads(p_resources text[]) returns text[] stable language sql as $$
  select array(select r from unnest(p_resources) r
    where a.role_scopes is not null and lacking_scopes(a.role_scopes, array[r || ':read']) is null)
    from current_authority() a
$$;

-- Notes for end_request what the request has needed, which its approver must have too.
create or replace function note_requirement(p_scopes text[], p_admin boolean) returns void language sql as $$
  select set_config('app.required', array(select distinct s from unnest(nullif(current_setting('app.required', true), '')::text[]
    || p_scopes || case when p_admin then '{admin}'::text[] end) s order by s)::text, true)
$$;

-- Requires rights that depend on the input of a request or on stored data, as begin_request requires the fixed ones.
create or replace function assert_needed(p_scopes text[], p_admin boolean) returns boolean language plpgsql as $$
begin
  perform assert_rights(current_authority(), p_scopes, false, p_admin);
  perform note_requirement(p_scopes, p_admin);
  return true;
end $$;

create or replace function assert_scopes(p_scopes text[]) returns boolean language sql as $$ select assert_needed(p_scopes, false) $$;

-- Requires the right to this action in the channel of each of these conversations; for reading the history of one that is deleted, in every
-- channel.
create or replace function assert_conversation_scopes(p_ids uuid[], p_action text, p_deleted boolean default false)
  returns boolean language sql as $$
  select assert_scopes(case when p_deleted and channels = '{}' then '{email:read,sms:read,whatsapp:read}' else channels end)
    from (select array(select distinct c.channel || ':' || p_action from conversations c where c.id = any (p_ids)
      order by 1)) found(channels)
$$;

-- Requires the right to read conversations of a channel; without one, those of any.
create or replace function assert_inbox_scopes(p_channel text) returns boolean language plpgsql as $$
begin
  if p_channel is not null then return assert_scopes(array[p_channel || ':read']); end if;
  if has_scopes('{email:read}') or has_scopes('{sms:read}') or has_scopes('{whatsapp:read}') then return true; end if;
  perform fail('INSUFFICIENT_SCOPE', 'Reading conversations takes the scope of a channel: email:read, sms:read or whatsapp:read',
    jsonb_build_object('required_scopes', '{}'::text[], 'missing_scopes', array['email:read', 'sms:read', 'whatsapp:read']));
end $$;

-- A member's own settings are theirs; those of others are a client_admin's.
create or replace function assert_self_or_admin(p_user uuid) returns boolean language plpgsql as $$
begin
  if p_user is distinct from current_user_id() then perform assert_needed('{}', true); end if;
  return true;
end $$;

-- Members connect and disconnect their own accounts, with a key of their own; a client_admin does it for everybody.
create or replace function assert_own_account(p_user uuid) returns boolean language plpgsql as $$
begin
  if p_user = current_user_id() and current_person() is null and not (current_authority()).admin then
    perform fail('FORBIDDEN',
      'Somebody else has made this key, so it does not connect accounts in the name of its owner: use a key that the member has made, or '
      'one of a client_admin', jsonb_build_object('user_id', p_user));
  end if;
  return assert_self_or_admin(p_user);
end $$;

-- Those of these kinds of records that an authority may not read; none for one that may do nothing at all (null).
create or replace function unreadable_entities(a authority, p_entities text[]) returns text[] stable language sql as $$
  select array(select e.entity from entity_scopes() e where e.entity = any (p_entities)
    and (not a.admin and e.entity = any (admin_entities())
      or exists (select from unnest(e.scopes) s where not a.scopes && scopes_with(s) or not a.role_scopes && scopes_with(s))))
$$;

-- The kinds of records that an authority may read.
create or replace function entities_of(a authority) returns text[] stable language sql as $$
  select case when a.workspace_id is null then '{}' else array(select entity from entity_scopes()
    except select unnest(unreadable_entities(a, array(select entity from entity_scopes())))) end
$$;

-- The same for the caller. What is stored about others is reported without values.
create or replace function readable_entities() returns text[] stable language sql as $$
  select entities_of(a) from current_authority() a
$$;

-- Requires the right to read these kinds of records.
create or replace function assert_readable(p_entities text[]) returns boolean language sql as $$
  select assert_needed(array(select distinct unnest(scopes) from entity_scopes() where entity = any (p_entities)),
    p_entities && admin_entities())
$$;

-- Changed fields without their values.
create or replace function omit_values(p_fields jsonb) returns jsonb immutable parallel safe language sql
  return (select coalesce(jsonb_object_agg(k, '{}'::jsonb), '{}') from jsonb_object_keys(p_fields) k);

-- The changes that an approval lists, without values of records that the caller may not read.
create or replace function readable_changes(p_changes jsonb, p_readable text[]) returns jsonb immutable parallel safe language sql
  return (select coalesce(jsonb_agg(case when c ->> 'entity' = any (p_readable) then c
    else c || jsonb_build_object('fields', omit_values(c -> 'fields')) end order by n), '[]')
    from jsonb_array_elements(p_changes) with ordinality e(c, n));

-- Whether the caller may read all that an approval's request and response are about: the records that it changes, and the resources of the
-- scopes that it needs, which include that of a conversation. An approval that does not know its scopes is for callers who may read
-- everything.
create or replace function is_readable(p_changes jsonb, p_scopes text[], p_readable text[]) returns boolean stable language sql
  return has_scopes(coalesce((select array_agg(distinct split_part(s, ':', 1) || ':read') from unnest(p_scopes) s), '{*:read}'))
    and not exists (select from jsonb_array_elements(p_changes) c
      where c ->> 'entity' <> all (p_readable) and c ->> 'entity' <> 'conversation');

-- Whether the session belongs to queues and cron jobs, or to the owner of the functions.
create or replace function is_jobs_session() returns boolean stable language sql
  return pg_has_role(session_user, 'jobs', 'member');

-- Only begin_request calls it.
revoke execute on function authorize from public;
