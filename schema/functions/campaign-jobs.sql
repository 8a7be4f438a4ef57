-- What the background calls for campaigns: see campaigns.sql.

-- At most p_limit campaigns that are due, of each workspace in turn, among the p_among that have waited longest; or only those of one
-- workspace.
create or replace function waiting_campaigns(p_limit int, p_among int default 1000, p_workspace uuid default null)
  returns table (workspace_id uuid, id uuid) stable security definer set search_path = public, pg_temp language sql as $$
  with due as materialized (
    select s.workspace_id, s.campaign_id, s.due_at from campaign_sends s
      where s.due_at <= now() and (p_workspace is null or s.workspace_id = p_workspace) order by s.due_at limit p_among
  )
  select d.workspace_id, d.campaign_id from (
    select due.*, row_number() over (partition by due.workspace_id order by due.due_at, due.campaign_id) as n from due) d
      order by d.n, d.due_at limit p_limit
$$;

-- Ends the send of a campaign.
create or replace function end_campaign(p_campaign uuid, p_status text, p_code text default null, p_message text default null)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update campaign_sends set due_at = null where workspace_id = (select current_workspace()) and campaign_id = p_campaign;
  delete from campaign_windows
    where workspace_id = (select current_workspace()) and campaign_id = p_campaign and p_status in ('sent', 'failed');
  update email_campaigns set status = p_status, ended_at = case when p_status in ('sent', 'failed') then now() end,
      error = case when p_code is not null then jsonb_build_object('code', p_code, 'message', p_message) end
    where workspace_id = (select current_workspace()) and id = p_campaign
$$;

