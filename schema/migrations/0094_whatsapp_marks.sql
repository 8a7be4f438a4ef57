CREATE TABLE "whatsapp_reactions" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"whatsapp_message_id" uuid NOT NULL,
	"emoji" text NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"reacted_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"attempts" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"turn" integer DEFAULT 0 NOT NULL,
	"error" text,
	CONSTRAINT "whatsapp_reactions_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE TABLE "whatsapp_reads" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"conversation_id" uuid NOT NULL,
	"unread" integer NOT NULL,
	"until_at" timestamp(3) with time zone NOT NULL,
	"until_id" uuid,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"attempts" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"turn" integer DEFAULT 0 NOT NULL,
	"error" text,
	CONSTRAINT "whatsapp_reads_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "crm_settings" ADD COLUMN "whatsapp_read_receipts" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "whatsapp_messages" ADD COLUMN "sender_jid" text;
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_reactions_key" ON "whatsapp_reactions" USING btree ("workspace_id","whatsapp_message_id");
--> statement-breakpoint
CREATE INDEX "whatsapp_reactions_due" ON "whatsapp_reactions" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_reactions_due_of" ON "whatsapp_reactions" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "whatsapp_reads_key" ON "whatsapp_reads" USING btree ("workspace_id","conversation_id");
--> statement-breakpoint
CREATE INDEX "whatsapp_reads_due" ON "whatsapp_reads" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_reads_due_of" ON "whatsapp_reads" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "whatsapp_messages_reactions" ON "whatsapp_messages" USING btree ("workspace_id","quoted_key_id","occurred_at","id") WHERE type = 'reaction';
--> statement-breakpoint
call tenant_table('whatsapp_reactions');
--> statement-breakpoint
call tenant_table('whatsapp_reads');
--> statement-breakpoint
call tenant_reference('whatsapp_reactions', 'whatsapp_message_id', 'whatsapp_messages', 'cascade');
--> statement-breakpoint
call tenant_reference('whatsapp_reads', 'conversation_id', 'whatsapp_conversations', 'cascade');
