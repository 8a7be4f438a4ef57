ALTER TABLE "scheduled_event_types" ADD COLUMN "align_to_clock" boolean DEFAULT false NOT NULL;
