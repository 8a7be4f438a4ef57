-- Erasing a record and all that is known of it.

CREATE TABLE "purged_records" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid NOT NULL,
	"entity" text NOT NULL,
	"purged_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"purged_by" uuid,
	"key_id" uuid,
	"request_id" text,
	CONSTRAINT "purged_records_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE INDEX "purged_records_by_purged" ON "purged_records" USING btree ("workspace_id","entity","purged_at","id");
--> statement-breakpoint
call tenant_table('purged_records', 'select');
--> statement-breakpoint
-- What was ever about a contact, whether or not it is still there.
create index changes_by_contact on changes (workspace_id, (fields #>> '{contact_id,after}')) where fields #>> '{contact_id,after}' is not null;
--> statement-breakpoint
-- Duplicates: records that may be one and the same.

CREATE TABLE "dismissed_duplicates" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"object" text NOT NULL,
	"first_id" uuid NOT NULL,
	"second_id" uuid NOT NULL,
	"dismissed_by" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "dismissed_duplicates_workspace_id_id_pk" PRIMARY KEY("workspace_id","id")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "dismissed_duplicates_pair_key" ON "dismissed_duplicates" USING btree ("workspace_id","first_id","second_id");
--> statement-breakpoint
CREATE INDEX "dismissed_duplicates_by_second" ON "dismissed_duplicates" USING btree ("workspace_id","second_id");
--> statement-breakpoint
CREATE INDEX "dismissed_duplicates_by_created" ON "dismissed_duplicates" USING btree ("workspace_id","object","created_at","id");
--> statement-breakpoint
call tenant_table('dismissed_duplicates');
--> statement-breakpoint
alter table dismissed_duplicates alter column dismissed_by set default current_user_id();
--> statement-breakpoint
-- In the order in which a walk over them wants equal numbers.
drop index contacts_by_landline;
--> statement-breakpoint
drop index companies_by_phone;
--> statement-breakpoint
create index contacts_by_landline on contacts (workspace_id, landline, archived, created_at, id) where landline is not null;
--> statement-breakpoint
create index companies_by_phone on companies (workspace_id, phone, archived, created_at, id) where phone is not null;
--> statement-breakpoint
create index contacts_with_other_emails on contacts (workspace_id, id) where alternate_emails <> '{}' and not archived;
