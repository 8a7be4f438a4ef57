CREATE TABLE "auto_queue_list_enrolments" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"auto_queue_id" uuid NOT NULL,
	"list_id" uuid,
	"state" text DEFAULT 'running' NOT NULL,
	"key_id" uuid DEFAULT current_key_id() NOT NULL,
	"after_id" uuid DEFAULT '00000000-0000-0000-0000-000000000000' NOT NULL,
	"enrolled" integer DEFAULT 0 NOT NULL,
	"skipped" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "auto_queue_list_enrolments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "auto_queue_steps" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"auto_queue_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"name" text,
	"delay" jsonb NOT NULL,
	"send_window" jsonb,
	"action" jsonb,
	"automation_id" uuid,
	"wait_id" uuid DEFAULT uuidv7() NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auto_queue_steps_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "one_target" CHECK (num_nonnulls(action, automation_id) = 1)
);
--> statement-breakpoint
CREATE TABLE "auto_queues" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"state" text DEFAULT 'draft' NOT NULL,
	"inactive_reason" text,
	"exits" jsonb NOT NULL,
	"exit_types" text[] NOT NULL,
	"re_enrolment" jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "auto_queues_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "automation_runs" ADD COLUMN "queue_step_id" uuid GENERATED ALWAYS AS ((place ->> 'step')::uuid) STORED;
--> statement-breakpoint
ALTER TABLE "automation_runs" ADD COLUMN "enrolment_state" text GENERATED ALWAYS AS (case when place ? 'step' then case state when 'paused' then 'paused' when 'completed' then 'completed' when 'failed' then 'failed' when 'cancelled' then 'removed' when 'stopped' then 'exited' else 'active' end end) STORED;
--> statement-breakpoint
ALTER TABLE "automations" ADD COLUMN "queue_id" uuid;
--> statement-breakpoint
CREATE INDEX "auto_queue_list_enrolments_by_queue" ON "auto_queue_list_enrolments" USING btree ("workspace_id","auto_queue_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_queue_list_enrolments_by_list" ON "auto_queue_list_enrolments" USING btree ("workspace_id","list_id");
--> statement-breakpoint
CREATE INDEX "auto_queue_list_enrolments_running" ON "auto_queue_list_enrolments" USING btree ("workspace_id","id") WHERE state = 'running';
--> statement-breakpoint
CREATE INDEX "auto_queue_steps_by_queue" ON "auto_queue_steps" USING btree ("workspace_id","auto_queue_id","position","id");
--> statement-breakpoint
CREATE INDEX "auto_queues_by_created" ON "auto_queues" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "auto_queues_by_updated" ON "auto_queues" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "auto_queues_by_state" ON "auto_queues" USING btree ("workspace_id","state","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "auto_queues_name_key" ON "auto_queues" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
CREATE INDEX "automation_runs_enrolled" ON "automation_runs" USING btree ("workspace_id","automation_id","enrolment_state","created_at","id") WHERE enrolment_state is not null;
--> statement-breakpoint
CREATE INDEX "automation_runs_at_step" ON "automation_runs" USING btree ("workspace_id","automation_id","queue_step_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "automations_by_queue" ON "automations" USING btree ("workspace_id","queue_id");
--> statement-breakpoint
call tenant_table('auto_queue_list_enrolments');
--> statement-breakpoint
call tenant_table('auto_queue_steps');
--> statement-breakpoint
call tenant_table('auto_queues');
--> statement-breakpoint
call tenant_reference('auto_queue_list_enrolments', 'auto_queue_id', 'auto_queues', 'cascade');
--> statement-breakpoint
call tenant_reference('auto_queue_list_enrolments', 'list_id', 'lists', 'set null');
--> statement-breakpoint
call tenant_reference('auto_queue_steps', 'auto_queue_id', 'auto_queues', 'cascade');
--> statement-breakpoint
call tenant_reference('automations', 'queue_id', 'auto_queues', 'cascade');
--> statement-breakpoint
create index auto_queue_list_enrolments_by_mention on auto_queue_list_enrolments using gin (mention_keys("skipped"::text)) with (gin_pending_list_limit = 256);

--> statement-breakpoint
create policy hides_queues on automations as restrictive using (queue_id is null);
