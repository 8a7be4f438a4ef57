create extension if not exists btree_gist;
--> statement-breakpoint
CREATE TABLE "availabilities" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid,
	"timezone" text,
	"weekly_hours" jsonb,
	"date_overrides" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"max_per_day" integer,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "availabilities_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "booking_counts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"subject_id" uuid NOT NULL,
	"period" text NOT NULL,
	"starts_on" date NOT NULL,
	"taken" integer NOT NULL,
	CONSTRAINT "booking_counts_workspace_id_subject_id_period_starts_on_pk" PRIMARY KEY("workspace_id","subject_id","period","starts_on"),
	CONSTRAINT "booking_counts_taken" CHECK (taken >= 0)
);
--> statement-breakpoint
CREATE TABLE "booking_holds" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"owner" text NOT NULL,
	"event_type_id" uuid NOT NULL,
	"state" text DEFAULT 'held' NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"host_ids" uuid[] NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"booking_id" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "booking_holds_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "bookings" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"event_type_id" uuid NOT NULL,
	"status" text DEFAULT 'confirmed' NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"duration_minutes" integer NOT NULL,
	"timezone" text NOT NULL,
	"wall_start" text NOT NULL,
	"host_id" uuid NOT NULL,
	"host_ids" uuid[] NOT NULL,
	"contact_id" uuid,
	"deal_id" uuid,
	"name" text NOT NULL,
	"email" text,
	"phone" text,
	"attendees" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"notes" text,
	"location" text,
	"video_meet_link" text,
	"uid" text NOT NULL,
	"sequence" integer DEFAULT 0 NOT NULL,
	"rescheduled_from_id" uuid,
	"series_id" uuid,
	"source" text DEFAULT 'api' NOT NULL,
	"cancelled_at" timestamp(3) with time zone,
	"cancellation_reason" text,
	"management_token" uuid DEFAULT gen_random_uuid(),
	"management_token_expires_at" timestamp(3) with time zone,
	"claimed" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "bookings_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "bookings_range" CHECK (starts_at < ends_at)
);
--> statement-breakpoint
CREATE TABLE "busy_times" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"host_id" uuid NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"source" text NOT NULL,
	CONSTRAINT "busy_times_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "busy_times_range" CHECK (starts_at < ends_at and ends_at <= starts_at + interval '24 hours')
);
--> statement-breakpoint
CREATE TABLE "host_claims" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"host_id" uuid NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"booking_id" uuid,
	"session_id" uuid,
	"hold_id" uuid,
	"expires_at" timestamp(3) with time zone,
	CONSTRAINT "host_claims_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "host_claims_range" CHECK (starts_at < ends_at and ends_at <= starts_at + interval '24 hours'),
	CONSTRAINT "host_claims_of" CHECK (num_nonnulls(booking_id, session_id, hold_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "host_shares" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"event_type_id" uuid NOT NULL,
	"host_id" uuid NOT NULL,
	"booked" integer NOT NULL,
	"last_booked_at" timestamp(3) with time zone,
	CONSTRAINT "host_shares_workspace_id_host_id_event_type_id_pk" PRIMARY KEY("workspace_id","host_id","event_type_id")
);
--> statement-breakpoint
CREATE TABLE "scheduled_event_types" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"slug" text NOT NULL,
	"description" text,
	"location" text,
	"meeting_link" text,
	"hosts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"assignment" text DEFAULT 'round_robin' NOT NULL,
	"duration_minutes" integer DEFAULT 30 NOT NULL,
	"other_durations" integer[] DEFAULT '{}' NOT NULL,
	"step_minutes" integer DEFAULT 30 NOT NULL,
	"buffer_before_minutes" integer DEFAULT 0 NOT NULL,
	"buffer_after_minutes" integer DEFAULT 0 NOT NULL,
	"minimum_notice_minutes" integer DEFAULT 0 NOT NULL,
	"horizon_days" integer DEFAULT 60 NOT NULL,
	"seats" integer DEFAULT 1 NOT NULL,
	"max_per_day" integer,
	"max_per_week" integer,
	"max_per_month" integer,
	"locked_timezone" text,
	"requires_confirmation" boolean DEFAULT false NOT NULL,
	"pipeline_id" uuid,
	"reuse_open_opportunity" boolean DEFAULT false NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "scheduled_event_types_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "seat_sessions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"event_type_id" uuid NOT NULL,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"host_ids" uuid[] NOT NULL,
	"capacity" integer NOT NULL,
	"taken" integer NOT NULL,
	CONSTRAINT "seat_sessions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "seat_sessions_taken" CHECK (taken between 0 and capacity)
);
--> statement-breakpoint
CREATE TABLE "time_off" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid,
	"starts_at" timestamp(3) with time zone NOT NULL,
	"ends_at" timestamp(3) with time zone NOT NULL,
	"reason" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "time_off_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "time_off_range" CHECK (starts_at < ends_at and ends_at <= starts_at + interval '366 days')
);
--> statement-breakpoint
CREATE TABLE "voice_results" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"call_key" text NOT NULL,
	"call_id" text,
	"booking_id" uuid,
	"outcome" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "voice_results_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "booking_holds_owner_key" ON "booking_holds" USING btree ("workspace_id","owner") WHERE state = 'held';
