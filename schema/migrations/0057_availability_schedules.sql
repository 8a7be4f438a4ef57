ALTER TABLE "availabilities" ADD COLUMN "name" text DEFAULT 'Working hours' NOT NULL;
--> statement-breakpoint
ALTER TABLE "availabilities" ADD COLUMN "name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL;
--> statement-breakpoint
ALTER TABLE "availabilities" ADD COLUMN "is_default" boolean DEFAULT true NOT NULL;
