CREATE TABLE "email_signatures" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"body_html" text NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_signatures_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_templates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"name" text NOT NULL,
	"subject" text NOT NULL,
	"body_html" text NOT NULL,
	"body_text" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_templates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "email_attachments" ADD COLUMN "source_id" uuid;
--> statement-breakpoint
CREATE UNIQUE INDEX "email_signatures_key" ON "email_signatures" USING btree ("workspace_id","user_id");
--> statement-breakpoint
CREATE INDEX "email_templates_by_created" ON "email_templates" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_templates_by_updated" ON "email_templates" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "email_attachments_by_source" ON "email_attachments" USING btree ("workspace_id","source_id") WHERE source_id is not null;
--> statement-breakpoint
call tenant_table('email_signatures');
--> statement-breakpoint
call tenant_table('email_templates');
--> statement-breakpoint
call tenant_reference('email_attachments', 'source_id', 'attachments', 'set null');
--> statement-breakpoint
call tenant_reference('email_signatures', 'user_id', 'memberships', 'cascade');
