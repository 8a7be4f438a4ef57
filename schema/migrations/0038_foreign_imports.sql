-- Imports of files that other systems wrote: their format, what becomes of unknown records, warnings about lines, and files imported before.
ALTER TABLE "imports" ADD COLUMN "ignored_columns" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "replacements" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "external_id_prefix" text;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_companies" text DEFAULT 'create' NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_lead_sources" text DEFAULT 'report' NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_owners" text DEFAULT 'report' NOT NULL;
--> statement-breakpoint
-- Imports that exist were created when such a line failed.
ALTER TABLE "imports" DISABLE TRIGGER USER;
--> statement-breakpoint
UPDATE "imports" SET "unknown_companies" = 'fail', "unknown_lead_sources" = 'fail', "unknown_owners" = 'fail';
--> statement-breakpoint
ALTER TABLE "imports" ENABLE TRIGGER USER;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "format" text;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "type" text DEFAULT 'csv' NOT NULL;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "warned" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "previewed" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
-- The first lines with their numbers.
UPDATE "import_files" f SET "preview" = (SELECT coalesce(jsonb_agg(jsonb_build_object('line', n + f."has_header"::int, 'cells', cells) ORDER BY n), '[]')
  FROM jsonb_array_elements(f."preview") WITH ORDINALITY e(cells, n));
--> statement-breakpoint
ALTER TABLE "import_rows" ADD COLUMN "has_warnings" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "import_rows_by_warnings" ON "import_rows" USING btree ("workspace_id","import_id","line","id") WHERE has_warnings;
--> statement-breakpoint
CREATE INDEX "imports_by_digest" ON "imports" USING btree ("workspace_id","sha256","started_at");
