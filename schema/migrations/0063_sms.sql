-- Phone numbers, and conversations by SMS (see schema/functions/sms.sql).
CREATE TABLE "phone_numbers" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"phone_number" text NOT NULL,
	"friendly_name" text NOT NULL,
	"status" text NOT NULL,
	"provider_id" text,
	"sms_enabled" boolean DEFAULT false NOT NULL,
	"mms_enabled" boolean DEFAULT false NOT NULL,
	"voice_enabled" boolean DEFAULT false NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "phone_numbers_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "sms_conversations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"phone_number" text NOT NULL,
	"external_phone_number" text NOT NULL,
	"contact_id" uuid,
	"unread" boolean DEFAULT false NOT NULL,
	"direction" text NOT NULL,
	"snippet" text NOT NULL,
	"message_count" integer DEFAULT 1 NOT NULL,
	"last_message_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sms_conversations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "sms_messages" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"message_id" uuid,
	"provider_message_id" text,
	"body" text,
	"media_count" integer DEFAULT 0 NOT NULL,
	"occurred_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sms_messages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "phone_numbers_by_created" ON "phone_numbers" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "phone_numbers_by_updated" ON "phone_numbers" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "phone_numbers_number_key" ON "phone_numbers" USING btree ("phone_number");
--> statement-breakpoint
CREATE UNIQUE INDEX "sms_conversations_key" ON "sms_conversations" USING btree ("workspace_id","external_phone_number","phone_number");
--> statement-breakpoint
CREATE INDEX "sms_conversations_by_last_message" ON "sms_conversations" USING btree ("workspace_id","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "sms_conversations_by_external" ON "sms_conversations" USING btree ("workspace_id","external_phone_number","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "sms_conversations_by_number" ON "sms_conversations" USING btree ("workspace_id","phone_number","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "sms_conversations_by_contact" ON "sms_conversations" USING btree ("workspace_id","contact_id","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "sms_conversations_by_unread" ON "sms_conversations" USING btree ("workspace_id","unread","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "sms_messages_by_conversation" ON "sms_messages" USING btree ("workspace_id","conversation_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "sms_messages_by_message" ON "sms_messages" USING btree ("workspace_id","message_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "sms_messages_provider_key" ON "sms_messages" USING btree ("workspace_id","provider_message_id");
--> statement-breakpoint
call tenant_table('phone_numbers');
--> statement-breakpoint
call tenant_table('sms_conversations', 'select');
--> statement-breakpoint
call tenant_table('sms_messages', 'select');
--> statement-breakpoint
call tenant_reference('sms_conversations', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('sms_messages', 'conversation_id', 'sms_conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('sms_messages', 'message_id', 'messages', 'cascade');
--> statement-breakpoint
alter table activities drop constraint direction, add constraint direction check (direction is null or activity_type in ('call', 'email', 'sms', 'whatsapp'));
