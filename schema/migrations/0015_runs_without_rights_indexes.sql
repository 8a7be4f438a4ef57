-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "automation_runs_without_rights" ON "automation_runs" USING btree ("workspace_id","automation_id") WHERE reason = 'no_rights';
