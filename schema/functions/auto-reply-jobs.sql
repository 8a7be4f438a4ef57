/*
  Auto replies. A message that is received makes the reply of its conversation due when the burst has ended: one row waits in each
  conversation. A worker reads it, and the transaction that sends the reply, asks for approval or adds the task ends the row, if the
  conversation still has as many messages as were read.
*/

-- Makes a reply due, or the one that already is, later: not after the most seconds of a burst.
create or replace function queue_auto_reply(p_workspace uuid, p_responder uuid, p_conversation uuid, p_message uuid) returns void
  security definer set search_path = public, pg_temp language sql as $$
  insert into auto_replies as a (workspace_id, auto_responder_id, conversation_id, incoming_id, due_at)
    values (p_workspace, p_responder, p_conversation, p_message, now() + make_interval(secs => burst_seconds()))
    on conflict (workspace_id, conversation_id) where outcome is null do update set incoming_id = excluded.incoming_id,
      auto_responder_id = excluded.auto_responder_id, turn = a.turn + 1,
      due_at = least(excluded.due_at, greatest(now(), a.created_at + make_interval(secs => max_burst_seconds())))
$$;

-- Whether the address or the number of a recipient is suppressed, or that of a contact who is archived or has unsubscribed.
create or replace function is_unanswerable(p_workspace uuid, p_channel text, p_address text, p_contact uuid)
  returns boolean stable language sql as $$
  select exists (select from suppressions s where s.workspace_id = p_workspace and s.channel = p_channel and s.address = p_address)
    or exists (select from contacts c
      where c.workspace_id = p_workspace and c.id = p_contact and (c.archived or p_channel = 'sms' and c.sms_unsubscribed))
    or p_channel = 'email' and exists (select from contacts c
      where c.workspace_id = p_workspace and c.email = p_address and c.email_unsubscribed)
$$;

-- Nobody answers a keyword, a number that this service has itself, or somebody who must not be written to.
create or replace function queue_sms_reply(p_workspace uuid, p_conversation uuid, p_message uuid, p_contact uuid, p jsonb) returns void
  security definer set search_path = public, pg_temp language sql as $$
  select queue_auto_reply(p_workspace, r.id, p_conversation, p_message)
    from phone_numbers n join auto_responders r on r.workspace_id = n.workspace_id and r.phone_number_id = n.id
    where n.workspace_id = p_workspace and n.phone_number = p ->> 'to' and r.enabled and p ->> 'keyword' is null
      and not exists (select from phone_numbers o where o.phone_number = p ->> 'from')
      and not is_unanswerable(p_workspace, 'sms', p ->> 'from', p_contact)
$$;

-- Nobody answers automatic mail, the workspace itself, or somebody who must not be written to: a contact is written to at its email, and
-- anybody else where replies are wanted. The email config is one that the email is to, or that has written last.
create or replace function queue_email_reply(p_workspace uuid, p_email uuid) returns void
  security definer set search_path = public, pg_temp language sql as $$
  select queue_auto_reply(p_workspace, r.id, e.thread_id, e.id)
    from email_messages e cross join lateral (
        select g.id from email_configs g
            where g.workspace_id = p_workspace and (g.from_email = any (e.to_emails || e.cc_emails) or g.from_email =
            (select o.from_email from email_messages o
              where o.workspace_id = p_workspace and o.thread_id = e.thread_id and o.direction = 'outbound'
              order by o.occurred_at desc, o.id desc limit 1))
          order by g.from_email = any (e.to_emails || e.cc_emails) desc, g.created_at, g.id limit 1) c
      join auto_responders r on r.workspace_id = p_workspace and r.email_config_id = c.id
      cross join lateral (select case when e.contact_id is null then coalesce(e.reply_to, e.from_email)
        else (select p.email from contacts p where p.workspace_id = p_workspace and p.id = e.contact_id) end as address) t
    where e.workspace_id = p_workspace and e.id = p_email and r.enabled and e.private_to is null and not e.is_automatic
      and not exists (select from email_configs o where o.workspace_id = p_workspace and o.from_email in (e.from_email, e.reply_to))
      and t.address is not null and not is_unanswerable(p_workspace, 'email', t.address, e.contact_id)
$$;

