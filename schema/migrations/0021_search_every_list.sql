-- A search in a list of companies, opportunities, products or tasks reads the words beside the order of the list, as one of contacts does (0019).
DROP INDEX "companies_by_created";
--> statement-breakpoint
DROP INDEX "companies_by_updated";
--> statement-breakpoint
DROP INDEX "companies_by_name";
--> statement-breakpoint
DROP INDEX "opportunities_by_created";
--> statement-breakpoint
DROP INDEX "opportunities_by_updated";
--> statement-breakpoint
DROP INDEX "products_by_created";
--> statement-breakpoint
DROP INDEX "products_by_name";
--> statement-breakpoint
DROP INDEX "tasks_by_created";
--> statement-breakpoint
DROP INDEX "tasks_by_updated";
--> statement-breakpoint
CREATE INDEX "companies_by_created" ON "companies" USING btree ("workspace_id","archived","created_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "companies_by_updated" ON "companies" USING btree ("workspace_id","archived","updated_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "companies_by_name" ON "companies" USING btree ("workspace_id","archived","name_norm","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "opportunities_by_created" ON "opportunities" USING btree ("workspace_id","archived","created_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "opportunities_by_updated" ON "opportunities" USING btree ("workspace_id","archived","updated_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "products_by_created" ON "products" USING btree ("workspace_id","archived","created_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "products_by_name" ON "products" USING btree ("workspace_id","archived","name_norm","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "tasks_by_created" ON "tasks" USING btree ("workspace_id","archived","created_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end)) INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "tasks_by_updated" ON "tasks" USING btree ("workspace_id","archived","updated_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end)) INCLUDE ("search_text");
--> statement-breakpoint
-- Entries of rows that were changed since the last vacuum are looked up in the table: new rows are the first that a list shows.
alter table companies set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.1);
--> statement-breakpoint
alter table opportunities set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.1);
--> statement-breakpoint
alter table products set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.1);
--> statement-breakpoint
alter table tasks set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.1);
