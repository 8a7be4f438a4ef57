-- Rotation with an overlap, address ranges, and the last use of a key.
ALTER TABLE "api_keys" ADD COLUMN "previous_key_hash" bytea;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "previous_expires_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "allowed_ranges" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_previous_key_hash_key" ON "api_keys" USING btree ("previous_key_hash");
--> statement-breakpoint
grant select (previous_expires_at, allowed_ranges) on api_keys to app;
--> statement-breakpoint
CREATE TABLE "api_key_uses" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"key_id" uuid NOT NULL,
	"last_used_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "api_key_uses_workspace_id_key_id_pk" PRIMARY KEY("workspace_id","key_id")
);
--> statement-breakpoint
call tenant_table('api_key_uses', 'select');
--> statement-breakpoint
call tenant_reference('api_key_uses', 'key_id', 'api_keys', 'cascade');
--> statement-breakpoint
-- Released with fewer parameters.
drop function if exists assert_key_grant(text[], text, timestamptz);
