-- Imports that decide whether automations react; imports of workbooks, and of records that refer to contacts and opportunities.
ALTER TABLE "imports" ADD COLUMN "run_automations" boolean;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_contacts" text DEFAULT 'fail' NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_opportunities" text DEFAULT 'fail' NOT NULL;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "stored_size" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "sheet" text;
--> statement-breakpoint
ALTER TABLE "import_files" ADD COLUMN "sheets" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
UPDATE "import_files" f SET "stored_size" = i."size" FROM "imports" i WHERE i."workspace_id" = f."workspace_id" AND i."id" = f."import_id";
