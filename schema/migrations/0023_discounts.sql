CREATE TABLE "discounts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"product_id" uuid NOT NULL,
	"name" text NOT NULL,
	"percent" numeric(5, 2) NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "discounts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "discounts_by_created" ON "discounts" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "discounts_by_updated" ON "discounts" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "discounts_by_product" ON "discounts" USING btree ("workspace_id","product_id","created_at","id");
--> statement-breakpoint
call tenant_table('discounts');
--> statement-breakpoint
call tenant_reference('discounts', 'product_id', 'products', 'cascade');
