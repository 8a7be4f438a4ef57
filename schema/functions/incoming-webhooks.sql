-- Incoming webhooks: what other systems send to a token. The requests are stored first, and processed in the background.

-- At most p_limit requests whose message was lost.
create or replace function waiting_incoming(p_limit int)
  returns table (workspace_id uuid, id uuid) stable security definer set search_path = public, pg_temp language sql as $$
  select workspace_id, id from incoming_requests where state = 'received' and created_at < now() - interval '30 seconds' order by created_at limit p_limit
$$;

revoke execute on function waiting_incoming from public, app;
grant execute on function waiting_incoming to jobs;
