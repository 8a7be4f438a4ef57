-- Upserts, duplicates, and erasing what is known of one record.

-- Upserts: which record each given one is.

create function fault(code text, message text, details jsonb default null) returns jsonb immutable language sql
  return jsonb_build_object('code', code, 'message', message, 'details', details);
--> statement-breakpoint
-- As fail_field, for a fault that is told with others.
create function field_faults(p_fields jsonb, p_messages jsonb) returns jsonb immutable language sql
  return case when p_fields <> '[]' then fault('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues',
    (select jsonb_agg(jsonb_build_object('path', f, 'message', p_messages ->> f)) from jsonb_array_elements_text(p_fields) f))) end;
--> statement-breakpoint
-- The records that have the value, at most eleven: of active and archived ones the active.
create function records_with(p_table text, p_field text, p_value text) returns uuid[] stable security definer set search_path = public language plpgsql as $$
declare
  found uuid[];
begin
  execute format('select array_agg(id) from (select id, archived, min(archived::int) over () as first from (
      select id, archived from %1$I where workspace_id = $1 and %2$I = $2 %3$s) r order by archived, id limit 11) m where m.archived::int = m.first', p_table, p_field,
    case when p_table = 'contacts' and p_field = 'email' then 'union select id, archived from contacts where workspace_id = $1 and alternate_emails @> array[$2]' else '' end)
    into found using current_workspace(), p_value;
  return coalesce(found, '{}');
end $$;
--> statement-breakpoint
/*
  What is wrong with the custom values that a record is to get, or null. p_taken: values that must be a record's own and that other
  records of the call get, by value, with their ids.
*/
create function custom_fault_of(p_object text, p_id uuid, p_metadata jsonb, p_creates boolean, p_taken jsonb) returns jsonb stable security definer set search_path = public language plpgsql as $$
declare
  issues jsonb := custom_issues(current_workspace(), p_object, p_metadata, p_creates);
  shared text;
begin
  if issues is not null then return fault('VALIDATION_ERROR', 'Some fields are not valid', jsonb_build_object('issues', issues)); end if;
  select 'metadata.' || min(f.field_key) into shared from custom_rows(current_workspace(), p_object, p_id, p_metadata) r
    join custom_fields f on f.workspace_id = r.workspace_id and f.id = r.field_id
    where r.is_unique and (p_taken ->> concat_ws(' ', r.field_id, r.number, r.text) <> p_id::text or exists (
      select from custom_values v where v.workspace_id = r.workspace_id and v.field_id = r.field_id and v.number = r.number and v.text = r.text and v.record_id <> p_id and v.is_unique));
  return case when shared is not null then fault('CONFLICT', 'Another ' || p_object || ' already has this ' || shared, jsonb_build_object('issues', jsonb_build_array(
    jsonb_build_object('path', shared, 'message', 'Another ' || p_object || ' already has this value')))) end;
end $$;
--> statement-breakpoint
/*
  Which record each of p.records is: the first key of p.on that it has and that finds a record decides, an earlier one of the call like one that
  is stored. Their keys are locked first, all in one order, so that of two upserts of one key the second finds what the first wrote.
  p: table, object, on, required, records (create, patch: columns), messages. p_unknown: of each record, the fields that refer to nothing.
*/
create function match_records(p jsonb, p_unknown jsonb) returns table (at int, id uuid, created boolean, patch jsonb, fault jsonb) security definer set search_path = public language plpgsql as $$
declare
  w constant uuid := current_workspace();
  kind constant text := p ->> 'table';
  keys constant text[] := array(select jsonb_array_elements_text(p -> 'on'));
  ruled constant boolean := has_custom_rules(w, p ->> 'object');
  claimed jsonb := '{}';
  taken jsonb := '{}';
  lock bigint;
  draft jsonb;
  new_id uuid;
  field text;
  value text;
  matches uuid[];
