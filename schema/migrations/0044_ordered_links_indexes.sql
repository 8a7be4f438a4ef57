-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "followers_contacts_in_order" ON "followers" USING btree ("workspace_id","user_id","record_created_at","contact_id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "followers_customers_in_order" ON "followers" USING btree ("workspace_id","user_id","record_created_at","customer_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "followers_opportunities_in_order" ON "followers" USING btree ("workspace_id","user_id","record_created_at","opportunity_id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "list_members_contacts_in_order" ON "list_members" USING btree ("workspace_id","list_id","record_created_at","contact_id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "list_members_customers_in_order" ON "list_members" USING btree ("workspace_id","list_id","record_created_at","customer_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "list_members_opportunities_in_order" ON "list_members" USING btree ("workspace_id","list_id","record_created_at","opportunity_id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "opportunity_contacts_in_order" ON "opportunity_contacts" USING btree ("workspace_id","contact_id","opportunity_created_at","opportunity_id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "followers_contacts_by_user";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "followers_customers_by_user";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "followers_opportunities_by_user";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "opportunity_contacts_by_contact";
