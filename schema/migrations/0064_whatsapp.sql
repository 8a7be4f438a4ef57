CREATE TABLE "whatsapp_conversations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"external_phone_number" text,
	"lid" text,
	"name" text,
	"contact_id" uuid,
	"status" text DEFAULT 'active' NOT NULL,
	"unread" boolean DEFAULT false NOT NULL,
	"unread_count" integer DEFAULT 0 NOT NULL,
	"direction" text,
	"snippet" text DEFAULT '' NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"last_message_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_conversations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_events" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"event" jsonb,
	"state" text DEFAULT 'received' NOT NULL,
	"error" text,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp(3) with time zone,
	CONSTRAINT "whatsapp_events_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_groups" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"jid" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"members" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"member_count" integer DEFAULT 0 NOT NULL,
	"members_updated_at" timestamp(3) with time zone,
	"is_left" boolean DEFAULT false NOT NULL,
	"linked_deal_id" uuid,
	"linked_customer_id" uuid,
	"unlinked" boolean GENERATED ALWAYS AS (linked_deal_id is null and linked_customer_id is null) STORED NOT NULL,
	"snippet" text DEFAULT '' NOT NULL,
	"message_count" integer DEFAULT 0 NOT NULL,
	"last_message_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_groups_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_messages" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"conversation_id" uuid,
	"group_id" uuid,
	"direction" text NOT NULL,
	"message_id" uuid,
	"key_id" text,
	"contact_id" uuid,
	"sender_phone" text,
	"sender_name" text,
	"type" text DEFAULT 'text' NOT NULL,
	"body_text" text NOT NULL,
	"media_type" text,
	"media_name" text,
	"media_size" integer,
	"quoted_key_id" text,
	"status" text NOT NULL,
	"is_deleted" boolean DEFAULT false NOT NULL,
	"occurred_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_messages_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_pairings" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"instance_name" text NOT NULL,
	"sealed_token" text,
	"token_hash" "bytea",
	"status" text DEFAULT 'connecting' NOT NULL,
	"qr_image" text,
	"qr_number" integer DEFAULT 0 NOT NULL,
	"qr_expires_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"phone_number" text,
	"display_name" text,
	"connected_at" timestamp(3) with time zone,
	"error" text,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"compared_until" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_pairings_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_receipts" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"key_id" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "whatsapp_receipts_workspace_id_key_id_pk" PRIMARY KEY("workspace_id","key_id")
);
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_last_message" ON "whatsapp_conversations" USING btree ("workspace_id","last_message_at","id","created_at");
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_created" ON "whatsapp_conversations" USING btree ("workspace_id","created_at","id","last_message_at");
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_updated" ON "whatsapp_conversations" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_status" ON "whatsapp_conversations" USING btree ("workspace_id","status","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_unread" ON "whatsapp_conversations" USING btree ("workspace_id","unread","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_conversations_by_contact" ON "whatsapp_conversations" USING btree ("workspace_id","contact_id","last_message_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_conversations_number_key" ON "whatsapp_conversations" USING btree ("workspace_id","external_phone_number");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_conversations_lid_key" ON "whatsapp_conversations" USING btree ("workspace_id","lid");
--> statement-breakpoint
CREATE INDEX "whatsapp_events_waiting" ON "whatsapp_events" USING btree ("created_at") WHERE state = 'received';
--> statement-breakpoint
CREATE INDEX "whatsapp_events_by_age" ON "whatsapp_events" USING brin ("id") WITH (pages_per_range=16,autosummarize=true);
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_last_message" ON "whatsapp_groups" USING btree ("workspace_id","last_message_at","id","created_at");
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_created" ON "whatsapp_groups" USING btree ("workspace_id","created_at","id","last_message_at");
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_updated" ON "whatsapp_groups" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_deal" ON "whatsapp_groups" USING btree ("workspace_id","linked_deal_id","last_message_at","id") WHERE linked_deal_id is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_customer" ON "whatsapp_groups" USING btree ("workspace_id","linked_customer_id","last_message_at","id") WHERE linked_customer_id is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_groups_by_unlinked" ON "whatsapp_groups" USING btree ("workspace_id","unlinked","last_message_at","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_groups_jid_key" ON "whatsapp_groups" USING btree ("workspace_id","jid");
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_by_conversation" ON "whatsapp_messages" USING btree ("workspace_id","conversation_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_by_group" ON "whatsapp_messages" USING btree ("workspace_id","group_id","occurred_at","id");
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_by_message" ON "whatsapp_messages" USING btree ("workspace_id","message_id");
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_by_contact" ON "whatsapp_messages" USING btree ("workspace_id","contact_id");
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_by_key" ON "whatsapp_messages" USING btree ("workspace_id","key_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_messages_conversation_key" ON "whatsapp_messages" USING btree ("workspace_id","conversation_id","key_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_messages_group_key" ON "whatsapp_messages" USING btree ("workspace_id","group_id","key_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_pairings_key" ON "whatsapp_pairings" USING btree ("workspace_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_pairings_token" ON "whatsapp_pairings" USING btree ("token_hash");
--> statement-breakpoint
CREATE INDEX "whatsapp_pairings_due" ON "whatsapp_pairings" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_receipts_by_age" ON "whatsapp_receipts" USING btree ("created_at");
--> statement-breakpoint
call tenant_table('whatsapp_conversations');
--> statement-breakpoint
call tenant_table('whatsapp_events');
--> statement-breakpoint
call tenant_table('whatsapp_groups');
--> statement-breakpoint
call tenant_table('whatsapp_messages');
--> statement-breakpoint
call tenant_table('whatsapp_pairings');
--> statement-breakpoint
call tenant_table('whatsapp_receipts');
--> statement-breakpoint
call tenant_reference('whatsapp_conversations', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
call tenant_reference('whatsapp_groups', 'linked_deal_id', 'opportunities', 'set null');
--> statement-breakpoint
call tenant_reference('whatsapp_groups', 'linked_customer_id', 'companies', 'set null');
--> statement-breakpoint
call tenant_reference('whatsapp_messages', 'conversation_id', 'whatsapp_conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('whatsapp_messages', 'group_id', 'whatsapp_groups', 'cascade');
--> statement-breakpoint
call tenant_reference('whatsapp_messages', 'message_id', 'messages', 'cascade');
--> statement-breakpoint
call tenant_reference('whatsapp_messages', 'contact_id', 'contacts', 'cascade');
--> statement-breakpoint
create index whatsapp_events_by_mention on whatsapp_events using gin (mention_keys(coalesce("event"::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
alter table activities drop constraint direction;
--> statement-breakpoint
alter table activities add constraint direction check (direction is null or activity_type in ('call', 'email', 'sms', 'whatsapp'));
--> statement-breakpoint
create index changes_by_linked_deal on changes (workspace_id, (fields #>> '{linked_deal_id,after}')) where fields #>> '{linked_deal_id,after}' is not null;
--> statement-breakpoint
create index changes_by_linked_customer on changes (workspace_id, (fields #>> '{linked_customer_id,after}')) where fields #>> '{linked_customer_id,after}' is not null;
