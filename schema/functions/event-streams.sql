/*
  Leases one of a key's slots for event streams. A lease must be renewed before it expires, because an isolate that ends cannot release it.
  Raises RATE_LIMITED if all slots are taken.
*/
create or replace function open_stream(p_stream uuid, p_most int, p_seconds int)
  returns void security definer set search_path = public, pg_temp language plpgsql as $$
begin
  for lease in 1..p_most loop
    insert into stream_leases (workspace_id, key_id, slot, stream_id, expires_at)
      values (current_workspace(), current_key_id(), lease, p_stream, now() + make_interval(secs => p_seconds))
      on conflict (workspace_id, key_id, slot) do update set stream_id = excluded.stream_id, expires_at = excluded.expires_at
        where stream_leases.expires_at < now();
    if found then return; end if;
  end loop;
  perform fail('RATE_LIMITED', format('This key follows %s imports already: end one of these streams, or wait', p_most));
end $$;

-- Renews a stream's lease; false if it has expired and another stream has the slot.
create or replace function renew_stream(p_stream uuid, p_seconds int)
  returns boolean security definer set search_path = public, pg_temp language plpgsql as $$
begin
  update stream_leases set expires_at = now() + make_interval(secs => p_seconds)
    where workspace_id = (select current_workspace()) and key_id = current_key_id() and stream_id = p_stream;
  return found;
end $$;

create or replace function close_stream(p_stream uuid) returns void security definer set search_path = public, pg_temp language sql as $$
  delete from stream_leases where workspace_id = (select current_workspace()) and key_id = current_key_id() and stream_id = p_stream
$$;

revoke execute on function open_stream, renew_stream, close_stream from public;
grant execute on function open_stream, renew_stream, close_stream to app;
