-- Contacts have an owner, as companies do; contacts and companies have tags of the workspace's palette, as opportunities do.
ALTER TABLE "contacts" ADD COLUMN "assigned_to" uuid, ADD COLUMN "tags" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "companies" ADD COLUMN "tags" jsonb DEFAULT '[]'::jsonb NOT NULL;
--> statement-breakpoint
CREATE INDEX "contacts_by_owner" ON "contacts" USING btree ("workspace_id","assigned_to","archived","created_at","id") WHERE assigned_to is not null;
--> statement-breakpoint
-- Most records have no tags: they need no entry.
create index contacts_by_tag on contacts using gin (workspace_id, tag_names(tags)) with (fastupdate = off) where tags <> '[]';
--> statement-breakpoint
create index companies_by_tag on companies using gin (workspace_id, tag_names(tags)) with (fastupdate = off) where tags <> '[]';
