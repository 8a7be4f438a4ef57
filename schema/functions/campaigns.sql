/*
  Email campaigns. A send is a row of campaign_sends, which the background works on while due_at is set: it first reads the audience in
  parts and adds the recipients (a row for each address), then hands them to the provider in batches (campaign-jobs.sql). The rows of
  recipients are the truth, and a trigger counts them.
*/

-- Adds numbers by name; what becomes 0 is left out.
create or replace function add_numbers(p_numbers jsonb, p_more jsonb) returns jsonb immutable parallel safe language sql
  return (select coalesce(jsonb_object_agg(k, n) filter (where n <> 0), '{}') from (
    select k, sum(v::int) as n from (select * from jsonb_each_text(p_numbers) union all select * from jsonb_each_text(p_more)) e(k, v)
      group by k) s);

-- What a recipient counts for: as a recipient, for its status, and if the person complained or unsubscribed; and for all of it again with
-- its subject of a test.
create or replace function recipient_marks(r campaign_recipients) returns text[] immutable language sql
  return (select m.marks || array(select r.variant || '_' || mark from unnest(m.marks) mark where r.variant is not null) from (
    select array_remove(array['recipients', r.status, case when r.complained_at is not null then 'complained' end,
      case when r.unsubscribed_at is not null then 'unsubscribed' end], null) as marks) m);

/*
  Adds to the counts of a send. A recipient who is deleted after the audience was read was deleted with the contact, and counts as skipped
  instead; one who is added after it came back with the contact.
*/
create or replace function add_recipient_counts(p_campaign uuid, p_counts jsonb) returns void language sql as $$
  update campaign_sends s set counts = add_numbers(s.counts, p_counts), skipped = case when s.is_resolved and p_counts ? 'recipients'
      then add_numbers(s.skipped, jsonb_build_object('contact_deleted', -(p_counts ->> 'recipients')::int)) else s.skipped end
    where s.workspace_id = (select current_workspace()) and s.campaign_id = p_campaign
$$;

create or replace function count_recipients() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_recipient_counts(m.campaign_id, jsonb_object_agg(m.mark, m.n)) from (
      select r.campaign_id, e.mark, count(*) as n from new_rows r, unnest(recipient_marks(r)) e(mark) group by 1, 2) m
        group by m.campaign_id;
  elsif tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
    perform add_recipient_counts(m.campaign_id, jsonb_object_agg(m.mark, -m.n)) from (
      select r.campaign_id, e.mark, count(*) as n from old_rows r, unnest(recipient_marks(r)) e(mark) group by 1, 2) m
        group by m.campaign_id;
  else
    perform add_recipient_counts(m.campaign_id, jsonb_object_agg(m.mark, m.n)) from (
      select e.campaign_id, e.mark, sum(e.n) as n from (
        select r.campaign_id, unnest(recipient_marks(r)) as mark, 1 as n from new_rows r
        union all select r.campaign_id, unnest(recipient_marks(r)), -1 from old_rows r) e group by 1, 2 having sum(e.n) <> 0) m
        group by m.campaign_id;
  end if;
  return null;
end $$;
create or replace trigger settle_counts_insert after insert on campaign_recipients referencing new table as new_rows
  for each statement execute function count_recipients();
create or replace trigger settle_counts_update after update on campaign_recipients referencing old table as old_rows new table as new_rows
  for each statement execute function count_recipients();
create or replace trigger settle_counts_delete after delete on campaign_recipients referencing old table as old_rows
  for each statement execute function count_recipients();

/*
  Recipients who come back with their contact after the send has ended get nothing more, and are left out as before. Those who were about to
  be sent to are looked up at the provider.
*/
create or replace function settle_restored_recipients()
  returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  delete from campaign_recipients r using restored n, email_campaigns c
    where n.status = 'queued' and n.batch_id is null and r.workspace_id = n.workspace_id and r.id = n.id
      and c.workspace_id = n.workspace_id and c.id = n.campaign_id and c.status in ('sent', 'failed');
  update campaign_sends s set due_at = now() from restored n
    where n.batch_id is not null and s.workspace_id = n.workspace_id and s.campaign_id = n.campaign_id and s.due_at is null;
  return null;
end $$;
create or replace trigger settle_restored after insert on campaign_recipients referencing new table as restored for each statement
  when (merge_in_progress()) execute function settle_restored_recipients();

-- Counts who followed the links of clicks that were added or deleted. Links are locked in order, because contacts who are deleted together
-- may have followed the same ones.
create or replace function count_clicks() returns trigger language plpgsql as $$
declare
  w constant uuid := current_workspace();
begin
  perform from campaign_links where workspace_id = w and id = any (array(select link_id from clicked)) order by id for update;
  if tg_op = 'INSERT' then
    update campaign_links l set recipients = l.recipients + c.n, first_clicked_at = least(l.first_clicked_at, c.first_at),
      last_clicked_at = greatest(l.last_clicked_at, c.last_at)
      from (select link_id, count(*) as n, min(clicked_at) as first_at, max(clicked_at) as last_at from clicked group by 1) c
      where l.workspace_id = w and l.id = c.link_id;
  else
    update campaign_links l set recipients = l.recipients - c.n,
        first_clicked_at = (select min(k.clicked_at) from campaign_clicks k where k.workspace_id = w and k.link_id = l.id),
        last_clicked_at = (select max(k.clicked_at) from campaign_clicks k where k.workspace_id = w and k.link_id = l.id)
      from (select link_id, count(*) as n from clicked group by 1) c where l.workspace_id = w and l.id = c.link_id;
  end if;
  return null;
