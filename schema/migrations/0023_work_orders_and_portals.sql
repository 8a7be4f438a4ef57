CREATE TABLE "component_instances" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"product_id" uuid,
	"opportunity_id" uuid NOT NULL,
	"component_id" uuid,
	"line_item_id" uuid,
	"label" text,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(coalesce(label, ''))) STORED NOT NULL,
	"type" text,
	"status" text,
	"quantity" numeric(14, 4) DEFAULT 1 NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "component_instances_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "product_components" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"product_id" uuid NOT NULL,
	"parent_component_id" uuid,
	"label" text,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(coalesce(label, ''))) STORED NOT NULL,
	"type" text,
	"status" text,
	"quantity" numeric(14, 4) DEFAULT 1 NOT NULL,
	"attributes" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "product_components_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "portal_attempts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"network_hash" "bytea" NOT NULL,
	"failed_attempts" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp(3) with time zone,
	"failed_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "portal_attempts_workspace_id_network_hash_pk" PRIMARY KEY("workspace_id","network_hash")
);
--> statement-breakpoint
CREATE TABLE "portals" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"kind" text NOT NULL,
	"deal_id" uuid,
	"contact_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"pin_hash" "bytea" NOT NULL,
	"token_seed" uuid NOT NULL,
	"pin_seed" uuid NOT NULL,
	"failed_attempts" integer DEFAULT 0 NOT NULL,
	"locked_until" timestamp(3) with time zone,
	"expires_at" timestamp(3) with time zone NOT NULL,
	"revoked_at" timestamp(3) with time zone,
	"last_viewed_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "portals_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_order_feeds" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"last_read_at" timestamp(3) with time zone,
	CONSTRAINT "work_order_feeds_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_order_stakeholders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"work_order_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_order_stakeholders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_order_statuses" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"label" text NOT NULL,
	"label_norm" text collate "C" GENERATED ALWAYS AS (norm(label)) STORED NOT NULL,
	"colour" text,
	"is_done" boolean DEFAULT false NOT NULL,
	"sort_order" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_order_statuses_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_orders" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"deal_product_id" uuid NOT NULL,
	"deal_id" uuid NOT NULL,
	"component_id" uuid,
	"title" text NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(title)) STORED NOT NULL,
	"description" text,
	"status_id" uuid NOT NULL,
	"schedule_date" date,
	"schedule_time" time(0),
	"duration_minutes" integer,
	"assigned_to" uuid,
	"address" text,
	"notes" text,
	"completed_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_orders_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "component_instances_on_win" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