-- The sender of a campaign: its email config, or the first one. Replies go into the inbox, which receives the mail of its address, or to
-- its staff.
create or replace function campaign_sender(p_config uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('from_email', g.from_email, 'from_name', g.from_name,
      'reply_to', case when exists (select from email_inboxes i where i.workspace_id = g.workspace_id)
      then g.from_email else g.staff_email end)
    from email_configs g where g.workspace_id = (select current_workspace()) and (p_config is null or g.id = p_config)
    order by g.created_at, g.id limit 1
$$;

/*
  What is to be done next for a campaign that is due: null for nothing, or {"step": …}. `resolve`: read the next part of the audience.
  `send`: hand these recipients to the provider, at most p_limit and so many that p_bytes are enough, which nobody else does for p_lease
  seconds; those who may no longer be sent to are left out. `decide`: find the better of two subjects. `look_up`: ask the provider about a
  batch whose outcome is not known. Notes when it is due again, and ends a send in which nobody is queued.
*/
create or replace function next_campaign_step(p_workspace uuid, p_campaign uuid, p_limit int, p_bytes int,
  p_lease int, p_depth int, p_lists int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s campaign_sends;
  c email_campaigns;
  batch uuid;
  room int;
  opens_at timestamptz;
  claimed jsonb;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into s from campaign_sends where workspace_id = p_workspace and campaign_id = p_campaign and due_at <= now() for update;
  if s.campaign_id is null then return null; end if;
  select * into c from email_campaigns where workspace_id = p_workspace and id = p_campaign;
  if c.status = 'scheduled' then
    if campaign_sender(c.config_id) is null then
      perform end_campaign(p_campaign, 'failed', 'VALIDATION_ERROR',
        'The workspace has no sender any more: add one (POST /email/configs), and send a copy of the campaign');
      return null;
    end if;
    update email_campaigns set status = 'sending', started_at = now() where workspace_id = p_workspace and id = p_campaign
      returning * into c;
  end if;
  if c.status = 'sending' and not s.is_resolved then
    return jsonb_build_object('step', 'resolve', 'segment_filter', c.segment_filter, 'last_id', s.last_id, 'started_at', iso(c.started_at),
      'subject', c.subject, 'body_html', c.body_html, 'timezone', (select w.timezone from workspaces w where w.id = p_workspace),
      'lists', (select coalesce(jsonb_agg(to_jsonb(l)), '[]') from named_lists(segment_lists(c.segment_filter), p_depth, p_lists) l));
  end if;
  claimed := claim_unclear(p_campaign, p_lease);
  if claimed is not null then return claimed; end if;
  if c.status = 'sending' then
    select * into room, opens_at
      from campaign_room(p_campaign, c.max_per_minute, c.max_per_hour,
        greatest(1, least(p_limit, p_bytes / (2 * length(c.body_html) + 3000))));
    if opens_at is not null then
      update campaign_sends set due_at = least(opens_at, next_open(p_campaign))
        where workspace_id = p_workspace and campaign_id = p_campaign;
      return null;
    end if;
    batch := uuidv7();
    claimed := claim_recipients(p_campaign, batch, room, p_lease, s.winner, c.max_per_domain);
    if jsonb_array_length(claimed) > 0 then
      perform take_campaign_room(p_campaign, jsonb_array_length(claimed));
      return jsonb_build_object('step', 'send', 'batch_id', batch, 'subject', c.subject, 'subject_b', c.ab_test ->> 'subject_b',
        'body_html', c.body_html, 'recipients', claimed, 'sender', campaign_sender(c.config_id),
        'tracking', (select jsonb_build_object('opens', t.campaign_open_tracking, 'clicks', t.campaign_click_tracking) from crm_settings t
          where t.workspace_id = p_workspace));
    end if;
    if exists (select from campaign_recipients r where r.workspace_id = p_workspace and r.campaign_id = p_campaign and r.batch_id is null
      and r.due_at <= now()) then return '{"step": "again"}'; end if;
    claimed := next_ab_step(s, c.ab_test);
    if claimed is not null then return claimed; end if;
  end if;
  perform rest_campaign(p_campaign);
  return null;
end $$;

-- The lists that a segment names.
create or replace function segment_lists(p_segment jsonb) returns uuid[] immutable language sql
  return array(select (v #>> '{}')::uuid from (
    select jsonb_path_query(p_segment, '$.list_ids[*]') as v union all select jsonb_path_query(p_segment, '$.exclude_list_ids[*]')
    union all select jsonb_path_query(p_segment, '$.filter.** ? (@.field == "list").value')
    union all select jsonb_path_query(p_segment, '$.filter.** ? (@.field == "list").value[*]')) named
    where jsonb_typeof(v) = 'string' and pg_input_is_valid(v #>> '{}', 'uuid'));

-- When the first batch whose outcome is open is looked at.
create or replace function next_open(p_campaign uuid)
  returns timestamptz stable security definer set search_path = public, pg_temp language sql as $$
  select min(r.due_at) from campaign_recipients r
    where r.workspace_id = (select current_workspace()) and r.campaign_id = p_campaign and r.batch_id is not null
$$;

-- Notes when a campaign is due again, and ends a send in which nobody is queued.
create or replace function rest_campaign(p_campaign uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  s campaign_sends;
  state constant text := (select c.status from email_campaigns c where c.workspace_id = w and c.id = p_campaign);
begin
  select * into s from campaign_sends where workspace_id = w and campaign_id = p_campaign for update;
  if state = 'sending' and s.is_resolved and not s.counts ? 'queued' then
    if s.counts ? 'failed' and s.counts -> 'failed' = s.counts -> 'recipients' then
      perform end_campaign(p_campaign, 'failed', 'PROVIDER_ERROR', 'No email could be handed over: the recipients have the reasons');
    else
      perform end_campaign(p_campaign, 'sent');
    end if;
    return;
  end if;
  update campaign_sends
      set due_at = case when state = 'sending' then least(next_open(p_campaign), (select min(r.due_at) from campaign_recipients r
      where r.workspace_id = w and r.campaign_id = p_campaign and r.batch_id is null and r.due_at is not null),
      case when s.winner is null then s.decide_at when ab_waiting(p_campaign) then now() end) else next_open(p_campaign) end
    where workspace_id = w and campaign_id = p_campaign;
end $$;

-- Claims a batch whose outcome is not known: the provider has not answered, or nobody has noted what it did.
create or replace function claim_unclear(p_campaign uuid, p_lease int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  batch uuid;
  claimed jsonb;
begin
  select batch_id into batch from campaign_recipients
    where workspace_id = w and campaign_id = p_campaign and batch_id is not null and due_at <= now()
    order by due_at, id limit 1;
  if batch is null then return null; end if;
  with held as (
    update campaign_recipients r set due_at = now() + make_interval(secs => p_lease), reconciling = true
      where r.workspace_id = w and r.campaign_id = p_campaign and r.batch_id = batch returning r.id, r.attempts, r.created_at
  )
  select jsonb_build_object('step', 'look_up', 'batch_id', batch,
      'recipients', jsonb_agg(jsonb_build_object('id', h.id, 'attempts', h.attempts,
      'created_at', iso(h.created_at)))) into claimed from held h;
  return claimed;
end $$;

-- Claims the next recipients for a batch, with p_winner also of those who wait for the better subject. Those who may no longer be sent to
-- are deleted and counted as skipped; those beyond the limit of their mail domain wait. A session keeps the plans that it made while the
-- tables were small, and such a plan would join each recipient with each contact: so these statements are planned each time.
create or replace function claim_recipients(p_campaign uuid, p_batch uuid, p_limit int, p_lease int, p_winner text, p_per_domain int)
  returns jsonb security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan language plpgsql as $$
declare
  w constant uuid := current_workspace();
  ids uuid[];
  reasons jsonb;
  claimed jsonb;
begin
  ids := array(select r.id from campaign_recipients r
    where r.workspace_id = w and r.campaign_id = p_campaign and r.batch_id is null and r.due_at <= now()
    order by r.due_at, r.id limit p_limit for update skip locked);
  if p_winner is not null then
    ids := ids || array(select r.id from campaign_recipients r
      where r.workspace_id = w and r.campaign_id = p_campaign and r.status = 'queued'
      and r.due_at is null and r.variant is null order by r.id limit p_limit - cardinality(ids) for update skip locked);
  end if;
  with judged as (
    select r.id, case when c.email is distinct from r.email then 'address_changed'
        else campaign_skip_reason(c.archived, r.email, c.email_unsubscribed, s.reason) end as reason
      from campaign_recipients r join contacts c on c.workspace_id = w and c.id = r.contact_id
        left join suppressions s on s.workspace_id = w and s.channel = 'email' and s.address = r.email
      where r.workspace_id = w and r.id = any (ids)
  ), gone as (
    delete from campaign_recipients r using judged j where r.workspace_id = w and r.id = j.id and j.reason is not null returning j.reason
  ) select jsonb_object_agg(g.reason, g.n) || jsonb_build_object('contact_deleted', -sum(g.n)) into reasons
      from (select reason, count(*) as n from gone group by reason) g;
  if reasons is not null then
    update campaign_sends set skipped = add_numbers(skipped, reasons) where workspace_id = w and campaign_id = p_campaign;
  end if;
  if p_per_domain is not null then ids := recipients_of_hour(p_campaign, ids, p_per_domain); end if;
  with held as (
    update campaign_recipients r set batch_id = p_batch, due_at = now() + make_interval(secs => p_lease), attempts = r.attempts + 1,
        variant = coalesce(r.variant, p_winner)
      where r.workspace_id = w and r.id = any (ids) returning r.id, r.email, r.contact_id, r.attempts, r.variant
  )
  select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'email', d.email, 'attempts', d.attempts, 'variant', d.variant,
      'first_name', c.first_name, 'last_name', c.last_name,
      'company_name', (select o.name from companies o where o.workspace_id = w and o.id = c.customer_id)) order by d.id), '[]')
      into claimed from held d join contacts c on c.workspace_id = w and c.id = d.contact_id;
  return claimed;
end $$;

-- Locks a send whose audience is read from p_last on, until the end of the transaction; raises CONFLICT if another worker has moved on with
-- it.
create or replace function lock_campaign_send(p_workspace uuid, p_campaign uuid, p_last uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from campaign_sends s join email_campaigns c on c.workspace_id = s.workspace_id and c.id = s.campaign_id and c.status = 'sending'
    where s.workspace_id = p_workspace and s.campaign_id = p_campaign and not s.is_resolved and s.last_id is not distinct from p_last
    for update of s;
  if not found then perform fail('CONFLICT', 'Another worker has moved on with this campaign', '{"campaign": "moved"}'); end if;
end $$;

-- Adds the contacts p_ids to the recipients, and counts those who are left out. p_next: the last contact that was read; null at the end.
-- Returns p_next. The sample of a test follows from the order of hashes, so that it has nothing to do with when contacts were created.
create or replace function add_recipients(p_campaign uuid, p_ids uuid[], p_next uuid)
  returns uuid security definer set search_path = public, pg_temp set enable_nestloop = off language plpgsql as $$
declare
  w constant uuid := current_workspace();
  percent constant int := (select (c.ab_test ->> 'sample_percent')::int from email_campaigns c
    where c.workspace_id = w and c.id = p_campaign);
  present constant int := (select coalesce((s.counts ->> 'recipients')::int, 0) from campaign_sends s
    where s.workspace_id = w and s.campaign_id = p_campaign);
  reasons jsonb;
begin
  with judged as materialized (
    select c.id, c.email, campaign_skip_reason(c.archived, c.email, c.email_unsubscribed, s.reason) as reason
      from contacts c left join suppressions s on s.workspace_id = w and s.channel = 'email' and s.address = c.email
      where c.workspace_id = w and c.id = any (p_ids)
  ), placed as (
    select f.id, f.email, case when percent is not null then
        sampled_variant(percent, present + row_number() over (order by md5(p_campaign::text || f.id), f.id)) end as variant
      from (select distinct on (j.email) j.id, j.email from judged j where j.reason is null order by j.email, j.id) f
  ), added as (
    insert into campaign_recipients (workspace_id, campaign_id, contact_id, email, variant, due_at)
      select w, p_campaign, p.id, p.email, p.variant, case when percent is null or p.variant is not null then now() end
      from placed p order by p.id on conflict (workspace_id, campaign_id, email) do nothing returning contact_id
  ) select jsonb_object_agg(g.reason, g.n) into reasons from (
      select coalesce(j.reason, 'duplicate_address') as reason, count(*) as n from judged j
        where j.reason is not null or j.id not in (select a.contact_id from added a) group by 1) g;
  update campaign_sends set last_id = p_next, is_resolved = p_next is null, audience_size = audience_size + cardinality(p_ids),
      skipped = add_numbers(skipped, coalesce(reasons, '{}')), due_at = now() where workspace_id = w and campaign_id = p_campaign;
  return p_next;
end $$;

-- Ends a send whose audience cannot be read.
create or replace function fail_campaign(p_workspace uuid, p_campaign uuid, p_code text, p_message text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from email_campaigns where workspace_id = p_workspace and id = p_campaign and status = 'sending' for update;
  if found then perform end_campaign(p_campaign, 'failed', p_code, p_message); end if;
end $$;

/*
  Stores the outcome of a batch. Each of p_outcomes has the id of a recipient, `status` (sent, bounced, failed; queued to send it again
  after `wait` seconds; unclear to ask the provider then), `provider_message_id` and `error`. Only what is still queued and part of the
  batch changes; that an email was sent counts in any case. p_refused: the provider accepted nothing for now, which is no attempt of the
  recipients; after p_most times in a row the campaign is paused.
*/
create or replace function settle_campaign_batch(p_workspace uuid, p_campaign uuid, p_batch uuid, p_outcomes jsonb,
  p_refused text, p_wait int, p_most int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  s campaign_sends;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from campaign_sends where workspace_id = p_workspace and campaign_id = p_campaign for update;
  update campaign_recipients r set status = case when o.status in ('queued', 'unclear') then 'queued' else o.status end,
      batch_id = case when o.status = 'unclear' then r.batch_id end, reconciling = o.status = 'unclear', error = o.error,
      due_at = case when o.status in ('queued', 'unclear') then now() + make_interval(secs => o.wait) end,
      attempts = r.attempts - (p_refused is not null)::int,
      provider_message_id = coalesce(o.provider_message_id, r.provider_message_id), sent_at = case when o.status = 'sent' then now() end,
      bounced_at = case when o.status = 'bounced' then now() end
    from jsonb_to_recordset(p_outcomes) o(id uuid, status text, provider_message_id text, error text, wait int)
    where r.workspace_id = p_workspace and r.id = o.id and r.status = 'queued' and (r.batch_id = p_batch or o.status = 'sent');
  update campaign_sends set failures = case when p_refused is null then 0 else failures + 1 end,
      due_at = case when p_refused is null then due_at else now() + make_interval(secs => p_wait * (1 << least(failures, 5))) end
    where workspace_id = p_workspace and campaign_id = p_campaign returning * into s;
  if s.failures >= p_most and exists (select from email_campaigns c
      where c.workspace_id = p_workspace and c.id = p_campaign and c.status = 'sending') then
    perform end_campaign(p_campaign, 'paused', 'PROVIDER_ERROR', p_refused);
    perform rest_campaign(p_campaign);
  elsif s.is_resolved and not s.counts ? 'queued' then
    perform rest_campaign(p_campaign);
  end if;
end $$;

revoke execute on function campaign_sender from public;
grant execute on function campaign_sender to app;
revoke execute on function waiting_campaigns, end_campaign, next_campaign_step, next_open, rest_campaign, claim_unclear, claim_recipients,
  lock_campaign_send, add_recipients, fail_campaign, settle_campaign_batch from public, app;
grant execute on function waiting_campaigns, next_campaign_step, lock_campaign_send, add_recipients, fail_campaign, settle_campaign_batch
  to jobs;
