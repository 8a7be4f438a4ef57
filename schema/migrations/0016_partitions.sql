-- History, outbox and request log in partitions by time: ranges of the UUID v7 id. What was kept before becomes the first partition, in place.

-- Its parsed body would hold on to the table that becomes a partition; schema/functions/approvals.sql has it as text.
drop function if exists approval_is_stale(approvals);
--> statement-breakpoint
drop function if exists forget_old(int);
--> statement-breakpoint
drop function if exists record_requests(jsonb);
--> statement-breakpoint
drop function if exists claim_events(uuid, int);
--> statement-breakpoint
-- Why something happened (see set_cause), and how many automated steps led to it.
alter table changes add column cause_type text, add column cause_id uuid, add column depth smallint not null default 0;
--> statement-breakpoint
alter table outbox add column cause_type text, add column cause_id uuid, add column depth smallint not null default 0;
--> statement-breakpoint
-- Events in the order of their transactions: a reader who stays below the oldest open one misses none. Rows from before share this migration's.
alter table outbox add column xid xid8 not null default pg_current_xact_id();
--> statement-breakpoint
-- Whether some listener wants the event; another one is never updated. Rows from before are all delivered, or still to be.
alter table outbox add column needs_delivery boolean not null default true;
--> statement-breakpoint
alter table outbox alter column needs_delivery set default false;
--> statement-breakpoint
drop index outbox_by_id;
--> statement-breakpoint
drop index outbox_overdue;
--> statement-breakpoint
drop index outbox_undelivered;
--> statement-breakpoint
create index outbox_by_transaction on outbox (workspace_id, xid, id);
--> statement-breakpoint
create index outbox_undelivered on outbox (workspace_id, id) where needs_delivery and delivered_at is null;
--> statement-breakpoint
-- A successful read takes no index entry of its status, and reads of one key and endpoint may share a row: the row's own values are those of
-- the first, `more_…` have the others (a path that is null is the first one's).
drop index requests_by_user;
--> statement-breakpoint
drop index requests_by_method;
--> statement-breakpoint
drop index requests_by_path;
--> statement-breakpoint
drop index requests_by_status;
--> statement-breakpoint
drop index requests_by_age;
--> statement-breakpoint
alter table requests drop column status_class, drop column at;
--> statement-breakpoint
alter table requests alter column status type smallint;
--> statement-breakpoint
alter table requests add column status_class smallint not null generated always as ((status / 100)::smallint) stored,
  add column at timestamp(3) with time zone generated always as (uuid_extract_timestamp(id)) virtual,
  add column isolate text, add column sequence int,
  add column more_ids uuid[], add column more_paths text[], add column more_durations int[], add column more_sequences int[];
--> statement-breakpoint
create index requests_by_status on requests (workspace_id, status_class, id) where status_class <> 2;
--> statement-breakpoint
-- Makes a table of a workspace's rows one in partitions of its ids. Its present rows stay where they are, in the partition <table>_past; all
-- later ones go to <table>_open, from which rotate_partitions cuts off further ones.
do $$
declare
  p_table text;
begin
  foreach p_table in array array['changes', 'outbox', 'requests'] loop
    declare
      past constant text := p_table || '_past';
      indexes constant text[] := array(select pg_get_indexdef(indexrelid) from pg_index where indrelid = p_table::regclass and not indisprimary order by 1);
      triggers constant text[] := array(select pg_get_triggerdef(oid) from pg_trigger where tgrelid = p_table::regclass and not tgisinternal order by tgname);
      i text;
      latest uuid;
      bound uuid;
    begin
      execute format('alter table %I rename to %I', p_table, past);
      for i in select indexrelid::regclass from pg_index where indrelid = past::regclass loop
        execute format('alter index %I rename to %I', i, i || '_past');
      end loop;
      for i in select tgname from pg_trigger where tgrelid = past::regclass and not tgisinternal loop
        execute format('drop trigger %I on %I', i, past);
      end loop;
      execute format('revoke all on %I from app', past);
      execute format('select id from %I order by id desc limit 1', past) into latest;
      bound := id_at(greatest(date_trunc('day', now(), 'UTC'), date_trunc('day', instant_of(latest), 'UTC') + interval '1 day'));
      execute format('create table %I (like %I including defaults including generated including constraints including comments) partition by range (id)', p_table, past);
      execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', p_table, past, bound);
      execute format('alter table %I add constraint %I primary key (workspace_id, id)', p_table, p_table || '_workspace_id_id_pk');
      foreach i in array indexes || triggers loop
        execute i;
      end loop;
      execute format('create table %I partition of %I for values from (%L) to (maxvalue)', p_table || '_open', p_table, bound);
      call tenant_table(p_table, 'select');
      call tenant_table(p_table || '_open', 'select');
      execute format('revoke all on %I from app', p_table || '_open');
    end;
  end loop;
end $$;
--> statement-breakpoint
-- Links of a timeline expire with their changes. They are written in the order of time, so this index costs next to nothing.
create index opportunity_changes_by_age on opportunity_changes using brin (change_id) with (pages_per_range = 16, autosummarize = on);
