-- Whose records were merged into this one, directly or by another.
create or replace function merged_from(p_id uuid) returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  with recursive losers(id, level) as (
    select p_id, 0
    union
    select e.row_id, l.level + 1 from losers l join merges m on m.workspace_id = current_workspace() and m.winner_id = l.id and not m.undone
      join merge_entries e on e.workspace_id = m.workspace_id and e.merge_id = m.id and e.fate = 'merged' where l.level < 100
  )
  select id from losers where level > 0
$$;

create or replace function table_of(p_entity text) returns regclass immutable language sql
  return case p_entity when 'contact' then 'contacts'::regclass when 'company' then 'companies'::regclass else 'opportunities'::regclass end;

/*
  What people write about several records at once: an activity or a task that is about a purged record and another one stays, without what was
  written. By table: what its rows are called in the history, and what each of its texts becomes.
*/
create or replace function shared_text_columns() returns jsonb immutable language sql
  return '{"activities": {"entity": "activity", "texts": {"subject": null, "body": null, "outcome": null, "metadata": {}}},
    "tasks": {"entity": "task", "texts": {"title": "(purged)", "description": null}}}'::jsonb;

-- The same, without any value: of each only what kind it is.
create or replace function redact(value jsonb) returns jsonb immutable language plpgsql as $$
begin
  return case jsonb_typeof(value)
    when 'object' then coalesce((select jsonb_object_agg(k, redact(v)) from jsonb_each(value) e(k, v)), '{}')
    when 'array' then coalesce((select jsonb_agg(redact(v) order by i) from jsonb_array_elements(value) with ordinality e(v, i)), '[]')
    when 'string' then '""' when 'number' then '0' when 'boolean' then 'false' else 'null' end;
end $$;

-- Changes of fields, of which no value is told; all of them, or those that are named.
create or replace function redact_changes(p_fields jsonb, p_names text[] default null) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when p_names is null or k = any (p_names) then '{}' else v end), '{}') from jsonb_each(p_fields) e(k, v));

-- Does the text name one of the records, or has one of the addresses and numbers, which are in lower case?
create or replace function mentions(p_text text, p_ids uuid[], p_known text[]) returns boolean immutable language plpgsql as $$
declare
  said constant text := lower(p_text);
  word text;
