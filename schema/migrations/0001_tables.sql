CREATE TABLE "companies" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (norm(name || coalesce(' ' || email, '') || coalesce(' ' || website_url, ''))) STORED NOT NULL,
	"description" text,
	"email" text,
	"phone" text,
	"website_url" text,
	"industry" text,
	"account_type" text,
	"abn" text,
	"address_line1" text,
	"address_line2" text,
	"city" text,
	"state" text,
	"postal_code" text,
	"country" text,
	"timezone" text,
	"founded_year" integer,
	"annual_revenue" numeric(14, 2),
	"employee_count" integer,
	"parent_company_id" uuid,
	"assigned_to" uuid,
	"notes" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"external_id" text,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "companies_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "contacts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(first_name || coalesce(' ' || last_name, ''))) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (norm(first_name || coalesce(' ' || last_name, '') || coalesce(' ' || email, '') || coalesce(' ' || phone, ''))) STORED NOT NULL,
	"email" text,
	"alternate_emails" text[] DEFAULT '{}' NOT NULL,
	"phone" text,
	"landline" text,
	"job_title" text,
	"contact_type" text,
	"date_of_birth" date,
	"notes" text,
	"source" text DEFAULT 'manual' NOT NULL,
	"source_id" uuid,
	"address_line1" text,
	"address_line2" text,
	"city" text,
	"state" text,
	"postal_code" text,
	"country" text DEFAULT 'Australia',
	"timezone" text,
	"is_primary" boolean DEFAULT false NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"relationship_started_at" timestamp(3) with time zone DEFAULT now(),
	"email_unsubscribed" boolean DEFAULT false NOT NULL,
	"sms_unsubscribed" boolean DEFAULT false NOT NULL,
	"voice_unsubscribed" boolean DEFAULT false NOT NULL,
	"whatsapp_unsubscribed" boolean DEFAULT false NOT NULL,
	"is_referrer" boolean DEFAULT false NOT NULL,
	"referrer_category" text,
	"referrer_opportunity_id" uuid,
	"customer_id" uuid,
	"external_id" text,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contacts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "employers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"contact_id" uuid NOT NULL,
	"customer_id" uuid NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "employers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunities" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (norm(name || coalesce(' ' || external_id, ''))) STORED NOT NULL,
	"description" text,
	"value" numeric(14, 2) DEFAULT 0 NOT NULL,
	"value_minor" bigint GENERATED ALWAYS AS ((value * 100)::bigint) STORED NOT NULL,
	"currency" text DEFAULT 'AUD' NOT NULL,
	"pipeline_id" uuid,
	"stage_id" uuid,
	"stage_entered_at" timestamp(3) with time zone,
	"status" text DEFAULT 'open' NOT NULL,
	"probability" numeric(5, 2) DEFAULT 0 NOT NULL,
	"assigned_to" uuid,
	"customer_id" uuid,
	"opportunity_type" text,
	"lead_source" text,
	"lost_reasons" text[],
	"won_reasons" text[],
	"tags" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"notes" text,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"opened_at" timestamp(3) with time zone DEFAULT now(),
	"expected_close_date" date,
	"closed_at" timestamp(3) with time zone,
	"next_action_type" text,
	"next_action_note" text,
	"next_action_at" timestamp(3) with time zone,
	"external_id" text,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opportunities_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_contacts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"role" text,
	"is_primary" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opportunity_contacts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_products" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"product_id" uuid,
	"bucket_id" uuid,
	"name" text NOT NULL,
	"description" text,
	"quantity" numeric(14, 4) DEFAULT 1 NOT NULL,
	"unit_price" numeric(14, 2) DEFAULT 0 NOT NULL,
	"discount_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	"tax_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"subtotal" numeric(14, 2) GENERATED ALWAYS AS (round(quantity * unit_price * (100 - discount_percent) / 100, 2)) STORED NOT NULL,
	"total" numeric(14, 2) GENERATED ALWAYS AS (round(round(quantity * unit_price * (100 - discount_percent) / 100, 2) * (100 + tax_percent) / 100, 2)) STORED NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opportunity_products_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_users" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opportunity_users_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "pipelines" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"description" text,
	"is_default" boolean DEFAULT false NOT NULL,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "pipelines_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "products" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (norm(name || coalesce(' ' || sku, ''))) STORED NOT NULL,
	"sku" text,
	"category" text,
	"description" text,
	"price" numeric(14, 2) DEFAULT 0 NOT NULL,
	"cost" numeric(14, 2),
	"currency" text DEFAULT 'AUD' NOT NULL,
	"unit" text,
	"tax_percent" numeric(5, 2) DEFAULT 0 NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"external_id" text,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "products_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "stage_moves" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"from_pipeline_id" uuid,
	"from_stage_id" uuid,
	"from_stage_name" text,
	"to_pipeline_id" uuid,
	"to_stage_id" uuid,
	"to_stage_name" text,
	"seconds_in_stage" bigint,
	"moved_by" uuid,
	"moved_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stage_moves_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "stages" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"pipeline_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"kind" text DEFAULT 'open' NOT NULL,
	"probability" numeric(5, 2) DEFAULT 0 NOT NULL,
	"color" text,
	"position" integer NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"state" text DEFAULT 'stored' NOT NULL,
	"uploaded_by" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "billing_parties" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"customer_id" uuid NOT NULL,
	"share_percent" numeric(5, 2),
	"note" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_parties_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"invoice_number" text NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"currency" text DEFAULT 'AUD' NOT NULL,
	"total" numeric(14, 2) DEFAULT 0 NOT NULL,
	"amount_paid" numeric(14, 2) DEFAULT 0 NOT NULL,
	"amount_due" numeric(14, 2) GENERATED ALWAYS AS (total - amount_paid) STORED NOT NULL,
	"issue_date" date,
	"due_date" date,
	"notes" text,
	"external_id" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invoices_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_buckets" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"position" integer NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "opportunity_buckets_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "opportunity_changes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"at" timestamp(3) with time zone NOT NULL,
	"change_id" uuid NOT NULL,
	CONSTRAINT "opportunity_changes_workspace_id_opportunity_id_at_change_id_pk" PRIMARY KEY("workspace_id","opportunity_id","at","change_id")
);
--> statement-breakpoint
CREATE TABLE "product_costs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"opportunity_id" uuid NOT NULL,
	"line_item_id" uuid NOT NULL,
	"description" text,
	"supplier_name" text,
	"quantity" numeric(14, 4) DEFAULT 1 NOT NULL,
	"unit_cost" numeric(14, 2) NOT NULL,
	"cost" numeric(14, 2) GENERATED ALWAYS AS (round(quantity * unit_cost, 2)) STORED NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "product_costs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"resource" text NOT NULL,
	"method" text NOT NULL,
	"path" text NOT NULL,
	"request" jsonb NOT NULL,
	"changes" jsonb NOT NULL,
	"key_id" uuid NOT NULL,
	"requested_by" uuid NOT NULL,
	"request_id" text NOT NULL,
	"expires_at" timestamp(3) with time zone DEFAULT now() + interval '30 days' NOT NULL,
	"decided_by" uuid,
	"decided_at" timestamp(3) with time zone,
	"reason" text,
	"forced" boolean DEFAULT false NOT NULL,
	"executed_at" timestamp(3) with time zone,
	"answer" jsonb,
	"response_status" integer,
	"response_body" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approvals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "changes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"request_id" text,
	"key_id" uuid,
	"user_id" uuid,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"action" text NOT NULL,
	"fields" jsonb NOT NULL,
	"version" integer NOT NULL,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"key_id" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"outcome" jsonb,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_workspace_id_key_id_key_pk" PRIMARY KEY("workspace_id","key_id","key")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"type" text NOT NULL,
	"entity" text NOT NULL,
	"entity_id" uuid NOT NULL,
	"payload" jsonb NOT NULL,
	"skip_automations" boolean DEFAULT false NOT NULL,
	"request_id" text,
	"key_id" uuid,
	"user_id" uuid,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"claimed_at" timestamp(3) with time zone,
	"delivered_at" timestamp(3) with time zone,
	"at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "outbox_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "custom_fields" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"object" text NOT NULL,
	"field_key" text NOT NULL,
	"label" text NOT NULL,
	"type" text NOT NULL,
	"options" text[] DEFAULT '{}' NOT NULL,
	"required" boolean DEFAULT false NOT NULL,
	"unique" boolean DEFAULT false NOT NULL,
	"help_text" text,
	"position" integer DEFAULT 0 NOT NULL,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "custom_fields_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "custom_values" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"field_id" uuid NOT NULL,
	"number" double precision NOT NULL,
	"text" text collate "C" NOT NULL,
	"record_id" uuid NOT NULL,
	"is_unique" boolean NOT NULL,
	CONSTRAINT "custom_values_workspace_id_field_id_number_text_record_id_pk" PRIMARY KEY("workspace_id","field_id","number","text","record_id")
);
--> statement-breakpoint
CREATE TABLE "search_words" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"word" text collate "C" NOT NULL,
	"typo_keys" integer[] NOT NULL,
	CONSTRAINT "search_words_workspace_id_word_pk" PRIMARY KEY("workspace_id","word")
);
--> statement-breakpoint
CREATE TABLE "crm_settings" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"lost_reasons" text[] DEFAULT '{}' NOT NULL,
	"won_reasons" text[] DEFAULT '{}' NOT NULL,
	"opportunity_types" text[] DEFAULT '{}' NOT NULL,
	"account_types" text[] DEFAULT '{}' NOT NULL,
	"contact_types" text[] DEFAULT '{}' NOT NULL,
	"transcript_settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"accounts_enabled" boolean DEFAULT true NOT NULL,
	"contacts_enabled" boolean DEFAULT true NOT NULL,
	"custom_fields_strict" boolean DEFAULT false NOT NULL,
	"enable_work_orders" boolean DEFAULT false NOT NULL,
	"form_completion_notify_emails" text[] DEFAULT '{}' NOT NULL,
	"automation_error_notify_emails" text[] DEFAULT '{}' NOT NULL,
	"automation_error_notify_phones" text[] DEFAULT '{}' NOT NULL,
	"birthday_messages" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tag_palette" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "crm_settings_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "lead_sources" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED,
	"is_active" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "lead_sources_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "activities" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"activity_type" text NOT NULL,
	"contact_id" uuid,
	"customer_id" uuid,
	"deal_id" uuid,
	"subject" text,
	"body" text,
	"direction" text,
	"duration_seconds" integer,
	"outcome" text,
	"occurred_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_by" uuid,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "activities_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "deal_stakeholders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"deal_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"bucket_id" uuid,
	"role" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "deal_stakeholders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "stakeholder_members" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"type_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stakeholder_members_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "stakeholder_types" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"colour" text,
	"portal_eligible" boolean DEFAULT false NOT NULL,
	"commission_eligible" boolean DEFAULT false NOT NULL,
	"assignable_to_work_orders" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "stakeholder_types_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "task_stakeholders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"task_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "task_stakeholders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"title" text NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (norm(title || coalesce(' ' || external_id, ''))) STORED NOT NULL,
	"description" text,
	"status" text DEFAULT 'open' NOT NULL,
	"priority" text DEFAULT 'normal' NOT NULL,
	"due_at" timestamp(3) with time zone,
	"all_day" boolean DEFAULT false NOT NULL,
	"completed_at" timestamp(3) with time zone,
	"assigned_to" uuid,
	"created_by" uuid,
	"contact_id" uuid,
	"customer_id" uuid,
	"opportunity_id" uuid,
	"external_id" text,
	"archived" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tasks_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"public_id" text NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"level" text DEFAULT 'execute' NOT NULL,
	"expires_at" timestamp(3) with time zone,
	"revoked_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"invited_by" uuid,
	"expires_at" timestamp(3) with time zone DEFAULT now() + interval '7 days' NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"token_hash" "bytea",
	"attempt_id" uuid,
	"attempted_at" timestamp(3) with time zone,
	"sent_at" timestamp(3) with time zone,
	"message_id" text,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "invitations_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "member_connections" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"platform_type" text NOT NULL,
	"platform_account_name" text NOT NULL,
	"status" text DEFAULT 'connected' NOT NULL,
	"calendar_synced" boolean DEFAULT false NOT NULL,
	"mailbox_aliases" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "member_connections_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "memberships" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text DEFAULT 'client_editor' NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"phone" text,
	"job_title" text,
	"department" text,
	"office" text,
	"manager_user_id" uuid,
	"default_pipeline_id" uuid,
	"joined_at" timestamp(3) with time zone DEFAULT now(),
	"invite_name" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "memberships_workspace_id_user_id_pk" PRIMARY KEY("workspace_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"email" text NOT NULL,
	"full_name" text,
	"phone" text,
	"avatar_url" text,
	"job_title" text,
	"department" text,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" uuid PRIMARY KEY DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"description" text,
	"contact_name" text,
	"contact_email" text,
	"phone" text,
	"logo_url" text,
	"primary_color" text,
	"secondary_color" text,
	"address" text,
	"timezone" text DEFAULT 'Australia/Sydney' NOT NULL,
	"industry" text,
	"website_url" text,
	"abn" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "companies_by_created" ON "companies" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_updated" ON "companies" USING btree ("workspace_id","archived","updated_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_name" ON "companies" USING btree ("workspace_id","archived","name_norm","id");--> statement-breakpoint
CREATE INDEX "companies_by_words" ON "companies" USING gin ("workspace_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "companies_by_industry" ON "companies" USING btree ("workspace_id","industry","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_account_type" ON "companies" USING btree ("workspace_id","account_type","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_owner" ON "companies" USING btree ("workspace_id","assigned_to","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_parent" ON "companies" USING btree ("workspace_id","parent_company_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "companies_by_email" ON "companies" USING btree ("workspace_id","email","archived","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "companies_external_id_key" ON "companies" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE INDEX "contacts_by_created" ON "contacts" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_updated" ON "contacts" USING btree ("workspace_id","archived","updated_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_name" ON "contacts" USING btree ("workspace_id","archived","name_norm","id");--> statement-breakpoint
CREATE INDEX "contacts_by_words" ON "contacts" USING gin ("workspace_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "contacts_by_email" ON "contacts" USING btree ("workspace_id","email","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_phone" ON "contacts" USING btree ("workspace_id","phone","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_customer" ON "contacts" USING btree ("workspace_id","customer_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_type" ON "contacts" USING btree ("workspace_id","contact_type","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_source" ON "contacts" USING btree ("workspace_id","source","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_lead_source" ON "contacts" USING btree ("workspace_id","source_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_referrer" ON "contacts" USING btree ("workspace_id","is_referrer","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "contacts_by_anchor" ON "contacts" USING btree ("workspace_id","referrer_opportunity_id");--> statement-breakpoint
CREATE UNIQUE INDEX "contacts_external_id_key" ON "contacts" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "employers_pair_key" ON "employers" USING btree ("workspace_id","contact_id","customer_id");--> statement-breakpoint
CREATE INDEX "employers_by_customer" ON "employers" USING btree ("workspace_id","customer_id","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_created" ON "opportunities" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_updated" ON "opportunities" USING btree ("workspace_id","archived","updated_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_name" ON "opportunities" USING btree ("workspace_id","archived","name_norm","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_words" ON "opportunities" USING gin ("workspace_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "opportunities_by_value" ON "opportunities" USING btree ("workspace_id","archived","value_minor","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_expected_close" ON "opportunities" USING btree ("workspace_id","archived",(case when expected_close_date is null then 'infinity'::date else expected_close_date end),"id");--> statement-breakpoint
CREATE INDEX "opportunities_by_pipeline" ON "opportunities" USING btree ("workspace_id","pipeline_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_stage" ON "opportunities" USING btree ("workspace_id","stage_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_status" ON "opportunities" USING btree ("workspace_id","status","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_owner" ON "opportunities" USING btree ("workspace_id","assigned_to","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_customer" ON "opportunities" USING btree ("workspace_id","customer_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "opportunities_by_lead_source" ON "opportunities" USING btree ("workspace_id","lead_source","archived","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunities_external_id_key" ON "opportunities" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_contacts_pair_key" ON "opportunity_contacts" USING btree ("workspace_id","opportunity_id","contact_id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_contacts_one_primary" ON "opportunity_contacts" USING btree ("workspace_id","opportunity_id") WHERE is_primary;--> statement-breakpoint
CREATE INDEX "opportunity_contacts_by_contact" ON "opportunity_contacts" USING btree ("workspace_id","contact_id","opportunity_id");--> statement-breakpoint
CREATE INDEX "opportunity_products_by_opportunity" ON "opportunity_products" USING btree ("workspace_id","opportunity_id","position","id");--> statement-breakpoint
CREATE INDEX "opportunity_products_by_product" ON "opportunity_products" USING btree ("workspace_id","product_id");--> statement-breakpoint
CREATE INDEX "opportunity_products_by_bucket" ON "opportunity_products" USING btree ("workspace_id","bucket_id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_products_pair_key" ON "opportunity_products" USING btree ("workspace_id","opportunity_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_users_pair_key" ON "opportunity_users" USING btree ("workspace_id","opportunity_id","user_id");--> statement-breakpoint
CREATE INDEX "opportunity_users_by_user" ON "opportunity_users" USING btree ("workspace_id","user_id","opportunity_id");--> statement-breakpoint
CREATE INDEX "pipelines_by_created" ON "pipelines" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_name_key" ON "pipelines" USING btree ("workspace_id","name_norm");--> statement-breakpoint
CREATE UNIQUE INDEX "pipelines_one_default" ON "pipelines" USING btree ("workspace_id") WHERE is_default;--> statement-breakpoint
CREATE INDEX "products_by_created" ON "products" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "products_by_name" ON "products" USING btree ("workspace_id","archived","name_norm","id");--> statement-breakpoint
CREATE INDEX "products_by_words" ON "products" USING gin ("workspace_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "products_by_category" ON "products" USING btree ("workspace_id","category","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "products_by_active" ON "products" USING btree ("workspace_id","is_active","archived","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "products_sku_key" ON "products" USING btree ("workspace_id","sku");--> statement-breakpoint
CREATE UNIQUE INDEX "products_external_id_key" ON "products" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE INDEX "stage_moves_by_opportunity" ON "stage_moves" USING btree ("workspace_id","opportunity_id","id");--> statement-breakpoint
CREATE INDEX "stages_by_position" ON "stages" USING btree ("workspace_id","pipeline_id","position","id");--> statement-breakpoint
CREATE UNIQUE INDEX "stages_name_key" ON "stages" USING btree ("workspace_id","pipeline_id","name_norm");--> statement-breakpoint
CREATE INDEX "attachments_by_opportunity" ON "attachments" USING btree ("workspace_id","opportunity_id","created_at","id");--> statement-breakpoint
CREATE INDEX "billing_parties_by_opportunity" ON "billing_parties" USING btree ("workspace_id","opportunity_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "billing_parties_pair_key" ON "billing_parties" USING btree ("workspace_id","opportunity_id","customer_id");--> statement-breakpoint
CREATE INDEX "billing_parties_by_customer" ON "billing_parties" USING btree ("workspace_id","customer_id","id");--> statement-breakpoint
CREATE INDEX "invoices_by_created" ON "invoices" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_by_updated" ON "invoices" USING btree ("workspace_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "invoices_by_number" ON "invoices" USING btree ("workspace_id","invoice_number","id");--> statement-breakpoint
CREATE INDEX "invoices_by_status" ON "invoices" USING btree ("workspace_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_by_customer" ON "invoices" USING btree ("workspace_id","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_by_opportunity" ON "invoices" USING btree ("workspace_id","opportunity_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_number_key" ON "invoices" USING btree ("workspace_id","invoice_number");--> statement-breakpoint
CREATE UNIQUE INDEX "invoices_external_id_key" ON "invoices" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE INDEX "opportunity_buckets_by_position" ON "opportunity_buckets" USING btree ("workspace_id","opportunity_id","position","id");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_buckets_name_key" ON "opportunity_buckets" USING btree ("workspace_id","opportunity_id","name_norm");--> statement-breakpoint
CREATE UNIQUE INDEX "opportunity_buckets_pair_key" ON "opportunity_buckets" USING btree ("workspace_id","opportunity_id","id");--> statement-breakpoint
CREATE INDEX "product_costs_by_opportunity" ON "product_costs" USING btree ("workspace_id","opportunity_id","id");--> statement-breakpoint
CREATE INDEX "product_costs_by_line_item" ON "product_costs" USING btree ("workspace_id","line_item_id","id");--> statement-breakpoint
CREATE INDEX "approvals_by_created" ON "approvals" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_by_status" ON "approvals" USING btree ("workspace_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_by_resource" ON "approvals" USING btree ("workspace_id","resource","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_by_requester" ON "approvals" USING btree ("workspace_id","requested_by","created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_open" ON "approvals" USING btree ("status","expires_at") WHERE status in ('pending', 'approved');--> statement-breakpoint
CREATE INDEX "changes_by_entity" ON "changes" USING btree ("workspace_id","entity","entity_id","id");--> statement-breakpoint
CREATE INDEX "changes_by_request" ON "changes" USING btree ("workspace_id","request_id");--> statement-breakpoint
CREATE INDEX "idempotency_by_age" ON "idempotency" USING btree ("at");--> statement-breakpoint
CREATE INDEX "outbox_by_id" ON "outbox" USING btree ("workspace_id","id");--> statement-breakpoint
CREATE INDEX "outbox_by_type" ON "outbox" USING btree ("workspace_id","type","id");--> statement-breakpoint
CREATE INDEX "outbox_by_entity" ON "outbox" USING btree ("workspace_id","entity_id","id");--> statement-breakpoint
CREATE INDEX "outbox_by_request" ON "outbox" USING btree ("workspace_id","request_id");--> statement-breakpoint
CREATE INDEX "outbox_undelivered" ON "outbox" USING btree ("workspace_id","id") WHERE delivered_at is null;--> statement-breakpoint
CREATE INDEX "outbox_overdue" ON "outbox" USING btree ("at") WHERE delivered_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "custom_fields_key" ON "custom_fields" USING btree ("workspace_id","object","field_key");--> statement-breakpoint
CREATE INDEX "custom_fields_by_created" ON "custom_fields" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "custom_fields_by_position" ON "custom_fields" USING btree ("workspace_id","archived","position","id");--> statement-breakpoint
CREATE UNIQUE INDEX "custom_values_own_key" ON "custom_values" USING btree ("workspace_id","field_id","number","text") WHERE is_unique;--> statement-breakpoint
CREATE INDEX "custom_values_by_record" ON "custom_values" USING btree ("workspace_id","record_id","field_id");--> statement-breakpoint
CREATE INDEX "search_words_by_typo" ON "search_words" USING gin ("typo_keys") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "lead_sources_by_created" ON "lead_sources" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "lead_sources_by_updated" ON "lead_sources" USING btree ("workspace_id","updated_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "lead_sources_name_key" ON "lead_sources" USING btree ("workspace_id","name_norm");--> statement-breakpoint
CREATE INDEX "activities_by_occurred" ON "activities" USING btree ("workspace_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_created" ON "activities" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_type" ON "activities" USING btree ("workspace_id","activity_type","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_contact" ON "activities" USING btree ("workspace_id","contact_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_customer" ON "activities" USING btree ("workspace_id","customer_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_deal" ON "activities" USING btree ("workspace_id","deal_id","occurred_at","id");--> statement-breakpoint
CREATE INDEX "activities_by_creator" ON "activities" USING btree ("workspace_id","created_by","occurred_at","id");--> statement-breakpoint
CREATE INDEX "deal_stakeholders_by_deal" ON "deal_stakeholders" USING btree ("workspace_id","deal_id","id");--> statement-breakpoint
CREATE INDEX "deal_stakeholders_by_contact" ON "deal_stakeholders" USING btree ("workspace_id","contact_id","id");--> statement-breakpoint
CREATE INDEX "deal_stakeholders_by_bucket" ON "deal_stakeholders" USING btree ("workspace_id","bucket_id","id");--> statement-breakpoint
CREATE INDEX "stakeholder_members_by_type" ON "stakeholder_members" USING btree ("workspace_id","type_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "stakeholder_members_pair_key" ON "stakeholder_members" USING btree ("workspace_id","contact_id","type_id");--> statement-breakpoint
CREATE INDEX "stakeholder_types_by_created" ON "stakeholder_types" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "stakeholder_types_name_key" ON "stakeholder_types" USING btree ("workspace_id","name_norm");--> statement-breakpoint
CREATE INDEX "task_stakeholders_by_task" ON "task_stakeholders" USING btree ("workspace_id","task_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "task_stakeholders_pair_key" ON "task_stakeholders" USING btree ("workspace_id","contact_id","task_id");--> statement-breakpoint
CREATE INDEX "tasks_by_created" ON "tasks" USING btree ("workspace_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_updated" ON "tasks" USING btree ("workspace_id","archived","updated_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_due" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id");--> statement-breakpoint
CREATE INDEX "tasks_by_rank" ON "tasks" USING btree ("workspace_id","archived",(case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end),"id");--> statement-breakpoint
CREATE INDEX "tasks_by_words" ON "tasks" USING gin ("workspace_id","search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "tasks_by_status" ON "tasks" USING btree ("workspace_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_priority" ON "tasks" USING btree ("workspace_id","priority","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_assignee" ON "tasks" USING btree ("workspace_id","assigned_to","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_creator" ON "tasks" USING btree ("workspace_id","created_by","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_contact" ON "tasks" USING btree ("workspace_id","contact_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_customer" ON "tasks" USING btree ("workspace_id","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_opportunity" ON "tasks" USING btree ("workspace_id","opportunity_id","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_unfinished" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id") WHERE status <> 'completed';--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_external_id_key" ON "tasks" USING btree ("workspace_id","external_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_public_id_key" ON "api_keys" USING btree ("public_id");--> statement-breakpoint
CREATE INDEX "api_keys_by_created" ON "api_keys" USING btree ("workspace_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token_key" ON "invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "member_connections_by_user" ON "member_connections" USING btree ("workspace_id","user_id","id");--> statement-breakpoint
CREATE INDEX "memberships_by_created" ON "memberships" USING btree ("workspace_id","created_at","user_id");--> statement-breakpoint
CREATE INDEX "memberships_by_user" ON "memberships" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email_key" ON "users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "workspaces_slug_key" ON "workspaces" USING btree ("slug");