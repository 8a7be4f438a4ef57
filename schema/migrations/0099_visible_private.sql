CREATE INDEX "conversations_of_team" ON "conversations" USING btree ("workspace_id","last_message_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_own" ON "conversations" USING btree ("workspace_id","private_to","last_message_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_of_team_by_status" ON "conversations" USING btree ("workspace_id","status","last_message_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_own_by_status" ON "conversations" USING btree ("workspace_id","private_to","status","last_message_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_of_team_by_assignee" ON "conversations" USING btree ("workspace_id","status",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"last_message_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_own_by_assignee" ON "conversations" USING btree ("workspace_id","private_to","status",(case when assigned_to is null then 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid else assigned_to end),"last_message_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_of_team_by_unread" ON "conversations" USING btree ("workspace_id","unread","last_message_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "conversations_own_by_unread" ON "conversations" USING btree ("workspace_id","private_to","unread","last_message_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "email_threads_of_team" ON "email_threads" USING btree ("workspace_id","last_message_at","id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "email_threads_own" ON "email_threads" USING btree ("workspace_id","private_to","last_message_at","id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "email_threads_of_team_by_status" ON "email_threads" USING btree ("workspace_id","status","last_message_at","id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "email_threads_own_by_status" ON "email_threads" USING btree ("workspace_id","private_to","status","last_message_at","id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "email_threads_of_team_by_direction" ON "email_threads" USING btree ("workspace_id","direction","last_message_at","id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "email_threads_own_by_direction" ON "email_threads" USING btree ("workspace_id","private_to","direction","last_message_at","id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "email_threads_of_team_by_read" ON "email_threads" USING btree ("workspace_id","is_read","last_message_at","id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "email_threads_own_by_read" ON "email_threads" USING btree ("workspace_id","private_to","is_read","last_message_at","id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "messages_of_team" ON "messages" USING btree ("workspace_id","created_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "messages_own" ON "messages" USING btree ("workspace_id","private_to","created_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "messages_of_team_by_status" ON "messages" USING btree ("workspace_id","status","created_at","id") WHERE private_to is null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "messages_own_by_status" ON "messages" USING btree ("workspace_id","private_to","status","created_at","id") WHERE private_to is not null and channel = 'email';
--> statement-breakpoint
CREATE INDEX "activities_of_team" ON "activities" USING btree ("workspace_id","occurred_at","id") WHERE private_to is null;
--> statement-breakpoint
CREATE INDEX "activities_own" ON "activities" USING btree ("workspace_id","private_to","occurred_at","id") WHERE private_to is not null;
--> statement-breakpoint
CREATE INDEX "activities_of_team_emails" ON "activities" USING btree ("workspace_id","occurred_at","id") WHERE private_to is null and activity_type = 'email';

--> statement-breakpoint
-- A mailbox may have few of the private rows or most of them. With the actual number of mailboxes the planner would expect few, and sort them instead of reading them in order; with one, it
-- would take an index without private_to for as good.
do $$
declare
  name text;
begin
  foreach name in array array['activities', 'conversations', 'email_threads', 'messages'] loop
    execute format('alter table %I alter private_to set (n_distinct = 4)', name);
    execute format('analyze %I', name);
  end loop;
end $$;
