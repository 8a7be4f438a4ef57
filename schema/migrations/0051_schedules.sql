CREATE TABLE "auto_schedules" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"cron_expression" text NOT NULL,
	"timezone" text NOT NULL,
	"time_of_day" text,
	"days_of_week" integer[],
	"audience_type" text NOT NULL,
	"audience_filter" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"automation_id" uuid NOT NULL,
	"end_at" timestamp(3) with time zone,
	"max_runs" integer,
	"misfire_policy" text DEFAULT 'run_latest' NOT NULL,
	"grace_minutes" integer DEFAULT 60 NOT NULL,
	"spread_minutes" integer DEFAULT 0 NOT NULL,
	"deliver_at_local" text,
	"run_count" integer DEFAULT 0 NOT NULL,
	"next_run_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auto_schedules_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "schedule_runs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"schedule_id" uuid NOT NULL,
	"due_at" timestamp(3) with time zone,
	"fired_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"settings" jsonb NOT NULL,
	"last_id" uuid,
	"audience_size" integer DEFAULT 0 NOT NULL,
	"runs_triggered" integer DEFAULT 0 NOT NULL,
	"runs_skipped" integer DEFAULT 0 NOT NULL,
	"runs_failed" integer DEFAULT 0 NOT NULL,
	"status" text,
	"error" jsonb,
	"touched_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_runs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "ended" CHECK ((status is null) = (ended_at is null))
);
--> statement-breakpoint
CREATE TABLE "schedule_skips" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"schedule_run_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "schedule_skips_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "auto_schedules_by_created" ON "auto_schedules" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_schedules_by_updated" ON "auto_schedules" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "auto_schedules_by_automation" ON "auto_schedules" USING btree ("workspace_id","automation_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_schedules_due" ON "auto_schedules" USING btree ("next_run_at","workspace_id","id") WHERE next_run_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "schedule_runs_due_key" ON "schedule_runs" USING btree ("workspace_id","schedule_id","due_at");
--> statement-breakpoint
CREATE INDEX "schedule_runs_by_fired" ON "schedule_runs" USING btree ("workspace_id","schedule_id","fired_at","id");
--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("touched_at","workspace_id","id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "schedule_runs_by_age" ON "schedule_runs" USING btree ("fired_at");
--> statement-breakpoint
CREATE INDEX "schedule_skips_by_run" ON "schedule_skips" USING btree ("workspace_id","schedule_run_id","created_at","id");
--> statement-breakpoint
call tenant_table('auto_schedules');
--> statement-breakpoint
call tenant_table('schedule_runs', 'select');
--> statement-breakpoint
call tenant_table('schedule_skips', 'select');
--> statement-breakpoint
call tenant_reference('auto_schedules', 'automation_id', 'automations');
--> statement-breakpoint
call tenant_reference('schedule_skips', 'schedule_run_id', 'schedule_runs', 'cascade');
--> statement-breakpoint
create index schedule_runs_by_mention on schedule_runs using gin (mention_keys("settings"::text || ' ' || coalesce("error"::text, ''))) with (gin_pending_list_limit = 256);
