-- Proposals of agents: writes that wait for approval with a reason and evidence. Approvals decide about them and execute them.

-- Where evidence names a record that is not in this workspace, or that the team does not see.
create or replace function unknown_evidence(p_evidence jsonb) returns text[] stable language sql as $$
  select array(select format('evidence.%s.id', e.n - 1) from (select n, v ->> 'type' as type, (v ->> 'id')::uuid as id
      from jsonb_array_elements(p_evidence) with ordinality l(v, n)) e
    where e.id is not null and not case e.type
      when 'company' then exists (select from companies c where c.workspace_id = (select current_workspace()) and c.id = e.id)
      when 'opportunity' then exists (select from opportunities o where o.workspace_id = (select current_workspace()) and o.id = e.id)
      when 'knowledge_entry' then exists (select from knowledge_entries k
        where k.workspace_id = (select current_workspace()) and k.id = e.id)
      when 'memory' then exists (select from memories m where m.workspace_id = (select current_workspace()) and m.id = e.id)
      when 'page' then false
      when 'other' then false
      else is_memory_source(e.type, e.id) end order by e.n)
$$;

-- Stores a write that its dry run found valid (p: see create_approval) with its grounds.
create or replace function propose_write(p_id uuid, p jsonb, p_operation text, p_grounds jsonb) returns void language sql as $$
  insert into agent_proposals (id, approval_id, operation_id, grounds) select p_id, create_approval(p), p_operation, p_grounds
$$;

-- Withdraws a proposal: its approval is rejected, so that it is never executed. Only the member who has made it can, while nobody has
-- decided.
create or replace function withdraw_proposal(p_id uuid)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
declare
  w constant uuid := current_workspace();
  proposal agent_proposals;
  approval approvals;
begin
  select * into proposal from agent_proposals a where a.workspace_id = w and a.id = p_id;
  if proposal.id is null then perform fail('NOT_FOUND', 'No such agent proposal in this workspace'); end if;
  select * into approval from approvals a where a.workspace_id = w and a.id = proposal.approval_id for update;
  if approval.requested_by is distinct from current_user_id() then
    perform fail('FORBIDDEN', 'Only the member whose key has proposed it may withdraw it: reject its approval instead');
  end if;
  perform assert_pending(approval);
  update approvals set status = 'rejected', reason = 'Withdrawn by its proposer', decided_by = current_user_id(),
    decided_key_id = current_key_id(), decided_at = now() where workspace_id = w and id = approval.id;
  update agent_proposals set withdrawn_at = now() where workspace_id = w and id = p_id;
end $$;

revoke execute on function propose_write, withdraw_proposal from public;
grant execute on function propose_write, withdraw_proposal to app;
