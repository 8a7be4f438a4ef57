/*
  Notices of bookings. A row of booking_notices is a notice to one recipient in one channel. The Worker plans the rows from the booking as
  it is, claims those that are due, decides about each by the booking at that moment, and reserves its message in the transaction that notes
  it. A trigger notes the outcome of the message.
*/

-- Whether a person is a member, or invited to be one. Who has left learns nothing more of bookings.
create or replace function belongs_to(p_workspace uuid, p_user uuid) returns boolean stable language sql as $$
  select exists (select from memberships m where m.workspace_id = p_workspace and m.user_id = p_user and m.status <> 'removed')
$$;

-- What the notices of a booking are decided and written from, in the form of `NoticeFacts` (src/features/scheduling/rules/notice-facts.ts).
-- It has no management token.
create or replace function notice_facts(p_workspace uuid, p_booking uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('id', b.id, 'version', b.version, 'status', b.status, 'starts_at', epoch_ms(b.starts_at),
      'ends_at', epoch_ms(b.ends_at),
      'updated_at', epoch_ms(b.updated_at), 'previous_starts_at', (select epoch_ms(p.starts_at) from bookings p
        where p.workspace_id = p_workspace and p.id = b.rescheduled_from_id),
      'duration_minutes', b.duration_minutes, 'timezone', b.timezone, 'name', b.name, 'email', b.email, 'phone', b.phone,
        'attendees', b.attendees,
      'location', b.location, 'video_meet_link', b.video_meet_link,
      -- The calendar of the host is about to create the video meeting.
      'awaits_link', t.create_video_meeting and b.video_meet_link is null
        and exists (select from booking_copies c where c.workspace_id = b.workspace_id and c.booking_id = b.id and c.host_id = b.host_id
        and c.is_wanted and (c.state in ('pending', 'retrying') or c.meeting = 'pending')),
      'cancellation_reason', b.cancellation_reason, 'uid', b.uid, 'sequence', b.sequence,
      'changes',
        (select coalesce(jsonb_agg(jsonb_build_object('sequence', c -> 'sequence', 'noted_at', c -> 'noted_at', 'location', c -> 'location',
        'host', (select jsonb_build_object('name', coalesce((select m.name from member_profile(p_workspace, u.id) m), u.email),
          'email', case when belongs_to(p_workspace, u.id) then u.email end)
        from users u where u.id = (c ->> 'host_id')::uuid)) order by c -> 'sequence'), '[]') from jsonb_array_elements(b.noted_changes) c),
      'announced', (select coalesce(max(n.sequence), 0) from booking_notices n
        where n.workspace_id = p_workspace and n.booking_id = b.id and n.kind = 'update'),
      'hosts', (select coalesce(jsonb_agg(u.email order by u.email), '[]') from users u
        where u.id = any (b.host_ids) and belongs_to(p_workspace, u.id)),
      'is_moved', exists (select from bookings m where m.workspace_id = p_workspace and m.rescheduled_from_id = b.id),
      'is_invited', b.rescheduled_from_id is not null
        or exists (select from booking_notices n
          where n.workspace_id = p_workspace and n.booking_id = b.id and n.kind = 'confirmation' and n.channel = 'email'),
      'booked_again', b.contact_id is not null
        and exists (select from bookings m where m.workspace_id = p_workspace and m.contact_id = b.contact_id and m.starts_at > b.starts_at
        and m.status in ('pending', 'confirmed')),
      'event_type', jsonb_build_object('name', t.name, 'slug', t.slug, 'locked_timezone', t.locked_timezone, 'notices', t.notices),
      'workspace', jsonb_build_object('name', w.name, 'slug', w.slug, 'color', w.primary_color),
      'host', (select jsonb_build_object('name', coalesce((select m.name from member_profile(p_workspace, u.id) m), u.email),
        'email', u.email) from users u where u.id = b.host_id),
      'booker', (select notice_contact(c) from contacts c where c.workspace_id = p_workspace and c.id = b.contact_id),
      'contacts', (select coalesce(jsonb_agg(notice_contact(c)), '[]')
        from jsonb_array_elements_text(b.attendees) a, lateral (select * from contacts c
        where c.workspace_id = p_workspace and c.email = a and not c.archived order by c.created_at, c.id limit 1) c),
      'suppressed', (select coalesce(jsonb_agg(jsonb_build_object('channel', s.channel, 'address', s.address)), '[]') from suppressions s
        where s.workspace_id = p_workspace
        and s.address = any (array(select jsonb_array_elements_text(b.attendees) union all select b.email union all select b.phone))),
      'configured', configured_channels(p_workspace),
        'quiet_hours', (select s.quiet_hours from crm_settings s where s.workspace_id = p_workspace))
    from bookings b join scheduled_event_types t on t.workspace_id = p_workspace and t.id = b.event_type_id
    join workspaces w on w.id = p_workspace
    where b.workspace_id = p_workspace and b.id = p_booking
$$;

-- Notes what a confirmed booking was like before its host or its place changed. Its calendar entry has another version from then on.
create or replace function note_booking_change() returns trigger language plpgsql as $$
declare
  most constant int := 20;
begin
  new.sequence := old.sequence + 1;
  new.noted_changes := case when jsonb_array_length(old.noted_changes) < most then old.noted_changes else old.noted_changes - 0 end
    || jsonb_build_array(jsonb_build_object('sequence', new.sequence, 'noted_at', epoch_ms(now()),
      'host_id', old.host_id, 'location', old.location));
  return new;
end $$;
create or replace trigger note_change before update of host_id, location on bookings for each row
  when (old.status = 'confirmed' and new.status = 'confirmed'
    and (new.host_id <> old.host_id or new.location is distinct from old.location)) execute function note_booking_change();

create or replace function notice_contact(c contacts) returns jsonb stable language sql as $$
  select jsonb_build_object('id', c.id, 'email', c.email, 'archived', c.archived, 'email_unsubscribed', c.email_unsubscribed,
    'sms_unsubscribed', c.sms_unsubscribed,
    'whatsapp_unsubscribed', c.whatsapp_unsubscribed, 'local_zone', coalesce(c.timezone, c.local_zone))
$$;

-- The facts of a booking for the background.
create or replace function booking_facts(p_workspace uuid, p_booking uuid)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select notice_facts(p_workspace, p_booking)
$$;

-- Notes planned notices (kind, channel, recipient, is_booker, offset_minutes, sequence, send_at); one that exists stays as it is. The
-- others of the booking that have no message yet are looked at again, because the booking has changed.
create or replace function plan_booking_notices(p_workspace uuid, p_booking uuid, p_now timestamptz, p_notices jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  update booking_notices set wake_at = p_now
    where workspace_id = p_workspace and booking_id = p_booking and state = 'due' and message_id is null and wake_at > p_now;
  insert into booking_notices (booking_id, contact_id, kind, channel, recipient, is_booker, offset_minutes, sequence, send_at, wake_at)
    select b.id, b.contact_id, n.kind, n.channel, n.recipient, n.is_booker, n.offset_minutes, n.sequence, n.send_at,
      greatest(n.send_at, p_now)
      from bookings b, jsonb_to_recordset(p_notices) n(kind text, channel text, recipient text, is_booker boolean, offset_minutes int,
        sequence int, send_at timestamptz)
      where b.workspace_id = p_workspace and b.id = p_booking
      order by n.kind, n.channel, n.recipient, n.offset_minutes, n.sequence
    on conflict (workspace_id, booking_id, kind, channel, recipient, offset_minutes, sequence, resend) do nothing;
end $$;

/*
  Claims at most p_limit notices that are due at p_now, of one booking or of all workspaces, for p_lease seconds. Returns each with the
  facts of its booking; `lease` is what its decision is saved with.
*/
create or replace function claim_booking_notices(p_workspace uuid, p_booking uuid, p_now timestamptz, p_limit int, p_lease int)
  returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  lease constant timestamptz := date_trunc('milliseconds', p_now) + make_interval(secs => p_lease);
  workspace_ids uuid[];
  ids uuid[];
begin
  -- Two statements, because one for both cases would get a plan that suits neither.
  if p_booking is null then
    select array_agg(d.workspace_id), array_agg(d.id) into workspace_ids, ids
      from (select workspace_id, id from booking_notices where wake_at <= p_now
      order by wake_at, id limit p_limit for update skip locked) d;
  else
    select array_agg(d.workspace_id), array_agg(d.id) into workspace_ids, ids
      from (select workspace_id, id from booking_notices where workspace_id = p_workspace
      and booking_id = p_booking and wake_at <= p_now order by wake_at, id limit p_limit for update skip locked) d;
  end if;
  if ids is null then return '{"notices": [], "facts": []}'; end if;
  update booking_notices n set wake_at = lease from unnest(workspace_ids, ids) d(workspace_id, id)
    where n.workspace_id = d.workspace_id and n.id = d.id;
  return (
    with claimed as materialized (
      select n.* from unnest(workspace_ids, ids) d(workspace_id, id)
        join booking_notices n on n.workspace_id = d.workspace_id and n.id = d.id
    )
    select jsonb_build_object('notices',
        coalesce(jsonb_agg(jsonb_build_object('id', c.id, 'workspace_id', c.workspace_id, 'booking_id', c.booking_id, 'kind', c.kind,
        'channel', c.channel, 'recipient', c.recipient, 'is_booker', c.is_booker, 'offset_minutes', c.offset_minutes,
          'sequence', c.sequence, 'resend', c.resend, 'send_at', epoch_ms(c.send_at),
        'created_at', epoch_ms(c.created_at), 'lease', iso(lease)) order by c.send_at, c.id), '[]'),
        'facts', (select coalesce(jsonb_agg(notice_facts(a.workspace_id, a.booking_id)), '[]')
          from (select distinct workspace_id, booking_id from claimed) a)) from claimed c);
end $$;

/*
  Saves decisions about claimed notices of a workspace: state, reason, wake_at and send_at of one that waits, message. A decision counts
  only while its claim lasts and the booking is as it was decided about; otherwise the notice is looked at again. The lock on the booking
  keeps a change of it from overtaking the message.
*/
create or replace function save_booking_notices(p_workspace uuid, p_decisions jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d record;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from contacts where workspace_id = p_workspace
    and id = any (array(select (e #>> '{message,contact_id}')::uuid from jsonb_array_elements(p_decisions) e))
    order by id for key share;
  perform from bookings where workspace_id = p_workspace
    and id = any (array(select (e ->> 'booking_id')::uuid from jsonb_array_elements(p_decisions) e)) order by id for share;
  for d in
    select n.id, r.state, r.reason, r.send_at, r.message, b.version = r.version and (r.message ->> 'contact_id' is null
        or exists (select from contacts c where c.workspace_id = p_workspace and c.id = (r.message ->> 'contact_id')::uuid)) as is_current
      from jsonb_to_recordset(p_decisions) r(id uuid, version int, lease timestamptz, state text, reason text,
        send_at timestamptz, message jsonb)
        join booking_notices n on n.workspace_id = p_workspace and n.id = r.id and n.state = 'due'
        and n.message_id is null and n.wake_at = r.lease
        join bookings b on b.workspace_id = p_workspace and b.id = n.booking_id
      order by n.id for update of n
  loop
    if not d.is_current then
      update booking_notices set wake_at = send_at where workspace_id = p_workspace and id = d.id;
    elsif d.message is not null then
      perform reserve_messages(jsonb_build_array(d.message));
      update booking_notices set wake_at = null, message_id = (select m.id from messages m
        where m.workspace_id = p_workspace and m.dedupe_key = d.message ->> 'dedupe_key')
        where workspace_id = p_workspace and id = d.id;
    elsif d.state = 'due' then
      update booking_notices set send_at = d.send_at, wake_at = d.send_at where workspace_id = p_workspace and id = d.id;
    else
      update booking_notices set state = d.state, reason = d.reason, wake_at = null where workspace_id = p_workspace and id = d.id;
    end if;
  end loop;
end $$;

-- What a claimed message of a notice is completed with before it is handed to the provider: the booking as it is now, and the token of its
-- link for the booker.
create or replace function message_notice(p_workspace uuid, p_message uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('kind', n.kind, 'state', n.state,
      'management_token', case when n.is_booker and b.management_token_expires_at > now() then b.management_token end,
      'facts', notice_facts(p_workspace, b.id))
    from booking_notices n join bookings b on b.workspace_id = n.workspace_id and b.id = n.booking_id
    where n.workspace_id = p_workspace and n.message_id = p_message limit 1
$$;

-- Notes the outcome of the message of a notice.
create or replace function settle_booking_notice() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update booking_notices set state = case new.status when 'sent' then 'sent' when 'unclear' then 'unknown' when 'queued' then 'due'
      else case new.error when 'booking_changed' then 'cancelled' else 'skipped' end end,
      reason = case new.status when 'failed' then new.error end, sent_at = case new.status when 'sent' then new.sent_at end
    where workspace_id = new.workspace_id and message_id = new.id and state in ('due', 'unknown');
  return null;
end $$;
create or replace trigger settle_booking_notice after update of status on messages for each row
  when (new.purpose = 'booking' and new.status in ('sent', 'failed', 'unclear', 'queued') and new.status <> old.status)
    execute function settle_booking_notice();

revoke execute on function booking_facts, plan_booking_notices, claim_booking_notices, save_booking_notices, settle_booking_notice,
  message_notice from public, app;
grant execute on function booking_facts, plan_booking_notices, claim_booking_notices, save_booking_notices to jobs;
