CREATE TABLE "deleted_rows" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"xid" xid8 DEFAULT pg_current_xact_id() NOT NULL,
	"request_id" text,
	"table_name" text NOT NULL,
	"row_id" uuid NOT NULL,
	"action" text NOT NULL,
	"is_root" boolean NOT NULL,
	"before" jsonb NOT NULL,
	CONSTRAINT "deleted_rows_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "deleted_rows_by_transaction" ON "deleted_rows" USING btree ("workspace_id","xid");
--> statement-breakpoint
CREATE INDEX "deleted_rows_by_row" ON "deleted_rows" USING btree ("workspace_id","row_id","id");
--> statement-breakpoint
CREATE INDEX "deleted_rows_files" ON "deleted_rows" USING btree ("workspace_id","row_id") WHERE table_name = 'attachments';
--> statement-breakpoint
CREATE INDEX "deleted_rows_by_age" ON "deleted_rows" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE INDEX "deleted_rows_by_mention" ON "deleted_rows" USING gin (mention_keys(row_id::text || ' ' || before::text)) WITH (gin_pending_list_limit=256);
--> statement-breakpoint
call tenant_table('deleted_rows', 'select');
--> statement-breakpoint
-- A restore uses these entries too, for the length of its transaction.
ALTER TABLE "merge_entries" DROP CONSTRAINT "merge_entries.merge_id";
