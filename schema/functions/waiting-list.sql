/*
  Waiting lists of times that are full. Whoever frees a seat offers it in the same transaction: the lock on the seats of the time makes it
  one offer for each free seat. An offer is a hold of the seat, with the id of its entry; when it expires, the seat is freed like any other,
  and so goes to the next in line. Emails are sent by the background, for which entries are due.
*/

-- Offers the free seats of a time to those who are first in line.
create or replace function offer_seats(p_session uuid) returns void language plpgsql as $$
declare
  session seat_sessions;
  seats int;
  minutes int;
  entry uuid;
  kept_until timestamptz;
begin
  select s.* into session from seat_sessions s where s.workspace_id = (select current_workspace()) and s.id = p_session for update;
  select t.seats, t.waiting_list_offer_minutes into seats, minutes from scheduled_event_types t
    where t.workspace_id = (select current_workspace()) and t.id = session.event_type_id and t.waiting_list and t.is_active;
  if seats is null or session.starts_at <= now() then return; end if;
  seats := greatest(session.capacity, seats);
  for entry in select e.id from waiting_list_entries e
    where e.workspace_id = (select current_workspace()) and e.event_type_id = session.event_type_id
    and e.starts_at = session.starts_at and e.state = 'waiting' order by e.created_at, e.id
    limit greatest(seats - session.taken, 0) for update
  loop
    kept_until := least(now() + make_interval(mins => minutes), session.starts_at);
    insert into booking_holds (workspace_id, id, owner, event_type_id, starts_at, ends_at, host_ids, session_id, expires_at)
      values (session.workspace_id, entry, 'waiting_list/' || entry, session.event_type_id, session.starts_at, session.ends_at,
        session.host_ids, session.id, kept_until);
    update waiting_list_entries set state = 'offered', offered_at = now(), offer_expires_at = kept_until, due_at = now()
      where workspace_id = session.workspace_id and id = entry;
    update seat_sessions set taken = taken + 1, capacity = seats where workspace_id = session.workspace_id and id = session.id;
  end loop;
end $$;

-- Seats of a time are what people wait for.
create or replace function refuse_waiting_list() returns trigger language plpgsql as $$
begin
  perform fail_paths(array['waiting_list'], 'needs an event type with several seats: send seats, too');
  return null;
end $$;
create or replace trigger refuse_waiting_list before insert or update of seats, waiting_list on scheduled_event_types for each row
  when (new.waiting_list and new.seats <= 1) execute function refuse_waiting_list();

-- The background looks at those who wait for an event type that has more seats now, or offers them again: the 500 whose times are next.
create or replace function offer_more_seats() returns trigger language plpgsql as $$
declare
  most constant int := 500;
begin
  update waiting_list_entries set due_at = now()
    where workspace_id = new.workspace_id and id = any (array(select e.id from waiting_list_entries e
    where e.workspace_id = new.workspace_id and e.event_type_id = new.id and e.state = 'waiting' and e.starts_at > now()
    order by e.starts_at, e.created_at, e.id limit most));
  return null;
end $$;
create or replace trigger offer_more_seats after update of seats, is_active, waiting_list on scheduled_event_types for each row
  when (new.waiting_list and new.is_active and (new.seats > old.seats or not old.is_active or not old.waiting_list))
    execute function offer_more_seats();

/*
  Locks a time at which somebody wants to wait, until the end of the transaction. False if it has a free seat, or if the person is no longer
  the contact p_contact, or unknown; then the request is planned again.
*/
create or replace function lock_waiting_time(p_event_type uuid, p_starts_at timestamptz, p_email text, p_phone text, p_contact uuid)
  returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(current_workspace() || p_email, 0));
  if match_booker(p_email, p_phone) is distinct from p_contact then return false; end if;
  perform from seat_sessions s join scheduled_event_types t on t.id = s.event_type_id
    where s.event_type_id = p_event_type and s.starts_at = p_starts_at and s.taken >= greatest(s.capacity, t.seats) for update of s;
  return found;
