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

