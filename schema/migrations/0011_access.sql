-- Roles of a workspace's own, what every request did, and lists of words.

CREATE TABLE "requests" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"endpoint" text,
	"status" integer NOT NULL,
	"status_class" text GENERATED ALWAYS AS ((status / 100)::text || 'xx') STORED NOT NULL,
	"outcome" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"approval_id" uuid,
	"replay_of" uuid,
	"duration_ms" integer,
	"at" timestamp(3) with time zone GENERATED ALWAYS AS (uuid_extract_timestamp(id)) STORED NOT NULL,
	CONSTRAINT "requests_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"role_key" text NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"scopes" text[] NOT NULL,
	"can_write" boolean DEFAULT true NOT NULL,
	"built_in" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "roles_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
DROP INDEX "changes_by_request";
--> statement-breakpoint
DROP INDEX "outbox_by_request";
--> statement-breakpoint
CREATE INDEX "requests_by_key" ON "requests" USING btree ("workspace_id","key_id","id");
--> statement-breakpoint
CREATE INDEX "requests_by_user" ON "requests" USING btree ("workspace_id","user_id","id");
--> statement-breakpoint
CREATE INDEX "requests_by_method" ON "requests" USING btree ("workspace_id","method","id");
--> statement-breakpoint
CREATE INDEX "requests_by_path" ON "requests" USING btree ("workspace_id","path","id");
--> statement-breakpoint
CREATE INDEX "requests_by_endpoint" ON "requests" USING btree ("workspace_id","endpoint","id");
--> statement-breakpoint
CREATE INDEX "requests_by_status" ON "requests" USING btree ("workspace_id","status_class","id");
--> statement-breakpoint
CREATE INDEX "requests_by_age" ON "requests" USING btree ("at");
--> statement-breakpoint
CREATE UNIQUE INDEX "roles_key_key" ON "roles" USING btree ("workspace_id","role_key");
--> statement-breakpoint
CREATE UNIQUE INDEX "roles_name_key" ON "roles" USING btree ("workspace_id","name_norm");
--> statement-breakpoint
CREATE INDEX "roles_by_created" ON "roles" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "roles_by_kind" ON "roles" USING btree ("workspace_id","built_in","created_at","id");
--> statement-breakpoint
CREATE INDEX "opportunities_by_type" ON "opportunities" USING btree ("workspace_id","opportunity_type","archived","created_at","id");
--> statement-breakpoint
CREATE INDEX "memberships_by_role" ON "memberships" USING btree ("workspace_id","role","created_at","user_id");
--> statement-breakpoint
CREATE INDEX "changes_by_request" ON "changes" USING btree ("workspace_id","request_id","id");
--> statement-breakpoint
CREATE INDEX "outbox_by_request" ON "outbox" USING btree ("workspace_id","request_id","id");
--> statement-breakpoint
call tenant_table('roles');
--> statement-breakpoint
call tenant_table('requests', 'select');
--> statement-breakpoint
do $$ begin
  if exists (select from workspaces) then perform add_built_in_roles(id) from workspaces; end if;
end $$;
--> statement-breakpoint
alter table memberships add constraint "memberships.role" foreign key (workspace_id, role) references roles (workspace_id, role_key);
--> statement-breakpoint
-- Lists of words, and the records that have them. Reasons and tags are one word however they are written; types and lead sources as they are spelled.
create index opportunities_by_lost_reason on opportunities using gin (workspace_id, lower_all(lost_reasons)) with (fastupdate = off) where lost_reasons is not null;
--> statement-breakpoint
create index opportunities_by_won_reason on opportunities using gin (workspace_id, lower_all(won_reasons)) with (fastupdate = off) where won_reasons is not null;
