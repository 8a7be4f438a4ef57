-- Returns the records that were merged into this one, directly or through another merge.
create or replace function merged_from(p_id uuid) returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  with recursive losers(id, level) as (
    select p_id, 0
    union
    select e.row_id, l.level + 1 from losers l join merges m on m.workspace_id = (select current_workspace()) and m.winner_id = l.id and not m.undone
      join merge_entries e on e.workspace_id = m.workspace_id and e.merge_id = m.id and e.action = 'merged' where l.level < 100
  )
  select id from losers where level > 0
$$;

create or replace function table_of(p_entity text) returns regclass immutable language sql
  return case p_entity when 'contact' then 'contacts'::regclass when 'company' then 'companies'::regclass else 'opportunities'::regclass end;

-- Returns the links of campaigns that a contact has followed, even one that was deleted before.
create or replace function followed_links(p_contact uuid) returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  gone uuid[];
begin
  gone := array(select d.row_id from deleted_rows d where (d.workspace_id = w) is true and mention_keys(d.row_id::text || ' ' || d.before::text) && keys_of(array[p_contact], '{}')
    and d.table_name = 'campaign_recipients' and d.before ->> 'contact_id' = p_contact::text);
  return array(select k.link_id from campaign_recipients r join campaign_clicks k on k.workspace_id = w and k.recipient_id = r.id where r.workspace_id = w and r.contact_id = p_contact)
    || array(select (d.before ->> 'link_id')::uuid from deleted_rows d where (d.workspace_id = w) is true and mention_keys(d.row_id::text || ' ' || d.before::text) && keys_of(gone, '{}')
      and d.table_name = 'campaign_clicks' and d.before ->> 'recipient_id' = any (gone::text[]));
end $$;

