CREATE TABLE "agent_proposals" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"approval_id" uuid NOT NULL,
	"operation_id" text NOT NULL,
	"grounds" jsonb NOT NULL,
	"withdrawn_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_proposals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_proposals_approval_key" ON "agent_proposals" USING btree ("workspace_id","approval_id");
--> statement-breakpoint
CREATE INDEX "agent_proposals_by_created" ON "agent_proposals" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "agent_proposals_by_operation" ON "agent_proposals" USING btree ("workspace_id","operation_id","created_at","id");
--> statement-breakpoint
call tenant_table('agent_proposals');
--> statement-breakpoint
call tenant_reference('agent_proposals', 'approval_id', 'approvals', 'cascade');
--> statement-breakpoint
create index agent_proposals_by_mention on agent_proposals using gin (mention_keys("grounds"::text)) with (gin_pending_list_limit = 256);
