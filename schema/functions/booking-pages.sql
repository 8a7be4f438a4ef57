-- Public booking pages: which workspace a visitor reaches by an address, and what the pages show of it.

-- What the address of a workspace's booking page grants: nothing but the workspace. Null for an unknown address, and for a page that is not
-- enabled.
create or replace function booking_page_grant(p_slug text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', w.id, 'scopes', '[]'::jsonb) from workspaces w join crm_settings s on s.workspace_id = w.id
    where w.slug = p_slug and s.booking_page_enabled
$$;

-- What the link of a booking grants, until it expires. Null for an unknown or malformed token.
create or replace function booking_link_grant(p_token text)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('workspace_id', b.workspace_id, 'scopes', '[]'::jsonb, 'expires_at', b.management_token_expires_at)
    from bookings b
    where b.management_token = case when pg_input_is_valid(p_token, 'uuid') then p_token::uuid end and b.management_token_expires_at > now()
$$;

revoke execute on function booking_page_grant, booking_link_grant from public;
grant execute on function booking_page_grant, booking_link_grant to app;

-- The workspace as its pages show it, with at most 100 event types that can be booked.
create or replace function booking_page() returns jsonb stable language sql as $$
  select jsonb_build_object('name', w.name, 'color', w.primary_color, 'logo', w.logo_url, 'sites', s.booking_embed_origins,
      'event_types', (select coalesce(jsonb_agg(t order by t ->> 'name'), '[]') from (
      select jsonb_build_object('name', e.name, 'slug', e.slug, 'description', e.description, 'duration_minutes', e.duration_minutes) as t
        from scheduled_event_types e where e.is_active order by e.created_at, e.id limit 100) shown))
    from workspaces w join crm_settings s on s.workspace_id = w.id
$$;

-- The booking of a link as its page shows it.
create or replace function linked_booking(p_token text) returns jsonb stable language sql as $$
  select jsonb_build_object('id', b.id, 'status', b.status, 'starts_at', epoch_ms(b.starts_at), 'ends_at', epoch_ms(b.ends_at),
      'updated_at', epoch_ms(b.updated_at), 'timezone', b.timezone, 'name', b.name, 'notes', b.notes, 'location', b.location,
      'video_meet_link', b.video_meet_link, 'uid', b.uid, 'sequence', b.sequence,
        'duration_minutes', b.duration_minutes, 'event_type', t.name,
      'workspace', w.name, 'color', w.primary_color, 'logo', w.logo_url, 'redirect_url', t.redirect_url, 'hosts',
      (select coalesce(jsonb_agg(jsonb_build_object('name', p.name, 'picture', p.picture) order by h.n), '[]')
        from unnest(b.host_ids) with ordinality h(id, n) join member_profile(b.workspace_id, h.id) p on true),
      'sites', s.booking_embed_origins)
    from bookings b join scheduled_event_types t on t.id = b.event_type_id cross join workspaces w
    join crm_settings s on s.workspace_id = w.id where b.management_token = p_token::uuid
$$;

-- Asserts that a network has made fewer than p_most bookings of an event type on its page within an hour. The lock keeps two requests from
-- counting the same.
create or replace function assert_few_visits(p_network text, p_most int) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('booking_visits'), hashtext((select current_workspace())::text || p_network));
  return assert_condition((select count(*)
    from (select from voice_results v where v.call_id = p_network and v.created_at > now() - interval '1 hour' limit p_most) n) < p_most,
    'RATE_LIMITED', 'There were too many bookings from this address: wait an hour');
end $$;

create or replace function assert_few_bookings(p_contact uuid) returns boolean language plpgsql as $$
begin
  return assert_condition((select count(*)
    from (select from bookings b where b.contact_id = p_contact and b.starts_at > now() and b.source = 'page'
      and b.status in ('pending', 'confirmed') limit most_page_bookings()) n) < most_page_bookings(),
    'CONFLICT', 'This person has too many bookings that are still to come');
end $$;
