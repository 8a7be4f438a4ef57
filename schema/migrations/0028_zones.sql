-- The zone of a contact's local time (see schema/functions/zones.sql). Of the present contacts it is unknown until the background has decided it.
ALTER TABLE "contacts" ADD COLUMN "local_zone" text;
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "zone_basis" jsonb;
--> statement-breakpoint
CREATE INDEX "contacts_by_unresolved" ON "contacts" USING btree ("workspace_id","id") WHERE local_zone is null;
--> statement-breakpoint
-- Workspaces with contacts whose zone must be decided: `walk_from` is the last contact that was visited because the workspace's zone has changed.
CREATE TABLE "zone_work" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"walk_from" uuid,
	"walk_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "zone_work_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
alter table zone_work add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
call tenant_table('zone_work', 'select');
