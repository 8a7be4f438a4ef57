CREATE TABLE "holiday_calendars" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"holidays" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "holiday_calendars_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "booking_proofs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"booking_id" uuid NOT NULL,
	"decided_at" timestamp(3) with time zone NOT NULL,
	"checks" jsonb NOT NULL,
	"inputs" jsonb NOT NULL,
	CONSTRAINT "booking_proofs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "voice_providers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"provider" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "voice_providers_workspace_id_provider_pk" PRIMARY KEY("workspace_id","provider")
);
--> statement-breakpoint
ALTER TABLE "availabilities" ADD COLUMN "holiday_calendar_id" uuid;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "phone_end" text GENERATED ALWAYS AS (right(phone, 4)) STORED;
--> statement-breakpoint
ALTER TABLE "bookings" ADD COLUMN "answers" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "busy_times" ADD COLUMN "read_at" timestamp(3) with time zone DEFAULT now() NOT NULL;
--> statement-breakpoint
ALTER TABLE "scheduled_event_types" ADD COLUMN "questions" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
CREATE INDEX "holiday_calendars_by_created" ON "holiday_calendars" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "holiday_calendars_by_updated" ON "holiday_calendars" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_proofs_booking_key" ON "booking_proofs" USING btree ("workspace_id","booking_id");
--> statement-breakpoint
CREATE INDEX "availabilities_by_holiday_calendar" ON "availabilities" USING btree ("workspace_id","holiday_calendar_id");
--> statement-breakpoint
CREATE INDEX "bookings_by_phone_end" ON "bookings" USING btree ("workspace_id","phone_end","starts_at","id") WHERE phone_end is not null;
--> statement-breakpoint
call tenant_table('holiday_calendars');
--> statement-breakpoint
call tenant_table('booking_proofs');
--> statement-breakpoint
call tenant_table('voice_providers');
--> statement-breakpoint
call tenant_reference('availabilities', 'holiday_calendar_id', 'holiday_calendars', 'set null');
--> statement-breakpoint
call tenant_reference('booking_proofs', 'booking_id', 'bookings', 'cascade');
--> statement-breakpoint
create index booking_proofs_by_mention on booking_proofs using gin (mention_keys("checks"::text || ' ' || "inputs"::text)) with (gin_pending_list_limit = 256);