begin
  for lock in select distinct hashtextextended(concat_ws(' ', w, kind, k, r -> 'patch' ->> k), 0) from jsonb_array_elements(p -> 'records') r, unnest(keys) k
    where r -> 'patch' ->> k <> '' order by 1
  loop
    perform pg_advisory_xact_lock(lock);
  end loop;
  for at, draft in select e.i - 1, e.r from jsonb_array_elements(p -> 'records') with ordinality e(r, i) order by e.i loop
    new_id := (draft -> 'create' ->> 'id')::uuid;
    patch := draft -> 'patch';
    matches := '{}';
    foreach field in array keys loop
      value := patch ->> field;
      if value <> '' then
        matches := case when claimed ? (field || ' ' || value) then array[(claimed ->> (field || ' ' || value))::uuid] else records_with(kind, field, value) end;
      end if;
      exit when matches <> '{}';
    end loop;
    created := cardinality(matches) <> 1;
    id := case when created then new_id else matches[1] end;
    value := nullif(patch ->> 'external_id', '');
    fault := case
      when cardinality(matches) > 1 then fault('CONFLICT', 'More than one record has this ' || field || ': merge them, or change one by its id', jsonb_build_object('field', field, 'ids', matches[1:10]))
      when created and patch ->> (p ->> 'required') is null then field_faults(jsonb_build_array(p ->> 'required'), jsonb_build_object(p ->> 'required', 'Required, for no record matches'))
      when p_unknown -> at <> '[]' then field_faults(p_unknown -> at, p -> 'messages')
      when value is not null and (claimed ->> ('external_id ' || value) <> id::text or records_with(kind, 'external_id', value) <> array[id] and records_with(kind, 'external_id', value) <> '{}')
        then fault('CONFLICT', 'Another record already has this external_id')
    end;
    if fault is null and ruled and (created or patch ? 'metadata') then
      fault := custom_fault_of(p ->> 'object', id, coalesce(case when created then draft -> 'create' else patch end -> 'metadata', '{}'), created, taken);
    end if;
    if fault is null then
      if created then patch := draft -> 'create'; else patch := patch || jsonb_build_object('id', id); end if;
      claimed := claimed || coalesce((select jsonb_object_agg(k || ' ' || (patch ->> k), id) from unnest(keys || '{external_id}') k where patch ->> k <> ''), '{}')
        || coalesce((select jsonb_object_agg('email ' || a, id) from jsonb_array_elements_text(case when jsonb_typeof(patch -> 'alternate_emails') = 'array' then patch -> 'alternate_emails' else '[]' end) a), '{}');
      if ruled and patch ? 'metadata' then
        taken := taken || coalesce((select jsonb_object_agg(concat_ws(' ', r.field_id, r.number, r.text), id) from custom_rows(w, p ->> 'object', id, patch -> 'metadata') r where r.is_unique), '{}');
      end if;
    end if;
    return next;
  end loop;
end $$;
--> statement-breakpoint
-- Notes for the transaction what is to become of each record (as match_records says, with `unknown`); for a single one its fault is raised.
create function note_upserts(p jsonb, p_fates jsonb) returns void language plpgsql as $$
declare
  judged jsonb := (select jsonb_agg(case when f ->> 'fault' is null then f || jsonb_build_object('fault', field_faults(f -> 'unknown', p -> 'messages')) else f end order by (f ->> 'at')::int)
    from jsonb_array_elements(p_fates) f);
  wrong constant jsonb := judged -> 0 -> 'fault';
begin
  if (p ->> 'single')::boolean then
    if wrong <> 'null' then perform fail(wrong ->> 'code', wrong ->> 'message', nullif(wrong -> 'details', 'null')); end if;
    -- What is kept of the request tells the status that the caller gets.
    if (judged -> 0 ->> 'created')::boolean and current_setting('app.request', true) <> '' then
      perform set_config('app.request', (current_setting('app.request')::jsonb || '{"status": 201}')::text, true);
    end if;
  else
    -- A value of its own that is taken meanwhile makes the batch run again.
    perform set_config('app.custom_refused', '{}', true);
  end if;
  perform set_config('app.upserts', judged::text, true);
end $$;
--> statement-breakpoint
create function with_patch(patch jsonb, later jsonb) returns jsonb immutable language sql
  return patch || later || case when patch ? 'metadata' and later ? 'metadata' then jsonb_build_object('metadata', (patch -> 'metadata') || (later -> 'metadata')) else '{}' end;
--> statement-breakpoint
create aggregate patches(jsonb) (sfunc = with_patch, stype = jsonb, initcond = '{}');
--> statement-breakpoint
-- The rows to insert, or the changes to make: several of one record become one.
create function upsert_rows(p_created boolean) returns jsonb stable language sql
  return (select coalesce(jsonb_agg(row), '[]') from (
    select patches(f -> 'patch' order by (f ->> 'at')::int) as row from jsonb_array_elements(current_setting('app.upserts')::jsonb) f
    where (f ->> 'created')::boolean = p_created and f ->> 'fault' is null group by f ->> 'id') rows);
--> statement-breakpoint
revoke execute on function records_with, custom_fault_of, match_records from public;
grant execute on function match_records to app;
--> statement-breakpoint

-- Erasing a record and all that is known of it.

CREATE TABLE "purged_records" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid NOT NULL,
	"entity" text NOT NULL,
	"purged_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"purged_by" uuid,
	"key_id" uuid,
	"request_id" text,
	CONSTRAINT "purged_records_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "purged_records_by_purged" ON "purged_records" USING btree ("workspace_id","entity","purged_at","id");
