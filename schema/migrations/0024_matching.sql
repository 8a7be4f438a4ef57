-- Lists are searched without accents, contacts also by their other addresses and companies by their phone number.
alter table contacts alter column search_text set expression as
  (search_form(first_name || coalesce(' ' || last_name, '') || coalesce(' ' || email, '') || coalesce(' ' || phone, '') || coalesce(' ' || joined(alternate_emails), '')));
--> statement-breakpoint
-- Companies are matched by their business number and by the host of their website.
alter table companies
  alter column search_text set expression as
    (search_form(name || coalesce(' ' || email, '') || coalesce(' ' || website_url, '') || coalesce(' ' || phone, ''))),
  add column abn_key text collate "C" generated always as (abn_key(abn)) stored,
  add column website_domain text collate "C" generated always as (website_domain(website_url)) stored;
--> statement-breakpoint
create index companies_by_abn on companies using btree (workspace_id, abn_key, archived, created_at, id) where abn_key is not null;
--> statement-breakpoint
create index companies_by_domain on companies using btree (workspace_id, website_domain, archived, created_at, id) where website_domain is not null;
--> statement-breakpoint
-- This also builds the indexes of tags anew, which now have the names in normal form.
alter table opportunities alter column search_text set expression as (search_form(name || coalesce(' ' || external_id, '')));
--> statement-breakpoint
alter table products alter column search_text set expression as (search_form(name || coalesce(' ' || sku, '')));
--> statement-breakpoint
alter table tasks alter column search_text set expression as (search_form(title || coalesce(' ' || external_id, '')));
--> statement-breakpoint
-- The primary contact that another replaces is found without reading the company's other contacts.
create index contacts_by_primary on contacts using btree (workspace_id, customer_id) where is_primary;
