CREATE TABLE "record_time_checks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"sort" text NOT NULL,
	"record_id" uuid NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	CONSTRAINT "record_time_checks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "record_times" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"sort" text NOT NULL,
	"number" double precision NOT NULL,
	"record_id" uuid NOT NULL,
	CONSTRAINT "record_times_workspace_id_sort_number_record_id_pk" PRIMARY KEY("workspace_id","sort","number","record_id")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "list_id" uuid;
--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "series_values" jsonb;
--> statement-breakpoint
CREATE INDEX "record_time_checks_by_xid" ON "record_time_checks" USING btree ("xid");
--> statement-breakpoint
CREATE INDEX "record_times_by_record" ON "record_times" USING btree ("workspace_id","record_id","sort");
--> statement-breakpoint
CREATE INDEX "imports_by_list" ON "imports" USING btree ("workspace_id","list_id") WHERE list_id is not null;
--> statement-breakpoint
CREATE INDEX "tasks_next_of_contact" ON "tasks" USING btree ("workspace_id","contact_id","due_at") WHERE status <> 'completed' and not archived and due_at is not null and contact_id is not null;
--> statement-breakpoint
CREATE INDEX "tasks_next_of_customer" ON "tasks" USING btree ("workspace_id","customer_id","due_at") WHERE status <> 'completed' and not archived and due_at is not null and customer_id is not null;
--> statement-breakpoint
CREATE INDEX "tasks_next_of_opportunity" ON "tasks" USING btree ("workspace_id","opportunity_id","due_at") WHERE status <> 'completed' and not archived and due_at is not null and opportunity_id is not null;
--> statement-breakpoint
call tenant_table('record_time_checks', 'select');
--> statement-breakpoint
call tenant_table('record_times', 'select');
--> statement-breakpoint
call tenant_reference('imports', 'list_id', 'lists', 'set null');
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'companies.last_activity_at', extract(epoch from max(occurred_at)) * 1000, customer_id
  from activities where customer_id is not null group by workspace_id, customer_id;
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'opportunities.last_activity_at', extract(epoch from max(occurred_at)) * 1000, deal_id
  from activities where deal_id is not null group by workspace_id, deal_id;
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'contacts.last_activity_at', extract(epoch from max(occurred_at)) * 1000, contact_id
  from (select workspace_id, contact_id, occurred_at from activities union all select workspace_id, contact_id, occurred_at from activity_contacts) a
  where contact_id is not null group by workspace_id, contact_id;
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'contacts.next_task_due_at', extract(epoch from min(due_at)) * 1000, contact_id
  from tasks where contact_id is not null and status <> 'completed' and not archived and due_at is not null group by workspace_id, contact_id;
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'companies.next_task_due_at', extract(epoch from min(due_at)) * 1000, customer_id
  from tasks where customer_id is not null and status <> 'completed' and not archived and due_at is not null group by workspace_id, customer_id;
--> statement-breakpoint
insert into record_times (workspace_id, sort, number, record_id) select workspace_id, 'opportunities.next_task_due_at', extract(epoch from min(due_at)) * 1000, opportunity_id
  from tasks where opportunity_id is not null and status <> 'completed' and not archived and due_at is not null group by workspace_id, opportunity_id;
