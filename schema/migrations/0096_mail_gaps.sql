ALTER TABLE "messages" ADD COLUMN "outside_account_id" text;
--> statement-breakpoint
CREATE INDEX "campaign_clicks_by_time" ON "campaign_clicks" USING btree ("workspace_id","link_id","clicked_at");
--> statement-breakpoint
CREATE INDEX "messages_by_provider_id" ON "messages" USING btree ("workspace_id","provider_message_id") WHERE provider = 'gmail';
--> statement-breakpoint
CREATE INDEX "messages_due_by_sender" ON "messages" USING btree ("workspace_id","sender_user_id") WHERE provider = 'gmail' and due_at is not null;
--> statement-breakpoint
alter table messages disable trigger user;
--> statement-breakpoint
update messages m set outside_account_id = b.account_id from mailboxes b where b.workspace_id = m.workspace_id and b.user_id = m.sender_user_id and m.provider = 'gmail' and m.due_at is not null;
--> statement-breakpoint
alter table messages enable trigger user;
