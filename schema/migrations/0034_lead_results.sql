CREATE TABLE "lead_results" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"company_name" text,
	"email" text,
	"phone" text,
	"website" text,
	"website_domain" text collate "C" GENERATED ALWAYS AS (website_domain(website)) STORED,
	"city" text,
	"country" text,
	"place_key" text collate "C" GENERATED ALWAYS AS (case when city is not null then norm(name) || '|' || norm(city) end) STORED,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(name || coalesce(' ' || company_name, '') || coalesce(' ' || email, '') || coalesce(' ' || city, ''))) STORED NOT NULL,
	"source" text,
	"source_id" text,
	"consent_basis" text DEFAULT 'none' NOT NULL,
	"status" text DEFAULT 'new' NOT NULL,
	"duplicate_of_id" uuid,
	"matched_by" text,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"converted_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_results_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "lead_results_by_created" ON "lead_results" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_updated" ON "lead_results" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_status" ON "lead_results" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_source" ON "lead_results" USING btree ("workspace_id","source","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_consent" ON "lead_results" USING btree ("workspace_id","consent_basis","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_contact" ON "lead_results" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_customer" ON "lead_results" USING btree ("workspace_id","customer_id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_opportunity" ON "lead_results" USING btree ("workspace_id","opportunity_id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_duplicate" ON "lead_results" USING btree ("workspace_id","duplicate_of_id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_email" ON "lead_results" USING btree ("workspace_id","email","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_phone" ON "lead_results" USING btree ("workspace_id","phone","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_domain" ON "lead_results" USING btree ("workspace_id","website_domain","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_place" ON "lead_results" USING btree ("workspace_id","place_key","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_results_by_words" ON "lead_results" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
call tenant_table('lead_results');
--> statement-breakpoint
call tenant_reference('lead_results', 'duplicate_of_id', 'lead_results', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'opportunity_id', 'opportunities', 'set null');