end $$;

/*
  Adds an entry, unless the person has an open one for the time. Hands over the entry that there is (waiting_entry). A person has at most
  p_most open entries, a time p_line.
*/
create or replace function join_waiting_list(p_entry jsonb, p_most int, p_line int) returns void language plpgsql as $$
declare
  wanted constant waiting_list_entries := jsonb_populate_record(null::waiting_list_entries, p_entry);
  open uuid[];
  before uuid;
begin
  open := array(select e.id from waiting_list_entries e
    where e.contact_id = wanted.contact_id and e.starts_at > now() and e.state in ('waiting', 'offered')
    order by e.starts_at, e.id limit p_most);
  select e.id into before from waiting_list_entries e
    where e.id = any (open) and e.event_type_id = wanted.event_type_id and e.starts_at = wanted.starts_at limit 1;
  perform hand('waiting_entry', to_jsonb(coalesce(before, wanted.id)));
  if before is not null then return; end if;
  perform assert_condition(cardinality(open) < p_most, 'CONFLICT', 'This person is on too many waiting lists',
    jsonb_build_object('ids', to_jsonb(open)));
  perform assert_condition((select count(*)
    from (select from waiting_list_entries e
      where e.event_type_id = wanted.event_type_id and e.starts_at = wanted.starts_at and e.state = 'waiting'
    limit p_line) n) < p_line, 'CONFLICT', 'The waiting list of this time is full');
  insert into waiting_list_entries (id, event_type_id, starts_at, ends_at, duration_minutes, timezone, contact_id, name, email, phone,
    notes, answers, source, due_at)
    values (wanted.id, wanted.event_type_id, wanted.starts_at, wanted.ends_at, wanted.duration_minutes, wanted.timezone, wanted.contact_id,
      wanted.name, wanted.email, wanted.phone, wanted.notes, wanted.answers, wanted.source, now());
end $$;

-- Ends an open entry: a seat that is offered goes to the next in line. The hold is locked before the entry, as by whoever ends holds.
create or replace function leave_waiting_list(p_id uuid) returns void language plpgsql as $$
begin
  perform from booking_holds where id = p_id for update;
  perform from waiting_list_entries where id = p_id for update;
  perform close_hold('waiting_list/' || p_id, 'released');
  update waiting_list_entries set state = 'left', offer_expires_at = null, due_at = null
    where id = p_id and state in ('waiting', 'offered');
end $$;

-- An entry as its page shows it, until a day after its time.
create or replace function linked_entry(p_id uuid) returns jsonb stable language sql as $$
  select jsonb_build_object('state', e.state, 'starts_at', epoch_ms(e.starts_at), 'ends_at', epoch_ms(e.ends_at),
      'duration_minutes', e.duration_minutes, 'timezone', e.timezone, 'name', e.name,
      'email', e.email, 'phone', e.phone, 'notes', e.notes, 'answers', e.answers, 'expires_at', epoch_ms(e.offer_expires_at),
        'created_at', epoch_ms(e.created_at), 'booking_id', e.booking_id,
      'event_type_id', t.id, 'event_type', t.name, 'slug', t.slug, 'company_slug', w.slug,
        'workspace', jsonb_build_object('name', w.name, 'color', w.primary_color, 'logo', w.logo_url, 'sites', s.booking_embed_origins))
    from waiting_list_entries e join scheduled_event_types t on t.id = e.event_type_id cross join workspaces w
    join crm_settings s on s.workspace_id = w.id
    where e.workspace_id = (select current_workspace()) and e.id = p_id and e.ends_at + interval '24 hours' > now()
$$;

