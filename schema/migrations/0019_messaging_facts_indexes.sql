-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "email_campaigns_by_config" ON "email_campaigns" USING btree ("workspace_id","config_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "phone_numbers_by_address" ON "phone_numbers" USING btree ("workspace_id","address_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "phone_numbers_by_bundle" ON "phone_numbers" USING btree ("workspace_id","bundle_id");
