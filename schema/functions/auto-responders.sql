/*
  Auto responders act with the rights of the key that has written them last, so that key must have every scope that they take: those of
  sending, of the tasks that an escalation adds, and of what the model reads.
*/
create or replace function responder_scopes(r auto_responders) returns text[] immutable language sql
  return array[r.channel || ':send', 'tasks:write'] || r.tool_scopes
    || case when r.knowledge_base_id is null then '{}'::text[] else '{knowledge:read}' end
    || case when 'conversation' = any (r.context_modules) then array[r.channel || ':read'] else '{}' end
    || case when 'contact' = any (r.context_modules) then '{contacts:read}'::text[] else '{}' end
    || case when 'opportunities' = any (r.context_modules) then '{opportunities:read}'::text[] else '{}' end;


-- The latest messages of a conversation by SMS or email, as the caller sees them; `n` counts from the latest one.
create or replace function conversation_texts(p_conversation uuid, p_limit int) returns table (id uuid, direction text, body text, n bigint)
  stable language sql as $$
  select t.id, t.direction, t.body, row_number() over (order by t.occurred_at desc, t.id desc) from (
    (select s.id, s.direction, coalesce(s.body, m.body_text, '') as body, s.occurred_at from sms_messages s
      left join messages m on m.workspace_id = s.workspace_id and m.id = s.message_id
      where s.workspace_id = (select current_workspace()) and s.conversation_id = p_conversation
      order by s.occurred_at desc, s.id desc limit p_limit)
    union all
    (select e.id, e.direction, coalesce(e.body_text, ''), e.occurred_at from email_messages e
      where e.workspace_id = (select current_workspace()) and e.thread_id = p_conversation
      order by e.occurred_at desc, e.id desc limit p_limit)) t
$$;

-- Begins the run of an auto responder, which reserves its credits: those of a test, or of a reply. Raises INSUFFICIENT_SCOPE without the
-- scopes that it takes.
create or replace function begin_responder_run(p_responder uuid, p_run uuid, p_credits int) returns void language plpgsql as $$
declare
  r auto_responders;
begin
  select * into r from auto_responders where workspace_id = (select current_workspace()) and id = p_responder;
  perform assert_exists(r.id is not null, 'auto responder', p_responder);
  perform assert_scopes(responder_scopes(r));
  perform begin_skill_run(jsonb_build_object('id', p_run, 'skill_id', p_responder, 'credits', p_credits));
end $$;
