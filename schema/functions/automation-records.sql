-- The records that runs of automations are about, as their workers read them: see automation-runs.sql.

-- The records of a kind with these ids, as stored, by id.
create or replace function stored_records(p_table regclass, p_workspace uuid, p_ids uuid[])
  returns jsonb stable security definer set search_path = public, pg_temp language plpgsql as $$
declare
  found jsonb;
begin
  execute format('select coalesce(jsonb_object_agg(r.id, jsonb_strip_nulls(to_jsonb(r))), ''{}'') from %s r
    where r.workspace_id = $1 and r.id = any ($2)', p_table) into found using p_workspace, p_ids;
  return found;
end $$;

-- What a worker must know of runs whose steps may have changed their records, or ended them: their references, whether they have ended, and
-- the records as stored.
create or replace function run_records(p_workspace uuid, p_runs uuid[])
  returns jsonb stable security definer set search_path = public, pg_temp set enable_seqscan = off language sql as $$
  with mine as materialized (
    select id, contact_id, customer_id, opportunity_id, ended_at from automation_runs where workspace_id = p_workspace and id = any (p_runs)
  )
  select jsonb_build_object(
    'runs', (select coalesce(jsonb_object_agg(m.id, jsonb_build_object('contact_id', m.contact_id, 'customer_id', m.customer_id,
      'opportunity_id', m.opportunity_id, 'ended', m.ended_at is not null)), '{}') from mine m),
    'contact', stored_records('contacts', p_workspace, array(select contact_id from mine)),
    'company', stored_records('companies', p_workspace, array(select customer_id from mine)),
    'opportunity', stored_records('opportunities', p_workspace, array(select opportunity_id from mine)))
$$;

revoke execute on function stored_records, run_records from public, app;
grant execute on function run_records to jobs;
