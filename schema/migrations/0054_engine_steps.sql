CREATE TABLE "automation_incidents" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"automation_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"opened_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "automation_incidents_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "automation_runs" ADD COLUMN "turn" jsonb;
--> statement-breakpoint
CREATE UNIQUE INDEX "automation_incidents_key" ON "automation_incidents" USING btree ("workspace_id","automation_id");
--> statement-breakpoint
call tenant_table('automation_incidents', 'select');
--> statement-breakpoint
call tenant_reference('automation_incidents', 'automation_id', 'automations', 'cascade');
