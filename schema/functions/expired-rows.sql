/*
  Deletes what expires row by row, at most p_limit rows of each kind, and returns their number: idempotency responses after a day, deleted
  rows that can no longer be restored and jobs of deletions as old as these, consents to calendars that were not given, runs of automations
  90 days after their end, the log of webhooks and dead letters after 30 days, and timeline links to changes whose partition was dropped. An
  index leads to exactly these rows. Events, requests and history expire by partition (rotate_partitions).
*/
create or replace function expire_rows(p_limit int default 10000)
  returns int security definer set search_path = public, pg_temp set enable_seqscan = off language plpgsql as $$
declare
  responses int;
  deleted int;
  links int := 0;
  runs int;
  skips int;
  deliveries int;
  received int;
  inbound int;
  reports int;
  receipts int;
  letters int;
  consents int;
  sent int;
  bound uuid;
begin
  delete from automation_runs
    where ctid = any (array(select ctid from automation_runs where ended_at < now() - interval '90 days'
      order by ended_at limit p_limit / 10));
  get diagnostics runs = row_count;
  delete from automation_skips
    where ctid = any (array(select ctid from automation_skips where created_at < now() - interval '30 days'
      order by created_at limit p_limit));
  get diagnostics skips = row_count;
  delete from idempotency
    where ctid = any (array(select ctid from idempotency where at < now() - interval '24 hours' order by at limit p_limit));
  get diagnostics responses = row_count;
  delete from deleted_rows where ctid = any (array(select ctid from deleted_rows
    where id < id_at(now() - make_interval(days => restore_days())) limit p_limit));
  get diagnostics deleted = row_count;
  delete from webhook_deliveries where ctid = any (array(select ctid from webhook_deliveries
    where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics deliveries = row_count;
  delete from incoming_requests where ctid = any (array(select ctid from incoming_requests
    where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics received = row_count;
  delete from inbound_emails
    where ctid = any (array(select ctid from inbound_emails where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics inbound = row_count;
  delete from whatsapp_events
    where ctid = any (array(select ctid from whatsapp_events where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics reports = row_count;
  delete from whatsapp_receipts
    where ctid = any (array(select ctid from whatsapp_receipts where created_at < now() - interval '30 days' limit p_limit));
  get diagnostics receipts = row_count;
  delete from dead_letters
    where ctid = any (array(select ctid from dead_letters where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics letters = row_count;
  delete from grant_requests
    where ctid = any (array(select ctid from grant_requests where expires_at < now() order by expires_at limit p_limit));
  get diagnostics consents = row_count;
  delete from outgoing_requests where ctid = any (array(select ctid from outgoing_requests
    where id < id_at(now() - interval '30 days') limit p_limit));
  get diagnostics sent = row_count;
  if not exists (select from changes_past) then
    select upper_bound into bound from partitions_of('changes') where name = 'changes_past';
    delete from timeline_changes where ctid = any (array(select ctid from timeline_changes where change_id < bound limit p_limit));
    get diagnostics links = row_count;
  end if;
  return responses + deleted + expire_deletions(p_limit) + links + runs + skips + deliveries + received + inbound + reports + receipts
    + letters + consents + sent;
end $$;

revoke execute on function expire_rows from public, app;
grant execute on function expire_rows to jobs;
