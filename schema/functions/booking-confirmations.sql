-- Bookings of visitors whose email address is confirmed by the link of an email (booking_confirmations). The time is held meanwhile; the
-- Worker signs the tokens of the links.

-- What a link has been sent for, with the workspace as its pages show it: while the time is held, and after that to the one who has booked
-- with it. Null for a link that has expired.
create or replace function awaited_booking(p_id uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('form', c.form, 'starts_at', epoch_ms(c.starts_at), 'created_at', epoch_ms(c.created_at),
      'expires_at', epoch_ms(c.expires_at), 'booking_id', c.booking_id,
      'event_type_id', t.id, 'event_type', t.name, 'slug', t.slug, 'company_slug', w.slug,
        'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color, 'logo', w.logo_url, 'sites', s.booking_embed_origins))
    from booking_confirmations c join scheduled_event_types t on t.id = c.event_type_id left join bookings b on b.id = c.booking_id
    cross join workspaces w join crm_settings s on s.workspace_id = w.id
    where c.workspace_id = (select current_workspace()) and c.id = p_id
      and case when c.booking_id is null then c.form is not null and c.expires_at > now() else b.management_token_expires_at > now() end
$$;

-- Asserts that an address has asked for fewer than p_most bookings within a day. The lock on the booker keeps two requests from counting
-- the same.
create or replace function assert_few_confirmations(p_email_hash text, p_most int) returns boolean language plpgsql as $$
begin
  return assert_condition((select count(*)
    from (select from booking_confirmations c where c.email_hash = p_email_hash and c.created_at > now() - interval '1 day'
      limit p_most) n) < p_most,
    'CONFLICT', 'This address has asked for too many bookings today');
end $$;

-- Erases what visitors have typed who have not opened their link, and deletes what was sent more than a day ago; at most p_limit rows of
-- each.
create or replace function expire_confirmations(p_limit int)
  returns int security definer set search_path = public, pg_temp language plpgsql as $$
declare
  emptied int;
  deleted int;
begin
  update booking_confirmations set form = null
    where (workspace_id, id) in (select workspace_id, id from booking_confirmations where form is not null and expires_at <= now()
    order by expires_at, id limit p_limit for update skip locked);
  get diagnostics emptied = row_count;
  delete from booking_confirmations
    where (workspace_id, id) in (select workspace_id, id from booking_confirmations where created_at < now() - interval '1 day'
    order by created_at, id limit p_limit for update skip locked);
  get diagnostics deleted = row_count;
  return greatest(emptied, deleted);
end $$;
revoke execute on function expire_confirmations from public, app;
grant execute on function expire_confirmations to jobs;

-- The link of a message that no notice of a booking is about: what it is for, and whether it still leads to something. The row is named by
-- the key of the message.
create or replace function message_link(p_workspace uuid, p_message uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('purpose', case k.purpose when 'booking_confirmation' then k.purpose else 'waiting_list' end, 'id', k.id,
      'company_slug', (select w.slug from workspaces w where w.id = p_workspace), 'is_current', case k.purpose
      when 'booking_confirmation' then exists (select from booking_confirmations c
        where c.workspace_id = p_workspace and c.id = k.id and c.form is not null and c.expires_at > now())
      when 'waiting_list' then exists (select from waiting_list_entries e
        where e.workspace_id = p_workspace and e.id = k.id and e.state = 'waiting')
      else exists (select from waiting_list_entries e
        where e.workspace_id = p_workspace and e.id = k.id and e.state = 'offered' and e.offer_expires_at > now()) end)
    from (select split_part(m.dedupe_key, ':', 1) as purpose, split_part(m.dedupe_key, ':', 2)::uuid as id from messages m
      where m.workspace_id = p_workspace and m.id = p_message
      and split_part(m.dedupe_key, ':', 1) in ('booking_confirmation', 'waiting_list', 'waiting_list_offer')) k
$$;
revoke execute on function message_link from public, app;
