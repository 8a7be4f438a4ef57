/*
  Purges of records with many dependants, or with many rows that referred to them before. They are deletions (deletions.sql) whose batches
  erase what they delete, in the same transaction: what a batch has done is done for good. The last one erases the record itself
  (erase_record).
*/

-- Whether a purge of these records erases more than p_most rows, those that are deleted already included.
create or replace function has_many_traces(p_entity text, p_ids uuid[], p_most int) returns boolean stable
  security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  keys constant int[] := keys_of(p_ids, '{}');
  n int := (select count(*) from (select from deleted_rows d where (d.workspace_id = w) is true
    and mention_keys(d.row_id::text || ' ' || d.before::text) && keys limit p_most + 1) kept);
  found_rows int;
  t record;
begin
  for t in select distinct l.col from links_to(array[table_of(p_entity)]) l order by 1 loop
    exit when n > p_most;
    execute format('select count(*) from (select from changes c where c.workspace_id = $1 and c.fields #>> %L = any ($2) limit $3) found',
      array[t.col, 'after'])
      into found_rows using w, p_ids::text[], p_most + 1 - n;
    n := n + found_rows;
  end loop;
  return n > p_most;
end $$;

-- Has the job that deletes a record, or has failed to, purge it, in the name of this request. Returns whether there is one.
create or replace function purge_by_running_job(p_id uuid)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  job deletions;
begin
  select * into job from deletions d where d.workspace_id = w and d.record_id = p_id and d.ended_at is null and d.type <> 'restore'
    order by d.id desc limit 1 for update;
  if job.id is null then return false; end if;
  if job.type = 'deletion' then
    update deletions set type = 'purge', request_id = current_request_id(), key_id = current_key_id(), user_id = current_user_id(),
      cause_type = current_cause_type(), cause_id = current_cause_id(), cause_depth = current_cause_depth()
        where workspace_id = w and id = job.id;
  end if;
  perform reopen_job(job.id), name_job(p_id, job.id);
  return true;
end $$;

-- Begins the job that purges a record, if that is more than a request does. Returns whether there is a job now.
create or replace function start_purge(p_entity text, p_id uuid)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
declare
  kind constant text := table_of(p_entity);
  many boolean;
begin
  if purge_by_running_job(p_id) then return true; end if;
  perform assert_not_restoring(array[p_id]);
  many := has_many_traces(p_entity, array(select merged_from(p_id)) || p_id, most_dependants());
  perform set_flag('purging');
  perform start_deletion(kind, p_id, case when many then -1 else most_dependants() end);
  if many and not exists (select from deletions d
      where d.workspace_id = (select current_workspace()) and d.record_id = p_id and d.ended_at is null) then
    perform add_deletion(kind, p_id, null);
  end if;
  perform clear_flag('purging');
  return exists (select from deletions d where d.workspace_id = (select current_workspace()) and d.record_id = p_id and d.ended_at is null);
end $$;

-- Erases the next rows of a purge, about p_limit, and returns their number: 0 if only the record itself is left.
create or replace function purge_batch(d deletions, p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  kind constant text := entity_of(d.table_name);
  targets constant uuid[] := array(select merged_from(d.record_id)) || d.record_id;
  known text[] := '{}';
  links uuid[] := '{}';
  entities text[] := '{}';
  ids uuid[] := '{}';
  stays uuid[] := '{}';
  files uuid[] := '{}';
  target uuid;
  part record;
  n int := 0;
begin
  foreach target in array targets loop
    known := known || identifiers_of(kind, target, case when target = d.record_id then values_to_erase(kind, target) end);
    if kind = 'contact' then links := links || followed_links(target); end if;
  end loop;
  perform set_flag('purging');
  foreach target in array targets loop
    continue when n >= p_limit;
    part := purge_shared_rows(kind, target, p_limit - n);
    n := n + part.n; stays := stays || part.stays; files := files || part.files;
  end loop;
  if n < p_limit then n := n + delete_below(d.table_name, array[d.record_id], p_limit - n); end if;
  if n < p_limit then n := n + clear_custom_values(d.workspace_id, kind, array[d.record_id], p_limit - n); end if;
  if n < p_limit then
    part := erasable_rows(kind, targets, targets, p_limit - n);
    entities := part.entities; ids := part.ids; n := n + cardinality(ids);
    files := files || files_of_documents(array(select g.id from unnest(entities, ids) g(entity, id) where g.entity = 'document'));
  end if;
  delete from campaign_links l where l.workspace_id = d.workspace_id and l.id = any (links) and l.recipients = 0;
  files := erase_files(files, stays);
  part := rows_deleted_now();
  perform clear_flag('purging');
  entities := entities || array_fill('file'::text, array[cardinality(files)]) || part.entities;
  ids := ids || files || part.ids;
  if n > 0 then perform erase_traces(entities, ids, stays, known, array[d.record_id]); end if;
  if n < p_limit then n := n + erase_kept_rows(targets, known, array[d.record_id], p_limit - n); end if;
  return n;
end $$;

revoke execute on function has_many_traces, purge_by_running_job, start_purge, purge_batch from public, app;
