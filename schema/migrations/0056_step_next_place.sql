ALTER TABLE "automation_steps" ADD COLUMN "next_place" jsonb;
