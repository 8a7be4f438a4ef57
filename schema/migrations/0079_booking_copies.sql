CREATE TABLE "booking_copies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"booking_id" uuid,
	"host_id" uuid NOT NULL,
	"calendar_id" uuid,
	"state" text DEFAULT 'pending' NOT NULL,
	"is_wanted" boolean DEFAULT true NOT NULL,
	"event_id" text NOT NULL,
	"outside_id" text,
	"outside_version" text,
	"written_starts_at" timestamp(3) with time zone,
	"written_ends_at" timestamp(3) with time zone,
	"written_at" timestamp(3) with time zone,
	"seen_at" timestamp(3) with time zone,
	"meeting" text DEFAULT 'none' NOT NULL,
	"meet_link" text,
	"requested_at" timestamp(3) with time zone,
	"flag" text,
	"flagged_at" timestamp(3) with time zone,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "booking_copies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "create_video_meeting" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "on_external_change" text DEFAULT 'follow' NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_copies_host_key" ON "booking_copies" USING btree ("workspace_id","booking_id","host_id");
--> statement-breakpoint
CREATE INDEX "booking_copies_by_calendar" ON "booking_copies" USING btree ("workspace_id","calendar_id","outside_id");
--> statement-breakpoint
CREATE INDEX "booking_copies_by_host" ON "booking_copies" USING btree ("workspace_id","host_id");
--> statement-breakpoint
CREATE INDEX "booking_copies_due" ON "booking_copies" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "booking_copies_waiting" ON "booking_copies" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('booking_copies');
--> statement-breakpoint
call tenant_reference('booking_copies', 'booking_id', 'bookings', 'set null');
--> statement-breakpoint
call tenant_reference('booking_copies', 'host_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_copies', 'calendar_id', 'connection_calendars', 'set null');
