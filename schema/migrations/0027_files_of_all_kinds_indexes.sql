-- Outside a transaction: each statement can be repeated.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "email_attachments_stored" ON "email_attachments" USING btree ("workspace_id","created_at","id") WHERE is_stored;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "email_attachments_stored_of_team" ON "email_attachments" USING btree ("workspace_id","created_at","id") WHERE private_to is null and is_stored;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "email_attachments_stored_own" ON "email_attachments" USING btree ("workspace_id","private_to","created_at","id") WHERE private_to is not null and is_stored;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "documents_by_lexeme" ON "documents" USING gin (lexemes_of(workspace_id, name_norm, norm(folder))) WITH (fastupdate=false);
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_media_stored_of_sms" ON "message_media" USING btree ("workspace_id","created_at","id") WHERE status = 'stored' and sms_message_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "message_media_stored_of_whatsapp" ON "message_media" USING btree ("workspace_id","created_at","id") WHERE status = 'stored' and whatsapp_message_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_opportunity_by_created" ON "attachments" USING btree ("workspace_id","created_at","id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_opportunity_by_updated" ON "attachments" USING btree ("workspace_id","updated_at","id") WHERE opportunity_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_contact_by_created" ON "attachments" USING btree ("workspace_id","created_at","id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_contact_by_updated" ON "attachments" USING btree ("workspace_id","updated_at","id") WHERE contact_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_customer_by_created" ON "attachments" USING btree ("workspace_id","created_at","id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "attachments_of_customer_by_updated" ON "attachments" USING btree ("workspace_id","updated_at","id") WHERE customer_id is not null;
