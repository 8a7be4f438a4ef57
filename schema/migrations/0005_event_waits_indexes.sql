-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_waiting_contact" ON "automation_runs" USING btree ("workspace_id","contact_id") WHERE awaits is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_waiting_customer" ON "automation_runs" USING btree ("workspace_id","customer_id") WHERE awaits is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_waiting_opportunity" ON "automation_runs" USING btree ("workspace_id","opportunity_id") WHERE awaits is not null;
