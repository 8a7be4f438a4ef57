-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "reputation_reviews_by_source" ON "reputation_reviews" USING btree ("workspace_id","source","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "reputation_reviews_form_key" ON "reputation_reviews" USING btree ("workspace_id","form_hash") WHERE form_hash is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "reputation_reviews_waiting" ON "reputation_reviews" USING btree ("workspace_id","id") WHERE status = 'draft' and source = 'visitor';
