/*
  Copies of knowledge bases at the voice provider. What a copy should contain follows from the base, its entries and its agents, so what
  changes these only makes the copy due; the background compares the two (src/features/knowledge/plans/copy-base.ts).
*/

-- What an entry is called at the provider, where its texts cannot be changed: another text has another name.
create or replace function knowledge_copy_key(e knowledge_entries) returns text immutable language sql
  return replace(e.id::text, '-', '') || '-' || left(encode(sha256(convert_to(e.title || ' ' || e.text_sha256, 'UTF8')), 'hex'), 12);

-- Whether a base is to have a copy: it is kept, or voice agents have the base.
create or replace function wants_knowledge_copy(c knowledge_copies) returns boolean stable language sql as $$
  select c.knowledge_base_id is not null and (c.is_kept or exists (select from knowledge_agents k
    join voice_agent_configs a on a.workspace_id = k.workspace_id and a.id = k.agent_id and a.type = 'voice'
    where k.workspace_id = c.workspace_id and k.knowledge_base_id = c.knowledge_base_id))
$$;

create or replace function touch_knowledge_copies(p_workspace uuid, p_bases uuid[]) returns void language sql as $$
  update knowledge_copies c set due_at = now(), turn = c.turn + 1, attempts = 0, status = 'pending'
    where c.workspace_id = p_workspace and c.knowledge_base_id = any (p_bases)
$$;

create or replace function touch_changed_copies() returns trigger language plpgsql as $$
declare
  w uuid;
  bases uuid[];
begin
  if tg_op = 'UPDATE' then
    for w, bases in select n.workspace_id, array_agg(distinct n.knowledge_base_id) from changed n
      join former o on o.workspace_id = n.workspace_id and o.id = n.id
      where n.knowledge_base_id is not null and (n.text_sha256, n.title) is distinct from (o.text_sha256, o.title) group by 1 loop
      perform touch_knowledge_copies(w, bases);
    end loop;
  else
    for w, bases in select n.workspace_id, array_agg(distinct n.knowledge_base_id) from changed n
      where n.knowledge_base_id is not null group by 1 loop
      perform touch_knowledge_copies(w, bases);
    end loop;
  end if;
  return null;
end $$;
create or replace trigger touch_copies_insert after insert on knowledge_entries referencing new table as changed
  for each statement execute function touch_changed_copies();
create or replace trigger touch_copies_update after update on knowledge_entries referencing old table as former new table as changed
  for each statement execute function touch_changed_copies();
create or replace trigger touch_copies_delete after delete on knowledge_entries referencing old table as changed
  for each statement execute function touch_changed_copies();

-- A base that gets a voice agent gets a copy; one that loses an agent may need its copy no more.
create or replace function follow_knowledge_agent() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform touch_knowledge_copies(old.workspace_id, array[old.knowledge_base_id]);
  -- The copy of a base that is restored comes back with it (relink_rows).
  elsif current_cause_type() is not distinct from 'restore' and exists (select from knowledge_copies c
    join deleted_rows d on d.workspace_id = c.workspace_id and d.row_id = c.id and d.action = 'unlinked'
    where c.workspace_id = new.workspace_id and c.knowledge_base_id is null
    and d.before ->> 'knowledge_base_id' = new.knowledge_base_id::text) then
    return null;
  elsif exists (select from voice_agent_configs a where a.workspace_id = new.workspace_id and a.id = new.agent_id and a.type = 'voice') then
    insert into knowledge_copies (workspace_id, knowledge_base_id, due_at) values (new.workspace_id, new.knowledge_base_id, now())
      on conflict (workspace_id, knowledge_base_id) do update set due_at = now(), turn = knowledge_copies.turn + 1;
  end if;
  return null;
end $$;
create or replace trigger follow_agent after insert or delete on knowledge_agents for each row execute function follow_knowledge_agent();

-- The copy of a base that was deleted is deleted; if the base comes back before, the copy stays.
create or replace function follow_knowledge_base() returns trigger language plpgsql as $$
begin
  new.due_at := now();
  new.turn := new.turn + 1;
  return new;
end $$;
create or replace trigger follow_base before update of knowledge_base_id on knowledge_copies for each row
  when (old.knowledge_base_id is distinct from new.knowledge_base_id) execute function follow_knowledge_base();