--> statement-breakpoint
call tenant_table('purged_records', 'select');
--> statement-breakpoint
-- What was ever about a contact, whether or not it is still there.
create index changes_by_contact on changes (workspace_id, (fields #>> '{contact_id,after}')) where fields #>> '{contact_id,after}' is not null;
--> statement-breakpoint
-- Whose records were merged into this one, directly or by another.
create function merged_from(p_id uuid) returns setof uuid stable security definer set search_path = public language sql as $$
  with recursive losers(id, level) as (
    select p_id, 0
    union
    select e.row_id, l.level + 1 from losers l join merges m on m.workspace_id = current_workspace() and m.winner_id = l.id and not m.undone
      join merge_entries e on e.workspace_id = m.workspace_id and e.merge_id = m.id and e.fate = 'merged' where l.level < 100
  )
  select id from losers where level > 0
$$;
--> statement-breakpoint
create function table_of(p_entity text) returns regclass immutable language sql
  return case p_entity when 'contact' then 'contacts'::regclass when 'company' then 'companies'::regclass else 'opportunities'::regclass end;
--> statement-breakpoint
/*
  What people write about several records at once: an activity or a task that is about a purged record and another one stays, without what was
  written. By table: what its rows are called in the history, and what each of its texts becomes.
*/
create function shared_texts() returns jsonb immutable language sql
  return '{"activities": {"entity": "activity", "texts": {"subject": null, "body": null, "outcome": null, "metadata": {}}},
    "tasks": {"entity": "task", "texts": {"title": "(purged)", "description": null}}}'::jsonb;
--> statement-breakpoint
-- The same, without any value: of each only what kind it is.
create function blanked(value jsonb) returns jsonb immutable language plpgsql as $$
begin
  return case jsonb_typeof(value)
    when 'object' then coalesce((select jsonb_object_agg(k, blanked(v)) from jsonb_each(value) e(k, v)), '{}')
    when 'array' then coalesce((select jsonb_agg(blanked(v) order by i) from jsonb_array_elements(value) with ordinality e(v, i)), '[]')
    when 'string' then '""' when 'number' then '0' when 'boolean' then 'false' else 'null' end;
end $$;
--> statement-breakpoint
-- Changes of fields, of which no value is told; all of them, or those that are named.
create function untold(p_fields jsonb, p_names text[] default null) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when p_names is null or k = any (p_names) then '{}' else v end), '{}') from jsonb_each(p_fields) e(k, v));
--> statement-breakpoint
-- Does the text name one of the records, or has one of the addresses and numbers, which are in lower case?
create function mentions(p_text text, p_ids uuid[], p_known text[]) returns boolean immutable language plpgsql as $$
declare
  said constant text := lower(p_text);
  word text;
begin
  foreach word in array p_known || case when cardinality(p_ids) < 20 then p_ids::text[] else '{}' end loop
    if strpos(said, word) > 0 then return true; end if;
  end loop;
  return cardinality(p_ids) >= 20 and exists (select from regexp_matches(said, '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}', 'g') m where m[1]::uuid = any (p_ids));
