-- Returns the records that were merged into this one, directly or through another merge.
create or replace function merged_from(p_id uuid)
  returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  with recursive losers(id, level) as (
    select p_id, 0
    union
    select e.row_id, l.level + 1 from losers l
      join merges m on m.workspace_id = (select current_workspace()) and m.winner_id = l.id and not m.undone
      join merge_entries e on e.workspace_id = m.workspace_id and e.merge_id = m.id and e.action = 'merged' where l.level < 100
  )
  select id from losers where level > 0
$$;

create or replace function table_of(p_entity text) returns regclass immutable language sql
  return case p_entity when 'contact' then 'contacts'::regclass
    when 'company' then 'companies'::regclass else 'opportunities'::regclass end;

-- Returns the links of campaigns that a contact has followed, even one that was deleted before.
create or replace function followed_links(p_contact uuid)
  returns uuid[] stable security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  gone uuid[];
begin
  gone := array(select d.row_id from deleted_rows d
    where (d.workspace_id = w) is true and mention_keys(d.row_id::text || ' ' || d.before::text) && keys_of(array[p_contact], '{}')
    and d.table_name = 'campaign_recipients' and d.before ->> 'contact_id' = p_contact::text);
  return array(select k.link_id from campaign_recipients r join campaign_clicks k on k.workspace_id = w and k.recipient_id = r.id
    where r.workspace_id = w and r.contact_id = p_contact)
    || array(select (d.before ->> 'link_id')::uuid from deleted_rows d
      where (d.workspace_id = w) is true and mention_keys(d.row_id::text || ' ' || d.before::text) && keys_of(gone, '{}')
      and d.table_name = 'campaign_clicks' and d.before ->> 'recipient_id' = any (gone::text[]));
end $$;

-- The deleted rows that referred to one of these records and whose history still has values, without p_but; at most p_limit.
create or replace function erasable_rows(p_entity text, p_ids uuid[], p_but uuid[], p_limit int default null,
  out entities text[], out ids uuid[])
  stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  kinds text[];
  more uuid[];
  t record;
begin
  entities := '{}'; ids := '{}';
  for t in select distinct l.col from links_to(array[table_of(p_entity)]) l order by 1 loop
    exit when cardinality(ids) >= p_limit;
    execute format('select array_agg(g.entity), array_agg(g.entity_id) from (select g.* from (
        select distinct c.entity, c.entity_id from changes c
          where c.workspace_id = $1 and c.fields #>> %L = any ($2) and c.entity_id <> all ($3)) g
      where (select l.action from changes l where l.workspace_id = $1 and l.entity = g.entity and l.entity_id = g.entity_id
        order by l.id desc limit 1) = ''deleted'' limit $4) g',
      array[t.col, 'after']) into kinds, more using current_workspace(), p_ids::text[], p_but || ids, p_limit - cardinality(ids);
    entities := entities || kinds; ids := ids || more;
  end loop;
end $$;

-- The rows that this transaction has deleted.
create or replace function rows_deleted_now(out entities text[], out ids uuid[]) stable
  security definer set search_path = public, pg_temp language sql as $$
  select coalesce(array_agg(c.entity), '{}'), coalesce(array_agg(c.entity_id), '{}') from changes c
    where c.workspace_id = (select current_workspace()) and c.request_id = current_request_id() and c.id >= id_at(now())
    and c.action = 'deleted'
$$;

-- The values of a record that is to be erased: those of its row, or of the row that a job has emptied.
create or replace function values_to_erase(p_entity text, p_id uuid)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  present jsonb;
begin
  execute format('select to_jsonb(r) from %s r where workspace_id = $1 and id = $2 for update', table_of(p_entity))
    into present using w, p_id;
  return coalesce((select d.before from deletions j
    join deleted_rows d on d.workspace_id = w and d.row_id = p_id and d.xid = j.xid and d.table_name = j.table_name
    and d.action = 'deleted' where j.workspace_id = w and j.record_id = p_id and j.ended_at is null
    and j.type <> 'restore' limit 1), present);
end $$;

/*
  Erases a record, even one that was deleted before: its row and the rows that go with it; activities and tasks that refer to nothing else
  (text about it in the others); every value of it in history, events, approvals, stored responses and log tables; and search words that no
  other name contains. What remains is who purged it, when, and in which request. Pending approvals that mention it are rejected, because
  the request that they would execute is erased. Returns the number of erased rows by kind.
*/
create or replace function erase_record(p_entity text, p_id uuid)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  own constant jsonb := values_to_erase(p_entity, p_id);
  known constant text[] := identifiers_of(p_entity, p_id, own);
  links constant uuid[] := case p_entity when 'contact' then followed_links(p_id) end;
  files constant uuid[] := files_about(p_entity, p_id);
  ids uuid[] := array[p_id];
  entities text[] := array[p_entity];
  shared record;
  part record;
  words text[];
  more uuid[];
  counts jsonb;
