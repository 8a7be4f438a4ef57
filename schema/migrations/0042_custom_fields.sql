-- Tasks have custom fields.
ALTER TABLE "tasks" ADD COLUMN "metadata" jsonb DEFAULT '{}' NOT NULL;
--> statement-breakpoint
-- Filters by equality find tasks and activities by the terms of their metadata. Most have none, and need no entry.
create index tasks_by_metadata on tasks using gin (terms_of(workspace_id, '{}', metadata)) with (fastupdate = off) where metadata <> '{}';
--> statement-breakpoint
create index activities_by_metadata on activities using gin (terms_of(workspace_id, '{}', metadata)) with (fastupdate = off) where metadata <> '{}';
