-- Contacts have several phone numbers, by which they are recognised as by their other addresses.
ALTER TABLE "contacts" ADD COLUMN "alternate_phones" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
alter table contacts alter column search_text set expression as
  (search_form(first_name || coalesce(' ' || last_name, '') || coalesce(' ' || email, '') || coalesce(' ' || phone, '') || coalesce(' ' || joined(alternate_emails), '') || coalesce(' ' || joined(alternate_phones), '')));
--> statement-breakpoint
-- Most contacts have one number: they need no entry.
create index contacts_by_alternate_phone on contacts using gin (workspace_id, alternate_phones) with (fastupdate = off) where alternate_phones <> '{}';
--> statement-breakpoint
create index contacts_with_other_phones on contacts (workspace_id, id) where alternate_phones <> '{}' and not archived;
--> statement-breakpoint
-- Companies have further domains beside that of their website.
ALTER TABLE "companies" ADD COLUMN "domains" text[] DEFAULT '{}' NOT NULL;
--> statement-breakpoint
create index companies_by_other_domain on companies using gin (workspace_id, domains) with (fastupdate = off) where domains <> '{}';
--> statement-breakpoint
create index companies_with_other_domains on companies (workspace_id, id) where domains <> '{}' and not archived;
--> statement-breakpoint
-- New contacts are linked to the company that has the domain of their email address.
ALTER TABLE "crm_settings" ADD COLUMN "link_contacts_by_domain" boolean DEFAULT false NOT NULL;
