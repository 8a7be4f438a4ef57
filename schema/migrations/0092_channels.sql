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
CREATE INDEX "campaign_recipients_by_variant" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","variant","created_at","id") WHERE variant is not null;
--> statement-breakpoint
CREATE INDEX "campaign_recipients_waiting" ON "campaign_recipients" USING btree ("workspace_id","campaign_id","id") WHERE status = 'queued' and due_at is null and variant is null;

--> statement-breakpoint
-- The draft of an email from a mailbox is for the member who writes it, as the email will be.
create policy personal on email_drafts as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
