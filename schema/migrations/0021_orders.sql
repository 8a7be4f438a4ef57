CREATE TABLE "form_orders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"form_id" uuid NOT NULL,
	"form_token" text NOT NULL,
	"status" text GENERATED ALWAYS AS (case when dispute_status = 'lost' then 'dispute_lost' when dispute_status is not null and dispute_status not in ('won', 'warning_closed', 'prevented') then 'disputed'
          when amount_refunded >= total and paid_at is not null then 'refunded' when amount_refunded > 0 and paid_at is not null then 'partially_refunded'
          when paid_at is not null then 'paid' when failed_at is not null then 'failed' when expired_at is not null then 'expired' else 'open' end) STORED NOT NULL,
	"currency" text NOT NULL,
	"tax" numeric(14, 2) NOT NULL,
	"total" numeric(14, 2) NOT NULL,
	"lines" jsonb NOT NULL,
	"buyer" jsonb,
	"checkout_session_id" text,
	"checkout_url" text,
	"payment_id" text,
	"contact_id" uuid,
	"opportunity_id" uuid,
	"paid_at" timestamp(3) with time zone,
	"failed_at" timestamp(3) with time zone,
	"expired_at" timestamp(3) with time zone,
	"amount_refunded" numeric(14, 2) DEFAULT 0 NOT NULL,
	"dispute_status" text,
	"dispute_at" timestamp(3) with time zone,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "form_orders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "order_form_logs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"form_id" uuid NOT NULL,
	"order_id" uuid NOT NULL,
	"event" text NOT NULL,
	"amount" numeric(14, 2),
	"currency" text NOT NULL,
	"message" text,
	"provider_id" text,
	"provider_event_id" text,
	"contact_id" uuid,
	"opportunity_id" uuid,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_form_logs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "order_forms" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"slug" text NOT NULL,
	"description" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"currency" text DEFAULT 'AUD' NOT NULL,
	"prices_include_tax" boolean DEFAULT false NOT NULL,
	"items" jsonb NOT NULL,
	"contact_fields" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"success_message" text,
	"redirect_url" text,
	"pipeline_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "order_forms_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "payment_settings" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"secret_key" text NOT NULL,
	"secret_key_hint" text NOT NULL,
	"webhook_secret" text,
	"webhook_token" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "payment_settings_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "supplier_catalog_entries" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"supplier_id" uuid NOT NULL,
	"product_id" uuid,
	"supplier_price" numeric(14, 2) NOT NULL,
	"currency" text DEFAULT 'AUD' NOT NULL,
	"supplier_sku" text,
	"min_quantity" numeric(14, 4) DEFAULT 1 NOT NULL,
	"lead_time_days" integer,
	"valid_from" date,
	"valid_to" date,
	"is_preferred" boolean DEFAULT false NOT NULL,
	"notes" text,
	"external_id" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "supplier_catalog_entries_workspace_id_id_pk" PRIMARY KEY("workspace_id","id"),
	CONSTRAINT "valid_to" CHECK (valid_to >= valid_from)
);
--> statement-breakpoint
ALTER TABLE "product_costs" ADD COLUMN "catalog_entry_id" uuid;
--> statement-breakpoint
CREATE INDEX "form_orders_by_form" ON "form_orders" USING btree ("workspace_id","form_id","id");
--> statement-breakpoint
CREATE INDEX "form_orders_by_contact" ON "form_orders" USING btree ("workspace_id","contact_id","id");
--> statement-breakpoint
CREATE INDEX "form_orders_by_opportunity" ON "form_orders" USING btree ("workspace_id","opportunity_id","id");
--> statement-breakpoint
CREATE INDEX "form_orders_by_payment" ON "form_orders" USING btree ("workspace_id","payment_id");
--> statement-breakpoint
CREATE INDEX "form_orders_with_buyer" ON "form_orders" USING btree ("created_at") WHERE buyer is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "form_orders_token_key" ON "form_orders" USING btree ("workspace_id","form_id","form_token");
--> statement-breakpoint
CREATE INDEX "order_form_logs_by_form" ON "order_form_logs" USING btree ("workspace_id","form_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "order_form_logs_by_event" ON "order_form_logs" USING btree ("workspace_id","form_id","event","created_at","id");
--> statement-breakpoint
CREATE INDEX "order_form_logs_by_order" ON "order_form_logs" USING btree ("workspace_id","order_id","id");
--> statement-breakpoint
CREATE INDEX "order_form_logs_by_contact" ON "order_form_logs" USING btree ("workspace_id","contact_id","id");
--> statement-breakpoint
CREATE INDEX "order_form_logs_by_opportunity" ON "order_form_logs" USING btree ("workspace_id","opportunity_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "order_form_logs_event_key" ON "order_form_logs" USING btree ("workspace_id","provider_event_id");
--> statement-breakpoint
CREATE INDEX "order_forms_by_created" ON "order_forms" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "order_forms_by_updated" ON "order_forms" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "order_forms_by_active" ON "order_forms" USING btree ("workspace_id","is_active","created_at","id");
--> statement-breakpoint
CREATE INDEX "order_forms_by_pipeline" ON "order_forms" USING btree ("workspace_id","pipeline_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "order_forms_slug_key" ON "order_forms" USING btree ("slug");
--> statement-breakpoint
CREATE UNIQUE INDEX "payment_settings_key" ON "payment_settings" USING btree ("workspace_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "payment_settings_webhook_token_key" ON "payment_settings" USING btree ("webhook_token");
--> statement-breakpoint
CREATE INDEX "supplier_catalog_entries_by_created" ON "supplier_catalog_entries" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "supplier_catalog_entries_by_updated" ON "supplier_catalog_entries" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "supplier_catalog_entries_by_supplier" ON "supplier_catalog_entries" USING btree ("workspace_id","supplier_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "supplier_catalog_entries_by_product" ON "supplier_catalog_entries" USING btree ("workspace_id","product_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "supplier_catalog_entries_by_price" ON "supplier_catalog_entries" USING btree ("workspace_id","product_id","currency","supplier_price","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "supplier_catalog_entries_preferred_key" ON "supplier_catalog_entries" USING btree ("workspace_id","product_id") WHERE is_preferred;
--> statement-breakpoint
CREATE UNIQUE INDEX "supplier_catalog_entries_external_id_key" ON "supplier_catalog_entries" USING btree ("workspace_id","external_id");
--> statement-breakpoint
call tenant_table('form_orders');
--> statement-breakpoint
call tenant_table('order_form_logs');
--> statement-breakpoint
call tenant_table('order_forms');
--> statement-breakpoint
call tenant_table('payment_settings');
--> statement-breakpoint
call tenant_table('supplier_catalog_entries');
--> statement-breakpoint
call tenant_reference('product_costs', 'catalog_entry_id', 'supplier_catalog_entries', 'set null');
--> statement-breakpoint
call tenant_reference('form_orders', 'form_id', 'order_forms');
--> statement-breakpoint
call tenant_reference('form_orders', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('form_orders', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('order_form_logs', 'form_id', 'order_forms');
--> statement-breakpoint
call tenant_reference('order_form_logs', 'order_id', 'form_orders', 'cascade');
--> statement-breakpoint
call tenant_reference('order_form_logs', 'contact_id', 'contacts', 'set null');
--> statement-breakpoint
call tenant_reference('order_form_logs', 'opportunity_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('order_forms', 'pipeline_id', 'pipelines', 'set null');
--> statement-breakpoint
call tenant_reference('supplier_catalog_entries', 'supplier_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('supplier_catalog_entries', 'product_id', 'products', 'cascade');
--> statement-breakpoint
create index form_orders_by_mention on form_orders using gin (mention_keys("lines"::text || ' ' || coalesce("buyer"::text, ''))) with (gin_pending_list_limit = 256);
