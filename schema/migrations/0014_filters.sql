-- New rows wait in a list of at most so many kB, which each search reads and which is then merged into the index at once: a write costs less so.
do $$
declare
  name text;
begin
  foreach name in array array['contacts', 'companies', 'opportunities'] loop
    execute format('create index %I on %I using gin (%s) with (gin_pending_list_limit = 512)', name || '_by_term', name, terms_expression(name));
  end loop;
end $$;
--> statement-breakpoint
/*
  The indexes of custom fields: custom_values has the values of those declared `indexed` (or `unique`, which needs one). An index is built behind the request that
  asks for it, in batches of records by id. `cursor` is the last record that is in it.
*/
alter table custom_fields add column indexed boolean not null default false;
--> statement-breakpoint
alter table custom_fields add constraint indexed check (not indexed or type <> 'long_text');
--> statement-breakpoint
CREATE TABLE "custom_indexes" (
	"workspace_id" uuid DEFAULT current_workspace() NOT NULL,
	"field_id" uuid NOT NULL,
	"status" text NOT NULL,
	"done" integer DEFAULT 0 NOT NULL,
	"total" integer,
	"cursor" uuid,
	"error" text,
	"updated_at" timestamp(3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "custom_indexes_workspace_id_field_id_pk" PRIMARY KEY("workspace_id","field_id"),
	CONSTRAINT "custom_indexes_status" CHECK (status in ('building', 'ready', 'failed', 'clearing'))
);
--> statement-breakpoint
CREATE INDEX "custom_indexes_unfinished" ON "custom_indexes" USING btree ("updated_at") WHERE status in ('building', 'clearing');
--> statement-breakpoint
call tenant_table('custom_indexes', 'select');
--> statement-breakpoint
-- Values are removed behind the request that deletes their field, as they are added.
alter table custom_values drop constraint "custom_values.field_id";
--> statement-breakpoint
-- Until now the values of every field were indexed, and those that are stay so.
alter table custom_fields disable trigger user;
--> statement-breakpoint
update custom_fields set indexed = true where type <> 'long_text';
--> statement-breakpoint
alter table custom_fields enable trigger user;
--> statement-breakpoint
insert into custom_indexes (workspace_id, field_id, status, done, total) select workspace_id, id, 'ready', 0, 0 from custom_fields where indexed;
--> statement-breakpoint
insert into custom_indexes (workspace_id, field_id, status) select workspace_id, id, 'clearing' from custom_fields where not indexed;
--> statement-breakpoint
-- candidate_rows takes their place.
drop function if exists search_ids(text, text);
--> statement-breakpoint
drop function if exists search_rows(anyelement, text, int);
--> statement-breakpoint
drop function if exists tagged_ids(text[]);
