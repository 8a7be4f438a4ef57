CREATE TABLE "booking_confirmations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"event_type_id" uuid NOT NULL,
	"email_hash" text NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"form" jsonb,
	"booking_id" uuid,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "booking_confirmations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "booking_holds" ADD COLUMN "session_id" uuid;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "confirm_email" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "booking_confirmations_by_address" ON "booking_confirmations" USING btree ("workspace_id","email_hash","created_at");
--> statement-breakpoint
CREATE INDEX "booking_confirmations_by_event_type" ON "booking_confirmations" USING btree ("workspace_id","event_type_id","id");
--> statement-breakpoint
CREATE INDEX "booking_confirmations_by_booking" ON "booking_confirmations" USING btree ("workspace_id","booking_id") WHERE booking_id is not null;
--> statement-breakpoint
CREATE INDEX "booking_confirmations_open" ON "booking_confirmations" USING btree ("expires_at","id") WHERE form is not null;
--> statement-breakpoint
CREATE INDEX "booking_confirmations_by_age" ON "booking_confirmations" USING btree ("created_at","id");
--> statement-breakpoint
call tenant_table('booking_confirmations');
--> statement-breakpoint
call tenant_reference('booking_confirmations', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_confirmations', 'booking_id', 'bookings', 'cascade');
--> statement-breakpoint
create index booking_confirmations_by_mention on booking_confirmations using gin (mention_keys(coalesce("form"::text, ''))) with (gin_pending_list_limit = 256);
