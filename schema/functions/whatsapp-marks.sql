/*
  Reactions, and receipts that messages were read, which are sent to WhatsApp. Each is a state, so sending it again changes nothing, and an attempt without an answer is
  repeated. A row is claimed by one worker at a time, so that what is sent last is what holds; a change while a worker is at it raises `turn` and is sent next.
*/

-- Sets the reaction from here to a message; an empty text takes it away.
create or replace function react_to_whatsapp(p_message uuid, p_emoji text) returns void security definer set search_path = public, pg_temp language sql as $$
  insert into whatsapp_reactions as r (workspace_id, whatsapp_message_id, emoji) select workspace_id, id, p_emoji from whatsapp_messages where workspace_id = (select current_workspace()) and id = p_message
  on conflict (workspace_id, whatsapp_message_id) do update set emoji = excluded.emoji, status = 'queued', reacted_at = now(), attempts = 0, turn = r.turn + 1, error = null,
    due_at = case when r.claim_id is null then now() else r.due_at end
$$;

/*
  Whether a reaction of the paired phone, which the provider reports, is one that was sent from here: every attempt is reported, and the row has what holds in the end. What somebody has done at the
  phone since is none. The provider's times are whole seconds, and its clock may be somewhat ahead.
*/
create or replace function is_own_reaction(p_workspace uuid, m whatsapp_messages) returns boolean stable language sql as $$
  select exists (select from whatsapp_messages q join whatsapp_reactions r on r.workspace_id = p_workspace and r.whatsapp_message_id = q.id
    where q.workspace_id = p_workspace and q.key_id = m.quoted_key_id and q.conversation_id is not distinct from m.conversation_id and q.group_id is not distinct from m.group_id
      and (r.status = 'queued' or m.occurred_at <= r.reacted_at + case when r.emoji = m.body_text then interval '1 minute' else '0' end))
$$;

-- Notes how many messages a request has marked as read, of which the latest thousand are reported, unless the workspace keeps that to itself. People whose number is hidden get no receipts.
create or replace function note_whatsapp_reads() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  most constant int := 1000;
begin
  if not coalesce((select whatsapp_read_receipts from crm_settings where workspace_id = new.workspace_id), true) then return null; end if;
  insert into whatsapp_reads as r (workspace_id, conversation_id, unread, until_at)
    values (new.workspace_id, new.id, least(old.unread_count, most), greatest(now(), new.last_message_at))
    on conflict (workspace_id, conversation_id) do update set unread = least(r.unread + excluded.unread, most), until_at = excluded.until_at, until_id = null, attempts = 0,
      turn = r.turn + 1, error = null, due_at = case when r.claim_id is null then now() else r.due_at end;
  return null;
end $$;
create or replace trigger note_reads after update of unread_count on whatsapp_conversations for each row
  when (old.unread_count > 0 and new.unread_count = 0 and not new.unread and new.external_phone_number is not null and not merge_in_progress()) execute function note_whatsapp_reads();

-- The workspaces with something that is due.
create or replace function waiting_whatsapp_marks(p_limit int) returns setof uuid stable security definer set search_path = public, pg_temp language sql as $$
  select distinct d.workspace_id from ((select workspace_id from whatsapp_reactions where due_at <= now() order by due_at limit 1000)
    union all (select workspace_id from whatsapp_reads where due_at <= now() order by due_at limit 1000)) d limit p_limit
$$;

