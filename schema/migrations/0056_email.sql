-- Conversations by email: threads, their messages, senders, and what the mail provider has posted (see schema/functions/email.sql).
CREATE TABLE "email_attachments" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"email_message_id" uuid NOT NULL,
	"name" text NOT NULL,
	"content_type" text NOT NULL,
	"size" integer NOT NULL,
	"rank" integer NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_attachments_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_messages" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"thread_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"message_id" uuid,
	"contact_id" uuid,
	"internet_id" text NOT NULL,
	"in_reply_to" text,
	"reference_ids" text[] DEFAULT '{}' NOT NULL,
	"from_email" text NOT NULL,
	"from_name" text,
	"reply_to" text,
	"to_emails" text[] DEFAULT '{}' NOT NULL,
	"cc_emails" text[] DEFAULT '{}' NOT NULL,
	"subject" text,
	"body_text" text,
	"body_html" text,
	"occurred_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_messages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "inbound_emails" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"provider_message_id" text NOT NULL,
	"state" text DEFAULT 'received' NOT NULL,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "inbound_emails_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_configs" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"from_email_handle" text NOT NULL,
	"from_email" text NOT NULL,
	"from_name" text NOT NULL,
	"staff_email" text NOT NULL,
	"mailbox_sender_alias" text,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_configs_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_inboxes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_inboxes_workspace_id_pk" PRIMARY KEY("workspace_id")
);
--> statement-breakpoint
CREATE TABLE "email_participants" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"thread_id" uuid NOT NULL,
	"email" text NOT NULL,
	"last_message_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "email_participants_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_thread_links" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"thread_id" uuid NOT NULL,
	"contact_id" uuid,
	"deal_id" uuid,
	"customer_id" uuid,
	"last_message_at" timestamp(3) with time zone NOT NULL,
	CONSTRAINT "email_thread_links_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "email_threads" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"subject" text NOT NULL,
	"search_text" text collate "C" GENERATED ALWAYS AS (search_form(subject)) STORED NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"is_read" boolean DEFAULT true NOT NULL,
	"direction" text NOT NULL,
	"snippet" text DEFAULT '' NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"last_message_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"contact_id" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "email_threads_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "provider" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sender_email" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sender_name" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sender_user_id" uuid;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "reply_to" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "cc" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "bcc" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "thread_id" uuid;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "deal_id" uuid;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "customer_id" uuid;
