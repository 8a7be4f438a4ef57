CREATE TABLE "email_drafts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"thread_id" uuid,
	"to" text,
	"subject" text,
	"cc" text[] DEFAULT '{}' NOT NULL,
	"bcc" text[] DEFAULT '{}' NOT NULL,
	"text" text,
	"html" text,
	"template_id" uuid,
	"append_signature" boolean DEFAULT false NOT NULL,
	"attachment_ids" uuid[] DEFAULT '{}' NOT NULL,
	"config_id" uuid,
	"contact_id" uuid,
	"deal_id" uuid,
	"customer_id" uuid,
	"send_at" timestamp(3) with time zone,
	"scheduled_by" uuid,
	"message_id" uuid,
	"error" jsonb,
	"created_by" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_drafts_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
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
CREATE INDEX "email_drafts_by_created" ON "email_drafts" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_drafts_by_updated" ON "email_drafts" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "email_drafts_by_status" ON "email_drafts" USING btree ("workspace_id","status","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_drafts_by_contact" ON "email_drafts" USING btree ("workspace_id","contact_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_drafts_by_thread" ON "email_drafts" USING btree ("workspace_id","thread_id") WHERE thread_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_template" ON "email_drafts" USING btree ("workspace_id","template_id") WHERE template_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_config" ON "email_drafts" USING btree ("workspace_id","config_id") WHERE config_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_deal" ON "email_drafts" USING btree ("workspace_id","deal_id") WHERE deal_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_customer" ON "email_drafts" USING btree ("workspace_id","customer_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_message" ON "email_drafts" USING btree ("workspace_id","message_id") WHERE message_id is not null;
--> statement-breakpoint
CREATE INDEX "email_drafts_due" ON "email_drafts" USING btree ("send_at","workspace_id","id") WHERE status = 'scheduled';
--> statement-breakpoint
CREATE UNIQUE INDEX "email_signatures_key" ON "email_signatures" USING btree ("workspace_id","user_id");
--> statement-breakpoint
CREATE INDEX "email_templates_by_created" ON "email_templates" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_templates_by_updated" ON "email_templates" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "email_attachments_by_source" ON "email_attachments" USING btree ("workspace_id","source_id") WHERE source_id is not null;
--> statement-breakpoint
call tenant_table('email_drafts');
--> statement-breakpoint
call tenant_table('email_signatures');
--> statement-breakpoint
call tenant_table('email_templates');
--> statement-breakpoint
call tenant_reference('email_drafts', 'thread_id', 'email_threads', 'cascade');
--> statement-breakpoint
call tenant_reference('email_drafts', 'template_id', 'email_templates', 'set null');
--> statement-breakpoint
call tenant_reference('email_drafts', 'config_id', 'email_configs', 'set null');
--> statement-breakpoint
call tenant_reference('email_drafts', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('email_drafts', 'deal_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('email_drafts', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('email_drafts', 'message_id', 'messages', 'set null');
--> statement-breakpoint
call tenant_reference('email_attachments', 'source_id', 'attachments', 'set null');
--> statement-breakpoint
call tenant_reference('email_signatures', 'user_id', 'memberships', 'cascade');
