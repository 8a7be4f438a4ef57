ALTER TABLE "scheduled_event_types" ADD COLUMN "challenge" text DEFAULT 'none' NOT NULL;
