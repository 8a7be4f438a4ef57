-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "product_costs_by_catalog_entry" ON "product_costs" USING btree ("workspace_id","catalog_entry_id","id");
