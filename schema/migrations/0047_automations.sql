-- Automations and their runs (see schema/functions/automations.sql), and what follows the feed in the background (feed-followers.sql).
CREATE TABLE "automation_counts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"automation_id" uuid NOT NULL,
	"step_id" uuid NOT NULL,
	"state" text NOT NULL,
	"total" integer NOT NULL,
	CONSTRAINT "automation_counts_workspace_id_automation_id_step_id_state_pk" PRIMARY KEY("workspace_id","automation_id","step_id","state")
);
--> statement-breakpoint
CREATE TABLE "automation_runs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"automation_id" uuid NOT NULL,
	"version_id" uuid NOT NULL,
	"state" text NOT NULL,
	"source" text NOT NULL,
	"source_id" uuid,
	"dedupe_key" text NOT NULL,
	"record_id" uuid,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"trigger_data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"depth" smallint DEFAULT 0 NOT NULL,
	"place" jsonb NOT NULL,
	"moves" integer DEFAULT 0 NOT NULL,
	"attempts" smallint DEFAULT 0 NOT NULL,
	"due_at" timestamp(3) with time zone,
	"awaits" text,
	"error" jsonb,
	"ended_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "ended" CHECK ((ended_at is null) or (due_at is null and awaits is null))
);
--> statement-breakpoint
CREATE TABLE "automation_skips" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"automation_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"record_id" uuid,
	"reason" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_skips_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "automation_steps" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"run_id" uuid NOT NULL,
	"automation_id" uuid NOT NULL,
	"sequence" integer NOT NULL,
	"step_id" uuid NOT NULL,
	"type" text NOT NULL,
	"state" text NOT NULL,
	"place" jsonb,
	"input" jsonb,
	"output" jsonb,
	"answer" jsonb,
	"error" jsonb,
	"attempts" smallint DEFAULT 1 NOT NULL,
	"request_id" uuid,
	"duration_ms" integer,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_steps_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "automation_triggers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"event_type" text NOT NULL,
	"automation_id" uuid NOT NULL,
	"starts" boolean NOT NULL,
	CONSTRAINT "automation_triggers_workspace_id_event_type_automation_id_pk" PRIMARY KEY("workspace_id","event_type","automation_id")
);
--> statement-breakpoint
CREATE TABLE "automation_versions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"automation_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"definition" jsonb NOT NULL,
	"published_by" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_versions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "automations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"state" text DEFAULT 'draft' NOT NULL,
	"trigger" jsonb NOT NULL,
	"conditions" jsonb NOT NULL,
	"steps" jsonb NOT NULL,
	"enrolment" jsonb NOT NULL,
	"version_id" uuid,
	"version_number" integer,
	"has_changes" boolean DEFAULT true NOT NULL,
	"published_at" timestamp(3) with time zone,
	"published_by" uuid,
	"paused_reason" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "feed_followers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"follower" text NOT NULL,
	"xid" "xid8" NOT NULL,
	"event_id" uuid NOT NULL,
	CONSTRAINT "feed_followers_workspace_id_follower_pk" PRIMARY KEY("workspace_id","follower")
);
--> statement-breakpoint
CREATE INDEX "automation_counts_by_automation" ON "automation_counts" USING btree ("workspace_id","automation_id","step_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "automation_runs_dedupe_key" ON "automation_runs" USING btree ("workspace_id","automation_id","dedupe_key");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_created" ON "automation_runs" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_updated" ON "automation_runs" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_automation" ON "automation_runs" USING btree ("workspace_id","automation_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_state" ON "automation_runs" USING btree ("workspace_id","state","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_source" ON "automation_runs" USING btree ("workspace_id","source_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_record" ON "automation_runs" USING btree ("workspace_id","record_id","automation_id","created_at");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_contact" ON "automation_runs" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_customer" ON "automation_runs" USING btree ("workspace_id","customer_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_by_opportunity" ON "automation_runs" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automation_runs_due" ON "automation_runs" USING btree ("workspace_id","due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "automation_runs_open" ON "automation_runs" USING btree ("workspace_id","automation_id","record_id","id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "automation_runs_ended" ON "automation_runs" USING btree ("ended_at") WHERE ended_at is not null;
--> statement-breakpoint
CREATE INDEX "automation_runs_awaiting" ON "automation_runs" USING btree ("workspace_id","awaits") WHERE awaits is not null;
--> statement-breakpoint
CREATE INDEX "automation_skips_by_record" ON "automation_skips" USING btree ("workspace_id","automation_id","record_id","id");
--> statement-breakpoint
CREATE INDEX "automation_skips_by_created" ON "automation_skips" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "automation_steps_sequence_key" ON "automation_steps" USING btree ("workspace_id","run_id","sequence");
--> statement-breakpoint
CREATE INDEX "automation_triggers_by_automation" ON "automation_triggers" USING btree ("workspace_id","automation_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "automation_versions_number_key" ON "automation_versions" USING btree ("workspace_id","automation_id","number");
--> statement-breakpoint
CREATE INDEX "automations_by_created" ON "automations" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "automations_by_updated" ON "automations" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "automations_by_state" ON "automations" USING btree ("workspace_id","state","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "automations_name_key" ON "automations" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
call tenant_table('automation_counts', 'select');
--> statement-breakpoint
call tenant_table('automation_runs', 'select');
--> statement-breakpoint
call tenant_table('automation_skips', 'select');
--> statement-breakpoint
call tenant_table('automation_steps', 'select');
--> statement-breakpoint
call tenant_table('automation_triggers', 'select');
--> statement-breakpoint
call tenant_table('automation_versions', 'select');
--> statement-breakpoint
call tenant_table('automations');
--> statement-breakpoint
call tenant_table('feed_followers', 'select');
--> statement-breakpoint
call tenant_reference('automation_counts', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
call tenant_reference('automation_runs', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
call tenant_reference('automation_runs', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('automation_runs', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('automation_runs', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('automation_skips', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
call tenant_reference('automation_steps', 'run_id', 'automation_runs', 'cascade');
--> statement-breakpoint
call tenant_reference('automation_triggers', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
call tenant_reference('automation_versions', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
create index automation_runs_by_mention on automation_runs using gin (mention_keys("trigger_data"::text || ' ' || "place"::text || ' ' || coalesce("error"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index automation_steps_by_mention on automation_steps using gin (mention_keys(coalesce("place"::text, '') || ' ' || coalesce("input"::text, '') || ' ' || coalesce("output"::text, '') || ' ' || coalesce("answer"::text, '') || ' ' || coalesce("error"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index automation_versions_by_mention on automation_versions using gin (mention_keys("definition"::text)) with (gin_pending_list_limit = 256);
--> statement-breakpoint
alter table feed_followers add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
insert into feed_followers (workspace_id, follower, xid, event_id) select workspace_id, 'lists', xid, event_id from list_tracking;
