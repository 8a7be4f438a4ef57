-- A search in a list of contacts reads the words beside the order of the list (see src/data/list-scan.ts), not record by record.
DROP INDEX "contacts_by_created";
--> statement-breakpoint
DROP INDEX "contacts_by_updated";
--> statement-breakpoint
DROP INDEX "contacts_by_name";
--> statement-breakpoint
CREATE INDEX "contacts_by_created" ON "contacts" USING btree ("workspace_id","archived","created_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "contacts_by_updated" ON "contacts" USING btree ("workspace_id","archived","updated_at","id") INCLUDE ("search_text");
--> statement-breakpoint
CREATE INDEX "contacts_by_name" ON "contacts" USING btree ("workspace_id","archived","name_norm","id") INCLUDE ("search_text");
--> statement-breakpoint
-- Entries of rows that were changed since the last vacuum are looked up in the table: new rows are the first that a list shows.
alter table contacts set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.1);
--> statement-breakpoint
-- Most contacts have no other address: they need no entry.
drop index contacts_by_alternate_email;
--> statement-breakpoint
create index contacts_by_alternate_email on contacts using gin (workspace_id, alternate_emails) with (fastupdate = off) where alternate_emails <> '{}';
