CREATE TABLE "automation_incidents" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"automation_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"opened_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_incidents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "outgoing_requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"method" text NOT NULL,
	"url" text NOT NULL,
	"headers" jsonb NOT NULL,
	"body" text,
	"webhook_id" uuid,
	"dedupe_key" text NOT NULL,
	"state" text DEFAULT 'pending' NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"claim_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"response" jsonb,
	"error" jsonb,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "outgoing_requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "automation_runs" ADD COLUMN "turn" jsonb;
--> statement-breakpoint
CREATE UNIQUE INDEX "automation_incidents_key" ON "automation_incidents" USING btree ("workspace_id","automation_id");
--> statement-breakpoint
CREATE INDEX "outgoing_requests_by_created" ON "outgoing_requests" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "outgoing_requests_by_state" ON "outgoing_requests" USING btree ("workspace_id","state","created_at","id");
--> statement-breakpoint
CREATE INDEX "outgoing_requests_of_workspace_due" ON "outgoing_requests" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "outgoing_requests_due" ON "outgoing_requests" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "outgoing_requests_by_age" ON "outgoing_requests" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "outgoing_requests_dedupe_key" ON "outgoing_requests" USING btree ("workspace_id","dedupe_key");
--> statement-breakpoint
call tenant_table('automation_incidents', 'select');
--> statement-breakpoint
call tenant_table('outgoing_requests', 'select, insert');
--> statement-breakpoint
call tenant_reference('automation_incidents', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
create index outgoing_requests_by_mention on outgoing_requests using gin (mention_keys("headers"::text || ' ' || coalesce("response"::text, '') || ' ' || coalesce("error"::text, ''))) with (gin_pending_list_limit = 256);
