/*
  What the email provider reports about messages: recipients of campaigns (recipient_id) and messages of the send ledger (message_id).
  Reports come in any order and repeatedly, so a status only rises, and every other effect happens once.
*/

/*
  Records reports about messages of a workspace. Each of p_events has kind, recipient_id or message_id, address, provider_message_id, at,
  note, and the status that it makes of a recipient, and the url of a link that was followed. p_ranks has the rank of each status. Of a
  campaign p_links links are recorded. A message of the ledger may have copies: a report about one of those is about its address. What was
  sent to a contact who was deleted blocks the address, too: the contact may be restored, or imported again.
*/
create or replace function record_email_events(p_workspace uuid, p_events jsonb, p_ranks jsonb, p_links int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  ids uuid[];
  e record;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  -- A custom field that is required or unknown must not keep a report from being stored.
  perform set_flag('unchecked_values');
  -- The sends before their recipients, as in every other transaction that changes both.
  ids := array(select (r ->> 'recipient_id')::uuid from jsonb_array_elements(p_events) r);
  perform from campaign_sends where workspace_id = p_workspace and campaign_id = any (array(
    select r.campaign_id from campaign_recipients r where r.workspace_id = p_workspace and r.id = any (ids)))
      order by campaign_id for update;
  perform from campaign_recipients where workspace_id = p_workspace and id = any (ids) order by id for update;
  for e in
    select distinct on (x.kind, a.email, r.campaign_id) x.kind, x.note, a.email, r.campaign_id,
        coalesce(r.contact_id, case when a.email = m.recipient then m.contact_id end) as contact_id
      from jsonb_to_recordset(p_events) x(kind text, recipient_id uuid, message_id uuid, address text, note text)
        left join campaign_recipients r on r.workspace_id = p_workspace and r.id = x.recipient_id
        left join messages m on m.workspace_id = p_workspace and m.id = x.message_id and m.channel = 'email'
        cross join lateral (select coalesce(r.email, case when x.address = any (m.cc || m.bcc) then x.address else m.recipient end,
          former_address(p_workspace, coalesce(x.recipient_id, x.message_id))) as email) a
      where x.kind in ('blocked', 'complained', 'unsubscribed') and a.email is not null
      order by x.kind, a.email, r.campaign_id
  loop
    perform block_address(p_workspace, e.kind, e.email, e.contact_id, e.campaign_id, e.note);
  end loop;
  update campaign_recipients r set
      status = case when (p_ranks ->> x.status)::int > (p_ranks ->> r.status)::int then x.status else r.status end,
      batch_id = null, reconciling = false, due_at = null, provider_message_id = coalesce(r.provider_message_id, x.provider_message_id),
      sent_at = coalesce(r.sent_at, x.first_at), delivered_at = least(r.delivered_at, x.delivered_at),
        opened_at = least(r.opened_at, x.opened_at),
      clicked_at = least(r.clicked_at, x.clicked_at), bounced_at = least(r.bounced_at, x.bounced_at),
      complained_at = least(r.complained_at, x.complained_at), unsubscribed_at = least(r.unsubscribed_at, x.unsubscribed_at),
      error = case when x.bounced_at is not null then coalesce(x.note, r.error) else r.error end
    from (
      select y.recipient_id, (array_agg(y.status order by (p_ranks ->> y.status)::int desc))[1] as status,
          min(y.provider_message_id) as provider_message_id,
          min(y.at) as first_at, min(y.at) filter (where y.kind = 'delivered') as delivered_at,
            min(y.at) filter (where y.kind = 'opened') as opened_at,
          min(y.at) filter (where y.kind = 'clicked') as clicked_at,
            min(y.at) filter (where y.kind in ('bounced', 'blocked')) as bounced_at,
          min(y.at) filter (where y.kind = 'complained') as complained_at,
            min(y.at) filter (where y.kind = 'unsubscribed') as unsubscribed_at,
          min(y.note) filter (where y.kind in ('bounced', 'blocked')) as note
        from jsonb_to_recordset(p_events) y(kind text, recipient_id uuid, provider_message_id text, at timestamptz, note text, status text)
        where y.recipient_id is not null group by 1
    ) x where r.workspace_id = p_workspace and r.id = x.recipient_id;
  perform record_clicks(p_workspace, p_events, p_links);
end $$;

-- Records which recipients followed which links, once for each of both. Triggers count them (campaigns.sql). The sends of their campaigns
-- are locked, so that nobody else adds links.
create or replace function record_clicks(p_workspace uuid, p_events jsonb, p_links int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if not jsonb_path_exists(p_events, '$[*].url ? (@ != null)') then return; end if;
  with found as (
    select r.campaign_id, x.url, min(x.at) as first_at from jsonb_to_recordset(p_events) x(recipient_id uuid, url text, at timestamptz)
      join campaign_recipients r on r.workspace_id = p_workspace and r.id = x.recipient_id where x.url is not null group by 1, 2
  ), new as (
    select f.*, row_number() over (partition by f.campaign_id order by f.first_at, f.url) as n,
        (select count(*) from campaign_links l where l.workspace_id = p_workspace and l.campaign_id = f.campaign_id) as present
      from found f where not exists (
        select from campaign_links l where l.workspace_id = p_workspace and l.campaign_id = f.campaign_id and md5(l.url) = md5(f.url))
  ) insert into campaign_links (workspace_id, campaign_id, url) select p_workspace, n.campaign_id, n.url from new n
    where n.present + n.n <= p_links;
  insert into campaign_clicks (workspace_id, link_id, recipient_id, clicked_at)
    select p_workspace, l.id, r.id, min(x.at) from jsonb_to_recordset(p_events) x(recipient_id uuid, url text, at timestamptz)
      join campaign_recipients r on r.workspace_id = p_workspace and r.id = x.recipient_id
      join campaign_links l on l.workspace_id = p_workspace and l.campaign_id = r.campaign_id and md5(l.url) = md5(x.url)
      where x.url is not null group by l.id, r.id
    on conflict (workspace_id, link_id, recipient_id) do nothing;
end $$;

-- Blocks the address of a message that was returned for good or reported as spam, or whose recipient asked the provider for no more.
create or replace function block_address(p_workspace uuid, p_kind text, p_email text, p_contact uuid, p_campaign uuid, p_note text)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p_kind = 'unsubscribed' then
    update contacts c set email_unsubscribed = true where c.workspace_id = p_workspace and c.email = p_email and not c.email_unsubscribed;
    perform suppress_address(p_workspace, p_email, 'unsubscribed', p_note);
    perform note_unsubscribe(p_workspace, p_email, p_contact, p_campaign, 'unsubscribe_header');
  else
    perform suppress_address(p_workspace, p_email, case p_kind when 'blocked' then 'hard_bounce' else 'complaint' end, p_note);
    perform note_unsubscribe(p_workspace, p_email, p_contact, p_campaign,
      case p_kind when 'blocked' then 'hard_bounce' else 'complaint' end);
  end if;
end $$;

-- The provider's ids of at most p_limit emails of campaigns of the last three days that were sent an hour ago, and of which nothing was
-- reported since.
create or replace function unreported_recipients(p_limit int)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(x.id), '[]') from (
    select r.provider_message_id as id from email_campaigns c
        join campaign_sends s on s.workspace_id = c.workspace_id and s.campaign_id = c.id, lateral (
        select * from campaign_recipients r
          where r.workspace_id = c.workspace_id and r.campaign_id = c.id and r.status = 'sent' and r.sent_at < now() - interval '1 hour'
          order by r.created_at, r.id limit p_limit) r
      where c.started_at > now() - interval '3 days' and s.counts ? 'sent' and r.provider_message_id is not null limit p_limit) x
$$;

revoke execute on function unreported_recipients from public, app;
grant execute on function unreported_recipients to jobs;
revoke execute on function record_email_events, record_clicks, block_address from public, app;
grant execute on function record_email_events to jobs;
