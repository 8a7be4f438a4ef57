/*
  Knowledge: the texts of the workspace in chunks, with their words and their vectors. A text is replaced with all of its chunks in one
  statement, so a search finds the former text or the new one.
*/

-- An entry that is added has no chunks yet: the background makes them, unless a request does so first. One that comes back has its own, but
-- its page may have changed meanwhile.
create or replace function begin_knowledge_entry() returns trigger language plpgsql as $$
begin
  if new.chunk_count > 0 then
    if new.source = 'url' then new.due_at := coalesce(new.due_at, now()); end if;
    return new;
  end if;
  new.status := 'pending';
  new.due_at := coalesce(new.due_at, now());
  return new;
end $$;
create or replace trigger begin_entry before insert on knowledge_entries for each row execute function begin_knowledge_entry();

-- The entries that a worker has claimed, with the digests of the chunks whose vectors can stay.
create or replace function read_knowledge_entries(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb)
  stable language sql as $$
  select e.id, jsonb_build_object('id', e.id, 'source', e.source, 'url', e.url, 'title', e.title, 'text', e.text, 'etag', e.etag,
      'source_sha256', e.source_sha256, 'known', (select coalesce(jsonb_agg(distinct c.model || ' ' || c.sha256), '[]')
        from knowledge_chunks c where c.workspace_id = e.workspace_id and c.entry_id = e.id))
    from knowledge_entries e where e.workspace_id = p_workspace and e.id = any (p_ids)
$$;

/*
  Replaces the text and the chunks of an entry (p: title, text, source_sha256 and etag of what was read, chunks: heading_path, text, sha256,
  model, embedding). A chunk without a vector takes that of a former chunk with the same digest and model. If there is none, because
  somebody else has replaced them, nothing changes. Returns whether it did.
*/
create or replace function replace_knowledge(p_workspace uuid, p_id uuid, p jsonb) returns boolean language plpgsql as $$
begin
  if exists (select from jsonb_array_elements(p -> 'chunks') c where c ->> 'embedding' is null and not exists (
    select from knowledge_chunks k where k.workspace_id = p_workspace and k.entry_id = p_id
      and k.sha256 = c ->> 'sha256' and k.model = c ->> 'model')) then
    return false;
  end if;
  with former as (delete from knowledge_chunks k where k.workspace_id = p_workspace and k.entry_id = p_id
    returning k.sha256, k.model, k.embedding)
  insert into knowledge_chunks (workspace_id, entry_id, rank, heading_path, text, sha256, lexemes, word_count, model, embedding)
    select p_workspace, p_id, n, path, c ->> 'text', c ->> 'sha256', words, length(words), c ->> 'model',
        case when c ->> 'embedding' is not null then (c ->> 'embedding')::halfvec
          else (select f.embedding from former f where f.sha256 = c ->> 'sha256' and f.model = c ->> 'model' limit 1) end
      from jsonb_array_elements(p -> 'chunks') with ordinality e(c, n),
        lateral (select array(select jsonb_array_elements_text(c -> 'heading_path'))) h(path),
        lateral (select chunk_lexemes(p_workspace, concat_ws(' ', p ->> 'title', array_to_string(path, ' '), c ->> 'text'))) l(words);
  update knowledge_entries e set title = p ->> 'title', text = p ->> 'text', status = 'ready', error = null, synced_at = now(),
      source_sha256 = coalesce(p ->> 'source_sha256', e.source_sha256),
      etag = case when p ? 'source_sha256' then p ->> 'etag' else e.etag end, chunk_count = jsonb_array_length(p -> 'chunks')
        where e.workspace_id = p_workspace and e.id = p_id;
  return true;
end $$;

-- When an entry is read again by itself: pages of a base that does so.
create or replace function next_knowledge_sync(p_workspace uuid, p_id uuid) returns int stable language sql as $$
  select b.auto_resync_hours * 3600 from knowledge_entries e
    join knowledge_bases b on b.workspace_id = e.workspace_id and b.id = e.knowledge_base_id
    where e.workspace_id = p_workspace and e.id = p_id and e.source = 'url' and b.auto_resync_enabled
