-- A pending request can be edited before it is approved. `original` has the request and the changes from before the first edit.
ALTER TABLE "approvals" ADD COLUMN "original" jsonb;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "edited_by" uuid;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "edited_key_id" uuid;
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "edited_at" timestamp(3) with time zone;
--> statement-breakpoint
drop index approvals_by_mention;
--> statement-breakpoint
create index approvals_by_mention on approvals using gin (mention_keys(coalesce(request::text, '') || ' ' || coalesce(changes::text, '') || ' ' || coalesce(answer::text, '') || ' ' || coalesce(response_body::text, '') || ' ' || coalesce(original::text, ''))) with (gin_pending_list_limit = 256);
