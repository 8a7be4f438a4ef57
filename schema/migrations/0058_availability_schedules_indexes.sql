-- Outside a transaction: each statement can be repeated.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "availabilities_name_key" ON "availabilities" USING btree ("workspace_id","user_id","name_norm");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "availabilities_one_default" ON "availabilities" USING btree ("workspace_id","user_id") WHERE is_default;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "availabilities_by_created" ON "availabilities" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "availabilities_by_updated" ON "availabilities" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "availabilities_by_user" ON "availabilities" USING btree ("workspace_id","user_id","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "scheduled_event_types_by_schedule" ON "scheduled_event_types" USING gin (hosts jsonb_path_ops) WITH (fastupdate=false);
