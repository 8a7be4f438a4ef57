DROP INDEX "booking_notices_key";
--> statement-breakpoint
ALTER TABLE "booking_notices" ADD COLUMN "sequence" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "noted_changes" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "booking_embed_origins" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_notices_key" ON "booking_notices" USING btree ("workspace_id","booking_id","kind","channel","recipient","offset_minutes","sequence","resend");
