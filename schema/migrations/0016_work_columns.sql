DROP INDEX "booking_copies_waiting";
--> statement-breakpoint
DROP INDEX "phone_numbers_sync_due";
--> statement-breakpoint
DROP INDEX "booking_copies_due";
--> statement-breakpoint
DROP INDEX "calendar_connections_due";
--> statement-breakpoint
DROP INDEX "connection_calendars_due";
--> statement-breakpoint
DROP INDEX "mailboxes_due";
--> statement-breakpoint
DROP INDEX "notetakers_due";
--> statement-breakpoint
DROP INDEX "phone_addresses_due";
--> statement-breakpoint
DROP INDEX "phone_bundles_due";
--> statement-breakpoint
ALTER TABLE "booking_copies" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD COLUMN "claim_id" uuid;
--> statement-breakpoint
ALTER TABLE "calendar_connections" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "connection_calendars" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "message_media" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "message_media" ADD COLUMN "claim_id" uuid;
--> statement-breakpoint
ALTER TABLE "message_media" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "notetakers" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "phone_addresses" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "phone_addresses" ADD COLUMN "claim_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_addresses" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "phone_bundles" ADD COLUMN "turn" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "phone_bundles" ADD COLUMN "claim_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_bundles" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_sync_claim_id" uuid;
--> statement-breakpoint
ALTER TABLE "phone_numbers" ADD COLUMN "voice_sync_claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "whatsapp_reactions" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "whatsapp_reads" ADD COLUMN "claimed_until" timestamp(3) with time zone;
