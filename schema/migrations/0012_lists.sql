-- Lists and the search whose cost does not grow with what a workspace has.

-- What a text with a space before it is like when it contains every word of the query: a word with three letters or digits in a row anywhere, another
-- at the beginning of a word, for trigrams find it nowhere else. Null, which nothing is like, when no word has a letter or digit.
create function search_patterns(p_query text) returns text[] immutable strict parallel safe language sql as $$
  select array_agg(case when w ~ '[[:alnum:]]{3}' then '%' else '% ' end || literally(w) || '%')
  from (select distinct w from regexp_split_to_table(norm(p_query), ' ') w where w ~ '[[:alnum:]]') words
$$;
--> statement-breakpoint
/*
  Rows of the table that p_record is one of (null::contacts), no more than p_limit, that contain every word of the query. Runs as its owner, because under
  row-level security a trigram index is not used; so it names the workspace itself. Only a bitmap of that index reads little, whatever the planner believes;
  one that does not fit into work_mem would point to whole pages.
*/
create function search_rows(p_record anyelement, p_query text, p_limit int) returns setof anyelement stable language plpgsql security definer set search_path = public
  set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set max_parallel_workers_per_gather = 0 set work_mem = '64MB' as $$
declare
  patterns constant text[] := search_patterns(p_query);
  contain text;
begin
  if patterns is null then return; end if;
  select string_agg(format('('' '' || search_text) like %L', pattern), ' and ') into contain from unnest(patterns) pattern;
  return query execute format('select * from %s where workspace_id::text = $1::text and %s limit $2', pg_typeof(p_record), contain) using current_workspace(), p_limit;
end $$;
--> statement-breakpoint
DROP INDEX "companies_by_words";--> statement-breakpoint
DROP INDEX "contacts_by_words";--> statement-breakpoint
DROP INDEX "employers_by_customer";--> statement-breakpoint
DROP INDEX "opportunities_by_words";--> statement-breakpoint
DROP INDEX "opportunities_by_expected_close";--> statement-breakpoint
DROP INDEX "products_by_words";--> statement-breakpoint
DROP INDEX "activities_by_occurred";--> statement-breakpoint
DROP INDEX "activities_by_created";--> statement-breakpoint
DROP INDEX "tasks_by_created";--> statement-breakpoint
DROP INDEX "tasks_by_updated";--> statement-breakpoint
DROP INDEX "tasks_by_due";--> statement-breakpoint
DROP INDEX "tasks_by_rank";--> statement-breakpoint
DROP INDEX "tasks_by_words";--> statement-breakpoint
DROP INDEX "tasks_by_status";--> statement-breakpoint
DROP INDEX "tasks_by_priority";--> statement-breakpoint
DROP INDEX "tasks_by_assignee";--> statement-breakpoint
DROP INDEX "tasks_by_creator";--> statement-breakpoint
DROP INDEX "tasks_by_contact";--> statement-breakpoint
DROP INDEX "tasks_by_customer";--> statement-breakpoint
DROP INDEX "tasks_unfinished";--> statement-breakpoint
CREATE INDEX "companies_by_words" ON "companies" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "contacts_by_words" ON "contacts" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "employers_by_customer" ON "employers" USING btree ("workspace_id","customer_id","id","contact_id");--> statement-breakpoint
CREATE INDEX "opportunities_by_words" ON "opportunities" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "opportunities_by_expected_close" ON "opportunities" USING btree ("workspace_id","archived",(case when expected_close_date is null then 'infinity'::date else expected_close_date end),"id","created_at");--> statement-breakpoint
CREATE INDEX "products_by_words" ON "products" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "activities_by_occurred" ON "activities" USING btree ("workspace_id","occurred_at","id","created_at");--> statement-breakpoint
CREATE INDEX "activities_by_created" ON "activities" USING btree ("workspace_id","created_at","id","occurred_at");--> statement-breakpoint
CREATE INDEX "tasks_by_created" ON "tasks" USING btree ("workspace_id","archived","created_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end));--> statement-breakpoint
CREATE INDEX "tasks_by_updated" ON "tasks" USING btree ("workspace_id","archived","updated_at","id",(case when due_at is null then 'infinity'::timestamptz else due_at end));--> statement-breakpoint
CREATE INDEX "tasks_by_due" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id","created_at");--> statement-breakpoint
CREATE INDEX "tasks_by_rank" ON "tasks" USING btree ("workspace_id","archived",(case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end),"id","created_at",(case when due_at is null then 'infinity'::timestamptz else due_at end));--> statement-breakpoint
CREATE INDEX "tasks_by_words" ON "tasks" USING gin ((workspace_id::text),(' ' || search_text) gin_trgm_ops) WITH (gin_pending_list_limit=1024);--> statement-breakpoint
CREATE INDEX "tasks_by_status" ON "tasks" USING btree ("workspace_id","status","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_priority" ON "tasks" USING btree ("workspace_id","priority","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_assignee" ON "tasks" USING btree ("workspace_id","assigned_to","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_creator" ON "tasks" USING btree ("workspace_id","created_by","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_contact" ON "tasks" USING btree ("workspace_id","contact_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_by_customer" ON "tasks" USING btree ("workspace_id","customer_id","archived","created_at","id");--> statement-breakpoint
CREATE INDEX "tasks_unfinished" ON "tasks" USING btree ("workspace_id","archived",(case when due_at is null then 'infinity'::timestamptz else due_at end),"id","created_at") WHERE status <> 'completed';--> statement-breakpoint

drop index contacts_by_lexeme;
drop index companies_by_lexeme;
drop index opportunities_by_lexeme;
drop function lexemes_of(text, text);
--> statement-breakpoint
-- A record's words for its index: those of its name, with an @ before them those of its address, and with a # its workspace, so that no other index
-- can be taken for a search, however frequent its words are.
create function lexemes_of(workspace uuid, name text, address text) returns tsvector immutable parallel safe cost 1000 language sql
  return array_to_tsvector(words_of(name) || array(select '@' || w from unnest(words_of(address)) w) || ('#' || workspace));
--> statement-breakpoint
create index contacts_by_lexeme on contacts using gin (lexemes_of(workspace_id, name_norm, email)) with (fastupdate = off);
create index companies_by_lexeme on companies using gin (lexemes_of(workspace_id, name_norm, coalesce(email || ' ', '') || coalesce(website_url, ''))) with (fastupdate = off);
create index opportunities_by_lexeme on opportunities using gin (lexemes_of(workspace_id, name_norm, external_id)) with (fastupdate = off);
