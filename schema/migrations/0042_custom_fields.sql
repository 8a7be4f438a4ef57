-- Tasks have custom fields.
ALTER TABLE "tasks" ADD COLUMN "metadata" jsonb DEFAULT '{}' NOT NULL;
--> statement-breakpoint
-- Filters by equality, and renames of options, find tasks, activities and products by the terms of their metadata. Many have none, and need no entry.
create index tasks_by_metadata on tasks using gin (terms_of(workspace_id, '{}', metadata)) with (fastupdate = off) where metadata <> '{}';
--> statement-breakpoint
create index activities_by_metadata on activities using gin (terms_of(workspace_id, '{}', metadata)) with (fastupdate = off) where metadata <> '{}';
--> statement-breakpoint
create index products_by_metadata on products using gin (terms_of(workspace_id, '{}', metadata)) with (fastupdate = off) where metadata <> '{}';
--> statement-breakpoint
-- New workspaces refuse metadata that no custom field defines. Others keep their setting.
ALTER TABLE "crm_settings" ALTER COLUMN "custom_fields_strict" SET DEFAULT true;
