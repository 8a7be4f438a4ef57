CREATE TABLE "lead_dispatches" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"initiative_id" uuid NOT NULL,
	"local_date" date,
	"sent" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp(3) with time zone,
	"due_at" timestamp(3) with time zone,
	"turn" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "lead_dispatches_workspace_id_initiative_id_pk" PRIMARY KEY("workspace_id","initiative_id")
);
--> statement-breakpoint
CREATE TABLE "lead_enrolments" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"initiative_id" uuid NOT NULL,
	"lead_result_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"end_reason" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "lead_enrolments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "lead_initiative_steps" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"initiative_id" uuid NOT NULL,
	"sort_order" integer NOT NULL,
	"action_type" text,
	"action_config" jsonb,
	"delay" integer DEFAULT 0 NOT NULL,
	"automation_id" uuid NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"fired_count" integer DEFAULT 0 NOT NULL,
	"reply_count" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_initiative_steps_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "lead_initiatives" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"is_active" boolean DEFAULT false NOT NULL,
	"daily_send_cap" integer DEFAULT 40 NOT NULL,
	"send_window_start" text DEFAULT '09:00' NOT NULL,
	"send_window_end" text DEFAULT '17:00' NOT NULL,
	"send_days" integer[] DEFAULT '{1,2,3,4,5}' NOT NULL,
	"timezone" text DEFAULT 'Australia/Sydney' NOT NULL,
	"min_gap_seconds" integer DEFAULT 90 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_initiatives_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "lead_senders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"next_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "lead_senders_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "lead_tasks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"initiative_id" uuid NOT NULL,
	"enrolment_id" uuid NOT NULL,
	"step_id" uuid,
	"is_email" boolean NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"scheduled_for" timestamp(3) with time zone NOT NULL,
	"fired_at" timestamp(3) with time zone,
	"day" date,
	"reason" text,
	"run_id" uuid,
	"replied_at" timestamp(3) with time zone,
	CONSTRAINT "lead_tasks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
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
CREATE INDEX "lead_dispatches_due" ON "lead_dispatches" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "lead_dispatches_due_of" ON "lead_dispatches" USING btree ("workspace_id","due_at","initiative_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "lead_enrolments_by_initiative" ON "lead_enrolments" USING btree ("workspace_id","initiative_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_enrolments_by_status" ON "lead_enrolments" USING btree ("workspace_id","initiative_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_enrolments_by_result" ON "lead_enrolments" USING btree ("workspace_id","lead_result_id");
--> statement-breakpoint
CREATE INDEX "lead_enrolments_by_contact" ON "lead_enrolments" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "lead_enrolments_active_key" ON "lead_enrolments" USING btree ("workspace_id","contact_id") WHERE ended_at is null;
--> statement-breakpoint
CREATE INDEX "lead_initiative_steps_by_initiative" ON "lead_initiative_steps" USING btree ("workspace_id","initiative_id","sort_order","id");
--> statement-breakpoint
CREATE INDEX "lead_initiative_steps_by_automation" ON "lead_initiative_steps" USING btree ("workspace_id","automation_id");
--> statement-breakpoint
CREATE INDEX "lead_initiatives_by_created" ON "lead_initiatives" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_initiatives_by_updated" ON "lead_initiatives" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "lead_initiatives_by_active" ON "lead_initiatives" USING btree ("workspace_id","is_active","created_at","id");
--> statement-breakpoint
CREATE INDEX "lead_tasks_pending" ON "lead_tasks" USING btree ("workspace_id","initiative_id","is_email","scheduled_for","id") WHERE status = 'pending';
--> statement-breakpoint
CREATE INDEX "lead_tasks_by_enrolment" ON "lead_tasks" USING btree ("workspace_id","enrolment_id","scheduled_for","id");
--> statement-breakpoint
CREATE INDEX "lead_tasks_by_step" ON "lead_tasks" USING btree ("workspace_id","step_id");
--> statement-breakpoint
CREATE INDEX "lead_tasks_by_initiative" ON "lead_tasks" USING btree ("workspace_id","initiative_id");
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
call tenant_table('lead_dispatches');
--> statement-breakpoint
call tenant_table('lead_enrolments');
--> statement-breakpoint
call tenant_table('lead_initiative_steps');
--> statement-breakpoint
call tenant_table('lead_initiatives');
--> statement-breakpoint
call tenant_table('lead_senders');
--> statement-breakpoint
call tenant_table('lead_tasks');
--> statement-breakpoint
call tenant_table('lead_results');
--> statement-breakpoint
call tenant_reference('lead_dispatches', 'initiative_id', 'lead_initiatives', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_enrolments', 'initiative_id', 'lead_initiatives', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_enrolments', 'lead_result_id', 'lead_results', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_enrolments', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_initiative_steps', 'initiative_id', 'lead_initiatives', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_initiative_steps', 'automation_id', 'automations', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_tasks', 'initiative_id', 'lead_initiatives', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_tasks', 'enrolment_id', 'lead_enrolments', 'cascade');
--> statement-breakpoint
call tenant_reference('lead_tasks', 'step_id', 'lead_initiative_steps', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'duplicate_of_id', 'lead_results', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('lead_results', 'opportunity_id', 'opportunities', 'set null');
