CREATE TABLE "export_templates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"name_norm" text collate "C" GENERATED ALWAYS AS (norm(name)) STORED NOT NULL,
	"root_entity" text NOT NULL,
	"columns" jsonb NOT NULL,
	"filters" jsonb,
	"sort" text,
	"format" text DEFAULT 'xlsx' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "export_templates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "export_views" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"template_id" uuid NOT NULL,
	"private_to" uuid DEFAULT current_user_id() NOT NULL,
	"name" text NOT NULL,
	"columns" jsonb,
	"filters" jsonb,
	"sort" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "export_views_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "export_templates_by_created" ON "export_templates" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "export_templates_by_updated" ON "export_templates" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "export_templates_by_name" ON "export_templates" USING btree ("workspace_id","name_norm","id");
--> statement-breakpoint
CREATE INDEX "export_templates_by_root" ON "export_templates" USING btree ("workspace_id","root_entity","created_at","id");
--> statement-breakpoint
CREATE INDEX "export_views_by_template" ON "export_views" USING btree ("workspace_id","template_id","private_to","created_at","id");
--> statement-breakpoint
CREATE INDEX "export_views_by_owner" ON "export_views" USING btree ("workspace_id","private_to","id");
--> statement-breakpoint
call tenant_table('export_templates');
--> statement-breakpoint
call tenant_table('export_views');
--> statement-breakpoint
call tenant_reference('export_views', 'template_id', 'export_templates', 'cascade');
--> statement-breakpoint
call tenant_reference('export_views', 'private_to', 'memberships', 'cascade');
--> statement-breakpoint
create policy own on export_views as restrictive using (private_to = (select current_user_id()));
