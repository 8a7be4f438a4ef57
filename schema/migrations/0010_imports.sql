-- Imports: files whose lines become records, and how they are undone.

CREATE TABLE "import_files" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"import_id" uuid NOT NULL,
	"encoding" text NOT NULL,
	"delimiter" text NOT NULL,
	"has_header" boolean NOT NULL,
	"columns" jsonb NOT NULL,
	"suggestions" jsonb NOT NULL,
	"preview" jsonb NOT NULL,
	"total" integer NOT NULL,
	"first_byte" integer NOT NULL,
	"first_line" integer NOT NULL,
	"phase" text,
	"next_byte" integer NOT NULL,
	"next_line" integer NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"created" integer DEFAULT 0 NOT NULL,
	"updated" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"removed" integer DEFAULT 0 NOT NULL,
	"restored" integer DEFAULT 0 NOT NULL,
	"kept" integer DEFAULT 0 NOT NULL,
	"undo_before" uuid,
	"touched_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "import_files_workspace_id_import_id_pk" PRIMARY KEY("workspace_id","import_id")
);
--> statement-breakpoint
CREATE TABLE "import_rows" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"import_id" uuid NOT NULL,
	"line" integer NOT NULL,
	"status" text NOT NULL,
	"record_id" uuid,
	"errors" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"values" jsonb,
	"undone" text,
	"undo_reason" text,
	CONSTRAINT "import_rows_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"state" text DEFAULT 'ready' NOT NULL,
	"object" text NOT NULL,
	"file_name" text NOT NULL,
	"size" integer NOT NULL,
	"sha256" text NOT NULL,
	"mapping" jsonb NOT NULL,
	"mode" text DEFAULT 'create' NOT NULL,
	"match_by" text,
	"defaults" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"date_format" text NOT NULL,
	"country" text,
	"clear_empty" boolean DEFAULT false NOT NULL,
	"skip_automations" boolean DEFAULT false NOT NULL,
	"reason" text,
	"created_by" uuid,
	"run_key_id" uuid,
	"undo_id" uuid,
	"started_at" timestamp(3) with time zone,
	"finished_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "imports_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
DROP INDEX "changes_by_request";
--> statement-breakpoint
CREATE UNIQUE INDEX "import_rows_line_key" ON "import_rows" USING btree ("workspace_id","import_id","line");
--> statement-breakpoint
CREATE INDEX "import_rows_by_status" ON "import_rows" USING btree ("workspace_id","import_id","status","line","id");
--> statement-breakpoint
CREATE INDEX "import_rows_by_undone" ON "import_rows" USING btree ("workspace_id","import_id","undone","line","id");
--> statement-breakpoint
CREATE INDEX "import_rows_by_record" ON "import_rows" USING btree ("workspace_id","record_id");
--> statement-breakpoint
CREATE INDEX "imports_by_created" ON "imports" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "imports_by_updated" ON "imports" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "imports_by_state" ON "imports" USING btree ("workspace_id","state","created_at","id");
--> statement-breakpoint
CREATE INDEX "imports_by_object" ON "imports" USING btree ("workspace_id","object","created_at","id");
--> statement-breakpoint
CREATE INDEX "imports_active" ON "imports" USING btree ("id") WHERE state in ('checking', 'running', 'undoing');
--> statement-breakpoint
CREATE INDEX "changes_by_request" ON "changes" USING btree ("workspace_id","request_id","id");
--> statement-breakpoint
call tenant_table('imports');
--> statement-breakpoint
call tenant_table('import_files');
--> statement-breakpoint
call tenant_table('import_rows', 'select, delete');
--> statement-breakpoint
call tenant_reference('imports', 'created_by', 'memberships');
--> statement-breakpoint
call tenant_reference('imports', 'run_key_id', 'api_keys');
--> statement-breakpoint
call tenant_reference('import_files', 'import_id', 'imports', 'cascade');
--> statement-breakpoint
call tenant_reference('import_rows', 'import_id', 'imports', 'cascade');
--> statement-breakpoint
alter table imports alter column created_by set default current_user_id();
