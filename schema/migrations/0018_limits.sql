-- A transaction ends before the Worker's deadline for it (20 s, src/data/batch.ts), whoever holds it open.
alter role app set transaction_timeout = '18s';
--> statement-breakpoint
alter role app set idle_in_transaction_session_timeout = '10s';
--> statement-breakpoint
-- Words that index_words did not take for words, because they are not of ASCII.
insert into search_words (workspace_id, word, typo_keys)
  select workspace_id, word, typo_keys(workspace_id, word)
  from (
    select distinct n.workspace_id, w.word
    from (select workspace_id, name_norm from contacts union all select workspace_id, name_norm from companies union all select workspace_id, name_norm from opportunities) n,
      unnest(words_of(n.name_norm)) w(word)
    where n.name_norm ~ '[^ -~]' and w.word ~ '[^ -~]' and w.word collate "default" ~ '^[[:alpha:]]{3,60}$'
  ) words
  on conflict do nothing;
--> statement-breakpoint
-- Nobody asks these indexes for contacts without a value, so such contacts have no entry: a create writes some hundred bytes less for each.
drop index contacts_by_email;
--> statement-breakpoint
create index contacts_by_email on contacts (workspace_id, email, archived, created_at, id) where email is not null;
--> statement-breakpoint
drop index contacts_by_phone;
--> statement-breakpoint
create index contacts_by_phone on contacts (workspace_id, phone, archived, created_at, id) where phone is not null;
--> statement-breakpoint
drop index contacts_by_customer;
--> statement-breakpoint
create index contacts_by_customer on contacts (workspace_id, customer_id, archived, created_at, id) where customer_id is not null;
--> statement-breakpoint
drop index contacts_by_type;
--> statement-breakpoint
create index contacts_by_type on contacts (workspace_id, contact_type, archived, created_at, id) where contact_type is not null;
--> statement-breakpoint
drop index contacts_by_lead_source;
--> statement-breakpoint
create index contacts_by_lead_source on contacts (workspace_id, source_id, archived, created_at, id) where source_id is not null;
--> statement-breakpoint
drop index contacts_by_anchor;
--> statement-breakpoint
create index contacts_by_anchor on contacts (workspace_id, referrer_opportunity_id) where referrer_opportunity_id is not null;
