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
