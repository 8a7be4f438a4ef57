/*
  The instant before which every change is visible to the statements that follow: the start of the oldest transaction that may still commit
  rows, rounded down to the milliseconds of updated_at. Rows get the start of their transaction as updated_at and become visible later, so a
  reader continues at this instant. It must be called in a statement of its own, before the one that reads: its view of the transactions has
  to be older than the snapshot of the rows.

  Transactions of the Worker (app, jobs) count from their start, because they may write as long as they run, which is at most 18 seconds.
  Those of other roles count for their first minute, and then only if they have written, so that a long backup holds nobody up. A
  transaction reports its start a moment after the start itself; the last second is left out for that. Without the right to see other
  sessions, everything that the limit of 18 seconds allows to be open is taken for open.
*/
create or replace function synced_until() returns timestamptz volatile security definer set search_path = public, pg_temp language sql as $$
  select date_trunc('milliseconds', least(now() - interval '1 second',
    case when pg_has_role('pg_read_all_stats', 'usage') then (
      select min(s.xact_start) from pg_stat_get_activity(null) s
      where s.datid = (select d.oid from pg_database d where d.datname = current_database())
        and s.pid <> pg_backend_pid() and s.backend_type = 'client backend'
        and (s.backend_xid is not null or s.usesysid in ('app'::regrole, 'jobs'::regrole) or s.xact_start > now() - interval '1 minute'))
      else now() - interval '20 seconds' end))
$$;

revoke execute on function synced_until from public;
grant execute on function synced_until to app;
