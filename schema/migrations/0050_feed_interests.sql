CREATE TABLE "feed_interests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"follower" text NOT NULL,
	"types" text[] NOT NULL,
	CONSTRAINT "feed_interests_workspace_id_follower_pk" PRIMARY KEY("workspace_id","follower")
);
--> statement-breakpoint
CREATE TABLE "feed_wakes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"follower" text NOT NULL,
	"since" "xid8" NOT NULL,
	"until" "xid8",
	"settles" "xid8",
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_wakes_workspace_id_follower_id_pk" PRIMARY KEY("workspace_id","follower","id")
);
--> statement-breakpoint
ALTER TABLE "webhook_states" ADD COLUMN "replayed_at" timestamp(3) with time zone;
--> statement-breakpoint
CREATE INDEX "feed_wakes_due" ON "feed_wakes" USING btree ("at","workspace_id");
--> statement-breakpoint
call tenant_table('feed_interests', 'select');
--> statement-breakpoint
call tenant_table('feed_wakes', 'select');
--> statement-breakpoint
-- The rows live for seconds, and come and go with the events.
alter table feed_wakes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
update webhook_states set replayed_at = now() where replay_id is not null;
--> statement-breakpoint
insert into feed_interests (workspace_id, follower, types)
  select f.workspace_id, f.follower, t.types from feed_followers f, lateral (
    select '{contact.*,company.*,opportunity.*,activity.*,task.*,employer.*,follower.*,opportunity_contact.*,list.updated,workspace.updated}'::text[] as types
      where f.follower = 'lists' union all
    select array(select distinct unnest(w.event_types) as t from webhooks w where w.workspace_id = f.workspace_id and w.status = 'enabled' order by t)
      where f.follower = 'webhooks' union all
    select array(select a.event_type from automation_triggers a where a.workspace_id = f.workspace_id
        union select unnest('{approval.executed,approval.failed,approval.rejected,approval.expired}'::text[]))
      where f.follower = 'automations') t
  where t.types <> '{}';
--> statement-breakpoint
-- What they have not read yet, and what open transactions are writing.
insert into feed_wakes (workspace_id, follower, since, settles)
  select workspace_id, follower, xid, greatest(pg_snapshot_xmax(pg_current_snapshot()), pg_current_xact_id()) from feed_followers;
