ALTER TABLE "automation_versions" ADD COLUMN "start_scopes" text[];
--> statement-breakpoint
ALTER TABLE "automation_versions" ADD COLUMN "start_admin" boolean;
--> statement-breakpoint
ALTER TABLE "automation_versions" ADD COLUMN "open_to_start" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "automations" ADD COLUMN "open_to_start" boolean DEFAULT false NOT NULL;
