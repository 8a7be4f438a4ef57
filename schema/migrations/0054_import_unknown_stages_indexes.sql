-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "import_files_with_unknown" ON "import_files" USING btree ("workspace_id","import_id") WHERE unknown_values <> '[]';