begin
  foreach word in array p_known || case when cardinality(p_ids) < 20 then p_ids::text[] else '{}' end loop
    if strpos(said, word) > 0 then return true; end if;
  end loop;
  return cardinality(p_ids) >= 20 and exists (select from regexp_matches(said, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') m where m[1]::uuid = any (p_ids));
end $$;

-- The innermost objects and lists that name one of them lose their values.
create or replace function without_mentions(value jsonb, p_ids uuid[], p_known text[]) returns jsonb immutable language plpgsql as $$
begin
  if not mentions(value::text, p_ids, p_known) then return value; end if;
  if jsonb_typeof(value) not in ('object', 'array') then return redact(value); end if;
  if exists (select from jsonb_path_query(value, case jsonb_typeof(value) when 'object' then '$.*' else '$[*]' end::jsonpath) v where jsonb_typeof(v) in ('string', 'number') and mentions(v #>> '{}', p_ids, p_known)) then
    return redact(value);
  end if;
  return case jsonb_typeof(value)
    when 'object' then (select jsonb_object_agg(k, without_mentions(v, p_ids, p_known)) from jsonb_each(value) e(k, v))
    else (select jsonb_agg(without_mentions(v, p_ids, p_known) order by i) from jsonb_array_elements(value) with ordinality e(v, i)) end;
end $$;

-- The texts that a record, or a change, has under these names.
create or replace function texts_under(p_fields jsonb, p_names text[]) returns setof text immutable language sql as $$
  select distinct v #>> '{}' from unnest(p_names) n, jsonb_path_query(p_fields -> n, 'strict $.**') v where jsonb_typeof(v) = 'string'
$$;

-- Whether a name still has the word: only indexes are asked.
create or replace function is_named(p_word text) returns boolean stable language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off set enable_indexscan = off as $$
declare
  used boolean;
begin
  execute format('select exists (select from contacts where lexemes_of(workspace_id, name_norm, email) @@ %1$L::tsquery)
    or exists (select from companies where lexemes_of(workspace_id, name_norm, coalesce(email || '' '', '''') || coalesce(website_url, '''')) @@ %1$L::tsquery)
    or exists (select from opportunities where lexemes_of(workspace_id, name_norm, external_id) @@ %1$L::tsquery)', format('''#%s'' & ''%s''', current_workspace(), p_word)) into used;
  return used;
end $$;

-- Whether another contact or company has the address or number too.
-- Only bitmaps of the values' own indexes: the planner, who knows no value here, would take a table that it believes to be full of it.
create or replace function is_shared(p_value text, p_id uuid) returns boolean stable security definer set search_path = public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off language plpgsql as $$
begin
  return exists (select from contacts where workspace_id = current_workspace() and email = p_value and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and alternate_emails <> '{}' and alternate_emails @> array[p_value] and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and phone = p_value and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and landline = p_value and id <> p_id)
    or exists (select from companies where workspace_id = current_workspace() and email = p_value and id <> p_id)
    or exists (select from companies where workspace_id = current_workspace() and phone = p_value and id <> p_id);
end $$;

-- What tells a record from others: addresses and numbers that it has or had and no other has, in lower case.
create or replace function identifiers_of(p_entity text, p_id uuid, p_own jsonb) returns text[] stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(array_agg(distinct lower(v)), '{}') from (
    select texts_under(p_own, '{email,alternate_emails,phone,landline}') v
    union select texts_under(c.fields, '{email,alternate_emails,phone,landline}') from changes c where c.workspace_id = current_workspace() and c.entity = p_entity and c.entity_id = p_id) v
  where length(v) > 5 and not is_shared(v, p_id)
$$;

/*
  Erases a record, also one that was deleted before: its row and what goes with it, activities and tasks that are about nothing else (of others what
  was written), and every value of theirs in the history, events, approvals, kept answers and journals; words that no other name has are unlearnt. What
  remains is who purged it, when and in which request. Approvals that were waiting are rejected, for what they were to do is not known any more.
  Answers how many of what it was.
*/
create or replace function erase_record(p_entity text, p_id uuid) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  kind constant regclass := table_of(p_entity);
  ids uuid[] := array[p_id];
  entities text[] := array[p_entity];
  stays uuid[] := '{}';
  own jsonb;
  known text[];
  words text[];
  waiting uuid[];
  more uuid[];
  keys int[];
  found text;
  t record;
  n int;
  told jsonb;
begin
  execute format('select to_jsonb(r) from %s r where workspace_id = $1 and id = $2 for update', kind) into own using w, p_id;
  known := identifiers_of(p_entity, p_id, own);
  select array_agg(distinct word) into words from (
    select texts_under(own, '{name,first_name,last_name}') v
    union select texts_under(c.fields, '{name,first_name,last_name}') from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) v, unnest(words_of(norm(v))) word;

  delete from dismissed_duplicates where workspace_id = w and first_id = p_id;
  delete from dismissed_duplicates where workspace_id = w and second_id = p_id;
  for t in
    select l.child, min(l.col) filter (where l.parent = kind) as col, shared_text_columns() -> l.child::text -> 'entity' #>> '{}' as entity, string_agg(format('%I', l.col), ', ') as links,
      (select string_agg(format('%I = %L', k, v #>> '{}'), ', ') from jsonb_each(shared_text_columns() -> l.child::text -> 'texts') e(k, v)) as blanks
    from links_to('{contacts,companies,opportunities}') l where shared_text_columns() ? l.child::text group by l.child
  loop
    -- Also what was about it until it was unlinked, or until it was deleted, and is about no other such record now; unless it was no person, and is about something else.
    execute format('select array_agg(distinct entity_id) from changes where workspace_id = $1 and fields #>> %L = $2 and entity = $3', array[t.col, 'after']) into more using w, p_id::text, t.entity;
    found := format('workspace_id = $1 and (%1$I = $2 or %1$I is null and id = any ($3) and ($4 or num_nonnulls(%2$s) = 0))', t.col, t.links);
    -- Locked before a look at them: records that share one may go at once.
    execute format('select from %s where %s order by id for update', t.child, found) using w, p_id, more, p_entity = 'contact';
    execute format('delete from %s where %s and num_nonnulls(%s) = num_nonnulls(%I)', t.child, found, t.links, t.col) using w, p_id, more, p_entity = 'contact';
    execute format('with kept as (update %s set %s, %I = null where %s returning id) select array_agg(id) from kept', t.child, t.blanks, t.col, found) into more using w, p_id, more, p_entity = 'contact';
    stays := stays || more;
  end loop;
  execute format('delete from %s where workspace_id = $1 and id = $2', kind) using w, p_id;

  select entities || array_agg(c.entity), ids || array_agg(c.entity_id) into entities, ids from changes c
    where c.workspace_id = w and c.request_id = current_setting('app.request_id') and c.action = 'deleted' and c.entity_id <> p_id;
  -- What was about it, and was deleted before.
  for t in select distinct l.col from links_to(array[kind]) l loop
    execute format('select $3 || coalesce(array_agg(g.entity), ''{}''), $4 || coalesce(array_agg(g.entity_id), ''{}'') from (
        select distinct c.entity, c.entity_id from changes c where c.workspace_id = $1 and c.fields #>> %L = $2 and c.entity_id <> all ($4)) g
      where (select l.action from changes l where l.workspace_id = $1 and l.entity = g.entity and l.entity_id = g.entity_id order by l.id desc limit 1) = ''deleted''', array[t.col, 'after'])
      into entities, ids using w, p_id::text, entities, ids;
  end loop;

  update changes c set fields = redact_changes(c.fields) from unnest(entities, ids) g(entity, id) where c.workspace_id = w and c.entity = g.entity and c.entity_id = g.id;
  get diagnostics n = row_count;
  told := jsonb_build_object('history', n);
  update changes c set fields = redact_changes(c.fields, array(select jsonb_object_keys(s -> 'texts')))
    from jsonb_each(shared_text_columns()) e(k, s), unnest(stays) g(id) where c.workspace_id = w and c.entity = s ->> 'entity' and c.entity_id = g.id;
  update outbox o set payload = '{}', last_error = null from unnest(ids) g(id) where o.workspace_id = w and o.entity_id = g.id;
  get diagnostics n = row_count;

  -- Its own approval, if it has one, never knew a value: the trial was a purge too.
  keys := keys_of(ids || stays, known);
  select array_agg(a.id) into waiting from approvals a where a.workspace_id = w and a.id = any (approvals_mentioning(ids || stays, known)) and a.id::text <> coalesce(current_setting('app.approval_id', true), '');
  update approvals a set request = jsonb_build_object('params', a.request -> 'params', 'query', '{}'::jsonb, 'body', redact(a.request -> 'body')), answer = null, response_body = null,
    changes = (select coalesce(jsonb_agg(c || jsonb_build_object('fields', redact_changes(c -> 'fields'))), '[]') from jsonb_array_elements(a.changes) c),
    status = case when a.status in ('pending', 'approved') then 'rejected' else a.status end,
    reason = case when a.status in ('pending', 'approved') then 'A record that this request is about was purged' end,
    decided_at = case when a.status in ('pending', 'approved') then now() else a.decided_at end,
    decided_by = case when a.status in ('pending', 'approved') then current_user_id() else a.decided_by end
    where a.workspace_id = w and a.id = any (waiting);
  update changes c set fields = redact_changes(c.fields, '{reason}') from unnest(waiting) g(id) where c.workspace_id = w and c.entity = 'approval' and c.entity_id = g.id and c.fields ? 'reason';
  told := told || jsonb_build_object('events', n, 'approvals', coalesce(cardinality(waiting), 0));

  update idempotency i set outcome = '{"mode": "purged"}' where i.workspace_id = w and mention_keys(coalesce(i.outcome::text, '')) && keys and mentions(i.outcome::text, ids || stays, known);
  get diagnostics n = row_count;
  -- Merges that made one record of it and others can be undone no more, and those of other records know no row about it.
  perform expire_merge_rows(w, m.id) from merges m where m.workspace_id = w and m.winner_id = p_id and m.undoable;
  delete from merge_entries e where e.workspace_id = w and e.fate <> 'merged' and (e.row_id = any (ids) or mentions(concat_ws(' ', e.before, e.after), ids, known))
    and mention_keys(e.row_id::text || ' ' || coalesce(e.survivor::text, '') || ' ' || e.before::text || ' ' || e.after::text) && keys;
  update merges m set field_changes = (select coalesce(jsonb_object_agg(k, v || '{"before": null, "after": null}'), '{}') from jsonb_each(m.field_changes) e(k, v)),
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name', '(purged)', 'external_id', null) order by at) from jsonb_array_elements(m.losers) with ordinality e(l, at))
    where m.workspace_id = w and m.id = any (array(select o.id from merges o where o.workspace_id = w and o.winner_id = p_id)
      || array(select e.merge_id from merge_entries e where e.workspace_id = w and e.row_id = p_id and e.fate = 'merged'));
  -- Of a file that was imported, what is shown of its first lines.
  update import_files f set preview = '[]', columns = (select coalesce(jsonb_agg(c || '{"samples": []}' order by at), '[]') from jsonb_array_elements(f.columns) with ordinality e(c, at))
    where f.workspace_id = w and f.import_id = any (array(select r.import_id from import_rows r where r.workspace_id = w and r.record_id = p_id)
      || array(select o.import_id from import_files o where o.workspace_id = w and mention_keys(o.columns::text || ' ' || o.suggestions::text || ' ' || o.preview::text) && keys and mentions(concat_ws(' ', o.preview, o.columns), ids, known)));
  told := told || jsonb_build_object('kept_answers', n, 'journals', redact_logs(ids || stays, known));
  delete from search_words s where s.workspace_id = w and s.word = any (words) and not is_named(s.word);

  insert into purged_records (workspace_id, id, entity, purged_by, key_id, request_id) values (w, p_id, p_entity, current_user_id(), current_key_id(), current_setting('app.request_id'));
  perform emit(p_entity || '.purged', p_entity, p_id);
  return told;
end $$;

-- Purges a record for a client_admin, in the version that If-Match names, and notes as app.purged how many of what it was.
create or replace function purge_record(p_entity text, p_id uuid, p_version int) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  present int;
  told jsonb;
  part jsonb;
begin
  if (select m.role from memberships m where m.workspace_id = w and m.user_id = current_user_id()) is distinct from 'client_admin' then
    perform fail('FORBIDDEN', 'Only a key whose owner has the role client_admin may purge');
  end if;
  execute format('select version from %s where workspace_id = $1 and id = $2 for update', table_of(p_entity)) into present using w, p_id;
  if present is not null or merged_into(p_id) is not null or exists (select from purged_records r where r.workspace_id = w and r.id = p_id)
    or not exists (select from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) then
    perform assert_record(present, p_version, p_entity, p_id);
  end if;
  told := erase_record(p_entity, p_id);
  for part in select erase_record(p_entity, loser) from merged_from(p_id) loser loop
    told := (select jsonb_object_agg(k, (told ->> k)::int + (part ->> k)::int) from jsonb_object_keys(told) k);
  end loop;
  perform set_config('app.purged', (told || (select coalesce(jsonb_object_agg(c.entity, c.n), '{}') from (
    select entity, count(*) as n from changes where workspace_id = w and request_id = current_setting('app.request_id') and action = 'deleted' group by entity) c))::text, true);
end $$;

-- Lists by name, none longer than p_most.
create or replace function truncate_lists(p_lists jsonb, p_most int) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when jsonb_array_length(v) > p_most then v - p_most else v end), '{}') from jsonb_each(p_lists) e(k, v));

/*
  All that is kept of a person, at most p_most rows of each kind, the latest first; no row where there is no such contact. `records` is every table that
  refers to contacts, and `journals` every journal, as the catalogue has them: a table that is added is here too.
*/
create or replace function person_data(p_id uuid, p_most int) returns setof jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own jsonb;
  known text[];
  records jsonb := '{}';
  journals jsonb := '{}';
  linked jsonb := '{}';
  told jsonb;
  ids uuid[];
  t record;
  kind record;
begin
  select to_jsonb(c) - array['workspace_id', 'name_norm', 'search_text'] into own from contacts c where c.workspace_id = w and c.id = p_id;
  if own is null then return; end if;
  known := identifiers_of('contact', p_id, own);
  for t in
    select a.child::text as name, string_agg(format('r.%I = $2', a.col), ' or ') as about, array['workspace_id'] || array(select g.attname::text from pg_attribute g where g.attrelid = a.child and g.attgenerated <> '') as hidden
    from links_to('{contacts}') a group by a.child order by 1
  loop
    execute format('select coalesce(jsonb_agg(x.row order by x.id desc), ''[]'') from (select to_jsonb(r) - $3 as row, r.id from %I r where r.workspace_id = $1 and (%s) order by r.id desc limit $4) x', t.name, t.about)
      into told using w, p_id, t.hidden, p_most + 1;
    records := records || jsonb_build_object(t.name, told);
  end loop;
  for t in select * from log_tables() loop
    -- What only mentions the person is about others too.
    execute format('select jsonb_agg(x.row) from (select to_jsonb(r) - ''workspace_id'' as row from %s r where ctid = any (array(%s)) and (%s) limit $3) x', t.name, t.candidates, t.about)
      into told using w, array[p_id], p_most + 1, keys_of(array[p_id], '{}');
    if told is not null then journals := journals || jsonb_build_object(t.name::text, told); end if;
  end loop;
  for kind in select * from (values ('companies', 'customer_id'), ('opportunities', 'referrer_opportunity_id')) k(name, own_column) loop
    ids := array[(own ->> kind.own_column)::uuid];
    for t in select a.child::text as name, a.col from links_to(array[kind.name::regclass]) a where records ? a.child::text loop
      ids := ids || array(select distinct (r ->> t.col)::uuid from jsonb_array_elements(records -> t.name) r);
    end loop;
    execute format('select coalesce(jsonb_agg(jsonb_build_object(''id'', r.id, ''name'', r.name) order by r.name, r.id), ''[]'') from %I r where r.workspace_id = $1 and r.id = any ($2)', kind.name) into told using w, ids;
    linked := linked || jsonb_build_object(kind.name, told);
  end loop;
  -- The last kind's: opportunities.
  select linked || jsonb_build_object(
      'attachments', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select a.id, jsonb_build_object('id', a.id, 'opportunity_id', a.opportunity_id, 'name', a.name, 'content_type', a.content_type, 'size', a.size, 'created_at', a.created_at) as row
        from attachments a where a.workspace_id = w and a.opportunity_id = any (ids) order by a.id desc limit p_most + 1) x),
      'history', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select c.id, to_jsonb(c) - array['workspace_id', 'entity'] as row
        from changes c where c.workspace_id = w and c.entity = 'contact' and c.entity_id = any (array(select merged_from(p_id)) || p_id) order by c.id desc limit p_most + 1) x),
      'events', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select o.id, jsonb_build_object('id', o.id, 'type', o.type, 'payload', o.payload, 'request_id', o.request_id, 'at', o.at) as row
        from outbox o where o.workspace_id = w and o.entity_id = p_id order by o.id desc limit p_most + 1) x),
      'approvals', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select a.id, jsonb_build_object('id', a.id, 'status', a.status, 'method', a.method, 'path', a.path, 'created_at', a.created_at,
          'changes', (select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(a.changes) c where c ->> 'entity_id' = p_id::text)) as row
        from approvals a where a.workspace_id = w and a.id = any (approvals_mentioning(array[p_id], known)) order by a.id desc limit p_most + 1) x)) into linked;
  return next jsonb_build_object('contact', own, 'records', truncate_lists(records, p_most), 'journals', truncate_lists(journals, p_most)) || truncate_lists(linked, p_most) || jsonb_build_object('truncated',
    (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_each(records || journals || linked) e(k, v) where jsonb_array_length(v) > p_most));
end $$;

-- Foreign keys onto the records of a kind, from the catalogue: a table that is added is here too.
create or replace function links_to(p_parents regclass[]) returns table (parent regclass, child regclass, col text) stable set search_path = public, pg_temp language sql as $$
  select c.confrelid::regclass, c.conrelid::regclass, split_part(c.conname, '.', 2) from pg_constraint c where c.contype = 'f' and c.confrelid = any (p_parents)
$$;

/*
  Log tables: those whose rows are no records of their own, for they have no history, and keep JSON. Found here, and listed nowhere. `about` is whether a row
  has one of the ids ($2) in a column, `mentioned` whether its JSON has one, or one of the addresses and numbers ($3). `candidates` selects the places of the rows
  that may: through the index <table>_by_mention, whose keys ($4) are those of mention_keys, and through indexes of columns. `has_mentions` is whether there
  is the former; a table without it is read whole.
*/
create or replace function log_tables() returns table (name regclass, about text, mentioned text, blanks text, candidates text, has_mentions boolean) stable set search_path = public, pg_temp language sql as $$
  with tables as materialized (
    select c.oid, c.oid::regclass as name from pg_class c where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace and c.relname not in ('changes', 'outbox', 'idempotency')
      and c.oid <> all (array(select g.tgrelid from pg_trigger g where g.tgname = 'record_update'))
  ), cols as materialized (
    select t.oid, t.name, a.attname as col, a.attnum, a.atttypid = 'jsonb'::regtype as is_json
    from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.atttypid in ('jsonb'::regtype, 'uuid'::regtype)
  )
  select k.name, coalesce(string_agg(format('coalesce(r.%I = any ($2), false)', k.col), ' or ') filter (where not k.is_json), 'false'),
    string_agg(format('coalesce(mentions(r.%I::text, $2, $3), false)', k.col), ' or ') filter (where k.is_json),
    string_agg(format('%1$I = case when theirs.about then redact(r.%1$I) else without_mentions(r.%1$I, $2, $3) end', k.col), ', ') filter (where k.is_json),
    coalesce((select string_agg(distinct format('select ctid from %s where workspace_id = $1 and %s', k.name, found), ' union ') from (
        select format('(%s) && $4', pg_get_expr(i.indexprs, i.indrelid)) || coalesce(' and ' || pg_get_expr(i.indpred, i.indrelid), '') as found
          from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = k.oid and x.relname = k.name || '_by_mention'
        union all select format('%I = any ($2)', u.col) from pg_index i join cols u on u.oid = i.indrelid and u.attnum = i.indkey[1] and not u.is_json
          where i.indrelid = k.oid and i.indpred is null and not i.indisprimary and u.col <> 'workspace_id') ways),
      format('select ctid from %s where workspace_id = $1', k.name)),
    exists (select from pg_index i join pg_class x on x.oid = i.indexrelid where i.indrelid = k.oid and x.relname = k.name || '_by_mention')
  from (select cols.* from cols where col <> 'workspace_id') k
  where exists (select from cols w where w.oid = k.oid and w.col = 'workspace_id') group by k.oid, k.name having bool_or(k.is_json)
$$;

-- The keys by which an index of mentions finds the records and what is known of them.
create or replace function keys_of(p_ids uuid[], p_known text[]) returns int[] immutable language sql
  return mention_keys(concat_ws(' ', array_to_string(p_ids, ' '), array_to_string(p_known, ' ')));

-- Empties what log tables say of the records: a row that is about one of them loses all its values, another only those around their mention. Answers how many rows it was.
create or replace function redact_logs(p_ids uuid[], p_known text[]) returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  keys constant int[] := keys_of(p_ids, p_known);
  t record;
  n int;
  total int := 0;
begin
  -- Of merges it is known which part says what: see erase_record.
  for t in select * from log_tables() l where l.name <> 'merges'::regclass loop
    execute format('update %1$s r set %2$s from (select ctid as place, %3$s as about from %1$s r where ctid = any (array(%5$s)) and (%3$s or %4$s)) theirs where r.ctid = theirs.place',
      t.name, t.blanks, t.about, t.mentioned, case when t.has_mentions then t.candidates else format('select ctid from %s where workspace_id = $1', t.name) end) using current_workspace(), p_ids, p_known, keys;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end $$;

-- Approvals that name one of the records, or have one of the addresses and numbers.
create or replace function approvals_mentioning(p_ids uuid[], p_known text[]) returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  select coalesce(array_agg(a.id), '{}') from approvals a where a.workspace_id = current_workspace()
    and mention_keys(coalesce(a.request::text, '') || ' ' || coalesce(a.changes::text, '') || ' ' || coalesce(a.answer::text, '') || ' ' || coalesce(a.response_body::text, '')) && keys_of(p_ids, p_known)
    and mentions(concat_ws(' ', a.request, a.changes, a.answer, a.response_body), p_ids, p_known)
$$;

revoke execute on function merged_from, is_named, is_shared, identifiers_of, erase_record, purge_record, person_data, redact_logs, approvals_mentioning from public;
grant execute on function purge_record, person_data to app;
