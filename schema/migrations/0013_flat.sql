create index approvals_by_mention on approvals using gin (mention_keys(coalesce(request::text, '') || ' ' || coalesce(changes::text, '') || ' ' || coalesce(answer::text, '') || ' ' || coalesce(response_body::text, '')))
  with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index idempotency_by_mention on idempotency using gin (mention_keys(coalesce(outcome::text, ''))) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index merge_entries_by_mention on merge_entries using gin (mention_keys(row_id::text || ' ' || coalesce(survivor::text, '') || ' ' || before::text || ' ' || after::text)) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index member_connections_by_mention on member_connections using gin (mention_keys(user_id::text || ' ' || mailbox_aliases::text)) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index import_files_by_mention on import_files using gin (mention_keys(columns::text || ' ' || suggestions::text || ' ' || preview::text)) with (gin_pending_list_limit = 256);
--> statement-breakpoint
create index import_rows_by_mention on import_rows using gin (mention_keys(errors::text || ' ' || coalesce("values"::text, ''))) with (gin_pending_list_limit = 256) where "values" is not null or errors <> '[]';
--> statement-breakpoint
-- What was ever about a company or an opportunity, as changes_by_contact says it of a contact.
create index changes_by_customer on changes (workspace_id, (fields #>> '{customer_id,after}')) where fields #>> '{customer_id,after}' is not null;
--> statement-breakpoint
create index changes_by_parent on changes (workspace_id, (fields #>> '{parent_company_id,after}')) where fields #>> '{parent_company_id,after}' is not null;
--> statement-breakpoint
create index changes_by_opportunity on changes (workspace_id, (fields #>> '{opportunity_id,after}')) where fields #>> '{opportunity_id,after}' is not null;
--> statement-breakpoint
create index changes_by_deal on changes (workspace_id, (fields #>> '{deal_id,after}')) where fields #>> '{deal_id,after}' is not null;
--> statement-breakpoint
create index changes_by_referrer on changes (workspace_id, (fields #>> '{referrer_opportunity_id,after}')) where fields #>> '{referrer_opportunity_id,after}' is not null;
--> statement-breakpoint
-- Whoever has a pipeline as their default loses it when it is deleted.
create index memberships_by_default_pipeline on memberships (workspace_id, default_pipeline_id) where default_pipeline_id is not null;
--> statement-breakpoint
create index memberships_by_manager on memberships (workspace_id, manager_user_id) where manager_user_id is not null;
--> statement-breakpoint
-- In their place: log_tables and redact_logs.
drop function if exists scrub_journals(uuid[], text[]);
--> statement-breakpoint
drop function if exists log_tables();
