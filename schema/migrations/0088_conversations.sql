CREATE TABLE "conversations" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"channel" text NOT NULL,
	"email_thread_id" uuid GENERATED ALWAYS AS ((case channel when 'email' then id end)) STORED,
	"sms_conversation_id" uuid GENERATED ALWAYS AS ((case channel when 'sms' then id end)) STORED,
	"whatsapp_conversation_id" uuid GENERATED ALWAYS AS ((case channel when 'whatsapp' then id end)) STORED,
	"contact_id" uuid,
	"title" text NOT NULL,
	"direction" text NOT NULL,
	"snippet" text NOT NULL,
	"unread" boolean NOT NULL,
	"message_count" integer NOT NULL,
	"last_message_at" timestamp(3) with time zone NOT NULL,
	"private_to" uuid,
	"status" text DEFAULT 'open' NOT NULL,
	"snoozed_until" timestamp(3) with time zone,
	"closed_at" timestamp(3) with time zone,
	"assigned_to" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "conversations_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "conversations_by_last_message" ON "conversations" USING btree ("workspace_id","channel","last_message_at","id","private_to");
--> statement-breakpoint
CREATE INDEX "conversations_by_updated" ON "conversations" USING btree ("workspace_id","channel","updated_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_status" ON "conversations" USING btree ("workspace_id","channel","status","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_assignee" ON "conversations" USING btree ("workspace_id","channel","status",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_unread" ON "conversations" USING btree ("workspace_id","channel","unread","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_contact" ON "conversations" USING btree ("workspace_id","contact_id","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_email_thread" ON "conversations" USING btree ("workspace_id","email_thread_id") WHERE email_thread_id is not null;
--> statement-breakpoint
CREATE INDEX "conversations_by_sms_conversation" ON "conversations" USING btree ("workspace_id","sms_conversation_id") WHERE sms_conversation_id is not null;
--> statement-breakpoint
CREATE INDEX "conversations_by_whatsapp_conversation" ON "conversations" USING btree ("workspace_id","whatsapp_conversation_id") WHERE whatsapp_conversation_id is not null;
--> statement-breakpoint
CREATE INDEX "conversations_snoozed" ON "conversations" USING btree ("snoozed_until","id") WHERE status = 'snoozed';
--> statement-breakpoint
call tenant_table('conversations', 'select, update');
--> statement-breakpoint
call tenant_reference('conversations', 'email_thread_id', 'email_threads', 'cascade');
--> statement-breakpoint
call tenant_reference('conversations', 'sms_conversation_id', 'sms_conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('conversations', 'whatsapp_conversation_id', 'whatsapp_conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('conversations', 'assigned_to', 'memberships');
--> statement-breakpoint
alter table conversations add constraint conversations_snooze check (status <> 'snoozed' or snoozed_until is not null);
--> statement-breakpoint
-- What is in a mailbox is for its member, and for roles with the scope personal-email:read.
create policy personal on conversations as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
insert into conversations (workspace_id, id, channel, contact_id, title, direction, snippet, unread, message_count, last_message_at, private_to, status, closed_at, created_at)
  select workspace_id, id, 'email', contact_id, subject, direction, snippet, not is_read, message_count, last_message_at, private_to,
      case status when 'active' then 'open' else 'closed' end, case when status <> 'active' then now() end, created_at
    from email_threads where message_count > 0
  union all select workspace_id, id, 'sms', contact_id, external_phone_number, direction, snippet, unread, message_count, last_message_at, null, 'open', null, created_at
    from sms_conversations
  union all select workspace_id, id, 'whatsapp', contact_id, coalesce(name, external_phone_number, 'WhatsApp'), coalesce(direction, 'inbound'), snippet, unread, message_count,
      last_message_at, null, case status when 'active' then 'open' else 'closed' end, case when status <> 'active' then now() end, created_at
    from whatsapp_conversations where message_count > 0;