end $$;
--> statement-breakpoint
-- The innermost objects and lists that name one of them lose their values.
create function without_mentions(value jsonb, p_ids uuid[], p_known text[]) returns jsonb immutable language plpgsql as $$
begin
  if not mentions(value::text, p_ids, p_known) then return value; end if;
  if jsonb_typeof(value) not in ('object', 'array') then return blanked(value); end if;
  if exists (select from jsonb_path_query(value, case jsonb_typeof(value) when 'object' then '$.*' else '$[*]' end::jsonpath) v where jsonb_typeof(v) in ('string', 'number') and mentions(v #>> '{}', p_ids, p_known)) then
    return blanked(value);
  end if;
  return case jsonb_typeof(value)
    when 'object' then (select jsonb_object_agg(k, without_mentions(v, p_ids, p_known)) from jsonb_each(value) e(k, v))
    else (select jsonb_agg(without_mentions(v, p_ids, p_known) order by i) from jsonb_array_elements(value) with ordinality e(v, i)) end;
end $$;
--> statement-breakpoint
-- The texts that a record, or a change, has under these names.
create function texts_under(p_fields jsonb, p_names text[]) returns setof text immutable language sql as $$
  select distinct v #>> '{}' from unnest(p_names) n, jsonb_path_query(p_fields -> n, 'strict $.**') v where jsonb_typeof(v) = 'string'
$$;
--> statement-breakpoint
-- Whether a name still has the word: only indexes are asked.
create function is_named(p_word text) returns boolean stable language plpgsql security definer set search_path = public set enable_seqscan = off set enable_indexscan = off as $$
declare
  used boolean;
begin
  execute format('select exists (select from contacts where lexemes_of(workspace_id, name_norm, email) @@ %1$L::tsquery)
    or exists (select from companies where lexemes_of(workspace_id, name_norm, coalesce(email || '' '', '''') || coalesce(website_url, '''')) @@ %1$L::tsquery)
    or exists (select from opportunities where lexemes_of(workspace_id, name_norm, external_id) @@ %1$L::tsquery)', format('''#%s'' & ''%s''', current_workspace(), p_word)) into used;
  return used;
end $$;
--> statement-breakpoint
-- The journals: tables that are no record's own, for they have no history, and keep JSON. Found here, and listed nowhere. `about` is whether a row
-- has one of the ids ($2) in a column, `mentioned` whether its JSON has one, or one of the addresses and numbers ($3).
create function journals() returns table (name regclass, about text, mentioned text, blanks text) stable language sql as $$
  select c.oid::regclass, (select coalesce(string_agg(format('coalesce(r.%I = any ($2), false)', u.attname), ' or '), 'false') from pg_attribute u
      where u.attrelid = c.oid and u.atttypid = 'uuid'::regtype and u.attname <> 'workspace_id' and not u.attisdropped),
    string_agg(format('coalesce(mentions(r.%I::text, $2, $3), false)', a.attname), ' or '),
    string_agg(format('%1$I = case when theirs.about then blanked(r.%1$I) else without_mentions(r.%1$I, $2, $3) end', a.attname), ', ')
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'jsonb'::regtype and not a.attisdropped
  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not in ('changes', 'outbox', 'idempotency')
    and exists (select from pg_attribute w where w.attrelid = c.oid and w.attname = 'workspace_id')
    and not exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgname = 'record_update')
  group by c.oid
$$;
--> statement-breakpoint
-- Empties what journals say of the records: a row that is about one of them loses all its values, another only those around their mention. Answers how many rows it was.
create function scrub_journals(p_ids uuid[], p_known text[]) returns int security definer set search_path = public language plpgsql as $$
declare
  t record;
  n int;
  total int := 0;
begin
  -- Of merges it is known which part says what: see erase_record.
  for t in select * from journals() j where j.name <> 'merges'::regclass loop
    execute format('update %1$s r set %2$s from (select ctid as place, %3$s as about from %1$s r where workspace_id = $1 and (%3$s or %4$s)) theirs where r.ctid = theirs.place',
      t.name, t.blanks, t.about, t.mentioned) using current_workspace(), p_ids, p_known;
    get diagnostics n = row_count;
    total := total + n;
  end loop;
  return total;
end $$;
--> statement-breakpoint
-- Whether another contact or company has the address or number too.
create function is_shared(p_value text, p_id uuid) returns boolean stable security definer set search_path = public language sql as $$
  select exists (select from contacts where workspace_id = current_workspace() and email = p_value and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and alternate_emails @> array[p_value] and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and phone = p_value and id <> p_id)
    or exists (select from contacts where workspace_id = current_workspace() and landline = p_value and id <> p_id)
    or exists (select from companies where workspace_id = current_workspace() and email = p_value and id <> p_id)
    or exists (select from companies where workspace_id = current_workspace() and phone = p_value and id <> p_id)
$$;
--> statement-breakpoint
-- What tells a record from others: addresses and numbers that it has or had and no other has, in lower case.
create function known_by(p_entity text, p_id uuid, p_own jsonb) returns text[] stable security definer set search_path = public language sql as $$
  select coalesce(array_agg(distinct lower(v)), '{}') from (
    select texts_under(p_own, '{email,alternate_emails,phone,landline}') v
    union select texts_under(c.fields, '{email,alternate_emails,phone,landline}') from changes c where c.workspace_id = current_workspace() and c.entity = p_entity and c.entity_id = p_id) v
  where length(v) > 5 and not is_shared(v, p_id)
$$;
--> statement-breakpoint
/*
  Erases a record, also one that was deleted before: its row and what goes with it, activities and tasks that are about nothing else (of others what
  was written), and every value of theirs in the history, events, approvals, kept answers and journals; words that no other name has are unlearnt. What
  remains is who purged it, when and in which request. Approvals that were waiting are rejected, for what they were to do is not known any more.
  Answers how many of what it was.
*/
create function erase_record(p_entity text, p_id uuid) returns jsonb security definer set search_path = public language plpgsql as $$
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
  found text;
  t record;
  n int;
  told jsonb;
begin
  execute format('select to_jsonb(r) from %s r where workspace_id = $1 and id = $2 for update', kind) into own using w, p_id;
  known := known_by(p_entity, p_id, own);
  select array_agg(distinct word) into words from (
    select texts_under(own, '{name,first_name,last_name}') v
    union select texts_under(c.fields, '{name,first_name,last_name}') from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) v, unnest(words_of(norm(v))) word;

  delete from dismissed_duplicates where workspace_id = w and first_id = p_id;
  delete from dismissed_duplicates where workspace_id = w and second_id = p_id;
  for t in
    select a.child, a.col, shared_texts() -> a.child::text -> 'entity' #>> '{}' as entity,
      (select string_agg(format('%I', l.col), ', ') from (select r.col from unnest('{contacts,companies,opportunities}'::regclass[]) of, references_to(of) r where r.child = a.child) l) as links,
      (select string_agg(format('%I = %L', k, v #>> '{}'), ', ') from jsonb_each(shared_texts() -> a.child::text -> 'texts') e(k, v)) as blanks
    from references_to(kind) a where shared_texts() ? a.child::text
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
  for t in select distinct a.col from references_to(kind) a loop
    execute format('select $3 || coalesce(array_agg(g.entity), ''{}''), $4 || coalesce(array_agg(g.entity_id), ''{}'') from (
        select distinct c.entity, c.entity_id from changes c where c.workspace_id = $1 and c.fields #>> %L = $2 and c.entity_id <> all ($4)) g
      where (select l.action from changes l where l.workspace_id = $1 and l.entity = g.entity and l.entity_id = g.entity_id order by l.id desc limit 1) = ''deleted''', array[t.col, 'after'])
      into entities, ids using w, p_id::text, entities, ids;
  end loop;

  update changes c set fields = untold(c.fields) from unnest(entities, ids) g(entity, id) where c.workspace_id = w and c.entity = g.entity and c.entity_id = g.id;
  get diagnostics n = row_count;
  told := jsonb_build_object('history', n);
  update changes c set fields = untold(c.fields, array(select jsonb_object_keys(s -> 'texts')))
    from jsonb_each(shared_texts()) e(k, s), unnest(stays) g(id) where c.workspace_id = w and c.entity = s ->> 'entity' and c.entity_id = g.id;
  update outbox o set payload = '{}', last_error = null from unnest(ids) g(id) where o.workspace_id = w and o.entity_id = g.id;
  get diagnostics n = row_count;

  -- Its own approval, if it has one, never knew a value: the trial was a purge too.
  select array_agg(a.id) into waiting from approvals a where a.workspace_id = w and a.id::text <> coalesce(current_setting('app.approval_id', true), '')
    and mentions(concat_ws(' ', a.request, a.changes, a.answer, a.response_body), ids || stays, known);
  update approvals a set request = jsonb_build_object('params', a.request -> 'params', 'query', '{}'::jsonb, 'body', blanked(a.request -> 'body')), answer = null, response_body = null,
    changes = (select coalesce(jsonb_agg(c || jsonb_build_object('fields', untold(c -> 'fields'))), '[]') from jsonb_array_elements(a.changes) c),
    status = case when a.status in ('pending', 'approved') then 'rejected' else a.status end,
    reason = case when a.status in ('pending', 'approved') then 'A record that this request is about was purged' end,
    decided_at = case when a.status in ('pending', 'approved') then now() else a.decided_at end,
    decided_by = case when a.status in ('pending', 'approved') then current_user_id() else a.decided_by end
    where a.workspace_id = w and a.id = any (waiting);
  update changes c set fields = untold(c.fields, '{reason}') from unnest(waiting) g(id) where c.workspace_id = w and c.entity = 'approval' and c.entity_id = g.id and c.fields ? 'reason';
  told := told || jsonb_build_object('events', n, 'approvals', coalesce(cardinality(waiting), 0));

  update idempotency i set outcome = '{"mode": "purged"}' where i.workspace_id = w and mentions(i.outcome::text, ids || stays, known);
  get diagnostics n = row_count;
  -- Merges that made one record of it and others can be undone no more, and those of other records know no row about it.
  perform forget_rows(w, m.id) from merges m where m.workspace_id = w and m.winner_id = p_id and m.undoable;
  delete from merge_entries e where e.workspace_id = w and e.fate <> 'merged' and (e.row_id = any (ids) or mentions(concat_ws(' ', e.before, e.after), ids, known));
  update merges m set field_changes = (select coalesce(jsonb_object_agg(k, v || '{"before": null, "after": null}'), '{}') from jsonb_each(m.field_changes) e(k, v)),
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name', '(purged)', 'external_id', null) order by at) from jsonb_array_elements(m.losers) with ordinality e(l, at))
    where m.workspace_id = w and (m.winner_id = p_id or m.losers @> jsonb_build_array(jsonb_build_object('id', p_id)));
  -- Of a file that was imported, what is shown of its first lines.
  update import_files f set preview = '[]', columns = (select coalesce(jsonb_agg(c || '{"samples": []}' order by at), '[]') from jsonb_array_elements(f.columns) with ordinality e(c, at))
    where f.workspace_id = w and (mentions(concat_ws(' ', f.preview, f.columns), ids, known) or exists (select from import_rows r where r.workspace_id = w and r.import_id = f.import_id and r.record_id = p_id));
  told := told || jsonb_build_object('kept_answers', n, 'journals', scrub_journals(ids || stays, known));
  delete from search_words s where s.workspace_id = w and s.word = any (words) and not is_named(s.word);

  insert into purged_records (workspace_id, id, entity, purged_by, key_id, request_id) values (w, p_id, p_entity, current_user_id(), current_key_id(), current_setting('app.request_id'));
  perform emit(p_entity || '.purged', p_entity, p_id);
  return told;
end $$;
--> statement-breakpoint
-- Purges a record for a client_admin, in the version that If-Match names, and notes as app.purged how many of what it was.
create function purge_record(p_entity text, p_id uuid, p_version int) returns void security definer set search_path = public language plpgsql as $$
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
    perform ensure_record(present, p_version, p_entity, p_id);
  end if;
  told := erase_record(p_entity, p_id);
  for part in select erase_record(p_entity, loser) from merged_from(p_id) loser loop
    told := (select jsonb_object_agg(k, (told ->> k)::int + (part ->> k)::int) from jsonb_object_keys(told) k);
  end loop;
  perform set_config('app.purged', (told || (select coalesce(jsonb_object_agg(c.entity, c.n), '{}') from (
    select entity, count(*) as n from changes where workspace_id = w and request_id = current_setting('app.request_id') and action = 'deleted' group by entity) c))::text, true);
end $$;
--> statement-breakpoint
-- Lists by name, none longer than p_most.
create function cut_lists(p_lists jsonb, p_most int) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when jsonb_array_length(v) > p_most then v - p_most else v end), '{}') from jsonb_each(p_lists) e(k, v));
--> statement-breakpoint
/*
  All that is kept of a person, at most p_most rows of each kind, the latest first; no row where there is no such contact. `records` is every table that
  refers to contacts, and `journals` every journal, as the catalogue has them: a table that is added is here too.
*/
create function person_data(p_id uuid, p_most int) returns setof jsonb stable security definer set search_path = public language plpgsql as $$
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
  known := known_by('contact', p_id, own);
  for t in
    select a.child::text as name, string_agg(format('r.%I = $2', a.col), ' or ') as about, array['workspace_id'] || array(select g.attname::text from pg_attribute g where g.attrelid = a.child and g.attgenerated <> '') as hidden
    from references_to('contacts') a group by a.child order by 1
  loop
    execute format('select coalesce(jsonb_agg(x.row order by x.id desc), ''[]'') from (select to_jsonb(r) - $3 as row, r.id from %I r where r.workspace_id = $1 and (%s) order by r.id desc limit $4) x', t.name, t.about)
      into told using w, p_id, t.hidden, p_most + 1;
    records := records || jsonb_build_object(t.name, told);
  end loop;
  for t in select * from journals() loop
    -- What only mentions the person is about others too.
    execute format('select jsonb_agg(x.row) from (select to_jsonb(r) - ''workspace_id'' as row from %s r where workspace_id = $1 and %s limit $3) x', t.name, t.about)
      into told using w, array[p_id], p_most + 1;
    if told is not null then journals := journals || jsonb_build_object(t.name::text, told); end if;
  end loop;
  for kind in select * from (values ('companies', 'customer_id'), ('opportunities', 'referrer_opportunity_id')) k(name, own_column) loop
    ids := array[(own ->> kind.own_column)::uuid];
    for t in select a.child::text as name, a.col from references_to(kind.name::regclass) a where records ? a.child::text loop
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
        from approvals a where a.workspace_id = w and mentions(concat_ws(' ', a.request, a.changes, a.answer, a.response_body), array[p_id], known) order by a.id desc limit p_most + 1) x)) into linked;
  return next jsonb_build_object('contact', own, 'records', cut_lists(records, p_most), 'journals', cut_lists(journals, p_most)) || cut_lists(linked, p_most) || jsonb_build_object('truncated',
    (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_each(records || journals || linked) e(k, v) where jsonb_array_length(v) > p_most));
end $$;
--> statement-breakpoint
revoke execute on function merged_from, is_named, is_shared, scrub_journals, known_by, erase_record, purge_record, person_data from public;
grant execute on function purge_record, person_data to app;
--> statement-breakpoint

-- Duplicates: records that may be one and the same.

CREATE TABLE "dismissed_duplicates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"object" text NOT NULL,
	"first_id" uuid NOT NULL,
	"second_id" uuid NOT NULL,
	"dismissed_by" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dismissed_duplicates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "dismissed_duplicates_pair_key" ON "dismissed_duplicates" USING btree ("workspace_id","first_id","second_id");--> statement-breakpoint
CREATE INDEX "dismissed_duplicates_by_second" ON "dismissed_duplicates" USING btree ("workspace_id","second_id");--> statement-breakpoint
CREATE INDEX "dismissed_duplicates_by_created" ON "dismissed_duplicates" USING btree ("workspace_id","object","created_at","id");
--> statement-breakpoint
call tenant_table('dismissed_duplicates');
call tracked_table('dismissed_duplicates', 'dismissed_duplicate');
alter table dismissed_duplicates alter column dismissed_by set default current_user_id();
--> statement-breakpoint
-- In the order in which a walk over them wants equal numbers.
drop index contacts_by_landline;
drop index companies_by_phone;
create index contacts_by_landline on contacts (workspace_id, landline, archived, created_at, id) where landline is not null;
create index companies_by_phone on companies (workspace_id, phone, archived, created_at, id) where phone is not null;
create index contacts_with_other_emails on contacts (workspace_id, id) where alternate_emails <> '{}' and not archived;
--> statement-breakpoint
create function is_dismissed(a uuid, b uuid) returns boolean stable language sql
  return exists (select from dismissed_duplicates d where d.workspace_id = current_workspace() and d.first_id = least(a, b) and d.second_id = greatest(a, b));
--> statement-breakpoint
-- By which fields records of a table are looked for among themselves, the surest first.
create function duplicate_keys(p_table text) returns text[] immutable language sql
  return case p_table when 'contacts' then array['email', 'alternate_emails', 'phone', 'landline', 'name'] when 'companies' then array['email', 'phone', 'name'] else array['name'] end;
--> statement-breakpoint
-- From which score on two of them are told of. Opportunities of one name are many; those of one company too may be the same.
create function least_likeness(p_table text) returns float8 immutable language sql return case p_table when 'opportunities' then 0.7 else 0.4 end;
--> statement-breakpoint
create function addresses_of(p_record jsonb) returns setof text immutable language sql as $$
  select p_record ->> 'email' where p_record ->> 'email' is not null union select jsonb_array_elements_text(p_record -> 'alternate_emails')
$$;
--> statement-breakpoint
/*
  Why two records, as JSON, may be one, in the order of duplicate_keys; then what alone is no reason to look. The score is the chance that one of the reasons
  is right, if they were independent: 1 - (1 - w1)(1 - w2)…; of a similar name the weight is in proportion to its similarity (pg_trgm).
*/
create function likeness(a jsonb, b jsonb, out score float8, out reasons jsonb) immutable language sql as $$
  select round((1 - exp(sum(ln(1 - weight))))::numeric, 3)::float8, jsonb_agg(jsonb_build_object('field', field, 'kind', kind, 'value', value) order by place)
  from (
    select 1 as place, 0.9 as weight, 'email' as field, 'exact' as kind, a ->> 'email' as value where a ->> 'email' = b ->> 'email'
    union all select 2, 0.85, 'alternate_emails', 'exact', min(e) from (select addresses_of(a) as e intersect select addresses_of(b)) shared where (a ->> 'email' = b ->> 'email') is not true having min(e) is not null
    union all select 3, 0.8, 'phone', 'exact', a ->> 'phone' where a ->> 'phone' = b ->> 'phone'
    union all select 4, 0.4, 'landline', 'exact', a ->> 'landline' where a ->> 'landline' = b ->> 'landline'
    union all select 5, 0.6 * s, 'name', case when a ->> 'name_norm' = b ->> 'name_norm' then 'exact' else 'similar' end, b ->> 'name_norm'
      from (select case when a ->> 'name_norm' = b ->> 'name_norm' then 1 else similarity(a ->> 'name_norm', b ->> 'name_norm')::numeric end as s) n where s >= 0.5
    union all select 6, 0.9, 'abn', 'exact', b ->> 'abn' where regexp_replace(a ->> 'abn', '\D', '', 'g') = nullif(regexp_replace(b ->> 'abn', '\D', '', 'g'), '')
    union all select 7, 0.5, 'website_url', 'exact', h from (select substring(lower(r ->> 'website_url') from '^https?://(?:www\.)?([^/?#:]+)') as h from (values (a), (b)) both_of(r)) hosts
      where h is not null group by h having count(*) = 2
    union all select 8, 0.3, 'customer_id', 'exact', a ->> 'customer_id' where a ->> 'customer_id' = b ->> 'customer_id'
  ) r
$$;
--> statement-breakpoint
create function record_of(p_table text, p_id uuid) returns jsonb stable security definer set search_path = public language plpgsql as $$
begin
  case p_table
    when 'contacts' then return (select to_jsonb(r) from contacts r where r.workspace_id = current_workspace() and r.id = p_id);
    when 'companies' then return (select to_jsonb(r) from companies r where r.workspace_id = current_workspace() and r.id = p_id);
    else return (select to_jsonb(r) from opportunities r where r.workspace_id = current_workspace() and r.id = p_id);
  end case;
end $$;
--> statement-breakpoint
-- A record as a candidate shows it.
create function as_candidate(p_record jsonb) returns jsonb immutable language sql
  return jsonb_build_object('id', p_record -> 'id', 'name', coalesce(p_record ->> 'name', concat_ws(' ', p_record ->> 'first_name', p_record ->> 'last_name')),
    'email', p_record -> 'email', 'phone', p_record -> 'phone', 'external_id', p_record -> 'external_id', 'created_at', iso((p_record ->> 'created_at')::timestamptz));
--> statement-breakpoint
/*
  The next records of a table that others may be the same as, with those: of up to three before each, in the order of one key after the other. A page walks
  the index of a key, so it costs the same however many records there are: it ends after 5000 entries (of names 1000, of other addresses 250; two records that are compared count as 20), be it short.
  A pair comes once, under its first reason. p: table, limit, after (key, value, at, id: where the page before it ended). Answers items, and next: null at the end.
*/
create function walk_duplicates(p jsonb) returns jsonb stable security definer set search_path = public set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  kind constant text := p ->> 'table';
  keys constant text[] := duplicate_keys(kind);
  wanted constant int := (p ->> 'limit')::int;
  place jsonb := nullif(p -> 'after', 'null');
  effort int := 5000;
  items jsonb := '[]';
  candidates jsonb;
  own jsonb;
  other jsonb;
  key text;
  col text;
  cursor_at text;
  neighbours text;
  cost int;
  seen bigint;
  looked int := 0;
  here jsonb;
  pair record;
  alike record;
begin
  if place ->> 'key' <> all (keys) then perform fail_field('after', 'Not a cursor of this list: use page.next of an earlier answer as it is'); end if;
  foreach key in array keys[coalesce(array_position(keys, place ->> 'key'), 1):] loop
    cost := case key when 'name' then 5 when 'alternate_emails' then 20 else 1 end;
    if key = 'alternate_emails' then
      neighbours := $q$ select a.n, a.id, ''::text as value, a.created_at as at, o.id as other from (
          select id, created_at, email, alternate_emails, row_number() over (order by id) as n from contacts
          where workspace_id = $1 and alternate_emails <> '{}' and not archived and ($3::uuid is null or id > $3) order by id limit $2) a
        left join lateral (
          select u.id from (
            (select id, alternate_emails from contacts where workspace_id = $1 and email = any (a.alternate_emails) and not archived limit 4)
            union (select id, alternate_emails from contacts where workspace_id = $1 and alternate_emails && array_remove(a.alternate_emails || a.email, null) and not archived limit 4)) u
          where u.id <> a.id and (u.alternate_emails = '{}' or u.id < a.id) order by u.id limit 3) o on true
        order by a.n, o.id $q$;
    else
      col := case key when 'name' then 'name_norm' else key end;
      cursor_at := case key when 'name' then '(name_norm, id) %s ($4, $3)' else format('(%I, archived, created_at, id) %%s ($4, false, $5, $3)', key) end;
      -- A name's index knows no time of creation, and needs none: the id breaks ties.
      neighbours := format($q$ with ahead as (select *, row_number() over () as n from (
            select id, %1$I as value, %8$s as at from %2$I where workspace_id = $1 and archived = false and %1$I is not null and ($3::uuid is null or %3$s) order by %1$I, %4$s id limit $2) r),
          behind as (select *, 1 - row_number() over () as n from (
            select id, %1$I as value, %8$s as at from %2$I where $3::uuid is not null and workspace_id = $1 and archived = false and %5$s order by %1$I desc, %6$s id desc limit 3) r),
          rows as (select * from ahead union all select * from behind)
        select r.n, r.id, r.value, r.at, o.id as other from ahead r cross join (values (1), (2), (3)) before(steps) left join rows o on o.n = r.n - steps and %7$s
        order by r.n, steps $q$,
        col, kind, format(cursor_at, '>'), case key when 'name' then '' else 'created_at,' end, format(cursor_at, '<='), case key when 'name' then '' else 'created_at desc,' end,
        case key when 'name' then 'left(o.value, 2) = left(r.value, 2) and (o.value = r.value or similarity(o.value, r.value) >= 0.5)' else 'o.value = r.value' end,
        case key when 'name' then $x$'-infinity'::timestamptz$x$ else 'created_at' end);
    end if;
    seen := 0;
    candidates := '[]';
    for pair in execute neighbours using w, effort / cost, (place ->> 'id')::uuid, place ->> 'value', (place ->> 'at')::timestamptz loop
      if pair.n > seen then
        if candidates <> '[]' then
          items := items || jsonb_build_object('record', as_candidate(own), 'candidates', candidates);
        end if;
        if jsonb_array_length(items) = wanted or effort - seen * cost - looked * 20 < 20 then return jsonb_build_object('items', items, 'next', here); end if;
        seen := pair.n;
        own := null;
        candidates := '[]';
        here := jsonb_build_object('key', key, 'value', pair.value, 'at', pair.at, 'id', pair.id);
      end if;
      if pair.other is not null and not is_dismissed(pair.id, pair.other) then
        looked := looked + 1;
        own := coalesce(own, record_of(kind, pair.id));
        other := record_of(kind, pair.other);
        select * into alike from likeness(own, other);
        if alike.score >= least_likeness(kind) and alike.reasons -> 0 ->> 'field' = key then
          candidates := candidates || jsonb_build_object('record', as_candidate(other), 'score', alike.score, 'reasons', alike.reasons);
        end if;
      end if;
    end loop;
    if candidates <> '[]' then items := items || jsonb_build_object('record', as_candidate(own), 'candidates', candidates); end if;
    effort := effort - seen * cost - looked * 20;
    looked := 0;
    if jsonb_array_length(items) = wanted or effort < 20 then return jsonb_build_object('items', items, 'next', here); end if;
    place := null;
  end loop;
  return jsonb_build_object('items', items, 'next', null);
end $$;
--> statement-breakpoint
-- The records that one may be the same as, the likeliest first.
create function duplicates_of(p_table text, p_id uuid, p_most int) returns jsonb stable security definer set search_path = public set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own jsonb;
  words text[];
  key text;
  more uuid[];
  ids uuid[] := '{}';
  found jsonb;
begin
  own := record_of(p_table, p_id);
  words := (words_of(own ->> 'name_norm'))[1:6];
  foreach key in array duplicate_keys(p_table) || case when p_table = 'companies' then '{}' else array['customer_id'] end loop
    if key = 'alternate_emails' then
      select array_agg(o.id) into more from (
        select id from contacts where workspace_id = w and email = any (array(select jsonb_array_elements_text(own -> 'alternate_emails'))) and not archived
        union select id from contacts where workspace_id = w and alternate_emails && array(select addresses_of(own)) and not archived limit 50) o;
    else
      execute format('select array_agg(id) from (select id from %I where workspace_id = $1 and %I = $2%s and not archived limit 50) o', p_table,
        case key when 'name' then 'name_norm' else key end, case key when 'customer_id' then '::uuid' else '' end)
        into more using w, own ->> case key when 'name' then 'name_norm' else key end;
    end if;
    ids := ids || more;
  end loop;
  -- Names next to it in the alphabet, and those with all of its words or similar ones.
  execute format('select array(select id from (select id from %1$I where workspace_id = $1 and archived = false and name_norm < $2 order by name_norm desc limit 5) b)
    || array(select id from (select id from %1$I where workspace_id = $1 and archived = false and name_norm > $2 order by name_norm limit 5) a)', p_table) into more using w, own ->> 'name_norm';
  ids := ids || more;
  if words <> '{}' then
    ids := ids || array(select m.id from search_index(p_table, format('lexemes_of(workspace_id, name_norm, %s) @@ %L::tsquery',
      case p_table when 'contacts' then 'email' when 'companies' then $x$coalesce(email || ' ', '') || coalesce(website_url, '')$x$ else 'external_id' end, search_query(words, true, false)), words, 'email') m);
  end if;
  execute format('select jsonb_agg(c.candidate) from (
      select jsonb_build_object(''record'', as_candidate(to_jsonb(b)), ''score'', l.score, ''reasons'', l.reasons) as candidate from %I b, likeness($3, to_jsonb(b)) l
      where b.workspace_id = $1 and b.id = any ($2) and b.id <> $4 and l.score >= $5 and not is_dismissed(b.id, $4) order by l.score desc, b.id limit $6) c', p_table)
    into found using w, ids, own, p_id, least_likeness(p_table), p_most;
  return coalesce(found, '[]');
end $$;
--> statement-breakpoint
revoke execute on function record_of, walk_duplicates, duplicates_of from public;
grant execute on function walk_duplicates, duplicates_of to app;
