CREATE TABLE "deletions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"table_name" text NOT NULL,
	"record_id" uuid NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"request_id" text,
	"key_id" uuid,
	"user_id" uuid,
	"cause_type" text,
	"cause_id" uuid,
	"cause_depth" smallint DEFAULT 0 NOT NULL,
	"skip_automations" boolean DEFAULT false NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"total" integer,
	"processed" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "deletions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "deleted_rows" ALTER COLUMN "xid" SET DEFAULT deletion_transaction();
--> statement-breakpoint
CREATE INDEX "deletions_running" ON "deletions" USING btree ("workspace_id","record_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "deletions_by_age" ON "deletions" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE INDEX "deletions_due" ON "deletions" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "deletions_due_of" ON "deletions" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
call tenant_table('deletions', 'select');
