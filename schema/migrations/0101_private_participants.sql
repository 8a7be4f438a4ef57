ALTER TABLE "email_participants" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
CREATE INDEX "email_participants_of_team" ON "email_participants" USING btree ("workspace_id","email","last_message_at","thread_id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "email_participants_own" ON "email_participants" USING btree ("workspace_id","private_to","email","last_message_at","thread_id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_of_team_by_contact" ON "email_thread_links" USING btree ("workspace_id","contact_id","last_message_at","thread_id") WHERE private_to is null and contact_id is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_own_by_contact" ON "email_thread_links" USING btree ("workspace_id","private_to","contact_id","last_message_at","thread_id") WHERE private_to is not null and contact_id is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_of_team_by_deal" ON "email_thread_links" USING btree ("workspace_id","deal_id","last_message_at","thread_id") WHERE private_to is null and deal_id is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_own_by_deal" ON "email_thread_links" USING btree ("workspace_id","private_to","deal_id","last_message_at","thread_id") WHERE private_to is not null and deal_id is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_of_team_by_customer" ON "email_thread_links" USING btree ("workspace_id","customer_id","last_message_at","thread_id") WHERE private_to is null and customer_id is not null;
--> statement-breakpoint
CREATE INDEX "email_thread_links_own_by_customer" ON "email_thread_links" USING btree ("workspace_id","private_to","customer_id","last_message_at","thread_id") WHERE private_to is not null and customer_id is not null;

--> statement-breakpoint
update email_participants p set private_to = t.private_to from email_threads t where t.workspace_id = p.workspace_id and t.id = p.thread_id and t.private_to is not null;
--> statement-breakpoint
create policy personal on email_participants as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
-- See 0099.
alter table email_participants alter private_to set (n_distinct = 4);
--> statement-breakpoint
alter table email_thread_links alter private_to set (n_distinct = 4);
--> statement-breakpoint
analyze email_participants, email_thread_links;
