-- Events of records that enter and leave lists (see schema/functions/list-tracking.sql).
ALTER TABLE "lists" ADD COLUMN "tracks_membership" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "lists" ADD COLUMN "tracked_since" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "lists" ADD COLUMN "tracking_error" text;
--> statement-breakpoint
CREATE INDEX "lists_tracked" ON "lists" USING btree ("workspace_id","id") WHERE tracks_membership;
--> statement-breakpoint
CREATE TABLE "list_tracking" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"xid" "xid8" NOT NULL,
	"event_id" uuid NOT NULL,
	CONSTRAINT "list_tracking_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "tracked_lists" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"list_id" uuid NOT NULL,
	"is_ready" boolean DEFAULT false NOT NULL,
	"members" integer DEFAULT 0 NOT NULL,
	"walk_from" uuid,
	"walk_origin" text,
	"walk_at" timestamp(3) with time zone,
	CONSTRAINT "tracked_lists_workspace_id_list_id_pk" PRIMARY KEY("workspace_id","list_id")
);
--> statement-breakpoint
CREATE TABLE "tracked_members" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"list_id" uuid NOT NULL,
	"record_id" uuid NOT NULL,
	CONSTRAINT "tracked_members_workspace_id_list_id_record_id_pk" PRIMARY KEY("workspace_id","list_id","record_id")
);
--> statement-breakpoint
CREATE TABLE "list_touches" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"object" text NOT NULL,
	"record_id" uuid NOT NULL,
	"origin" text NOT NULL,
	CONSTRAINT "list_touches_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
alter table list_tracking add foreign key (workspace_id) references workspaces on delete cascade;
--> statement-breakpoint
call tenant_table('list_tracking', 'select');
--> statement-breakpoint
call tenant_table('tracked_lists', 'select');
--> statement-breakpoint
call tenant_table('tracked_members', 'select');
--> statement-breakpoint
call tenant_table('list_touches', 'select');
--> statement-breakpoint
call tenant_reference('tracked_lists', 'list_id', 'lists', 'cascade');
--> statement-breakpoint
call tenant_reference('tracked_members', 'list_id', 'lists', 'cascade');
