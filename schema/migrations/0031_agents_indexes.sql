-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "voice_agent_configs_by_type" ON "voice_agent_configs" USING btree ("workspace_id","type","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "voice_agent_configs_by_status" ON "voice_agent_configs" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "voice_agent_configs_by_event_type" ON "voice_agent_configs" USING btree ("workspace_id","event_type_id");
