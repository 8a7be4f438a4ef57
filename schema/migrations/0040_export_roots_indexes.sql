-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_products_by_created" ON "opportunity_products" USING btree ("workspace_id","created_at","id");
