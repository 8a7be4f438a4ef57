-- Event streams that are open, so that a key has no more than a few of them in all isolates together. A row is renewed while its stream is open.
CREATE TABLE "stream_leases" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"key_id" uuid NOT NULL,
	"slot" integer NOT NULL,
	"stream_id" uuid NOT NULL,
	"expires_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "stream_leases_workspace_id_key_id_slot_pk" PRIMARY KEY("workspace_id","key_id","slot")
);
--> statement-breakpoint
-- A line has a record or none, and few imports are undone: most rows need no entry in these.
DROP INDEX "import_rows_by_undone";
--> statement-breakpoint
DROP INDEX "import_rows_by_record";
--> statement-breakpoint
CREATE INDEX "import_rows_by_undone" ON "import_rows" USING btree ("workspace_id","import_id","undone","line","id") WHERE undone is not null;
--> statement-breakpoint
CREATE INDEX "import_rows_by_record" ON "import_rows" USING btree ("workspace_id","record_id") WHERE record_id is not null;
--> statement-breakpoint
call tenant_table('stream_leases', 'select');
--> statement-breakpoint
call tenant_reference('stream_leases', 'key_id', 'api_keys', 'cascade');