--> statement-breakpoint
CREATE INDEX "email_attachments_by_message" ON "email_attachments" USING btree ("workspace_id","email_message_id","rank","id");
--> statement-breakpoint
CREATE INDEX "email_messages_by_thread" ON "email_messages" USING btree ("workspace_id","thread_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "email_messages_by_message" ON "email_messages" USING btree ("workspace_id","message_id");
--> statement-breakpoint
CREATE INDEX "email_messages_by_contact" ON "email_messages" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_messages_internet_key" ON "email_messages" USING btree ("workspace_id","internet_id");
--> statement-breakpoint
CREATE INDEX "inbound_emails_waiting" ON "inbound_emails" USING btree ("created_at") WHERE state = 'received';
--> statement-breakpoint
CREATE INDEX "inbound_emails_by_age" ON "inbound_emails" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE UNIQUE INDEX "inbound_emails_key" ON "inbound_emails" USING btree ("workspace_id","provider_message_id");
--> statement-breakpoint
CREATE INDEX "email_configs_by_created" ON "email_configs" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "email_configs_by_updated" ON "email_configs" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_configs_handle_key" ON "email_configs" USING btree ("from_email_handle");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_inboxes_token" ON "email_inboxes" USING btree ("token_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_participants_key" ON "email_participants" USING btree ("workspace_id","thread_id","email");
--> statement-breakpoint
CREATE INDEX "email_participants_by_email" ON "email_participants" USING btree ("workspace_id","email","last_message_at","thread_id");
--> statement-breakpoint
CREATE INDEX "email_thread_links_by_thread" ON "email_thread_links" USING btree ("workspace_id","thread_id","id");
--> statement-breakpoint
CREATE INDEX "email_thread_links_by_contact" ON "email_thread_links" USING btree ("workspace_id","contact_id","last_message_at","thread_id");
--> statement-breakpoint
CREATE INDEX "email_thread_links_by_deal" ON "email_thread_links" USING btree ("workspace_id","deal_id","last_message_at","thread_id");
--> statement-breakpoint
CREATE INDEX "email_thread_links_by_customer" ON "email_thread_links" USING btree ("workspace_id","customer_id","last_message_at","thread_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_thread_links_contact_key" ON "email_thread_links" USING btree ("workspace_id","contact_id","thread_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_thread_links_deal_key" ON "email_thread_links" USING btree ("workspace_id","deal_id","thread_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "email_thread_links_customer_key" ON "email_thread_links" USING btree ("workspace_id","customer_id","thread_id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_last_message" ON "email_threads" USING btree ("workspace_id","last_message_at","id","created_at");
--> statement-breakpoint
CREATE INDEX "email_threads_by_created" ON "email_threads" USING btree ("workspace_id","created_at","id","last_message_at");
--> statement-breakpoint
CREATE INDEX "email_threads_by_updated" ON "email_threads" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_status" ON "email_threads" USING btree ("workspace_id","status","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_direction" ON "email_threads" USING btree ("workspace_id","direction","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_read" ON "email_threads" USING btree ("workspace_id","is_read","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_contact" ON "email_threads" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_words" ON "email_threads" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);
--> statement-breakpoint
CREATE INDEX "messages_by_provider" ON "messages" USING btree ("workspace_id","provider","created_at","id") WHERE provider is not null;
--> statement-breakpoint
CREATE INDEX "messages_by_deal" ON "messages" USING btree ("workspace_id","deal_id","created_at","id") WHERE deal_id is not null;
--> statement-breakpoint
CREATE INDEX "messages_by_customer" ON "messages" USING btree ("workspace_id","customer_id") WHERE customer_id is not null;
--> statement-breakpoint
CREATE INDEX "messages_by_thread" ON "messages" USING btree ("workspace_id","thread_id") WHERE thread_id is not null;
--> statement-breakpoint
call tenant_table('email_attachments', 'select');
--> statement-breakpoint
call tenant_table('email_messages', 'select');
--> statement-breakpoint
call tenant_table('inbound_emails');
--> statement-breakpoint
call tenant_table('email_configs');
--> statement-breakpoint
call tenant_table('email_inboxes');
--> statement-breakpoint
call tenant_table('email_participants', 'select');
--> statement-breakpoint
call tenant_table('email_thread_links', 'select');
--> statement-breakpoint
call tenant_table('email_threads');
--> statement-breakpoint
call tenant_reference('email_attachments', 'email_message_id', 'email_messages', 'cascade');
--> statement-breakpoint
call tenant_reference('email_messages', 'thread_id', 'email_threads', 'cascade');
--> statement-breakpoint
call tenant_reference('email_messages', 'message_id', 'messages', 'cascade');
--> statement-breakpoint
call tenant_reference('email_messages', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('email_participants', 'thread_id', 'email_threads', 'cascade');
--> statement-breakpoint
call tenant_reference('email_thread_links', 'thread_id', 'email_threads', 'cascade');
--> statement-breakpoint
call tenant_reference('email_thread_links', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('email_thread_links', 'deal_id', 'opportunities', 'cascade');
--> statement-breakpoint
call tenant_reference('email_thread_links', 'customer_id', 'companies', 'cascade');
--> statement-breakpoint
call tenant_reference('email_threads', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('messages', 'deal_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('messages', 'customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('messages', 'thread_id', 'email_threads', 'set null');
--> statement-breakpoint
alter table messages disable trigger user;
--> statement-breakpoint
update messages set provider = 'postmark' where channel = 'email';
--> statement-breakpoint
alter table messages enable trigger user;
