/*
  Requests for reviews, and the reviews that visitors write. A transaction that writes a review locks the profile, then the request, as
  every other change of a review does; one that asks contacts locks these first.
*/

-- Adds requests, except to contacts who were asked in the last p_days: a request that was cancelled before it was sent does not count.
create or replace function ask_for_reviews(p_rows jsonb, p_days int) returns void language plpgsql as $$
begin
  perform from contacts where id = any (array(select (r ->> 'contact_id')::uuid from jsonb_array_elements(p_rows) r))
    order by id for no key update;
  insert into review_requests (id, profile_id, contact_id, channel, message, remind_after_days, expires_at, token_hash, token_seed, due_at)
    select n.id, p.id, n.contact_id, n.channel, n.message, n.remind_after_days, n.expires_at, n.token_hash, n.token_seed, now()
      from jsonb_populate_recordset(null::review_requests, p_rows) n cross join reputation_profiles p
      where asked_for_review(n.contact_id, now() - make_interval(days => p_days)) is null;
end $$;

-- When a contact was last asked since p_since; null if not.
create or replace function asked_for_review(p_contact uuid, p_since timestamptz) returns timestamptz stable language sql as $$
  select r.created_at from review_requests r where r.contact_id = p_contact and r.created_at > p_since
      and (r.status <> 'cancelled' or r.sent_at is not null)
    order by r.created_at desc limit 1
$$;

-- Why a contact gets no message of a request, because of another one that a merge has given the same contact; null without such.
create or replace function asked_otherwise(r review_requests) returns text stable language sql as $$
  select case when bool_or(o.status = 'reviewed') then 'reviewed'
      when bool_or(o.status in ('queued', 'sent', 'reminded') and (o.created_at, o.id) < (r.created_at, r.id)) then 'asked_before' end
    from review_requests o
    where o.workspace_id = r.workspace_id and o.contact_id = r.contact_id and o.id <> r.id and o.expires_at > now()
$$;

