-- The rights of a caller, as authorize (authority.sql) finds them.
CREATE TYPE "authority" AS (
	"kind" text,
	"workspace_id" uuid,
	"key_id" uuid,
	"user_id" uuid,
	"scopes" text[],
	"role" text,
	"role_name" text,
	"role_scopes" text[],
	"level" text,
	"can_write" boolean,
	"admin" boolean,
	"expires_at" timestamp(3) with time zone
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "first_expires_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "required_scopes" text[];
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "requires_admin" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "decided_key_id" uuid;
--> statement-breakpoint
-- A version 7 id would reveal since when a person has been registered.
ALTER TABLE "users" ALTER COLUMN "id" SET DEFAULT gen_random_uuid();
--> statement-breakpoint
-- Neither column is news: no version, history entry or event.
ALTER TABLE "api_keys" DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE "api_keys" SET "first_expires_at" = "expires_at" WHERE "expires_at" IS NOT NULL;
--> statement-breakpoint
ALTER TABLE "api_keys" ENABLE TRIGGER USER;
--> statement-breakpoint
ALTER TABLE "approvals" DISABLE TRIGGER USER;
--> statement-breakpoint
-- Requests that were approved and have not run yet: the history names the key that approved them.
UPDATE "approvals" a SET "decided_key_id" = (
	SELECT c."key_id" FROM "changes" c
	WHERE c."workspace_id" = a."workspace_id" AND c."entity" = 'approval' AND c."entity_id" = a."id" AND c."fields" #>> '{status,after}' = 'approved'
	ORDER BY c."id" DESC LIMIT 1
) WHERE a."status" = 'approved';
--> statement-breakpoint
ALTER TABLE "approvals" ENABLE TRIGGER USER;