$$;

-- When the pages of a base are read again, after its settings have changed. What is being done already, or is soon tried again, decides by
-- itself when it ends: a text may wait for its vectors.
create or replace function schedule_knowledge_syncs(p_base uuid) returns void language sql as $$
  update knowledge_entries e set turn = e.turn + 1, due_at = case when b.auto_resync_enabled
      then greatest(now(), coalesce(e.synced_at, now()) + make_interval(hours => b.auto_resync_hours)) end
    from knowledge_bases b where b.workspace_id = (select current_workspace()) and b.id = p_base and e.workspace_id = b.workspace_id
      and e.knowledge_base_id = b.id and e.source = 'url' and e.status <> 'pending' and e.claim_id is null
      and coalesce(e.due_at > now() + case when e.error is null then interval '2 minutes' else interval '2 hours' end, true)
$$;

/*
  Makes the entries of a source in a base those that it has now (p: key, title, text, url, sha256), in one transaction: what is new or has
  changed is due to be indexed, and what the source has no more is deleted. p_keys: only these keys are compared, unless p_is_all. A text
  that was edited here stays until its source changes. Notes in the base what was done.
*/
create or replace function sync_knowledge(p_base uuid, p_source text, p jsonb, p_keys text[], p_is_all boolean, p_most int) returns void
  language plpgsql as $$
declare
  w constant uuid := current_workspace();
  n jsonb;
begin
  perform from knowledge_bases b where b.workspace_id = w and b.id = p_base for update;
  if not found then return; end if;
  with sent as materialized (
    select s.key, s.title, s.text, s.url, s.sha256 from jsonb_to_recordset(p) s(key text, title text, text text, url text, sha256 text)),
  gone as (delete from knowledge_entries e where e.workspace_id = w and e.knowledge_base_id = p_base and e.source = p_source
      and (p_is_all or e.source_key = any (p_keys)) and e.source_key <> all (array(select s.key from sent s)) returning e.id),
  changed as (update knowledge_entries e set title = s.title, text = s.text, url = s.url, source_sha256 = s.sha256, turn = e.turn + 1,
        due_at = now() from sent s where e.workspace_id = w and e.knowledge_base_id = p_base and e.source = p_source
      and e.source_key = s.key and e.source_sha256 is distinct from s.sha256 returning e.id),
  known as materialized (select e.source_key from knowledge_entries e
    where e.workspace_id = w and e.knowledge_base_id = p_base and e.source = p_source),
  added as (insert into knowledge_entries (knowledge_base_id, source, source_key, title, text, url, source_sha256, due_at)
    select p_base, p_source, s.key, s.title, s.text, s.url, s.sha256, now() from sent s
      where s.key not in (select k.source_key from known k) returning id)
  select jsonb_build_object('added', a.n, 'updated', c.n, 'removed', g.n,
    'unchanged', jsonb_array_length(p) - a.n - c.n, 'synced_at', now())
    into n from (select count(*) as n from added) a, (select count(*) as n from changed) c, (select count(*) as n from gone) g;
  if (select count(*) from (select from knowledge_entries e where e.workspace_id = w and e.knowledge_base_id = p_base
      limit p_most + 1) e) > p_most then
    perform fail('CONFLICT', format('A knowledge base has at most %s entries: use another base', p_most));
  end if;
  update knowledge_bases b set last_syncs = b.last_syncs || jsonb_build_object(p_source, n) where b.workspace_id = w and b.id = p_base;
end $$;

create or replace function assert_help_center(p_base uuid) returns void language sql as $$
  select assert_condition(b.help_center_url is not null, 'CONFLICT', 'The knowledge base has no help_center_url: set it first', null)
    from knowledge_bases b where b.workspace_id = (select current_workspace()) and b.id = p_base
$$;