begin
  select array_agg(distinct word) into words from (
    select texts_under(own, '{name,first_name,last_name}') v
    union select texts_under(c.fields, '{name,first_name,last_name}') from changes c
    where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) v, unnest(words_of(norm(v))) word;

  perform set_flag('purging');
  delete from dismissed_duplicates where workspace_id = w and first_id = p_id;
  delete from dismissed_duplicates where workspace_id = w and second_id = p_id;
  select * into shared from purge_shared_rows(p_entity, p_id);
  execute format('delete from %s where workspace_id = $1 and id = $2', table_of(p_entity)) using w, p_id;
  -- The counts by a tag that only this record had. A fold that runs at the same moment leaves the deltas to the cron job.
  perform fold_record_counts(w, 2000);
  -- The address of a link that nobody else has followed may be about the person.
  delete from campaign_links l where l.workspace_id = w and l.id = any (links) and l.recipients = 0;

  more := erase_files(files, shared.stays);
  entities := entities || array_fill('file'::text, array[cardinality(more)]);
  ids := ids || more;
  part := rows_deleted_now();
  entities := entities || part.entities; ids := ids || part.ids;
  -- Adds rows that referred to the record and were deleted earlier.
  part := erasable_rows(p_entity, array[p_id], ids);
  entities := entities || part.entities; ids := ids || part.ids;

  counts := erase_traces(entities, ids, shared.stays, known);
  -- Merges into this record can no longer be undone, and merges of other records lose the entries that mention it.
  perform expire_merge_rows(w, m.id) from merges m where m.workspace_id = w and m.winner_id = p_id and m.undoable;
  update merges m set field_changes = (select coalesce(jsonb_object_agg(k, v || '{"before": null, "after": null}'), '{}')
      from jsonb_each(m.field_changes) e(k, v)),
      losers = (select jsonb_agg(jsonb_build_object('id', l -> 'id', 'name', '(purged)', 'external_id', null) order by at)
        from jsonb_array_elements(m.losers) with ordinality e(l, at))
    where m.workspace_id = w and m.id = any (array(select o.id from merges o where o.workspace_id = w and o.winner_id = p_id)
      || array(select e.merge_id from merge_entries e where e.workspace_id = w and e.row_id = p_id and e.action = 'merged'));
  delete from search_words s where s.workspace_id = w and s.word = any (words) and not is_named(s.word);

  insert into purged_records (workspace_id, id, entity, purged_by, key_id, request_id)
    values (w, p_id, p_entity, current_user_id(), current_key_id(), current_request_id());
  perform emit(p_entity || '.purged', p_entity, p_id);
  return counts;
end $$;

-- Erases a record and those that were merged into it, and returns the numbers of erased entries.
create or replace function erase_with_merged(p_entity text, p_id uuid)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  counts jsonb := erase_record(p_entity, p_id);
  part jsonb;
begin
  for part in select erase_record(p_entity, loser) from merged_from(p_id) loser loop
    counts := (select jsonb_object_agg(k, (counts ->> k)::int + (part ->> k)::int) from jsonb_object_keys(counts) k);
  end loop;
  return counts;
end $$;

-- Purges a record if it has the version that If-Match names, or begins the job that does so. This takes a client_admin whose key has
-- *:delete, because a purge erases records of many kinds. Records that were merged into it are purged too. Stores the numbers of erased
-- rows in app.purged.
create or replace function purge_record(p_entity text, p_id uuid, p_version int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  present int;
  counts jsonb;
begin
  perform assert_needed('{*:delete}', true);
  execute format('select version from %s where workspace_id = $1 and id = $2 and id <> all (current_deletions()) for update',
    table_of(p_entity)) into present using w, p_id;
  if present is not null or merged_into(p_id) is not null or exists (select from purged_records r where r.workspace_id = w and r.id = p_id)
    or not exists (select from changes c where c.workspace_id = w and c.entity = p_entity and c.entity_id = p_id) then
    perform assert_record(present, p_version, p_entity, p_id);
  end if;
  if start_purge(p_entity, p_id) then return; end if;
  counts := erase_with_merged(p_entity, p_id);
  perform hand('purged', counts || (select coalesce(jsonb_object_agg(c.entity, c.n), '{}') from (
    select entity, count(*) as n from changes where workspace_id = w and request_id = current_request_id() and action = 'deleted'
      group by entity) c));
end $$;

revoke execute on function merged_from, followed_links, erasable_rows, rows_deleted_now, values_to_erase, erase_record, erase_with_merged,
  purge_record from public;
grant execute on function purge_record to app;
