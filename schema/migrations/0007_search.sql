-- Custom fields and their values, filters, and the search over all records.

create extension if not exists fuzzystrmatch;
--> statement-breakpoint
create extension if not exists unaccent;
--> statement-breakpoint
call tenant_table('custom_fields');
--> statement-breakpoint
call tenant_table('custom_values', 'select');
--> statement-breakpoint
call tenant_table('search_words', 'select');
--> statement-breakpoint
call tenant_reference('custom_values', 'field_id', 'custom_fields', 'cascade');
--> statement-breakpoint
alter table custom_fields add constraint options check ((type in ('select', 'multi_select')) = (cardinality(options) > 0));
--> statement-breakpoint
alter table custom_fields add constraint "unique" check (not "unique" or type in ('text', 'number', 'date', 'url', 'email', 'phone'));
--> statement-breakpoint
create index opportunities_by_tag on opportunities using gin (workspace_id, tag_names(tags)) with (fastupdate = off);
--> statement-breakpoint
create index contacts_by_alternate_email on contacts using gin (workspace_id, alternate_emails) with (fastupdate = off);
--> statement-breakpoint
create index contacts_by_landline on contacts (workspace_id, landline) where landline is not null;
--> statement-breakpoint
create index companies_by_phone on companies (workspace_id, phone) where phone is not null;
--> statement-breakpoint
create type search_match as (id uuid, name text, matched_on text, score float8);
