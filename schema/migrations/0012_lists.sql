DROP INDEX "companies_by_words";
--> statement-breakpoint
DROP INDEX "contacts_by_words";
--> statement-breakpoint
DROP INDEX "employers_by_customer";
--> statement-breakpoint
DROP INDEX "opportunities_by_words";
--> statement-breakpoint
DROP INDEX "opportunities_by_expected_close";
--> statement-breakpoint
DROP INDEX "products_by_words";
--> statement-breakpoint
DROP INDEX "activities_by_occurred";
--> statement-breakpoint
DROP INDEX "activities_by_created";
--> statement-breakpoint
DROP INDEX "tasks_by_created";
--> statement-breakpoint
DROP INDEX "tasks_by_updated";
--> statement-breakpoint
DROP INDEX "tasks_by_due";
--> statement-breakpoint
DROP INDEX "tasks_by_rank";
--> statement-breakpoint
DROP INDEX "tasks_by_words";
--> statement-breakpoint
DROP INDEX "tasks_by_status";
--> statement-breakpoint
DROP INDEX "tasks_by_priority";
--> statement-breakpoint
DROP INDEX "tasks_by_assignee";
--> statement-breakpoint
DROP INDEX "tasks_by_creator";
--> statement-breakpoint
DROP INDEX "tasks_by_contact";
--> statement-breakpoint
DROP INDEX "tasks_by_customer";
--> statement-breakpoint
DROP INDEX "tasks_unfinished";
--> statement-breakpoint
CREATE INDEX "companies_by_words" ON "companies" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "contacts_by_words" ON "contacts" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "employers_by_customer" ON "employers" USING btree ("workspace_id","customer_id","id","contact_id");
--> statement-breakpoint
CREATE INDEX "opportunities_by_words" ON "opportunities" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "opportunities_by_expected_close" ON "opportunities" USING btree ("workspace_id","archived",(case when expected_close_date is null then 'infinity'::date else expected_close_date end),"id","created_at");
--> statement-breakpoint
CREATE INDEX "products_by_words" ON "products" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "activities_by_occurred" ON "activities" USING btree ("workspace_id","occurred_at","id","created_at");
--> statement-breakpoint
CREATE INDEX "activities_by_created" ON "activities" USING btree ("workspace_id","created_at","id","occurred_at");
--> statement-breakpoint
CREATE INDEX "tasks_by_created" ON "tasks" USING btree ("workspace_id","archived","created_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end));
--> statement-breakpoint
CREATE INDEX "tasks_by_updated" ON "tasks" USING btree ("workspace_id","archived","updated_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end));
--> statement-breakpoint
CREATE INDEX "tasks_by_due" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id","created_at");
--> statement-breakpoint
CREATE INDEX "tasks_by_rank" ON "tasks" USING btree ("workspace_id","archived",(case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end),"id","created_at",(case when due_at is null then 'infinity'::timestamptz else due_at end));
--> statement-breakpoint
CREATE INDEX "tasks_by_words" ON "tasks" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "tasks_by_status" ON "tasks" USING btree ("workspace_id","status","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_priority" ON "tasks" USING btree ("workspace_id","priority","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_assignee" ON "tasks" USING btree ("workspace_id","assigned_to","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_creator" ON "tasks" USING btree ("workspace_id","created_by","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_contact" ON "tasks" USING btree ("workspace_id","contact_id","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_by_customer" ON "tasks" USING btree ("workspace_id","customer_id","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "tasks_unfinished" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id","created_at") WHERE status <> 'completed';
--> statement-breakpoint
drop index if exists contacts_by_lexeme;
--> statement-breakpoint
drop index if exists companies_by_lexeme;
--> statement-breakpoint
drop index if exists opportunities_by_lexeme;
--> statement-breakpoint
drop function if exists lexemes_of(text, text);
--> statement-breakpoint
create index contacts_by_lexeme on contacts using gin (lexemes_of(workspace_id, name_norm, email)) with (fastupdate = off);
--> statement-breakpoint
create index companies_by_lexeme on companies using gin (lexemes_of(workspace_id, name_norm, coalesce(email || ' ', '') || coalesce(website_url, ''))) with (fastupdate = off);
--> statement-breakpoint
create index opportunities_by_lexeme on opportunities using gin (lexemes_of(workspace_id, name_norm, external_id)) with (fastupdate = off);