-- Requests that a worker has claimed, with what decides about their messages.
create or replace function read_review_requests(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select r.id, jsonb_build_object('id', r.id, 'contact_id', r.contact_id, 'channel', r.channel, 'message', r.message, 'status', r.status,
      'remind_after_days', r.remind_after_days, 'expires_at', iso(r.expires_at), 'token_seed', r.token_seed, 'name', p.display_name,
      'is_published', p.is_published, 'asked_otherwise', asked_otherwise(r), 'first_name', c.first_name, 'workspace_zone', w.timezone,
      'balance', coalesce((select a.balance from credit_accounts a where a.workspace_id = p_workspace), 0),
      'sender', (select jsonb_build_object('from_email', g.from_email, 'from_name', g.from_name) from email_configs g
        where g.workspace_id = p_workspace order by g.created_at, g.id limit 1),
      'recipient', jsonb_build_object('archived', c.archived, 'email', c.email, 'phone', c.phone,
        'email_unsubscribed', c.email_unsubscribed,
        'sms_unsubscribed', c.sms_unsubscribed, 'whatsapp_unsubscribed', c.whatsapp_unsubscribed, 'timezone', c.timezone, 'state', c.state,
        'country', c.country, 'configured', configured_channels(p_workspace),
        'quiet_hours', (select q.quiet_hours from crm_settings q where q.workspace_id = p_workspace),
        'suppressed', array(select s.channel from suppressions s
          where s.workspace_id = p_workspace and s.address = any (array[c.email, c.phone])
          and s.address = case s.channel when 'email' then c.email else c.phone end)))
    from review_requests r join reputation_profiles p on p.workspace_id = p_workspace and p.id = r.profile_id
      join contacts c on c.workspace_id = p_workspace and c.id = r.contact_id join workspaces w on w.id = p_workspace
    where r.workspace_id = p_workspace and r.id = any (p_ids)
$$;

-- Reserves the message of a request that nobody has changed meanwhile.
create or replace function settle_review_request(p_workspace uuid, p_id uuid, p_same boolean, p jsonb) returns int language plpgsql as $$
begin
  if p_same and p ? 'messages' then perform reserve_messages(p -> 'messages'); end if;
  return null;
end $$;

-- What the link of a message follows from, and whether its request still asks: the key of the message names it.
create or replace function message_review(p_workspace uuid, p_message uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('token_seed', r.token_seed, 'token_hash', encode(r.token_hash, 'hex'),
    'is_current', r.status in ('queued', 'sent', 'reminded') and r.expires_at > now())
    from messages m join review_requests r on r.workspace_id = p_workspace and r.id = split_part(m.dedupe_key, ':', 2)::uuid
    where m.workspace_id = p_workspace and m.id = p_message
$$;
revoke execute on function asked_otherwise, read_review_requests, settle_review_request, message_review from public, app, jobs;

-- What the token of a personal link grants: nothing but the workspace. Null for an unknown token.
create or replace function review_grant(p_hash text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', r.workspace_id, 'scopes', '[]'::jsonb, 'expires_at', r.expires_at) from review_requests r
    where r.token_hash = decode(p_hash, 'hex') and r.status <> 'cancelled' and r.expires_at > now()
$$;
revoke execute on function review_grant from public;
grant execute on function review_grant to app;

create or replace function review_form(p reputation_profiles, p_request jsonb) returns jsonb stable language sql as $$
  select jsonb_build_object('profile',
      jsonb_build_object('id', p.id, 'slug', p.slug, 'display_name', p.display_name, 'logo_url', p.logo_url),
      'color', coalesce(p.primary_color, w.primary_color), 'request', p_request) from workspaces w
$$;

-- What the page of a personal link shows; null while the profile is not published.
create or replace function personal_review_form(p_hash text) returns jsonb stable language sql as $$
  select review_form(p, jsonb_build_object('id', r.id, 'status', r.status, 'channel', r.channel, 'first_name', c.first_name))
    from review_requests r join reputation_profiles p on p.workspace_id = r.workspace_id and p.id = r.profile_id
      join contacts c on c.workspace_id = r.workspace_id and c.id = r.contact_id
    where r.token_hash = decode(p_hash, 'hex') and p.is_published
$$;

-- What the page for everybody shows; null where the profile does not take such reviews.
create or replace function public_review_form(p_slug text) returns jsonb stable language sql as $$
  select review_form(p, null) from reputation_slugs s join reputation_profiles p on p.workspace_id = s.workspace_id and p.id = s.profile_id
    where s.slug = p_slug and p.is_published and p.accepts_reviews
$$;

-- What proves that a contact is a client: a booking that took place, or a won deal.
create or replace function review_proof(p_contact uuid) returns text stable language sql as $$
  select case
    when exists (select from bookings b where b.contact_id = p_contact and b.starts_at < now()
      and (b.status in ('attended', 'late') or b.status = 'confirmed' and b.ends_at < now())) then 'booking'
    when exists (select from opportunity_contacts l join opportunities o on o.workspace_id = l.workspace_id and o.id = l.opportunity_id
      where l.contact_id = p_contact and o.status = 'won') then 'won_deal' end
$$;

create or replace function add_visitor_review(p_profile uuid, p jsonb, p_proof text) returns uuid language sql as $$
  insert into reputation_reviews (profile_id, reviewer_name, rating, testimonial_text, source, verified_by, form_hash)
    values (p_profile, p ->> 'name', (p ->> 'rating')::int, p ->> 'words', 'visitor', p_proof, decode(p ->> 'form', 'hex'))
    on conflict (workspace_id, form_hash) where form_hash is not null do nothing returning id
$$;

-- Stores the review of a contact who was asked, once; it ends the request.
create or replace function submit_personal_review(p_request uuid, p jsonb) returns void language plpgsql as $$
declare
  r review_requests;
begin
  perform from reputation_profiles for no key update;
  select * into r from review_requests where id = p_request for update;
  if r.id is null or r.status = 'reviewed' then return; end if;
  update review_requests set review_id = add_visitor_review(r.profile_id, p, review_proof(r.contact_id)),
    status = 'reviewed', reviewed_at = now(), reason = null, due_at = null where id = r.id;
end $$;

-- Stores a review of anybody; false if p_most of them wait for a decision.
create or replace function submit_public_review(p_profile uuid, p jsonb, p_most int) returns boolean language plpgsql as $$
begin
  perform from reputation_profiles for no key update;
  if (select count(*) from (select from reputation_reviews where status = 'draft' and source = 'visitor' limit p_most) w) >= p_most
    and not exists (select from reputation_reviews where form_hash = decode(p ->> 'form', 'hex')) then
    return false;
  end if;
  perform add_visitor_review(p_profile, p, null);
  return true;
end $$;

-- Unsubscribes the contact from the channel, as the link of a campaign does, and ends the request.
create or replace function refuse_review_request(p_request uuid) returns void language plpgsql as $$
declare
  r review_requests;
begin
  select * into r from review_requests where id = p_request;
  perform set_flag('unchecked_values');
  if r.channel = 'email' then
    update contacts set email_unsubscribed = true where id = r.contact_id and not email_unsubscribed;
  else
    update contacts set sms_unsubscribed = true where id = r.contact_id and not sms_unsubscribed;
  end if;
  update review_requests set status = 'stopped', reason = 'unsubscribed', due_at = null
    where id = p_request and status in ('queued', 'sent', 'reminded');
end $$;
