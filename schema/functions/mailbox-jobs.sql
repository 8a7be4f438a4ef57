/*
  Reading mailboxes. A claim gives one worker a lease; every later step requires the claim. `due_at` is the end of the lease meanwhile, so a report that comes during a reading
  changes it, and the mailbox is read again afterwards.
*/

-- At most p_limit workspaces with mailboxes that are due, or that are being ended.
create or replace function waiting_mailboxes(p_limit int) returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id from (select workspace_id from mailboxes where due_at <= now() order by due_at limit 1000) due group by workspace_id limit p_limit
$$;

-- The mailboxes of a workspace that are due, longest first.
create or replace function due_mailboxes(p_workspace uuid, p_limit int) returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(id order by due_at, id), '[]') from (select id, due_at from mailboxes where workspace_id = p_workspace and due_at <= now() and status = 'connected'
    order by due_at, id limit p_limit) due
$$;

-- Claims a mailbox that is due for p_lease seconds (Claimed, src/services/mailboxes/sync.ts); null if it is not due, or another worker has it.
create or replace function claim_mailbox(p_workspace uuid, p_id uuid, p_claim uuid, p_lease int) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m mailboxes;
begin
  select * into m from mailboxes where workspace_id = p_workspace and id = p_id and due_at <= now() and status = 'connected' and (claimed_until is null or claimed_until <= now())
    for update skip locked;
  if m.id is null then return null; end if;
  update mailboxes set claim_id = p_claim, claimed_until = now() + make_interval(secs => p_lease), due_at = now() + make_interval(secs => p_lease), attempts = attempts + 1
    where workspace_id = p_workspace and id = p_id;
  return jsonb_build_object('mailbox_id', m.id, 'user_id', m.user_id, 'provider', m.provider, 'cursor', m.cursor, 'synced_at', iso(m.synced_at), 'attempts', m.attempts + 1,
    'is_watch_due', coalesce(m.watch_due_at <= now(), true), 'now', iso(now()));
end $$;

-- Returns the ids of the emails (id, internet_id, correspondents) that are from or to a contact, not yet stored in the member's mailbox, and not sent by this service.
create or replace function wanted_emails(p_workspace uuid, p_user uuid, p_emails jsonb) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
begin
  -- The index of further addresses is that of the current workspace.
  perform set_config('app.workspace_id', p_workspace::text, true);
  return (select coalesce(jsonb_agg(e.id order by e.id), '[]') from jsonb_to_recordset(p_emails) e(id text, internet_id text, correspondents text[])
    where not exists (select from email_messages m where m.workspace_id = p_workspace and m.internet_id = e.internet_id and m.private_to = p_user)
      and not exists (select from messages m where m.workspace_id = p_workspace and m.provider = 'gmail' and m.provider_message_id = e.id and m.sender_user_id = p_user)
      and exists (select from unnest(e.correspondents) a(email) where exists (select from contacts c where c.workspace_id = p_workspace and c.email = a.email)
        or cardinality(contacts_by_alternate(a.email)) > 0));
end $$;

-- Adds an email to the conversations of a mailbox (see add_outside_email), while the claim holds.
create or replace function receive_mailbox_email(p_workspace uuid, p_mailbox uuid, p_claim uuid, p jsonb, p_max_links int, p_max_participants int, p_max_contacts int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  member uuid;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  select user_id into member from mailboxes where workspace_id = p_workspace and id = p_mailbox and claim_id = p_claim and status = 'connected' for no key update;
  if member is null then return false; end if;
  return add_outside_email(p_workspace, member, p, p_max_links, p_max_participants, p_max_contacts);
end $$;

/*
  Stores how far a mailbox was read. p_next: goes_on extends the claim, and the result is whether it holds; otherwise it ends, and the result is whether the mailbox is due again
  at once, because there is more to read (more) or a change was reported meanwhile (done).
*/
create or replace function finish_mailbox_sync(p_workspace uuid, p_id uuid, p_claim uuid, p_cursor text, p_read_at timestamptz, p_next text, p_lease int) returns boolean
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  m mailboxes;
  is_same boolean;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  select * into m from mailboxes where workspace_id = p_workspace and id = p_id and claim_id = p_claim and status = 'connected' for update;
  if m.id is null then return false; end if;
  is_same := m.due_at is not distinct from m.claimed_until and p_next <> 'more';
  if p_next = 'goes_on' then
    update mailboxes set cursor = p_cursor, claimed_until = now() + make_interval(secs => p_lease),
        due_at = case when is_same then now() + make_interval(secs => p_lease) else due_at end where workspace_id = p_workspace and id = p_id;
    return true;
  end if;
  update mailboxes set cursor = p_cursor, synced_at = p_read_at, sync_error = null, attempts = 0, claim_id = null, claimed_until = null,
      due_at = case when is_same then now() + mail_catch_up() else now() end where workspace_id = p_workspace and id = p_id;
  return not is_same;
end $$;

-- Ends a claim without a reading: after a failure it is tried again in p_wait seconds.
create or replace function release_mailbox(p_workspace uuid, p_id uuid, p_claim uuid, p_error text, p_wait int) returns void security definer set search_path = public, pg_temp language sql as $$
  update mailboxes set sync_error = p_error, claim_id = null, claimed_until = null,
      due_at = case when status <> 'connected' or due_at is distinct from claimed_until then due_at else now() + make_interval(secs => p_wait) end
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Notes until when the provider reports changes, which is renewed a day before, or without p_until that it could not be asked.
create or replace function note_mailbox_watch(p_workspace uuid, p_id uuid, p_claim uuid, p_until timestamptz) returns void security definer set search_path = public, pg_temp language sql as $$
  update mailboxes set watch_expires_at = coalesce(p_until, watch_expires_at),
      watch_due_at = case when p_until is null then now() + interval '1 hour' else greatest(p_until - interval '1 day', now() + (p_until - now()) / 2) end
    where workspace_id = p_workspace and id = p_id and claim_id = p_claim
$$;

-- Has the mailboxes of an account read now, because the provider has reported a change. Returns them.
create or replace function notify_mailboxes(p_provider text, p_email text, p_limit int) returns jsonb security definer set search_path = public, pg_temp language sql as $$
  with notified as (
    update mailboxes set due_at = now() where (workspace_id, id) in (select workspace_id, id from mailboxes
      where provider = p_provider and account_email = p_email and status = 'connected' order by workspace_id, id limit p_limit)
    returning workspace_id, id
  ) select coalesce(jsonb_agg(jsonb_build_object('workspace_id', workspace_id, 'mailbox_id', id)), '[]') from notified
$$;

revoke execute on function waiting_mailboxes, due_mailboxes, claim_mailbox, wanted_emails, receive_mailbox_email, finish_mailbox_sync, release_mailbox, note_mailbox_watch, notify_mailboxes
  from public, app;
grant execute on function waiting_mailboxes, due_mailboxes, claim_mailbox, wanted_emails, receive_mailbox_email, finish_mailbox_sync, release_mailbox, note_mailbox_watch, notify_mailboxes
  to jobs;
