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
CREATE TABLE "waiting_list_entries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"event_type_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"duration_minutes" integer NOT NULL,
	"timezone" text NOT NULL,
	"contact_id" uuid NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text,
	"notes" text,
	"answers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"source" text DEFAULT 'api' NOT NULL,
	"offered_at" timestamp(3) with time zone,
	"offer_expires_at" timestamp(3) with time zone,
	"booking_id" uuid,
	"due_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "waiting_list_entries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "booking_holds" ADD COLUMN "session_id" uuid;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "confirm_email" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "waiting_list" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "waiting_list_offer_minutes" integer DEFAULT 120 NOT NULL;
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
CREATE INDEX "waiting_list_entries_by_created" ON "waiting_list_entries" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_updated" ON "waiting_list_entries" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_start" ON "waiting_list_entries" USING btree ("workspace_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_event_type" ON "waiting_list_entries" USING btree ("workspace_id","event_type_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_state" ON "waiting_list_entries" USING btree ("workspace_id","state","starts_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_contact" ON "waiting_list_entries" USING btree ("workspace_id","contact_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_by_booking" ON "waiting_list_entries" USING btree ("workspace_id","booking_id") WHERE booking_id is not null;
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_line" ON "waiting_list_entries" USING btree ("workspace_id","event_type_id","starts_at","created_at","id") WHERE state = 'waiting';
--> statement-breakpoint
CREATE INDEX "waiting_list_entries_due" ON "waiting_list_entries" USING btree ("due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('booking_confirmations');
--> statement-breakpoint
call tenant_table('waiting_list_entries');
--> statement-breakpoint
call tenant_reference('booking_confirmations', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_confirmations', 'booking_id', 'bookings', 'cascade');
--> statement-breakpoint
call tenant_reference('waiting_list_entries', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('waiting_list_entries', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('waiting_list_entries', 'booking_id', 'bookings', 'set null');
--> statement-breakpoint
create index booking_confirmations_by_mention on booking_confirmations using gin (mention_keys(coalesce("form"::text, ''))) with (gin_pending_list_limit = 256);