--> statement-breakpoint
CREATE INDEX "booking_holds_by_event_type" ON "booking_holds" USING btree ("workspace_id","event_type_id","id");
--> statement-breakpoint
CREATE INDEX "booking_holds_due" ON "booking_holds" USING btree ("expires_at","id") WHERE state = 'held';
--> statement-breakpoint
CREATE INDEX "bookings_by_start" ON "bookings" USING btree ("workspace_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_created" ON "bookings" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_updated" ON "bookings" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_event_type" ON "bookings" USING btree ("workspace_id","event_type_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_status" ON "bookings" USING btree ("workspace_id","status","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_host" ON "bookings" USING btree ("workspace_id","host_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_contact" ON "bookings" USING btree ("workspace_id","contact_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_deal" ON "bookings" USING btree ("workspace_id","deal_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "bookings_by_origin" ON "bookings" USING btree ("workspace_id","rescheduled_from_id") WHERE rescheduled_from_id is not null;
--> statement-breakpoint
CREATE INDEX "bookings_by_series" ON "bookings" USING btree ("workspace_id","series_id","starts_at","id") WHERE series_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "bookings_management_token_key" ON "bookings" USING btree ("management_token");
--> statement-breakpoint
CREATE INDEX "busy_times_by_host" ON "busy_times" USING btree ("workspace_id","host_id","ends_at","starts_at");
--> statement-breakpoint
CREATE INDEX "busy_times_by_source" ON "busy_times" USING btree ("workspace_id","source","id");
--> statement-breakpoint
CREATE INDEX "host_claims_by_host" ON "host_claims" USING btree ("workspace_id","host_id","ends_at","starts_at");
--> statement-breakpoint
CREATE INDEX "host_claims_by_booking" ON "host_claims" USING btree ("workspace_id","booking_id") WHERE booking_id is not null;
--> statement-breakpoint
CREATE INDEX "host_claims_by_session" ON "host_claims" USING btree ("workspace_id","session_id") WHERE session_id is not null;
--> statement-breakpoint
CREATE INDEX "host_claims_by_hold" ON "host_claims" USING btree ("workspace_id","hold_id") WHERE hold_id is not null;
--> statement-breakpoint
CREATE INDEX "host_shares_by_event_type" ON "host_shares" USING btree ("workspace_id","event_type_id","host_id");
--> statement-breakpoint
CREATE INDEX "scheduled_event_types_by_created" ON "scheduled_event_types" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "scheduled_event_types_by_updated" ON "scheduled_event_types" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "scheduled_event_types_by_active" ON "scheduled_event_types" USING btree ("workspace_id","is_active","created_at","id");
--> statement-breakpoint
CREATE INDEX "scheduled_event_types_by_pipeline" ON "scheduled_event_types" USING btree ("workspace_id","pipeline_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "scheduled_event_types_name_key" ON "scheduled_event_types" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
CREATE UNIQUE INDEX "scheduled_event_types_slug_key" ON "scheduled_event_types" USING btree ("workspace_id","slug");
--> statement-breakpoint
CREATE UNIQUE INDEX "seat_sessions_start_key" ON "seat_sessions" USING btree ("workspace_id","event_type_id","starts_at");
--> statement-breakpoint
CREATE INDEX "time_off_by_created" ON "time_off" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "time_off_by_updated" ON "time_off" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "time_off_by_start" ON "time_off" USING btree ("workspace_id","starts_at","id");
--> statement-breakpoint
CREATE INDEX "time_off_by_user" ON "time_off" USING btree ("workspace_id","user_id","ends_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "voice_results_key" ON "voice_results" USING btree ("workspace_id","call_key");
--> statement-breakpoint
CREATE INDEX "voice_results_by_call" ON "voice_results" USING btree ("workspace_id","call_id","created_at","id") WHERE call_id is not null;
--> statement-breakpoint
CREATE INDEX "voice_results_by_age" ON "voice_results" USING btree ("created_at","id");
--> statement-breakpoint
call tenant_table('availabilities');
--> statement-breakpoint
call tenant_table('booking_counts');
--> statement-breakpoint
call tenant_table('booking_holds');
--> statement-breakpoint
call tenant_table('bookings');
--> statement-breakpoint
call tenant_table('busy_times');
--> statement-breakpoint
call tenant_table('host_claims');
--> statement-breakpoint
call tenant_table('host_shares');
--> statement-breakpoint
call tenant_table('scheduled_event_types');
--> statement-breakpoint
call tenant_table('seat_sessions');
--> statement-breakpoint
call tenant_table('time_off');
--> statement-breakpoint
call tenant_table('voice_results');
--> statement-breakpoint
call tenant_reference('availabilities', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('booking_holds', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('bookings', 'event_type_id', 'scheduled_event_types');
--> statement-breakpoint
call tenant_reference('bookings', 'host_id', 'memberships');
--> statement-breakpoint
call tenant_reference('bookings', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('bookings', 'deal_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('busy_times', 'host_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('host_shares', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('scheduled_event_types', 'pipeline_id', 'pipelines', 'set null');
--> statement-breakpoint
call tenant_reference('seat_sessions', 'event_type_id', 'scheduled_event_types', 'cascade');
--> statement-breakpoint
call tenant_reference('time_off', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
alter table host_claims add column during tstzrange not null generated always as (tstzrange(starts_at, ends_at)) stored;
--> statement-breakpoint
alter table host_claims add constraint host_claims_apart exclude using gist (workspace_id with =, host_id with =, during with &&);
