/*
  Reading mailboxes (src/features/mailboxes/work/read-mailboxes.ts). A report that comes during a reading sets due_at, so the mailbox is
  read again afterwards.
*/

-- Mailboxes that a worker has claimed (ClaimedMailbox, src/features/mailboxes/plans/sync.ts).
create or replace function read_mailboxes(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select m.id, jsonb_build_object('mailbox_id', m.id, 'user_id', m.user_id, 'provider', m.provider, 'cursor', m.cursor,
      'synced_at', iso(m.synced_at), 'is_watch_due', coalesce(m.watch_due_at <= now(), true), 'now', iso(now()))
    from mailboxes m where m.workspace_id = p_workspace and m.id = any (p_ids)
$$;

-- Returns the ids of the emails (id, internet_id, correspondents) that are from or to a contact, not yet stored in the member's mailbox,
-- and not sent by this service.
create or replace function wanted_emails(p_workspace uuid, p_user uuid, p_emails jsonb)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
begin
  -- The index of further addresses is that of the current workspace.
  perform set_config('app.workspace_id', p_workspace::text, true);
  return (select coalesce(jsonb_agg(e.id order by e.id), '[]')
    from jsonb_to_recordset(p_emails) e(id text, internet_id text, correspondents text[])
    where not exists (select from email_messages m
      where m.workspace_id = p_workspace and m.internet_id = e.internet_id and m.private_to = p_user)
      and not exists (select from messages m
        where m.workspace_id = p_workspace and m.provider = 'gmail' and m.provider_message_id = e.id and m.sender_user_id = p_user)
      and exists (select from unnest(e.correspondents) a(email)
        where exists (select from contacts c where c.workspace_id = p_workspace and c.email = a.email)
        or cardinality(contacts_by_alternate(a.email)) > 0));
end $$;

-- Adds an email to the conversations of a mailbox (see add_outside_email), while the claim holds.
create or replace function receive_mailbox_email(p_workspace uuid, p_mailbox uuid, p_claim uuid, p jsonb, p_max_links int,
  p_max_participants int, p_max_contacts int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  member uuid;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  select user_id into member from mailboxes
    where workspace_id = p_workspace and id = p_mailbox and claim_id = p_claim and status = 'connected' for no key update;
  if member is null then return false; end if;
  return add_outside_email(p_workspace, member, p, p_max_links, p_max_participants, p_max_contacts);
end $$;

-- Notes until when the provider reports changes, which is renewed a day before, or without p_until that it could not be asked.
create or replace function note_mailbox_watch(p_workspace uuid, p_id uuid, p_claim uuid, p_until timestamptz)
  returns void security definer set search_path = public, pg_temp language sql as $$
  update mailboxes set watch_expires_at = coalesce(p_until, watch_expires_at),
      watch_due_at = case when p_until is null then now() + interval '1 hour'
        else greatest(p_until - interval '1 day', now() + (p_until - now()) / 2) end
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Has the mailboxes of an account read now, because the provider has reported a change. Returns them.
create or replace function notify_mailboxes(p_provider text, p_email text, p_limit int)
  returns jsonb security definer set search_path = public, pg_temp language sql as $$
  with notified as (
    update mailboxes set due_at = now() where (workspace_id, id) in (select workspace_id, id from mailboxes
      where provider = p_provider and account_email = p_email and status = 'connected' order by workspace_id, id limit p_limit)
    returning workspace_id, id
  ) select coalesce(jsonb_agg(jsonb_build_object('workspace_id', workspace_id, 'mailbox_id', id)), '[]') from notified
$$;

revoke execute on function read_mailboxes, wanted_emails, receive_mailbox_email, note_mailbox_watch, notify_mailboxes
  from public, app, jobs;
grant execute on function wanted_emails, receive_mailbox_email, note_mailbox_watch, notify_mailboxes to jobs;
