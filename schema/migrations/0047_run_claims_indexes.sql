-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_of_contact" ON "automation_runs" USING btree ("workspace_id","contact_id","created_at","id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_of_customer" ON "automation_runs" USING btree ("workspace_id","customer_id","created_at","id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_of_opportunity" ON "automation_runs" USING btree ("workspace_id","opportunity_id","created_at","id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_queued" ON "automation_runs" USING btree ("workspace_id","automation_id","record_id","id") WHERE state = 'queued';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_before_step" ON "automation_runs" USING btree ("workspace_id","automation_id","queue_step_id") WHERE ended_at is null and queue_step_id is not null;
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "automation_runs_by_contact";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "automation_runs_by_customer";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "automation_runs_by_opportunity";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "automation_runs_at_step";
