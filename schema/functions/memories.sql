/*
  Memories. A fact holds from valid_from until valid_until. What is remembered later about the same subject and topic ends what held before,
  in the order of valid_from, whatever order the memories come in. Nothing is deleted for it; only forget_memory and a purge delete.
*/

-- Additions about one subject wait for each other, so that each sees what the others have added.
create or replace function lock_memories(p_subject uuid) returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('memories'), hashtext(current_workspace()::text || coalesce(p_subject, current_workspace())))
$$;

-- The memory that says the same of the same subject at this time.
create or replace function same_memory(p_subject uuid, p_topic text, p_text text, p_at timestamptz) returns uuid stable language sql as $$
  select m.id from memories m
    where m.workspace_id = (select current_workspace()) and m.subject_id = coalesce(p_subject, current_workspace())
    and m.text_key = memory_text_key(p_text) and m.topic_norm is not distinct from norm(p_topic) and m.valid_from <= p_at
    and (m.valid_until is null or m.valid_until > p_at) order by m.id limit 1
$$;

/*
  Ends what a memory that was just added contradicts: the memories with its subject and topic that held when it begins to hold. If a later
  one is known already, it holds until that.
*/
create or replace function supersede_memories(p_id uuid) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  added memories;
  later memories;
begin
  select * into added from memories m where m.workspace_id = w and m.id = p_id and m.topic_norm is not null;
  if added.id is null then return; end if;
  update memories m set valid_until = added.valid_from, superseded_by_id = added.id
    where m.workspace_id = w and m.subject_id = added.subject_id and m.topic_norm = added.topic_norm and m.id <> added.id
      and m.valid_from <= added.valid_from and (m.valid_until is null or m.valid_until > added.valid_from);
  select * into later from memories m where m.workspace_id = w and m.subject_id = added.subject_id and m.topic_norm = added.topic_norm
    and m.id <> added.id and m.valid_from > added.valid_from and (m.valid_until is null or m.valid_until > m.valid_from)
    order by m.valid_from, m.id limit 1;
  if later.valid_from < coalesce(added.valid_until, 'infinity') then
    update memories m set valid_until = later.valid_from, superseded_by_id = later.id where m.workspace_id = w and m.id = added.id;
  end if;
end $$;

-- The other memories with the same subject and topic that say something else of a time at which this one holds: the latest first.
create or replace function contradicting_memories(p memories, p_most int) returns json stable language sql as $$
  select case when p.topic_norm is null then '[]'
    else (select coalesce(json_agg(o.id order by o.id desc), '[]')
    from (select m.id from memories m where m.workspace_id = (select current_workspace())
    and m.subject_id = p.subject_id and m.topic_norm = p.topic_norm and m.id <> p.id and m.text_key <> p.text_key
    and m.valid_from < coalesce(p.valid_until, 'infinity') and p.valid_from < coalesce(m.valid_until, 'infinity')
    and m.valid_from < coalesce(m.valid_until, 'infinity') and p.valid_from < coalesce(p.valid_until, 'infinity')
    order by m.id desc limit p_most) o) end
$$;

-- Whether the team sees what a memory is said to be learnt from: what is in a member's mailbox is no source of what everybody reads.
create or replace function is_memory_source(p_type text, p_id uuid) returns boolean stable language sql as $$
  select case p_type
    when 'member' then exists (select from memberships m where m.workspace_id = (select current_workspace()) and m.user_id = p_id)
    when 'contact' then exists (select from contacts c where c.workspace_id = (select current_workspace()) and c.id = p_id)
    when 'conversation' then exists (select from conversations c
      where c.workspace_id = (select current_workspace()) and c.id = p_id and c.private_to is null)
    when 'message' then exists (select from messages m
      where m.workspace_id = (select current_workspace()) and m.id = p_id and m.private_to is null)
      or exists (select from email_messages m where m.workspace_id = (select current_workspace()) and m.id = p_id and m.private_to is null)
      or exists (select from sms_messages m where m.workspace_id = (select current_workspace()) and m.id = p_id)
      or exists (select from whatsapp_messages m where m.workspace_id = (select current_workspace()) and m.id = p_id)
    else exists (select from skill_runs r where r.workspace_id = (select current_workspace()) and r.id = p_id)
      or exists (select from automation_runs r where r.workspace_id = (select current_workspace()) and r.id = p_id) end
$$;

-- A memory that is added, or says something else, needs a vector, which the background makes.
create or replace function begin_memory_vector() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  insert into memory_vectors (workspace_id, id, due_at) values (new.workspace_id, new.id, now())
    on conflict (workspace_id, id)
      do update set model = null, embedding = null, error = null, due_at = now(), turn = memory_vectors.turn + 1;
  return null;
end $$;
create or replace trigger begin_vector after insert on memories for each row execute function begin_memory_vector();
create or replace trigger renew_vector after update of text, topic on memories for each row
  when ((old.text, old.topic) is distinct from (new.text, new.topic)) execute function begin_memory_vector();

