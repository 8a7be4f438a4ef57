CREATE TABLE "approval_policies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"events" text[] DEFAULT '{}' NOT NULL,
	"scopes" text[] DEFAULT '{}' NOT NULL,
	"more_than" integer,
	"value_over" numeric(14, 2),
	"currency" text,
	"requester_roles" text[] DEFAULT '{}' NOT NULL,
	"requester_key_ids" uuid[] DEFAULT '{}' NOT NULL,
	"approver_roles" text[] DEFAULT '{}' NOT NULL,
	"requester_may_approve" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approval_policies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "condition" CHECK (events <> '{}' or scopes <> '{}')
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "run_approval_id" uuid;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "policy_ids" uuid[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "stale_at" timestamp(3) with time zone;
--> statement-breakpoint
CREATE INDEX "approval_policies_by_created" ON "approval_policies" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "approval_policies_by_updated" ON "approval_policies" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "approval_policies_name_key" ON "approval_policies" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
call tenant_table('approval_policies');