-- The ids of the unread messages that a row of whatsapp_reads reports next, at most 100, of the latest 200 that are left; where they end, and how many of them were unread.
create or replace function next_whatsapp_reads(r whatsapp_reads) returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('key_ids', coalesce(jsonb_agg(m.key_id) filter (where m.direction = 'inbound' and m.key_id is not null and m.type <> 'reaction' and not m.is_deleted), '[]'),
      'taken', count(*) filter (where m.direction = 'inbound'), 'seen', count(*), 'until_at', iso((array_agg(m.occurred_at order by m.occurred_at, m.id))[1]),
      'until_id', (array_agg(m.id order by m.occurred_at, m.id))[1])
    from (select w.*, count(*) filter (where w.direction = 'inbound') over (order by w.occurred_at desc, w.id desc) as nth from (
        select * from whatsapp_messages where workspace_id = r.workspace_id and conversation_id = r.conversation_id
          and (occurred_at, id) < (r.until_at, coalesce(r.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) order by occurred_at desc, id desc limit 200) w) m
    where m.nth <= least(r.unread, 100)
$$;

-- Claims what is due of a workspace, at most p_limit of each kind, for p_lease seconds.
create or replace function claim_whatsapp_marks(p_workspace uuid, p_limit int, p_lease int) returns jsonb security definer set search_path = public, pg_temp language plpgsql as $$
declare
  claim constant uuid := gen_random_uuid();
  until constant timestamptz := date_trunc('milliseconds', now()) + make_interval(secs => p_lease);
begin
  update whatsapp_reactions set claim_id = claim, attempts = attempts + 1, due_at = until where workspace_id = p_workspace and id = any (array(
    select id from whatsapp_reactions where workspace_id = p_workspace and due_at <= now() order by due_at, id limit p_limit for update skip locked));
  update whatsapp_reads set claim_id = claim, attempts = attempts + 1, due_at = until where workspace_id = p_workspace and id = any (array(
    select id from whatsapp_reads where workspace_id = p_workspace and due_at <= now() order by due_at, id limit p_limit for update skip locked));
  return jsonb_build_object(
    'reactions', (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'claim_id', r.claim_id, 'turn', r.turn, 'attempts', r.attempts, 'emoji', r.emoji, 'key_id', m.key_id,
        'from_me', m.direction = 'outbound', 'recipient', coalesce(g.jid, c.external_phone_number, c.lid), 'is_group', g.id is not null, 'sender_jid', m.sender_jid, 'sender_phone', m.sender_phone,
        'is_deleted', m.is_deleted) order by r.id), '[]')
      from whatsapp_reactions r join whatsapp_messages m on m.workspace_id = r.workspace_id and m.id = r.whatsapp_message_id
        left join whatsapp_groups g on g.workspace_id = r.workspace_id and g.id = m.group_id left join whatsapp_conversations c on c.workspace_id = r.workspace_id and c.id = m.conversation_id
      where r.workspace_id = p_workspace and r.due_at = until and r.claim_id = claim),
    'reads', (select coalesce(jsonb_agg(next_whatsapp_reads(r) || jsonb_build_object('id', r.id, 'claim_id', r.claim_id, 'turn', r.turn, 'attempts', r.attempts,
        'recipient', c.external_phone_number, 'is_allowed', coalesce(s.whatsapp_read_receipts, true)) order by r.id), '[]')
      from whatsapp_reads r join whatsapp_conversations c on c.workspace_id = r.workspace_id and c.id = r.conversation_id left join crm_settings s on s.workspace_id = r.workspace_id
      where r.workspace_id = p_workspace and r.due_at = until and r.claim_id = claim));
end $$;

/*
  Stores what has come of attempts (p_reactions: id, claim_id, turn, error, wait; p_reads also taken, seen, until_at, until_id). Without an error WhatsApp has accepted it; with one, `wait` is
  the seconds until the next attempt, null after the last. What was changed meanwhile is due at once.
*/
create or replace function settle_whatsapp_marks(p_workspace uuid, p_reactions jsonb, p_reads jsonb) returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  r record;
begin
  perform set_config('app.workspace_id', p_workspace::text, true);
  perform set_cause('provider', null);
  for r in
    update whatsapp_reactions x set claim_id = null, error = case when x.turn = o.turn then o.error end,
        status = case when x.turn <> o.turn then 'queued' when o.error is null then 'sent' when o.wait is null then 'failed' else 'queued' end,
        due_at = case when x.turn <> o.turn then now() else now() + make_interval(secs => o.wait) end,
        reacted_at = case when x.turn = o.turn and o.wait is null then now() else x.reacted_at end
      from jsonb_to_recordset(p_reactions) o(id uuid, claim_id uuid, turn int, error text, wait int)
      where x.workspace_id = p_workspace and x.id = o.id and x.claim_id = o.claim_id returning x.*
  loop
    perform emit(case r.status when 'sent' then 'whatsapp.reaction_sent' else 'whatsapp.reaction_failed' end, case when m.group_id is null then 'whatsapp_conversation' else 'whatsapp_group' end, coalesce(m.group_id, m.conversation_id),
        jsonb_build_object('whatsapp_message_id', m.id, 'emoji', nullif(r.emoji, ''), 'error', r.error))
      from whatsapp_messages m where m.workspace_id = p_workspace and m.id = r.whatsapp_message_id and r.status in ('sent', 'failed');
  end loop;
  update whatsapp_reads x set claim_id = null, attempts = case when o.error is null then 0 else x.attempts end, error = case when x.turn = o.turn then o.error end,
      unread = case when x.turn <> o.turn then x.unread when o.error is null then case when o.seen > 0 then greatest(x.unread - o.taken, 0) else 0 end when o.wait is null then 0 else x.unread end,
      until_at = case when x.turn = o.turn and o.error is null then coalesce(o.until_at, x.until_at) else x.until_at end,
      until_id = case when x.turn = o.turn and o.error is null then coalesce(o.until_id, x.until_id) else x.until_id end,
      due_at = case when x.turn <> o.turn then now() when o.error is not null then now() + make_interval(secs => o.wait) when x.unread > o.taken and o.seen > 0 then now() end
    from jsonb_to_recordset(p_reads) o(id uuid, claim_id uuid, turn int, error text, wait int, taken int, seen int, until_at timestamptz, until_id uuid)
    where x.workspace_id = p_workspace and x.id = o.id and x.claim_id = o.claim_id;
end $$;

revoke execute on function react_to_whatsapp, note_whatsapp_reads from public;
revoke execute on function note_whatsapp_reads from app;
grant execute on function react_to_whatsapp to app;
revoke execute on function is_own_reaction, waiting_whatsapp_marks, next_whatsapp_reads, claim_whatsapp_marks, settle_whatsapp_marks from public, app;
grant execute on function waiting_whatsapp_marks, claim_whatsapp_marks, settle_whatsapp_marks to jobs;
