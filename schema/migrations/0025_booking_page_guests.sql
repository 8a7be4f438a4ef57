ALTER TABLE "scheduled_event_types" ADD COLUMN "max_guests" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "redirect_url" text;
