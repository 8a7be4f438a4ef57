CREATE TABLE "calendar_connections" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"account_id" text NOT NULL,
	"account_email" text NOT NULL,
	"status" text DEFAULT 'connected' NOT NULL,
	"error" text,
	"last_synced_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "calendar_connections_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "calendar_grant_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"state_hash" "bytea" NOT NULL,
	"sealed_verifier" text NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "calendar_grant_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "calendar_grants" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"connection_id" uuid NOT NULL,
	"sealed_access_token" text NOT NULL,
	"access_expires_at" timestamp(3) with time zone,
	"sealed_refresh_token" text,
	"refresh_claim_id" uuid,
	"refresh_claimed_until" timestamp(3) with time zone,
	CONSTRAINT "calendar_grants_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "connection_calendars" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"connection_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"outside_id" text NOT NULL,
	"name" text NOT NULL,
	"timezone" text,
	"is_primary" boolean NOT NULL,
	"is_writable" boolean NOT NULL,
	"busy_from" boolean DEFAULT false NOT NULL,
	"busy_since" timestamp(3) with time zone,
	"write_to" boolean DEFAULT false NOT NULL,
	"cursor" text,
	"synced_at" timestamp(3) with time zone,
	"fully_synced_at" timestamp(3) with time zone,
	"stale_since" timestamp(3) with time zone,
	"error" text,
	"due_at" timestamp(3) with time zone,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"channel_state" text,
	"channel_id" uuid,
	"channel_resource" text,
	"channel_secret_hash" "bytea",
	"channel_expires_at" timestamp(3) with time zone,
	"channel_due_at" timestamp(3) with time zone,
	"next_channel_id" uuid,
	"next_channel_secret_hash" "bytea",
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connection_calendars_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "busy_times" ADD COLUMN "calendar_id" uuid;
--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_connections_account_key" ON "calendar_connections" USING btree ("workspace_id","user_id","provider","account_id");
--> statement-breakpoint
CREATE INDEX "calendar_connections_by_created" ON "calendar_connections" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "calendar_connections_by_updated" ON "calendar_connections" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "calendar_connections_by_user" ON "calendar_connections" USING btree ("workspace_id","user_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "calendar_connections_by_account" ON "calendar_connections" USING btree ("provider","account_id");
--> statement-breakpoint
CREATE INDEX "calendar_connections_due" ON "calendar_connections" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_grant_requests_state_key" ON "calendar_grant_requests" USING btree ("state_hash");
--> statement-breakpoint
CREATE INDEX "calendar_grant_requests_by_expiry" ON "calendar_grant_requests" USING btree ("expires_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "calendar_grants_connection_key" ON "calendar_grants" USING btree ("workspace_id","connection_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "connection_calendars_outside_key" ON "connection_calendars" USING btree ("workspace_id","connection_id","outside_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "connection_calendars_write_key" ON "connection_calendars" USING btree ("workspace_id","user_id") WHERE write_to;
--> statement-breakpoint
CREATE INDEX "connection_calendars_by_user" ON "connection_calendars" USING btree ("workspace_id","user_id") WHERE busy_from;
--> statement-breakpoint
CREATE INDEX "connection_calendars_due" ON "connection_calendars" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "connection_calendars_by_age" ON "connection_calendars" USING btree ((coalesce(synced_at, busy_since))) WHERE busy_from and stale_since is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "connection_calendars_channel_key" ON "connection_calendars" USING btree ("channel_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "connection_calendars_next_channel_key" ON "connection_calendars" USING btree ("next_channel_id");
--> statement-breakpoint
CREATE INDEX "busy_times_by_calendar" ON "busy_times" USING btree ("workspace_id","calendar_id","source");
--> statement-breakpoint
call tenant_table('calendar_connections');
--> statement-breakpoint
call tenant_table('calendar_grant_requests');
--> statement-breakpoint
call tenant_table('calendar_grants');
--> statement-breakpoint
call tenant_table('connection_calendars');
--> statement-breakpoint
call tenant_reference('calendar_connections', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('calendar_grant_requests', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('calendar_grants', 'connection_id', 'calendar_connections', 'cascade');
--> statement-breakpoint
call tenant_reference('connection_calendars', 'connection_id', 'calendar_connections', 'cascade');
--> statement-breakpoint
call tenant_reference('connection_calendars', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('busy_times', 'calendar_id', 'connection_calendars', 'cascade');

--> statement-breakpoint
-- A member's calendars are for that member, and for members with the role client_admin.
create policy seen on calendar_connections as restrictive using (user_id = (select current_user_id()) or (select sees_all_calendars()));
--> statement-breakpoint
create policy seen on connection_calendars as restrictive using (user_id = (select current_user_id()) or (select sees_all_calendars()));
