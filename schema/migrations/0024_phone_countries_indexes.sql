-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "phone_addresses_by_country" ON "phone_addresses" USING btree ("workspace_id","country","created_at","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "phone_bundles_by_country" ON "phone_bundles" USING btree ("workspace_id","country","created_at","id");
