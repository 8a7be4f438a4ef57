alter table merge_entries rename column fate to action;
--> statement-breakpoint
-- Their parameters have other names or types now, which "create or replace" cannot change.
drop function if exists create_workspace(text, text, text, text, bytea);
--> statement-breakpoint
drop function if exists approval_is_stale(approvals);
--> statement-breakpoint
drop function if exists record_upserts(jsonb, jsonb);
--> statement-breakpoint
drop function if exists check_custom_conditions(jsonb);
--> statement-breakpoint
drop function if exists fit_rows(regclass, uuid, text[]);
--> statement-breakpoint
drop function if exists restore_rows(regclass, text, uuid, text[]);
