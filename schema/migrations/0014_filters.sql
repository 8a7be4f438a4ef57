-- Searches by field: an index of "field = value" terms for each object, so that equality on any field finds its records.

-- The form in which a text value of metadata is indexed: without case and repeated spaces; what looks like a phone number (or a date) by its digits.
create function metadata_form(value text) returns text immutable strict parallel safe language sql
  return case when norm(value) ~ '^\+?[0-9 ().\-/]{5,40}$' then regexp_replace(value, '\D', '', 'g') else norm(value) end;
--> statement-breakpoint
-- The same for any JSON value; null for what no filter compares.
create function metadata_value(value jsonb) returns text immutable strict parallel safe language sql
  return case jsonb_typeof(value)
    when 'string' then metadata_form(value #>> '{}')
    when 'boolean' then value #>> '{}'
    when 'number' then case when value::numeric = 0 then '0' when abs(value::numeric) between 1e-300 and 1e300 then (value::numeric)::float8::text end end;
--> statement-breakpoint
-- A record's metadata as terms, at most 200: with more of them the record is a candidate of every filter over metadata.
create function metadata_entries(metadata jsonb) returns text[] immutable parallel safe language sql
  return case when metadata is null or metadata = '{}' then '{}' else (
    select case when count(*) > 200 then (array_agg(entry order by entry))[1:200] || 'metadata:more'::text else array_agg(entry) end from (
      select 'metadata.' || e.key || '=' || metadata_value(e.value) as entry from jsonb_each(metadata) e(key, value) where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
      union select 'metadata.' || e.key || '=' || metadata_value(v) from jsonb_each(metadata) e(key, value),
        jsonb_array_elements(case jsonb_typeof(e.value) when 'array' then e.value else '[]' end) v) entries where entry is not null) end;
--> statement-breakpoint
create function list_entries(field text, list text[]) returns text[] immutable parallel safe language sql
  return array(select field || '=' || v from unnest(list) v);
--> statement-breakpoint
-- A term's hash: of its workspace too, so that one index serves all of them.
create function term(workspace uuid, entry text) returns int immutable strict parallel safe language sql
  return hashtextextended(lower(entry), uuid_hash_extended(workspace, 0))::bit(32)::int;
--> statement-breakpoint
create function terms_of(workspace uuid, entries text[], metadata jsonb) returns int[] immutable parallel safe cost 1000 language sql
  return array(select distinct term(workspace, e) from unnest(entries || metadata_entries(metadata)) e where e is not null);
--> statement-breakpoint
-- What each index of terms has, as its expression: an index cannot be asked in other words. Fields that have a b-tree of their own are left to it.
create function terms_expression(object text) returns text immutable language sql
  return case object
    when 'contacts' then $x$terms_of(workspace_id, array['first_name=' || first_name, 'last_name=' || last_name, 'job_title=' || job_title, 'contact_type=' || contact_type,
      'date_of_birth=' || (date_of_birth - date '1970-01-01'), 'notes=' || notes, 'source=' || source, 'source_id=' || source_id, 'address_line1=' || address_line1, 'address_line2=' || address_line2,
      'city=' || city, 'state=' || state, 'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone, 'referrer_category=' || referrer_category,
      case when is_primary then 'is_primary=true' end, case when email_unsubscribed then 'email_unsubscribed=true' end, case when sms_unsubscribed then 'sms_unsubscribed=true' end,
      case when voice_unsubscribed then 'voice_unsubscribed=true' end, case when whatsapp_unsubscribed then 'whatsapp_unsubscribed=true' end, case when is_referrer then 'is_referrer=true' end,
      case when archived then 'archived=true' end] || list_entries('alternate_emails', alternate_emails), metadata)$x$
    when 'companies' then $x$terms_of(workspace_id, array['description=' || description, 'website_url=' || website_url, 'industry=' || industry, 'account_type=' || account_type, 'abn=' || abn,
      'address_line1=' || address_line1, 'address_line2=' || address_line2, 'city=' || city, 'state=' || state, 'postal_code=' || postal_code, 'country=' || country, 'timezone=' || timezone,
      'founded_year=' || founded_year, 'annual_revenue=' || trim_scale(annual_revenue), 'employee_count=' || employee_count, 'notes=' || notes, case when archived then 'archived=true' end], metadata)$x$
    when 'opportunities' then $x$terms_of(workspace_id, array['description=' || description, 'currency=' || currency, 'status=' || status, 'probability=' || trim_scale(probability), 'opportunity_type=' || opportunity_type,
      'lead_source=' || lead_source, 'notes=' || notes, 'expected_close_date=' || (expected_close_date - date '1970-01-01'), 'next_action_type=' || next_action_type, 'next_action_note=' || next_action_note,
      case when archived then 'archived=true' end] || list_entries('lost_reasons', lost_reasons) || list_entries('won_reasons', won_reasons) || list_entries('tags', tag_names(tags)), metadata)$x$
  end;
--> statement-breakpoint
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
alter table custom_fields add constraint indexed check (not indexed or type <> 'long_text');
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
-- Values are removed behind the request that deletes their field, as they are added.
alter table custom_values drop constraint "custom_values.field_id";
--> statement-breakpoint
-- Until now the values of every field were indexed, and those that are stay so.
alter table custom_fields disable trigger user;
update custom_fields set indexed = true where type <> 'long_text';
alter table custom_fields enable trigger user;
insert into custom_indexes (workspace_id, field_id, status, done, total) select workspace_id, id, 'ready', 0, 0 from custom_fields where indexed;
insert into custom_indexes (workspace_id, field_id, status) select workspace_id, id, 'clearing' from custom_fields where not indexed;
--> statement-breakpoint
-- candidate_rows takes their place.
drop function search_ids(text, text);
drop function search_rows(anyelement, text, int);
drop function tagged_ids(text[]);