-- Memories without a vector that a worker has claimed, with what they say.
create or replace function read_memory_texts(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select m.id, jsonb_build_object('topic', m.topic, 'text', m.text) from memories m
    where m.workspace_id = p_workspace and m.id = any (p_ids)
$$;

-- Each memory that gets a vector makes up to a hundred due that have one of another model, or for which it was given up: the model was
-- changed, or the provider is there again.
create or replace function settle_memory_vector(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
declare
  current constant text := p -> 'results' ->> 'model';
begin
  if p_is_same and current is not null then
    update memory_vectors v set due_at = now(), turn = v.turn + 1
      where v.workspace_id = p_workspace and v.due_at is null and v.id = any (array(
      select o.id from memory_vectors o where o.workspace_id = p_workspace and o.model < current
      union all select o.id from memory_vectors o where o.workspace_id = p_workspace and o.model > current
      union all select o.id from memory_vectors o where o.workspace_id = p_workspace and o.model is null and o.due_at is null limit 100));
  end if;
  return null;
end $$;

/*
  The memories that a query finds, of a subject (null: of all) and at a time (null: at any): by their words (BM25), and by their vectors of
  this model, among the latest. The two rankings are merged by rank. What has no vector yet is found by words alone. Nothing of another
  workspace takes part in a score.
*/
create or replace function search_memories(p_query text, p_model text, p_vector text, p_subject uuid,
  p_at timestamptz, p_among int, p_limit int)
  returns table (id uuid, score float8, words_score float8, vector_score float8)
  stable security definer set search_path = public, pg_temp language sql as $$
  with query as materialized (
    select array(select distinct left(a, 60) from unnest((words_of(lower(normalize(p_query, NFKC))))[1:64]) a) as words,
      p_vector::halfvec as vector),
  searched as materialized (
    select s.id, s.lexemes from (
        (select m.id, m.lexemes, m.valid_from, m.valid_until from memories m
          where p_subject is null and m.workspace_id = (select current_workspace()) order by m.created_at desc, m.id desc limit p_among)
        union all (select m.id, m.lexemes, m.valid_from, m.valid_until from memories m
          where m.workspace_id = (select current_workspace()) and m.subject_id = p_subject limit p_among)) s
      where p_at is null or s.valid_from <= p_at and (s.valid_until is null or s.valid_until > p_at)),
  totals as (select count(*)::float8 as documents, greatest(avg(length(lexemes)), 1)::float8 as mean from searched),
  uses as materialized (
    select s.id, length(s.lexemes) as word_count, l.lexeme as word, cardinality(l.positions)::float8 as uses
      from query q, searched s, unnest(s.lexemes) l
      where s.lexemes @@ array_to_string(array(select quote_literal(x) from unnest(q.words) x), ' | ')::tsquery
      and l.lexeme = any (q.words)),
  by_words as (
    select u.id, sum(ln(1 + (t.documents - f.found + 0.5) / (f.found + 0.5)) * u.uses * 2.2
        / (u.uses + 1.2 * (0.25 + 0.75 * u.word_count / t.mean))) as value
      from uses u join (select word, count(*)::float8 as found from uses group by word) f using (word), totals t group by u.id),
  words_ranked as (select w.id, w.value, row_number() over (order by w.value desc, w.id) as place from by_words w order by place limit 100),
  near as (select s.id, 1 - (v.embedding <=> q.vector) as value from query q, searched s
    join memory_vectors v on v.workspace_id = (select current_workspace()) and v.id = s.id and v.model = p_model
    where q.vector is not null),
  vector_ranked as (select n.id, n.value, row_number() over (order by n.value desc, n.id) as place from near n order by place limit 100)
  select coalesce(a.id, b.id), coalesce(1 / (60.0 + a.place), 0) + coalesce(1 / (60.0 + b.place), 0), a.value, b.value
    from words_ranked a full join vector_ranked b on b.id = a.id order by 2 desc, 1 limit p_limit
$$;

-- Deletes a memory for good: no value of it stays in history, events, stored responses, approvals and logs, and it cannot be restored.
create or replace function forget_memory(p_id uuid) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  perform set_flag('purging');
  delete from memories m where m.workspace_id = w and m.id = p_id;
  perform clear_flag('purging');
  update changes c set fields = redact_changes(c.fields) where c.workspace_id = w and c.entity = 'memory' and c.entity_id = p_id;
  update outbox o set payload = '{}', last_error = null where o.workspace_id = w and o.entity_id = p_id;
  delete from deleted_rows d where (d.workspace_id = w) is true and d.row_id = p_id
    and mention_keys(d.row_id::text || ' ' || d.before::text) && keys_of(array[p_id], '{}');
  perform redact_approvals(array[p_id], '{}'), redact_responses(array[p_id], '{}'), redact_logs(array[p_id], '{}');
end $$;

revoke execute on function begin_memory_vector, search_memories, forget_memory from public;
revoke execute on function begin_memory_vector from app;
grant execute on function search_memories, forget_memory to app;
revoke execute on function read_memory_texts, settle_memory_vector from public, app, jobs;