CREATE INDEX "component_instances_by_created" ON "component_instances" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "component_instances_by_updated" ON "component_instances" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "component_instances_by_opportunity" ON "component_instances" USING btree ("workspace_id","opportunity_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "component_instances_by_product" ON "component_instances" USING btree ("workspace_id","product_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "component_instances_by_status" ON "component_instances" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "component_instances_by_component" ON "component_instances" USING btree ("workspace_id","component_id") WHERE component_id is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "component_instances_source_key" ON "component_instances" USING btree ("workspace_id","line_item_id","component_id") WHERE line_item_id is not null;
--> statement-breakpoint
CREATE INDEX "component_instances_by_words" ON "component_instances" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "product_components_by_created" ON "product_components" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "product_components_by_updated" ON "product_components" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "product_components_by_product" ON "product_components" USING btree ("workspace_id","product_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "product_components_by_type" ON "product_components" USING btree ("workspace_id","type","created_at","id");
--> statement-breakpoint
CREATE INDEX "product_components_by_parent" ON "product_components" USING btree ("workspace_id","parent_component_id") WHERE parent_component_id is not null;
--> statement-breakpoint
CREATE INDEX "product_components_by_words" ON "product_components" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "portal_attempts_by_age" ON "portal_attempts" USING btree ("failed_at");
--> statement-breakpoint
CREATE INDEX "portals_by_created" ON "portals" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "portals_by_updated" ON "portals" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "portals_by_deal" ON "portals" USING btree ("workspace_id","deal_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "portals_by_contact" ON "portals" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "portals_token" ON "portals" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "portals_work_status_key" ON "portals" USING btree ("workspace_id","deal_id","contact_id") WHERE kind = 'work_status';
--> statement-breakpoint
CREATE UNIQUE INDEX "portals_stakeholder_key" ON "portals" USING btree ("workspace_id","contact_id") WHERE kind = 'stakeholder';
--> statement-breakpoint
CREATE UNIQUE INDEX "work_order_feeds_member_key" ON "work_order_feeds" USING btree ("workspace_id","user_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "work_order_feeds_token" ON "work_order_feeds" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "work_order_stakeholders_by_work_order" ON "work_order_stakeholders" USING btree ("workspace_id","work_order_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "work_order_stakeholders_pair_key" ON "work_order_stakeholders" USING btree ("workspace_id","contact_id","work_order_id");
--> statement-breakpoint
CREATE INDEX "work_order_statuses_by_order" ON "work_order_statuses" USING btree ("workspace_id","sort_order","id");
--> statement-breakpoint
CREATE INDEX "work_order_statuses_by_updated" ON "work_order_statuses" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "work_order_statuses_label_key" ON "work_order_statuses" USING btree ("workspace_id","label_norm");
--> statement-breakpoint
CREATE INDEX "work_orders_by_created" ON "work_orders" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_updated" ON "work_orders" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_schedule" ON "work_orders" USING btree ("workspace_id",(case when schedule_date is null then 'infinity'::date else schedule_date end),"id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_date" ON "work_orders" USING btree ("workspace_id","schedule_date","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_open_by_date" ON "work_orders" USING btree ("workspace_id","schedule_date","id") WHERE completed_at is null and schedule_date is not null;
--> statement-breakpoint
CREATE INDEX "work_orders_unscheduled" ON "work_orders" USING btree ("workspace_id","created_at","id") WHERE schedule_date is null;
--> statement-breakpoint
CREATE INDEX "work_orders_by_line_item" ON "work_orders" USING btree ("workspace_id","deal_product_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_deal" ON "work_orders" USING btree ("workspace_id","deal_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_status" ON "work_orders" USING btree ("workspace_id","status_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_assignee" ON "work_orders" USING btree ("workspace_id","assigned_to","created_at","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_assignee_and_date" ON "work_orders" USING btree ("workspace_id","assigned_to","schedule_date","id") WHERE schedule_date is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "work_orders_source_key" ON "work_orders" USING btree ("workspace_id","deal_product_id","component_id") WHERE component_id is not null;
--> statement-breakpoint
CREATE INDEX "work_orders_by_component" ON "work_orders" USING btree ("workspace_id","component_id") WHERE component_id is not null;
--> statement-breakpoint
CREATE INDEX "work_orders_by_words" ON "work_orders" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
call tenant_table('component_instances');
--> statement-breakpoint
call tenant_table('product_components');
--> statement-breakpoint
call tenant_table('portal_attempts');
--> statement-breakpoint
call tenant_table('portals');
--> statement-breakpoint
call tenant_table('work_order_feeds');
--> statement-breakpoint
call tenant_table('work_order_stakeholders');
--> statement-breakpoint
call tenant_table('work_order_statuses');
--> statement-breakpoint
call tenant_table('work_orders');
--> statement-breakpoint
call tenant_reference('component_instances', 'product_id', 'products', 'set null');
--> statement-breakpoint
call tenant_reference('component_instances', 'opportunity_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('component_instances', 'component_id', 'product_components', 'set null');
--> statement-breakpoint
call tenant_reference('component_instances', 'line_item_id', 'opportunity_products', 'set null');
--> statement-breakpoint
call tenant_reference('product_components', 'product_id', 'products', 'cascade');
--> statement-breakpoint
call tenant_reference('product_components', 'parent_component_id', 'product_components', 'set null');
--> statement-breakpoint
call tenant_reference('portals', 'deal_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('portals', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('work_order_feeds', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
call tenant_reference('work_order_stakeholders', 'work_order_id', 'work_orders', 'cascade');
--> statement-breakpoint
call tenant_reference('work_order_stakeholders', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('work_orders', 'deal_product_id', 'opportunity_products', 'cascade');
--> statement-breakpoint
call tenant_reference('work_orders', 'deal_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('work_orders', 'component_id', 'product_components', 'set null');
--> statement-breakpoint
call tenant_reference('work_orders', 'status_id', 'work_order_statuses');
--> statement-breakpoint
call tenant_reference('work_orders', 'assigned_to', 'memberships');
--> statement-breakpoint
-- The labels that every workspace begins with; later ones get theirs from create_workspace.
insert into work_order_statuses (workspace_id, label, is_done, sort_order)
  select w.id, s.label, s.is_done, s.sort_order from workspaces w,
    (values ('To do', false, 0), ('Scheduled', false, 1), ('In progress', false, 2), ('Done', true, 3)) s(label, is_done, sort_order);
