-- A stage requires fields of the opportunities that enter it, and says after how many days they are rotting.
ALTER TABLE "stages" ADD COLUMN "required_fields" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "stages" ADD COLUMN "rotting_days" integer;
--> statement-breakpoint
CREATE INDEX "opportunities_by_stage_entered" ON "opportunities" USING btree ("workspace_id","archived",(case when stage_entered_at is null then 'infinity'::timestamptz else stage_entered_at end),"id");
--> statement-breakpoint
-- The value of an opportunity is entered, or the sum of its line items.
ALTER TABLE "opportunities" ADD COLUMN "value_source" text DEFAULT 'manual' NOT NULL;
--> statement-breakpoint
-- Rates by which sums in several currencies become one.
CREATE TABLE "exchange_rates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"base_currency" text NOT NULL,
	"quote_currency" text NOT NULL,
	"rate" numeric(20, 10) NOT NULL,
	"effective_on" date NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "exchange_rates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "exchange_rates_by_created" ON "exchange_rates" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "exchange_rates_by_updated" ON "exchange_rates" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "exchange_rates_by_date" ON "exchange_rates" USING btree ("workspace_id","effective_on","id");
--> statement-breakpoint
CREATE INDEX "exchange_rates_by_base" ON "exchange_rates" USING btree ("workspace_id","base_currency","created_at","id");
--> statement-breakpoint
CREATE INDEX "exchange_rates_by_quote" ON "exchange_rates" USING btree ("workspace_id","quote_currency","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "exchange_rates_date_key" ON "exchange_rates" USING btree ("workspace_id","base_currency","quote_currency","effective_on");
--> statement-breakpoint
call tenant_table('exchange_rates');
--> statement-breakpoint
-- Lists are sorted by owner.
CREATE INDEX "contacts_in_order_of_owner" ON "contacts" USING btree ("workspace_id","archived",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"id");
--> statement-breakpoint
CREATE INDEX "companies_in_order_of_owner" ON "companies" USING btree ("workspace_id","archived",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"id");
--> statement-breakpoint
CREATE INDEX "opportunities_in_order_of_owner" ON "opportunities" USING btree ("workspace_id","archived",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"id");
