/*
  The parts of a purge that are repeated for each batch of rows, when a job carries it out (purge-jobs.sql): rows that only refer to the
  record, and what other rows keep of those that are gone. erase_record (purges.sql) does all of it at once.
*/

-- Whether a row that may stay, without its texts (shared_text_columns), has any of them, or had one that its history still shows.
create or replace function has_shared_texts(p_table text, p_row jsonb)
  returns boolean stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  shared constant jsonb := shared_text_columns() -> p_table;
  names constant text[] := array(select jsonb_object_keys(shared -> 'texts'));
begin
  return exists (select from jsonb_each(shared -> 'texts') e(k, v) where p_row -> k is distinct from v)
    or exists (select from changes c
      where c.workspace_id = (select current_workspace()) and c.entity = shared ->> 'entity' and c.entity_id = (p_row ->> 'id')::uuid
      and c.fields <> redact_changes(c.fields, names));
end $$;

-- The files of these documents, now and before.
create or replace function files_of_documents(p_documents uuid[])
  returns uuid[] stable security definer set search_path = public, pg_temp language sql as $$
  select array(select d.file_id from documents d
    where d.workspace_id = (select current_workspace()) and d.id = any (p_documents) and d.file_id is not null
    union select (c.fields #>> '{file_id,after}')::uuid from changes c
    where c.workspace_id = (select current_workspace()) and c.entity = 'document'
      and c.entity_id = any (p_documents) and c.fields #>> '{file_id,after}' is not null)
$$;

/*
  Deletes activities, tasks and others of shared_text_columns that refer to nothing but the record, and takes the texts of those that refer
  to others, too; at most p_limit. This includes rows that referred to the record before, if they refer to no other record of this kind now.
  For a company or an opportunity, these must not refer to anything else either. Returns how many these are, which of them stay, and their
  files.
*/
create or replace function purge_shared_rows(p_entity text, p_id uuid, p_limit int default null, out n int,
  out stays uuid[], out files uuid[])
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w constant uuid := current_workspace();
  kind constant regclass := table_of(p_entity);
  found uuid[];
  more uuid[];
  theirs text;
  t record;
begin
  n := 0; stays := '{}'; files := '{}';
  for t in
    select l.child, min(l.col) filter (where l.parent = kind) as col, shared_text_columns() -> l.child::text -> 'entity' #>> '{}' as entity,
      string_agg(format('%I', l.col), ', ') as links,
      (select string_agg(format('%I = %L', k, v #>> '{}'), ', ')
        from jsonb_each(shared_text_columns() -> l.child::text -> 'texts') e(k, v)) as blanks
    from links_to('{contacts,companies,opportunities}') l where shared_text_columns() ? l.child::text group by l.child
      having bool_or(l.parent = kind) order by l.child
  loop
    execute format('select array(select id from %s where workspace_id = $1 and %I = $2 limit $3)', t.child, t.col)
      into found using w, p_id, p_limit - n;
    -- An activity may have several contacts.
    if p_entity = 'contact' and t.child = 'activities'::regclass then
      found := found || array(select l.activity_id from activity_contacts l
        where l.workspace_id = w and l.contact_id = p_id and l.activity_id <> all (found)
        limit p_limit - n - cardinality(found));
    end if;
    if p_limit is null or cardinality(found) < p_limit - n then
      execute format('select array(select distinct t.id from changes c join %1$s t on t.workspace_id = $1 and t.id = c.entity_id
        where c.workspace_id = $1
          and c.fields #>> %2$L = $2 and c.entity = $3 and t.%3$I is null and t.id <> all ($6) and ($4 or num_nonnulls(%4$s) = 0)
          and has_shared_texts(%5$L, to_jsonb(t)) limit $5)',
        t.child, array[t.col, 'after'], t.col, (select string_agg('t.' || l, ', ') from string_to_table(t.links, ', ') l), t.child::text)
        into more using w, p_id::text, t.entity, p_entity = 'contact', p_limit - n - cardinality(found), found;
      found := found || more;
    end if;
    continue when found = '{}';
    -- Locked before they are read, because a row can refer to two records that are purged at the same time.
    execute format('select from %s where workspace_id = $1 and id = any ($2) order by id for update', t.child) using w, found;
    if t.child = 'documents'::regclass then files := files || files_of_documents(found); end if;
    theirs := format('workspace_id = $1 and id = any ($3) and (%1$I = $2 or %1$I is null and ($4 or num_nonnulls(%2$s) = 0)%3$s)',
      t.col, t.links,
      case when t.child = 'activities'::regclass then ' or $2 = any (contact_ids)' end);
    execute format('delete from %s where %s and num_nonnulls(%s) = num_nonnulls(%I)%s', t.child, theirs, t.links, t.col,
      case when t.child = 'activities'::regclass then ' and contact_ids <@ array[$2]' end)
      using w, p_id, found, p_entity = 'contact';
    execute format('with kept as (update %1$s set %2$s, %3$I = nullif(%3$I, $2) where %4$s returning id) select array_agg(id) from kept',
      t.child, t.blanks, t.col, theirs)
      into more using w, p_id, found, p_entity = 'contact';
    if p_entity = 'contact' and t.child = 'activities'::regclass then
      delete from activity_contacts l where l.workspace_id = w and l.activity_id = any (found) and l.contact_id = p_id;
    end if;
    if more is not null then
      update changes c
        set fields = redact_changes(c.fields, array(select jsonb_object_keys(shared_text_columns() -> t.child::text -> 'texts')))
        where c.workspace_id = w and c.entity = t.entity and c.entity_id = any (more);
      update outbox o set payload = o.payload || (shared_text_columns() -> t.child::text -> 'texts')
        where o.workspace_id = w and o.entity = t.entity and o.entity_id = any (more) and o.payload <> '{}';
    end if;
    n := n + cardinality(found);
    stays := stays || more;
    exit when n >= p_limit;
  end loop;
end $$;

/*
  Deletes the kept rows of earlier deletions that are about these records or mention them, so that nothing of them can be restored, with
  their files; at most p_limit. Those of p_but stay. Returns their number.
*/
create or replace function erase_kept_rows(p_ids uuid[], p_known text[], p_but uuid[] default '{}', p_limit int default null)
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  keys constant int[] := keys_of(p_ids, p_known);
  files uuid[];
  kinds text[];
  n int;
begin
  with gone as (
    delete from deleted_rows r
      where r.ctid = any (array(select d.ctid from deleted_rows d where (d.workspace_id = w) is true and d.row_id <> all (p_but)
      and (d.row_id = any (p_ids) or mentions(d.before::text, p_ids, p_known))
      and mention_keys(d.row_id::text || ' ' || d.before::text) && keys limit p_limit))
      returning r.table_name, r.row_id
  ) select count(*), array_agg(g.row_id) filter (where g.table_name in ('attachments', 'files')),
      array_agg(case g.table_name when 'files' then 'file' else 'attachment' end) filter (where g.table_name in ('attachments', 'files'))
        into n, files, kinds from gone g;
  perform emit(g.kind || '.deleted', g.kind, g.id) from unnest(files, kinds) g(id, kind);
  return n;
end $$;

/*
  Erases what history, events, approvals, stored responses, kept rows, imports and log tables have of these records, which are gone, and
  what mentions them, the rows that stay without their texts (p_stays), or the addresses and numbers. Kept rows of p_but stay. Returns the
  numbers of what is erased.
*/
create or replace function erase_traces(p_entities text[], p_ids uuid[], p_stays uuid[], p_known text[], p_but uuid[] default '{}')
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  entities text[];
  ids uuid[];
  keys int[];
  more uuid[];
  n int;
  counts jsonb;
begin
  -- What was learnt from the records.
  perform set_flag('purging');
  with gone as (delete from memories m where m.workspace_id = w and m.source_id = any (p_ids) returning m.id)
    select p_entities || array_fill('memory'::text, array[count(*)::int]), p_ids || array_agg(g.id) into entities, ids from gone g;
  perform clear_flag('purging');
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
  keys := keys_of(ids || p_stays, p_known);
  counts := counts || jsonb_build_object('events', n, 'approvals', redact_approvals(ids || p_stays, p_known),
    'kept_answers', redact_responses(ids || p_stays, p_known));
  perform erase_kept_rows(ids, p_known, p_but);
  delete from merge_entries e
    where (e.workspace_id = w) is true and e.action <> 'merged'
    and (e.row_id = any (ids) or mentions(concat_ws(' ', e.before, e.after), ids, p_known))
    and mention_keys(e.row_id::text || ' ' || coalesce(e.survivor::text, '') || ' ' || e.before::text || ' ' || e.after::text) && keys;
  -- A warning about the record's line quotes a value that nothing else may mention.
  update import_rows r set errors = '[]', has_warnings = false where r.workspace_id = w and r.record_id = any (ids) and r.has_warnings;
  -- The preview of an imported file shows its first lines, and a line in a wrong column is an unknown value.
  update import_files f set preview = '[]', previewed = '[]', unknown_values = '[]',
    columns = (select coalesce(jsonb_agg(c || '{"samples": []}' order by at), '[]')
    from jsonb_array_elements(f.columns) with ordinality e(c, at))
    where f.workspace_id = w
    and f.import_id = any (array(select r.import_id from import_rows r where r.workspace_id = w and r.record_id = any (ids))
      || array(select o.import_id from import_files o
        where o.workspace_id = w and o.unknown_values <> '[]' and mentions(o.unknown_values::text, ids, p_known))
      || array(select o.import_id from import_files o
        where o.workspace_id = w and mention_keys(o.columns::text || ' ' || o.suggestions::text || ' ' || o.preview::text) && keys
        and mentions(concat_ws(' ', o.preview, o.columns), ids, p_known)));
  return counts || jsonb_build_object('journals',
    redact_lines(ids, p_known) + redact_logs(ids || p_stays, p_known) + redact_requests(ids, p_known));
end $$;

revoke execute on function has_shared_texts, files_of_documents, purge_shared_rows, erase_kept_rows, erase_traces from public, app;
