-- The websites of clients and their syncs: what the operator of the platform, or what builds the websites, records. The rows are the
-- agency's.

-- Adds a website of a client that the agency looks after, or changes its name, and returns its id. p: client_id, name, repository, branch.
create or replace function record_agency_website(p_agency uuid, p jsonb)
  returns uuid set search_path = public, pg_temp language plpgsql as $$
declare
  client constant uuid := (p ->> 'client_id')::uuid;
  site uuid;
begin
  perform enter_agency(p_agency);
  -- The link stays until the website is there, so that it does not outlive the link.
  perform from agency_clients where workspace_id = p_agency and client_id = client and ended_at is null for share;
  if not found then perform fail('NOT_FOUND', format('%s is no client of this agency', client)); end if;
  insert into websites as s (workspace_id, client_id, name, repository, branch)
    values (p_agency, client, p ->> 'name', p ->> 'repository', coalesce(p ->> 'branch', 'main'))
    on conflict (workspace_id, client_id, repository, branch) do update set name = excluded.name returning id into site;
  return site;
end $$;

/*
  Records how far a sync of a website is, once for each id, and returns the id. p: id, website_id, status, commit, preview_url, log_tail,
  started_at, ended_at; what is not given stays. The log of a sync that has not failed is not kept. p_bytes: the most bytes of a log;
  p_kept: the most syncs of a website, of which the latest stay.
*/
create or replace function record_website_sync(p_agency uuid, p jsonb, p_bytes int, p_kept int) returns uuid
  set search_path = public, pg_temp language plpgsql as $$
declare
  sent constant website_syncs := jsonb_populate_record(null::website_syncs, p);
  sync constant uuid := coalesce(sent.id, uuidv7());
begin
  perform enter_agency(p_agency);
  perform from websites where workspace_id = p_agency and id = sent.website_id for update;
  if not found then perform fail('NOT_FOUND', format('%s is no website of this agency', sent.website_id)); end if;
  if octet_length(sent.log_tail) > p_bytes then
    perform fail('VALIDATION_ERROR', format('log_tail has at most %s bytes: send the end of the log', p_bytes));
  end if;
  insert into website_syncs as s (workspace_id, id, website_id, status, commit, preview_url, log_tail, started_at, ended_at)
    values (p_agency, sync, sent.website_id, coalesce(sent.status, 'queued'), sent.commit, sent.preview_url,
      case when sent.status = 'failed' then sent.log_tail end, coalesce(sent.started_at, now()), sent.ended_at)
    on conflict (workspace_id, id) do update set status = coalesce(sent.status, s.status), commit = coalesce(sent.commit, s.commit),
      preview_url = coalesce(sent.preview_url, s.preview_url), started_at = coalesce(sent.started_at, s.started_at),
      ended_at = coalesce(sent.ended_at, s.ended_at), log_tail = case when coalesce(sent.status, s.status) = 'failed'
        then coalesce(sent.log_tail, s.log_tail) end
      where s.website_id = sent.website_id;
  if not found then perform fail('CONFLICT', format('The sync %s is of another website', sync), jsonb_build_object('id', sync)); end if;
  delete from website_syncs where workspace_id = p_agency and website_id = sent.website_id and id in (select t.id from website_syncs t
    where t.workspace_id = p_agency and t.website_id = sent.website_id order by t.started_at desc, t.id desc offset p_kept);
  return sync;
end $$;

revoke execute on function record_agency_website, record_website_sync from public, app, jobs;