-- What the email to an entry is written from (src/features/scheduling/rules/page-facts.ts).
create or replace function waiting_facts(e waiting_list_entries) returns jsonb stable language sql as $$
  select jsonb_build_object('id', e.id, 'name', e.name, 'email', e.email, 'phone', e.phone, 'starts_at', epoch_ms(e.starts_at),
      'ends_at', epoch_ms(e.ends_at),
      'duration_minutes', e.duration_minutes, 'timezone', e.timezone, 'location', t.location, 'valid_until', epoch_ms(e.offer_expires_at),
      'event_type', jsonb_build_object('name', t.name, 'slug', t.slug, 'locked_timezone', t.locked_timezone, 'notices', t.notices),
      'workspace', jsonb_build_object('name', w.name, 'slug', w.slug, 'color', w.primary_color))
    from scheduled_event_types t join workspaces w on w.id = e.workspace_id where t.workspace_id = e.workspace_id and t.id = e.event_type_id
$$;

/*
  Claims at most p_limit entries that are due, for p_lease seconds, to send their emails. Ends those whose time has begun, and first offers
  seats to those who wait: whatever frees a seat does so itself, but more seats of an event type are many times.
*/
create or replace function claim_waiting_list(p_now timestamptz, p_limit int, p_lease int)
  returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  lease constant timestamptz := date_trunc('milliseconds', p_now) + make_interval(secs => p_lease);
  workspace_ids uuid[];
  ids uuid[];
  line record;
begin
  for line in select distinct s.workspace_id, s.id
      from (select * from waiting_list_entries where due_at <= p_now order by due_at, id limit p_limit) e
      join seat_sessions s on s.workspace_id = e.workspace_id and s.event_type_id = e.event_type_id and s.starts_at = e.starts_at
      where e.state = 'waiting' order by s.workspace_id, s.id loop
    perform set_config('app.workspace_id', line.workspace_id::text, true);
    perform offer_seats(line.id);
  end loop;
  select array_agg(d.workspace_id), array_agg(d.id) into workspace_ids, ids
    from (select workspace_id, id from waiting_list_entries where due_at <= p_now
    order by due_at, id limit p_limit for update skip locked) d;
  if ids is null then return '[]'; end if;
  update waiting_list_entries e
    set due_at = case when e.starts_at > p_now then lease end,
      state = case when e.starts_at <= p_now and e.state = 'waiting' then 'expired' else e.state end
    from unnest(workspace_ids, ids) d(workspace_id, id) where e.workspace_id = d.workspace_id and e.id = d.id;
  return (select coalesce(jsonb_agg(jsonb_build_object('id', e.id, 'workspace_id', e.workspace_id, 'contact_id', e.contact_id,
      'state', e.state, 'lease', iso(lease), 'facts', waiting_facts(e))
      order by e.created_at, e.id), '[]')
    from unnest(workspace_ids, ids) d(workspace_id, id) join waiting_list_entries e on e.workspace_id = d.workspace_id and e.id = d.id
    where e.state in ('waiting', 'offered'));
end $$;

-- Reserves the emails to claimed entries of a workspace (id, state, lease, message or null). An entry that has changed since then is due
-- again.
create or replace function save_waiting_list(p_workspace uuid, p_emails jsonb)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  d record;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform from contacts where workspace_id = p_workspace
    and id = any (array(select (e #>> '{message,contact_id}')::uuid from jsonb_array_elements(p_emails) e)) order by id for key share;
  for d in select e.id, r.message from jsonb_to_recordset(p_emails) r(id uuid, state text, lease timestamptz, message jsonb)
    join waiting_list_entries e on e.workspace_id = p_workspace and e.id = r.id and e.state = r.state and e.due_at = r.lease
    order by e.id for update of e
  loop
    if d.message is not null then perform reserve_messages(jsonb_build_array(d.message)); end if;
    update waiting_list_entries set due_at = case state when 'waiting' then starts_at end where workspace_id = p_workspace and id = d.id;
  end loop;
end $$;
revoke execute on function claim_waiting_list, save_waiting_list from public, app;
grant execute on function claim_waiting_list, save_waiting_list to jobs;
