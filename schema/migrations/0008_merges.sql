CREATE TABLE "merge_entries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"merge_id" uuid NOT NULL,
	"table_name" text NOT NULL,
	"row_id" uuid NOT NULL,
	"fate" text NOT NULL,
	"category" text,
	"place" integer NOT NULL,
	"survivor" uuid,
	"before" jsonb NOT NULL,
	"after" jsonb NOT NULL,
	"outcome" text,
	CONSTRAINT "merge_entries_workspace_id_merge_id_table_name_row_id_pk" PRIMARY KEY("workspace_id","merge_id","table_name","row_id")
);
--> statement-breakpoint
CREATE TABLE "merges" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"entity" text NOT NULL,
	"winner_id" uuid NOT NULL,
	"losers" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"moved" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"dropped" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"left_behind" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"forced_categories" text[] DEFAULT '{}' NOT NULL,
	"field_changes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"request_id" text,
	"merged_by" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"undone" boolean DEFAULT false NOT NULL,
	"undoable" boolean DEFAULT true NOT NULL,
	"undone_at" timestamp(3) with time zone,
	"undone_by" uuid,
	"changed_since" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "merges_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "merge_entries_by_loser" ON "merge_entries" USING btree ("workspace_id","row_id") WHERE fate = 'merged';
--> statement-breakpoint
CREATE INDEX "merges_by_created" ON "merges" USING btree ("workspace_id","entity","created_at","id");
--> statement-breakpoint
CREATE INDEX "merges_by_undone" ON "merges" USING btree ("workspace_id","entity","undone","created_at","id");
--> statement-breakpoint
CREATE INDEX "merges_undoable" ON "merges" USING btree ("created_at") WHERE undoable;
--> statement-breakpoint
CREATE INDEX "merges_by_winner" ON "merges" USING btree ("workspace_id","winner_id","created_at","id");
--> statement-breakpoint
-- Merging records and undoing it. What a record's merge carries is not listed anywhere: it is every row whose foreign key leads to the record.

call tenant_table('merges', 'select');
--> statement-breakpoint
call tenant_table('merge_entries', 'select');
--> statement-breakpoint
call tenant_reference('merge_entries', 'merge_id', 'merges', 'cascade');
