-- The history names these columns as the API does (see renamed_columns).
UPDATE "changes" SET "fields" = ("fields" - 'role_key') || jsonb_build_object('key', "fields" -> 'role_key') WHERE "entity" = 'role' AND "fields" ? 'role_key';
--> statement-breakpoint
UPDATE "changes" SET "fields" = ("fields" - 'field_key') || jsonb_build_object('key', "fields" -> 'field_key') WHERE "entity" = 'custom_field' AND "fields" ? 'field_key';
--> statement-breakpoint
-- Approvals that ran, and whose response was lost: the sweep builds it again. This is no news: no version, history entry or event.
ALTER TABLE "approvals" DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE "approvals" SET "status" = 'approved' WHERE "status" = 'executed' AND "response_status" IS NULL;
--> statement-breakpoint
ALTER TABLE "approvals" ENABLE TRIGGER USER;
