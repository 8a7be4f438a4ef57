/*
  What the background does for notetakers (src/features/notetakers/work/run-notetakers.ts). Claiming one notes that a bot is being requested
  before it is: what a crash leaves is looked up at the provider by its metadata, and never requested blindly again.
*/

-- Notetakers that a worker has claimed (ClaimedNotetaker in src/features/notetakers/rules/decisions.ts). `is_new`: no bot was requested for
-- it yet.
create or replace function read_notetakers(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) language plpgsql as $$
declare
  fresh constant uuid[] := array(select n.id from notetakers n where n.workspace_id = p_workspace and n.id = any (p_ids)
    and n.state = 'requested' and n.bot_id is null and n.bot_requested_at is null);
begin
  update notetakers n set bot_requested_at = now() where n.workspace_id = p_workspace and n.id = any (fresh);
  return query select n.id, jsonb_build_object('id', n.id, 'state', n.state, 'is_new', n.id = any (fresh), 'meeting_url', n.meeting_url,
      'join_at', iso(n.join_at), 'ends_at', iso(n.ends_at), 'limit_minutes', n.limit_minutes,
        'stop_requested', n.stop_requested_at is not null,
      'bot_id', n.bot_id, 'bot_join_at', iso(n.bot_join_at), 'bot_meeting_url', n.bot_meeting_url,
        'bot_requested_at', iso(n.bot_requested_at),
      'is_bot_gone', n.is_bot_gone, 'attempts', n.attempts, 'transcript_status', n.transcript_status,
      'recording_ended_at', iso(n.recording_ended_at))
    from notetakers n where n.workspace_id = p_workspace and n.id = any (p_ids);
end $$;

/*
  Stores what a worker has done for a notetaker (Outcome in src/features/notetakers/rules/decisions.ts). What it has concluded counts only
  if nobody has changed the notetaker meanwhile. A recording that has ended is charged, and a transcript written, in the same transaction.
*/
create or replace function conclude_notetaker(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb) returns int language plpgsql as $$
declare
  n notetakers;
begin
  select * into n from notetakers where workspace_id = p_workspace and id = p_id;
  n := jsonb_populate_record(n, p -> 'bot');
  if p_is_same then
    n := jsonb_populate_record(n, coalesce(p -> 'recorded', '{}'));
    n.state := coalesce(state_after('notetaker', p ->> 'transition', n.state), n.state);
    n.error := p ->> 'error';
    if p ? 'transcript' then
      n.transcript_status := write_transcript(n, p -> 'transcript');
    end if;
  end if;
  update notetakers set bot_id = n.bot_id, bot_join_at = n.bot_join_at, bot_meeting_url = n.bot_meeting_url,
      bot_requested_at = n.bot_requested_at,
      is_bot_gone = n.is_bot_gone, recording_started_at = n.recording_started_at, recording_ended_at = n.recording_ended_at,
      recorded_minutes = n.recorded_minutes, credits = n.recorded_minutes * notetaker_price(), transcript_status = n.transcript_status,
      state = n.state, error = n.error
    where workspace_id = p_workspace and id = p_id;
  if p ? 'replace' and p_is_same then
    perform insert_notetaker(b, uuidv7()) from bookings b
      where b.workspace_id = p_workspace and b.id = n.booking_id and b.status <> 'cancelled';
  end if;
  perform charge_recording(p_workspace, p_id) where n.recorded_minutes > 0;
  return null;
end $$;

-- Adds the transcript to the timelines of the booking's opportunity and contact, as one activity. Returns the status of the transcript.
create or replace function write_transcript(n notetakers, p_transcript jsonb)
  returns text security definer set search_path = public, pg_temp language plpgsql as $$
declare
  b bookings := (select b from bookings b where b.workspace_id = n.workspace_id and b.id = n.booking_id);
  new_activity uuid;
begin
  if n.transcript_status <> 'pending' then return n.transcript_status; end if;
  if b.id is null or num_nonnulls(b.contact_id, b.deal_id) = 0 then return 'none'; end if;
  insert into activities (workspace_id, activity_type, contact_id, deal_id, subject, body, occurred_at, duration_seconds)
    select n.workspace_id, 'meeting', b.contact_id, b.deal_id,
        'Transcript: ' || t.name, nullif(p_transcript ->> 'text', ''), n.recording_started_at,
        extract(epoch from n.recording_ended_at - n.recording_started_at)::int
      from scheduled_event_types t where t.workspace_id = n.workspace_id and t.id = b.event_type_id
    returning id into new_activity;
  insert into booking_transcripts (workspace_id, notetaker_id, activity_id, contact_id, entries, is_truncated)
    values (n.workspace_id, n.id, new_activity, b.contact_id, p_transcript -> 'entries', (p_transcript ->> 'is_truncated')::boolean);
  return 'written';
end $$;

-- Wakes a notetaker because the provider has reported something about its bot, once for each report. Returns whether the report was new.
create or replace function wake_notetaker(p_workspace uuid, p_id uuid, p_webhook text)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update notetakers set webhook_ids = (array[p_webhook] || webhook_ids)[1:50], due_at = now()
    where workspace_id = p_workspace and id = p_id and not p_webhook = any (webhook_ids)
      and (due_at is not null or state not in ('done', 'failed', 'cancelled'));
  return found;
end $$;

revoke execute on function read_notetakers, conclude_notetaker, write_transcript, wake_notetaker from public, app, jobs;
grant execute on function wake_notetaker to jobs;
