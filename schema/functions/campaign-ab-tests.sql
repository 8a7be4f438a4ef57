-- Tests of two subjects of a campaign: who gets which one, and what the others get. See campaign-jobs.sql.

-- Whether recipients of a campaign wait for the better subject.
create or replace function ab_waiting(p_campaign uuid)
  returns boolean stable security definer set search_path = public, pg_temp language sql as $$
  select exists (select from campaign_recipients r where r.workspace_id = (select current_workspace()) and r.campaign_id = p_campaign
    and r.status = 'queued' and r.due_at is null and r.variant is null)
$$;

-- What is to be done for a test of two subjects when nobody is due: null for nothing. The time until the decision begins when nobody of the
-- sample is left, nor is on the way to the provider.
create or replace function next_ab_step(s campaign_sends, p_test jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p_test is null or not ab_waiting(s.campaign_id) then return null; end if;
  if s.winner is not null then return '{"step": "again"}'; end if;
  if s.decide_at <= now() then return jsonb_build_object('step', 'decide', 'by', p_test ->> 'by', 'counts', s.counts); end if;
  update campaign_sends set decide_at = now() + make_interval(mins => (p_test ->> 'decide_after_minutes')::int)
    where workspace_id = s.workspace_id and campaign_id = s.campaign_id and decide_at is null and not exists (
      select from campaign_recipients r
        where r.workspace_id = s.workspace_id and r.campaign_id = s.campaign_id and r.batch_id is null and r.due_at is not null)
      and not exists (select from campaign_recipients r
        where r.workspace_id = s.workspace_id and r.campaign_id = s.campaign_id and r.batch_id is not null);
  return null;
end $$;

-- Stores which subject the others get. The first decision stays.
create or replace function decide_ab_test(p_workspace uuid, p_campaign uuid, p_winner text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  select set_config('app.workspace_id', p_workspace::text, true);
  update campaign_sends set winner = p_winner, decided_at = now()
    where workspace_id = p_workspace and campaign_id = p_campaign and winner is null
$$;

-- Which subject of a test the p_n-th recipient gets; null for one who waits. At least two, and then p_percent of all are the sample, of
-- which every second one gets b.
create or replace function sampled_variant(p_percent int, p_n bigint) returns text immutable parallel safe language sql
  return (select case when k = before then null when k % 2 = 1 then 'a' else 'b' end from (
    select greatest(least(p_n, 2), ceil(p_n * p_percent / 100.0)) as k,
      greatest(least(p_n - 1, 2), ceil((p_n - 1) * p_percent / 100.0)) as before) s);

revoke execute on function ab_waiting, next_ab_step, decide_ab_test from public, app;
grant execute on function decide_ab_test to jobs;