/*
  Erases a record, even one that was deleted before: its row and the rows that go with it; activities and tasks that refer to nothing else
  (text about it in the others); every value of it in history, events, approvals, stored responses and log tables; and search words that no
  other name contains. What remains is who purged it, when, and in which request. Pending approvals that mention it are rejected, because
  the request that they would execute is erased. Returns the number of erased rows by kind.
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
  more uuid[];
  shared uuid[];
  links constant uuid[] := case p_entity when 'contact' then followed_links(p_id) end;
  files constant uuid[] := files_about(p_entity, p_id);
  keys int[];
  found text;
  t record;
  n int;
  counts jsonb;
begin
  execute format('select to_jsonb(r) from %s r where workspace_id = $1 and id = $2 for update', kind) into own using w, p_id;
  known := identifiers_of(p_entity, p_id, own);
  select array_agg(distinct word) into words from (
    select texts_under(own, '{name,first_name,last_name}') v
    union select texts_under(c.fields, '{name,first_name,last_name}') from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) v, unnest(words_of(norm(v))) word;

  perform set_config('app.purging', 'on', true);
  delete from dismissed_duplicates where workspace_id = w and first_id = p_id;
  delete from dismissed_duplicates where workspace_id = w and second_id = p_id;
  for t in
    select l.child, min(l.col) filter (where l.parent = kind) as col, shared_text_columns() -> l.child::text -> 'entity' #>> '{}' as entity, string_agg(format('%I', l.col), ', ') as links,
      (select string_agg(format('%I = %L', k, v #>> '{}'), ', ') from jsonb_each(shared_text_columns() -> l.child::text -> 'texts') e(k, v)) as blanks
    from links_to('{contacts,companies,opportunities}') l where shared_text_columns() ? l.child::text group by l.child
      having bool_or(l.parent = kind)
  loop
    -- An activity may have several contacts.
    shared := case when p_entity = 'contact' and t.child = 'activities'::regclass
      then array(select l.activity_id from activity_contacts l where l.workspace_id = w and l.contact_id = p_id) else '{}' end;
    -- Includes rows that referred to the record before it was unlinked or deleted, if they refer to no other record of this kind now. For
    -- a company or an opportunity, they must not refer to anything else either.
    execute format('select array_agg(distinct entity_id) from changes where workspace_id = $1 and fields #>> %L = $2 and entity = $3', array[t.col, 'after']) into more using w, p_id::text, t.entity;
    found := format('workspace_id = $1 and (%1$I = $2 or id = any ($5) or %1$I is null and id = any ($3) and ($4 or num_nonnulls(%2$s) = 0))', t.col, t.links);
    -- Locked before they are read, because a row can refer to two records that are purged at the same time.
    execute format('select from %s where %s order by id for update', t.child, found) using w, p_id, more, p_entity = 'contact', shared;
    execute format('delete from %s where %s and num_nonnulls(%s) = num_nonnulls(%I)%s', t.child, found, t.links, t.col, case when t.child = 'activities'::regclass then ' and contact_ids <@ array[$2]' end)
      using w, p_id, more, p_entity = 'contact', shared;
    execute format('with kept as (update %1$s set %2$s, %3$I = nullif(%3$I, $2) where %4$s returning id) select array_agg(id) from kept', t.child, t.blanks, t.col, found) into more using w, p_id, more, p_entity = 'contact', shared;
    if more is not null then
      update changes c set fields = redact_changes(c.fields, array(select jsonb_object_keys(shared_text_columns() -> t.child::text -> 'texts')))
        where c.workspace_id = w and c.entity = t.entity and c.entity_id = any (more);
      update outbox o set payload = o.payload || (shared_text_columns() -> t.child::text -> 'texts')
        where o.workspace_id = w and o.entity = t.entity and o.entity_id = any (more) and o.payload <> '{}';
    end if;
    stays := stays || more;
  end loop;
  execute format('delete from %s where workspace_id = $1 and id = $2', kind) using w, p_id;
  -- The counts by a tag that only this record had. A fold that runs at the same moment leaves the deltas to the cron job.
  perform fold_record_counts(w, 2000);
  -- The address of a link that nobody else has followed may be about the person.
  delete from campaign_links l where l.workspace_id = w and l.id = any (links) and l.recipients = 0;

  more := erase_files(files, stays);
  entities := entities || array_fill('file'::text, array[cardinality(more)]);
  ids := ids || more;
  select entities || array_agg(c.entity), ids || array_agg(c.entity_id) into entities, ids from changes c
    where c.workspace_id = w and c.request_id = current_request_id() and c.action = 'deleted' and c.entity_id <> all (ids);
  -- Adds rows that referred to the record and were deleted earlier.
  for t in select distinct l.col from links_to(array[kind]) l loop
    execute format('select $3 || coalesce(array_agg(g.entity), ''{}''), $4 || coalesce(array_agg(g.entity_id), ''{}'') from (
        select distinct c.entity, c.entity_id from changes c where c.workspace_id = $1 and c.fields #>> %L = $2 and c.entity_id <> all ($4)) g
      where (select l.action from changes l where l.workspace_id = $1 and l.entity = g.entity and l.entity_id = g.entity_id order by l.id desc limit 1) = ''deleted''', array[t.col, 'after'])
      into entities, ids using w, p_id::text, entities, ids;
  end loop;

  -- What was learnt from the record, or from what goes with it.
  with gone as (delete from memories m where m.workspace_id = w and m.source_id = any (ids) returning m.id)
    select entities || array_fill('memory'::text, array[count(*)::int]), ids || array_agg(g.id) into entities, ids from gone g;

  perform set_config('app.purging', '', true);
  select count(*), array_agg(c.id) filter (where c.fields <> redact_changes(c.fields)) into n, more
    from unnest(entities, ids) g(entity, id) join changes c on c.workspace_id = w and c.entity = g.entity and c.entity_id = g.id;
  if more is not null then
    update changes c set fields = redact_changes(c.fields) where c.workspace_id = w and c.id = any (more);
  end if;
  counts := jsonb_build_object('history', n);
  select count(*), array_agg(o.id) filter (where o.payload <> '{}' or o.last_error is not null) into n, more
    from outbox o where o.workspace_id = w and o.entity_id = any (ids);
  if more is not null then
    update outbox o set payload = '{}', last_error = null where o.workspace_id = w and o.id = any (more);
  end if;

  keys := keys_of(ids || stays, known);
  counts := counts || jsonb_build_object('events', n, 'approvals', redact_approvals(ids || stays, known));

  n := redact_responses(ids || stays, known);
  -- Deleted rows that are about the record, or mention it, cannot be restored. Their files go now.
  with gone as (
    delete from deleted_rows d where (d.workspace_id = w) is true and (d.row_id = any (ids) or mentions(d.before::text, ids, known))
      and mention_keys(d.row_id::text || ' ' || d.before::text) && keys returning d.table_name, d.row_id
  ) select array_agg(g.row_id), array_agg(case g.table_name when 'files' then 'file' else 'attachment' end) into more, entities
    from gone g where g.table_name in ('attachments', 'files');
  perform emit(g.entity || '.deleted', g.entity, g.id) from unnest(more, entities) g(id, entity);
  -- Merges into this record can no longer be undone, and merges of other records lose the entries that mention it.
  perform expire_merge_rows(w, m.id) from merges m where m.workspace_id = w and m.winner_id = p_id and m.undoable;
  delete from merge_entries e where (e.workspace_id = w) is true and e.action <> 'merged' and (e.row_id = any (ids) or mentions(concat_ws(' ', e.before, e.after), ids, known))
    and mention_keys(e.row_id::text || ' ' || coalesce(e.survivor::text, '') || ' ' || e.before::text || ' ' || e.after::text) && keys;
  update merges m set field_changes = (select coalesce(jsonb_object_agg(k, v || '{"before": null, "after": null}'), '{}') from jsonb_each(m.field_changes) e(k, v)),
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name', '(purged)', 'external_id', null) order by at) from jsonb_array_elements(m.losers) with ordinality e(l, at))
    where m.workspace_id = w and m.id = any (array(select o.id from merges o where o.workspace_id = w and o.winner_id = p_id)
      || array(select e.merge_id from merge_entries e where e.workspace_id = w and e.row_id = p_id and e.action = 'merged'));
  -- A warning about the record's line quotes a value that nothing else may mention.
  update import_rows r set errors = '[]', has_warnings = false where r.workspace_id = w and r.record_id = any (ids) and r.has_warnings;
  -- The preview of an imported file shows its first lines, and a line in a wrong column is an unknown value.
  update import_files f set preview = '[]', previewed = '[]', unknown_values = '[]', columns = (select coalesce(jsonb_agg(c || '{"samples": []}' order by at), '[]') from jsonb_array_elements(f.columns) with ordinality e(c, at))
    where f.workspace_id = w and f.import_id = any (array(select r.import_id from import_rows r where r.workspace_id = w and r.record_id = p_id)
      || array(select o.import_id from import_files o where o.workspace_id = w and o.unknown_values <> '[]' and mentions(o.unknown_values::text, ids, known))
      || array(select o.import_id from import_files o where o.workspace_id = w and mention_keys(o.columns::text || ' ' || o.suggestions::text || ' ' || o.preview::text) && keys and mentions(concat_ws(' ', o.preview, o.columns), ids, known)));
  counts := counts || jsonb_build_object('kept_answers', n, 'journals', redact_lines(ids, known) + redact_logs(ids || stays, known) + redact_requests(ids, known));
  delete from search_words s where s.workspace_id = w and s.word = any (words) and not is_named(s.word);

  insert into purged_records (workspace_id, id, entity, purged_by, key_id, request_id) values (w, p_id, p_entity, current_user_id(), current_key_id(), current_request_id());
  perform emit(p_entity || '.purged', p_entity, p_id);
  return counts;
end $$;

-- Purges a record if it has the version that If-Match names. This takes a client_admin whose key has *:delete, because a purge erases
-- records of many kinds. Records that were merged into it are purged too. Stores the numbers of erased rows in app.purged.
create or replace function purge_record(p_entity text, p_id uuid, p_version int) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  present int;
  counts jsonb;
  part jsonb;
begin
  perform assert_needed('{*:delete}', true);
  execute format('select version from %s where workspace_id = $1 and id = $2 for update', table_of(p_entity)) into present using w, p_id;
  if present is not null or merged_into(p_id) is not null or exists (select from purged_records r where r.workspace_id = w and r.id = p_id)
    or not exists (select from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) then
    perform assert_record(present, p_version, p_entity, p_id);
  end if;
  counts := erase_record(p_entity, p_id);
  for part in select erase_record(p_entity, loser) from merged_from(p_id) loser loop
    counts := (select jsonb_object_agg(k, (counts ->> k)::int + (part ->> k)::int) from jsonb_object_keys(counts) k);
  end loop;
  perform set_config('app.purged', (counts || (select coalesce(jsonb_object_agg(c.entity, c.n), '{}') from (
    select entity, count(*) as n from changes where workspace_id = w and request_id = current_request_id() and action = 'deleted' group by entity) c))::text, true);
end $$;

-- Truncates each list of an object to p_most elements.
create or replace function truncate_lists(p_lists jsonb, p_most int) returns jsonb immutable language sql
  return (select coalesce(jsonb_object_agg(k, case when jsonb_array_length(v) > p_most then v - p_most else v end), '{}') from jsonb_each(p_lists) e(k, v));

/*
  Exports a contact's personal data: at most p_most rows of each kind, the latest first. Returns no row if the contact does not exist. `records` has
  the rows of every table that refers to contacts, `journals` those of every log table. Both lists of tables come from the catalogue, so a new table
  is included. What is in the mailbox of another member is left out.
*/
create or replace function person_data(p_id uuid, p_most int) returns setof jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own jsonb;
  known text[];
  records jsonb := '{}';
  logs jsonb := '{}';
  linked jsonb := '{}';
  found jsonb;
  ids uuid[];
  t record;
  kind record;
