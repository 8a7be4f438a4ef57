-- A stage requires fields of the opportunities that enter it, and says after how many days they are rotting.
ALTER TABLE "stages" ADD COLUMN "required_fields" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "rotting_days" integer;
--> statement-breakpoint
CREATE INDEX "opportunities_by_stage_entered" ON "opportunities" USING btree ("workspace_id","archived",(case when stage_entered_at is null then 'infinity'::timestamptz else stage_entered_at end),"id");
--> statement-breakpoint
-- The value of an opportunity is entered, or the sum of its line items.
ALTER TABLE "opportunities" ADD COLUMN "value_source" text DEFAULT 'manual' NOT NULL;
