ALTER TABLE "automation_runs" ADD COLUMN "claimed_until" timestamp(3) with time zone;
--> statement-breakpoint
-- Half of a page is left for the rows of a claim, so that these need no entries of their own in the indexes.
ALTER TABLE "automation_runs" SET (fillfactor = 50);