/*
  The copies that a worker has claimed: what each should contain by name (keys), and the texts of at most 20 entries that the provider does
  not have yet, of a million characters together.
*/
create or replace function read_knowledge_copies(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select c.id, jsonb_build_object('id', c.id, 'name', coalesce(b.name, ''), 'provider_kb_id', c.provider_kb_id,
      'is_wanted', wants_knowledge_copy(c), 'imported_urls', to_jsonb(c.imported_urls),
      'keys', (select coalesce(jsonb_agg(knowledge_copy_key(e)), '[]') from knowledge_entries e where e.workspace_id = c.workspace_id
        and e.knowledge_base_id = c.knowledge_base_id and e.text <> '' and (e.url is null or e.url <> all (c.imported_urls))),
      'urls', (select coalesce(jsonb_agg(e.url), '[]') from knowledge_entries e where e.workspace_id = c.workspace_id
        and e.knowledge_base_id = c.knowledge_base_id and e.url = any (c.imported_urls)),
      'missing', (select coalesce(jsonb_agg(jsonb_build_object('key', m.key, 'title', m.title, 'text', m.text) order by m.n), '[]') from (
        select e.key, e.title, e.text, row_number() over (order by e.id) as n, sum(e.text_length) over (order by e.id) as size
          from (select knowledge_copy_key(k) as key, k.* from knowledge_entries k where k.workspace_id = c.workspace_id
            and k.knowledge_base_id = c.knowledge_base_id and k.text <> '' and (k.url is null or k.url <> all (c.imported_urls))) e
          where e.key <> all (c.provider_keys)) m where m.n <= 20 and (m.n = 1 or m.size <= 1000000)))
    from knowledge_copies c left join knowledge_bases b on b.workspace_id = c.workspace_id and b.id = c.knowledge_base_id
    where c.workspace_id = p_workspace and c.id = any (p_ids)
$$;

-- Stores the outcome of a copy (p: facts are columns; `gone`: the provider has nothing left; error, wait). Without a change meanwhile, nor
-- anything that is missing, it is ready.
create or replace function settle_knowledge_copy(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
begin
  if (p ->> 'gone')::boolean then
    delete from knowledge_copies c where c.workspace_id = p_workspace and c.id = p_id and not wants_knowledge_copy(c);
    if found then return null; end if;
    update knowledge_copies c set provider_kb_id = null, provider_keys = '{}', imported_urls = '{}'
      where c.workspace_id = p_workspace and c.id = p_id;
    return 0;
  end if;
  update knowledge_copies c set error = p ->> 'error', status = case when p ->> 'error' is not null
      then case when p ->> 'wait' is null and p_is_same then 'failed' else 'pending' end
      when p_is_same and p ->> 'wait' is null then 'ready' else 'pending' end
    where c.workspace_id = p_workspace and c.id = p_id;
  return (p ->> 'wait')::int;
end $$;

-- Links a base of the provider as it is (p: id, name, provider_kb_id, urls with their keys, agents by their ids at the provider): a base
-- here with its pages, and the agents of this workspace that answer from it. Its copy is new, or the one that was reserved (copy_id),
-- unless the background deletes what was made for it.
create or replace function adopt_knowledge_base(p jsonb) returns void language plpgsql as $$
declare
  base constant uuid := (p ->> 'id')::uuid;
begin
  insert into knowledge_bases (id, name, description) values (base, p ->> 'name', p ->> 'description');
  if p ->> 'copy_id' is null then
    insert into knowledge_copies (knowledge_base_id, provider_kb_id, is_kept, imported_urls, due_at)
      values (base, p ->> 'provider_kb_id', true, array(select u ->> 'url' from jsonb_array_elements(p -> 'pages') u), now());
  else
    update knowledge_copies c set knowledge_base_id = base, provider_kb_id = p ->> 'provider_kb_id', is_kept = true
      where c.workspace_id = (select current_workspace()) and c.id = (p ->> 'copy_id')::uuid and c.claim_id is null;
    if not found then perform fail('CONFLICT', 'The voice provider answered too late: send the request again'); end if;
  end if;
  insert into knowledge_entries (knowledge_base_id, source, source_key, title, url, due_at)
    select base, 'url', u ->> 'key', left(u ->> 'url', 300), u ->> 'url', now() from jsonb_array_elements(p -> 'pages') u;
  insert into knowledge_agents (knowledge_base_id, agent_id) select base, a.id from voice_agent_configs a
    where a.workspace_id = (select current_workspace()) and a.type = 'voice'
      and a.provider_agent_id = any (array(select jsonb_array_elements_text(p -> 'agents')));
end $$;

-- Ends the copy of a base: no voice agent has the base any more, and the background deletes what the provider has.
create or replace function end_knowledge_copy(p_base uuid) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  delete from knowledge_agents k using voice_agent_configs a
    where k.workspace_id = w and k.knowledge_base_id = p_base and a.workspace_id = w and a.id = k.agent_id and a.type = 'voice';
  update knowledge_copies c set is_kept = false, due_at = now(), turn = c.turn + 1, status = 'pending'
    where c.workspace_id = w and c.knowledge_base_id = p_base;
end $$;

-- Whether the published version of an agent answers from a base; text agents read it at once.
create or replace function knowledge_is_live(k knowledge_agents) returns boolean stable language sql as $$
  select a.type = 'text' or coalesce(published_agent_content(a) -> 'knowledge_base_ids' @> to_jsonb(k.knowledge_base_id), false)
    from voice_agent_configs a where a.workspace_id = k.workspace_id and a.id = k.agent_id
$$;
