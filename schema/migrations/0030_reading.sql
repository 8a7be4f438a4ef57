-- Lists in the order of change (updated_after, sort=updated_at), for tables with many rows that had no such index.
create index products_by_updated on products (workspace_id, archived, updated_at, id);
--> statement-breakpoint
create index activities_by_updated on activities (workspace_id, updated_at, id);
--> statement-breakpoint
create index approvals_by_updated on approvals (workspace_id, updated_at, id);
--> statement-breakpoint
create index dismissed_duplicates_by_updated on dismissed_duplicates (workspace_id, object, updated_at, id);
--> statement-breakpoint
create index memberships_by_updated on memberships (workspace_id, updated_at, user_id);
