/*
  Reactions, and receipts that messages were read, which are sent to WhatsApp. Each is a state, so sending it again changes nothing, and an
  attempt without an answer is repeated. A row is claimed by one worker at a time, so that what is sent last is what holds; a change while a
  worker is at it raises `turn` and is sent next.
*/

-- Sets the reaction from here to a message; an empty text takes it away.
create or replace function react_to_whatsapp(p_message uuid, p_emoji text)
  returns void security definer set search_path = public, pg_temp language sql as $$
  insert into whatsapp_reactions as r (workspace_id, whatsapp_message_id, emoji) select workspace_id, id, p_emoji from whatsapp_messages
    where workspace_id = (select current_workspace()) and id = p_message for key share
  on conflict (workspace_id, whatsapp_message_id)
    do update set emoji = excluded.emoji, status = 'queued', reacted_at = now(), attempts = 0, turn = r.turn + 1, error = null,
    due_at = case when r.claim_id is null then now() else r.due_at end
$$;

/*
  Whether a reaction of the paired phone, which the provider reports, is one that was sent from here: every attempt is reported, and the row
  has what holds in the end. What somebody has done at the phone since is none. The provider's times are whole seconds, and its clock may be
  somewhat ahead.
*/
create or replace function is_own_reaction(p_workspace uuid, m whatsapp_messages) returns boolean stable language sql as $$
  select exists (select from whatsapp_messages q join whatsapp_reactions r on r.workspace_id = p_workspace and r.whatsapp_message_id = q.id
    where q.workspace_id = p_workspace and q.key_id = m.quoted_key_id and q.conversation_id is not distinct from m.conversation_id
    and q.group_id is not distinct from m.group_id
      and (r.status = 'queued' or m.occurred_at <= r.reacted_at + case when r.emoji = m.body_text then interval '1 minute' else '0' end))
$$;

-- Notes how many messages a request has marked as read, of which the latest thousand are reported, unless the workspace keeps that to
-- itself. People whose number is hidden get no receipts.
create or replace function note_whatsapp_reads() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
declare
  most constant int := 1000;
begin
  if not coalesce((select whatsapp_read_receipts from crm_settings where workspace_id = new.workspace_id), true) then return null; end if;
  insert into whatsapp_reads as r (workspace_id, conversation_id, unread, until_at)
    values (new.workspace_id, new.id, least(old.unread_count, most), greatest(now(), new.last_message_at))
    on conflict (workspace_id, conversation_id)
      do update set unread = least(r.unread + excluded.unread, most), until_at = excluded.until_at, until_id = null, attempts = 0,
      turn = r.turn + 1, error = null, due_at = case when r.claim_id is null then now() else r.due_at end;
  return null;
end $$;
create or replace trigger note_reads after update of unread_count on whatsapp_conversations for each row
  when (old.unread_count > 0 and new.unread_count = 0 and not new.unread and new.external_phone_number is not null
    and not merge_in_progress()) execute function note_whatsapp_reads();

-- The ids of the unread messages that a row of whatsapp_reads reports next, at most 100, of the latest 200 that are left; where they end,
-- and how many of them were unread.
create or replace function next_whatsapp_reads(r whatsapp_reads)
  returns jsonb stable security definer set search_path = public, pg_temp language sql as $$
  select jsonb_build_object('key_ids',
      coalesce(jsonb_agg(m.key_id) filter (where m.direction = 'inbound' and m.key_id is not null and m.type <> 'reaction'
      and not m.is_deleted), '[]'),
      'taken', count(*) filter (where m.direction = 'inbound'), 'seen', count(*),
        'until_at', iso((array_agg(m.occurred_at order by m.occurred_at, m.id))[1]),
      'until_id', (array_agg(m.id order by m.occurred_at, m.id))[1])
    from (select w.*, count(*) filter (where w.direction = 'inbound') over (order by w.occurred_at desc, w.id desc) as nth from (
        select * from whatsapp_messages where workspace_id = r.workspace_id and conversation_id = r.conversation_id
          and (occurred_at, id) < (r.until_at, coalesce(r.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          order by occurred_at desc, id desc limit 200) w) m
    where m.nth <= least(r.unread, 100)
$$;

-- Reactions that a worker has claimed (ClaimedReaction in src/features/whatsapp/plans/marks.ts).
create or replace function read_whatsapp_reactions(p_workspace uuid, p_ids uuid[])
  returns table (id uuid, item jsonb) stable language sql as $$
  select r.id, jsonb_build_object('emoji', r.emoji, 'key_id', m.key_id, 'from_me', m.direction = 'outbound',
      'recipient', coalesce(g.jid, c.external_phone_number, c.lid), 'sender_jid', m.sender_jid, 'sender_phone', m.sender_phone,
      'is_deleted', m.is_deleted)
    from whatsapp_reactions r join whatsapp_messages m on m.workspace_id = r.workspace_id and m.id = r.whatsapp_message_id
      left join whatsapp_groups g on g.workspace_id = r.workspace_id and g.id = m.group_id
      left join whatsapp_conversations c on c.workspace_id = r.workspace_id and c.id = m.conversation_id
    where r.workspace_id = p_workspace and r.id = any (p_ids)
$$;

-- Rows of whatsapp_reads that a worker has claimed, with the messages that are reported next (ClaimedReads).
create or replace function read_whatsapp_reads(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select r.id, next_whatsapp_reads(r) || jsonb_build_object('unread', r.unread, 'recipient', c.external_phone_number,
      'is_allowed', coalesce(s.whatsapp_read_receipts, true))
    from whatsapp_reads r join whatsapp_conversations c on c.workspace_id = r.workspace_id and c.id = r.conversation_id
      left join crm_settings s on s.workspace_id = r.workspace_id
    where r.workspace_id = p_workspace and r.id = any (p_ids)
$$;

-- Announces that WhatsApp has accepted a reaction, or has not in several attempts. One that was changed meanwhile is sent again first.
create or replace function settle_whatsapp_reaction(p_workspace uuid, p_id uuid, p_is_same boolean, p jsonb)
  returns int language plpgsql as $$
begin
  if not p_is_same or p #>> '{results,status}' = 'queued' then return null; end if;
  update whatsapp_reactions set reacted_at = now() where workspace_id = p_workspace and id = p_id;
  perform emit(case p #>> '{results,status}' when 'sent' then 'whatsapp.reaction_sent' else 'whatsapp.reaction_failed' end,
      case when m.group_id is null then 'whatsapp_conversation' else 'whatsapp_group' end, coalesce(m.group_id, m.conversation_id),
      jsonb_build_object('whatsapp_message_id', m.id, 'emoji', nullif(r.emoji, ''), 'error', p #> '{results,error}'))
    from whatsapp_reactions r join whatsapp_messages m on m.workspace_id = r.workspace_id and m.id = r.whatsapp_message_id
    where r.workspace_id = p_workspace and r.id = p_id;
  return null;
end $$;

revoke execute on function react_to_whatsapp, note_whatsapp_reads from public;
revoke execute on function note_whatsapp_reads from app;
grant execute on function react_to_whatsapp to app;
revoke execute on function is_own_reaction, next_whatsapp_reads, read_whatsapp_reactions, read_whatsapp_reads, settle_whatsapp_reaction
  from public, app, jobs;
