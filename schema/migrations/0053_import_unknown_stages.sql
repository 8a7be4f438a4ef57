ALTER TABLE "import_files" ADD COLUMN "unknown_values" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_pipelines" text DEFAULT 'fail' NOT NULL;
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unknown_stages" text DEFAULT 'fail' NOT NULL;
