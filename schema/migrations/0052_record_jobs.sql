ALTER TABLE "deletions" ADD COLUMN "type" text DEFAULT 'deletion' NOT NULL;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "phase" text;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "entity" text;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "losses" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "lost" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "error" text;
--> statement-breakpoint
ALTER TABLE "deletions" ADD COLUMN "failed_at" timestamp(3) with time zone;
