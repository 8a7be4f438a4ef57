/*
  Birthday messages. A workspace that has templates has a row in birthday_schedules, which says when the cron job looks at it next. The
  Worker knows zones and templates: it asks which birthdays and zones there are, decides which of them may be reached now, reads those
  contacts and saves what they get.
*/

-- A workspace is looked at as soon as its templates change, and no longer when it has none.
create or replace function schedule_birthday_messages()
  returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if new.birthday_messages = '[]' then
    delete from birthday_schedules where workspace_id = new.workspace_id;
  else
    insert into birthday_schedules (workspace_id, next_at) values (new.workspace_id, '-infinity')
      on conflict (workspace_id) do update set next_at = excluded.next_at;
  end if;
  return null;
end $$;
create or replace trigger schedule_birthdays after update of birthday_messages on crm_settings for each row
  when (new.birthday_messages is distinct from old.birthday_messages) execute function schedule_birthday_messages();
create or replace trigger schedule_first_birthdays after insert on crm_settings for each row
  when (new.birthday_messages <> '[]') execute function schedule_birthday_messages();

/*
  Claims at most p_limit workspaces that are due at p_now, for five minutes. For each: its templates, quiet hours and name, and the zones of
  its contacts with one of these birthdays. `lease` is what finishes the claim.
*/
create or replace function claim_birthdays(p_now timestamptz, p_birthdays smallint[], p_limit int) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  claimed uuid[];
  lease constant timestamptz := date_trunc('milliseconds', p_now) + interval '5 minutes';
begin
  claimed := array(select workspace_id from birthday_schedules where next_at <= p_now order by next_at limit p_limit
    for update skip locked);
  if claimed = '{}' then return '[]'; end if;
  update birthday_schedules set next_at = lease where workspace_id = any (claimed);
  return (select coalesce(jsonb_agg(jsonb_build_object('workspace_id', w.id, 'company', w.name, 'templates', s.birthday_messages,
      'quiet_hours', s.quiet_hours, 'lease', lease, 'groups', (select coalesce(jsonb_agg(distinct jsonb_build_object('birthday', c.birthday,
        'zone', c.local_zone)), '[]') from contacts c where c.workspace_id = w.id and c.birthday = any (p_birthdays)))), '[]')
    from workspaces w join crm_settings s on s.workspace_id = w.id where w.id = any (claimed));
end $$;

-- The next contacts, at most p_limit, with these birthdays and zones (birthday, zone, day, year) who have not been dealt with.
create or replace function due_birthdays(p_workspace uuid, p_open jsonb, p_limit int) returns jsonb
  stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(to_jsonb(d)), '[]') from (
    select c.id, c.first_name, c.last_name, c.date_of_birth, c.relationship_started_at, c.archived, c.email, c.phone, c.email_unsubscribed,
        c.sms_unsubscribed, c.whatsapp_unsubscribed, c.local_zone as zone, configured_channels(p_workspace) as configured,
          o.day, o.year, o.expires_at,
        array(select s.channel from suppressions s where s.workspace_id = p_workspace and s.address = any (array[c.email, c.phone])
          and s.address = case s.channel when 'email' then c.email else c.phone end) as suppressed
      from jsonb_to_recordset(p_open) o(birthday smallint, zone text, day date, year smallint, expires_at text)
        join contacts c on c.workspace_id = p_workspace and c.birthday = o.birthday and c.local_zone = o.zone
      where not exists (select from birthday_deliveries b where b.workspace_id = p_workspace and b.contact_id = c.id and b.year = o.year
        and (b.day = o.day or b.result = 'queued'))
      order by c.id limit p_limit) d
$$;

/*
  Saves what contacts get on their birthday (contact_id, year, day, channel, result, message), and counts it. A message is reserved and
  noted in one transaction; the keys of both make it one for each contact, year and channel. A year in which it was only skipped is not used
  up.
*/
create or replace function save_birthdays(p_workspace uuid, p_rows jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  present uuid[];
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  with kept as (
    select id from contacts where workspace_id = p_workspace
      and id = any (array(select (r ->> 'contact_id')::uuid from jsonb_array_elements(p_rows) r))
      order by id for key share
  ) select array_agg(id) into present from kept;
  perform reserve_messages((select jsonb_agg(r -> 'message') from jsonb_array_elements(p_rows) r
    where r ->> 'result' = 'queued' and (r ->> 'contact_id')::uuid = any (present)));
  with saved as (
    insert into birthday_deliveries as b (contact_id, year, day, channel, result, message_id)
      select r.contact_id, r.year, r.day, r.channel, r.result, m.id
        from jsonb_to_recordset(p_rows) r(contact_id uuid, year smallint, day date, channel text, result text, message jsonb)
          left join messages m on m.workspace_id = p_workspace and m.dedupe_key = r.message ->> 'dedupe_key'
        where r.contact_id = any (present) order by r.contact_id, r.channel
      on conflict (workspace_id, contact_id, year, channel) do update
        set day = excluded.day, result = excluded.result, message_id = excluded.message_id, created_at = excluded.created_at
        where b.result <> 'queued' and (b.day <> excluded.day or excluded.result = 'queued')
      returning b.day, b.channel, b.result
  ) insert into birthday_counts as n (day, channel, result, contacts) select s.day, s.channel, s.result, count(*)
      from saved s group by 1, 2, 3
      order by 1, 2, 3
    on conflict (workspace_id, day, channel, result) do update set contacts = n.contacts + excluded.contacts;
end $$;

-- Ends a claim, unless the templates have changed since.
create or replace function finish_birthdays(p_workspace uuid, p_lease timestamptz, p_next timestamptz) returns void
  security definer set search_path = public, pg_temp language sql as $$
  update birthday_schedules set next_at = p_next where workspace_id = p_workspace and next_at = p_lease
$$;

revoke execute on function schedule_birthday_messages, claim_birthdays, due_birthdays, save_birthdays, finish_birthdays from public, app;
grant execute on function claim_birthdays, due_birthdays, save_birthdays, finish_birthdays to jobs;
