ALTER TABLE "email_attachments" ADD COLUMN "content_id" text;
--> statement-breakpoint
ALTER TABLE "email_messages" ADD COLUMN "is_automatic" boolean DEFAULT false NOT NULL;
