ALTER TABLE "conversations" ADD COLUMN "is_group" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "conversations" drop column "whatsapp_conversation_id",
  ADD COLUMN "whatsapp_conversation_id" uuid GENERATED ALWAYS AS ((case when channel = 'whatsapp' and not is_group then id end)) STORED,
  ADD COLUMN "whatsapp_group_id" uuid GENERATED ALWAYS AS ((case when is_group then id end)) STORED;
--> statement-breakpoint
ALTER TABLE "whatsapp_groups" ADD COLUMN "unread" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "whatsapp_groups" ADD COLUMN "unread_count" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "whatsapp_groups" ADD COLUMN "direction" text;
--> statement-breakpoint
CREATE INDEX "conversations_by_group" ON "conversations" USING btree ("workspace_id","channel","is_group","last_message_at","id");
--> statement-breakpoint
CREATE INDEX "conversations_by_whatsapp_conversation" ON "conversations" USING btree ("workspace_id","whatsapp_conversation_id") WHERE whatsapp_conversation_id is not null;
--> statement-breakpoint
CREATE INDEX "conversations_by_whatsapp_group" ON "conversations" USING btree ("workspace_id","whatsapp_group_id") WHERE whatsapp_group_id is not null;
--> statement-breakpoint
call tenant_reference('conversations', 'whatsapp_conversation_id', 'whatsapp_conversations', 'cascade');
--> statement-breakpoint
call tenant_reference('conversations', 'whatsapp_group_id', 'whatsapp_groups', 'cascade');
--> statement-breakpoint
alter table conversations add constraint conversations_group check (not is_group or channel = 'whatsapp' and contact_id is null);
--> statement-breakpoint
alter table whatsapp_groups disable trigger user;
--> statement-breakpoint
alter table conversations disable trigger user;
--> statement-breakpoint
-- Nobody knows which of their messages were read, so groups begin as read.
update whatsapp_groups g set direction = coalesce((select m.direction from whatsapp_messages m where m.workspace_id = g.workspace_id and m.group_id = g.id
    order by m.occurred_at desc, m.id desc limit 1), 'inbound') where message_count > 0;
--> statement-breakpoint
insert into conversations (workspace_id, id, channel, is_group, title, direction, snippet, unread, message_count, last_message_at, created_at)
  select workspace_id, id, 'whatsapp', true, name, direction, snippet, unread, message_count, last_message_at, created_at from whatsapp_groups where message_count > 0;
--> statement-breakpoint
alter table conversations enable trigger user;
--> statement-breakpoint
alter table whatsapp_groups enable trigger user;