-- Stores the outcome of an entry (p: entry, see replace_knowledge; or error, with `wait` unless it is the last; or nothing new). A text
-- that is there stays when it fails.
create or replace function settle_knowledge_entry(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int
  language plpgsql as $$
begin
  if not p_is_same then return null; end if;
  if p ? 'entry' then
    if not replace_knowledge(p_workspace, p_id, p -> 'entry') then return 0; end if;
  elsif p ->> 'error' is null then
    update knowledge_entries e set synced_at = now(), error = null where e.workspace_id = p_workspace and e.id = p_id;
  else
    update knowledge_entries e set error = p ->> 'error',
        status = case when e.chunk_count > 0 then 'ready' when p ->> 'wait' is null then 'failed' else 'pending' end
      where e.workspace_id = p_workspace and e.id = p_id;
    if p ->> 'wait' is not null then return (p ->> 'wait')::int; end if;
  end if;
  return next_knowledge_sync(p_workspace, p_id);
end $$;

-- The same for a request, unless the entry has changed meanwhile, or the background is at it.
create or replace function finish_knowledge_entry(p_id uuid, p_turn int, p jsonb) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  is_same boolean;
  seconds int;
begin
  select e.turn = p_turn and e.claim_id is null into is_same from knowledge_entries e where e.workspace_id = w and e.id = p_id for update;
  if is_same is not true then return; end if;
  seconds := settle_knowledge_entry(w, p_id, true, p);
  update knowledge_entries e set due_at = now() + make_interval(secs => seconds) where e.workspace_id = w and e.id = p_id;
end $$;

/*
  The chunks of these bases (null: of all, and of entries without a base) that answer a question best: by its words (BM25 over the texts
  that are searched), and by its vector. The two rankings are merged by rank, with weights from labelled questions
  (test/routes/knowledge/retrieval.test.ts): where a model ranks badly, the words still lead. Nothing of another workspace takes part in a
  score.
*/
create or replace function search_knowledge(p_bases uuid[], p_question text, p_model text, p_vector text, p_limit int)
  returns table (id uuid, score float8, words_score float8, vector_score float8)
  stable security definer set search_path = public, pg_temp language sql as $$
  with question as materialized (
    select array(select distinct left(a, 60) from unnest((words_of(lower(normalize(p_question, NFKC))))[1:64]) a) as words,
      -- Read here once: a cached plan would read the text again for each part.
      p_vector::halfvec as vector),
  searched as materialized (
    select c.id, c.word_count, c.lexemes, case when c.model = p_model then 1 - (c.embedding <=> a.vector) end as similarity
      from question a, knowledge_chunks c
      where c.workspace_id = (select current_workspace()) and (p_bases is null or c.entry_id in (select e.id
        from knowledge_entries e where e.workspace_id = (select current_workspace()) and e.knowledge_base_id = any (p_bases)))),
  totals as (select count(*)::float8 as documents, greatest(avg(word_count), 1)::float8 as mean from searched),
  uses as materialized (
    select s.id, s.word_count, l.lexeme as word, cardinality(l.positions)::float8 as uses from question a, searched s, unnest(s.lexemes) l
      where s.lexemes @@ array_to_string(array(select quote_literal(x) from unnest(a.words) x), ' | ')::tsquery
        and l.lexeme = any (a.words)),
  by_words as (
    select u.id, sum(ln(1 + (t.documents - f.found + 0.5) / (f.found + 0.5)) * u.uses * 2.2
        / (u.uses + 1.2 * (0.25 + 0.75 * u.word_count / t.mean))) as value
      from uses u join (select word, count(*)::float8 as found from uses group by word) f using (word), totals t group by u.id),
  words_ranked as (select w.id, w.value, row_number() over (order by w.value desc, w.id) as place from by_words w order by place limit 100),
  vector_ranked as (select s.id, s.similarity as value, row_number() over (order by s.similarity desc, s.id) as place
    from searched s where s.similarity is not null order by place limit 100)
  select coalesce(a.id, b.id), coalesce(1 / (20.0 + a.place), 0) + coalesce(0.7 / (20.0 + b.place), 0), a.value, b.value
    from words_ranked a full join vector_ranked b on b.id = a.id order by 2 desc, 1 limit p_limit
$$;
revoke execute on function search_knowledge from public;
grant execute on function search_knowledge to app, jobs;
