-- Transcripts of recordings: what they cost, what the background does for them, and what the provider reports.

/*
  Charges a transcript once. The balance is never negative: what it does not cover remains to be charged, when the next one is requested.
  The reference of each entry names the part that it charges, and is unique.
*/
create or replace function charge_transcript(p_workspace uuid, p_id uuid) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  t transcripts;
  part int;
  rest int;
begin
  select * into t from transcripts where workspace_id = p_workspace and id = p_id for update;
  select least(balance, t.credits - t.credits_charged) into part from credit_accounts where workspace_id = p_workspace for update;
  if coalesce(part, 0) = 0 then return; end if;
  update credit_accounts set balance = balance - part where workspace_id = p_workspace returning balance into rest;
  insert into credit_entries (workspace_id, kind, amount, balance, units, reference, created_at)
    values (p_workspace, 'charge', -part, rest, ceil(t.duration_seconds / 60), format('transcript:%s:%s', p_id, t.credits_charged),
      clock_timestamp());
  update transcripts set credits_charged = credits_charged + part where workspace_id = p_workspace and id = p_id;
end $$;

-- Charges what the workspace of the transaction owes, and requires credits for a minute more.
create or replace function assert_transcript_credits() returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  left_over int;
begin
  perform charge_transcript(w, t.id) from (select id from transcripts where workspace_id = w
    and credits_charged < credits order by id limit 100) t;
  left_over := coalesce((select balance from credit_accounts where workspace_id = w), 0);
  if left_over < notetaker_price() then
    perform fail('INSUFFICIENT_CREDITS', format('A transcript costs %s credits for each minute that has begun, and %s are left',
      notetaker_price(), left_over),
      jsonb_build_object('balance', left_over, 'required', notetaker_price()));
  end if;
end $$;

/*
  Stores what the provider has reported about a recording (p: outcome, reason, duration_seconds, minutes, language, entries, is_truncated,
  text). A transcript is written once: repeated and late reports change nothing. A failure gives way to a result.
*/
create or replace function report_transcript(p_workspace uuid, p_id uuid, p jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  t transcripts;
  new_activity uuid;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  -- A custom field that is required or unknown must not keep an activity from being stored.
  perform set_flag('unchecked_values');
  select * into t from transcripts where workspace_id = p_workspace and id = p_id for update;
  if t.id is null or t.status = 'done' or (t.status = 'failed' and p ->> 'outcome' = 'failed') then return; end if;
  perform set_cause('provider', t.id);
  if p ->> 'outcome' = 'failed' then
    update transcripts set status = 'failed', error = p ->> 'reason', due_at = null where workspace_id = p_workspace and id = p_id;
    return;
  end if;
  if num_nonnulls(t.contact_id, t.opportunity_id) > 0 then
    insert into activities (workspace_id, activity_type, contact_id, deal_id, subject, body, occurred_at, duration_seconds)
      values (p_workspace, 'call', t.contact_id, t.opportunity_id, 'Transcript of a recording', nullif(p ->> 'text', ''), t.created_at,
        round((p ->> 'duration_seconds')::numeric)) returning id into new_activity;
  end if;
  update transcripts set status = 'done', error = null, due_at = null, duration_seconds = (p ->> 'duration_seconds')::numeric,
      credits = (p ->> 'minutes')::int * notetaker_price(), language = coalesce(p ->> 'language', language), entries = p -> 'entries',
      is_truncated = (p ->> 'is_truncated')::boolean, activity_id = new_activity
    where workspace_id = p_workspace and id = p_id;
  perform charge_transcript(p_workspace, p_id);
end $$;

revoke execute on function charge_transcript, assert_transcript_credits, report_transcript from public, app, jobs;
grant execute on function assert_transcript_credits to app, jobs;
grant execute on function report_transcript to jobs;
