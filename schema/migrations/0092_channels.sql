CREATE TABLE "message_media" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"sms_message_id" uuid,
	"whatsapp_message_id" uuid,
	"rank" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"source" text DEFAULT '' NOT NULL,
	"source_id" uuid,
	"name" text,
	"content_type" text,
	"size" integer,
	"error" text,
	"due_at" timestamp(3) with time zone DEFAULT now(),
	"attempts" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_media_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
ALTER TABLE "campaign_recipients" ADD COLUMN "variant" text;
--> statement-breakpoint
ALTER TABLE "campaign_sends" ADD COLUMN "decide_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "campaign_sends" ADD COLUMN "decided_at" timestamp(3) with time zone;
--> statement-breakpoint
ALTER TABLE "campaign_sends" ADD COLUMN "winner" text;
--> statement-breakpoint
ALTER TABLE "email_campaigns" ADD COLUMN "ab_test" jsonb;
--> statement-breakpoint
ALTER TABLE "email_drafts" ADD COLUMN "mode" text DEFAULT 'company' NOT NULL;
--> statement-breakpoint
ALTER TABLE "email_drafts" ADD COLUMN "sender_user_id" uuid;
--> statement-breakpoint
ALTER TABLE "email_drafts" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "phone_bundles" ADD COLUMN "address_ids" uuid[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
CREATE INDEX "message_media_by_sms" ON "message_media" USING btree ("workspace_id","sms_message_id","rank","id") WHERE sms_message_id is not null;
--> statement-breakpoint
CREATE INDEX "message_media_by_whatsapp" ON "message_media" USING btree ("workspace_id","whatsapp_message_id","rank","id") WHERE whatsapp_message_id is not null;
--> statement-breakpoint
CREATE INDEX "message_media_due" ON "message_media" USING btree ("due_at","workspace_id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "message_media_due_of" ON "message_media" USING btree ("workspace_id","due_at","id") WHERE due_at is not null;
--> statement-breakpoint
CREATE INDEX "message_media_by_source" ON "message_media" USING btree ("workspace_id","source_id") WHERE source_id is not null;
--> statement-breakpoint
CREATE INDEX "campaign_recipients_by_variant" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","variant","created_at","id") WHERE variant is not null;
--> statement-breakpoint
CREATE INDEX "campaign_recipients_waiting" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","id") WHERE status = 'queued' and due_at is null and variant is null;
--> statement-breakpoint
CREATE INDEX "email_drafts_by_sender" ON "email_drafts" USING btree ("workspace_id","sender_user_id") WHERE sender_user_id is not null;
--> statement-breakpoint
CREATE INDEX "phone_bundles_by_address" ON "phone_bundles" USING gin ("address_ids") WITH (fastupdate=false);
--> statement-breakpoint
call tenant_table('message_media');
--> statement-breakpoint
call tenant_reference('email_drafts', 'sender_user_id', 'memberships');
--> statement-breakpoint
call tenant_reference('message_media', 'source_id', 'attachments', 'set null');
--> statement-breakpoint
call tenant_reference('message_media', 'sms_message_id', 'sms_messages', 'cascade');
--> statement-breakpoint
call tenant_reference('message_media', 'whatsapp_message_id', 'whatsapp_messages', 'cascade');

--> statement-breakpoint
-- The draft of an email from a mailbox is for the member who writes it, as the email will be.
create policy personal on email_drafts as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
alter table message_media add constraint message_media_of_one check (num_nonnulls(sms_message_id, whatsapp_message_id) = 1);
