-- The grants of connected calendars are those of accounts, which mailboxes have too.
alter table calendar_grants rename to account_grants;
--> statement-breakpoint
alter table calendar_grant_requests rename to grant_requests;
--> statement-breakpoint
alter index calendar_grants_workspace_id_id_pk rename to account_grants_workspace_id_id_pk;
--> statement-breakpoint
alter index calendar_grants_connection_key rename to account_grants_connection_key;
--> statement-breakpoint
alter index calendar_grant_requests_workspace_id_id_pk rename to grant_requests_workspace_id_id_pk;
--> statement-breakpoint
alter index calendar_grant_requests_state_key rename to grant_requests_state_key;
--> statement-breakpoint
alter index calendar_grant_requests_by_expiry rename to grant_requests_by_expiry;
--> statement-breakpoint
alter table account_grants rename constraint "calendar_grants.connection_id" to "account_grants.connection_id";
--> statement-breakpoint
alter table grant_requests rename constraint "calendar_grant_requests.user_id" to "grant_requests.user_id";
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"user_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"account_id" text NOT NULL,
	"account_email" text NOT NULL,
	"status" text DEFAULT 'connected' NOT NULL,
	"error" text,
	"aliases" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"sender_email" text,
	"cursor" text,
	"synced_at" timestamp(3) with time zone,
	"sync_error" text,
	"due_at" timestamp(3) with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	"claim_id" uuid,
	"claimed_until" timestamp(3) with time zone,
	"watch_expires_at" timestamp(3) with time zone,
	"watch_due_at" timestamp(3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mailboxes_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
DROP INDEX "email_messages_internet_key";
--> statement-breakpoint
ALTER TABLE "account_grants" ALTER COLUMN "connection_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "grant_requests" ADD COLUMN "purpose" text DEFAULT 'calendars' NOT NULL;
--> statement-breakpoint
ALTER TABLE "account_grants" ADD COLUMN "mailbox_id" uuid;
--> statement-breakpoint
ALTER TABLE "email_attachments" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "email_messages" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "email_thread_links" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "email_threads" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "email_threads" ADD COLUMN "outside_thread_id" text;
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "changes" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
ALTER TABLE "activities" ADD COLUMN "private_to" uuid;
--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_user_key" ON "mailboxes" USING btree ("workspace_id","user_id");
--> statement-breakpoint
CREATE INDEX "mailboxes_by_created" ON "mailboxes" USING btree ("workspace_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "mailboxes_by_updated" ON "mailboxes" USING btree ("workspace_id","updated_at","id");
--> statement-breakpoint
CREATE INDEX "mailboxes_by_account" ON "mailboxes" USING btree ("provider","account_email");
--> statement-breakpoint
CREATE INDEX "mailboxes_by_account_id" ON "mailboxes" USING btree ("provider","account_id");
--> statement-breakpoint
CREATE INDEX "mailboxes_due" ON "mailboxes" USING btree ("due_at") WHERE due_at is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "account_grants_mailbox_key" ON "account_grants" USING btree ("workspace_id","mailbox_id");
--> statement-breakpoint
CREATE INDEX "email_threads_by_outside" ON "email_threads" USING btree ("workspace_id","private_to","outside_thread_id") WHERE private_to is not null;
--> statement-breakpoint
ALTER TABLE "email_messages" ADD CONSTRAINT "email_messages_internet_key" UNIQUE NULLS NOT DISTINCT("workspace_id","internet_id","private_to");
--> statement-breakpoint
call tenant_table('mailboxes');
--> statement-breakpoint
call tenant_reference('account_grants', 'mailbox_id', 'mailboxes', 'cascade');
--> statement-breakpoint
call tenant_reference('mailboxes', 'user_id', 'memberships', 'cascade');
--> statement-breakpoint
alter table account_grants add constraint account_grants_of_one check (num_nonnulls(connection_id, mailbox_id) = 1);
--> statement-breakpoint
-- A mailbox is for its member, and for members with the role client_admin.
create policy seen on mailboxes as restrictive using (user_id = (select current_user_id()) or (select sees_all_calendars()));
--> statement-breakpoint
-- What is in a mailbox is for its member, and for roles with the scope personal-email:read. So are its history and its events.
create policy personal on email_threads as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on email_thread_links as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on email_messages as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on email_attachments as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on messages as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on activities as restrictive using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on changes as restrictive for select using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
--> statement-breakpoint
create policy personal on outbox as restrictive for select using (private_to is null or private_to = (select current_user_id()) or (select sees_personal_email()));