end $$;
create or replace trigger settle_clicks_insert after insert on campaign_clicks referencing new table as clicked for each statement
  execute function count_clicks();
create or replace trigger settle_clicks_delete after delete on campaign_clicks referencing old table as clicked for each statement
  execute function count_clicks();

-- Why a contact gets no email of a campaign; null if it does. p_suppression is the reason for which the address is on the suppression list.
create or replace function campaign_skip_reason(p_archived boolean, p_email text, p_unsubscribed boolean, p_suppression text)
  returns text immutable parallel safe language sql
  return case when p_archived then 'archived' when coalesce(p_email, '') = '' then 'no_address'
    when p_unsubscribed or p_suppression = 'unsubscribed' then 'unsubscribed'
      when p_suppression in ('hard_bounce', 'complaint') then p_suppression
    when p_suppression is not null then 'suppressed' end;

-- Blocks an address. A complaint counts for more than a bounce, and both for more than what the recipient, or a member, can take back.
create or replace function suppress_address(p_workspace uuid, p_email text, p_reason text, p_note text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into suppressions (workspace_id, channel, address, reason, note) values (p_workspace, 'email', p_email, p_reason, p_note)
    on conflict (workspace_id, channel, address) do update set reason = excluded.reason, note = excluded.note
    where array_position('{manual,unsubscribed,hard_bounce,complaint}', excluded.reason)
      > array_position('{manual,unsubscribed,hard_bounce,complaint}', suppressions.reason)
$$;

-- Notes who asked for no more email, or whose address bounced, and the campaign that led to it: once for each address, campaign and reason.
-- Whoever calls it has just suppressed the address, which keeps others from noting it at the same time.
create or replace function note_unsubscribe(p_workspace uuid, p_email text, p_contact uuid, p_campaign uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into unsubscribes (workspace_id, email, contact_id, campaign_id, reason)
    select p_workspace, p_email, p_contact, p_campaign, p_reason where not exists (select from unsubscribes u
      where u.workspace_id = p_workspace and u.email = p_email and u.campaign_id is not distinct from p_campaign and u.reason = p_reason)
    on conflict (workspace_id, email, campaign_id, reason) do nothing
$$;

-- The address of a recipient of a campaign or of a message that went with a deleted contact; null once that can no longer be restored.
create or replace function former_address(p_workspace uuid, p_id uuid) returns text
  stable security definer set search_path = public, pg_temp language sql as $$
  select case d.table_name when 'campaign_recipients' then d.before ->> 'email'
      when 'messages' then case d.before ->> 'channel' when 'email' then d.before ->> 'recipient' end end
    from deleted_rows d where d.workspace_id = p_workspace and d.row_id = p_id and d.action = 'deleted' order by d.id desc limit 1
$$;

-- The address of a recipient, and whether it gets email; no row for one who is unknown, or whose contact was deleted for good.
create or replace function subscription_of(p_recipient uuid) returns table (email text, subscribed boolean)
  stable security definer set search_path = public, pg_temp language sql as $$
  select r.email, not exists (select from contacts c where c.workspace_id = w and c.email = r.email and c.email_unsubscribed)
      and not exists (select from suppressions s where s.workspace_id = w and s.channel = 'email' and s.address = r.email)
    from current_workspace() w, lateral (select coalesce((select k.email from campaign_recipients k
      where k.workspace_id = w and k.id = p_recipient), former_address(w, p_recipient)) as email) r where r.email is not null
$$;

-- The recipient asks for no more email (link_click, unsubscribe_header), or with null for email again. A bounce and a complaint stay in
-- force.
create or replace function change_subscription(p_recipient uuid, p_reason text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  r campaign_recipients;
begin
  select * into r from campaign_recipients where workspace_id = w and id = p_recipient;
  r.email := coalesce(r.email, former_address(w, p_recipient));
  if r.email is null then return; end if;
  -- The send before its recipients, as in every other transaction that changes both.
  perform from campaign_sends where workspace_id = w and campaign_id = r.campaign_id for update;
  -- A custom field that is required or unknown must not keep anybody from unsubscribing.
  perform set_flag('unchecked_values');
  update contacts c set email_unsubscribed = p_reason is not null
    where c.workspace_id = w and c.email = r.email and c.email_unsubscribed <> (p_reason is not null);
  if p_reason is null then
    delete from suppressions where workspace_id = w and channel = 'email' and address = r.email and reason in ('unsubscribed', 'manual');
    return;
  end if;
  perform suppress_address(w, r.email, 'unsubscribed', null);
  perform note_unsubscribe(w, r.email, r.contact_id, r.campaign_id, p_reason);
  update campaign_recipients set unsubscribed_at = now() where workspace_id = w and id = r.id and unsubscribed_at is null;
end $$;

revoke execute on function settle_restored_recipients, suppress_address, note_unsubscribe, former_address, subscription_of,
  change_subscription from public;
grant execute on function subscription_of, change_subscription to app;
