-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "auto_queue_list_enrolments_next" ON "auto_queue_list_enrolments" USING btree ("created_at","workspace_id") WHERE state = 'running';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_next" ON "automation_runs" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "imports_next" ON "imports" USING btree ("created_at","workspace_id") WHERE state in ('checking', 'running', 'undoing');
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tracked_lists_walks" ON "tracked_lists" USING btree ("walk_at","workspace_id") WHERE walk_at is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "messages_next" ON "messages" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "approvals_approved" ON "approvals" USING btree ("decided_at","workspace_id") WHERE status = 'approved';
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhook_states_replays" ON "webhook_states" USING btree ("replayed_at","workspace_id") WHERE replay_id is not null;
