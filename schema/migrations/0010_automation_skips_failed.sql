ALTER TABLE "automation_skips" ADD COLUMN "failed" text;
