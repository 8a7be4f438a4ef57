-- Jobs of records: deletions, purges and restores that the background carries out in batches (deletions.sql, purge-jobs.sql,
-- restore-jobs.sql).

-- The job that is restoring the record now.
create or replace function job_that_restores(p_id uuid)
  returns uuid stable security definer set search_path = public, pg_temp language sql as $$
  select d.id from deletions d
    where d.workspace_id = (select current_workspace()) and d.record_id = p_id and d.ended_at is null and d.type = 'restore'
    and d.state = 'running' limit 1
$$;

-- The error of a deletion of one of these records, if it is being restored.
create or replace function restoring_error(p_ids uuid[])
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select error_object('CONFLICT', 'This record is still being restored: delete it when the job has ended',
    jsonb_build_object('job_id', d.id)) from deletions d
    where d.workspace_id = (select current_workspace()) and d.ended_at is null and d.type = 'restore' and d.state = 'running'
    and d.record_id = any (p_ids) limit 1
$$;

-- Raises CONFLICT if one of these records is being restored.
create or replace function assert_not_restoring(p_ids uuid[])
  returns void stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  error constant jsonb := restoring_error(p_ids);
begin
  if error is not null then perform fail(error ->> 'code', error ->> 'message', error -> 'details'); end if;
end $$;

-- Raises CONFLICT for a record that the background is still deleting or restoring, or that a purge has begun to erase.
create or replace function assert_job_ended(p_what text, p_id uuid)
  returns void stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  job deletions;
begin
  select * into job from deletions d where d.workspace_id = (select current_workspace()) and d.record_id = p_id and d.ended_at is null
    and (d.state = 'running' or d.type = 'purge') limit 1;
  if job.id is not null then
    perform fail('CONFLICT', format(case job.type when 'purge' then 'This %s is being purged, and cannot be restored'
      when 'deletion' then 'This %s is still being deleted: restore it when the job has ended'
      else 'This %s is still being restored' end, p_what), jsonb_build_object('job_id', job.id));
  end if;
end $$;

-- Has the response name the job of the record. A dry run, and a request that waits for approval, begin it too, but name none.
create or replace function name_job(p_record uuid, p_job uuid) returns void language plpgsql as $$
begin
  if current_setting('app.mode', true) in ('dry', 'held') then return; end if;
  perform hand('record_jobs', coalesce(handed('record_jobs'), '{}') || jsonb_build_object(p_record, p_job));
end $$;

-- Has a job go on that has failed. One of a deletion or a restore does so only if its record is there.
create or replace function reopen_job(p_id uuid) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  job deletions;
  is_there boolean;
begin
  select * into job from deletions where workspace_id = w and id = p_id and state = 'failed' and ended_at is null for update;
  if job.id is null then return; end if;
  execute format('select exists (select from %I where workspace_id = $1 and id = $2)', job.table_name) into is_there using w, job.record_id;
  if is_there or job.type = 'purge' then
    update deletions set state = 'running', error = null, failed_at = null, attempts = 0, due_at = now()
      where workspace_id = w and id = p_id;
  end if;
end $$;

-- Deletes jobs that have ended, or restores that have failed, before the rows of their deletions expire, at most p_limit, and returns their
-- number.
create or replace function expire_deletions(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  n int;
begin
  delete from merge_entries where ctid = any (array(select e.ctid from deletions d
    join merge_entries e on e.workspace_id = d.workspace_id and e.merge_id = d.id
    where d.id < id_at(now() - make_interval(days => restore_days())) and d.type = 'restore' and d.state = 'failed' limit p_limit));
  delete from deletions where ctid = any (array(select d.ctid from deletions d
    where d.id < id_at(now() - make_interval(days => restore_days()))
    and (d.ended_at is not null or d.type = 'restore' and d.state = 'failed'
      and not exists (select from merge_entries e where e.workspace_id = d.workspace_id and e.merge_id = d.id)) limit p_limit));
  get diagnostics n = row_count;
  return n;
end $$;

revoke execute on function job_that_restores, restoring_error, assert_not_restoring, assert_job_ended, reopen_job, expire_deletions
  from public, app;
grant execute on function job_that_restores, restoring_error to app;
