/*
  Drafts of emails, and those that are sent at a time. The background composes a scheduled one when its time has come, in the name of the
  member who scheduled it; the message, its place in a thread and the end of the draft are one transaction, so that it is sent once,
  whatever is repeated. The queue of messages then hands it to the provider.
*/

-- Begins a transaction for a scheduled email whose time has come, in the name of the member who scheduled it. Returns the draft and whether
-- that is still a member; null if there is nothing to send.
create or replace function load_email_draft(p_workspace uuid, p_draft uuid)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d email_drafts;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  select * into d from email_drafts where workspace_id = p_workspace and id = p_draft and status = 'scheduled' and send_at <= now();
  if d.id is null then return null; end if;
  perform set_config('app.user_id', coalesce(d.scheduled_by::text, ''), true);
  return to_jsonb(d) || jsonb_build_object('is_member',
    exists (select from memberships m where m.workspace_id = p_workspace and m.user_id = d.scheduled_by and m.status = 'active'));
end $$;

-- Reserves the message of a scheduled email and ends its draft, unless somebody has changed it or another worker was first. p_email: as
-- reserve_email.
create or replace function send_email_draft(p_workspace uuid, p_draft uuid, p_version int, p_email jsonb,
  p_max_links int, p_max_participants int)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if load_email_draft(p_workspace, p_draft) is null then return false; end if;
  perform from email_drafts where workspace_id = p_workspace and id = p_draft and status = 'scheduled' and version = p_version for update;
  if not found then return false; end if;
  perform reserve_email(p_email, null, p_max_links, p_max_participants);
  perform end_email_draft(p_draft, (p_email #>> '{message,id}')::uuid);
  return true;
end $$;

-- Notes the message as which a draft is sent.
create or replace function end_email_draft(p_draft uuid, p_message uuid)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update email_drafts set status = 'sent', message_id = p_message, error = null
    where workspace_id = (select current_workspace()) and id = p_draft
$$;

-- Notes why a scheduled email could not be sent.
create or replace function fail_email_draft(p_workspace uuid, p_draft uuid, p_code text, p_message text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if load_email_draft(p_workspace, p_draft) is null then return; end if;
  update email_drafts set status = 'failed', error = jsonb_build_object('code', p_code, 'message', p_message)
    where workspace_id = p_workspace and id = p_draft and status = 'scheduled';
end $$;

-- A draft whose email the provider has refused can be sent again.
create or replace function fail_sent_draft() returns trigger language plpgsql as $$
begin
  update email_drafts set status = 'failed', error = jsonb_build_object('code', 'PROVIDER_ERROR', 'message', coalesce(new.error, ''))
    where workspace_id = new.workspace_id and message_id = new.id and status = 'sent';
  return null;
end $$;
create or replace trigger fail_sent_draft after update of status on messages for each row
  when (new.status = 'failed' and old.status <> 'failed' and new.purpose in ('email', 'reply')) execute function fail_sent_draft();

-- An email whose time has passed while it was deleted is not sent late: it comes back as a draft.
create or replace function keep_draft_unsent() returns trigger language plpgsql as $$
begin
  new.status := 'draft';
  new.send_at := null;
  return new;
end $$;
create or replace trigger keep_draft_unsent before insert on email_drafts for each row
  when (new.status = 'scheduled' and new.send_at <= now()) execute function keep_draft_unsent();

-- The draft of an email from a mailbox, or of a reply to a conversation in one, is for the member who writes it.
create or replace function keep_draft_private() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  new.private_to := case when new.mode = 'personal'
    or exists (select from email_threads t where t.workspace_id = new.workspace_id and t.id = new.thread_id
    and t.private_to is not null) then coalesce(new.created_by, new.sender_user_id) end;
  if new.private_to is not null and new.private_to is distinct from current_person()
    and nullif(current_setting('app.authority', true), '') is not null and not merge_in_progress()
    and not coalesce(names_personal_scope(to_jsonb(current_authority()), 'personal-email:send'), true) then
    perform fail('FORBIDDEN', 'Only the member writes emails from this mailbox, with a key of their own',
      jsonb_build_object('sender_user_id', new.sender_user_id));
  end if;
  return new;
end $$;
create or replace trigger keep_draft_private before insert or update of mode, sender_user_id on email_drafts for each row
  execute function keep_draft_private();
revoke execute on function keep_draft_private from public;

revoke execute on function load_email_draft, send_email_draft, end_email_draft, fail_email_draft from public, app;
grant execute on function end_email_draft to app;
grant execute on function load_email_draft, send_email_draft, fail_email_draft to jobs;
