/*
  Stores a message that its queue could not process. One that fails again while its dead letter is open changes that one. Without an error
  it comes from the dead-letter queue, and its attempts have been counted if the last one could be stored. p_type: null for a malformed
  message. Returns whether it is stored: not in a workspace that does not exist, or that has p_most of the last 24 hours.
*/
create or replace function record_dead_letter(p_workspace uuid, p_queue text, p_type text, p_message jsonb, p_attempts int, p_error text,
  p_most int)
  returns boolean security definer set search_path = public, pg_temp language sql as $$
  with stored as (
    insert into dead_letters (workspace_id, queue, type, message, attempts, last_error)
    select w.id, p_queue, p_type, p_message, p_attempts, p_error from workspaces w
      where w.id = p_workspace
      and (exists (select from dead_letters where workspace_id = p_workspace and queue = p_queue and message = p_message
        and status = 'open') or p_most > (select count(*) from (select from dead_letters where workspace_id = p_workspace
        and created_at > now() - interval '24 hours' limit p_most) recent))
    on conflict (workspace_id, queue, message) where status = 'open' do update set last_failed_at = now(),
      attempts = dead_letters.attempts + case when p_error is null then 0 else excluded.attempts end,
      last_error = coalesce(excluded.last_error, dead_letters.last_error)
    returning 1)
  select exists (select from stored)
$$;

-- Replays the dead letters of these ids. The event of each has its message handed to its queue.
create or replace function replay_dead_letters(p_ids uuid[])
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  letter dead_letters;
begin
  for letter in select * from dead_letters where workspace_id = (select current_workspace()) and id = any (p_ids)
      order by id for update loop
    update dead_letters set status = 'replayed', replayed_at = now() where workspace_id = letter.workspace_id and id = letter.id;
    perform reopen_work(letter.type, letter.message);
    perform emit('dead_letter.replayed', 'dead_letter', letter.id, jsonb_build_object('queue', letter.queue, 'message', letter.message));
  end loop;
end $$;

-- Takes back that work has failed because its message did. Work that has ended in another way, or was begun again since, stays as it is.
create or replace function reopen_work(p_type text, p_message jsonb) returns void language plpgsql as $$
declare
  w constant uuid := current_workspace();
  -- Messages of the previous release had a name of their own for the item.
  item constant text := coalesce(p_message ->> 'item_id', p_message ->> 'approval_id', p_message ->> 'import_id',
    p_message ->> 'request_id', p_message ->> 'inbound_email_id', p_message ->> 'email_draft_id', p_message ->> 'schedule_run_id');
begin
  case p_type
    when 'approval.run' then
      update approvals set status = 'approved', response_status = null, response_body = null
        where workspace_id = w and id = item::uuid and status = 'failed' and executed_at is null
          and response_body -> 'error' ->> 'code' = 'UNAVAILABLE';
    when 'import.run' then
      update imports i set state = state_after('import', f.phase, i.state), reason = null, finished_at = null from import_files f
        where i.workspace_id = w and i.id = item::uuid and i.reason is not null and f.workspace_id = w and f.import_id = i.id
          and state_after('import', f.phase, i.state) is not null;
    when 'incoming.run' then
      update incoming_requests set state = 'received', error_code = null, error_message = null, ended_at = null
        where workspace_id = w and id = item::uuid and state = 'failed' and error_code = 'UNAVAILABLE' and payload is not null;
    when 'email.receive' then
      update inbound_emails set state = 'received', error = null, ended_at = null
        where workspace_id = w and id = item::uuid and state = 'failed';
    when 'email.scheduled' then
      update email_drafts set status = 'scheduled', error = null
        where workspace_id = w and id = item::uuid and status = 'failed' and error ->> 'code' = 'UNAVAILABLE';
    when 'schedule.run' then
      update schedule_runs set status = null, error = null, ended_at = null, touched_at = now()
        where workspace_id = w and id = item::uuid and error ->> 'code' = 'INTERNAL';
    when 'records.delete', 'records.restore' then perform reopen_job(item::uuid);
    else null;
  end case;
end $$;

revoke execute on function record_dead_letter, replay_dead_letters, reopen_work from public, app;
grant execute on function record_dead_letter to jobs;
grant execute on function replay_dead_letters to app;
