CREATE TABLE "booking_notices" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"booking_id" uuid NOT NULL,
	"contact_id" uuid,
	"kind" text NOT NULL,
	"channel" text NOT NULL,
	"recipient" text NOT NULL,
	"is_booker" boolean NOT NULL,
	"offset_minutes" integer DEFAULT 0 NOT NULL,
	"resend" integer DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"reason" text,
	"send_at" timestamp(3) with time zone NOT NULL,
	"wake_at" timestamp(3) with time zone,
	"message_id" uuid,
	"sent_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "booking_notices_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "notices" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_notices_key" ON "booking_notices" USING btree ("workspace_id","booking_id","kind","channel","recipient","offset_minutes","resend");
--> statement-breakpoint
CREATE INDEX "booking_notices_by_booking" ON "booking_notices" USING btree ("workspace_id","booking_id","send_at","id");
--> statement-breakpoint
CREATE INDEX "booking_notices_by_contact" ON "booking_notices" USING btree ("workspace_id","contact_id","id");
--> statement-breakpoint
CREATE INDEX "booking_notices_by_message" ON "booking_notices" USING btree ("workspace_id","message_id");
--> statement-breakpoint
CREATE INDEX "booking_notices_due" ON "booking_notices" USING btree ("wake_at","id") WHERE wake_at is not null;
--> statement-breakpoint
call tenant_table('booking_notices');
--> statement-breakpoint
call tenant_reference('booking_notices', 'booking_id', 'bookings', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_notices', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_notices', 'message_id', 'messages', 'set null');