begin
  select to_jsonb(c) - array['workspace_id', 'name_norm', 'search_text', 'local_zone', 'zone_basis', 'first_name_derived'] into own from contacts c where c.workspace_id = w and c.id = p_id;
  if own is null then return; end if;
  known := identifiers_of('contact', p_id, own);
  for t in
    select a.child::text as name, format('(%s)%s', string_agg(format('r.%I = $2', a.col), ' or '), case when a.child = 'notepads'::regclass then ' and sees_notepad(r.readers, caller_parties())'
        when exists (select from pg_attribute g where g.attrelid = a.child and g.attname = 'private_to') then ' and sees_row_of(r.private_to)' end) as about, array['workspace_id'] || array(select g.attname::text from pg_attribute g where g.attrelid = a.child and g.attgenerated <> '')
      || array(select u.column_name from unrecorded_columns() u where u.table_name = a.child::text and u.kind = 'secret') as hidden
    from links_to('{contacts}') a group by a.child order by 1
  loop
    execute format('select coalesce(jsonb_agg(x.row order by x.id desc), ''[]'') from (select to_jsonb(r) - $3 as row, r.id from %I r where r.workspace_id = $1 and %s order by r.id desc limit $4) x', t.name, t.about)
      into found using w, p_id, t.hidden, p_most + 1;
    records := records || jsonb_build_object(t.name, found);
  end loop;
  for t in select * from log_tables() loop
    -- Rows that only mention the contact also concern other people, and are left out.
    execute format('select jsonb_agg(x.row) from (select to_jsonb(r) - ''workspace_id'' as row from %s r where ctid = any (array(%s)) and (%s) limit $3) x', t.name, t.candidates, t.about)
      into found using w, array[p_id], p_most + 1, keys_of(array[p_id], '{}');
    if found is not null then logs := logs || jsonb_build_object(t.name::text, found); end if;
  end loop;
  for kind in select * from (values ('companies', 'customer_id'), ('opportunities', 'referrer_opportunity_id')) k(name, own_column) loop
    ids := array[(own ->> kind.own_column)::uuid];
    for t in select a.child::text as name, a.col from links_to(array[kind.name::regclass]) a where records ? a.child::text loop
      ids := ids || array(select distinct (r ->> t.col)::uuid from jsonb_array_elements(records -> t.name) r);
    end loop;
    execute format('select coalesce(jsonb_agg(jsonb_build_object(''id'', r.id, ''name'', r.name) order by r.name, r.id), ''[]'') from %I r where r.workspace_id = $1 and r.id = any ($2)', kind.name) into found using w, ids;
    linked := linked || jsonb_build_object(kind.name, found);
  end loop;
  -- The opportunities are the last kind.
  select linked || jsonb_build_object(
      'attachments', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select a.id, jsonb_build_object('id', a.id, 'opportunity_id', a.opportunity_id, 'name', a.name, 'content_type', a.content_type, 'size', a.size, 'created_at', a.created_at) as row
        from attachments a where a.workspace_id = w and a.opportunity_id = any (ids) order by a.id desc limit p_most + 1) x),
      'campaign_clicks', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (
        select k.id, jsonb_build_object('id', k.id, 'campaign_id', e.id, 'campaign_name', e.name, 'recipient_id', r.id, 'url', l.url, 'clicked_at', k.clicked_at) as row
        from campaign_recipients r join campaign_clicks k on k.workspace_id = w and k.recipient_id = r.id
          join campaign_links l on l.workspace_id = w and l.id = k.link_id join email_campaigns e on e.workspace_id = w and e.id = l.campaign_id
        where r.workspace_id = w and r.contact_id = p_id order by k.id desc limit p_most + 1) x),
      'history', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select c.id, to_jsonb(c) - array['workspace_id', 'entity'] as row
        from changes c where c.workspace_id = w and c.entity = 'contact' and c.entity_id = any (array(select merged_from(p_id)) || p_id) order by c.id desc limit p_most + 1) x),
      'events', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select o.id, jsonb_build_object('id', o.id, 'type', o.type, 'payload', o.payload, 'request_id', o.request_id, 'at', o.at) as row
        from outbox o where o.workspace_id = w and o.entity_id = p_id order by o.id desc limit p_most + 1) x),
      'approvals', (select coalesce(jsonb_agg(x.row order by x.id desc), '[]') from (select a.id, jsonb_build_object('id', a.id, 'status', a.status, 'method', a.method, 'path', a.path, 'created_at', a.created_at,
          'changes', (select coalesce(jsonb_agg(c), '[]') from jsonb_array_elements(a.changes) c where c ->> 'entity_id' = p_id::text)) as row
        from approvals a where a.workspace_id = w and a.id = any (approvals_mentioning(array[p_id], known)) order by a.id desc limit p_most + 1) x)) into linked;
  return next jsonb_build_object('contact', own, 'records', truncate_lists(records, p_most), 'journals', truncate_lists(logs, p_most)) || truncate_lists(linked, p_most) || jsonb_build_object('truncated',
    (select coalesce(jsonb_agg(distinct k order by k), '[]') from (select * from jsonb_each(records || logs) union all select * from jsonb_each(linked)) e(k, v) where jsonb_array_length(v) > p_most));
end $$;

revoke execute on function merged_from, followed_links, erase_record, purge_record, person_data from public;
grant execute on function purge_record, person_data to app;
