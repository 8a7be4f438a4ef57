/*
  Credits. A message with a price (messages.credits) reserves its credits when its row is inserted, in the same transaction; they are
  settled when the message is sent, and refunded when it has failed or is deleted before. Triggers do so on every path. The balance is one
  row, which these changes lock, so it is never negative; the entries are only inserted, and a message has at most one of each kind.
*/
create or replace function move_credits(p_workspace uuid, p_kind text, p_messages jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  total int;
  available int;
  rest int;
begin
  select coalesce(sum(m.credits), 0) into total from jsonb_to_recordset(p_messages) m(credits int);
  if total = 0 then return; end if;
  select balance into available from credit_accounts where workspace_id = p_workspace for update;
  if p_kind = 'reserve' and coalesce(available, 0) < total then
    perform fail('INSUFFICIENT_CREDITS', format('This costs %s credits, and the workspace has %s', total, coalesce(available, 0)),
      jsonb_build_object('required', total, 'balance', coalesce(available, 0)));
  end if;
  update credit_accounts set balance = balance + case p_kind when 'reserve' then -total when 'refund' then total else 0 end,
      reserved = reserved + case p_kind when 'reserve' then total else -total end
    where workspace_id = p_workspace returning balance into rest;
  insert into credit_entries (workspace_id, kind, amount, balance, message_id, channel, units, created_at)
    select p_workspace, p_kind, e.change,
        rest - coalesce(sum(e.change) over (order by e.id rows between 1 following and unbounded following), 0),
        e.id, e.channel, e.units, clock_timestamp()
      from (select m.*, case p_kind when 'reserve' then -m.credits when 'refund' then m.credits else 0 end as change
        from jsonb_to_recordset(p_messages) m(id uuid, channel text, units int, credits int)) e order by e.id;
  if p_kind <> 'settle' then return; end if;
  insert into credit_usage as u (workspace_id, month, channel, messages, units, credits)
    select p_workspace, date_trunc('month', now() at time zone 'UTC')::date, m.channel, count(*), sum(m.units), sum(m.credits)
      from jsonb_to_recordset(p_messages) m(channel text, units int, credits int) group by m.channel order by m.channel
    on conflict (workspace_id, month, channel) do update
      set messages = u.messages + excluded.messages, units = u.units + excluded.units, credits = u.credits + excluded.credits;
end $$;

-- Returns the messages whose credits are reserved and neither settled nor refunded.
create or replace function unsettled_credits(p_messages jsonb)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select coalesce(jsonb_agg(m), '[]') from jsonb_array_elements(p_messages) m
    where exists (select from credit_entries e
      where e.workspace_id = (m ->> 'workspace_id')::uuid and e.message_id = (m ->> 'id')::uuid and e.kind = 'reserve')
      and not exists (select from credit_entries e where e.workspace_id = (m ->> 'workspace_id')::uuid and e.message_id = (m ->> 'id')::uuid
        and e.kind in ('settle', 'refund'))
$$;

create or replace function charge_messages() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  found_messages jsonb;
  workspace uuid;
  kind text;
begin
  if tg_op = 'INSERT' then
    for workspace, found_messages in select n.workspace_id, jsonb_agg(charge_of(n)) from new_rows n where n.credits > 0 group by 1 loop
      perform move_credits(workspace, 'reserve', found_messages);
    end loop;
  elsif tg_op = 'UPDATE' then
    for workspace, kind, found_messages in
      select n.workspace_id, case n.status when 'sent' then 'settle' else 'refund' end as k, jsonb_agg(charge_of(n)) from new_rows n
        join old_rows o on o.workspace_id = n.workspace_id and o.id = n.id
        where n.credits > 0 and n.status in ('sent', 'failed') and o.status <> n.status group by 1, 2 order by 1, 2
    loop
      perform move_credits(workspace, kind, unsettled_credits(found_messages));
    end loop;
  elsif exists (select from old_rows) and not merge_in_progress() then
    for workspace, found_messages in select o.workspace_id, jsonb_agg(charge_of(o)) from old_rows o where o.credits > 0
      and o.status not in ('sent', 'failed') group by 1 loop
      perform move_credits(workspace, 'refund', unsettled_credits(found_messages));
    end loop;
  end if;
  return null;
end $$;

create or replace function charge_of(m messages) returns jsonb immutable language sql as $$
  select jsonb_build_object('workspace_id', m.workspace_id, 'id', m.id, 'channel', m.channel,
    'units', coalesce(m.segments, 1), 'credits', m.credits)
$$;
create or replace trigger charge_inserted after insert on messages referencing new table as new_rows for each statement
  when (not merge_in_progress()) execute function charge_messages();
create or replace trigger charge_updated after update on messages referencing old table as old_rows new table as new_rows for each statement
  execute function charge_messages();
create or replace trigger charge_deleted after delete on messages referencing old table as old_rows for each statement
  execute function charge_messages();

-- Grants credits to a workspace, once for each reference. Only the owner of the database may: no request and no job can.
create or replace function grant_credits(p_workspace uuid, p_credits int, p_reference text) returns int
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  rest int;
begin
  if p_credits < 1 then raise exception 'credits must be positive'; end if;
  -- Notetakers are locked before the balance, as when a recording ends.
  perform from notetakers where workspace_id = p_workspace and credits_charged < credits order by id for update;
  insert into credit_accounts (workspace_id) values (p_workspace) on conflict do nothing;
  perform from credit_accounts where workspace_id = p_workspace for update;
  if not exists (select from credit_entries where workspace_id = p_workspace and reference = p_reference) then
    update credit_accounts set balance = balance + p_credits where workspace_id = p_workspace returning balance into rest;
    insert into credit_entries (workspace_id, kind, amount, balance, reference, created_at)
      values (p_workspace, 'grant', p_credits, rest, p_reference, clock_timestamp());
    perform charge_recording(p_workspace, n.id)
      from (select id from notetakers where workspace_id = p_workspace and credits_charged < credits order by id) n;
  end if;
  return (select balance from credit_accounts where workspace_id = p_workspace);
end $$;

revoke execute on function move_credits, unsettled_credits, charge_messages, grant_credits from public, app, jobs;