-- What an attempt needs: the messages since the last one that was sent, latest last.
create or replace function read_auto_replies(p_workspace uuid, p_ids uuid[]) returns table (id uuid, item jsonb) stable language sql as $$
  select a.id, jsonb_build_object('responder_id', r.id, 'key_id', r.key_id, 'enabled', r.enabled, 'channel', r.channel,
      'conversation_id', a.conversation_id, 'message_count', c.message_count, 'contact_id', c.contact_id, 'subject', t.subject,
      'email_config_id', r.email_config_id, 'from', coalesce(s.external_phone_number, m.from_email), 'phone_number_id', r.phone_number_id,
      'texts', (select coalesce(jsonb_agg(jsonb_build_object('id', x.id, 'direction', x.direction, 'text', left(x.body, max_message_read()))
        order by x.n desc), '[]')
        from conversation_texts(a.conversation_id, 10) x),
      'replies', (select count(*) from auto_replies o where o.workspace_id = p_workspace and o.conversation_id = a.conversation_id
        and o.created_at > now() - interval '24 hours' and o.outcome in ('sent', 'held')))
    from auto_replies a left join auto_responders r on r.workspace_id = a.workspace_id and r.id = a.auto_responder_id
      left join conversations c on c.workspace_id = a.workspace_id and c.id = a.conversation_id
      left join email_threads t on t.workspace_id = a.workspace_id and t.id = a.conversation_id
      left join sms_conversations s on s.workspace_id = a.workspace_id and s.id = a.conversation_id
      left join email_messages m on m.workspace_id = a.workspace_id and m.id = a.incoming_id
    where a.workspace_id = p_workspace and a.id = any (p_ids)
$$;

/*
  Ends a reply in the transaction of its effect, whose last statement is p_finished (finish_request); raises CONFLICT, which undoes the
  effect, if another worker has it, the auto responder is disabled, or the conversation has other messages than were read. p: id, claim_id,
  messages (how many there are with the effect), outcome and the columns of the row; run: how its run ends.
*/
create or replace function end_auto_reply(p_workspace uuid, p jsonb, p_finished jsonb) returns jsonb
  security definer set search_path = public, pg_temp language plpgsql as $$
declare
  a auto_replies;
  messages int;
begin
  select * into a from auto_replies where workspace_id = p_workspace and id = (p ->> 'id')::uuid;
  select c.message_count into messages from conversations c where c.workspace_id = p_workspace and c.id = a.conversation_id for update;
  if messages is distinct from (p ->> 'messages')::int then
    perform fail('CONFLICT', 'The conversation has another message meanwhile', '{"reply": "overtaken"}');
  end if;
  update auto_replies r set outcome = p ->> 'outcome', category = p ->> 'category', action = p ->> 'action', reason = p ->> 'reason',
      incoming_id = (p ->> 'incoming_id')::uuid,
      run_id = (p ->> 'run_id')::uuid, credits = (p ->> 'credits')::int, ended_at = clock_timestamp(), due_at = null,
      approval_id = case p ->> 'outcome' when 'held' then (p_finished #>> '{rows,0,0}')::uuid end
    where r.workspace_id = p_workspace and r.id = a.id and r.claim_id = (p ->> 'claim_id')::uuid and r.outcome is null
      and exists (select from auto_responders e where e.workspace_id = p_workspace and e.id = r.auto_responder_id and e.enabled);
  if not found then perform fail('CONFLICT', 'Another worker has this reply', '{"reply": "lost"}'); end if;
  perform end_responder_run(p_workspace, p);
  return p_finished;
end $$;

-- Ends the run of a reply (p: run_id, run), and notes why its auto responder could not act (p: error).
create or replace function end_responder_run(p_workspace uuid, p jsonb) returns void
  security definer set search_path = public, pg_temp language plpgsql as $$
begin
  if p -> 'run' <> 'null' then
    perform note_skill_run((p ->> 'run_id')::uuid, p -> 'run');
    perform settle_skill_run(p_workspace, (p ->> 'run_id')::uuid, p -> 'run');
  end if;
  update auto_responders set error = p ->> 'error'
    where workspace_id = p_workspace and id = (p ->> 'responder_id')::uuid and error is distinct from p ->> 'error';
end $$;

create or replace function settle_auto_reply(p_workspace uuid, p_id uuid, p_same boolean, p jsonb) returns int
  security definer set search_path = public, pg_temp language sql as $$
  select case when p ? 'responder_id' then end_responder_run(p_workspace, p) end;
  select null::int
$$;

-- Deletes replies that ended long ago, at most p_limit, and returns their number.
create or replace function expire_auto_replies(p_limit int default 10000) returns int
  security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  deleted int;
begin
  delete from auto_replies
    where ctid = any (array(select ctid from auto_replies
      where id < id_at(now() - make_interval(days => auto_reply_days())) limit p_limit));
  get diagnostics deleted = row_count;
  return deleted;
end $$;

revoke execute on function queue_auto_reply, is_unanswerable, queue_sms_reply, queue_email_reply, read_auto_replies, end_auto_reply,
  end_responder_run, settle_auto_reply, expire_auto_replies from public, app, jobs;
grant execute on function end_auto_reply, expire_auto_replies to jobs;
