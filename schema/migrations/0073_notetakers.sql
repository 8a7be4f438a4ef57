CREATE TABLE "booking_transcripts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"notetaker_id" uuid NOT NULL,
	"activity_id" uuid NOT NULL,
	"contact_id" uuid,
	"entries" jsonb NOT NULL,
	"is_truncated" boolean DEFAULT false NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "booking_transcripts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "notetakers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"booking_id" uuid,
	"state" text DEFAULT 'requested' NOT NULL,
	"meeting_url" text NOT NULL,
	"join_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"limit_minutes" integer NOT NULL,
	"stop_requested_at" timestamp(3) with time zone,
	"recording_started_at" timestamp(3) with time zone,
	"recording_ended_at" timestamp(3) with time zone,
	"recorded_minutes" integer DEFAULT 0 NOT NULL,
	"credits" integer DEFAULT 0 NOT NULL,
	"credits_charged" integer DEFAULT 0 NOT NULL,
	"transcript_status" text DEFAULT 'none' NOT NULL,
	"error" text,
	"bot_id" text,
	"bot_join_at" timestamp(3) with time zone,
	"bot_meeting_url" text,
	"bot_requested_at" timestamp(3) with time zone,
	"is_bot_gone" boolean DEFAULT false NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"webhook_ids" text[] DEFAULT '{}' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notetakers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "notetakers_charged" CHECK (credits_charged between 0 and credits)
);
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "notetaker_enabled" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_transcripts_notetaker_key" ON "booking_transcripts" USING btree ("workspace_id","notetaker_id");
--> statement-breakpoint
CREATE INDEX "booking_transcripts_by_activity" ON "booking_transcripts" USING btree ("workspace_id","activity_id");
--> statement-breakpoint
CREATE INDEX "booking_transcripts_by_contact" ON "booking_transcripts" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE INDEX "notetakers_by_booking" ON "notetakers" USING btree ("workspace_id","booking_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "notetakers_booking_key" ON "notetakers" USING btree ("workspace_id","booking_id") WHERE state not in ('failed', 'cancelled');
--> statement-breakpoint
CREATE INDEX "notetakers_due" ON "notetakers" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "notetakers_unpaid" ON "notetakers" USING btree ("workspace_id","id") WHERE credits_charged < credits;
--> statement-breakpoint
call tenant_table('booking_transcripts');
--> statement-breakpoint
call tenant_table('notetakers');
--> statement-breakpoint
call tenant_reference('booking_transcripts', 'notetaker_id', 'notetakers', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_transcripts', 'activity_id', 'activities', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_transcripts', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('notetakers', 'booking_id', 'bookings', 'set null');
--> statement-breakpoint
create index booking_transcripts_by_mention on booking_transcripts using gin (mention_keys("entries"::text)) with (gin_pending_list_limit = 256);
